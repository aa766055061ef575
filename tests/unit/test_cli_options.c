/* SPDX-License-Identifier: MIT */
#include "front/cli/options.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/model/rate.h"
#include "front/cli/commands.h"
#include "front/cli/manual.h"
#include "unit.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

enum { MOST_ARGUMENTS = 12 };

/* Parses ARGUMENTS, which follow the program's own name. */
static int parse(struct options *options, const char *const *arguments, struct error *error)
{
    static char *argv[MOST_ARGUMENTS + 2];
    int argc = 0;
    argv[argc++] = strdup("ptprofil");
    for (int i = 0; i < MOST_ARGUMENTS && arguments[i]; i++)
        argv[argc++] = strdup(arguments[i]);
    argv[argc] = NULL;
    optind = 0; /* getopt keeps its state between tests if Check does not fork */
    return options_parse(options, argc, argv, error);
}

static void describe_flags(const struct options *options, struct buffer *text)
{
    if (!options->session.follow)
        buffer_puts(text, "no-follow ");
    if (options->session.wait)
        buffer_puts(text, "wait ");
    if (options->session.quiet)
        buffer_puts(text, "quiet ");
    if (options->verbose)
        buffer_printf(text, "verbose=%u ", options->verbose);
}

/* Appends all options that differ from their defaults, and the command. */
static void describe(const struct options *options, struct buffer *text)
{
    static const char *const by[] = {"function", "module", "process", "program", "command",
                                     "thread",   "line",   "file",    "syscall"};
    if (options->session.rate != RATE_AUTO)
        buffer_printf(text, "rate=%u ", options->session.rate);
    if (options->session.duration_ns)
        buffer_printf(text, "duration=%llu ", (unsigned long long)options->session.duration_ns);
    if (options->intervals.every_ns)
        buffer_printf(text, "every=%llu ", (unsigned long long)options->intervals.every_ns);
    if (options->session.switching.off)
        buffer_printf(text, "delay=%llu ", (unsigned long long)options->session.switching.delay_ns);
    if (options->session.switching.signal)
        buffer_printf(text, "toggle=%d ", options->session.switching.signal);
    if (options->session.switching.control)
        buffer_printf(text, "control=%s ", options->session.switching.control);
    if (options->session.max_overhead != 25)
        buffer_printf(text, "overhead=%u ", options->session.max_overhead);
    if (options->session.max_memory != 256 << 20)
        buffer_printf(text, "memory=%llu ", (unsigned long long)options->session.max_memory);
    if (options->session.stack_bytes == options->session.stack_deepest)
        buffer_printf(text, "stack=%u ", options->session.stack_bytes);
    else if (options->session.stack_bytes != 65536 || options->session.stack_deepest != 1 << 20)
        buffer_printf(text, "stack=%u to %u ", options->session.stack_bytes, options->session.stack_deepest);
    if (options->output.by != REPORT_BY_FUNCTION)
        buffer_printf(text, "by=%s ", by[options->output.by]);
    if (options->output.sort != REPORT_SORT_SELF)
        buffer_puts(text, "sort=total ");
    if (options->output.names != REPORT_NAMES_OF_FORMAT)
        buffer_printf(text, "names=%d ", (int)options->output.names);
    if (options->output.rows_given)
        buffer_printf(text, "rows=%zu ", options->output.rows);
    if (options->session.wall)
        buffer_puts(text, "wall ");
    describe_flags(options, text);
    for (size_t i = 0; i < options->output.count; i++)
        buffer_printf(text, "%s:%s ", options->output.items[i].format->name, options->output.items[i].path);
    buffer_puts(text, options->bare ? "bare --" : "--");
    for (char **word = options->session.command; *word; word++)
        buffer_printf(text, " %s", *word);
}

static const struct {
    const char *arguments[MOST_ARGUMENTS + 1];
    const char *description;
} good[] = {
    {{"--", "true"}, "-- true"},
    {{"record", "--", "true"}, "-- true"},
    {{"--clock=wall", "--", "true"}, "wall -- true"},
    {{"--clock", "wall", "--clock=cpu", "--", "true"}, "-- true"},
    {{"--", "record"}, "-- record"},
    {{"--", "semantics", "linux"}, "-- semantics linux"},
    {{"record", "--", "record", "record"}, "-- record record"},
    {{"--", "--"}, "-- --"},
    {{"--", "-F"}, "-- -F"},
    {{"--", "--help"}, "-- --help"},
    {{"--", "ls", "-F", "5", "--", "--help", ""}, "-- ls -F 5 -- --help "},
    {{"-F", "500", "--", "ls", "-F", "7"}, "rate=500 -- ls -F 7"},
    /* the first word that is not an option begins the command */
    {{"ls"}, "bare -- ls"},
    {{"ls", "-l"}, "bare -- ls -l"},
    {{"-q", "ls", "-F", "5"}, "quiet bare -- ls -F 5"},
    {{"-q", "ls", "--", "x"}, "quiet bare -- ls -- x"},
    {{"-F99", "ls"}, "rate=99 bare -- ls"},
    {{"--rate", "99", "ls"}, "rate=99 bare -- ls"},
    {{"--freq=99", "ls"}, "rate=99 bare -- ls"},
    {{"-o", "a.txt", "ls"}, "flat:a.txt bare -- ls"},
    {{"ls", "--help"}, "bare -- ls --help"},
    {{"record", "ls"}, "bare -- ls"},
    {{"record", "record", "--", "x"}, "bare -- record -- x"},
    {{"-q", "report", "x"}, "quiet bare -- report x"}, /* ptprofil's own subcommands have precedence */
    {{"--", "diff", "x"}, "-- diff x"},                /* so have subcommands of other tools, which are refused */
    {{"record", "diff", "x"}, "bare -- diff x"},
    {{"-q", "stat", "x"}, "quiet bare -- stat x"},
    {{"--", "report", "x"}, "-- report x"},
    {{"repot", "x"}, "bare -- repot x"},
    {{"-", "x"}, "bare -- - x"},
    /* rates */
    {{"-F1", "--", "x"}, "rate=1 -- x"},
    {{"-F", "20000", "--", "x"}, "rate=20000 -- x"},
    {{"-F", "auto", "--", "x"}, "-- x"},
    {{"-F", "7", "--rate=auto", "--", "x"}, "-- x"},
    {{"--rate", "99", "--", "x"}, "rate=99 -- x"},
    {{"--rate=0099", "--", "x"}, "rate=99 -- x"},
    {{"-F", "5", "-F", "6", "--", "x"}, "rate=6 -- x"}, /* the last one is used */
    {{"record", "-F", "5", "--", "x"}, "rate=5 -- x"},
    /* durations */
    {{"-d", "1", "--", "x"}, "duration=1000000000 -- x"},
    {{"--every=250ms", "-o%t.pb.gz", "--", "x"}, "every=250000000 quiet pprof:%t.pb.gz -- x"},
    {{"--delay=1.5s", "--", "x"}, "delay=1500000000 -- x"},
    {{"--delay=0", "--", "x"}, "-- x"},
    {{"--delay=forever", "--toggle=USR2", "--", "x"}, "delay=0 toggle=12 -- x"},
    {{"--toggle=SIGUSR1", "--", "x"}, "toggle=10 -- x"},
    {{"--toggle=12", "--", "x"}, "toggle=12 -- x"},
    {{"--toggle=RTMIN+1", "--", "x"}, "toggle=35 -- x"},
    {{"--delay=forever", "--control=fd:5", "--", "x"}, "delay=0 control=fd:5 -- x"},
    {{"-d", "0.001", "--", "x"}, "duration=1000000 -- x"},
    {{"--duration=2.5", "--", "x"}, "duration=2500000000 -- x"},
    {{"--duration", ".25", "--", "x"}, "duration=250000000 -- x"},
    {{"-d", "1000", "--", "x"}, "duration=1000000000000 -- x"},
    {{"-d", "10s", "--", "x"}, "duration=10000000000 -- x"},
    {{"-d", "1.5m", "--", "x"}, "duration=90000000000 -- x"},
    {{"-d", "500ms", "--", "x"}, "duration=500000000 -- x"},
    {{"-d", "100000000", "--", "x"}, "duration=100000000000000000 -- x"},
    /* the overhead limit */
    {{"--max-overhead=1", "--", "x"}, "overhead=1 -- x"},
    {{"--max-overhead=99", "--", "x"}, "overhead=99 -- x"},
    {{"--max-overhead", "off", "--", "x"}, "overhead=0 -- x"},
    {{"--max-overhead=off", "--max-overhead=25", "--", "x"}, "-- x"},
    {{"--max-memory=1M", "--", "x"}, "memory=1048576 -- x"},
    {{"--max-memory", "2048K", "--", "x"}, "memory=2097152 -- x"},
    {{"--max-memory=3G", "--", "x"}, "memory=3221225472 -- x"},
    {{"--max-memory=1048576G", "--", "x"}, "memory=1125899906842624 -- x"},
    {{"--max-memory=off", "--", "x"}, "memory=0 -- x"},
    {{"--max-memory=off", "--max-memory=256M", "--", "x"}, "-- x"},
    {{"--stack-bytes=1024", "--", "x"}, "stack=1024 -- x"},
    {{"--stack-bytes=65536", "--", "x"}, "stack=65536 -- x"}, /* given explicitly, so it is never exceeded */
    {{"--stack-bytes", "4194304", "--", "x"}, "stack=4194304 -- x"},
    /* rows */
    {{"--by=function", "--", "x"}, "-- x"},
    {{"--by=module", "--", "x"}, "by=module -- x"},
    {{"--by=process", "--", "x"}, "by=process -- x"},
    {{"--by", "thread", "--", "x"}, "by=thread -- x"},
    {{"--by=line", "--", "x"}, "by=line -- x"},
    {{"--by=file", "--", "x"}, "by=file -- x"},
    {{"--by=program", "--", "x"}, "by=program -- x"},
    {{"--by=command", "--", "x"}, "by=command -- x"},
    {{"--by=syscall", "--", "x"}, "by=syscall -- x"},
    {{"--sort=total", "-n", "20", "--", "x"}, "sort=total rows=20 -- x"},
    {{"--names=full", "--", "x"}, "names=2 -- x"},
    {{"-n5", "--rows=all", "--", "x"}, "rows=0 -- x"},
    /* flags */
    {{"--no-follow", "--", "x"}, "no-follow -- x"},
    {{"--wait", "--", "x"}, "wait -- x"},
    {{"-q", "--", "x"}, "quiet -- x"},
    {{"--quiet", "-v", "--verbose", "--", "x"}, "quiet verbose=2 -- x"},
    {{"-qvvF", "7", "--", "x"}, "rate=7 quiet verbose=2 -- x"},
    {{"--no-f", "--dur=1", "--", "x"}, "duration=1000000000 no-follow -- x"}, /* abbreviations, as in getopt_long */
    /* outputs: the format follows from the ending, or from --format before */
    {{"-o", "a.txt", "--", "x"}, "flat:a.txt -- x"},
    {{"-oa.folded", "--", "x"}, "folded:a.folded -- x"},
    {{"--output=/d/a.gmon", "--", "x"}, "gmon:/d/a.gmon -- x"},
    {{"-o", "-", "--", "x"}, "flat:- -- x"},
    {{"--format=folded", "-o", "-", "--", "x"}, "folded:- -- x"},
    {{"--format=folded", "-o", "a.txt", "--", "x"}, "folded:a.txt -- x"},
    {{"--format=flat", "-o", "a", "--", "x"}, "flat:a -- x"},
    {{"--format=folded", "-F", "5", "-o", "a", "--", "x"}, "rate=5 folded:a -- x"},
    {{"--format=folded", "-o", "a", "-o", "b.txt", "--", "x"}, "folded:a flat:b.txt -- x"}, /* --format applies to
                                                                                             * the next output only */
    {{"-o", "a.txt", "-o", "a.txt", "-o", "b.gmon", "--", "x"}, "flat:a.txt flat:a.txt gmon:b.gmon -- x"},
    {{"--format=flat", "--format=gmon", "-o", "a", "--", "x"}, "gmon:a -- x"},
    /* --format behind: for the only output; otherwise for the screen */
    {{"-o", "-", "--format=tree", "--", "x"}, "tree:- -- x"},
    {{"-o", "a", "-F", "5", "--format=folded", "--", "x"}, "rate=5 folded:a -- x"},
    {{"-o", "a.txt", "--format=gmon", "--", "x"}, "gmon:a.txt -- x"},
    {{"-o", "a.txt", "--format=tree", "--", "x"}, "flat:a.txt -- x"},
    {{"-o", "a.txt", "-o", "b", "--format=gmon", "--", "x"}, "flat:a.txt gmon:b -- x"},
    {{"-o", "a", "--format=folded", "-o", "b.txt", "--format=gmon", "--", "x"}, "gmon:a folded:b.txt -- x"},
};

START_TEST(good_command_lines_follow_the_table)
{
    struct options options;
    struct error error = {0};
    struct buffer text = {0};
    int result = parse(&options, good[_i].arguments, &error);
    ck_assert_msg(result == 0, "%s", error.text);
    ck_assert_int_eq(error.errnum, 0);
    ck_assert_int_eq(options.action, OPTIONS_RUN);
    describe(&options, &text);
    ck_assert_str_eq(text.bytes, good[_i].description);
    buffer_fini(&text);
    options_fini(&options);
}
END_TEST

#define FORMATS "flat", "folded", "gmon"

static const struct {
    const char *arguments[MOST_ARGUMENTS + 1];
    const char *words[9]; /* in the error's text */
} bad[] = {
    {{"--clock=elapsed", "--", "true"}, {"--clock", "'elapsed'", "cpu, wall"}},
    /* --delay */
    {{"--delay=soon", "true"}, {"--delay", "'soon'", "3s", "forever"}},
    {{"--delay=-1", "true"}, {"--delay", "'-1'"}},
    {{"--delay=forever", "true"}, {"nothing would ever be sampled", "--toggle", "--control"}},
    {{"--toggle=TERM", "true"}, {"--toggle", "'TERM'", "USR1"}},
    {{"--toggle=9", "true"}, {"--toggle", "'9'"}},
    {{"--toggle=SIG", "true"}, {"--toggle", "'SIG'"}},
    {{"--toggle=RTMIN+99", "true"}, {"--toggle", "'RTMIN+99'"}},
    {{"--control=", "true"}, {"--control", "empty"}},
    {{"--between=3s", "true"}, {"--between", "'3s'", "3s..5s"}},
    {{"--between=5s..3s", "true"}, {"--between", "ends before"}},
    /* the command */
    {{"record"}, {"no command", "[--] CMD", "-p PID"}},
    {{"--"}, {"no command", "[--] CMD", "-p PID"}},
    {{"-q"}, {"no command", "[--] CMD", "-p PID"}},
    {{"record", "--"}, {"no command", "[--] CMD", "-p PID"}},
    {{"-F", "5", "--"}, {"no command", "[--] CMD", "-p PID"}},
    {{"", "--", "x"}, {"command is empty"}},
    {{"-q", ""}, {"command is empty"}},
    {{"--", ""}, {"command is empty"}},
    /* rates */
    {{"-F", "0", "--", "x"}, {"--rate", "'0'", "from 1 to 20000"}},
    {{"-F", "20001", "--", "x"}, {"--rate", "'20001'", "from 1 to 20000"}},
    {{"-F", "-1", "--", "x"}, {"--rate", "'-1'", "from 1 to 20000"}},
    {{"-F", "+1", "--", "x"}, {"--rate", "'+1'"}},
    {{"-F", "1.5", "--", "x"}, {"--rate", "'1.5'", "whole"}},
    {{"-F", "1k", "--", "x"}, {"--rate", "'1k'"}},
    {{"-F", "1 ", "--", "x"}, {"--rate", "'1 '"}},
    {{"-F", "0x10", "--", "x"}, {"--rate", "'0x10'"}},
    {{"-F", " 5", "--", "x"}, {"--rate", "' 5'"}},
    {{"-F", " -18446744073709551516", "--", "x"}, {"--rate", "-18446744073709551516"}}, /* is 100 modulo 2^64 */
    {{"--rate=", "--", "x"}, {"--rate", "''"}},
    {{"--rate=fast", "--", "x"}, {"--rate", "'fast'"}},
    {{"--rate=18446744073709551617", "--", "x"}, {"--rate", "18446744073709551617"}}, /* is 1 modulo 2^64 */
    {{"--rate=4294967297", "--", "x"}, {"--rate", "4294967297"}},
    {{"-F", "--", "x"}, {"--rate", "'--'"}},
    {{"-F"}, {"'-F'", "needs an argument", "--help"}},
    {{"--rate"}, {"'--rate'", "needs an argument", "--help"}},
    {{"-q", "-F"}, {"'-F'", "needs an argument"}},
    /* durations */
    {{"-d", "0", "--", "x"}, {"--duration", "'0'", "1ms"}},
    {{"--duty=10s", "-p1"}, {"--duty", "'10s'", "10s/60s"}},
    {{"--duty=10s/10s", "-p1"}, {"--duty", "'10s/10s'"}},
    {{"--duty=1ms/1s", "-p1"}, {"--duty", "'1ms/1s'"}},
    {{"--duty=1s/2d", "-p1"}, {"--duty", "'1s/2d'"}},
    {{"--duty=1s/2s", "-o%t.pb.gz", "--", "x"}, {"--duty", "running processes"}},
    {{"--every=9ms", "-o%t.pb.gz", "--", "x"}, {"--every", "'9ms'", "10ms"}},
    {{"--every=25h", "-o%t.pb.gz", "--", "x"}, {"--every", "'25h'", "24h"}},
    {{"--every=soon", "-o%t.pb.gz", "--", "x"}, {"--every", "'soon'"}},
    {{"--every=1s", "--", "x"}, {"--every", "%t.pb.gz"}},
    {{"--every=1s", "-o%t.html", "--open", "--", "x"}, {"--every", "--open"}},
    {{"--every=1s", "-o100%%t.pb.gz", "--", "x"}, {"--every", "'100%%t.pb.gz'", "%t"}},
    {{"--every=1s", "-o%t.pb.gz", "--fail-if=f > 5%", "--", "x"}, {"--every", "--fail-if"}},
    {{"--every=1s", "-o%t.pb.gz", "--impose=profil", "--impose-output=y", "--", "x"}, {"--every", "--impose"}},
    {{"-d", "0.0009", "--", "x"}, {"--duration", "'0.0009'", "1ms"}},
    {{"-d", "999us", "--", "x"}, {"--duration", "'999us'", "1ms"}},
    {{"-d", "-5", "--", "x"}, {"--duration", "'-5'"}},
    {{"-d", "5 s", "--", "x"}, {"--duration", "'5 s'", "10s"}},
    {{"-d", "5d", "--", "x"}, {"--duration", "'5d'"}},
    {{"-d", "1,5", "--", "x"}, {"--duration", "'1,5'"}},
    {{"-d", "", "--", "x"}, {"--duration", "''"}},
    {{"-d", "nan", "--", "x"}, {"--duration", "'nan'"}},
    {{"-d", "inf", "--", "x"}, {"--duration", "'inf'"}},
    {{"-d", "-inf", "--", "x"}, {"--duration", "'-inf'"}},
    {{"-d", "1e3", "--", "x"}, {"--duration", "'1e3'"}},
    {{"-d", "0x10", "--", "x"}, {"--duration", "'0x10'"}},
    {{"-d", " 5", "--", "x"}, {"--duration", "' 5'"}},
    {{"-d", "+5", "--", "x"}, {"--duration", "'+5'"}},
    {{"-d", "1.2.3", "--", "x"}, {"--duration", "'1.2.3'"}},
    {{"-d", ".", "--", "x"}, {"--duration", "'.'"}},
    {{"-d", "100000001", "--", "x"}, {"--duration", "'100000001'", "from 1ms to 100000000s"}},
    {{"-d"}, {"'-d'", "needs an argument"}},
    /* the overhead limit */
    {{"--max-overhead=0", "--", "x"}, {"--max-overhead", "'0'", "from 1 to 99", "off"}},
    {{"--max-overhead=100", "--", "x"}, {"--max-overhead", "'100'", "from 1 to 99", "off"}},
    {{"--max-overhead=OFF", "--", "x"}, {"--max-overhead", "'OFF'", "off"}},
    {{"--max-overhead=25%", "--", "x"}, {"--max-overhead", "'25%'"}},
    {{"--max-overhead=", "--", "x"}, {"--max-overhead", "''"}},
    {{"--max-overhead=-5", "--", "x"}, {"--max-overhead", "'-5'"}},
    {{"--max-memory=1023K", "--", "x"}, {"--max-memory", "'1023K'", "1M or more", "off"}},
    {{"--max-memory=256", "--", "x"}, {"--max-memory", "'256'", "K, M or G"}},
    {{"--max-memory=1m", "--", "x"}, {"--max-memory", "'1m'"}},
    {{"--max-memory=1MB", "--", "x"}, {"--max-memory", "'1MB'"}},
    {{"--max-memory=-1M", "--", "x"}, {"--max-memory", "'-1M'"}},
    {{"--max-memory=", "--", "x"}, {"--max-memory", "''"}},
    {{"--max-memory=M", "--", "x"}, {"--max-memory", "'M'"}},
    {{"--max-memory=1048577G", "--", "x"}, {"--max-memory", "'1048577G'"}},
    {{"--max-memory=99999999999999999999K", "--", "x"}, {"--max-memory", "'99999999999999999999K'"}},
    {{"--stack-bytes=1023", "--", "x"}, {"--stack-bytes", "'1023'", "1024 to 4194304"}},
    {{"--stack-bytes=4194305", "--", "x"}, {"--stack-bytes", "'4194305'", "1024 to 4194304"}},
    {{"--stack-bytes=", "--", "x"}, {"--stack-bytes", "''"}},
    /* rows */
    {{"--by=lines", "--", "x"},
     {"--by", "'lines'", "function", "module", "process", "program, command, thread, line, file, syscall"}},
    {{"--names=", "--", "x"}, {"--names", "''", "short", "full"}},
    {{"--sort=", "--", "x"}, {"--sort", "''", "self", "total"}},
    {{"-n", "x", "--", "x"}, {"-n, --rows", "'x'", "all"}},
    {{"--by=", "--", "x"}, {"--by", "''", "function"}},
    {{"--by=Module", "--", "x"}, {"--by", "'Module'", "module"}},
    {{"--by=mod", "--", "x"}, {"--by", "'mod'", "module"}},
    /* outputs */
    {{"-o", "a", "--", "x"}, {"--output", "'a'", "--format", FORMATS}},
    {{"-o", "a.png", "--", "x"}, {"--output", "'a.png'", "--format", FORMATS}},
    {{"-o", "a.txt/b", "--", "x"}, {"--output", "'a.txt/b'", "--format"}},
    {{"-o", "a.TXT", "--", "x"}, {"--output", "'a.TXT'", "--format"}},
    {{"-o", "", "--", "x"}, {"--output", "missing"}},
    {{"--format=flat", "-o", "", "--", "x"}, {"--output", "missing"}},
    {{"--format=flat", "-o", "--", "x"}, {"--output", "missing"}}, /* "--" is not accepted as a file's name */
    {{"--format=png", "-o", "a", "--", "x"}, {"--format", "'png'", FORMATS}},
    {{"--format=Flat", "-o", "a", "--", "x"}, {"--format", "'Flat'", FORMATS}},
    {{"--format=", "-o", "a", "--", "x"}, {"--format", "''", FORMATS}},
    {{"--format=folded", "--", "x"}, {"--format=folded", "-o"}},
    {{"-q", "--format=flat", "--", "x"}, {"--format=flat", "-o"}},
    {{"-q", "--callers=x", "-o", "a.html", "--", "x"}, {"--callers", "--format=tree"}},
    {{"-o", "a.txt", "-o", "b.txt", "--format=gmon", "--", "x"}, {"--format=gmon", "which -o is it for?"}},
    {{"-o", "a", "-o", "b", "--format=gmon", "--", "x"}, {"--format=gmon", "which -o is it for?"}},
    {{"-o", "a", "--format=gmon", "-o", "b", "--", "x"}, {"--output", "'a'", FORMATS}},
    {{"-o"}, {"'-o'", "needs an argument"}},
    {{"--format"}, {"'--format'", "needs an argument"}},
    /* unknown options */
    {{"-x", "--", "x"}, {"'-x'", "unknown option", "--help"}},
    {{"-qx", "--", "x"}, {"'-x'", "unknown option"}},
    {{"-xq", "--", "x"}, {"'-x'", "unknown option"}},
    {{"record", "-vxq", "--", "x"}, {"'-x'", "unknown option"}},
    {{"--nonsense", "--", "x"}, {"'--nonsense'", "unknown", "--help"}},
    {{"--rates=5", "--", "x"}, {"'--rates=5'", "unknown", "did you mean --rate?"}},
    {{"--abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", "--", "x"}, {"unknown option", "--help"}},
    {{"--=x", "--", "x"}, {"'--=x'"}},
    {{"--wait=1", "--", "x"}, {"--wait takes no argument"}},
    {{"--diff=x", "--", "x"}, {"'--diff' is an option of 'ptprofil report', not of 'ptprofil'"}},
    {{"--interval=5", "--", "x"}, {"'--interval' is an option of 'ptprofil top', not of 'ptprofil'"}},
    /* options of other tools */
    {{"-g", "--", "x"}, {"'-g'", "stacks are always recorded"}},
    {{"-qg", "-p", "1"}, {"'-g'", "stacks are always recorded"}},
    {{"--call-graph=dwarf", "x"}, {"'--call-graph'", "stacks are always recorded"}},
    {{"--wall", "x"}, {"'--wall'", "use --clock=wall"}},
    {{"-f", "x"}, {"'-f'", "always followed"}},
    {{"-a", "x"}, {"'-a'", "--cgroup"}},
    {{"--flamegraph", "x"}, {"'--flamegraph'", "-o FILE.html"}},
    {{"--callgrind", "x"}, {"'--callgrind'", "use --format=callgrind"}},
    {{"attach", "123"}, {"'attach' is not a command of ptprofil", "'ptprofil -p PID'", "'ptprofil -- attach'"}},
    {{"diff", "a", "b"}, {"'diff'", "'ptprofil report --diff=OLD NEW'", "'ptprofil -- diff'"}},
    {{"annotate", "f"}, {"'annotate'", "--annotate=FUNCTION"}},
    {{"stat", "ls"}, {"'stat'", "'ptprofil -v CMD'"}},
    {{"script"}, {"'script'", "--format=perf-script"}},
    {{"--fail-if-diff=f > +5%", "--", "x"}, {"'--fail-if-diff' is an option of 'ptprofil report'"}},
    {{"--fail-if=> 5%", "--", "x"}, {"--fail-if: '> 5%' is not of the form"}},
    {{"help", "reprot"}, {"'reprot'; did you mean report? Topics are record, report, top, dump, profile"}},
    {{"help", "limit"}, {"'limit'; did you mean limits? Topics are record"}},
    {{"help", "doctro"}, {"'doctro'; did you mean doctor? Topics are record"}},
    {{"help", "everything"}, {"no topic 'everything'; topics are record", "semantics", "pcsample, doctor, schema"}},
    {{"doctor", "x"}, {"unexpected argument 'x'", "doctor [-p PID]"}},
    {{"doctor", "-p"}, {"'-p'", "needs an argument"}},
    {{"doctor", "-p", "x"}, {"'x' is not a PID"}},
    {{"doctor", "-p", "no-such-program*,x"}, {"'x' is not a PID"}},
    {{"doctor", "--stacks=fp"},
     {"'--stacks' is an option of 'ptprofil', 'ptprofil top' and 'ptprofil dump', not of 'ptprofil doctor'"}},
    {{"help", "report", "x"}, {"one topic", "ptprofil help [TOPIC]"}},
    {{"version", "x"}, {"unexpected argument", "'x'"}},
    {{"--format=flatt", "-o", "a", "--", "x"}, {"'flatt'; did you mean flat?", FORMATS}},
    {{"-o", "a.floded", "--", "x"}, {"'a.floded'; did you mean .folded?", FORMATS}},
    {{"-o", "a.htm", "--", "x"}, {"did you mean .html?"}},
    {{"--semantics=freebds", "--", "x"}, {"'freebds'; did you mean freebsd? Systems are linux, "}},
    {{"-q", "--nonsense=1", "--", "x"}, {"'--nonsense=1'", "unknown"}},
    {{"--quiet=yes", "--", "x"}, {"'--quiet=yes'", "takes no argument"}},
    {{"--ver", "--", "x"}, {"'--ver'", "ambiguous"}},
    /* ptprofil dump */
    {{"dump"}, {"dump: which process?", "ptprofil dump -p PID"}},
    {{"dump", "core.1234"}, {"'core.1234'", "core file", "gdb"}},
    {{"dump", "-p", "1", "--interval=0"}, {"--interval", "1ms to 24h"}},
    {{"dump", "-p", "1", "--format=xml"}, {"'xml' is not one of text, json"}},
    {{"dump", "-p", "1", "--sort=total"}, {"'total' is not one of tid, running, waiting"}},
    {{"dump", "-p", "1", "--clock=wall"}, {"'--clock' is an option of 'ptprofil' and 'ptprofil top', not of"}},
    /* ptprofil semantics */
    {{"semantics", "nosuch"}, {"semantics: ", "'nosuch'", "linux, ", "darwin:classic", "illumos", "pcsample"}},
    {{"semantics", "Linux"}, {"'Linux'", "did you mean linux?"}},
    {{"semantics", "pcsmaple"}, {"did you mean pcsample?"}},
    {{"semantics", ""}, {"''", "linux"}},
    {{"semantics", "linux", "irix"}, {"one system", "ptprofil semantics [SYSTEM]"}},
    {{"semantics", "-q"}, {"'-q' is an option of 'ptprofil' and 'ptprofil report', not of 'ptprofil semantics'"}},
    {{"--help=everything"}, {"--help: 'everything' is not one of all, list"}},
    /* the first error is reported, even before --help */
    {{"-F", "0", "--by=lines", "--", "x"}, {"--rate"}},
    {{"-x", "--help"}, {"'-x'"}},
};

START_TEST(bad_command_lines_say_what_is_wrong)
{
    struct options options;
    struct error error = {0};
    ck_assert_int_eq(parse(&options, bad[_i].arguments, &error), -EINVAL);
    ck_assert_int_eq(error.errnum, EINVAL);
    for (const char *const *word = bad[_i].words; *word; word++)
        ck_assert_msg(strstr(error.text, *word), "'%s' does not say '%s'", error.text, *word);
    ck_assert_ptr_null(strchr(error.text, '\n'));
    options_fini(&options);
    ck_assert_uint_eq(options.output.count, 0);
    options_fini(&options); /* a second call has no effect */
}
END_TEST

static const struct {
    const char *arguments[MOST_ARGUMENTS + 1];
    enum options_action action;
} actions[] = {
    {{"--help"}, OPTIONS_HELP},
    {{"--version"}, OPTIONS_VERSION},
    {{"record", "--help"}, OPTIONS_HELP},
    {{"-q", "--help", "--", "x"}, OPTIONS_HELP},
    {{"--help", "--nonsense"}, OPTIONS_HELP}, /* later errors are ignored */
    {{"--version", "--help"}, OPTIONS_VERSION},
    {{"-o", "a.txt", "--format=gmon", "--help"}, OPTIONS_HELP},
    {{"semantics", "--help"}, OPTIONS_HELP},
    {{"-h"}, OPTIONS_HELP},
    {{"-qh"}, OPTIONS_HELP},
    {{"-V"}, OPTIONS_VERSION},
    {{"version"}, OPTIONS_VERSION},
    {{"doctor"}, OPTIONS_DOCTOR},
    {{"doctor", "-p", "1,2"}, OPTIONS_DOCTOR},
    {{"doctor", "-h"}, OPTIONS_HELP},
    {{"help", "doctor"}, OPTIONS_HELP},
    {{"version", "-h"}, OPTIONS_HELP},
    {{"help"}, OPTIONS_HELP},
    {{"help", "help"}, OPTIONS_HELP},
    {{"help", "-h"}, OPTIONS_HELP},
    {{"help", "record"}, OPTIONS_MANUAL},
    {{"help", "semantics"}, OPTIONS_MANUAL},
    {{"help", "-h", "limits"}, OPTIONS_HELP},
    {{"help", "version"}, OPTIONS_HELP},
    {{"semantics", "-h"}, OPTIONS_HELP},
    {{NULL}, OPTIONS_USAGE},
    {{"--help=all"}, OPTIONS_HELP},
    {{"top", "--help=list"}, OPTIONS_HELP},
};

START_TEST(help_and_version_need_no_command)
{
    struct options options;
    struct error error = {0};
    ck_assert_int_eq(parse(&options, actions[_i].arguments, &error), 0);
    ck_assert_int_eq(options.action, actions[_i].action);
    options_fini(&options);
}
END_TEST

static const struct {
    const char *arguments[MOST_ARGUMENTS + 1];
    const char *page; /* NULL: all of them */
} pages[] = {
    {{"semantics"}, NULL},
    {{"semantics", "linux"}, "linux"},
    {{"semantics", "--", "linux"}, "linux"},
    {{"semantics", "darwin:classic"}, "darwin:classic"},
    {{"semantics", "pcsample"}, "pcsample"},
};

START_TEST(rules_are_asked_for_by_system)
{
    struct options options;
    struct error error = {0};
    ck_assert_int_eq(parse(&options, pages[_i].arguments, &error), 0);
    ck_assert_int_eq(options.action, OPTIONS_SEMANTICS);
    ck_assert_pstr_eq(options.page ? options.page->name : NULL, pages[_i].page);
    options_fini(&options);
}
END_TEST

/* The text is longer than an error's buffer. It is truncated. */
START_TEST(a_very_long_argument_is_cut_in_the_text)
{
    static const char *const before[] = {"-F", "-d", "-o", "--format", "--by", "--max-overhead"};
    char long_word[4000] = "";
    memset(long_word, 'y', sizeof long_word - 1);
    const char *const arguments[] = {before[_i], long_word, "--", "x", NULL};
    struct options options;
    struct error error = {0};
    ck_assert_int_eq(parse(&options, arguments, &error), -EINVAL);
    ck_assert_uint_lt(strlen(error.text), sizeof error.text);
    ck_assert_ptr_nonnull(strstr(error.text, before[_i]));
    options_fini(&options);
}
END_TEST

START_TEST(the_command_is_what_was_given)
{
    char *argv[] = {(char[]){"ptprofil"}, (char[]){"-q"}, (char[]){"--"}, (char[]){"a"}, (char[]){"b"}, NULL};
    struct options options;
    struct error error = {0};
    optind = 0;
    ck_assert_int_eq(options_parse(&options, 5, argv, &error), 0);
    ck_assert_ptr_eq(options.session.command, argv + 3); /* ends with NULL like argv */
    options_fini(&options);
}
END_TEST

static const struct {
    const char *arguments[MOST_ARGUMENTS + 1], *topic;
    enum options_help help;
} topics[] = {
    {{NULL}, "record", HELP_SHORT},
    {{"--help"}, "record", HELP_SHORT},
    {{"-qh"}, "record", HELP_SHORT},
    {{"--help=all"}, "record", HELP_ALL},
    {{"record", "--help=list"}, "record", HELP_LIST},
    {{"help"}, "record", HELP_SHORT},
    {{"help", "help"}, "record", HELP_SHORT},
    {{"help", "--help=all"}, "record", HELP_ALL},
    {{"report", "-h"}, "report", HELP_SHORT},
    {{"report", "x", "--help"}, "report", HELP_SHORT},
    {{"report", "--help=all"}, "report", HELP_ALL},
    {{"top", "--help=list"}, "top", HELP_LIST},
    {{"help", "version"}, "version", HELP_SHORT},
    {{"help", "schema"}, "schema", HELP_SHORT},
};

START_TEST(help_is_about_the_command_that_was_named)
{
    struct options options;
    struct error error = {0};
    ck_assert_int_eq(parse(&options, topics[_i].arguments, &error), 0);
    ck_assert_str_eq(options.topic->name, topics[_i].topic);
    ck_assert_int_eq(options.help, topics[_i].help);
    options_fini(&options);
}
END_TEST

static const struct {
    const char *arguments[MOST_ARGUMENTS + 1], *page;
} manuals[] = {
    {{"help", "record"}, "ptprofil"},        {{"help", "report"}, "ptprofil-report"},
    {{"help", "limits"}, "ptprofil-limits"}, {{"help", "semantics"}, "ptprofil-semantics"},
    {{"help", "pcsample"}, "pcsample"},
};

START_TEST(a_topic_has_a_page_of_the_manual)
{
    struct options options;
    struct error error = {0};
    ck_assert_int_eq(parse(&options, manuals[_i].arguments, &error), 0);
    ck_assert_int_eq(options.action, OPTIONS_MANUAL);
    ck_assert_str_eq(options.manual->name, manuals[_i].page);
    options_fini(&options);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("cli/options");
    UNIT_ADD_TABLE(tests, good_command_lines_follow_the_table, good);
    UNIT_ADD_TABLE(tests, bad_command_lines_say_what_is_wrong, bad);
    UNIT_ADD_TABLE(tests, help_and_version_need_no_command, actions);
    UNIT_ADD_TABLE(tests, rules_are_asked_for_by_system, pages);
    tcase_add_loop_test(tests, a_very_long_argument_is_cut_in_the_text, 0, 6);
    tcase_add_test(tests, the_command_is_what_was_given);
    UNIT_ADD_TABLE(tests, help_is_about_the_command_that_was_named, topics);
    UNIT_ADD_TABLE(tests, a_topic_has_a_page_of_the_manual, manuals);
    return unit_end();
}
