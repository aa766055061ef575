/* SPDX-License-Identifier: MIT
 *
 * The argument SYSTEM of --semantics and of `ptprofil semantics`. */
#ifndef CLI_SYSTEM_OPTION_H
#define CLI_SYSTEM_OPTION_H

#include "common/base/error.h"
#include "common/semantics/semantics.h"

#include <stdbool.h>

/* Sets *FOUND to the system called TEXT. PCSAMPLE: "pcsample" is also allowed. WHAT: name of the option or command.
 * Returns 0, or -EINVAL with ERROR listing the systems. */
int system_option_parse(const struct semantics **found, const char *what, const char *text, bool pcsample,
                        struct error *error);

#endif
