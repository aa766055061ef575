/* SPDX-License-Identifier: MIT
 *
 * Names as their authors wrote them. */
#ifndef NAMES_DEMANGLE_H
#define NAMES_DEMANGLE_H

/* The C++ or Rust (legacy and v0) name behind LINKAGE_NAME, with parameters and without return type or Rust's
 * hash; what follows an "@" ("@plt") is kept. The caller frees it. NULL if it is not such a name, if it or its result
 * is unreasonably long, if it takes unreasonably long (see base/bounded.h), or without memory: show LINKAGE_NAME then.
 */
char *demangle_name(const char *linkage_name);

/* The same of an Ada compiler's symbol (GNAT): "pack__inner__run__2" is "pack.inner.run#2", the second of its name.
 * Such names do not tell that they are Ada's: it is for files that have such code. NULL if LINKAGE_NAME cannot be one.
 */
char *demangle_ada(const char *linkage_name);

#endif
