/* SPDX-License-Identifier: MIT */
#include "common/model/ride.h"

enum {
    WORTH_TICKS = 4, /* a ride that ends earlier was not worth its move */
    FIRST_REST = 16,
    REST_FACTOR = 4,
    LONGEST_REST = 1024,
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

int ride_choose(struct ride *ride, int cpu)
{
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
