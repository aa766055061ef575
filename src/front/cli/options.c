/* SPDX-License-Identifier: MIT */
#include "front/cli/options.h"

#include "common/base/cpus.h"

#include "common/base/error.h"
#include "common/model/rank.h"
#include "common/model/rate.h"
#include "common/text/duration.h"
#include "front/cli/commands.h"
#include "front/cli/impose_option.h"
#include "front/cli/other_tools.h"
#include "front/doctor/attach_search.h"
#include "front/outputs/output_name.h"
#include "profile/push/http.h"
#include "programs/unwind/unwind.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HIGHEST_RATE = 20000 };
#define SHORTEST_NS UINT64_C(1000000)
#define LONGEST_NS UINT64_C(100000000000000000)
#define SHORTEST_EVERY_NS UINT64_C(10000000)
#define PUSH_EVERY_NS UINT64_C(15000000000)
#define LONGEST_EVERY_NS (24 * 3600 * UINT64_C(1000000000))
enum { DEFAULT_OVERHEAD = 25, DEFAULT_MEMORY = 256 << 20 }; /* percent, bytes */
enum { LEAST_STACK = 1024, DEFAULT_STACK = 65536, DEFAULT_DEEPEST = 1048576, MOST_STACK = 4194304 };

void options_fini(struct options *options)
{
    output_options_fini(&options->output);
    push_options_fini(&options->intervals.push);
    filter_fini(&options->output.filter);
    attach_fini(&options->session.targets);
}

/* Later options may say that processes which do not run yet are waited for. */
static int note_missing(struct options *options, const struct option_given *given, int result)
{
    if (result != -ESRCH || options->own->bit != COMMAND_RECORD)
        return result;
    if (!options->missing.errnum)
        options->missing = *given->error;
    *given->error = (struct error){0};
    return 0;
}

int options_take_pid(struct options *options, const struct option_given *given)
{
    return note_missing(options, given, attach_add_pids(&options->session.targets, given->text, given->error));
}

int options_take_name(struct options *options, const struct option_given *given)
{
    const char *option = given->row->name;
    return note_missing(options, given,
                        attach_search_name(&options->session.targets, option, given->text, given->error));
}

int options_take_cgroup(struct options *options, const struct option_given *given)
{
    return note_missing(options, given, attach_search_cgroup(&options->session.targets, given->text, given->error));
}

int options_take_container(struct options *options, const struct option_given *given)
{
    return note_missing(options, given, attach_search_container(&options->session.targets, given->text, given->error));
}

int options_take_rate(struct options *options, const struct option_given *given)
{
    options->session.rate = RATE_AUTO;
    if (!strcmp(given->text, "auto"))
        return 0;
    return option_number(given, 1, HIGHEST_RATE, " (samples a second of CPU time), nor 'auto'", &options->session.rate);
}

int options_take_duration(struct options *options, const struct option_given *given)
{
    return option_duration(given, SHORTEST_NS, LONGEST_NS, "1ms to 100000000s", &options->session.duration_ns);
}

int options_take_every(struct options *options, const struct option_given *given)
{
    options->session.quiet = true;
    return option_duration(given, SHORTEST_EVERY_NS, LONGEST_EVERY_NS, "10ms to 24h", &options->intervals.every_ns);
}

int options_take_duty(struct options *options, const struct option_given *given)
{
    uint64_t on_ns, period_ns;
    size_t length = strcspn(given->text, "/");
    if (given->text[length] != '/' || !duration_parse(given->text, length, &on_ns) ||
        !duration_parse(given->text + length + 1, strlen(given->text + length + 1), &period_ns) ||
        on_ns < SHORTEST_EVERY_NS || period_ns > LONGEST_EVERY_NS || on_ns >= period_ns)
        return option_refuse(given, "'%s' is not TIME/PERIOD, such as 10s/60s, 10ms to 24h", given->text);
    options->duty_ns = on_ns;
    options->duty_period_ns = period_ns;
    options->session.quiet = true;
    return 0;
}

int options_take_push(struct options *options, const struct option_given *given)
{
    struct push_options *push = &options->intervals.push;
    options->session.quiet = true;
    int result = push_add_target(push, given->row->name, given->text, given->error);
    const char *missing = result ? NULL : http_missing(push->targets[push->target_count - 1].endpoint);
    return missing ? option_refuse(given, "%s", missing) : result;
}

int options_take_label(struct options *options, const struct option_given *given)
{
    return push_add_label(&options->intervals.push, given->row->name, given->text, given->error);
}

int options_take_clock(struct options *options, const struct option_given *given)
{
    int index = option_choice(given);
    options->session.wall = index > 0;
    return index < 0 ? index : 0;
}

int options_take_stacks(struct options *options, const struct option_given *given)
{
    int result = option_set_choice(options, given);
    if (!result && options->session.stacks == STACKS_DWARF && !unwind_has_dwarf())
        return option_refuse(given, "this ptprofil was built without libunwind, which dwarf needs; use fp");
    return result;
}

int options_take_only_ranks(struct options *options, const struct option_given *given)
{
    if (!rank_is_list(given->text))
        return option_refuse(given, "'%s' is not a list of ranks such as 0,7,100-131", given->text);
    options->only_ranks = given->text;
    return 0;
}

int options_take_own_cpus(struct options *options, const struct option_given *given)
{
    cpu_set_t cpus;
    if (strcmp(given->text, CPUS_INHERIT) && (!cpus_parse(given->text, &cpus) || !CPU_COUNT(&cpus)))
        return option_refuse(given, "'%s' is not a list of CPUs such as 0-3,7, nor '" CPUS_INHERIT "'", given->text);
    options->session.own_cpus = given->text;
    return 0;
}

int options_take_stack_bytes(struct options *options, const struct option_given *given)
{
    int result = option_number(given, LEAST_STACK, MOST_STACK, ": bytes of a stack", &options->session.stack_bytes);
    options->session.stack_deepest = options->session.stack_bytes;
    return result;
}

int options_take_overhead(struct options *options, const struct option_given *given)
{
    if (strcmp(given->text, "off"))
        return option_number(given, 1, 99, " (percent), nor 'off'", &options->session.max_overhead);
    options->session.max_overhead = 0;
    return 0;
}

int options_take_memory(struct options *options, const struct option_given *given)
{
    static const struct {
        const char *suffix;
        unsigned shift;
    } units[] = {{"K", 10}, {"M", 20}, {"G", 30}};
    const uint64_t least = 1 << 20, most = UINT64_C(1) << 50;
    const char *text = given->text;
    char *end;
    if (!strcmp(text, "off")) {
        options->session.max_memory = 0;
        return 0;
    }
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        uint64_t factor = UINT64_C(1) << units[i].shift;
        if (errno || !isdigit((unsigned char)text[0]) || strcmp(end, units[i].suffix) || value > most / factor ||
            value * factor < least)
            continue;
        options->session.max_memory = value * factor;
        return 0;
    }
    return option_refuse(given, "'%s' is not a whole number with K, M or G, 1M or more, such as 256M, nor 'off'", text);
}

int options_take_calls(struct options *options, const struct option_given *given)
{
    options->calls_given = true;
    int result = option_set_choice(options, given);
    bool off = options->session.calls == CALLS_OFF;
    options->session.calls_wanted = !off && (options->session.calls_wanted || options->session.calls == CALLS_ON);
    return result;
}

int options_take_semantics(struct options *options, const struct option_given *given)
{
    options->session.calls_wanted = !options->calls_given || options->session.calls != CALLS_OFF;
    return system_option_parse(&options->session.semantics, given->row->name, given->text, false, given->error);
}

int options_take_impose(struct options *options, const struct option_given *given)
{
    return impose_option_parse(&options->session.impose, given->text, given->error);
}

int options_take_verbose(struct options *options, const struct option_given *given)
{
    (void)given;
    options->verbose++;
    options->output.verbose = true;
    return 0;
}

int options_take_version(struct options *options, const struct option_given *given)
{
    (void)given;
    options->action = OPTIONS_VERSION;
    return 0;
}

int options_take_help(struct options *options, const struct option_given *given)
{
    int index = given->text ? option_choice(given) : 0;
    if (index < 0)
        return index;
    options->help = !given->text ? HELP_SHORT : index ? HELP_LIST : HELP_ALL;
    options->topic = options->own->bit == COMMAND_HELP ? commands : options->own;
    options->action = OPTIONS_HELP;
    return 0;
}

static bool has_targets(const struct options *options)
{
    return options->session.targets.count || options->session.targets.search_count;
}

static int check_targets(struct options *options, int argc, char **argv, struct error *error)
{
    if (options->missing.errnum && !options->session.search_again && !options->duty_ns)
        return error_set(error, options->missing.errnum, "%s; with --wait, ptprofil waits for one",
                         options->missing.text);
    if (optind < argc)
        return error_set(error, EINVAL,
                         "either processes to attach (-p, --name, --cgroup, --container) or a command ('%s'), not both",
                         argv[optind]);
    if (!options->calls_given)
        options->session.calls = CALLS_OFF;
    return 0;
}

int options_take_command(struct options *options, int argc, char **argv, struct error *error)
{
    if (options->duty_ns && !has_targets(options))
        return error_set(error, EINVAL, "--duty is for running processes: -p, --name, --cgroup or --container");
    if (has_targets(options))
        return check_targets(options, argc, argv, error);
    if (optind >= argc)
        return error_set(error, EINVAL, "no command to run; say: ptprofil [OPTIONS] [--] CMD [ARG...], or -p PID");
    if (!*argv[optind])
        return error_set(error, EINVAL, "the command is empty");
    options->session.command = argv + optind;
    options->bare = strcmp(argv[optind - 1], "--") != 0;
    return 0;
}

static int check_push(const struct push_options *push, struct error *error)
{
    if (!push->target_count && (push->label_count || push->headers))
        return error_set(error, EINVAL, "--push-label and --push-headers need --push");
    return 0;
}

static int check_duty(const struct options *options, struct error *error)
{
    const struct switch_options *switching = &options->session.switching;
    if (!options->duty_ns)
        return 0;
    if (options->intervals.every_ns != options->duty_period_ns)
        return error_set(error, EINVAL, "--duty and --every do not go together");
    if (switching->off || switching->signal)
        return error_set(error, EINVAL, "--duty and --delay, --toggle or --control do not go together");
    return 0;
}

/* Checks that OUTPUT can be written for each interval. */
static int check_every_output(const struct output_option *output, struct error *error)
{
    const struct report_format *format = output->format;
    if (!output_name_has(output->path, 't'))
        return error_set(error, EINVAL,
                         "--every: '%s' would be replaced by each interval; add %%t, which becomes the time",
                         output->path);
    if (format->write_module || format->write == report_annotate_write)
        return error_set(error, EINVAL, "--every cannot write --format=%s; write .pb.gz and use 'ptprofil report'",
                         format->name);
    return 0;
}

/* Rejects options that cannot be combined with --every. Call it after all options have been read. */
static int check_every(const struct options *options, struct error *error)
{
    const struct output_options *output = &options->output;
    if (!options->intervals.every_ns)
        return 0;
    if (!output->count && !options->intervals.push.target_count)
        return error_set(error, EINVAL, "--every needs a name for the profiles, such as -o 'DIR/%%t.pb.gz', or --push");
    if (output->open)
        return error_set(error, EINVAL, "--every and --open do not go together; use 'ptprofil report --open FILE'");
    for (size_t i = 0; i < output->count; i++)
        if (check_every_output(&output->items[i], error) < 0)
            return -EINVAL;
    if (output->budgets.count)
        return error_set(error, EINVAL, "--every and --fail-if do not go together; use 'ptprofil report --fail-if'");
    if (options->session.impose.kind != CALL_NONE)
        return error_set(error, EINVAL, "--every and --impose do not go together");
    return 0;
}

int options_finish_record(struct options *options, int argc, char **argv, struct error *error)
{
    if (output_options_check(&options->output, options->session.quiet ? OUTPUT_NO_SCREEN : OUTPUT_STANDARD_ERROR,
                             error) < 0)
        return -EINVAL;
    if (switch_options_check(&options->session.switching, error) < 0)
        return -EINVAL;
    if (options->duty_ns && !options->intervals.every_ns)
        options->intervals.every_ns = options->duty_period_ns;
    if (options->intervals.push.target_count && !options->intervals.every_ns)
        options->intervals.every_ns = PUSH_EVERY_NS;
    options->session.executes = options->output.annotate.text;
    options->session.opens_browser = options->output.open;
    options->session.names = options->intervals.push.target_count > 0;
    if (check_push(&options->intervals.push, error) < 0 || check_duty(options, error) < 0 ||
        check_every(options, error) < 0)
        return -EINVAL;
    if (has_targets(options) && options->session.impose.kind != CALL_NONE)
        return error_set(error, EINVAL, "--impose needs a command, not -p");
    options->session.search_again = (options->intervals.every_ns || options->session.wait) && !options->duty_ns &&
                                    options->session.targets.search_count;
    int result = impose_option_check(&options->session.impose, options->session.impose_output,
                                     options->session.semantics, error);
    return result < 0 ? result : options_take_command(options, argc, argv, error);
}

/* Sets the defaults of OWN. */
static void set_defaults(struct options *options, const struct subcommand *own)
{
    memset(options, 0, sizeof *options);
    options->own = own;
    options->action = own->action;
    options->session.rate = RATE_AUTO;
    options->session.max_overhead = DEFAULT_OVERHEAD;
    options->session.max_memory = DEFAULT_MEMORY;
    options->session.follow = true;
    options->session.stacks = unwind_has_dwarf() ? STACKS_DWARF : STACKS_FRAME_POINTERS;
    options->session.stack_bytes = DEFAULT_STACK;
    options->session.stack_deepest = DEFAULT_DEEPEST;
    options->session.calls = CALLS_AUTO;
    options->session.semantics = &semantics_systems[0];
    options->session.hz = (uint32_t)sysconf(_SC_CLK_TCK);
    if (own->begin)
        own->begin(options);
}

/* Takes the options. Stops after --help or --version. */
static int take_options(struct options *options, int argc, char **argv, struct error *error)
{
    const struct subcommand *own = options->own;
    struct option_lists lists;
    int option, result = 0;
    option_lists_init(&lists, own->bit, own->stops);
    opterr = 0;
    while (!result && options->action == own->action && !options->topic &&
           (option = getopt_long(argc, argv, lists.letters, lists.names, NULL)) != -1) {
        const struct option_row *row = option_row_taken(own->bit, option);
        const struct option_given given = {row, optarg, error};
        result = row ? row->take(options, &given) : getopt_error(option, argv, own, &lists, error);
    }
    return result;
}

int options_parse(struct options *options, int argc, char **argv, struct error *error)
{
    const struct subcommand *named = argc > 1 ? commands_find(argv[1]) : NULL;
    const char *other = argc > 1 && !named ? other_tools_command(argv[1], true) : NULL;
    set_defaults(options, named ? named : commands);
    if (argc < 2) {
        options->action = OPTIONS_USAGE;
        options->topic = commands;
        return 0;
    }
    if (other)
        return error_set(error, EINVAL,
                         "'%s' is not a command of ptprofil: %s. To profile a program of that name, "
                         "write 'ptprofil -- %s'",
                         argv[1], other, argv[1]);
    int skipped = named ? 1 : 0;
    int result = take_options(options, argc - skipped, argv + skipped, error);
    if (result || options->action != options->own->action || options->topic)
        return result;
    return options->own->finish(options, argc - skipped, argv + skipped, error);
}
