/* SPDX-License-Identifier: MIT */
#include "front/cli/top.h"

#include "common/base/time.h"
#include "common/text/say.h"
#include "front/cli/options.h"
#include "front/session/options.h"
#include "front/top/screen.h"
#include "profile/profile/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { SLOT_NS = 1000000000, NS_IN_MS = 1000000, AT_MOST_A_TWENTIETH = 20, PATIENCE_MS = 10000, NAMES_NS = 200000000 };

static const char hidden[] = "the command's output goes to /dev/null; --command-output=FILE keeps it";

static struct board_source source_of(struct top *top)
{
    return (struct board_source){top->session->record, &top->picture, &top->places};
}

static void count_rows(struct top *top)
{
    struct board_source from = source_of(top);
    if (!places_follow(&top->places, from.record) || !board_make(&top->board, &from, &top->view))
        snprintf(top->view.message, sizeof top->view.message, "out of memory: not everything is shown");
}

static struct layout_source layout_of(struct top *top, const struct board_source *from)
{
    const char *target = session_command_line(top->session);
    return (struct layout_source){
        .view = &top->view,
        .board = &top->board,
        .from = from,
        .head = {.target = target ? target : "?", .ended = top->ended, .state = top->state[0] ? top->state : NULL},
        .width = top->width,
        .height = top->height,
        .utf8 = say_utf8(),
    };
}

static struct view_rows rows_of(const struct top *top)
{
    return board_view_rows(&top->board, &top->view, layout_rows_of(top->height));
}

static void draw_screen(struct top *top)
{
    struct board_source from = source_of(top);
    if (!top->screen)
        return;
    screen_size(top->screen, &top->width, &top->height);
    struct view_rows rows = rows_of(top);
    view_fit(&top->view, &rows);
    struct layout_source source = layout_of(top, &from);
    layout_screen(&top->layout, &source);
    screen_show(top->screen, &top->layout);
}

/* Makes the view as text, with MOST rows (0: all), in the layout. */
static void make_text(struct top *top, size_t most)
{
    struct board_source from = source_of(top);
    struct layout_source source = layout_of(top, &from);
    source.width = 0;
    layout_text(&top->layout, &source, most);
}

static void print(struct top *top)
{
    make_text(top, top->options->output.rows);
    for (size_t i = 0; i < top->layout.count; i++) {
        const struct buffer *line = &top->layout.items[i].text;
        say_own(top->tables, line->bytes ? line->bytes : "");
        say_own(top->tables, "\n");
    }
    say_own(top->tables, "\n");
    top->leave |= fflush(top->tables) != 0; /* nobody reads them */
}

static void take_picture(struct top *top)
{
    if (!top->view.paused)
        live_look(&top->live, top->view.seconds * (uint64_t)SLOT_NS, &top->picture);
    count_rows(top);
}

static void ask_names(struct top *top, uint64_t now_ns)
{
    top->names_ns = now_ns + NAMES_NS;
    namer_ask(&top->namer, &top->places, top->session->record);
}

/* Ends a slot, unless the last picture must stay. The longer this takes, the later comes the next slot, to bound the
 * cost. */
static void end_slot(struct top *top, uint64_t now_ns)
{
    uint64_t began_ns = time_read_ns(CLOCK_THREAD_CPUTIME_ID);
    if (!top->ended)
        live_take(&top->live, top->session->record, now_ns);
    take_picture(top);
    ask_names(top, now_ns);
    draw_screen(top);
    uint64_t least_ns = AT_MOST_A_TWENTIETH * (time_read_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns);
    while (top->next_ns <= now_ns)
        top->next_ns += SLOT_NS;
    if (top->next_ns < now_ns + least_ns)
        top->next_ns = now_ns + least_ns;
    if (!top->screen && !top->ended && now_ns + SLOT_NS / 4 >= top->table_ns) {
        while (top->table_ns <= now_ns + SLOT_NS / 4)
            top->table_ns += top->view.seconds * (uint64_t)SLOT_NS;
        print(top);
    }
}

static void take_names(struct top *top)
{
    if (!namer_take(&top->namer, &top->places, top->session->record))
        return;
    ask_names(top, time_now_ns());
    if (top->namer.asked_count)
        return;
    count_rows(top);
    draw_screen(top);
}

static void save_view(struct top *top)
{
    make_text(top, 0);
    top_save_begin(&top->save, top->session, &top->layout, top->view.file, top->view.message, sizeof top->view.message);
}

/* Resets the view, because views of ended processes would be empty. */
static void reset_times(struct top *top)
{
    uint64_t now_ns = time_now_ns();
    if (top->ended)
        return;
    live_take(&top->live, top->session->record, now_ns);
    live_reset(&top->live, now_ns);
    top->view.paused = false;
    take_picture(top);
}

static void do_action(struct top *top, enum view_action action)
{
    if (action == VIEW_COUNT)
        count_rows(top);
    else if (action == VIEW_LOOK)
        take_picture(top);
    else if (action == VIEW_RESET)
        reset_times(top);
    else if (action == VIEW_SAVE)
        save_view(top);
    top->leave |= action == VIEW_QUIT;
    if (action != VIEW_NOTHING)
        draw_screen(top);
}

static void take_keys(struct top *top)
{
    uint32_t key;
    bool resized = false, gone = false;
    while (!top->leave && screen_key(top->screen, &key, &resized, &gone)) {
        struct view_rows rows = rows_of(top);
        if (resized)
            draw_screen(top);
        else
            do_action(top, view_key(&top->view, key, &rows));
    }
    top->leave |= gone;
}

/* Returns true if some places have no names that were requested, and the namer can answer. */
static bool lacks_names(const struct top *top)
{
    return !top->namer.asked_count && top->places.nodes.count < top->session->record->nodes.count;
}

static int wait_ms(const struct top *top)
{
    uint64_t now_ns = time_now_ns(), until_ns = top->next_ns;
    if (lacks_names(top) && top->names_ns < until_ns)
        until_ns = top->names_ns;
    return now_ns >= until_ns ? 0 : (int)((until_ns - now_ns) / NS_IN_MS) + 1;
}

static void wait_for_news(struct top *top)
{
    struct pollfd more[] = {
        {.fd = top->screen ? screen_keys(top->screen) : -1, .events = POLLIN},
        {.fd = namer_socket(&top->namer), .events = POLLIN},
        {.fd = top->save.background.news, .events = POLLIN},
    };
    session_turn(top->session, more, sizeof more / sizeof *more, wait_ms(top));
    if (more[1].revents)
        take_names(top);
    if (more[2].revents && top_save_end(&top->save, false, top->view.message, sizeof top->view.message))
        draw_screen(top);
    if (top->screen)
        take_keys(top);
    uint64_t now_ns = time_now_ns();
    if (lacks_names(top) && now_ns >= top->names_ns) {
        places_follow(&top->places, top->session->record);
        ask_names(top, now_ns);
    }
    if (now_ns >= top->next_ns)
        end_slot(top, now_ns);
}

/* Describes why sampling has ended. */
static void describe_end(struct top *top)
{
    const struct session *session = top->session;
    int status = session->command_status;
    if (!top->options->session.command)
        snprintf(top->state, sizeof top->state, "%s",
                 session->ended_early                                      ? session->ended_early
                 : top->options->session.duration_ns && session->timer < 0 ? "the duration asked for is over"
                                                                           : "what was profiled has ended");
    else if (!session->command_ended)
        snprintf(top->state, sizeof top->state, "%s",
                 session->ended_early ? session->ended_early : "profiling is over");
    else if (WIFSIGNALED(status))
        snprintf(top->state, sizeof top->state, "the command was ended by signal %d", WTERMSIG(status));
    else
        snprintf(top->state, sizeof top->state, "the command has ended with status %d", WEXITSTATUS(status));
}

/* Prints the last table. Waits for its names, but not long. */
static void print_last(struct top *top)
{
    uint64_t until_ns = time_now_ns() + PATIENCE_MS * (uint64_t)NS_IN_MS;
    while (top->namer.asked_count && time_now_ns() < until_ns) {
        struct pollfd news = {.fd = namer_socket(&top->namer), .events = POLLIN};
        if (poll(&news, 1, PATIENCE_MS) > 0)
            take_names(top);
    }
    print(top);
}

/* Handles the end of sampling. The last picture stays on the screen until the user leaves, except after a signal that
 * requests the end. */
static void end_sampling(struct top *top)
{
    struct session *session = top->session;
    describe_end(top);
    bool asked = session->asked_to_end || session->jobcontrol.told;
    session_end(session);
    session->asked_to_end = false;
    live_take(&top->live, session->record, time_now_ns());
    top->ended = true;
    top->leave |= asked || !top->screen;
    end_slot(top, time_now_ns());
    if (!top->screen)
        print_last(top);
}

void top_run(struct top *top)
{
    struct session *session = top->session;
    session_begin(session);
    while (!top->leave) {
        if (!top->ended && !session_goes_on(session))
            end_sampling(top);
        else
            wait_for_news(top);
        top->leave |= top->ended && (session->asked_to_end || session->jobcontrol.told);
    }
    screen_close(top->screen);
    top->screen = NULL;
    if (!top->ended)
        session_end(session);
    char text[sizeof top->view.message];
    if (top->save.background.news >= 0)
        say_line(stderr, "waiting until '%s' is written", top->view.file);
    if (top_save_end(&top->save, true, text, sizeof text))
        say_line(stderr, "%s", text);
    if (top->terminal.hides)
        say_line(stderr, "%s", hidden);
    if (session->options->command && !session->command_ended)
        say_line(stderr, "%s (%d) runs on without ptprofil, which waits for it; Ctrl-C ends it",
                 session->options->command[0], (int)session->jobcontrol.command);
    session_await_command(session);
}

static void before_stop(void *of)
{
    struct top *top = of;
    screen_leave(top->screen);
}

/* Opens the screen. The processes run already, so prints tables if no screen can be opened. */
static int open_screen(struct top *top, struct error *error)
{
    if (top->terminal.full)
        top->screen = screen_open(top->terminal.in, top->terminal.out);
    if (top->screen) {
        top->session->jobcontrol.before_stop = before_stop;
        top->session->jobcontrol.of = top;
        return 0;
    }
    top->tables = fdopen(top->terminal.out, "w");
    if (!top->tables)
        return error_system(error, errno, "cannot print tables");
    top->terminal.out = -1;
    return 0;
}

int top_start(struct top *top, struct session *session, const struct options *options, struct record *record,
              char *title, size_t title_size, struct error *error)
{
    top->options = options;
    top->session = session;
    top->save.background.news = -1;
    top->namer.server = (struct name_server)NAME_SERVER_NONE;
    view_begin(&top->view, options->session.wall, options->top.seconds);
    top->view.by = options->top.by;
    top->view.by_total = options->output.sort == REPORT_SORT_TOTAL;
    top->places.full_names = options->output.names == REPORT_NAMES_FULL;
    int result = top_terminal_open(&top->terminal, options, error);
    if (!result)
        result = top_terminal_give(&top->terminal, options, error);
    if (!result)
        result = session_start(session, &options->session, record, title, title_size, error);
    top_terminal_take(&top->terminal);
    if (top->terminal.hides)
        snprintf(top->view.message, sizeof top->view.message, "%s", hidden);
    if (result < 0 || session->exec_error)
        return result;
    namer_start(&top->namer);
    live_begin(&top->live, time_now_ns());
    top->next_ns = top->live.began_ns + SLOT_NS;
    top->table_ns = top->live.began_ns + options->top.seconds * (uint64_t)SLOT_NS;
    return open_screen(top, error);
}

void top_free(struct top *top)
{
    screen_close(top->screen);
    if (top->tables)
        fclose(top->tables);
    namer_end(&top->namer);
    live_free(&top->live);
    live_picture_free(&top->picture);
    places_free(&top->places);
    board_free(&top->board);
    layout_free(&top->layout);
    top_terminal_close(&top->terminal);
}
