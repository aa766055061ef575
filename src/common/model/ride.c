/* SPDX-License-Identifier: MIT */
#include "common/model/ride.h"

enum {
    WORTH_TICKS = 4, /* a ride that ends earlier was not worth its move */
    FIRST_REST = 16,
    REST_FACTOR = 4,
    LONGEST_REST = 1024,
    JUDGE_NS = 100000000, /* between judgements */
    WAITING_SHARE = 8,    /* tracees wait if it takes them this part of the time; our own turns take less */
};

static void begin(struct ride *ride, int cpu)
{
    ride->rides = true;
    ride->cpu = cpu;
    ride->ticks = 0;
}

static void end(struct ride *ride)
{
    uint32_t rest = ride->next_rest ? ride->next_rest : FIRST_REST;
    ride->rides = false;
    if (ride->ticks >= WORTH_TICKS) {
        ride->next_rest = FIRST_REST;
        return;
    }
    ride->rest = rest;
    ride->next_rest = rest * REST_FACTOR < LONGEST_REST ? rest * REST_FACTOR : LONGEST_REST;
}

void ride_judge(struct ride *ride, uint64_t now_ns, uint64_t queued_ns)
{
    uint64_t passed_ns = now_ns - ride->judged_ns;
    if (ride->judged_ns && passed_ns < JUDGE_NS)
        return;
    ride->waits = ride->judged_ns && queued_ns - ride->queued_ns >= passed_ns / WAITING_SHARE;
    ride->judged_ns = now_ns;
    ride->queued_ns = queued_ns;
}

int ride_choose(struct ride *ride, int cpu)
{
    if (!ride->waits)
        cpu = -1;
    if (ride->rides && cpu != ride->cpu)
        end(ride);
    if (!ride->rides && !ride->rest && cpu >= 0)
        begin(ride, cpu);
    return ride->rides ? ride->cpu : -1;
}

void ride_tick(struct ride *ride)
{
    ride->ticks += ride->rides;
    ride->rest -= ride->rest > 0;
}
