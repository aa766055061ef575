/* SPDX-License-Identifier: MIT */
#include "front/outputs/choose.h"

#include "profile/profile/estimate.h"

#include <errno.h>

int choose_apply(const struct output_options *options, struct outputs *whole, struct profile *profile,
                 struct error *error)
{
    if (whole)
        outputs_store(whole, profile);
    else if (filter_check(&options->filter, profile, error) < 0)
        return -error->errnum;
    int result = options->unsampled == OUTPUT_SEPARATE ? 0 : estimate_apply(profile);
    if (!result && !whole)
        result = filter_apply(&options->filter, profile);
    return result < 0 ? error_set(error, ENOMEM, "out of memory while the profile was filtered") : 0;
}
