/* SPDX-License-Identifier: MIT */
#include "front/rescuer.h"

#include "base/urgent.h"

#include <signal.h>
#include <sys/prctl.h>

/* Above the tracer: what it dies on may be the only CPU. */
enum { LEVEL = 1 };

static void *wait_and_rescue(void *argument)
{
    const struct rescuer *rescuer = argument;
    prctl(PR_SET_NAME, "pt-rescuer", 0, 0, 0);
    urgent_ask(LEVEL);
    /* The kernel gives the mutex of a thread that dies to whoever waits for it, before it lets go of what that one traced. */
    pthread_mutex_lock(&rescuer->shared->life);
    rescue_bytes(&rescuer->shared->rescue);
    return NULL;
}

void rescuer_start(struct rescuer *rescuer, struct shared *shared)
{
    sigset_t all, before;
    rescuer->shared = shared;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    rescuer->running = pthread_create(&rescuer->thread, NULL, wait_and_rescue, rescuer) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void rescuer_end(struct rescuer *rescuer)
{
    if (rescuer->running)
        pthread_join(rescuer->thread, NULL);
    rescuer->running = false;
}
