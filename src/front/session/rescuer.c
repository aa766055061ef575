/* SPDX-License-Identifier: MIT */
#include "front/session/rescuer.h"

#include "common/base/priority.h"
#include "common/base/wake.h"
#include "common/wire/shared.h"
#include "tracer/plant/rescue.h"

#include <sys/prctl.h>

/* Higher than the tracer's priority: the tracer may die on the only CPU. */
enum { LEVEL = 1 };

static void *wait_and_rescue(void *argument)
{
    struct rescuer *rescuer = argument;
    prctl(PR_SET_NAME, "pt-rescuer", 0, 0, 0);
    priority_request(LEVEL);
    wake_signal(&rescuer->begun);
    /* A dying thread's mutex goes to the waiting thread before the kernel detaches the dying thread's tracees. */
    pthread_mutex_lock(&rescuer->shared->life);
    rescue_bytes(&rescuer->shared->rescue);
    return NULL;
}

static void *rescue_left(void *argument)
{
    struct shared *shared = argument;
    prctl(PR_SET_NAME, "pt-rescuer", 0, 0, 0);
    priority_request(LEVEL);
    rescue_all(&shared->rescue);
    return NULL;
}

void rescuer_start(struct rescuer *rescuer, struct shared *shared)
{
    rescuer->shared = shared;
    atomic_store(&rescuer->begun, 0);
    rescuer->running = wake_thread(&rescuer->thread, wait_and_rescue, rescuer, 0) == 0;
    while (rescuer->running && !atomic_load(&rescuer->begun))
        wake_wait(&rescuer->begun, 0, 0);
}

void rescuer_end(struct rescuer *rescuer, struct shared *shared)
{
    if (rescuer->running)
        pthread_join(rescuer->thread, NULL);
    rescuer->running = false;
    pthread_t thread;
    if (wake_thread(&thread, rescue_left, shared, 0) == 0)
        pthread_join(thread, NULL);
    else
        rescue_all(&shared->rescue);
}
