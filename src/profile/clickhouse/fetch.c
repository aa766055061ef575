/* SPDX-License-Identifier: MIT */
#include "profile/clickhouse/clickhouse.h"

#include "common/base/child.h"
#include "common/base/error.h"
#include "common/base/time.h"
#include "common/confine/refuse.h"
#include "common/text/text.h"
#include "profile/clickhouse/rows_take.h"
#include "profile/profile/writer.h"
#include "profile/push/http.h"
#include "profile/push/target.h"
#include "profile/stored/import.h"
#include "profile/stored/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ANSWER_MOST = 256 << 20, QUERY_SECONDS = 300, CPU_SECONDS = 300, PATIENCE_MS = 5000 };

/* What the child says, before its end. */
struct outcome {
    struct error error;
    char note[256];
};

enum { PROFILE, OUTCOME, FDS };

/* The work of the child. */
struct work {
    const struct clickhouse_query *query;
    const char *headers;
    int fds[FDS]; /* where it writes */
};

/* Why the server did not answer the query. */
static int refusal(const struct http_answer *answer, struct error *error)
{
    bool no_table = strstr(answer->text, "ptprofil_") && strstr(answer->text, "Code: 60");
    bool no_right = answer->status == 401 || answer->status == 403;
    if (!answer->status)
        return error_set(error, ECONNREFUSED,
                         "cannot be reached: %s; name the host, and the port of ClickHouse's HTTP interface (8123)",
                         answer->text);
    return error_set(error, EREMOTEIO, "refuses the query: %s%s", answer->text,
                     no_table   ? "; 'ptprofil schema clickhouse' prints the statements that make the tables"
                     : no_right ? "; set a user with http://USER:PASSWORD@HOST, or with --push-headers"
                                : "");
}

static int query_server(const struct work *work, struct buffer *answer, struct error *error)
{
    struct http *http = NULL;
    struct http_answer end = {0};
    int result = http_open(&http, work->headers, error);
    if (!result)
        result =
            http_ask(http, work->query->url.bytes, work->query->text.bytes, QUERY_SECONDS, ANSWER_MOST, answer, &end);
    http_close(http);
    if (result == -ENOTSUP)
        return error_set(error, ENOTSUP, "cannot be asked: this ptprofil was built without libcurl");
    if (result == -E2BIG)
        return error_set(error, E2BIG, "answers with more than %d MiB; choose a shorter time", ANSWER_MOST >> 20);
    if (result < 0)
        return error_system(error, -result, "cannot be asked");
    return end.status == 200 ? 0 : refusal(&end, error);
}

static int write_profile(const struct profile *profile, int fd)
{
    FILE *stream = fdopen(fd, "w");
    int result = stream ? stored_pprof_write(profile, &REPORT_OPTIONS_FULL, stream) : -errno;
    return stream && fflush(stream) != 0 && !result ? -errno : result;
}

static int parse_answer(const struct buffer *answer, struct profile **profile, struct buffer *note, struct error *error)
{
    struct builder builder;
    builder_init(&builder);
    int result = builder.failed ? error_set(error, ENOMEM, "gave an answer for which memory runs out")
                                : rows_take(&builder, answer->bytes, answer->length, note, error);
    *profile = builder_finish(&builder);
    return result;
}

static int child_main(void *argument)
{
    struct work *work = argument;
    struct outcome outcome = {{0}, ""};
    struct buffer answer = {0}, note = {0};
    struct profile *profile = NULL;
    child_limit(RLIMIT_CORE, 0);
    child_limit(RLIMIT_CPU, CPU_SECONDS);
    if (!child_keep(work->fds, FDS, false))
        return 1;
    refuse_as_client();
    int result = query_server(work, &answer, &outcome.error);
    if (!result)
        result = parse_answer(&answer, &profile, &note, &outcome.error);
    if (!result) {
        result = write_profile(profile, work->fds[PROFILE]);
        if (result < 0)
            error_system(&outcome.error, -result, "gave an answer that cannot be kept");
    }
    snprintf(outcome.note, sizeof outcome.note, "%s", note.bytes ? note.bytes : "");
    return write(work->fds[OUTCOME], &outcome, sizeof outcome) == sizeof outcome ? 0 : 1;
}

/* Runs the child. Its output is untrusted, because a hostile server may have taken it over. */
static int run_child(struct work *work, int heard, struct buffer *note, struct error *error)
{
    struct child child = {0};
    struct outcome outcome;
    struct buffer clean = {0};
    ssize_t got;
    int result = child_start(&child, "pt-query", child_main, work);
    close(work->fds[OUTCOME]);
    if (result < 0)
        return error_system(error, -result, "cannot be asked: no process could be started");
    do
        got = read(heard, &outcome, sizeof outcome);
    while (got < 0 && errno == EINTR);
    if (!child_kill(&child, PATIENCE_MS))
        child_leave(&child);
    if (got != sizeof outcome)
        return error_set(error, EIO, "could not be read: the process that asks it ended");
    outcome.note[sizeof outcome.note - 1] = outcome.error.text[sizeof outcome.error.text - 1] = 0;
    text_clean(&clean, outcome.error.text, true);
    if (outcome.error.errnum > 0)
        result = error_set(error, outcome.error.errnum, "%s", clean.bytes ? clean.bytes : "failed");
    else
        text_clean(note, outcome.note, true);
    buffer_fini(&clean);
    return result;
}

static int fetch(struct builder *into, const struct clickhouse_query *query, const char *headers, struct buffer *note,
                 struct error *error)
{
    int ends[2], profile = memfd_create("ptprofil-query", MFD_CLOEXEC);
    struct buffer unread = {0};
    if (profile < 0 || pipe2(ends, O_CLOEXEC) < 0) {
        int failed = errno;
        if (profile >= 0)
            close(profile);
        return error_system(error, failed, "cannot be asked");
    }
    struct work work = {query, headers, {profile, ends[1]}};
    int result = run_child(&work, ends[0], note, error);
    close(ends[0]);
    if (!result && lseek(profile, 0, SEEK_SET) < 0)
        result = error_system(error, errno, "cannot be read");
    if (!result)
        result = import_read(into, profile, &unread, error);
    close(profile);
    buffer_fini(&unread);
    return result;
}

int clickhouse_fetch(struct builder *into, const char *text, const char *headers, struct buffer *note,
                     struct error *error)
{
    struct clickhouse_query query;
    struct buffer lines = {0};
    struct error why = {0};
    int result = clickhouse_query_init(&query, text, time_read_ns(CLOCK_REALTIME), &why);
    if (result < 0)
        error_set(error, why.errnum, "the address of a query: %s", why.text);
    if (!result)
        result = push_read_headers(headers, &lines, error);
    if (!result) {
        result = fetch(into, &query, lines.bytes, note, &why);
        if (result < 0)
            error_set(error, why.errnum, "'%s' %s", query.shown, why.text);
    }
    buffer_fini(&lines);
    clickhouse_query_fini(&query);
    return result;
}
