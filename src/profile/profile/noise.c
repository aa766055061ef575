/* SPDX-License-Identifier: MIT */
#include "profile/profile/noise.h"

#include "profile/profile/profile.h"

#include <stddef.h>

enum { DEVIATIONS = 3 };

static double ns_of_sample(const struct profile *profile)
{
    double ns = 0, count = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        ns += (double)profile_sample_ns(&profile->samples[i]);
        count += (double)profile->samples[i].count;
    }
    return count > 0 ? ns / count : 0;
}

struct noise noise_of(const struct profile *profile, const struct profile *base)
{
    return (struct noise){ns_of_sample(profile), ns_of_sample(base)};
}

bool noise_explains(const struct noise *noise, int64_t change_ns, uint64_t samples, uint64_t base_samples)
{
    double variance =
        noise->ns * noise->ns * ((double)samples + 1) + noise->base_ns * noise->base_ns * ((double)base_samples + 1);
    return (double)change_ns * (double)change_ns <= DEVIATIONS * DEVIATIONS * variance;
}
