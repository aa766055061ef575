/* SPDX-License-Identifier: MIT
 *
 * The terminal, by ncursesw: nothing else knows of it. */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include "top/layout.h"

#include <stdbool.h>
#include <stdint.h>

struct screen;

/* Why the terminal that FD is open on has no full screen, as a sentence without its end; NULL if it has one. */
const char *screen_missing(int fd);

/* The version of the library. */
const char *screen_version(void);

/* Takes over the terminal that OUT writes to and IN reads keys from; both are the caller's, and stay open as long.
 * Returns NULL if that is not possible. */
struct screen *screen_open(int in, int out);

/* Restores the terminal and frees SCREEN. NULL is allowed. */
void screen_close(struct screen *screen);

/* Restores the terminal for a while, as before this process is stopped. The next screen_show takes it again. */
void screen_leave(struct screen *screen);

/* Sets the present size. */
void screen_size(struct screen *screen, unsigned *width, unsigned *height);

/* Shows LAYOUT, unless another job has the terminal. */
void screen_show(struct screen *screen, const struct layout *layout);

/* The descriptor to wait on for keys; -1 while another job has the terminal and gets the keys. */
int screen_keys(const struct screen *screen);

/* Sets *KEY, see enum view_key, to the next key that was pressed. False if none exists. *GONE is set if none will
 * come, as the terminal has gone; *RESIZED if its size has changed. */
bool screen_key(struct screen *screen, uint32_t *key, bool *resized, bool *gone);

#endif
