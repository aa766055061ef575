/* SPDX-License-Identifier: MIT
 *
 * Turns names of symbols into the names in the source. */
#ifndef NAMES_DEMANGLE_H
#define NAMES_DEMANGLE_H

/* Returns the C++, Rust (legacy and v0), D or Fortran (module::procedure) name for LINKAGE_NAME. It has parameters, but
 * no return type and no hash of Rust's. The text after an "@" ("@plt") is kept. The caller frees it. Returns NULL if
 * LINKAGE_NAME is not such a name, if it or its result is too long (128 and 256 KiB), if demangling takes unreasonably
 * long (see base/bounded.h), or if memory runs out. Show LINKAGE_NAME then. */
char *demangle_name(const char *linkage_name);

/* Like demangle_name, for a symbol of the Ada compiler GNAT: "pack__inner__run__2" becomes "pack.inner.run#2", the
 * second function of this name. The symbol itself does not show that it is Ada, so use this only for files with Ada
 * code. Returns NULL if LINKAGE_NAME cannot be such a symbol. */
char *demangle_ada(const char *linkage_name);

#endif
