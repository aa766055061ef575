/* SPDX-License-Identifier: MIT */
#include "tracer/loop/news.h"

#include "common/base/time.h"
#include "tracer/loop/dispatch.h"
#include "tracer/loop/tracer.h"
#include "tracer/tracee/table.h"

enum {
    FEW_THREADS = 64,     /* up to this number, a wait for any child costs nothing, */
    MANY_THREADS = 256,   /* and with more than this, too much for each event */
    SWEEP_NS = 10000000,  /* shortest time between two sweeps of more than a few threads without a signal, */
    SWEEP_EACH_NS = 1000, /* and after one, for each thread: a wait for any child takes 40 to 120 ns for each */
    SEARCHES = 4,         /* waits for any child in a sweep; if all find an event, all threads are asked one by one, */
    ASKED_AT_ONCE = 128   /* some on each turn */
};

void news_hint(struct news *news, pid_t tid)
{
    news->any = news->waiting = 1;
    if (!tid || news->hinted - news->taken >= NEWS_HINTS)
        return;
    news->hints[news->hinted % NEWS_HINTS] = tid;
    news->hinted++;
}

static void add(struct news_tids *list, pid_t tid)
{
    pid_t *place = NULL;
    for (size_t i = 0; i < NEWS_TIDS; i++) {
        if (list->tids[i] == tid)
            return;
        if (!list->tids[i])
            place = &list->tids[i];
    }
    *(place ? place : &list->tids[list->next++ % NEWS_TIDS]) = tid;
}

static void drop(struct news_tids *list, pid_t tid)
{
    for (size_t i = 0; i < NEWS_TIDS; i++)
        if (list->tids[i] == tid)
            list->tids[i] = 0;
}

void news_await(struct news *news, pid_t tid)
{
    news->any = news->waiting = 1;
    add(&news->awaited, tid);
}

void news_expect(struct news *news, pid_t tid)
{
    add(&news->likely, tid);
}

/* The answer may make TID expected again, so it is dropped from the list before. */
static void hear(struct tracer *tracer, pid_t tid)
{
    drop(&tracer->news.likely, tid);
    dispatch_heard(tracer, tid);
}

static void hear_listed(struct tracer *tracer, struct news_tids *list)
{
    for (size_t i = 0; i < NEWS_TIDS; i++) {
        pid_t tid = list->tids[i];
        if (!tid)
            continue;
        list->tids[i] = 0;
        if (!dispatch_heard(tracer, tid) && table_thread(&tracer->follow.table, tid))
            list->tids[i] = tid;
    }
}

/* Takes the hints that exist now. The loop must come to its next tick even if threads have events all the time. */
static void hear_hinted(struct tracer *tracer)
{
    struct news *news = &tracer->news;
    for (uint32_t left = news->hinted - news->taken; left; left--) {
        pid_t tid = news->hints[news->taken % NEWS_HINTS];
        news->taken++;
        hear_listed(tracer, &news->awaited);
        hear(tracer, tid);
    }
    hear_listed(tracer, &news->awaited);
}

/* The table's last threads are asked first: if one is removed, the last one gets its place. */
static void ask_each(struct tracer *tracer)
{
    const struct table *table = &tracer->follow.table;
    size_t *left = &tracer->news.unasked;
    for (int i = 0; i < ASKED_AT_ONCE && *left; i++) {
        if (*left > table->count)
            *left = table->count;
        else
            hear(tracer, table->threads[--*left]->tid);
    }
}

/* Finds events that no signal has named. */
static void sweep(struct tracer *tracer)
{
    struct news *news = &tracer->news;
    int searches = 0;
    news->any = 0;
    while (searches < SEARCHES && dispatch_heard(tracer, 0))
        searches++;
    if (searches == SEARCHES) {
        news->any = 1;
        news->unasked = tracer->follow.table.count;
    }
    news->swept_ns = time_now_ns();
}

static uint64_t sweep_due_ns(const struct tracer *tracer)
{
    uint64_t pause_ns = tracer->follow.table.count * (uint64_t)SWEEP_EACH_NS;
    return tracer->news.swept_ns + (tracer->news.any || pause_ns > SWEEP_NS ? pause_ns : SWEEP_NS);
}

static uint64_t hear_of_many(struct tracer *tracer)
{
    struct news *news = &tracer->news;
    hear_hinted(tracer);
    hear_listed(tracer, &news->likely);
    while (endings_any(&tracer->follow.endings))
        dispatch_heard(tracer, 0);
    if (news->unasked) {
        ask_each(tracer);
        return time_now_ns();
    }
    uint64_t due_ns = sweep_due_ns(tracer);
    if (time_now_ns() < due_ns)
        return due_ns;
    sweep(tracer);
    return news->unasked ? news->swept_ns : news->any ? sweep_due_ns(tracer) : 0;
}

static bool are_many(const struct tracer *tracer)
{
    return tracer->follow.table.count > MANY_THREADS;
}

uint64_t news_hear(struct tracer *tracer)
{
    struct news *news = &tracer->news;
    news->waiting = 0;
    if (are_many(tracer))
        return hear_of_many(tracer);
    uint64_t now_ns = time_now_ns();
    if (!news->any && !endings_any(&tracer->follow.endings) && tracer->follow.table.count > FEW_THREADS &&
        now_ns - news->swept_ns < SWEEP_NS)
        return news->swept_ns + SWEEP_NS;
    news->awaited = news->likely = (struct news_tids){0};
    news->unasked = 0;
    news->swept_ns = now_ns;
    news->any = 0;
    news->taken = news->hinted;
    if (dispatch_all(tracer))
        return 0;
    news->any = news->waiting = 1;
    return time_now_ns();
}

void news_hear_beside(struct tracer *tracer, pid_t tid)
{
    if (are_many(tracer)) {
        dispatch_heard(tracer, tid);
        hear_hinted(tracer);
    } else {
        dispatch_all(tracer);
    }
}
