/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"

#include "base/buffer.h"
#include "text/nearest.h"
#include "cli/options.h"
#include "cli/system_option.h"
#include "cli/top_options.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

static bool is_help(const char *word)
{
    return !strcmp(word, "--help") || !strcmp(word, "-h");
}

static int parse_semantics(struct options *options, int argc, char **argv, struct error *error)
{
    options->action = OPTIONS_SEMANTICS;
    if (argc > 2)
        return error_set(error, EINVAL, "semantics: one system at the most; say: ptprofil semantics [SYSTEM]");
    if (argc < 2)
        return 0;
    if (is_help(argv[1])) {
        options->action = OPTIONS_HELP;
        return 0;
    }
    return system_option_parse(&options->page, "semantics", argv[1], true, error);
}

static int parse_report(struct options *options, int argc, char **argv, struct error *error)
{
    int result = report_options_parse(&options->report, argc, argv, error);
    options->action = options->report.help ? OPTIONS_HELP : OPTIONS_REPORT;
    options->help = report_options_help();
    return result;
}

static int parse_version(struct options *options, int argc, char **argv, struct error *error)
{
    bool help = argc == 2 && is_help(argv[1]);
    if (argc > 1 && !help)
        return error_set(error, EINVAL, "version: it takes no argument, and '%s' is one", argv[1]);
    options->action = help ? OPTIONS_HELP : OPTIONS_VERSION;
    return 0;
}

static const struct option doctor_options[] = {
    {"pid", required_argument, NULL, 'p'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const struct getopt_set doctor_set = {"ptprofil doctor", "+:p:h", doctor_options};

static int parse_doctor(struct options *options, int argc, char **argv, struct error *error)
{
    int option, result = 0;
    options->action = OPTIONS_DOCTOR;
    opterr = 0;
    while (!result && (option = getopt_long(argc, argv, doctor_set.short_options, doctor_options, NULL)) != -1) {
        if (option == 'p')
            result = attach_add_pids(&options->targets, optarg, error);
        else if (option == 'h')
            options->action = OPTIONS_HELP;
        else
            result = getopt_error(option, argv, &doctor_set, &options_set, error);
    }
    if (!result && optind < argc)
        return error_set(error, EINVAL, "doctor: unexpected argument '%s'; say: ptprofil doctor [-p PID]",
                         argv[optind]);
    return result;
}

static int parse_help(struct options *options, int argc, char **argv, struct error *error);

/* The first is meant where none is named. */
static const struct command_word {
    const char *name;
    int (*parse)(struct options *options, int argc, char **argv, struct error *error); /* argv[0] is the name */
} words[] = {
    {"record", options_parse_record}, {"report", parse_report}, {"top", top_options_parse},
    {"semantics", parse_semantics},   {"doctor", parse_doctor}, {"help", parse_help},
    {"version", parse_version},
};

enum { WORDS = sizeof words / sizeof *words };

static const struct command_word *find(const char *name)
{
    for (size_t i = 0; i < WORDS; i++)
        if (!strcmp(name, words[i].name))
            return &words[i];
    return NULL;
}

const char *commands_nearest(const char *word)
{
    const char *names[WORDS];
    for (size_t i = 0; i < WORDS; i++)
        names[i] = words[i].name;
    return nearest_name(word, names, WORDS);
}

static int unknown_topic(const char *topic, struct error *error)
{
    const char *near = commands_nearest(topic);
    struct buffer list = {0};
    for (size_t i = 0; i < WORDS; i++)
        buffer_printf(&list, "%s%s", i ? ", " : "", words[i].name);
    error_set(error, EINVAL, "help: there is no command '%s'; %s%s%sptprofil's commands are %s", topic,
              near ? "did you mean " : "", near ? near : "", near ? "? " : "", list.bytes ? list.bytes : "?");
    buffer_fini(&list);
    return -EINVAL;
}

/* What the command prints when it is asked for help itself. */
static int parse_help(struct options *options, int argc, char **argv, struct error *error)
{
    const struct command_word *topic = argc > 1 && !is_help(argv[1]) ? find(argv[1]) : &words[0];
    if (argc > 2)
        return error_set(error, EINVAL, "help: one command at the most; say: ptprofil help [COMMAND]");
    if (!topic)
        return unknown_topic(argv[1], error);
    options->action = OPTIONS_HELP;
    if (topic->parse == parse_help)
        return 0;
    char *asked[] = {argv[argc - 1], (char[]){"--help"}, NULL};
    return topic->parse(options, 2, asked, error);
}

int options_parse(struct options *options, int argc, char **argv, struct error *error)
{
    const struct command_word *word = argc > 1 ? find(argv[1]) : NULL;
    options_begin(options);
    return word ? word->parse(options, argc - 1, argv + 1, error) : words[0].parse(options, argc, argv, error);
}
