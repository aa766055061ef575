/* SPDX-License-Identifier: MIT
 *
 * The process that reads names is asked about this program itself. */
#include "top/namer.h"

#include "test_top.h"
#include "unit.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* Has a symbol of its own, and an address to be found at. */
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
    record_image_begins(record, 1, getpid(), 0, "self", false);
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
    for (int i = 0; i < 2; i++) { /* the second time the object is open, and the function known */
        capture_leaf(&record, 1, 1, (uint64_t)(uintptr_t)known_function + (uint64_t)i, -1, 1000);
        ck_assert(places_follow(&places, &record));
        wait_for_names(&namer, &places, &record);
        ck_assert_str_eq(name_at(&places, &record, (uint32_t)i), "known_function");
    }
    ck_assert_uint_eq(places.functions.count, 1);
    capture_leaf(&record, 1, 1, 8, -1, 1000); /* where nothing is mapped */
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
    wait_for_names(&namer, &places, &record); /* nobody is there */
    ck_assert_str_eq(name_at(&places, &record, 1), "[unknown]");
    places_free(&places);
    record_fini(&record);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("top/namer");
    tcase_add_test(tests, names_come);
    tcase_add_test(tests, a_process_that_dies_leaves_no_place_without_a_name);
    return unit_end();
}
