/* SPDX-License-Identifier: MIT
 *
 * Writes a stored profile to standard output: a seed. */
#include "report/report.h"
#include "stored/writers.h"

#include "test_profile.h"

int main(void)
{
    struct profile *profile = make_example();
    struct report_options options = REPORT_OPTIONS_FULL;
    int status = stored_pprof_write(profile, &options, stdout);

    profile_free(profile);
    return status < 0;
}
