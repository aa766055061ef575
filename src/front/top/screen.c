/* SPDX-License-Identifier: MIT */
#include "front/top/screen.h"

#include "common/base/buffer.h"
#include "front/top/layout.h"
#include "front/top/view.h"

#include <curses.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

enum { ESCAPE_MS = 50 };

struct screen {
    FILE *in, *out;
    SCREEN *terminal;
    bool shown;
};

const char *screen_version(void)
{
    const char *version = curses_version(), *number = strchr(version, ' ');
    return number ? number + 1 : version;
}

const char *screen_missing(int fd)
{
    const char *term = getenv("TERM");
    int found = 0;
    if (!isatty(fd))
        return "standard output is not a terminal";
    if (!term || !*term)
        return "TERM does not say what the terminal is";
    if (setupterm(term, fd, &found) == ERR)
        return "the terminal that TERM names is unknown";
    bool able =
        tigetstr("cup") && tigetstr("cup") != (char *)-1 && tigetstr("clear") && tigetstr("clear") != (char *)-1;
    del_curterm(cur_term);
    return able ? NULL : "the terminal that TERM names cannot move its cursor";
}

/* Returns true if we are in the foreground. In the background, the terminal belongs to another job. If the terminal is
 * not our controlling terminal, assume that it is ours. */
static bool is_ours(const struct screen *screen)
{
    pid_t group = tcgetpgrp(fileno(screen->out));
    return group < 0 || group == getpgrp();
}

static FILE *stream_of(int fd, const char *mode)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    FILE *stream = copy < 0 ? NULL : fdopen(copy, mode);
    if (!stream && copy >= 0)
        close(copy);
    return stream;
}

static void prepare_terminal(struct screen *screen)
{
    cbreak();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(ESCAPE_MS);
    leaveok(stdscr, FALSE);
    curs_set(0);
    screen->shown = true;
}

static void close_streams(struct screen *screen)
{
    if (screen->in)
        fclose(screen->in);
    if (screen->out)
        fclose(screen->out);
    free(screen);
}

struct screen *screen_open(int in, int out)
{
    struct screen *screen = calloc(1, sizeof *screen);
    if (!screen)
        return NULL;
    screen->in = stream_of(in, "r");
    screen->out = stream_of(out, "w");
    if (screen->in && screen->out)
        screen->terminal = newterm(NULL, screen->out, screen->in);
    if (!screen->terminal) {
        close_streams(screen);
        return NULL;
    }
    prepare_terminal(screen);
    return screen;
}

void screen_leave(struct screen *screen)
{
    if (screen && screen->shown) {
        endwin();
        screen->shown = false;
    }
}

void screen_close(struct screen *screen)
{
    if (!screen)
        return;
    screen_leave(screen);
    delscreen(screen->terminal);
    close_streams(screen);
}

void screen_size(struct screen *screen, unsigned *width, unsigned *height)
{
    struct winsize size;
    int down, across;
    if (ioctl(fileno(screen->out), TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col &&
        is_term_resized(size.ws_row, size.ws_col))
        resizeterm(size.ws_row, size.ws_col);
    getmaxyx(stdscr, down, across);
    *width = across > 0 ? (unsigned)across : 1;
    *height = down > 0 ? (unsigned)down : 1;
}

/* Uses no colours, because attributes stand out on any background. */
static attr_t attributes_of(enum layout_style style)
{
    static const attr_t attributes[] = {
        [LAYOUT_PLAIN] = A_NORMAL,
        [LAYOUT_TITLE] = A_REVERSE,
        [LAYOUT_HEAD] = A_BOLD | A_UNDERLINE,
        [LAYOUT_HOT] = A_BOLD,
        [LAYOUT_SELECTED] = A_REVERSE | A_BOLD,
        [LAYOUT_FAINT] = A_DIM,
    };
    return attributes[style];
}

void screen_show(struct screen *screen, const struct layout *layout)
{
    if (!is_ours(screen))
        return;
    if (!screen->shown)
        clearok(curscr, TRUE);
    erase();
    for (size_t i = 0; i < layout->count && i < (size_t)LINES; i++) {
        const struct buffer *text = &layout->items[i].text;
        attrset((int)attributes_of(layout->items[i].style));
        if (text->bytes)
            mvaddnstr((int)i, 0, text->bytes, (int)text->length);
    }
    attrset(A_NORMAL);
    curs_set(layout->typing);
    if (layout->typing && layout->count)
        move((int)layout->count - 1, (int)layout->cursor < COLS ? (int)layout->cursor : COLS - 1);
    screen->shown = true;
    refresh();
}

int screen_keys(const struct screen *screen)
{
    return screen->shown && is_ours(screen) ? fileno(screen->in) : -1;
}

/* Converts a key from curses. */
static uint32_t key_of(wint_t key)
{
    static const struct {
        wint_t curses;
        uint32_t key;
    } keys[] = {
        {KEY_UP, VIEW_KEY_UP},           {KEY_DOWN, VIEW_KEY_DOWN},      {KEY_PPAGE, VIEW_KEY_PAGE_UP},
        {KEY_NPAGE, VIEW_KEY_PAGE_DOWN}, {KEY_HOME, VIEW_KEY_HOME},      {KEY_END, VIEW_KEY_END},
        {KEY_ENTER, VIEW_KEY_ENTER},     {KEY_BACKSPACE, VIEW_KEY_BACK}, {KEY_BTAB, VIEW_KEY_BACK_TAB},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].curses == key)
            return keys[i].key;
    return VIEW_KEY_OTHER;
}

static uint32_t key_of_character(wint_t character)
{
    switch (character) {
    case '\r':
    case '\n':
        return VIEW_KEY_ENTER;
    case '\b':
    case 0x7f:
        return VIEW_KEY_BACK;
    case '\t':
        return VIEW_KEY_TAB;
    case 0x1b:
        return VIEW_KEY_ESCAPE;
    case 'U' - '@':
        return VIEW_KEY_ERASE_LINE;
    default:
        return character < ' ' ? VIEW_KEY_OTHER : (uint32_t)character;
    }
}

bool screen_key(struct screen *screen, uint32_t *key, bool *resized, bool *gone)
{
    struct pollfd news = {.fd = fileno(screen->in), .events = POLLIN};
    wint_t got;
    *resized = *gone = false;
    if (screen_keys(screen) < 0)
        return false;
    if (poll(&news, 1, 0) > 0 && (news.revents & (POLLHUP | POLLERR | POLLNVAL))) {
        *gone = true;
        return false;
    }
    int kind = get_wch(&got);
    if (kind == ERR)
        return false;
    *resized = kind == KEY_CODE_YES && got == KEY_RESIZE;
    *key = kind == KEY_CODE_YES ? key_of(got) : key_of_character(got);
    return true;
}
