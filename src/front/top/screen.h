/* SPDX-License-Identifier: MIT
 *
 * The terminal, through ncursesw. No other module uses ncursesw. */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

struct layout;
struct screen;

/* Returns why the terminal FD has no full screen, as a sentence without its end; NULL if it has one. */
const char *screen_missing(int fd);

/* Returns the version of the library. */
const char *screen_version(void);

/* Takes over the terminal: writes to OUT, and reads keys from IN. Both stay open and belong to the caller. Returns NULL
 * if that is impossible. */
struct screen *screen_open(int in, int out);

/* Restores the terminal and frees SCREEN. NULL is allowed. */
void screen_close(struct screen *screen);

/* Restores the terminal temporarily, for example before this process stops. The next screen_show takes it over
 * again. */
void screen_leave(struct screen *screen);

/* Sets *WIDTH and *HEIGHT to the present size. */
void screen_size(struct screen *screen, unsigned *width, unsigned *height);

/* Shows LAYOUT, unless another job has the terminal. */
void screen_show(struct screen *screen, const struct layout *layout);

/* Returns the descriptor for waiting for keys; -1 while another job has the terminal. */
int screen_keys(const struct screen *screen);

/* Sets *KEY to the next key pressed, see enum view_key. Returns false if there is none. Sets *GONE if none will come
 * because the terminal has gone, and *RESIZED if its size has changed. */
bool screen_key(struct screen *screen, uint32_t *key, bool *resized, bool *gone);

#endif
