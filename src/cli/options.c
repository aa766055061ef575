/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include "doctor/attach_search.h"
#include "cli/filter_options.h"
#include "cli/getopt_error.h"
#include "cli/impose_option.h"
#include "text/limit_options.h"
#include "cli/system_option.h"
#include "model/rate.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HIGHEST_RATE = 20000, LONGEST_SECONDS = 100000000, HIGHEST_HZ = 10000 };
enum { LEAST_STACK = 1024, DEFAULT_STACK = 65536, DEFAULT_DEEPEST = 1048576, MOST_STACK = 4194304 };

static const char help[] =
    "Usage: ptprofil [record] [OPTIONS] [--] CMD [ARG...]\n"
    "       ptprofil [record] [OPTIONS] -p PID[,PID...]\n"
    "       ptprofil report [OPTIONS] FILE...\n"
    "       ptprofil top [OPTIONS] -p PID[,PID...] | [--] CMD [ARG...]\n"
    "       ptprofil semantics [SYSTEM]\n"
    "       ptprofil doctor [-p PID]\n"
    "       ptprofil help [COMMAND], ptprofil version\n"
    "\n"
    "Runs CMD and shows where its CPU time went, and that of everything it starts. Needs no root, no kernel\n"
    "module and no recompilation. The profile goes to standard error when CMD ends; CMD's own output and exit\n"
    "status are its own.\n"
    "\n"
    "  -p, --pid=PID[,PID...]  profile processes that run already, with all that they have started, until they end,\n"
    "                          Ctrl-C, or --duration is over; 'a*' is all processes called so\n"
    "      --name=NAME         the same for all processes of that name, which may be a pattern ('php-fpm*')\n"
    "      --cgroup=PATH       the same for all processes of a control group\n"
    "      --container=ID      the same for all processes of a container\n"
    "  -F, --rate=HZ           samples a second of CPU time, 1 to 20000; also --freq=HZ. auto (default): 1000 Hz for\n"
    "                          the first 0.3 s of CPU time, 200 Hz up to 10 s, 100 Hz up to a minute, then 50 Hz\n"
    "      --clock=CLOCK       which time is sampled: cpu (default), or wall: threads that wait are sampled, too,\n"
    "                          without being stopped\n"
    "  -d, --duration=SEC      sample for SEC seconds; then let CMD run on, and wait for it\n"
    "      --delay=TIME        begin to sample after TIME (3s, 250ms, 1.5m); 'forever': once --toggle or --control\n"
    "                          says so\n"
    "      --toggle=SIGNAL     switch sampling off, and on again, at each SIGNAL (USR1, USR2, RTMIN+1 ...) that\n"
    "                          ptprofil gets\n"
    "      --control=FIFO      read commands from FIFO, which is made if it is missing, or from fd:N, one a line:\n"
    "                          on, off, mark TEXT, end\n"
    "  -o, --output=FILE       write the profile to FILE, in the format of its ending: .txt (flat), .tree,\n"
    "                          .folded, .pb.gz (pprof: for later, 'ptprofil report' reads it), .html (flame\n"
    "                          graph), .speedscope.json, .json.gz (Firefox Profiler), .callgrind or callgrind.out*,\n"
    "                          .json and .csv (for programs), .perf (as perf script prints samples),\n"
    "                          .annotate (with --annotate), .gmon (one file for the main program, FILE.NAME for each\n"
    "                          other object); may be repeated; '-' is standard output\n"
    "      --format=NAME       format of the next -o: flat, tree, folded, pprof, html, speedscope, firefox,\n"
    "                          callgrind, json, csv, perf-script, annotate, gmon\n"
    "      --by=WHAT           rows of the flat profile: function (default), module, process, program, command\n"
    "                          (line of each exec), thread, line, syscall\n"
    "      --sort=TIME         order of its rows: by self (default), or by total, that with what it called\n"
    "  -n, --rows=ROWS         its most rows, or 'all' (default: what the terminal holds, 40 without one, and all\n"
    "                          in files)\n"
    "      --names=FORM        names of functions, short (without the arguments of templates and parameters) or full:\n"
    "                          by default short in flat, tree, annotate, html and speedscope, full in other formats\n"
    "      --no-inlines        no inlined calls: their time is that of the function that they were inlined into\n"
    "      --focus=REGEX, --ignore=REGEX, --comm=NAME, --module=NAME, --tid=TID[,TID...], --between=FROM..TO\n"
    "                          of the profile only what fits, as for 'ptprofil report', whose help tells more\n"
    "      --calls=WHEN        serve profil, sprofil and pcsample: auto (default), on (the C library's own in every\n"
    "                          program, not only in those that refer to them), off\n"
    "      --semantics=SYSTEM  whose rules they follow: linux (default), freebsd, freebsd:built, irix, darwin,\n"
    "                          darwin:classic, illumos; 'ptprofil semantics' prints the rules\n"
    "      --hz=N              their ticks a second of CPU time, 1 to 10000 (default: sysconf(_SC_CLK_TCK))\n"
    "      --impose=profil[:OFFSET,SIZE,SCALE], --impose=pcsample:N\n"
    "                          call profil (by default over the whole program) or pcsample on behalf of programs\n"
    "                          that do not call it\n"
    "      --impose-output=FILE  what the imposed call leaves: for gprof, or the array of PCs and FILE.txt\n"
    "      --stacks=HOW        how stacks are unwound: dwarf (default; by unwind tables), fp (frame pointers), none\n"
    "      --stack-bytes=N     most of a stack that is copied, 1024 to 4194304 (default: 65536, and up to\n"
    "                          1048576 where they prove deeper)\n"
    "      --bottom-up         trees begin where the time was spent, not where threads began\n"
    "      --callers=REGEX, --callees=REGEX\n"
    "                          a tree of who called the functions that match, of what they called\n"
    "      --annotate=FUNCTION  its source, line by line with shares of the time, and its instructions\n"
    "      --sysroot=DIR       where --annotate finds the files of a container or an image: below DIR\n"
    "      --min=PERCENT       leave out what is smaller: branches of a tree (default on the screen: 1), rows,\n"
    "                          lines of the source\n"
    "      --fail-if='REGEX > 5%'  end with status 1, unless CMD failed, if functions that match, with what they\n"
    "                          call, have more than 5 % of the time, and say so; 'self:REGEX > 5%': without what\n"
    "                          they call\n"
    "      --no-follow         sample CMD or PID alone, not what it starts or has started\n"
    "      --wait              wait for daemons that outlive CMD, too\n"
    "      --max-overhead=PCT  slow down when stops take more of CMD's running time than this (default 25);\n"
    "                          'off': never\n"
    "      --max-memory=SIZE   keep fewer frames of new stacks when they take more than this (default 256M);\n"
    "                          'off': never\n"
    "  -q, --quiet             no profile on standard error\n"
    "  -v, --verbose           say what is being done, and how well: samples of those due, what a stop takes\n"
    "  -V, --version           print the version, and which libraries it was built with\n"
    "  -h, --help              print this text\n"
    "\n"
    "Options end where CMD begins: what follows is CMD's. Write '--' before CMD if it is named like an option or\n"
    "one of ptprofil's commands.\n"
    "\n"
    "Exit status: CMD's; 1 if that is 0 and --fail-if found something; 125 if ptprofil itself failed, 126 if\n"
    "CMD cannot be executed, 127 if it is not found.\n"
    "ptprofil(1) tells the rest.\n";

void options_fini(struct options *options)
{
    output_options_fini(&options->output);
    filter_fini(&options->filter);
    attach_fini(&options->targets);
    report_options_fini(&options->report);
}

static int parse_rate(struct options *options, const char *text, struct error *error)
{
    options->rate = RATE_AUTO;
    if (!strcmp(text, "auto"))
        return 0;
    return limit_whole("-F, --rate", text, 1, HIGHEST_RATE, " (samples a second of CPU time), nor 'auto'",
                       &options->rate, error);
}

static int parse_duration(struct options *options, const char *text, struct error *error)
{
    char *end;
    errno = 0;
    double seconds = strtod(text, &end);
    if (errno || end == text || *end || strspn(text, "0123456789.") != strlen(text) || seconds < 0.001 ||
        seconds > LONGEST_SECONDS)
        return error_set(error, EINVAL, "-d, --duration: '%s' is not a number of seconds from 0.001 to %d", text,
                         LONGEST_SECONDS);
    options->duration_ns = (uint64_t)(seconds * 1e9);
    return 0;
}

static int parse_stacks(struct options *options, const char *text, struct error *error)
{
    static const char *const names[] = {
        [STACKS_NONE] = "none", [STACKS_FRAME_POINTERS] = "fp", [STACKS_DWARF] = "dwarf"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(text, names[i])) {
            options->stacks = (enum stacks_mode)i;
            if (options->stacks == STACKS_DWARF && !unwind_has_dwarf())
                return error_set(error, EINVAL, "--stacks=dwarf: this ptprofil was built without libunwind; use fp");
            return 0;
        }
    return error_set(error, EINVAL, "--stacks: '%s' is not one of dwarf, fp, none", text);
}

static int parse_stack_bytes(struct options *options, const char *text, struct error *error)
{
    int result =
        limit_whole("--stack-bytes", text, LEAST_STACK, MOST_STACK, ": bytes of a stack", &options->stack_bytes, error);
    options->stack_deepest = options->stack_bytes;
    return result;
}

static int parse_clock(struct options *options, const char *text, struct error *error)
{
    options->wall = !strcmp(text, "wall");
    if (options->wall || !strcmp(text, "cpu"))
        return 0;
    return error_set(error, EINVAL, "--clock: '%s' is not one of cpu, wall", text);
}

static int parse_calls(struct options *options, const char *text, struct error *error)
{
    static const char *const names[] = {[CALLS_OFF] = "off", [CALLS_AUTO] = "auto", [CALLS_ON] = "on"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(text, names[i])) {
            options->calls = (enum calls_mode)i;
            options->calls_given = true;
            return 0;
        }
    return error_set(error, EINVAL, "--calls: '%s' is not one of auto, on, off", text);
}

static const char short_options[] = "+:" OUTPUT_SHORT_OPTIONS "F:d:p:qvVh";

static const struct option long_options[] = {
    SAMPLING_OPTIONS,
    OUTPUT_OPTIONS,
    FILTER_OPTIONS,
    SWITCH_OPTIONS,
    {"calls", required_argument, NULL, OPTION_CALLS},
    {"semantics", required_argument, NULL, OPTION_SEMANTICS},
    {"hz", required_argument, NULL, OPTION_HZ},
    {"impose", required_argument, NULL, OPTION_IMPOSE},
    {"impose-output", required_argument, NULL, OPTION_IMPOSE_OUTPUT},
    {"wait", no_argument, NULL, OPTION_WAIT},
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    {"version", no_argument, NULL, 'V'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

const struct getopt_set options_set = {"ptprofil", short_options, long_options};

int options_take(struct options *options, int option, char **argv, const struct getopt_set *set, struct error *error)
{
    if (output_options_has(option))
        return output_options_take(&options->output, option, optarg, error);
    if (switch_options_has(option))
        return switch_options_take(&options->switching, option, optarg, error);
    if (filter_options_has(option))
        return filter_options_take(&options->filter, option, optarg, error);
    switch (option) {
    case 'F':
        return parse_rate(options, optarg, error);
    case 'd':
        return parse_duration(options, optarg, error);
    case 'p':
        return attach_add_pids(&options->targets, optarg, error);
    case OPTION_NAME:
        return attach_search_name(&options->targets, "--name", optarg, error);
    case OPTION_CGROUP:
        return attach_search_cgroup(&options->targets, optarg, error);
    case OPTION_CONTAINER:
        return attach_search_container(&options->targets, optarg, error);
    case OPTION_STACKS:
        return parse_stacks(options, optarg, error);
    case OPTION_STACK_BYTES:
        return parse_stack_bytes(options, optarg, error);
    case OPTION_CLOCK:
        return parse_clock(options, optarg, error);
    case OPTION_CALLS:
        return parse_calls(options, optarg, error);
    case OPTION_SEMANTICS:
        return system_option_parse(&options->semantics, "--semantics", optarg, false, error);
    case OPTION_HZ:
        return limit_whole("--hz", optarg, 1, HIGHEST_HZ, ": ticks of the calls a second of CPU time", &options->hz,
                           error);
    case OPTION_IMPOSE:
        return impose_option_parse(&options->impose, optarg, error);
    case OPTION_IMPOSE_OUTPUT:
        options->impose_output = optarg;
        return 0;
    case OPTION_NO_FOLLOW:
        options->follow = false;
        return 0;
    case OPTION_WAIT:
        options->wait = true;
        return 0;
    case OPTION_OVERHEAD:
        return limit_overhead(&options->max_overhead, optarg, error);
    case OPTION_MEMORY:
        return limit_memory(&options->max_memory, optarg, error);
    case 'q':
        options->quiet = true;
        return 0;
    case 'v':
        options->verbose++;
        options->output.verbose = true;
        return 0;
    case 'V':
        options->action = OPTIONS_VERSION;
        return 0;
    case 'h':
        options->action = OPTIONS_HELP;
        return 0;
    default:
        return getopt_error(option, argv, set, set == &options_set ? &report_options_set : &options_set, error);
    }
}

static int check_targets(struct options *options, int argc, char **argv, struct error *error)
{
    if (optind < argc)
        return error_set(error, EINVAL,
                         "either processes to attach (-p, --name, --cgroup, --container) or a command ('%s'), not both",
                         argv[optind]);
    if (!options->calls_given)
        options->calls = CALLS_OFF;
    return 0;
}

int options_take_command(struct options *options, int argc, char **argv, struct error *error)
{
    if (options->targets.count)
        return check_targets(options, argc, argv, error);
    if (optind >= argc)
        return error_set(error, EINVAL, "no command to run; say: ptprofil [OPTIONS] [--] CMD [ARG...], or -p PID");
    if (!*argv[optind])
        return error_set(error, EINVAL, "the command is empty");
    options->command = argv + optind;
    options->bare = strcmp(argv[optind - 1], "--") != 0;
    return 0;
}

int options_parse_record(struct options *options, int argc, char **argv, struct error *error)
{
    int option;

    opterr = 0;
    while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
        int result = options_take(options, option, argv, &options_set, error);
        if (result < 0)
            return result;
        if (options->action != OPTIONS_RUN)
            return 0;
    }
    if (output_options_check(&options->output, options->quiet ? OUTPUT_NO_SCREEN : OUTPUT_STANDARD_ERROR, error) < 0)
        return -EINVAL;
    if (switch_options_check(&options->switching, error) < 0)
        return -EINVAL;
    if (options->targets.count && options->impose.kind != CALL_NONE)
        return error_set(error, EINVAL, "--impose needs a command, not -p");
    int result = impose_option_check(&options->impose, options->impose_output, options->semantics, error);
    return result < 0 ? result : options_take_command(options, argc, argv, error);
}

void options_begin(struct options *options)
{
    memset(options, 0, sizeof *options);
    options->help = help;
    options->rate = RATE_AUTO;
    options->max_overhead = LIMIT_OVERHEAD;
    options->max_memory = LIMIT_MEMORY;
    options->follow = true;
    options->stacks = unwind_has_dwarf() ? STACKS_DWARF : STACKS_FRAME_POINTERS;
    options->stack_bytes = DEFAULT_STACK;
    options->stack_deepest = DEFAULT_DEEPEST;
    options->calls = CALLS_AUTO;
    options->semantics = &semantics_systems[0];
    options->hz = (uint32_t)sysconf(_SC_CLK_TCK);
}
