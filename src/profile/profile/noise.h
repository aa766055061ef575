/* SPDX-License-Identifier: MIT
 *
 * Noise in a comparison: its times come from samples, so chance changes them. */
#ifndef PROFILE_NOISE_H
#define PROFILE_NOISE_H

#include <stdbool.h>
#include <stdint.h>

struct profile;

struct noise {
    double ns, base_ns; /* average time that a sample represents, in the profile and in the base; 0: no samples */
};

/* Returns the noise of PROFILE compared with BASE. */
struct noise noise_of(const struct profile *profile, const struct profile *base);

/* Returns true if chance alone explains a change of CHANGE_NS, positive or negative. The time was seen by SAMPLES
 * samples, and by BASE_SAMPLES in the base. Chance explains up to three standard deviations of their difference, for
 * independent samples (Poisson). Each number counts one more, because few samples prove little. Samples are spread more
 * evenly than independent ones, so the bound is rather too large. */
bool noise_explains(const struct noise *noise, int64_t change_ns, uint64_t samples, uint64_t base_samples);

#endif
