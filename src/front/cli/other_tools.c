/* SPDX-License-Identifier: MIT */
#include "front/cli/other_tools.h"

#include "front/cli/option_row.h"

#include <stddef.h>
#include <string.h>

enum {
    RUNS = COMMAND_RECORD | COMMAND_TOP,
    WRITES = COMMAND_RECORD | COMMAND_REPORT,
    SHOWS = COMMAND_RECORD | COMMAND_REPORT | COMMAND_TOP,
};

#define ALWAYS_STACKS "stacks are always recorded; --stacks=HOW chooses how"
#define ALWAYS_FOLLOWED "children are always followed; --no-follow turns that off"
#define WALL_CLOCK "use --clock=wall, which also samples threads that wait"

static const struct {
    unsigned commands;
    char letter;
    const char *name, *answer;
} options[] = {
    {SHOWS, 'g', "call-graph", ALWAYS_STACKS},
    {RUNS, 0, "wall", WALL_CLOCK},
    {RUNS, 0, "off-cpu", WALL_CLOCK},
    {RUNS, 0, "offcpu", WALL_CLOCK},
    {RUNS, 0, "idle", WALL_CLOCK},
    {RUNS, 'f', "follow", ALWAYS_FOLLOWED},
    {RUNS, 0, "follow-forks", ALWAYS_FOLLOWED},
    {RUNS, 0, "subprocesses", ALWAYS_FOLLOWED},
    {RUNS, 'a', "all-cpus", "choose processes with -p, --name, --cgroup or --container"},
    {RUNS, 'e', "event", "ptprofil samples CPU time, or with --clock=wall all time"},
    {RUNS, 'c', "count", "use -F HZ: samples per second of CPU time"},
    {RUNS, 'u', "uid", "choose processes with -p, --name, --cgroup or --container"},
    {COMMAND_RECORD, 't', NULL, "use --tid=TID, or --by=thread"},
    {COMMAND_REPORT, 't', NULL, "use --tid=TID, or --by=thread"},
    {COMMAND_REPORT, 0, "input", "name the files without an option: ptprofil report FILE..."},
    {COMMAND_REPORT, 'G', "inverted", "use --format=tree or --bottom-up"},
    {COMMAND_REPORT, 0, "stdio", "the table goes to standard output anyway"},
    {COMMAND_TOP, 'o', "output", "press W to write a file"},
    {SHOWS, 0, "children", "use --sort=total"},
    {SHOWS, 0, "no-children", "use --sort=self"},
    {WRITES, 0, "flame", "use -o FILE.html"},
    {WRITES, 0, "flamegraph", "use -o FILE.html"},
    {WRITES, 0, "collapsed", "use -o FILE.folded"},
    {RUNS, 0, "native", "frames of native code are always recorded"},
    {RUNS, 0, "timeout", "use -d TIME"},
};

static const struct {
    const char *name, *answer;
    bool reserved;
} commands_of_others[] = {
    {"attach", "use 'ptprofil -p PID'", true},
    {"annotate", "use 'ptprofil report --annotate=FUNCTION FILE'", true},
    {"diff", "use 'ptprofil report --diff=OLD NEW'", true},
    {"script", "use 'ptprofil report --format=perf-script FILE'", true},
    {"stat", "ptprofil counts no events; 'ptprofil -v CMD' prints the CPU time", true},
    {"compare", "use 'ptprofil report --diff=OLD NEW'", false},
    {"merge", "use 'ptprofil report -o SUM.pb.gz FILE...'", false},
    {"convert", "use 'ptprofil report -o OUTPUT FILE'", false},
    {"flamegraph", "use 'ptprofil -o FILE.html CMD'", false},
    {"live", "use 'ptprofil top'", false},
    {"stack", "use 'ptprofil dump -p PID'", false},
    {"stacks", "use 'ptprofil dump -p PID'", false},
    {"pstack", "use 'ptprofil dump -p PID'", false},
    {"run", "use 'ptprofil CMD'", false},
};

const char *other_tools_option(unsigned command, char letter, const char *name)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        bool same = letter ? options[i].letter == letter : options[i].name && !strcmp(name, options[i].name);
        if (same && options[i].commands & command)
            return options[i].answer;
    }
    return NULL;
}

const char *other_tools_command(const char *word, bool reserved)
{
    for (size_t i = 0; i < sizeof commands_of_others / sizeof *commands_of_others; i++)
        if (!strcmp(word, commands_of_others[i].name) && (commands_of_others[i].reserved || !reserved))
            return commands_of_others[i].answer;
    return NULL;
}
