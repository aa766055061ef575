/* SPDX-License-Identifier: MIT */
#include "front/doctor/runtimes.h"

#include <fnmatch.h>
#include <stddef.h>

enum { PATTERNS_MOST = 4 };

/* Keep it equal to ptprofil-runtimes(7). */
static const struct {
    const char *patterns[PATTERNS_MOST];
    struct runtime runtime;
} runtimes[] = {
    {{"libjvm.so"},
     {"Java",
      "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (17 and later) names its methods when it ends, and "
      "jcmd PID Compiler.perfmap while it runs",
      NULL, INTERP_NONE}},
    {{"node", "nodejs", "libnode.so*"},
     {"Node.js", "node --perf-basic-prof --interpreted-frames-native-stack names its functions", NULL, INTERP_NONE}},
    {{"libcoreclr.so"},
     {".NET", "its documentation has DOTNET_PerfMapEnabled=1 in the environment to name its methods", NULL,
      INTERP_NONE}},
    {{"beam.smp", "beam.*.smp"}, {"Erlang", "erl +JPperf map names its functions", NULL, INTERP_NONE}},
    {{"php", "php[0-9]*", "php-fpm*", "libphp*.so"},
     {"PHP", "php -d opcache.jit_debug=16 names the functions that it compiles",
      "these are the interpreter's functions; the manual lists the versions of PHP whose own functions are shown",
      INTERP_PHP}},
    {{"python[23]", "python[23].[0-9]*", "libpython[23].*"},
     {"Python", NULL,
      "these are the interpreter's functions; the manual lists the versions of Python whose own functions are shown; "
      "3.12 and later show them with -X perf or PYTHONPERFSUPPORT=1 in the environment",
      INTERP_PYTHON}},
    {{"perl", "perl5.[0-9]*", "libperl.so*"},
     {"perl is an interpreter", NULL,
      "these are functions of perl itself; the manual lists the versions of perl whose programs' own functions are "
      "shown",
      INTERP_PERL}},
    {{"ruby", "ruby[0-9].[0-9]*", "libruby*.so*"},
     {"Ruby", NULL,
      "these are the interpreter's functions; the manual lists the versions of Ruby whose own functions are shown",
      INTERP_RUBY}},
};

const struct runtime *runtimes_find(const char *file)
{
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        for (size_t k = 0; k < PATTERNS_MOST && runtimes[i].patterns[k]; k++)
            if (fnmatch(runtimes[i].patterns[k], file, 0) == 0)
                return &runtimes[i].runtime;
    return NULL;
}
