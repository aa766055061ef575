/* SPDX-License-Identifier: MIT */
#include "front/session/shadow.h"

#include "common/base/buffer.h"
#include "unit.h"

#include <string.h>

static void impose(struct shadows *shadows, uint32_t image, pid_t pid)
{
    const struct message_imposed message = {
        .image = image, .pid = pid, .generation = 1, .offset = 0x1000, .size = 64, .scale = 65536};
    shadows_imposed(shadows, &message, 0x555);
}

static void set_cell(struct shadows *shadows, uint32_t image, uint64_t number, uint64_t value)
{
    shadows_update(shadows, &(struct message_update){image, 1, number, value}, HASH_NONE);
}

static void add_pcs(struct shadows *shadows, uint32_t image, uint64_t pc, uint64_t count)
{
    shadows_update(shadows, &(struct message_update){image, 0, pc, count}, (uint32_t)pc + 100);
}

/* Checks the content of IMAGE's shadow. */
static void expect(const struct shadows *shadows, uint32_t image, const char *wanted)
{
    struct buffer text = {0};
    const struct shadow *shadow = shadows_find(shadows, image);
    buffer_puts(&text, shadow ? "" : "none");
    for (size_t i = 0; shadow && i < shadow->cells.count; i++)
        buffer_printf(&text, "%s%lu=%lu", i ? " " : "", shadow->cells.items[i].number, shadow->cells.items[i].value);
    for (size_t i = 0; shadow && i < shadow->runs.count; i++) {
        const struct shadow_run *run = &shadow->runs.items[i];
        buffer_printf(&text, "%s%lux%lu", text.length ? " " : "", run->pc, run->count);
        ck_assert_uint_eq(run->place, run->pc + 100);
    }
    ck_assert_str_eq(text.bytes, wanted);
    buffer_fini(&text);
}

START_TEST(cells_have_the_last_value)
{
    struct shadows shadows = {0};
    impose(&shadows, 1, 10);
    impose(&shadows, 2, 11);
    expect(&shadows, 1, "");
    set_cell(&shadows, 1, 9, 1);
    set_cell(&shadows, 1, 3, 1);
    set_cell(&shadows, 2, 9, 7);
    set_cell(&shadows, 1, 9, 2);
    set_cell(&shadows, 1, 9, 0); /* the counter wrapped */
    expect(&shadows, 1, "9=0 3=1");
    expect(&shadows, 2, "9=7");
    const struct shadow *first = shadows_find(&shadows, 1);
    ck_assert(first->own);
    ck_assert_uint_eq(first->offset, 0x1000);
    ck_assert_uint_eq(first->size, 64);
    ck_assert_uint_eq(first->scale, 65536);
    ck_assert_uint_eq(first->bias, 0x555);
    shadows_fini(&shadows);
}
END_TEST

START_TEST(pcs_come_in_order)
{
    struct shadows shadows = {0};
    impose(&shadows, 1, 10);
    add_pcs(&shadows, 1, 5, 1);
    add_pcs(&shadows, 1, 5, 2);
    add_pcs(&shadows, 1, 6, 1);
    add_pcs(&shadows, 1, 5, 1);
    expect(&shadows, 1, "5x3 6x1 5x1");
    shadows_fini(&shadows);
}
END_TEST

START_TEST(a_child_has_a_copy_of_its_own)
{
    struct shadows shadows = {0};
    impose(&shadows, 1, 10);
    set_cell(&shadows, 1, 9, 4);
    add_pcs(&shadows, 1, 5, 2);
    shadows_inherited(&shadows, &(struct message_inherited){2, 1, 20, 0});
    set_cell(&shadows, 1, 9, 5);
    set_cell(&shadows, 2, 8, 1);
    add_pcs(&shadows, 2, 5, 1);
    expect(&shadows, 1, "9=5 5x2");
    expect(&shadows, 2, "9=4 8=1 5x3");
    const struct shadow *child = shadows_find(&shadows, 2);
    ck_assert_int_eq(child->pid, 20);
    ck_assert_uint_eq(child->generation, 0);
    ck_assert_uint_eq(child->size, 64);
    ck_assert_uint_eq(child->bias, 0x555);
    shadows_fini(&shadows);
}
END_TEST

START_TEST(empty_shadows_are_forgotten)
{
    struct shadows shadows = {0};
    for (uint32_t image = 1; image <= 4; image++)
        impose(&shadows, image, (pid_t)image);
    shadows_inherited(&shadows, &(struct message_inherited){5, 3, 5, 0});
    set_cell(&shadows, 3, 1, 1);
    shadows_end(&shadows, 2);
    shadows_end(&shadows, 1); /* the command's image is kept */
    shadows_end(&shadows, 3);
    shadows_end(&shadows, 5);
    shadows_end(&shadows, 99);
    expect(&shadows, 1, "");
    expect(&shadows, 2, "none");
    expect(&shadows, 3, "1=1");
    expect(&shadows, 4, "");
    expect(&shadows, 5, "none");
    ck_assert_uint_eq(shadows.count, 3);
    set_cell(&shadows, 4, 2, 2);
    shadows_end(&shadows, 4);
    expect(&shadows, 4, "2=2");
    shadows_fini(&shadows);
}
END_TEST

START_TEST(messages_of_no_image_are_no_harm)
{
    struct shadows shadows = {0};
    set_cell(&shadows, 1, 1, 1);
    add_pcs(&shadows, 1, 1, 1);
    shadows_end(&shadows, 1);
    shadows_inherited(&shadows, &(struct message_inherited){2, 1, 20, 0}); /* of an unknown parent */
    impose(&shadows, 0, 10);
    impose(&shadows, 3, 10);
    set_cell(&shadows, 3, 1, 1);
    impose(&shadows, 3, 11); /* a second time */
    expect(&shadows, 3, "1=1");
    ck_assert_int_eq(shadows_find(&shadows, 3)->pid, 10);
    ck_assert(!shadows.out_of_memory);
    shadows_fini(&shadows);
}
END_TEST

START_TEST(refusals_are_counted_and_one_is_kept)
{
    struct shadows shadows = {0};
    struct message_imposed refused = {.image = 5, .refusal = CALLS_REFUSED_FILTER};
    memset(refused.comm, 'x', sizeof refused.comm);
    shadows_imposed(&shadows, &refused, 0);
    ck_assert_uint_eq(strlen(shadows.refusal.comm), 15);
    refused.image = FIRST_IMAGE;
    refused.refusal = CALLS_REFUSED_TEXT;
    shadows_imposed(&shadows, &refused, 0);
    refused.image = 6;
    shadows_imposed(&shadows, &refused, 0);
    ck_assert_uint_eq(shadows.refused, 3);
    ck_assert_uint_eq(shadows.count, 0);
    ck_assert_uint_eq(shadows.refusal.image, FIRST_IMAGE); /* the command's refusal is reported before others */
    for (uint32_t refusal = 0; refusal < 100; refusal++) {
        refused.refusal = refusal;
        ck_assert_ptr_nonnull(shadow_refusal(&refused));
    }
    shadows_fini(&shadows);
}
END_TEST

START_TEST(sorting_orders_processes_and_cells)
{
    static const pid_t pids[] = {30, 10, 20, 10};
    struct shadows shadows = {0};
    for (uint32_t i = 0; i < UNIT_ROWS(pids); i++) {
        impose(&shadows, i + 1, pids[i]);
        for (uint64_t number = 50; number; number--)
            set_cell(&shadows, i + 1, number * 37 % 53, number);
    }
    shadows_sort(&shadows);
    static const uint32_t images[] = {2, 4, 3, 1};
    for (size_t i = 0; i < shadows.count; i++) {
        ck_assert_uint_eq(shadows.items[i].image, images[i]);
        for (size_t k = 1; k < shadows.items[i].cells.count; k++)
            ck_assert_uint_lt(shadows.items[i].cells.items[k - 1].number, shadows.items[i].cells.items[k].number);
    }
    shadows_fini(&shadows);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("session/shadow");
    tcase_add_test(tests, cells_have_the_last_value);
    tcase_add_test(tests, pcs_come_in_order);
    tcase_add_test(tests, a_child_has_a_copy_of_its_own);
    tcase_add_test(tests, empty_shadows_are_forgotten);
    tcase_add_test(tests, messages_of_no_image_are_no_harm);
    tcase_add_test(tests, refusals_are_counted_and_one_is_kept);
    tcase_add_test(tests, sorting_orders_processes_and_cells);
    return unit_end();
}
