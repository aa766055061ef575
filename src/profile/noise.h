/* SPDX-License-Identifier: MIT
 *
 * What chance does to the times of a comparison, which are known by samples. */
#ifndef PROFILE_NOISE_H
#define PROFILE_NOISE_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct noise {
    double ns, base_ns; /* average time that a sample represents, in the profile and in the base; 0: no samples */
};

/* Returns the noise of PROFILE compared with BASE. */
struct noise noise_of(const struct profile *profile, const struct profile *base);

/* True if chance makes a change of CHANGE_NS, more or less, of a time that did not change and was seen by SAMPLES
 * samples, and by BASE_SAMPLES in the base: if that is within three standard deviations of their difference, as if
 * samples fell independently (Poisson). Each number is taken for one larger than it is, as few or none say little.
 * Samples are spread more evenly than that: the bound is rather too large. */
bool noise_explains(const struct noise *noise, int64_t change_ns, uint64_t samples, uint64_t base_samples);

#endif
