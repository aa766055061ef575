/* SPDX-License-Identifier: MIT
 *
 * Unwinds code that a process has generated: it is in no file, has no tables, and mostly has no frame pointers. Its
 * instructions are known page by page, as the caller fetches them, and may change. */
#include "common/base/hash.h"
#include "programs/unwind/instructions.h"
#include "programs/unwind/pages.h"
#include "programs/unwind/walk.h"

#include <stdlib.h>

enum { PAGE = UNWIND_PAGE, SCANNED_WORDS = 8192 };

/* A page is fetched again when it is older than OLD_NS, and a request is repeated after that time. A page that leads
 * nowhere may have new code, so it is fetched earlier: first after DOUBTED_NS. That delay doubles each time the page
 * is unchanged. */
#define OLD_NS UINT64_C(1000000000)
#define DOUBTED_NS UINT64_C(5000000)

struct unwind_generated {
    struct unwind_pages *pages; /* the unwinder's; pages of this image have this struct as owner */
    uint64_t now_ns;
    uint64_t lacking[UNWIND_LACKING_MOST]; /* pages */
    size_t lacking_count;
    uint64_t absent; /* see unwind_image_absent */
};

static struct unwind_generated *generated_of(struct unwind_image *image)
{
    struct unwind_generated *generated = image->generated;
    if (generated)
        return generated;
    generated = calloc(1, sizeof *generated);
    if (!generated)
        return NULL;
    generated->pages = image->unwinder->pages;
    generated->now_ns = image->now_ns;
    image->generated = generated;
    return generated;
}

void unwind_generated_free(struct unwind_generated *generated)
{
    if (!generated)
        return;
    unwind_pages_forget(generated->pages, generated);
    free(generated);
}

/* Requests PAGE, unless it was requested lately. */
static void lack(struct unwind_generated *generated, struct unwind_page *page, bool needed)
{
    bool asked = page->asked_ns && generated->now_ns < page->asked_ns + OLD_NS;
    bool full = generated->lacking_count == UNWIND_LACKING_MOST;
    if (needed && !generated->absent) /* if the list is full, this page is requested after the pages in the list */
        generated->absent = asked || !full ? page->address : generated->lacking[0];
    if (asked || full)
        return;
    page->asked_ns = generated->now_ns;
    generated->lacking[generated->lacking_count++] = page->address;
}

/* Returns the page of ADDRESS as it was last fetched, if IMAGE has code there that is in no file. Returns NULL if
 * the page is missing, or if a file has the code. Requests a page that is missing or old. */
static struct unwind_page *find_page(struct unwind_image *image, uint64_t address)
{
    const struct unwind_mapping *mapping = unwind_image_find(image, address);
    struct unwind_generated *generated = mapping && !mapping->object ? generated_of(image) : NULL;
    struct unwind_page *page = generated ? unwind_pages_use(generated->pages, generated, address) : NULL;
    if (page && (!page->brought_ns || generated->now_ns > page->brought_ns + OLD_NS))
        lack(generated, page, !page->brought_ns);
    return page && page->readable ? page : NULL;
}

/* Copies the known bytes of code at ADDRESS. Returns their number. */
static size_t read_code(void *owner, uint64_t address, uint8_t bytes[static UNWIND_INSTRUCTION_MOST])
{
    size_t done = 0;
    while (done < UNWIND_INSTRUCTION_MOST) {
        const struct unwind_page *page = find_page(owner, address + done);
        size_t from = (size_t)((address + done) % PAGE), size = UNWIND_INSTRUCTION_MOST - done;
        if (!page)
            break;
        if (size > PAGE - from)
            size = PAGE - from;
        memcpy(bytes + done, page->bytes + from, size);
        done += size;
    }
    return done;
}

static const struct unwind_judged *judge(struct unwind_image *image, uint64_t address)
{
    struct unwind_page *page = find_page(image, address);
    struct unwind_judged *judged = page ? &page->judged[hash_number(address) % UNWIND_PAGE_JUDGED] : NULL;
    struct unwind_generated *generated = image->generated;
    if (!judged || judged->address == address)
        return judged;
    size_t before = generated->lacking_count;
    bool all;
    judged->count = unwind_leave_find(read_code, image, address, image->is_compat, judged->leaves, &all);
    /* with the next page there may be an answer */
    judged->address = judged->count || (generated->lacking_count == before && !generated->absent) ? address : 0;
    return judged;
}

bool unwind_generated_is_return(struct unwind_image *image, uint64_t pc)
{
    uint8_t bytes[UNWIND_INSTRUCTION_MOST];
    int32_t distance;
    return read_code(image, pc - UNWIND_BYTES_BEFORE, bytes) < UNWIND_BYTES_BEFORE ||
           unwind_judge_call(bytes + UNWIND_BYTES_BEFORE, &distance) != UNWIND_CALL_NONE;
}

/* A register that the function does not restore on the way still holds the caller's value. With a frame pointer the
 * function may have saved it earlier: then it is unknown. */
static bool caller_of(const struct unwind_walk *walk, const struct unwind_leave *leave, uint64_t base,
                      struct unwind_registers *caller)
{
    uint64_t value, place = base + (uint64_t)(int64_t)leave->depth, pc;
    *caller = (struct unwind_registers){0};
    for (int i = 0; i < UNWIND_KEPT; i++)
        if (leave->saved[i] == UNWIND_STILL_THERE
                ? !leave->by_frame && unwind_get(&walk->registers, unwind_kept[i], &value)
                : unwind_walk_read(walk, base + (uint64_t)(int64_t)leave->saved[i], &value))
            unwind_set(caller, unwind_kept[i], value);
    if (UNWIND_PUSHED_BY_CALL ? !unwind_walk_read(walk, place, &pc) : !unwind_get(caller, UNWIND_LINK, &pc))
        return false;
    caller->known &= ~(UINT64_C(1) << UNWIND_LINK);
    unwind_set(caller, UNWIND_PC, unwind_plain(pc));
    unwind_set(caller, UNWIND_SP, place + unwind_walk_pushed(walk) + (uint64_t)leave->arguments);
    return true;
}

/* True if a call may return to PC. Generated interpreters push return addresses themselves, so with LENIENT it is
 * enough that PC is in generated code. */
static bool may_return_to(const struct unwind_walk *walk, uint64_t pc, bool lenient)
{
    const struct unwind_mapping *mapping = lenient ? unwind_image_find(walk->image, pc) : NULL;
    return lenient ? mapping && !mapping->object : unwind_code_is_return(walk->image->unwinder->code, walk->image, pc);
}

enum unwind_step unwind_leave_by(struct unwind_walk *walk, const struct unwind_leave *leaves, size_t count,
                                 bool lenient)
{
    enum unwind_step result = UNWIND_STEP_NONE;
    uint64_t sp = walk->registers.value[UNWIND_SP], base;
    struct unwind_registers caller;
    for (size_t i = 0; i < count; i++) {
        const struct unwind_leave *way = &leaves[i];
        if (!unwind_get(&walk->registers, way->by_frame ? UNWIND_FP : UNWIND_SP, &base) ||
            (way->by_saved && !unwind_walk_read(walk, base + (uint64_t)(int64_t)way->saved_at, &base)) || base < sp)
            continue;
        if (!caller_of(walk, way, base, &caller)) {
            result = UNWIND_STEP_OUTSIDE;
        } else if (may_return_to(walk, caller.value[UNWIND_PC], lenient)) {
            walk->registers = caller;
            return UNWIND_STEP_TAKEN;
        }
    }
    return result;
}

/* Nobody calls the first function of a thread. Its return address is 0, or was put on the stack by hand without a
 * call before it. */
bool unwind_leave_is_last(const struct unwind_walk *walk, const struct unwind_leave *leaves, size_t count)
{
    struct unwind_registers caller;
    uint64_t base;
    for (size_t i = 0; i < count; i++) {
        const struct unwind_leave *way = &leaves[i];
        if (way->by_frame || way->by_saved || !unwind_get(&walk->registers, UNWIND_SP, &base) ||
            !caller_of(walk, way, base, &caller))
            continue;
        uint64_t pc = caller.value[UNWIND_PC];
        if (!pc || (unwind_image_find(walk->image, pc) &&
                    !unwind_code_is_return(walk->image->unwinder->code, walk->image, pc)))
            return true;
    }
    return false;
}

/* Requests the page of PC and the next one if they are old enough: their known code leads nowhere, so it may have
 * been replaced. */
static void doubt(struct unwind_image *image, uint64_t pc)
{
    struct unwind_generated *generated = image->generated;
    for (uint64_t address = pc; address <= pc + PAGE; address += PAGE) {
        struct unwind_page *page = generated ? unwind_pages_find(generated->pages, generated, address) : NULL;
        if (page && page->brought_ns && generated->now_ns > page->brought_ns + page->doubted_ns)
            lack(generated, page, true);
    }
}

enum unwind_step unwind_generated_step(struct unwind_walk *walk)
{
    uint64_t pc = walk->registers.value[UNWIND_PC];
    const struct unwind_mapping *mapping = unwind_image_find(walk->image, pc - walk->call);
    const struct unwind_judged *judged;
    enum unwind_step taken;
    if (!mapping || mapping->object)
        return UNWIND_STEP_NONE;
    judged = judge(walk->image, pc);
    taken = judged ? unwind_leave_by(walk, judged->leaves, judged->count, false) : UNWIND_STEP_NONE;
    if (taken != UNWIND_STEP_TAKEN && judged &&
        unwind_leave_by(walk, judged->leaves, judged->count, true) == UNWIND_STEP_TAKEN)
        return UNWIND_STEP_TAKEN;
    if (taken != UNWIND_STEP_TAKEN)
        doubt(walk->image, pc);
    return taken;
}

void unwind_image_time(struct unwind_image *image, uint64_t now_ns)
{
    image->now_ns = now_ns;
    if (now_ns > image->newest_ns)
        image->newest_ns = now_ns;
}

void unwind_image_code(struct unwind_image *image, uint64_t address, const void *bytes, size_t size)
{
    struct unwind_generated *generated = generated_of(image);
    struct unwind_page *page = generated ? unwind_pages_use(generated->pages, generated, address) : NULL;
    if (!page)
        return;
    bool same =
        page->brought_ns && page->readable == (size == PAGE) && (!page->readable || !memcmp(page->bytes, bytes, PAGE));
    page->brought_ns = image->newest_ns ? image->newest_ns : 1;
    page->asked_ns = 0;
    page->doubted_ns = !same ? DOUBTED_NS : page->doubted_ns < OLD_NS ? 2 * page->doubted_ns : OLD_NS;
    if (same)
        return;
    page->readable = size == PAGE;
    memset(page->judged, 0, sizeof page->judged);
    if (page->readable)
        memcpy(page->bytes, bytes, PAGE);
}

/* Withdraws the requests of the last stack that unwind_image_lacking did not return: nobody fetches these pages. */
static void lack_no_more(struct unwind_generated *generated)
{
    for (size_t i = 0; i < generated->lacking_count; i++) {
        struct unwind_page *page = unwind_pages_find(generated->pages, generated, generated->lacking[i]);
        if (page)
            page->asked_ns = 0;
    }
    generated->lacking_count = 0;
    generated->absent = 0;
}

/* Pages are only forgotten between two stacks. */
void unwind_generated_begin(struct unwind_image *image)
{
    struct unwind_generated *generated = image->generated;
    unwind_pages_make_room(image->unwinder->pages);
    if (!generated)
        return;
    generated->now_ns = image->now_ns;
    lack_no_more(generated);
}

/* Looks at the pages that the rest of the stack points to. The callers are most likely there. */
static void scan(struct unwind_image *image, const struct unwind_stack *stack)
{
    uint64_t word, address = 0, place;
    size_t size = image->is_compat ? 4 : 8;
    for (size_t i = 0; i < SCANNED_WORDS && image->generated->lacking_count < UNWIND_LACKING_MOST &&
                       runs_next(stack->runs, stack->run_count, size, &address, &place) &&
                       unwind_stack_read(stack, address, size, &word);
         i++, address += size)
        if (unwind_is_address(word))
            find_page(image, word);
}

uint64_t unwind_image_absent(const struct unwind_image *image)
{
    return image->generated ? image->generated->absent : 0;
}

/* Adds the pages of the callers only if the stack needs a page that was not requested before. Otherwise they were
 * requested together with that page. */
size_t unwind_image_lacking(struct unwind_image *image, const struct unwind_stack *stack,
                            uint64_t pages[static UNWIND_LACKING_MOST])
{
    struct unwind_generated *generated = image->generated;
    size_t count;
    if (!generated)
        return 0;
    if (generated->absent && generated->lacking_count)
        scan(image, stack);
    count = generated->lacking_count;
    memcpy(pages, generated->lacking, count * sizeof *pages);
    generated->lacking_count = 0;
    return count;
}
