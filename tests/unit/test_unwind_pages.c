/* SPDX-License-Identifier: MIT */
#include "programs/unwind/pages.h"

#include "unit.h"

enum { LEFT = UNWIND_PAGES_MOST - UNWIND_PAGES_FREE };

static const char owners[300];

static uint64_t address_of(uint32_t number)
{
    return UINT64_C(0x10000) + (uint64_t)number * UNWIND_PAGE;
}

static uint32_t use(struct unwind_pages *pages, uint32_t owner_count, uint32_t from, uint32_t to)
{
    uint32_t made = 0;

    for (uint32_t i = from; i < to; i++)
        made += unwind_pages_use(pages, &owners[i % owner_count], address_of(i)) != NULL;
    return made;
}

/* Returns the number of known pages from FROM to TO. */
static uint32_t there(const struct unwind_pages *pages, uint32_t owner_count, uint32_t from, uint32_t to)
{
    uint32_t count = 0;

    for (uint32_t i = from; i < to; i++) {
        const struct unwind_page *page = unwind_pages_find(pages, &owners[i % owner_count], address_of(i) + 7);
        if (page) {
            ck_assert_ptr_eq(page->owner, &owners[i % owner_count]);
            ck_assert_uint_eq(page->address, address_of(i));
            count++;
        }
    }
    return count;
}

/* Of WANTED pages, the first MADE exist. The first AGAIN are used once more, and then pages are evicted. Those
 * pages, and pages from FIRST_KEPT on, must remain. */
static const struct {
    uint32_t owner_count, wanted, made, again, first_kept;
} evictions[] = {
    {1, LEFT, LEFT, 0, 0},
    {1, LEFT + 1, LEFT + 1, 0, 1},
    {1, UNWIND_PAGES_MOST, UNWIND_PAGES_MOST, 0, UNWIND_PAGES_FREE},
    {1, 5000, UNWIND_PAGES_MOST, 0, UNWIND_PAGES_FREE},
    {2, 5000, UNWIND_PAGES_MOST, 0, UNWIND_PAGES_FREE},
    {300, 300 * 1024, UNWIND_PAGES_MOST, 0, UNWIND_PAGES_FREE},
    {1, UNWIND_PAGES_MOST, UNWIND_PAGES_MOST, 10, UNWIND_PAGES_FREE + 10},
    {300, UNWIND_PAGES_MOST, UNWIND_PAGES_MOST, 400, UNWIND_PAGES_FREE + 400},
    {7, UNWIND_PAGES_MOST, UNWIND_PAGES_MOST, UNWIND_PAGES_MOST, UNWIND_PAGES_FREE},
};

START_TEST(the_least_recently_used_page_is_evicted)
{
    uint32_t owner_count = evictions[_i].owner_count, again = evictions[_i].again, made = evictions[_i].made;
    uint32_t first = evictions[_i].first_kept, kept_again = again < made ? again : 0;
    struct unwind_pages *pages = unwind_pages_new();

    ck_assert_uint_eq(use(pages, owner_count, 0, evictions[_i].wanted), made);
    ck_assert_uint_eq(use(pages, owner_count, 0, again), again);
    unwind_pages_make_room(pages);
    ck_assert_uint_eq(there(pages, owner_count, 0, kept_again), kept_again);
    ck_assert_uint_eq(there(pages, owner_count, kept_again, first), 0);
    ck_assert_uint_eq(there(pages, owner_count, first, made), made - first);
    ck_assert_uint_eq(there(pages, owner_count, made, evictions[_i].wanted), 0);
    /* other pages fit now */
    ck_assert_uint_eq(use(pages, 1, 1000000, 1000000 + UNWIND_PAGES_FREE), UNWIND_PAGES_FREE);
    unwind_pages_free(pages);
}
END_TEST

START_TEST(an_owner_goes_alone)
{
    struct unwind_pages *pages = unwind_pages_new();

    for (int round = 0; round < 3; round++) {
        ck_assert_uint_eq(use(pages, 4, 0, 1000), 1000);
        unwind_pages_forget(pages, &owners[1]);
        ck_assert_uint_eq(there(pages, 4, 0, 1000), 750);
        ck_assert_ptr_null(unwind_pages_find(pages, &owners[1], address_of(1)));
        ck_assert_ptr_nonnull(unwind_pages_find(pages, &owners[2], address_of(2)));
    }
    for (int i = 0; i < 4; i++)
        unwind_pages_forget(pages, &owners[i]);
    ck_assert_uint_eq(there(pages, 4, 0, 1000), 0);
    ck_assert_uint_eq(use(pages, 1, 0, 5000), UNWIND_PAGES_MOST);
    unwind_pages_free(pages);
    unwind_pages_free(NULL);
}
END_TEST

/* Pages of two owners at one address are different. */
START_TEST(owners_have_pages_of_their_own)
{
    struct unwind_pages *pages = unwind_pages_new();
    struct unwind_page *one = unwind_pages_use(pages, &owners[0], address_of(3) + 5);
    struct unwind_page *other = unwind_pages_use(pages, &owners[1], address_of(3));

    ck_assert_ptr_nonnull(one);
    ck_assert_ptr_nonnull(other);
    ck_assert_ptr_ne(one, other);
    ck_assert_ptr_eq(unwind_pages_use(pages, &owners[0], address_of(4) - 1), one);
    ck_assert_ptr_null(unwind_pages_find(pages, &owners[0], address_of(4)));
    unwind_pages_free(pages);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("unwind/pages");

    UNIT_ADD_TABLE(tests, the_least_recently_used_page_is_evicted, evictions);
    tcase_add_test(tests, an_owner_goes_alone);
    tcase_add_test(tests, owners_have_pages_of_their_own);
    return unit_end();
}
