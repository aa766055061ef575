/* SPDX-License-Identifier: MIT
 *
 * The options --impose and --impose-output. */
#ifndef CLI_IMPOSE_OPTION_H
#define CLI_IMPOSE_OPTION_H

struct impose;
struct semantics;

struct error;

/* Reads the argument of --impose into *IMPOSE. Returns 0, or -EINVAL with ERROR set. */
int impose_option_parse(struct impose *impose, const char *text, struct error *error);

/* Checks that the options fit together. OUTPUT is the argument of --impose-output, or NULL. Returns 0, or -EINVAL with
 * ERROR set. */
int impose_option_check(const struct impose *impose, const char *output, const struct semantics *semantics,
                        struct error *error);

#endif
