/* SPDX-License-Identifier: MIT
 *
 * Hints about launchers of parallel jobs, and about missing ranks. */
#include "front/hints/hints_parts.h"

#include "common/base/buffer.h"
#include "common/text/say.h"
#include "front/hints/hints.h"
#include "front/session/options.h"
#include "profile/profile/profile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Launchers of parallel jobs. A remote launcher lets daemons start the ranks, even on this machine. */
static const struct launcher {
    const char *name;
    bool remote;
} launchers[] = {{"srun", true},
                 {"prun", true},
                 {"aprun", true},
                 {"jsrun", true},
                 {"mpirun", false},
                 {"mpiexec", false},
                 {"orterun", false},
                 {"prterun", false},
                 {"mpiexec.hydra", false},
                 {"mpirun.openmpi", false},
                 {"mpiexec.openmpi", false},
                 {"mpirun.mpich", false},
                 {"mpiexec.mpich", false}};

static const struct launcher *launcher_of(char *const *command)
{
    const char *slash = command ? strrchr(command[0], '/') : NULL;
    for (size_t i = 0; command && i < sizeof launchers / sizeof *launchers; i++)
        if (!strcmp(slash ? slash + 1 : command[0], launchers[i].name))
            return &launchers[i];
    return NULL;
}

static bool is_program_at(const char *path)
{
    struct stat about;
    return access(path, X_OK) == 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static bool is_program(const char *word)
{
    const char *folders = getenv("PATH");
    struct buffer path = {0};
    bool found = strchr(word, '/') && is_program_at(word);
    while (!found && !strchr(word, '/') && folders && *folders) {
        size_t length = strcspn(folders, ":");
        path.length = 0;
        buffer_printf(&path, "%.*s/%s", (int)length, folders, word);
        found = !path.failed && is_program_at(path.bytes);
        folders += length + (folders[length] == ':');
    }
    buffer_fini(&path);
    return found;
}

/* Returns the index of the rank's program in COMMAND; 0: not found. A word without a slash after an option may be the
 * option's argument: "srun -p test". */
static size_t program_of(char *const *command)
{
    for (size_t i = 1; command[i]; i++)
        if (command[i][0] != '-' && (command[i - 1][0] != '-' || i == 1 || strchr(command[i], '/')) &&
            is_program(command[i]))
            return i;
    return 0;
}

/* Appends what to type instead of COMMAND. */
static void put_line(struct buffer *line, char *const *command)
{
    size_t program = program_of(command);
    if (!program)
        buffer_printf(line, "%s ... ptprofil -o run.%%r.pb.gz PROGRAM", command[0]);
    for (size_t i = 0; program && command[i]; i++)
        buffer_printf(line, "%s%s%s", i ? " " : "", i == program ? "ptprofil -o run.%r.pb.gz " : "", command[i]);
    buffer_puts(line, "; then: ptprofil report --spread run.*.pb.gz");
}

void hints_remote_launcher(const struct session_options *options, FILE *stream)
{
    const struct launcher *launcher = launcher_of(options->command);
    struct buffer line = {0};
    if (!launcher || !launcher->remote || options->quiet || !is_program(options->command[0]))
        return;
    put_line(&line, options->command);
    if (!line.failed)
        say_line(stream, "%s lets other processes start the program, which this ptprofil does not see; type: %s",
                 launcher->name, line.bytes);
    buffer_fini(&line);
}

static int by_number(const void *one, const void *other)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* Returns how many ranks PROFILE has. Sets *COUNT to the number of ranks according to the launcher; 0: unknown. */
static size_t ranks_of(const struct profile *profile, uint32_t *count)
{
    uint32_t *numbers = malloc((profile->process_count + 1) * sizeof *numbers);
    size_t known = 0, seen = 0;
    *count = 0;
    for (size_t i = 0; numbers && i < profile->process_count; i++) {
        const struct profile_rank *rank = &profile->processes[i].rank;
        if (rank->known)
            numbers[known++] = rank->number;
        *count = rank->known && rank->count > *count ? rank->count : *count;
    }
    if (known)
        qsort(numbers, known, sizeof *numbers, by_number);
    for (size_t i = 0; i < known; i++)
        seen += !i || numbers[i] != numbers[i - 1];
    free(numbers);
    return seen;
}

void hints_ranks(struct advice *advice, char *const *command, const struct profile *profile)
{
    const struct launcher *launcher = launcher_of(command);
    struct buffer line = {0};
    uint32_t count;
    size_t seen = ranks_of(profile, &count);
    if (!launcher || launcher->remote || seen > count || (seen && seen == count) || (!seen && !program_of(command)))
        return;
    put_line(&line, command);
    if (seen && !line.failed)
        advice_add(advice, 100, "%zu of the job's %u ranks ran on this machine; to profile all of them, type: %s", seen,
                   (unsigned)count, line.bytes);
    else if (!line.failed)
        advice_add(advice, 100, "no rank of the job ran below this ptprofil; to profile them where they run, type: %s",
                   line.bytes);
    buffer_fini(&line);
}
