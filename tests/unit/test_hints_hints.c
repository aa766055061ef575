/* SPDX-License-Identifier: MIT */
#include "front/hints/hints.h"
#include "front/hints/hints_parts.h"

#include "common/model/quality.h"
#include "common/model/wait.h"
#include "common/wire/message.h"
#include "common/wire/shared.h"
#include "front/session/intake.h"
#include "front/session/session.h"
#include "front/session/shadow.h"
#include "test_profile.h"
#include "unit.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOSTILE "\033]0;x\007\n\xff" /* fits into the name of a process, which is limited to 15 bytes */
#define HARMLESS "\\x1b]0;x\\x07\\n\\xff"

/* A run without any hint yet. */
struct run {
    struct session_options options;
    struct record record;
    struct shared shared;
    struct session session;
    struct intake intake;
    struct profile *profile;
    struct report_options screen;
};

static struct run *begin(void)
{
    static struct run run;
    memset(&run, 0, sizeof run);
    run.session.options = &run.options;
    run.session.intake = &run.intake;
    run.session.record = run.intake.record = &run.record;
    run.session.channel.shared = &run.shared;
    run.profile = make_profile("sh");
    return &run;
}

/* Adds a module with one function, which used all the time. */
static struct profile_module *add_module(struct run *run, const char *path)
{
    uint32_t module = make_module(run->profile, path, 0x1000, 0x2000);
    uint32_t process = make_process(run->profile, 7, 0, "sh"), thread = make_thread(run->profile, process, 7, "sh");
    ADD_STACK(run->profile, thread, -1, 100, 1000000000, make_frame(run->profile, module, "main", 0x1100));
    return &run->profile->modules[module];
}

/* Returns the hints about RUN. Each of their lines is free of control characters. Free with free(). */
static char *said(struct run *run)
{
    char *text = NULL;
    size_t size = 0;
    ck_assert_ptr_nonnull(setlocale(LC_CTYPE, "C.UTF-8"));
    FILE *stream = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(stream);
    hints_print(&run->session, run->profile, &run->screen, stream);
    fclose(stream);
    profile_free(run->profile);
    for (const char *at = text; *at; at++) {
        ck_assert_msg(*at == '\n' || (*at >= ' ' && *at < 0x7f), "%s", text);
        if (at == text || at[-1] == '\n')
            ck_assert_msg(!strncmp(at, "ptprofil: ", 10), "%s", text);
    }
    return text;
}

/* One second of CPU time; NAMED_MS of it are in a function with a name. */
static void add_stripped(struct run *run, uint64_t named_ms)
{
    uint32_t module = make_module(run->profile, "/tmp/" HOSTILE, 0x1000, 0x2000);
    uint32_t process = make_process(run->profile, 7, 0, "sh"), thread = make_thread(run->profile, process, 7, "sh");
    run->profile->modules[module].no_symbols = true;
    ADD_STACK(run->profile, thread, -1, 50, (1000 - named_ms) * 1000000,
              make_frame(run->profile, module, "x+0x1200", 0x1200));
    if (named_ms)
        ADD_STACK(run->profile, thread, -1, 50, named_ms * 1000000,
                  make_frame(run->profile, module, "exported", 0x1100));
}

static void missing_names(struct run *run)
{
    add_stripped(run, 0);
}

static void exported_names(struct run *run)
{
    add_stripped(run, 300);
}

static void missing_all(struct run *run)
{
    uint32_t module = make_module(run->profile, "/opt/" HOSTILE, 0x1000, 0x2000);
    uint32_t process = make_process(run->profile, 7, 0, "sh"), thread = make_thread(run->profile, process, 7, "sh");
    run->profile->modules[module].no_symbols = true;
    ADD_STACK(run->profile, thread, -1, 60, 600000000, make_frame(run->profile, module, PROFILE_NAME_UNKNOWN, 0x1100));
    ADD_STACK(run->profile, thread, -1, 40, 400000000, make_frame(run->profile, module, "x+0x1200", 0x1200));
}

static void unread(struct run *run)
{
    uint32_t module = make_module(run->profile, "/opt/" HOSTILE, 0, 0);
    uint32_t process = make_process(run->profile, 7, 0, "sh"), thread = make_thread(run->profile, process, 7, "sh");
    ADD_STACK(run->profile, thread, -1, 100, 1000000000,
              make_frame(run->profile, module, PROFILE_NAME_UNKNOWN, 0x1100));
}

static void missing_lines(struct run *run)
{
    add_module(run, "/tmp/" HOSTILE);
    run->screen.by = REPORT_BY_LINE;
}

static void lines_cut(struct run *run)
{
    add_module(run, "/tmp/" HOSTILE)->lines_cut = true;
}

static void interpreter(struct run *run)
{
    add_module(run, "/tmp/libpython3." HOSTILE);
}

static void no_calls(struct run *run)
{
    run->session.intake->troubles[TROUBLE_CALLS].count = 1;
    run->session.intake->troubles[TROUBLE_CALLS].of_one = (struct message_trouble){.error = EIO, .comm = HOSTILE};
}

static void no_stacks(struct run *run)
{
    run->session.intake->troubles[TROUBLE_STACKS].count = 1;
    run->session.intake->troubles[TROUBLE_STACKS].of_one = (struct message_trouble){.error = EIO, .comm = HOSTILE};
}

static void not_imposed(struct run *run)
{
    struct shadows *shadows = &run->session.intake->shadows;
    shadows->refused = 1;
    shadows->refusal = (struct message_imposed){.refusal = CALLS_REFUSED_CALL, .error = EIO, .comm = HOSTILE};
}

static const struct {
    void (*make)(struct run *run);
    const char *text;
} named[] = {
    {missing_names, "hint: " HARMLESS " has no symbols: functions are shown as file+0xaddress. If"},
    {exported_names, "hint: " HARMLESS " has only the names of exported functions: its other functions are shown as"},
    {missing_all, "hint: " HARMLESS " has no symbols: most of its code is [unknown]"},
    {missing_lines, "hint: no line information for " HARMLESS},
    {lines_cut, "lines and inlined calls of " HARMLESS " are incomplete"},
    {interpreter, "hint: Python: these are the interpreter's functions; the manual lists the versions of Python"},
    {unread, "hint: " HARMLESS " is not an ELF file"},
    {no_calls, "stopped serving profil and pcsample in 1 process (" HARMLESS ", process 0"},
    {no_stacks, "cannot read the memory of 1 process ("},
    {no_stacks, "(" HARMLESS ", process 0: "},
    {not_imposed, "the call was not imposed on 1 program (" HARMLESS ", process 0"},
};

START_TEST(names_in_them_are_made_harmless)
{
    struct run *run = begin();
    named[_i].make(run);
    char *text = said(run);
    ck_assert_msg(strstr(text, named[_i].text) != NULL, "no \"%s\" in: %s", named[_i].text, text);
    free(text);
}
END_TEST

/* Mapped files, the modules that used the time, and the part of a second without samples. */
static const struct {
    const char *mapped, *module, *other;
    uint64_t unsampled_ns;
    const char *said; /* "": no hint */
} runs[] = {
    {"/usr/lib/libjvm.so", "[anon]", NULL, 0, "hint: Java: java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit"},
    {"/usr/bin/node", "[anon]", NULL, 0, "hint: Node.js: node --perf-basic-prof"},
    {"/usr/bin/cat", "[anon]", NULL, 0, "hint: [anon] is code that process 999999999 generated without naming it"},
    {"/usr/lib/libjvm.so", "[jit]", NULL, 0, ""},
    {"/usr/bin/node", "/usr/bin/node", NULL, 0, ""},
    {"/usr/bin/node", "/usr/bin/node", "[anon]", 0, ""}, /* too little time */
    {"/usr/bin/perl", "/usr/bin/perl", NULL, 0, "hint: perl is an interpreter: these are functions of perl itself"},
    {"/lib/libpython3.12.so", "/lib/libpython3.12.so", NULL, 0, "hint: Python: "},
    {"/lib/libpython3.12.so", "/lib/libpython3.12.so", "[jit]", 0, ""}, /* names are known */
    {"/lib/libpython3.12.so", "/lib/libpython3.12.so", "[python]", 0, ""},
    {"/usr/bin/php8.4", "/usr/bin/php8.4", NULL, 0, "hint: PHP: these are the interpreter's functions"},
    {"/usr/bin/php8.4", "/usr/bin/php8.4", "[php]", 0, ""},
    {"/bin/sh", "/bin/sh", NULL, 300000000, "hint: 23 % of the CPU time has no sample; "},
    {"/bin/sh", "/bin/sh", NULL, 300000000, "-F 2000 takes more samples\n"},
    {"/bin/sh", "/bin/sh", NULL, 200000000, ""},
    {"/bin/sh", NULL, NULL, 40000000, ""}, /* negligible */
};

START_TEST(hints_are_those_of_the_table)
{
    struct run *run = begin();
    struct object objects[] = {{.path = (char *)(uintptr_t)runs[_i].mapped, .fd = -1},
                               {.kind = OBJECT_JIT, .path = (char *)"", .pid = 999999999, .fd = -1}};
    run->record.objects.items = objects;
    run->record.objects.count = 2;
    if (runs[_i].module)
        add_module(run, runs[_i].module);
    if (runs[_i].other)
        make_module(run->profile, runs[_i].other, 0x1000, 0x2000);
    uint32_t process = make_process(run->profile, 8, 0, "sh");
    add_unsampled(run->profile, process, runs[_i].unsampled_ns);
    run->profile->quality.rate = run->profile->quality.last_rate = 100;
    char *text = said(run);
    if (*runs[_i].said)
        ck_assert_msg(strstr(text, runs[_i].said) != NULL, "no \"%s\" in: %s", runs[_i].said, text);
    else
        ck_assert_str_eq(text, "");
    free(text);
}
END_TEST

/* Generated code called everything that ran. This gives a hint for a known compiler, but not for a trampoline. */
static const struct {
    const char *mapped, *said;
} calling[] = {
    {"/usr/bin/node", "ptprofil: hint: Node.js: node --perf-basic-prof --interpreted-frames-native-stack names its "
                      "functions; see ptprofil-runtimes(7)\n"},
    {"/usr/bin/cat", ""},
};

START_TEST(generated_code_that_calls_the_rest)
{
    struct run *run = begin();
    struct object object = {.path = (char *)(uintptr_t)calling[_i].mapped, .fd = -1};
    run->record.objects.items = &object;
    run->record.objects.count = 1;
    uint32_t module = make_module(run->profile, calling[_i].mapped, 0x1000, 0x2000);
    uint32_t generated = make_module(run->profile, "[anon]", 0, 0);
    uint32_t process = make_process(run->profile, 7, 0, "sh"), thread = make_thread(run->profile, process, 7, "sh");
    uint32_t leaf = make_frame(run->profile, module, "main", 0x1100);
    ADD_STACK(run->profile, thread, -1, 100, 1000000000, leaf, make_frame(run->profile, generated, "[anon]", 0x10));
    char *text = said(run);
    ck_assert_str_eq(text, calling[_i].said);
    free(text);
}
END_TEST

/* A second of CPU time, and the time that threads waited for a CPU: in samples, or as the tracer saw it. */
static const struct {
    uint64_t sampled_ns, seen_ns;
    bool wall;
    const char *said;
} queued[] = {
    {0, 0, false, ""},
    {0, 499000000, false, ""},
    {0, 3000000000, false,
     "ptprofil: hint: threads waited at least 3.0 s for a CPU, and ran for 1.0 s. Causes are more threads than CPUs, "
     "other programs, a container's CPU limit, or pinning; --clock=wall shows where they waited\n"},
    {0, 3000000000, true, ""},
    {90000000, 0, true, ""},
    {1000000000, 3000000000, true,
     "ptprofil: hint: 50 % of the time is [runnable]: threads were ready but waited for a CPU. Causes are more threads "
     "than CPUs, other programs, a container's CPU limit, or pinning\n"},
};

START_TEST(waits_for_a_cpu_are_explained)
{
    struct run *run = begin();
    uint32_t module = make_module(run->profile, "/bin/sh", 0x1000, 0x2000);
    uint32_t process = make_process(run->profile, 7, 0, "sh"), thread = make_thread(run->profile, process, 7, "sh");
    uint32_t leaf = make_frame(run->profile, module, "main", 0x1100);
    ADD_STACK(run->profile, thread, -1, 1000, 1000000000, leaf);
    ADD_STACK(run->profile, thread, WAIT_FOR_CPU, 0, 0, leaf);
    add_waiting(run->profile, 1, queued[_i].sampled_ns);
    run->profile->quality.wall = queued[_i].wall;
    atomic_store(&run->shared.counts.queued_ns, queued[_i].seen_ns);
    char *text = said(run);
    ck_assert_str_eq(text, queued[_i].said);
    free(text);
}
END_TEST

/* The number of samples at a rate, and the hint about it. */
static const struct {
    uint64_t samples, rate, ns;
    const char *said;
} fews[] = {
    {1, 100, 10000000, "ptprofil: hint: only 1 sample: a true 50 % can show as 0 to 100 %; try -F 20000\n"},
    {25, 100, 250000000, "ptprofil: hint: only 25 samples: a true 50 % can show as 30 to 70 %; try -F 5000\n"},
    {99, 1000, 99000000, "ptprofil: hint: only 99 samples: a true 50 % can show as 39 to 61 %; try -F 20000\n"},
    {99, 100, 990000000, "ptprofil: hint: only 99 samples: a true 50 % can show as 39 to 61 %; try -F 2000\n"},
    {100, 100, 1000000000, ""},
    {1, 100, 9999999, ""},  /* negligible */
    {50, 0, 500000000, ""}, /* another tool's profile */
    {50, 20000, 50000000, ""},
};

START_TEST(few_samples_tell_little)
{
    struct run *run = begin();
    uint32_t module = make_module(run->profile, "/bin/sh", 0x1000, 0x2000);
    uint32_t process = make_process(run->profile, 7, 0, "sh"), thread = make_thread(run->profile, process, 7, "sh");
    ADD_STACK(run->profile, thread, -1, fews[_i].samples, fews[_i].ns,
              make_frame(run->profile, module, "main", 0x1100));
    run->profile->quality.rate = run->profile->quality.last_rate = (unsigned)fews[_i].rate;
    char *text = said(run);
    ck_assert_str_eq(text, fews[_i].said);
    free(text);
}
END_TEST

/* A service is recorded at a low rate to keep the cost low. */
START_TEST(long_recordings_may_be_longer)
{
    struct run *run = begin();
    uint32_t module = make_module(run->profile, "/bin/sh", 0x1000, 0x2000);
    uint32_t process = make_process(run->profile, 7, 0, "sh"), thread = make_thread(run->profile, process, 7, "sh");
    ADD_STACK(run->profile, thread, -1, 32, 653000000, make_frame(run->profile, module, "main", 0x1100));
    run->profile->quality.rate = run->profile->quality.last_rate = 49;
    run->profile->quality.wall_ns = 6000000000;
    char *text = said(run);
    ck_assert_str_eq(text, "ptprofil: hint: only 32 samples: a true 50 % can show as 32 to 68 %; record longer, report "
                           "several files together, or try -F 2000\n");
    free(text);
}
END_TEST

/* Threads with a higher priority cannot be interrupted. They cause missing samples, and bias the others. */
START_TEST(threads_with_priority_are_reported)
{
    static const struct {
        bool outranked;
        uint64_t remote, late, unsampled;
        const char *said;
    } cases[] = {
        {true, 0, 0, 0, ""},
        {true, 50, 0, 0, "hint: threads have a higher real-time priority"},
        {true, 0, 60, 0, "hint: threads have a higher real-time priority"},
        {true, 0, 0, 60, "hint: threads have a higher real-time priority"},
        {false, 50, 0, 0, "hint: 50 of 100 samples are from CPUs that ptprofil may not use"},
        {false, 0, 60, 60, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run *run = begin();
        uint32_t module = make_module(run->profile, "/bin/sh", 0x1000, 0x2000);
        uint32_t process = make_process(run->profile, 7, 0, "sh"), thread = make_thread(run->profile, process, 7, "sh");
        ADD_STACK(run->profile, thread, -1, 100, 1000000000, make_frame(run->profile, module, "main", 0x1100));
        run->shared.counts.outranked = cases[i].outranked;
        run->shared.counts.remote = cases[i].remote;
        run->shared.counts.samples = 100;
        run->profile->quality.counters[QUALITY_lost_late] = cases[i].late;
        run->profile->quality.counters[QUALITY_lost_unsampled] = cases[i].unsampled;
        char *text = said(run);
        ck_assert_msg(cases[i].said[0] ? strstr(text, cases[i].said) != NULL : !text[0], "%zu: %s", i, text);
        ck_assert_msg(!text[0] || !strchr(strchr(text, '\n') + 1, '\n'), "more than one: %s", text);
        free(text);
    }
}
END_TEST

/* The CPU time, the watched time, and the hint about it. */
static const struct {
    uint64_t cpu_ns, wall_ns, off_ns;
    bool wall;
    const char *said;
} clocks[] = {
    {5000000, 1000000000, 0, false,
     "ptprofil: hint: the CPU time is 0.5 % of the elapsed time; --clock=wall also shows where threads "
     "wait\n"},
    {0, 2000000000, 0, false,
     "ptprofil: hint: the CPU time is 0.0 % of the elapsed time; --clock=wall also shows where threads "
     "wait\n"},
    {5000000, 1000000000, 0, true, ""},          /* wall time is recorded already */
    {5000000, 1000000000, 960000000, false, ""}, /* waiting was not recorded */
    {5000000, 60000000, 0, false, ""},           /* too short to be noticed */
    {9000000, 100000000, 20000000, false, ""},   /* a tenth is not little */
};

START_TEST(waiting_suggests_the_wall_clock)
{
    struct run *run = begin();
    uint32_t module = make_module(run->profile, "/bin/sh", 0x1000, 0x2000);
    uint32_t process = make_process(run->profile, 7, 0, "sh"), thread = make_thread(run->profile, process, 7, "sh");
    ADD_STACK(run->profile, thread, -1, 200, clocks[_i].cpu_ns, make_frame(run->profile, module, "main", 0x1100));
    run->profile->quality.wall_ns = clocks[_i].wall_ns;
    run->profile->quality.off_ns = clocks[_i].off_ns;
    run->profile->quality.wall = clocks[_i].wall;
    char *text = said(run);
    ck_assert_str_eq(text, clocks[_i].said);
    free(text);
}
END_TEST

/* COUNT programs were run by execs: each with its own command line or all with one, by DIFFERENT programs or one. */
static const struct {
    unsigned count;
    bool lines, different, overview;
    enum report_by by;
    const char *said;
} execs[] = {
    {11, true, false, true, REPORT_BY_FUNCTION,
     "ptprofil: hint: 11 programs were run; --by=command shows the time of each command line\n"},
    {11, true, true, false, REPORT_BY_FUNCTION, /* e.g. a tree */
     "ptprofil: hint: 11 programs were run; --by=command shows the time of each command line\n"},
    {11, true, true, true, REPORT_BY_FUNCTION, ""}, /* the overview of a build already shows them */
    {10, true, false, true, REPORT_BY_FUNCTION, ""},
    {11, false, false, true, REPORT_BY_FUNCTION, ""}, /* one command line used all the time */
    {11, true, false, false, REPORT_BY_COMMAND, ""},
};

START_TEST(many_programs_have_command_lines)
{
    struct run *run = begin();
    char lines[16][16];
    uint32_t module = make_module(run->profile, "/bin/tool", 0x1000, 0x2000);
    uint32_t leaf = make_frame(run->profile, module, "main", 0x1100);
    for (unsigned i = 0; i < execs[_i].count; i++) {
        const char *comm = execs[_i].different ? ((char[]){'p', (char)('a' + i), 0}) : "tool";
        uint32_t process = make_process(run->profile, (pid_t)(i + 1), 1, comm);
        snprintf(lines[i], sizeof lines[i], "tool %u", execs[_i].lines ? i : 0);
        run->profile->processes[process].command = lines[i];
        ADD_STACK(run->profile, make_thread(run->profile, process, 1, comm), -1, 100, 1000000000, leaf);
    }
    run->screen = (struct report_options){.by = execs[_i].by, .overview = execs[_i].overview};
    char *text = said(run);
    ck_assert_str_eq(text, execs[_i].said);
    free(text);
}
END_TEST

/* Five hints are possible. The report shows three, those with the largest gain. */
START_TEST(three_hints_are_enough)
{
    struct advice advice = {0};
    char *text = NULL;
    size_t size = 0;
    advice_add(&advice, 10, "least");
    advice_add(&advice, 50, "second of %d", 2);
    advice_add(&advice, 90, "best");
    advice_add(&advice, 50, "third");
    advice_add(&advice, 90, "best");
    FILE *stream = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(stream);
    advice_say(&advice, stream);
    fclose(stream);
    ck_assert_str_eq(text, "ptprofil: hint: best\nptprofil: hint: second of 2\nptprofil: hint: third\n");
    advice_fini(&advice);
    free(text);
}
END_TEST

START_TEST(nothing_is_said_without_need)
{
    char *text = said(begin());
    ck_assert_str_eq(text, "");
    free(text);
}
END_TEST

START_TEST(known_names_need_no_hint)
{
    struct run *run = begin();
    add_stripped(run, 900);
    char *text = said(run);
    ck_assert_str_eq(text, "");
    free(text);
}
END_TEST

/* The words behind the launcher, the number of ranks seen and in total, and the hint. */
static const struct {
    const char *words[6];
    uint32_t seen, count;
    const char *said;
} launched[] = {
    {{"mpirun", "-np", "4", "/bin/sh", "x"}, 4, 4, ""},
    {{"mpirun", "-np", "4", "/bin/sh", "x"},
     2,
     4,
     "ptprofil: hint: 2 of the job's 4 ranks ran on this machine; to profile all of them, type: mpirun -np 4 ptprofil "
     "-o run.%r.pb.gz /bin/sh x; then: ptprofil report --spread run.*.pb.gz\n"},
    {{"mpirun", "-np", "4", "sh"},
     0,
     0,
     "ptprofil: hint: no rank of the job ran below this ptprofil; to profile them where they run, type: mpirun -np 4 "
     "ptprofil -o run.%r.pb.gz sh; then: ptprofil report --spread run.*.pb.gz\n"},
    {{"mpirun", "--version"}, 0, 0, ""},
    {{"mpirun", "-x", "sh"},
     1,
     2,
     "ptprofil: hint: 1 of the job's 2 ranks ran on this machine; to profile all of them, type: mpirun ... ptprofil -o "
     "run.%r.pb.gz PROGRAM; then: ptprofil report --spread run.*.pb.gz\n"},
    {{"srun", "-N2", "/bin/sh"}, 0, 0, ""}, /* the user was warned at the beginning */
    {{"app", "/bin/sh"}, 1, 4, ""},
};

START_TEST(ranks_of_other_machines_are_reported)
{
    struct run *run = begin();
    char *command[7] = {NULL};
    for (size_t i = 0; launched[_i].words[i]; i++)
        command[i] = (char *)(uintptr_t)launched[_i].words[i];
    run->options.command = command;
    run->options.follow = true;
    for (uint32_t i = 0; i < launched[_i].seen; i++)
        for (pid_t twice = 0; twice < 2; twice++) {
            uint32_t process = make_process(run->profile, 10 + 2 * (pid_t)i + twice, 0, "app");
            run->profile->processes[process].rank = (struct profile_rank){true, i, launched[_i].count, NULL, NULL};
        }
    char *text = said(run);
    ck_assert_str_eq(text, launched[_i].said);
    free(text);
}
END_TEST

/* Filters and --no-follow can also leave out ranks. */
START_TEST(ranks_that_were_left_out_are_not_elsewhere)
{
    for (int follow = 0; follow < 2; follow++) {
        struct run *run = begin();
        char *command[] = {(char *)(uintptr_t) "mpirun", (char *)(uintptr_t) "/bin/sh", NULL};
        run->options.command = command;
        run->options.follow = follow;
        run->screen.filter_count = (size_t)follow;
        char *text = said(run);
        ck_assert_str_eq(text, "");
        free(text);
    }
}
END_TEST

static const struct {
    const char *command, *said;
    bool quiet;
} remote[] = {
    {"ls -N2 sh", "", false},
    {"/bin/srun-is-not-here -N2 sh", "", false},
    {"srun -N2 -p test /bin/sh -c x", "srun -N2 -p test ptprofil -o run.%r.pb.gz /bin/sh -c x; then: ", false},
    {"srun -N2 -p test", "srun ... ptprofil -o run.%r.pb.gz PROGRAM; then: ", false},
    {"srun -N2 sh", "", true},
};

/* A file called srun is in the PATH. */
START_TEST(launchers_of_daemons_are_reported)
{
    char folder[] = "/tmp/hints.XXXXXX", path[64], words[64], *command[8] = {NULL}, *text = NULL;
    size_t count = 0, size = 0;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/srun", folder);
    snprintf(words, sizeof words, "%s:/bin:/usr/bin", folder);
    setenv("PATH", words, 1);
    FILE *file = fopen(path, "w");
    ck_assert_int_eq(fchmod(fileno(file), 0700), 0);
    fclose(file);
    strcpy(words, remote[_i].command);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        command[count++] = word;
    struct session_options options = {.command = command, .quiet = remote[_i].quiet};
    FILE *stream = open_memstream(&text, &size);
    hints_remote_launcher(&options, stream);
    fclose(stream);
    ck_assert_msg(*remote[_i].said ? strstr(text, remote[_i].said) != NULL : !*text, "%s", text);
    free(text);
    unlink(path);
    rmdir(folder);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("hints/hints");
    UNIT_ADD_TABLE(tests, names_in_them_are_made_harmless, named);
    UNIT_ADD_TABLE(tests, waits_for_a_cpu_are_explained, queued);
    UNIT_ADD_TABLE(tests, hints_are_those_of_the_table, runs);
    UNIT_ADD_TABLE(tests, generated_code_that_calls_the_rest, calling);
    UNIT_ADD_TABLE(tests, few_samples_tell_little, fews);
    tcase_add_test(tests, long_recordings_may_be_longer);
    tcase_add_test(tests, threads_with_priority_are_reported);
    UNIT_ADD_TABLE(tests, waiting_suggests_the_wall_clock, clocks);
    UNIT_ADD_TABLE(tests, many_programs_have_command_lines, execs);
    UNIT_ADD_TABLE(tests, ranks_of_other_machines_are_reported, launched);
    tcase_add_test(tests, ranks_that_were_left_out_are_not_elsewhere);
    UNIT_ADD_TABLE(tests, launchers_of_daemons_are_reported, remote);
    tcase_add_test(tests, three_hints_are_enough);
    tcase_add_test(tests, nothing_is_said_without_need);
    tcase_add_test(tests, known_names_need_no_hint);
    return unit_end();
}
