/* SPDX-License-Identifier: MIT
 *
 * The process that reads names is asked about this program itself. */
#include "front/top/namer.h"
#include "front/top/namer_wire.h"

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
        struct pollfd news = {.fd = namer->socket, .events = POLLIN};
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
    ck_assert_int_eq(namer_start(&namer), 0);
    for (int i = 0; i < 2; i++) { /* the second time, the object is open and the function known */
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

START_TEST(a_process_that_dies_leaves_no_place_without_a_name)
{
    struct record record;
    struct places places = {0};
    struct namer namer;
    map_self(&record);
    ck_assert_int_eq(namer_start(&namer), 0);
    capture_leaf(&record, 1, 1, (uint64_t)(uintptr_t)known_function, -1, 1000);
    ck_assert(places_follow(&places, &record));
    kill(namer.child.pid, SIGSTOP);
    namer_ask(&namer, &places, &record);
    ck_assert_uint_eq(namer.asked_count, 1);
    kill(namer.child.pid, SIGKILL);
    wait_for_names(&namer, &places, &record);
    ck_assert_int_eq(namer.socket, -1);
    ck_assert_str_eq(name_at(&places, &record, 0), "[unknown]");
    capture_leaf(&record, 1, 1, (uint64_t)(uintptr_t)known_function + 1, -1, 1000);
    ck_assert(places_follow(&places, &record));
    wait_for_names(&namer, &places, &record); /* the process has ended */
    ck_assert_str_eq(name_at(&places, &record, 1), "[unknown]");
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
    struct {
        uint32_t type, size;
        const char *bytes;
    } entries[4];
    size_t count;
    const char *more;  /* behind the answer */
    const char *shown; /* of the address */
    bool sense;
} answers[] = {
    {"a place", {{NAMER_FUNCTION, 4, "f\0m"}, {NAMER_PLACE, 4, "\0\0\0"}}, 2, "", "f", true},
    {"a function more",
     {{NAMER_FUNCTION, 4, "f\0m"}, {NAMER_PLACE, 4, "\0\0\0"}, {NAMER_FUNCTION, 4, "g\0m"}},
     3,
     "",
     "f",
     true},
    {"one for which there is no memory",
     {{NAMER_FUNCTION, 4, "f\0m"}, {NAMER_PLACE, 4, "\0\0\0"}, {NAMER_FUNCTION, 11, TOO_MUCH "\0m"}},
     3,
     "",
     "f",
     false},
    {"a place more",
     {{NAMER_FUNCTION, 4, "f\0m"}, {NAMER_PLACE, 4, "\0\0\0"}, {NAMER_PLACE, 4, "\0\0\0"}},
     3,
     "",
     "f",
     false},
    {"another type", {{NAMER_FUNCTION, 4, "f\0m"}, {NAMER_PLACE, 4, "\0\0\0"}, {7, 4, "g\0m"}}, 3, "", "f", false},
    {"bytes behind it", {{NAMER_FUNCTION, 4, "f\0m"}, {NAMER_PLACE, 4, "\0\0\0"}}, 2, "x", "[unknown]", false},
    {"no place", {{NAMER_FUNCTION, 4, "f\0m"}}, 1, "", "[unknown]", false},
    {"no such function", {{NAMER_FUNCTION, 4, "f\0m"}, {NAMER_PLACE, 4, "\1\0\0"}}, 2, "", "[unknown]", false},
    {"half a number", {{NAMER_FUNCTION, 4, "f\0m"}, {NAMER_PLACE, 2, "\0"}}, 2, "", "[unknown]", false},
    {"no number", {{NAMER_FUNCTION, 4, "f\0m"}, {NAMER_PLACE, 0, ""}}, 2, "", "[unknown]", false},
    {"a name without a module", {{NAMER_FUNCTION, 2, "f"}, {NAMER_PLACE, 4, "\0\0\0"}}, 2, "", "[unknown]", false},
    {"a module without its end", {{NAMER_FUNCTION, 3, "f\0m"}, {NAMER_PLACE, 4, "\0\0\0"}}, 2, "", "[unknown]", false},
    {"nothing", {{0, 0, ""}}, 0, "", "[unknown]", false},
};

static void answer(int socket, int row)
{
    struct buffer bytes = {0};
    uint32_t size = 0;
    buffer_append(&bytes, &size, sizeof size);
    for (size_t i = 0; i < answers[row].count; i++) {
        struct namer_entry entry = {.type = answers[row].entries[i].type, .size = answers[row].entries[i].size};
        buffer_append(&bytes, &entry, sizeof entry);
        buffer_append(&bytes, answers[row].entries[i].bytes, entry.size);
    }
    size = (uint32_t)(bytes.length - sizeof size);
    memcpy(bytes.bytes, &size, sizeof size);
    buffer_puts(&bytes, answers[row].more);
    ck_assert_int_eq(send(socket, bytes.bytes, bytes.length, 0), (ssize_t)bytes.length);
    buffer_fini(&bytes);
}

/* The process that reads names may be compromised. */
START_TEST(an_answer_that_makes_no_sense_ends_it)
{
    struct record record;
    struct places places = {0};
    int pair[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    struct namer namer = {.socket = pair[0]};
    top_begin(&record);
    top_sample(&record, 100, "0", -1, 1, 0);
    ck_assert(places_follow(&places, &record));
    namer_ask(&namer, &places, &record);
    ck_assert_uint_eq(namer.asked_count, 1);
    answer(pair[1], _i);
    ck_assert(namer_take(&namer, &places, &record));
    ck_assert_msg((namer.socket >= 0) == answers[_i].sense, "%s", answers[_i].name);
    ck_assert_str_eq(name_at(&places, &record, 0), answers[_i].shown);
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
    UNIT_ADD_TABLE(tests, an_answer_that_makes_no_sense_ends_it, answers);
    return unit_end();
}
