/* SPDX-License-Identifier: MIT
 *
 * Takes the events of tracees. A wait for any child searches the list of all tracees, which takes 1 ms with 10,000. A
 * wait for one thread takes less than a microsecond. Therefore many tracees are asked one by one: the threads that
 * SIGCHLD names, and threads with a probable event. SIGCHLD is not queued, so a tenth of the events has no signal. A
 * wait for any child finds these events a little later. If it finds several, very many threads have probably stopped at
 * once, and each is asked. */
#ifndef LOOP_NEWS_H
#define LOOP_NEWS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tracer;

enum { NEWS_HINTS = 64, NEWS_TIDS = 16 };

/* Threads that are asked on each turn, until they have an event. */
struct news_tids {
    pid_t tids[NEWS_TIDS]; /* 0: free */
    uint32_t next;         /* overwritten next, if none is free */
};

struct news {
    volatile pid_t hints[NEWS_HINTS]; /* a ring of the tids that signals named */
    volatile uint32_t hinted;         /* number of hints ever stored, by the signal handler */
    volatile uint32_t taken;          /* number of hints ever taken */
    volatile sig_atomic_t waiting;    /* a tracee has an event, and news_hear has not been called since */
    volatile sig_atomic_t any;        /* a tracee may have an event since the last wait for any child began */
    uint64_t swept_ns;                /* when that wait ended */
    struct news_tids awaited;         /* threads that are late to stop for a sample */
    struct news_tids likely;          /* new threads, and their makers */
    size_t unasked;                   /* number of threads in the table that are still to be asked one by one */
    size_t turn;                      /* the thread in the table that was asked last in dispatch_all */
    unsigned in_a_row;                /* number of events found by waits for any child since one found none */
};

/* A signal has named TID. Call this function in the tracing thread's signal handler, or while its signals are blocked.
 * Without room, the event is found later. */
void news_hint(struct news *news, pid_t tid);

/* TID did not stop in time for a sample. Its stop is answered before other events. */
void news_await(struct news *news, pid_t tid);

/* TID will probably have an event soon. */
void news_expect(struct news *news, pid_t tid);

/* Takes and answers events of tracees. Returns the monotonic time of the next call, or 0: a signal causes that. */
uint64_t news_hear(struct tracer *tracer);

/* The same during the wait for a stop of TID, which is asked first. Other tracees, if many, need a signal. */
void news_hear_beside(struct tracer *tracer, pid_t tid);

#endif
