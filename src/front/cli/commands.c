/* SPDX-License-Identifier: MIT */
#include "front/cli/commands.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/text/nearest.h"
#include "front/cli/manual.h"
#include "front/cli/options.h"

#include <errno.h>
#include <string.h>

static int finish_semantics(struct options *options, int argc, char **argv, struct error *error)
{
    if (optind + 1 < argc)
        return error_set(error, EINVAL, "semantics: one system at the most; say: ptprofil semantics [SYSTEM]");
    return optind < argc ? system_option_parse(&options->page, "semantics", argv[optind], true, error) : 0;
}

static int finish_doctor(struct options *options, int argc, char **argv, struct error *error)
{
    (void)options;
    if (optind < argc)
        return error_set(error, EINVAL, "doctor: unexpected argument '%s'; say: ptprofil doctor [-p PID]",
                         argv[optind]);
    return 0;
}

/* Names that need no quotes in any statement. */
static bool is_cluster(const char *name)
{
    return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];
}

static int finish_schema(struct options *options, int argc, char **argv, struct error *error)
{
    if (optind >= argc || optind + 2 < argc || strcmp(argv[optind], "clickhouse") != 0)
        return error_set(error, EINVAL, "schema: say: ptprofil schema clickhouse [CLUSTER]");
    options->cluster = optind + 1 < argc ? argv[optind + 1] : NULL;
    if (options->cluster && !is_cluster(options->cluster))
        return error_set(error, EINVAL, "schema: '%s' is not the name of a cluster: letters, digits, '_' and '-'",
                         options->cluster);
    return 0;
}

static int finish_version(struct options *options, int argc, char **argv, struct error *error)
{
    (void)options;
    return optind < argc ? error_set(error, EINVAL, "version: unexpected argument '%s'", argv[optind]) : 0;
}

static int unknown_topic(const struct subcommand *help, const char *topic, struct error *error)
{
    const struct option_row topics = {.words = help->words, .values = help->values};
    const char *page = manual_nearest(topic), *near = page ? page : commands_nearest(topic);
    struct buffer list = {0};
    buffer_puts(&list, "topics are ");
    option_list_values(&list, &topics, ", ");
    int result = nearest_refuse(error, "help: there is no topic", topic, "", near, &list);
    buffer_fini(&list);
    return result;
}

/* Shows the manual page about the argument, or the help of a command without a page. */
static int finish_help(struct options *options, int argc, char **argv, struct error *error)
{
    if (optind + 1 < argc)
        return error_set(error, EINVAL, "help: one topic at the most; say: ptprofil help [TOPIC]");
    options->topic = optind < argc ? commands_find(argv[optind]) : commands;
    options->manual = optind < argc ? manual_find(argv[optind]) : NULL;
    if (options->manual)
        options->action = OPTIONS_MANUAL;
    else if (!options->topic)
        return unknown_topic(options->own, argv[optind], error);
    else if (options->topic == options->own)
        options->topic = commands;
    return 0;
}

#define STATUS "125 if ptprofil itself failed, 126 if CMD cannot be executed, 127 if CMD is not found."

const struct subcommand commands[] = {
    {.name = "record",
     .page = "ptprofil",
     .called = "ptprofil",
     .bit = COMMAND_RECORD,
     .action = OPTIONS_RUN,
     .stops = true,
     .about = "profile a command or running processes",
     .examples = "  ptprofil make -j8                       run a command, then print a table\n"
                 "  ptprofil -o run.html ./server           write a flame graph for a browser\n"
                 "  ptprofil -d 10 -p 1234                  profile a running process for 10 s\n"
                 "  ptprofil --clock=wall -d 10 -p 1234     also show what its threads wait for\n"
                 "  ptprofil top --name='php-fpm*'          watch processes live\n"
                 "  ptprofil -o old.pb.gz ./a; ptprofil -o new.pb.gz ./b    store two profiles,\n"
                 "  ptprofil report --diff=old.pb.gz new.pb.gz              and compare them\n",
     .usage = "ptprofil [OPTIONS] [--] CMD [ARG...]\n"
              "       ptprofil [OPTIONS] -p PID[,PID...]\n"
              "       ptprofil report|top|dump|doctor|semantics|schema|help|version ...\n",
     .purpose = "Runs CMD, or attaches to running processes, and shows where they and their children spend CPU time. "
                "The profile goes to standard error when CMD ends. Needs no root, no kernel module and no "
                "recompilation.",
     .notes =
         "Options end where CMD begins. Write '--' before CMD if it is named like an option or a command of "
         "ptprofil or perf. 'ptprofil COMMAND --help' shows the options of other commands, and 'ptprofil help "
         "TOPIC' a page of the manual. "
         "Exit status: that of CMD; 1 if that is 0 and --fail-if found something, 2 if no function matches it; " STATUS,
     .finish = options_finish_record},
    {.name = "report",
     .page = "ptprofil-report",
     .called = "ptprofil report",
     .bit = COMMAND_REPORT,
     .action = OPTIONS_REPORT,
     .words = WORDS_FILES,
     .about = "show, convert, merge and compare stored profiles",
     .examples = "  ptprofil report run.pb.gz                          print a table\n"
                 "  ptprofil report --format=tree run.pb.gz            print a tree of calls\n"
                 "  ptprofil report --open run.pb.gz                   show it in the browser\n"
                 "  ptprofil report --diff=old.pb.gz new.pb.gz         compare two runs\n"
                 "  ptprofil report --focus=parse --by=line run.pb.gz  lines below a function\n",
     .usage = "ptprofil report [OPTIONS] FILE...\n",
     .purpose = "Shows stored profiles: files written by 'ptprofil -o FILE.pb.gz' or by other programs in the format "
                "of pprof, and the output of 'perf script'. Several files are merged. '-' is standard input. "
                "clickhouse+http://HOST:8123/DATABASE?service=NAME&from=-1h asks a server of --push.",
     .notes = "Exit status: 1 if --fail-if found something or nothing fits, 2 if no function matches --fail-if; 125 if "
              "ptprofil failed.",
     .finish = report_options_finish},
    {.name = "top",
     .page = "ptprofil-top",
     .called = "ptprofil top",
     .bit = COMMAND_TOP,
     .action = OPTIONS_TOP,
     .stops = true,
     .about = "show a profile while it is recorded",
     .examples = "  ptprofil top -p 1234                           watch a process\n"
                 "  ptprofil top --name='php-fpm*' --by=process    watch all workers\n"
                 "  ptprofil top --clock=wall --by=waiting -p 1234 watch what it waits for\n"
                 "  ptprofil top make -j8                          watch a command\n",
     .usage = "ptprofil top [OPTIONS] -p PID[,PID...]\n"
              "       ptprofil top [OPTIONS] [--] CMD [ARG...]\n",
     .purpose = "Shows on the whole screen where CPU time goes: in the last seconds, and since the beginning. Keys "
                "sort, filter, pause, look into callers and callees, and write the profile to a file; ? lists them. "
                "Without a terminal, a table is printed each interval: on standard output, with CMD on standard error.",
     .notes =
         "q leaves, and so does Ctrl-C with -p: the processes go on. With CMD, q ends profiling and ptprofil waits "
         "for CMD; Ctrl-C goes to CMD. Exit status: that of CMD, or 0; " STATUS,
     .begin = top_options_begin,
     .finish = top_options_finish},
    {.name = "dump",
     .page = "ptprofil-dump",
     .called = "ptprofil dump",
     .bit = COMMAND_DUMP,
     .action = OPTIONS_DUMP,
     .about = "print what every thread does now, to see why it hangs",
     .examples = "  ptprofil dump -p 1234                          print all stacks of a process\n"
                 "  ptprofil dump --sort=running --name='php-fpm*' running threads first\n"
                 "  ptprofil dump --repeat=3 -p 1234               show what has run in between\n"
                 "  ptprofil dump --format=json -p 1234            for programs\n",
     .usage = "ptprofil dump [OPTIONS] -p PID[,PID...]\n",
     .purpose = "Prints the stack of each thread, native and language functions in one, innermost first; its state, "
                "what it waits for, and which thread has that. Threads that wait are not stopped; others are, for as "
                "long as a sample.",
     .notes = "Exit status: 0; 125 if ptprofil failed.",
     .begin = dump_options_begin,
     .finish = dump_options_finish},
    {.name = "semantics",
     .called = "ptprofil semantics",
     .bit = COMMAND_SEMANTICS,
     .action = OPTIONS_SEMANTICS,
     .words = WORDS_SYSTEMS,
     .values = "pcsample",
     .about = "print the rules of the emulated calls",
     .examples = "  ptprofil semantics freebsd    how profil behaves with --semantics=freebsd\n",
     .usage = "ptprofil semantics [SYSTEM]\n",
     .purpose = "Prints the rules that profil, sprofil and pcsample follow under SYSTEM, or under all systems.",
     .finish = finish_semantics},
    {.name = "doctor",
     .called = "ptprofil doctor",
     .bit = COMMAND_DOCTOR,
     .action = OPTIONS_DOCTOR,
     .about = "check what can be profiled here",
     .examples = "  ptprofil doctor            check this machine\n"
                 "  ptprofil doctor -p 1234    also check whether a process can be profiled\n",
     .usage = "ptprofil doctor [-p PID]\n",
     .purpose = "Checks what can be profiled on this machine, and explains how to change what cannot.",
     .notes = "Exit status: 1 if something cannot be profiled.",
     .finish = finish_doctor},
    {.name = "schema",
     .called = "ptprofil schema",
     .bit = COMMAND_SCHEMA,
     .action = OPTIONS_SCHEMA,
     .values = "clickhouse",
     .about = "print the tables of a database for profiles",
     .examples = "  ptprofil schema clickhouse | clickhouse-client -n    make the tables\n",
     .usage = "ptprofil schema clickhouse [CLUSTER]\n",
     .purpose = "Prints the statements that make the tables for --push=clickhouse+http://HOST:8123/DATABASE: on one "
                "server, or on each server of CLUSTER, as remote_servers of its configuration calls it.",
     .finish = finish_schema},
    {.name = "help",
     .called = "ptprofil help",
     .bit = COMMAND_HELP,
     .action = OPTIONS_HELP,
     .words = WORDS_TOPICS,
     .values = "doctor schema help version",
     .about = "show a page of the manual",
     .examples = "  ptprofil help            examples and common options\n"
                 "  ptprofil help limits     what a profiled program can notice\n"
                 "  ptprofil help report     stored profiles\n",
     .usage = "ptprofil help [TOPIC]\n",
     .purpose = "Shows a page of the manual with man(1). Without TOPIC, prints examples and common options.",
     .finish = finish_help},
    {.name = "version",
     .called = "ptprofil version",
     .bit = COMMAND_VERSION,
     .action = OPTIONS_VERSION,
     .about = "print the version",
     .usage = "ptprofil version\n",
     .purpose = "Prints the version and the libraries that ptprofil uses.",
     .finish = finish_version},
    {.name = NULL},
};

const struct subcommand *commands_find(const char *name)
{
    for (const struct subcommand *command = commands; command->name; command++)
        if (!strcmp(name, command->name))
            return command;
    return NULL;
}

const char *commands_nearest(const char *word)
{
    const char *names[sizeof commands / sizeof *commands];
    size_t count = 0;
    for (const struct subcommand *command = commands; command->name; command++)
        names[count++] = command->name;
    return nearest_name(word, names, count);
}

void commands_list(struct buffer *text, unsigned bits)
{
    for (const struct subcommand *command = commands; command->name; command++) {
        if (!(bits & command->bit))
            continue;
        bits &= ~command->bit;
        bool last = !(bits & COMMAND_ALL);
        buffer_printf(text, "%s'%s'", !text->length ? "" : last ? " and " : ", ", command->called);
    }
}
