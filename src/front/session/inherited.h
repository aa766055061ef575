/* SPDX-License-Identifier: MIT
 *
 * Descriptors above 2 that our caller left open. They are for the command. If we kept them open, the reader of a pipe
 * would not see its end. */
#ifndef SESSION_INHERITED_H
#define SESSION_INHERITED_H

#include <stddef.h>

enum { INHERITED_MOST = 1024 };

struct inherited {
    int items[INHERITED_MOST];
    size_t count;
};

/* Lists the descriptors that are open now and survive an exec. */
void inherited_list(struct inherited *inherited);

/* Closes them, and opens /dev/null as standard input and output. */
void inherited_drop(const struct inherited *inherited);

#endif
