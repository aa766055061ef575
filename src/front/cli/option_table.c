/* SPDX-License-Identifier: MIT
 *
 * All options. --help=all prints them in this order within each group. */
#include "front/cli/option_row.h"

#include "common/base/cpus.h"
#include "front/cli/options.h"

#define OPTION(name_, letter_, argument_, commands_, group_)                                                           \
    .name = (name_), .letter = (letter_), .argument = (argument_), .commands = (commands_), .group = (group_)
#define AT(member) .at = offsetof(struct options, member)
#define FLAG(member) .take = option_set_flag, AT(member)
#define TEXT(member) .take = option_set_text, AT(member)
#define CHOICE(member, first) .take = option_set_choice, AT(member), .low = (first)
#define NUMBER(member, low_, high_, unit_)                                                                             \
    .take = option_set_number, AT(member), .low = (low_), .high = (high_), .unit = (unit_)

enum {
    RUNS = COMMAND_RECORD | COMMAND_TOP,
    WRITES = COMMAND_RECORD | COMMAND_REPORT,
    SHOWS = COMMAND_RECORD | COMMAND_REPORT | COMMAND_TOP,
};

const struct option_row option_table[] = {
    {OPTION("--pid", 'p', "PID[,PID...]", RUNS, GROUP_PROCESSES), .words = WORDS_PIDS, .take = options_take_pid,
     .brief = "profile running processes and their descendants",
     .help =
         "Profile running processes and their descendants until they exit, you press Ctrl-C, or --duration is over. "
         "'a*' matches processes by name."},
    {OPTION("--pid", 'p', "PID", COMMAND_DOCTOR, GROUP_PROCESSES), .words = WORDS_PIDS, .take = options_take_pid,
     .help = "Also check whether this process can be profiled."},
    {OPTION("--name", 0, "NAME", RUNS, GROUP_PROCESSES), .words = WORDS_NAMES, .take = options_take_name,
     .help = "Profile all processes with this name, or whose interpreter runs a script with this name. NAME can be a "
             "pattern, such as 'php-fpm*'. Processes of other users are left out."},
    {OPTION("--cgroup", 0, "PATH", RUNS, GROUP_PROCESSES), .words = WORDS_CGROUPS, .take = options_take_cgroup,
     .help = "Profile all processes of a control group."},
    {OPTION("--container", 0, "ID", RUNS, GROUP_PROCESSES), .words = WORDS_CONTAINERS, .take = options_take_container,
     .help = "Profile all processes of a container."},
    {OPTION("--pid", 'p', "PID[,PID...]", COMMAND_DUMP, GROUP_PROCESSES), .words = WORDS_PIDS, .take = options_take_pid,
     .brief = "processes to show", .help = "Show these processes. 'a*' matches processes by name."},
    {OPTION("--name", 0, "NAME", COMMAND_DUMP, GROUP_PROCESSES), .words = WORDS_NAMES, .take = options_take_name,
     .brief = "all processes with this name",
     .help = "Show all processes with this name, or whose interpreter runs a script with this name. NAME can be a "
             "pattern, such as 'php-fpm*'."},
    {OPTION("--cgroup", 0, "PATH", COMMAND_DUMP, GROUP_PROCESSES), .words = WORDS_CGROUPS, .take = options_take_cgroup,
     .help = "Show all processes of a control group."},
    {OPTION("--container", 0, "ID", COMMAND_DUMP, GROUP_PROCESSES), .words = WORDS_CONTAINERS,
     .take = options_take_container, .help = "Show all processes of a container."},
    {OPTION("--no-follow", 0, NULL, RUNS, GROUP_PROCESSES), .take = option_clear_flag, AT(session.follow),
     .help = "Profile CMD or PID alone, without the processes that it starts or has started."},
    {OPTION("--only-ranks", 0, "LIST", COMMAND_RECORD, GROUP_PROCESSES), .take = options_take_only_ranks,
     .help =
         "Profile these ranks of a parallel job, as in 0,7,100-131. Other ranks run CMD at once, without ptprofil."},
    {OPTION("--wait", 0, NULL, COMMAND_RECORD, GROUP_PROCESSES), FLAG(session.wait),
     .help =
         "With --name, --cgroup or --container: also profile processes that start later, until Ctrl-C or the end of "
         "--duration. With CMD: also wait for daemons that outlive it."},
    {OPTION("--rate", 'F', "HZ", RUNS, GROUP_SAMPLING), .also = "--freq", .values = "auto 100 1000 5000",
     .take = options_take_rate, .brief = "samples per second of CPU time (default: auto)",
     .help = "Take HZ samples per second of CPU time, 1 to 20000. The default is auto: 1000 Hz in the first 0.3 s of "
             "CPU time, 200 Hz up to 10 s, 100 Hz up to a minute, then 50 Hz. --freq=HZ does the same."},
    {OPTION("--repeat", 0, "N", COMMAND_DUMP, GROUP_SAMPLING), .values = "2 3 10",
     NUMBER(dump.repeat, 1, 1000, ": dumps"), .brief = "make N dumps, and show what has run in between",
     .help = "Make N dumps. From the second one on, show the CPU time of each thread since the dump before."},
    {OPTION("--duration", 'd', "TIME", RUNS, GROUP_SAMPLING), .values = "5s 10s 30s 1m", .take = options_take_duration,
     .brief = "sample for TIME, such as 30s or 1m",
     .help = "Sample for TIME (10s, 1m, 500ms; without unit: seconds). CMD then runs on, and ptprofil waits for it."},
    {OPTION("--every", 0, "TIME", COMMAND_RECORD, GROUP_SAMPLING), .values = "10s 1m 10m", .take = options_take_every,
     .help = "Write a profile of each interval of this length (10s, 1m): -o needs %t in its names. Prints no profile."},
    {OPTION("--duty", 0, "TIME/PERIOD", COMMAND_RECORD, GROUP_SAMPLING), .values = "10s/60s 1m/10m",
     .take = options_take_duty,
     .help =
         "Attach for TIME of each PERIOD (10s/60s), and write or send a profile of it. In between, the processes are "
         "not traced."},
    {OPTION("--clock", 0, "CLOCK", RUNS, GROUP_SAMPLING), .values = "cpu wall", .take = options_take_clock,
     .brief = "'wall' also samples threads that wait",
     .help = "Which time to sample: {} (default: cpu). 'wall' also samples threads that wait, without stopping them."},
    {OPTION("--stacks", 0, "HOW", RUNS | COMMAND_DUMP, GROUP_SAMPLING), .values = "none fp dwarf",
     .take = options_take_stacks, AT(session.stacks), .low = STACKS_NONE,
     .help = "How to unwind stacks: {} (default: dwarf, by unwind tables; fp: by frame pointers)."},
    {OPTION("--interpreter", 0, "HOW", RUNS | COMMAND_DUMP, GROUP_SAMPLING), .values = "merge both off",
     .take = option_set_choice, AT(session.interpreter), .low = MERGE_LANGUAGE,
     .help = "How to show functions of Python, Perl, Ruby and PHP: {} (default: merge, in the place of the "
             "interpreter's own functions; both: beside them)."},
    {OPTION("--stack-bytes", 0, "N", RUNS | COMMAND_DUMP, GROUP_SAMPLING),
     .values = "16384 65536 262144 1048576 4194304", .take = options_take_stack_bytes,
     .help = "Copy at most N bytes of a stack, 1024 to 4194304 (default: 65536, and up to 1048576 for deeper stacks)."},
    {OPTION("--delay", 0, "TIME", COMMAND_RECORD, GROUP_SAMPLING), .values = "1s 10s 1m forever",
     .take = switch_take_delay,
     .help = "Start sampling after TIME (3s, 250ms, 1.5m), or with 'forever' when --toggle or --control says so."},
    {OPTION("--toggle", 0, "SIGNAL", COMMAND_RECORD, GROUP_SAMPLING), .values = "USR1 USR2 RTMIN",
     .take = switch_take_toggle,
     .help = "Switch sampling off or on each time ptprofil gets SIGNAL (USR1, USR2, RTMIN+1 ...)."},
    {OPTION("--control", 0, "FIFO", COMMAND_RECORD, GROUP_SAMPLING), .words = WORDS_FILES, .take = switch_take_control,
     .help =
         "Read commands from FIFO, one a line: on, off, mark TEXT, end. ptprofil makes a FIFO that is missing; fd:N "
         "is an open descriptor."},
    {OPTION("--own-cpus", 0, "LIST", RUNS, GROUP_SAMPLING), .values = CPUS_INHERIT, .take = options_take_own_cpus,
     .help = "CPUs that ptprofil itself uses, as in 0-3,7, or 'inherit': those it was given (default: all of its "
             "cpuset, except "
             "isolated ones)."},
    {OPTION("--max-overhead", 0, "PCT", RUNS, GROUP_SAMPLING), .values = "5 10 25 50 off",
     .take = options_take_overhead,
     .help = "Lower the rate when stops take more than PCT percent of the running time (default 25; 'off': never)."},
    {OPTION("--max-memory", 0, "SIZE", RUNS, GROUP_SAMPLING), .values = "64M 256M 1G off", .take = options_take_memory,
     .help = "Shorten new stacks when stacks take more memory than SIZE (default 256M; 'off': never)."},
    {OPTION("--output", 'o', "FILE", WRITES, GROUP_OUTPUT), .words = WORDS_ENDINGS, .take = output_take_output,
     .brief = "write FILE in the format of its ending: .html ...",
     .help = "Write the profile to FILE, in the format of its ending: {}. Can be repeated; '-' is standard output."},
    {OPTION("--format", 0, "NAME", WRITES, GROUP_OUTPUT), .words = WORDS_FORMATS, .take = output_take_format,
     .brief = "format of -o, or of what is printed: flat, tree ...",
     .help = "Format of the next -o, or of the one before if only that lacks one: {}."},
    {OPTION("--open", 0, NULL, WRITES, GROUP_OUTPUT), FLAG(output.open),
     .help = "Show the page of -o FILE.html, or without it a temporary one, in the browser ($BROWSER or xdg-open)."},
    {OPTION("--format", 0, "NAME", COMMAND_DUMP, GROUP_OUTPUT), .values = "text json", CHOICE(dump.format, DUMP_TEXT),
     .brief = "text, or json for programs", .help = "How to write the dump: {} (default: text)."},
    {OPTION("--sort", 0, "ORDER", COMMAND_DUMP, GROUP_OUTPUT), .values = "tid running waiting",
     CHOICE(dump.sort, DUMP_BY_TID), .brief = "running or waiting: such threads first",
     .help = "Order of the threads of a process: {} (default: tid, by number; running or waiting: these first)."},
    {OPTION("--push", 0, "URL", COMMAND_RECORD, GROUP_OUTPUT),
     .values = "pyroscope+http://localhost:4040 parca+http://localhost:7070 otlp+http://localhost:4318 "
               "clickhouse+http://localhost:8123/default",
     .take = options_take_push,
     .help = "Send the profile of each interval (--every, by default 15s) to a server: pyroscope+http://HOST:4040, "
             "parca+http://HOST:7070, otlp+http://HOST:4318, clickhouse+http://HOST:8123/DATABASE; +https or "
             "+unix:/SOCKET. Can be repeated."},
    {OPTION("--push-label", 0, "NAME=VALUE", COMMAND_RECORD, GROUP_OUTPUT), .take = options_take_label,
     .help = "Add a label to profiles that are sent, such as service_name=shop. Can be repeated."},
    {OPTION("--push-headers", 0, "FILE", COMMAND_RECORD | COMMAND_REPORT, GROUP_OUTPUT), .words = WORDS_FILES,
     TEXT(intervals.push.headers),
     .help = "Send the lines of FILE as headers of each request, such as 'Authorization: Bearer ...'."},
    {OPTION("--quiet", 'q', NULL, WRITES, GROUP_OUTPUT), FLAG(session.quiet), .brief = "print no profile",
     .help = "Print no profile (record: on standard error; report: on standard output)."},
    {OPTION("--command-output", 0, "FILE", COMMAND_TOP, GROUP_OUTPUT), .words = WORDS_FILES, TEXT(top.command_output),
     .help = "Write CMD's standard output and error to FILE. By default, what CMD would write to the terminal is lost "
             "while the screen is in use."},
    {OPTION("--by", 0, "WHAT", WRITES, GROUP_TABLES),
     .values = "function module process program command thread line file syscall rank mpi", .take = output_take_by,
     .at = offsetof(struct options, output.by), .low = REPORT_BY_FUNCTION,
     .brief = "rows of the table: function, module, thread, line ...",
     .help = "Rows of the flat profile: {} (default: function)."},
    {OPTION("--by", 0, "WHAT", COMMAND_TOP, GROUP_TABLES), .values = "function thread process waiting",
     CHOICE(top.by, VIEW_FUNCTIONS), .brief = "what to show first: function, thread, process, waiting",
     .help = "What to show first: {} (default: function, with --clock=wall waiting)."},
    {OPTION("--interval", 0, "TIME", COMMAND_TOP, GROUP_TABLES), .values = "1s 2s 5s 10s 20s 30s 1m",
     .take = top_take_interval, .brief = "how much recent time to show (default 5s)",
     .help = "Show this much recent time, 1s to 60s in whole seconds (default 5s), beside the whole time. Without a "
             "terminal, print a table this often."},
    {OPTION("--interval", 0, "TIME", COMMAND_DUMP, GROUP_SAMPLING), .values = "100ms 1s 10s",
     .take = dump_take_interval, .help = "Time between two dumps (default: 1s)."},
    {OPTION("--sort", 0, "TIME", WRITES, GROUP_TABLES), .values = "self total imbalance",
     CHOICE(output.sort, REPORT_SORT_SELF),
     .help = "Sort rows by time: {} (default: self). Total time includes callees; imbalance is for --spread."},
    {OPTION("--sort", 0, "TIME", COMMAND_TOP, GROUP_TABLES), .values = "self total",
     CHOICE(output.sort, REPORT_SORT_SELF),
     .help = "Sort rows by time: {} (default: self). Total time includes callees."},
    {OPTION("--rows", 'n', "ROWS", SHOWS, GROUP_TABLES), .values = "20 100 all", .take = output_take_rows,
     .help =
         "Show at most ROWS rows, or 'all'. By default as many as fit the terminal, 40 (top: 20) without a terminal, "
         "and all in files."},
    {OPTION("--names", 0, "FORM", SHOWS, GROUP_TABLES), .values = "short full",
     CHOICE(output.names, REPORT_NAMES_SHORT),
     .help = "How to print names of functions: {}. Short names lack parameters and template arguments; they are the "
             "default in formats for people."},
    {OPTION("--unsampled", 0, "HOW", WRITES, GROUP_TABLES), .values = "estimate separate",
     CHOICE(output.unsampled, OUTPUT_ESTIMATE),
     .help = "How to show time without a sample, of short processes and ends of threads: {} (default: estimate, where "
             "other samples of the program are; separate: as [unsampled])."},
    {OPTION("--spread", 0, NULL, WRITES, GROUP_TABLES), FLAG(output.spread),
     .help = "Show how the ranks of a parallel job differ: for each row the mean, least, median and largest time of a "
             "rank."},
    {OPTION("--idle", 0, NULL, WRITES, GROUP_TABLES), FLAG(output.idle),
     .help = "Show the stacks of idle threads, too. By default, threads of a pool that wait at one place nearly all of "
             "their "
             "time are one row, [idle threads]."},
    {OPTION("--no-inlines", 0, NULL, WRITES, GROUP_TABLES), FLAG(output.no_inlines),
     .help = "Count an inlined call as part of the function that it was inlined into."},
    {OPTION("--min", 0, "PERCENT", WRITES, GROUP_TABLES), .values = "0 1 5", .take = output_take_min,
     .help =
         "Leave out branches of a tree, rows and source lines with a smaller share (default on the screen for trees: "
         "1)."},
    {OPTION("--bottom-up", 0, NULL, WRITES, GROUP_TABLES), FLAG(output.bottom_up),
     .help = "Print trees from where the time was spent up to the callers."},
    {OPTION("--callers", 0, "REGEX", WRITES, GROUP_TABLES), .take = output_take_pattern, AT(output.callers),
     .help = "Print a tree of the callers of the functions that match."},
    {OPTION("--callees", 0, "REGEX", WRITES, GROUP_TABLES), .take = output_take_pattern, AT(output.callees),
     .help = "Print a tree of what the functions that match call."},
    {OPTION("--annotate", 0, "FUNCTION", WRITES, GROUP_TABLES), .take = output_take_pattern, AT(output.annotate),
     .help = "Print the source and the instructions of FUNCTION, with the time of each line. FUNCTION is a name or a "
             "regular expression: the hottest match is shown, and more with -n ROWS."},
    {OPTION("--sysroot", 0, "DIR", WRITES, GROUP_TABLES), .words = WORDS_FOLDERS, .take = output_take_sysroot,
     .help = "Let --annotate look for files below DIR, as for a container or an image."},
    {OPTION("--focus", 0, "REGEX", WRITES, GROUP_FILTERS), .take = filter_take_pattern, AT(output.filter.focus),
     .help = "Samples with a function on the stack that matches the extended regular expression."},
    {OPTION("--ignore", 0, "REGEX", WRITES, GROUP_FILTERS), .take = filter_take_pattern, AT(output.filter.ignore),
     .help = "Samples without such a function."},
    {OPTION("--pid", 0, "PID[,PID...]", COMMAND_REPORT, GROUP_FILTERS), .take = filter_take_number,
     AT(output.filter.pids), .help = "Samples of these processes."},
    {OPTION("--tid", 0, "TID[,TID...]", WRITES, GROUP_FILTERS), .take = filter_take_number, AT(output.filter.tids),
     .help = "Samples of these threads."},
    {OPTION("--comm", 0, "NAME", WRITES, GROUP_FILTERS), .words = WORDS_NAMES, .take = filter_take_name,
     AT(output.filter.comms),
     .help = "Samples of a process or thread with this name, which can be a pattern ('pool-*')."},
    {OPTION("--rank", 0, "LIST", WRITES, GROUP_FILTERS), .take = filter_take_ranks, AT(output.filter.ranks),
     .help = "Samples of these ranks of a parallel job, as in 0,7,100-131."},
    {OPTION("--module", 0, "NAME", WRITES, GROUP_FILTERS), .values = "[kernel]", .take = filter_take_name,
     AT(output.filter.modules),
     .help = "Samples of code in this file (a path, its last part, or a pattern), or of system calls ([kernel])."},
    {OPTION("--between", 0, "FROM..TO", WRITES, GROUP_FILTERS), .take = filter_take_between,
     .help = "Samples taken between two times since the beginning (3s..5s, 1.5m..) or marks, and the part of waits "
             "there."},
    {OPTION("--interactive", 'i', NULL, COMMAND_REPORT, GROUP_TABLES), FLAG(report.interactive),
     .brief = "walk through the profile on a full screen",
     .help = "Walk through the profile on a full screen: callers, callees, source, a filter. The keys are those of "
             "ptprofil top; ? shows them."},
    {OPTION("--diff", 0, "BASE", COMMAND_REPORT, GROUP_LIMITS), .words = WORDS_FILES, .take = report_take_diff,
     .brief = "compare with the stored profile BASE",
     .help = "Compare with the stored profile BASE. Only some formats can show that."},
    {OPTION("--fail-if", 0, "'REGEX > 5%'", WRITES, GROUP_LIMITS), .take = output_take_fail_if,
     .help = "End with status 1 if matching functions and their callees have more than 5 % of the time ('<': less). "
             "'self:REGEX > 5%' leaves out callees. Status 2: no function matches. A command that fails keeps its own "
             "status."},
    {OPTION("--fail-if-diff", 0, "'REGEX > +10%'", COMMAND_REPORT, GROUP_LIMITS), .take = report_take_fail_if_diff,
     .help = "The same if they have 10 % more time than in BASE."},
    {OPTION("--calls", 0, "WHEN", COMMAND_RECORD, GROUP_CALLS), .values = "off auto on", .take = options_take_calls,
     AT(session.calls), .low = CALLS_OFF,
     .help = "Emulate profil, sprofil and pcsample: {} (default: auto, only in programs that refer to them; on: in "
             "every program)."},
    {OPTION("--semantics", 0, "SYSTEM", COMMAND_RECORD, GROUP_CALLS), .words = WORDS_SYSTEMS,
     .take = options_take_semantics,
     .help = "Whose rules these calls follow: {} (default: linux). 'ptprofil semantics' prints the rules."},
    {OPTION("--hz", 0, "N", COMMAND_RECORD, GROUP_CALLS), .values = "100 1000",
     NUMBER(session.hz, 1, OPTIONS_HIGHEST_HZ, ": ticks of the calls a second of CPU time"),
     .help = "Ticks of these calls per second of CPU time, 1 to 10000 (default: sysconf(_SC_CLK_TCK))."},
    {OPTION("--impose", 0, "CALL", COMMAND_RECORD, GROUP_CALLS), .values = "profil pcsample:1000",
     .take = options_take_impose,
     .help = "Make a call for programs that do not make it: profil (over the whole program), "
             "profil:OFFSET,SIZE,SCALE or pcsample:N."},
    {OPTION("--impose-output", 0, "FILE", COMMAND_RECORD, GROUP_CALLS), .words = WORDS_FILES,
     TEXT(session.impose_output),
     .help = "Write the result of that call to FILE: a file for gprof, or the array of PCs and FILE.txt."},
    {OPTION("--reader-user", 0, "USER", SHOWS, GROUP_GENERAL), .take = options_take_reader_user,
     .help = "As root, parse the files of programs as USER, a name or a number (default: nobody)."},
    {OPTION("--verbose", 'v', NULL, WRITES, GROUP_GENERAL), .take = options_take_verbose,
     .help = "Print more about the recording: samples taken of those due, and the cost of a stop."},
    {OPTION("--version", 'V', NULL, COMMAND_RECORD, GROUP_GENERAL), .take = options_take_version,
     .help = "Print the version and the libraries that ptprofil uses."},
    {OPTION("--help", 'h', "WHAT", COMMAND_ALL, GROUP_GENERAL), .optional = true, .values = "all list",
     .take = options_take_help,
     .help = "Print examples and common options. --help=all prints all options, --help=list a table for scripts."},
};

const size_t option_table_count = sizeof option_table / sizeof *option_table;
_Static_assert(sizeof option_table / sizeof *option_table <= OPTION_MOST_ROWS, "option_lists has too little room");
