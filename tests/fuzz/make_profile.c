/* SPDX-License-Identifier: MIT
 *
 * Writes a seed for fuzz_stored: a stored profile, to standard output. */
#include "profile/report/report.h"
#include "profile/stored/writers.h"

#include "test_profile.h"

int main(void)
{
    struct profile *profile = make_example();
    struct report_options options = REPORT_OPTIONS_FULL;
    int status = stored_pprof_write(profile, &options, stdout);

    profile_free(profile);
    return status < 0;
}
