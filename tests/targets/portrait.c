/* SPDX-License-Identifier: MIT
 *
 * Prints the externally visible state of a process, to compare it before, during and after profiling.
 *
 *     portrait PID [LEFT_OUT]
 * For each thread, it prints its state, signals, and where it sleeps. For the memory, it prints the number of
 * changed bytes of code, and a checksum of other private memory. LEFT_OUT has letters for data that changes by
 * itself. m: memory besides code; t: threads, memory mappings and descriptors. */
#include "target.h"

#include <dirent.h>

static pid_t pid;
static pid_t living; /* a thread that has not ended; the memory is read through it */

static int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Lists the numeric names in /proc/PID/NAME, sorted. */
static int list(const char *name, int *numbers, int most)
{
    char path[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    DIR *directory = opendir(path);
    CHECK(directory);
    for (struct dirent *entry; count < most && (entry = readdir(directory));)
        if (entry->d_name[0] != '.')
            numbers[count++] = atoi(entry->d_name);
    closedir(directory);
    qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
    return count;
}

/* Prints the lines of thread TID's status that begin with one of NAMES (a 0-terminated list). */
static void show_status(pid_t tid, const char *const *names)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", pid, tid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        for (const char *const *name = names; *name; name++)
            if (!strncmp(line, *name, strlen(*name)))
                printf("%d %s", tid, line);
    if (file)
        fclose(file);
}

static char state_of(pid_t tid)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
        text[0] = 0;
    if (fd >= 0)
        close(fd);
    const char *end = strrchr(text, ')');
    return end ? end[2] : 'X';
}

/* The last two words are SP and PC. A restarted call may have another number and other arguments. */
static void show_place(pid_t tid)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", pid, tid);
    FILE *file = fopen(path, "re");
    if (file && fgets(text, sizeof text, file)) {
        char *pc = strrchr(text, ' ');
        if (pc)
            *pc = 0;
        char *sp = strrchr(text, ' ');
        printf("%d sleeps at%s %s", tid, sp ? sp : "", pc ? pc + 1 : text);
    }
    if (file)
        fclose(file);
}

static void show_threads(void)
{
    static const char *const all[] = {"State", "TracerPid", "SigPnd", "SigBlk", NULL};
    static int tids[4096];
    int count = list("task", tids, 4096);
    for (int i = 0; i < count; i++) {
        show_status(tids[i], all);
        show_place(tids[i]);
    }
}

/* Prints the tracer of each thread. */
static void show_tracers(void)
{
    static const char *const tracer[] = {"TracerPid:\t0", NULL};
    static int tids[4096];
    char path[64], line[256];
    int count = list("task", tids, 4096), other = 0;
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "/proc/%d/task/%d/status", pid, tids[i]);
        FILE *file = fopen(path, "re");
        while (file && fgets(line, sizeof line, file))
            other += !strncmp(line, "TracerPid:", 10) && strncmp(line, tracer[0], strlen(tracer[0]));
        if (file)
            fclose(file);
    }
    printf("traced threads: %d\n", other);
}

static void find_living(void)
{
    static int tids[4096];
    int count = strchr("ZX", state_of(pid)) ? list("task", tids, 4096) : 0;
    living = pid;
    for (int i = 0; i < count; i++)
        if (!strchr("ZX", state_of(tids[i]))) {
            living = tids[i];
            return;
        }
}

static void show_file(const char *name)
{
    char path[64], line[4352];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", pid, living, name);
    if (access(path, F_OK))
        snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        printf("%s: %s", name, line);
    if (file)
        fclose(file);
}

static void show_descriptors(void)
{
    static int numbers[4096];
    int count = living == pid ? list("fd", numbers, 4096) : 0;
    for (int i = 0; i < count; i++)
        printf("descriptor %d\n", numbers[i]);
}

static uint64_t add_up(uint64_t sum, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3ull;
    return sum;
}

/* Returns the number of bytes of the SIZE at BYTES that differ from those at OFFSET of FILE. */
static unsigned differences(int file, const unsigned char *bytes, size_t size, uint64_t offset)
{
    static unsigned char there[65536];
    unsigned different = 0;
    ssize_t got = pread(file, there, size, (off_t)offset);
    CHECK(got >= 0);
    for (ssize_t i = 0; i < got; i++)
        different += bytes[i] != there[i];
    return different;
}

/* Compares the mapping with its file if it is code, otherwise adds it to SUM. */
static uint64_t look_at(int memory, uint64_t start, uint64_t end, uint64_t offset, const char *path, bool code,
                        uint64_t sum)
{
    static unsigned char bytes[65536];
    int file = code ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    unsigned different = 0;
    for (uint64_t at = start; at < end; at += sizeof bytes) {
        size_t size = end - at < sizeof bytes ? (size_t)(end - at) : sizeof bytes;
        ssize_t got = pread(memory, bytes, size, (off_t)at);
        if (got > 0 && file >= 0)
            different += differences(file, bytes, (size_t)got, offset + at - start);
        else if (got > 0)
            sum = add_up(sum, bytes, (size_t)got);
    }
    if (file >= 0) {
        printf("code of %s: %u bytes changed\n", path, different);
        close(file);
    }
    return sum;
}

static void show_memory(bool contents)
{
    char path[4097], line[4352], permissions[5];
    unsigned long start, end, offset;
    uint64_t sum = 0xcbf29ce484222325ull;
    snprintf(path, sizeof path, "/proc/%d/task/%d/mem", pid, living);
    int memory = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(memory >= 0);
    snprintf(path, sizeof path, "/proc/%d/task/%d/maps", pid, living);
    FILE *maps = fopen(path, "re");
    CHECK(maps);
    while (fgets(line, sizeof line, maps)) {
        path[0] = 0;
        if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %4096s", &start, &end, permissions, &offset, path) < 4 ||
            permissions[0] != 'r' || permissions[3] == 's' || !strncmp(path, "[v", 2))
            continue;
        bool code = permissions[2] == 'x' && path[0] == '/';
        if (code || contents)
            sum = look_at(memory, start, end, offset, path, code, sum);
    }
    fclose(maps);
    close(memory);
    if (contents)
        printf("memory adds up to %016llx\n", (unsigned long long)sum);
}

int main(int argc, char **argv)
{
    static const char *const shared[] = {"ShdPnd", "SigIgn", "SigCgt", "Seccomp", "NoNewPrivs", NULL};
    CHECK(argc > 1);
    const char *left_out = argc > 2 ? argv[2] : "";
    pid = atoi(argv[1]);
    find_living();
    show_status(strchr(left_out, 't') ? pid : living, shared);
    show_tracers();
    if (!strchr(left_out, 't')) {
        show_threads();
        show_file("maps");
        show_descriptors();
    }
    show_file("timers");
    show_memory(!strchr(left_out, 'm'));
    return 0;
}
