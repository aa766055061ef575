/* SPDX-License-Identifier: MIT
 *
 * The process that reads names is asked about this program itself. */
#include "front/top/namer.h"

#include "front/naming/name_answer.h"
#include "front/naming/name_wire.h"

#include "front/top/board.h"
#include "front/top/view.h"
#include "profile/profile/builder.h"
#include "test_top.h"
#include "unit.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* A function with a symbol, and an address to look up. */
__attribute__((noinline)) static int known_function(int number)
{
    __asm__ volatile("" : "+r"(number));
    return number;
}

static void map_self(struct record *record)
{
    struct buffer maps = {0};
    ck_assert_int_eq(buffer_read_path(&maps, "/proc/self/maps", 1 << 20), 0);
    *record = (struct record){0};
    record_image_begins(record, 1, getpid(), 0, "self");
    record_maps(record, 1, maps.bytes);
    buffer_fini(&maps);
}

static void wait_for_names(struct namer *namer, struct places *places, const struct record *record)
{
    namer_ask(namer, places, record);
    while (namer->asked_count) {
        struct pollfd news = {.fd = namer_socket(namer), .events = POLLIN};
        ck_assert_int_ge(poll(&news, 1, 50000), 0);
        if (namer_take(namer, places, record))
            namer_ask(namer, places, record);
    }
}

static const char *name_at(struct places *places, const struct record *record, uint32_t node)
{
    const struct places_item *place = &places->places.items[places->nodes.items[node]];
    (void)record;
    ck_assert_int_eq(place->state, PLACES_KNOWN);
    ck_assert(places_settle(places));
    return places_name(places, places->frames.items[place->first + place->count - 1]);
}

START_TEST(names_come)
{
    struct record record;
    struct places places = {0};
    struct namer namer;
    map_self(&record);
    namer_start(&namer);
    for (int i = 0; i < 2; i++) { /* the second time, the process has the object */
        capture_leaf(&record, 1, 1, (uint64_t)(uintptr_t)known_function + (uint64_t)i, -1, 1000);
        ck_assert(places_follow(&places, &record));
        wait_for_names(&namer, &places, &record);
        ck_assert_str_eq(name_at(&places, &record, (uint32_t)i), "known_function");
    }
    ck_assert_uint_eq(places.functions.count, 1);
    capture_leaf(&record, 1, 1, 8, -1, 1000); /* not mapped */
    ck_assert(places_follow(&places, &record));
    wait_for_names(&namer, &places, &record);
    ck_assert_str_eq(name_at(&places, &record, 2), "[unknown]");
    namer_end(&namer);
    places_free(&places);
    record_fini(&record);
    ck_assert_int_eq(known_function(3), 3);
}
END_TEST

/* Records a sample at OFFSET in known_function. */
static void sample_known_function(struct record *record, struct places *places, uint64_t offset)
{
    capture_leaf(record, 1, 1, (uint64_t)(uintptr_t)known_function + offset, -1, 1000);
    ck_assert(places_follow(places, record));
}

/* Returns the process that reads files, a child of the server's process. */
static pid_t reader_of(const struct name_server *server)
{
    char path[96];
    struct buffer text = {0};
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)server->child.pid, (int)server->child.pid);
    ck_assert_int_eq(buffer_read_path(&text, path, 4096), 0);
    pid_t pid = (pid_t)atol(text.bytes ? text.bytes : "0");
    buffer_fini(&text);
    return pid;
}

START_TEST(a_process_that_dies_leaves_no_place_without_a_name)
{
    struct record record;
    struct places places = {0};
    struct namer namer;
    map_self(&record);
    namer_start(&namer);
    sample_known_function(&record, &places, 0);
    wait_for_names(&namer, &places, &record);
    for (uint32_t restarts = 0; restarts <= NAMER_RESTARTS; restarts++) {
        sample_known_function(&record, &places, 2 * restarts + 1);
        kill(reader_of(&namer.server), SIGSTOP);
        namer_ask(&namer, &places, &record);
        ck_assert_uint_eq(namer.asked_count, 1);
        kill(namer.server.child.pid, SIGKILL);
        while (!namer_take(&namer, &places, &record))
            poll(&(struct pollfd){.fd = namer_socket(&namer), .events = POLLIN}, 1, 50000);
        ck_assert_int_eq(namer.server.socket, -1);
        ck_assert_int_eq(namer_socket(&namer), -1);
        ck_assert_uint_eq(namer.restarts, restarts);
        ck_assert_str_eq(name_at(&places, &record, 2 * restarts + 1), "[unknown]");
        sample_known_function(&record, &places, 2 * restarts + 2);
        wait_for_names(&namer, &places, &record);
        ck_assert_str_eq(name_at(&places, &record, 2 * restarts + 2),
                         restarts < NAMER_RESTARTS ? "known_function" : "[unknown]");
    }
    namer_end(&namer);
    places_free(&places);
    record_fini(&record);
}
END_TEST

START_TEST(a_process_that_hangs_or_dies_meanwhile_is_not_waited_for)
{
    struct record record;
    struct places places = {0};
    struct namer namer;
    map_self(&record);
    namer_start(&namer);
    sample_known_function(&record, &places, 0);
    wait_for_names(&namer, &places, &record);
    ck_assert_int_eq(namer_socket(&namer), -1); /* poll(2) would report the end of an idle connection again and again */
    ck_assert(!namer_take(&namer, &places, &record));
    kill(reader_of(&namer.server), SIGKILL);
    sample_known_function(&record, &places, 1);
    wait_for_names(&namer, &places, &record);
    ck_assert_str_eq(name_at(&places, &record, 1), "known_function");
    ck_assert_uint_eq(namer.restarts, 0); /* another one replaces the reader alone */
    kill(reader_of(&namer.server), SIGSTOP);
    sample_known_function(&record, &places, 2);
    for (int i = 0; i < 100; i++) {
        namer_ask(&namer, &places, &record);
        ck_assert(!namer_take(&namer, &places, &record));
    }
    ck_assert_uint_eq(namer.asked_count, 1);
    ck_assert_int_eq(poll(&(struct pollfd){.fd = namer_socket(&namer), .events = POLLIN}, 1, 0), 0);
    namer_end(&namer);
    places_free(&places);
    record_fini(&record);
}
END_TEST

START_TEST(connections_end_now_and_then)
{
    struct record record;
    struct places places = {0};
    struct namer namer;
    int pair[2], questions = 0;
    char byte;
    ssize_t got;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    map_self(&record);
    namer_start(&namer);
    namer.server.connection = pair[0];
    do {
        namer.asked_count = 0; /* as if there was an answer */
        sample_known_function(&record, &places, (uint64_t)questions++);
        namer_ask(&namer, &places, &record);
        ck_assert_uint_eq(namer.asked_count, 1);
        while ((got = recv(pair[1], &byte, sizeof byte, MSG_DONTWAIT)) > 0)
            continue;
    } while (got && questions < 1000);
    ck_assert_int_eq(questions, 256);
    while (!namer_take(&namer, &places, &record))
        poll(&(struct pollfd){.fd = namer_socket(&namer), .events = POLLIN}, 1, 50000);
    ck_assert_uint_eq(namer.restarts, 0);
    close(pair[1]);
    namer_end(&namer);
    places_free(&places);
    record_fini(&record);
}
END_TEST

/* A function with this name exceeds the memory. */
#define TOO_MUCH "too much"

uint32_t __real_names_add(struct names *names, const char *text, bool fixed);
uint32_t __wrap_names_add(struct names *names, const char *text, bool fixed);
uint32_t __wrap_names_add(struct names *names, const char *text, bool fixed)
{
    return strcmp(text, TOO_MUCH) ? __real_names_add(names, text, fixed) : HASH_NONE;
}

static const struct {
    const char *name;
    const char *functions[4]; /* of the places in the answer */
    bool nonsense;            /* behind them */
    const char *shown[2];     /* of the places that were asked for */
} answers[] = {
    {"both places", {"f", "g"}, false, {"f", "g"}},
    {"no memory for the second", {"f", TOO_MUCH}, false, {"f", "[unknown]"}},
    {"no memory for the first", {TOO_MUCH, "g"}, false, {"[unknown]", "[unknown]"}},
    {"one place", {"f"}, false, {"[unknown]", "[unknown]"}},
    {"a place more", {"f", "g", "h"}, false, {"[unknown]", "[unknown]"}},
    {"no place", {NULL}, false, {"[unknown]", "[unknown]"}},
    {"nonsense", {"f", "g"}, true, {"[unknown]", "[unknown]"}},
};

/* Sends an answer in which each place is a call of "inlined" within its function. */
static void send_answer(int socket, int row)
{
    struct buffer bytes = {0};
    struct name_reply reply = {0};
    struct builder builder;
    uint32_t locations[4], count = 0;
    builder_init(&builder);
    uint32_t module = builder_module(&builder, &(struct profile_module){.path = (char[]){"m"}});
    uint32_t inlined =
        builder_function(&builder, &(struct profile_function){.module = module, .name = (char[]){"inlined"}});
    for (; answers[row].functions[count]; count++) {
        struct profile_function like = {.module = module, .name = (char *)(uintptr_t)answers[row].functions[count]};
        uint32_t function = builder_function(&builder, &like);
        struct profile_line lines[] = {{inlined, PROFILE_NONE, 1}, {function, PROFILE_NONE, 2}};
        struct profile_location place = {.module = module, .function = function, .address = count, .line_count = 2};
        locations[count] = builder_location(&builder, &place, lines);
    }
    buffer_append(&bytes, &reply, sizeof reply);
    ck_assert(name_answer_write(&bytes, &builder, module, 0, locations, count));
    if (answers[row].nonsense)
        buffer_puts(&bytes, "\4");
    reply.size = bytes.length - sizeof reply;
    memcpy(bytes.bytes, &reply, sizeof reply);
    ck_assert_int_eq(send(socket, bytes.bytes, bytes.length, 0), (ssize_t)bytes.length);
    buffer_fini(&bytes);
    profile_free(builder_finish(&builder));
}

/* The process that reads names may be compromised. */
START_TEST(an_answer_that_makes_no_sense_costs_its_names_only)
{
    struct record record;
    struct places places = {0};
    int pair[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    struct namer namer = {.server = NAME_SERVER_NONE};
    namer.server.connection = pair[0];
    top_begin(&record);
    top_sample(&record, 100, "0", -1, 1, 0);
    top_sample(&record, 100, "1", -1, 1, 0);
    ck_assert(places_follow(&places, &record));
    namer_ask(&namer, &places, &record);
    ck_assert_uint_eq(namer.asked_count, 2);
    send_answer(pair[1], _i);
    ck_assert(namer_take(&namer, &places, &record));
    ck_assert_msg(namer.server.connection >= 0, "%s", answers[_i].name);
    for (uint32_t i = 0; i < 2; i++) {
        const struct places_item *place = &places.places.items[places.nodes.items[i]];
        bool named = strcmp(answers[_i].shown[i], "[unknown]");
        ck_assert_str_eq(name_at(&places, &record, i), answers[_i].shown[i]);
        ck_assert_uint_eq(place->count, named ? 2 : 1);
        if (named) /* innermost first */
            ck_assert_str_eq(places_name(&places, places.frames.items[place->first]), "inlined");
    }
    namer_end(&namer);
    close(pair[1]);
    places_free(&places);
    record_fini(&record);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("top/namer");
    tcase_add_test(tests, names_come);
    tcase_add_test(tests, a_process_that_dies_leaves_no_place_without_a_name);
    tcase_add_test(tests, a_process_that_hangs_or_dies_meanwhile_is_not_waited_for);
    tcase_add_test(tests, connections_end_now_and_then);
    UNIT_ADD_TABLE(tests, an_answer_that_makes_no_sense_costs_its_names_only, answers);
    return unit_end();
}
