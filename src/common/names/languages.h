/* SPDX-License-Identifier: MIT
 *
 * Names of compilers that libiberty does not know. Also names that do not show their compiler: other names in the same
 * file do. Pure. */
#ifndef NAMES_LANGUAGES_H
#define NAMES_LANGUAGES_H

#include <stddef.h>

enum {
    LANGUAGES_ADA = 1,     /* GNAT */
    LANGUAGES_HASKELL = 2, /* GHC */
    LANGUAGES_NIM = 4,
    LANGUAGES_OCAML = 8,
    LANGUAGES_FORTRAN = 16, /* gfortran */
};

/* Returns the languages (above) whose compilers put the symbol NAME, of LENGTH bytes, into a file; mostly none. */
unsigned languages_shown_by(const char *name, size_t length);

/* Returns the source name for LINKAGE_NAME, from a file with symbols of LANGUAGES. Keeps the numbers that distinguish
 * functions of the same name:
 *   camlStdlib__List__map_236                     Stdlib.List.map_236
 *   base_GHCziBase_zdfApplicativeIOzuzdczp_info   GHC.Base.$fApplicativeIO_$c+
 *   __physics_MOD_step                            physics::step
 *   cpuTime__pureZtimes_3661                      pure/times.cpuTime_3661
 * The caller frees it. Returns NULL if LINKAGE_NAME is not such a name, or if memory runs out. */
char *languages_demangle(unsigned languages, const char *linkage_name);

#endif
