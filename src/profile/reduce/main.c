/* SPDX-License-Identifier: MIT
 *
 * ptprofil-mpi: adds up the profiles of many ranks on the machine where they were made. Each process reads a share of
 * the files. Then the sums go up a binomial tree, always to the process with the share before. So they are added in the
 * order of the files, and the result has the same bytes for any number of processes. */
#include "common/base/error.h"
#include "common/text/say.h"
#include "profile/profile/builder.h"
#include "profile/reduce/inputs.h"
#include "profile/reduce/parcel.h"

#include <errno.h>
#include <getopt.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STATUS_LEFT_OUT = 1, /* some files */
    STATUS_FAILED = 125,
    TAG = 1,
    MOST_AT_ONCE = 1 << 30 /* bytes of a message: MPI counts them in an int */
};

struct reduction {
    int rank, size; /* of the processes */
    const char *output;
    struct buffer unfinished; /* name of the output file until it is complete */
    FILE *stream;             /* stream of that file; NULL except in the first process */
    struct inputs inputs;
    struct builder sum;
    unsigned long left_out; /* number of files that could not be read */
};

/* Ends all processes, because the others may wait for this one. */
static void give_up(const struct error *error)
{
    say_line(stderr, "%s", error->text);
    MPI_Abort(MPI_COMM_WORLD, STATUS_FAILED);
}

/* Adds a file. Skips a file that cannot be read. */
static int add_file(const char *path, void *data)
{
    struct reduction *reduction = data;
    struct error error = {0};
    int result = parcel_read(&reduction->sum, path, &error);
    if (result == -ENOMEM)
        give_up(&error);
    if (result < 0) {
        say_line(stderr, "left out: %s", error.text);
        reduction->left_out++;
    }
    return 0;
}

static void send_sum(struct reduction *reduction, int to)
{
    struct error error = {0};
    char *bytes;
    size_t size;
    if (parcel_pack(&reduction->sum, &bytes, &size, &error) < 0)
        give_up(&error);
    uint64_t length = size;
    MPI_Send(&length, 1, MPI_UINT64_T, to, TAG, MPI_COMM_WORLD);
    for (size_t at = 0; at < size; at += MOST_AT_ONCE)
        MPI_Send(bytes + at, (int)(size - at < MOST_AT_ONCE ? size - at : MOST_AT_ONCE), MPI_BYTE, to, TAG,
                 MPI_COMM_WORLD);
    free(bytes);
}

static void receive_sum(struct reduction *reduction, int from)
{
    struct error error = {0};
    uint64_t size = 0;
    MPI_Recv(&size, 1, MPI_UINT64_T, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    char *bytes = malloc(size + 1);
    if (!bytes) {
        error_set(&error, ENOMEM, "out of memory for the profiles of process %d", from);
        give_up(&error);
    }
    for (size_t at = 0; at < size; at += MOST_AT_ONCE)
        MPI_Recv(bytes + at, (int)(size - at < MOST_AT_ONCE ? size - at : MOST_AT_ONCE), MPI_BYTE, from, TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (parcel_unpack(&reduction->sum, bytes, size, &error) < 0)
        give_up(&error);
    free(bytes);
}

/* The first process lists the files and sends the list to the others, because listing is slow on a parallel file
 * system. */
static void share_names(struct reduction *reduction, char **paths)
{
    struct error error = {0};
    struct inputs *inputs = &reduction->inputs;
    for (; reduction->rank == 0 && *paths; paths++)
        if (inputs_add(inputs, *paths, &error) < 0)
            give_up(&error);
    uint64_t counts[] = {inputs->count, inputs->names.length};
    if (counts[1] > MOST_AT_ONCE) {
        error_set(&error, E2BIG, "too many files");
        give_up(&error);
    }
    MPI_Bcast(counts, 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    char *names = reduction->rank ? calloc(counts[1] + 1, 1) : inputs->names.bytes;
    if (!names) {
        error_set(&error, ENOMEM, "out of memory for the names of files");
        give_up(&error);
    }
    MPI_Bcast(names, (int)counts[1], MPI_BYTE, 0, MPI_COMM_WORLD);
    if (reduction->rank) {
        buffer_append(&inputs->names, names, counts[1]);
        inputs->count = counts[0];
        free(names);
    }
}

/* Opens a file with another name, so that an older result remains if the reduction fails. Opens it at the beginning,
 * because summing may take long. */
static void open_result(struct reduction *reduction)
{
    struct error error = {0};
    buffer_printf(&reduction->unfinished, "%s.new", reduction->output);
    reduction->stream = reduction->unfinished.failed ? NULL : fopen(reduction->unfinished.bytes, "we");
    if (reduction->stream)
        return;
    error_system(&error, errno, "cannot write the output '%s'", reduction->output);
    give_up(&error);
}

/* Returns 0, or -errno with ERROR set. */
static int write_result(struct reduction *reduction, struct error *error)
{
    char *bytes;
    size_t size;
    if (!reduction->sum.merged)
        return error_set(error, ENODATA, "no profile could be read; '%s' is not written", reduction->output);
    int result = parcel_pack(&reduction->sum, &bytes, &size, error);
    if (result < 0)
        return result;
    bool written = fwrite(bytes, 1, size, reduction->stream) == size && fflush(reduction->stream) == 0;
    if (!written || rename(reduction->unfinished.bytes, reduction->output) < 0)
        result = error_system(error, errno, "cannot write the output '%s'", reduction->output);
    free(bytes);
    return result;
}

static void end_result(struct reduction *reduction)
{
    struct error error = {0};
    if (write_result(reduction, &error) < 0) {
        unlink(reduction->unfinished.bytes);
        give_up(&error);
    }
    fclose(reduction->stream);
    buffer_fini(&reduction->unfinished);
}

/* Returns an exit status, the same in each process. */
static int reduce(struct reduction *reduction, char **paths)
{
    unsigned long left_out = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &reduction->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &reduction->size);
    builder_init(&reduction->sum);
    if (reduction->rank == 0)
        open_result(reduction);
    share_names(reduction, paths);
    inputs_each(&reduction->inputs, (size_t)reduction->rank, (size_t)reduction->size, add_file, reduction);
    for (int step = 1; step < reduction->size; step *= 2) {
        if (reduction->rank & step) {
            send_sum(reduction, reduction->rank - step);
            break;
        }
        if (reduction->rank + step < reduction->size)
            receive_sum(reduction, reduction->rank + step);
    }
    MPI_Allreduce(&reduction->left_out, &left_out, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (reduction->rank == 0) {
        end_result(reduction);
        say_line(stderr, "%lu of %zu profiles are in '%s'", (unsigned long)reduction->inputs.count - left_out,
                 reduction->inputs.count, reduction->output);
    }
    profile_free(builder_finish(&reduction->sum));
    inputs_fini(&reduction->inputs);
    return left_out ? STATUS_LEFT_OUT : 0;
}

static const char usage[] = "Usage: mpirun [-np N] ptprofil-mpi -o FILE.pb.gz PROFILE|FOLDER...\n"
                            "Add up stored profiles, as of the ranks of a job, on several processes.\n"
                            "\n"
                            "  -o, --output FILE   write the sum to FILE\n"
                            "  -h, --help          print this help\n"
                            "  -V, --version       print the version\n";

/* Returns -1 if the reduction should run, otherwise an exit status. */
static int read_options(struct reduction *reduction, int argc, char **argv)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"version", no_argument, NULL, 'V'},
                                            {NULL, 0, NULL, 0}};
    for (int letter; (letter = getopt_long(argc, argv, "o:hV", options, NULL)) != -1;)
        switch (letter) {
        case 'o':
            reduction->output = optarg;
            break;
        case 'h':
            say_own(stdout, usage);
            return 0;
        case 'V':
            say_own(stdout, "ptprofil-mpi " VERSION "\n");
            return 0;
        default:
            return STATUS_FAILED;
        }
    if (reduction->output && optind < argc)
        return -1;
    say_own(stderr, usage);
    return STATUS_FAILED;
}

int main(int argc, char **argv)
{
    static struct reduction reduction;
    int status = read_options(&reduction, argc, argv);
    if (status >= 0)
        return status;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return STATUS_FAILED;
    status = reduce(&reduction, argv + optind);
    MPI_Finalize();
    return status;
}
