/* SPDX-License-Identifier: MIT
 *
 * The program: does what the options ask for, and returns the exit status. */
#include "common/base/buffer.h"
#include "common/base/hash.h"
#include "common/base/own_stack.h"
#include "common/base/proc.h"
#include "common/text/say.h"
#include "front/cli/dump_command.h"
#include "front/cli/duty.h"
#include "front/cli/help.h"
#include "front/cli/manual.h"
#include "front/cli/options.h"
#include "front/cli/pages.h"
#include "front/cli/record_command.h"
#include "front/cli/report_command.h"
#include "front/cli/run.h"
#include "front/cli/top.h"
#include "front/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Opens standard descriptors that our caller has closed, so that no other file gets their numbers. Reads and writes
 * fail as before, so output that cannot be printed is reported. The command still finds them closed. */
static void fill_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

static int run_duty(const struct options *options, char *title, size_t title_size)
{
    struct error error = {0};
    int result = duty_repeat(options, record_command_run, title, title_size, &error);
    return result < 0 ? run_failed(&error) : result;
}

/* Runs `ptprofil top`. If showing fails, nothing remains: the tracer ends with this process. */
static int run_top(const struct options *options, char *title, size_t title_size)
{
    struct error error = {0};
    struct record record = {0};
    struct session session = {0};
    struct top top = {0};

    if (proc_prove(&error) < 0)
        return run_failed(&error);
    run_warn_of_stopped(&options->session.targets);
    int result = top_start(&top, &session, options, &record, title, title_size, &error);
    if (!result && !session.exec_error) {
        session.command_line = run_command_line(options);
        top_run(&top);
    }
    top_free(&top);
    session_release(&session);
    record_fini(&record);
    if (result < 0)
        return run_failed(&error);
    if (session.exec_error)
        return run_not_executed(options, session.exec_error);
    channel_close(&session.channel);
    jobcontrol_end_as(session.command_status);
}

/* Returns the status of a command line without a request. */
static int help(const struct options *options, FILE *stream)
{
    struct buffer text = {0};
    help_put(&text, options->topic, options->help);
    say_own(stream, text.failed ? "" : text.bytes);
    buffer_fini(&text);
    return STATUS_FAILED;
}

static int report(const struct options *options)
{
    struct error error = {0};
    int result = report_command_run(options, &error);
    if (error.errnum)
        run_failed(&error);
    return result < 0 ? STATUS_FAILED : result;
}

static int show_manual(const struct options *options)
{
    struct error error = {0};
    return manual_show(options->manual, &error) < 0 ? run_failed(&error) : 0;
}

/* Does what OPTIONS ask for. Returns an exit status. TITLE: the words of the command line, one after another in memory.
 */
static int run_action(const struct options *options, char *title, size_t title_size)
{
    switch (options->action) {
    case OPTIONS_HELP:
        help(options, stdout);
        return 0;
    case OPTIONS_MANUAL:
        return show_manual(options);
    case OPTIONS_USAGE:
        return help(options, stderr);
    case OPTIONS_VERSION:
        version_write(stdout);
        return 0;
    case OPTIONS_REPORT:
        return report(options);
    case OPTIONS_TOP:
        return run_top(options, title, title_size);
    case OPTIONS_DUMP:
        return dump_command_run(options, title, title_size);
    case OPTIONS_DOCTOR:
        return doctor_run(&options->session.targets, stdout) ? 0 : STATUS_UNFIT;
    case OPTIONS_SEMANTICS:
        pages_semantics(options->page, stdout);
        return 0;
    case OPTIONS_SCHEMA:
        pages_schema(options->cluster, stdout);
        return 0;
    case OPTIONS_RUN:
        break;
    }
    return options->duty_ns ? run_duty(options, title, title_size) : record_command_run(options, title, title_size);
}

static int run_all(int argc, char **argv)
{
    struct error error = {0};
    struct options options;

    fill_standard_descriptors();
    hash_begin();
    setlocale(LC_CTYPE, "");
    if (getauxval(AT_SECURE)) {
        error_set(
            &error, EPERM,
            "it was started with more rights than its caller has (set-user-ID, set-group-ID or file capabilities): "
            "take these from the program file, and use sudo");
        return run_failed(&error);
    }
    int result = options_parse(&options, argc, argv, &error);
    size_t title_size = argc ? (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) + 1 - argv[0]) : 0;
    int status = result < 0 ? run_failed(&error) : run_action(&options, argv[0], title_size);
    options_fini(&options);
    if ((fflush(stdout) != 0 || ferror(stdout)) && !status) {
        error_system(&error, errno, "cannot write to standard output");
        status = run_failed(&error);
    }
    return status;
}

int main(int argc, char **argv)
{
    return own_stack_run(run_all, argc, argv);
}
