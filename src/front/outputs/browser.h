/* SPDX-License-Identifier: MIT
 *
 * Shows a page in the user's browser. Only the browser is run, with the page's address as its one argument. */
#ifndef OUTPUTS_BROWSER_H
#define OUTPUTS_BROWSER_H

struct buffer;
struct error;

/* Makes a new folder that only its owner may enter, below $TMPDIR or /tmp, and returns the path of a page in it, which
 * does not exist yet. The caller frees the path. Returns NULL with ERROR set. */
char *browser_new_page(struct error *error);

/* Removes the folder of a new page, unless it has the page. */
void browser_drop_page(const char *page);

/* Gives a new page that was written, with its folder, to the user who called sudo, if any. If that fails,
 * the browser reports that it cannot read the page. */
void browser_give_page(const char *page);

/* Shows the page PATH by the programs of $BROWSER, a list separated by colons, or else by xdg-open. Waits a moment, to
 * see whether the program fails. As root by sudo, runs it as the user who called sudo. Returns 0, or -errno with ERROR
 * set. */
int browser_show(const char *path, struct error *error);

/* Appends the address file://... of PATH, which is absolute, to TEXT. */
void browser_put_address(struct buffer *text, const char *path);

#endif
