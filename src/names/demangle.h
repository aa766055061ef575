/* SPDX-License-Identifier: MIT
 *
 * Names as their authors wrote them. */
#ifndef NAMES_DEMANGLE_H
#define NAMES_DEMANGLE_H

/* The C++, Rust (legacy and v0), D or Fortran (module::procedure) name behind LINKAGE_NAME, with parameters and
 * without return type or Rust's hash; what follows an "@" ("@plt") is kept. The caller frees it. NULL if it is not such
 * a name, if it or its result is unreasonably long, if it takes unreasonably long (see base/bounded.h), or without
 * memory: show LINKAGE_NAME then.
 */
char *demangle_name(const char *linkage_name);

/* The same for a symbol of the Ada compiler GNAT: "pack__inner__run__2" becomes "pack.inner.run#2", the second of
 * its name. Such names cannot be recognised as Ada's, so use this only for files with Ada code. Returns NULL if
 * LINKAGE_NAME cannot be one. */
char *demangle_ada(const char *linkage_name);

#endif
