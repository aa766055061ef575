/* SPDX-License-Identifier: MIT
 *
 * Complete stacks of each kind, in programs by different compilers: from the innermost function to the thread's
 * first. */
#include "unwind_tracee.h"

/* WITHOUT names the kinds whose stacks cannot be complete. */
static const struct {
    const char *compiler, *needs, *without;
} ways[] = {
    {"gcc -O2", "gcc", ""},
    {"gcc -O0", "gcc", ""},
    {"gcc -O2 -no-pie", "gcc", ""},
    {"gcc -O2 -static", "gcc", ""},
    {"gcc -O2 -static-pie -fPIE", "gcc", ""},
    {"gcc -O2 -Wl,-z,noseparate-code", "gcc", ""},
    {"gcc -O2 -fuse-ld=lld", "ld.lld", ""},
    {"gcc -O2 -fuse-ld=lld -no-pie", "ld.lld", ""},
    {"gcc -O2 -fuse-ld=lld -static", "ld.lld", ""},
    {"gcc -O2 -fuse-ld=gold", "ld.gold", ""},
    /* .debug_frame */
    {"gcc -O2 -g -fno-asynchronous-unwind-tables", "gcc", ""},
    /* only frame pointers, and leaf functions lack these, too: symbols */
    {"gcc -O2 -g0 -fno-asynchronous-unwind-tables -fno-omit-frame-pointer", "gcc", ""},
    /* musl has neither unwind tables nor frame pointers; the shared one has only dynamic symbols */
    {"musl-gcc -O2", "musl-gcc", "callback signal_library fiber"},
    {"musl-gcc -O2 -static", "musl-gcc", "fiber"},
    {"musl-gcc -O0 -static", "musl-gcc", "fiber"},
    {"clang -O2", "clang", ""},
};

/* The functions, innermost first. ? is any single function, * any number. */
static const struct {
    const char *kind, *functions;
    enum unwind_end end;
} kinds[] = {
    {"plain", "stop_here inner outer main *", UNWIND_WHOLE},
    {"shallow",
     "stop_here recurse recurse recurse recurse recurse recurse recurse recurse recurse recurse recurse "
     "recurse recurse shallow main *",
     UNWIND_WHOLE},
    {"aligned", "stop_here realign aligned main *", UNWIND_WHOLE},
    {"no_return", "stop_here never_returns ends_with_call no_return main *", UNWIND_WHOLE},
    {"callback", "stop_here compare * callback main *", UNWIND_WHOLE},
    {"signal_inside", "stop_here handler ? fault_inside signal_inside main *", UNWIND_WHOLE},
    {"signal_first", "stop_here handler ? fault_first signal_first main *", UNWIND_WHOLE},
    {"signal_library", "stop_here handler ? ? * signal_library main *", UNWIND_WHOLE},
    {"signal_stack", "stop_here handler ? fault_inside", UNWIND_TRUNCATED},
    {"thread", "stop_here inner in_thread *", UNWIND_WHOLE},
    {"fiber", "stop_here inner in_fiber *", UNWIND_WHOLE},
    {"made_code", "stop_here inner ? made_code main *", UNWIND_WHOLE},
};

/* Returns true if the frames from number AT on have the names in WANTED. */
static bool match(const struct tracee *tracee, size_t at, const char *wanted)
{
    size_t length = strcspn(wanted, " ");
    const char *rest = wanted + length + (wanted[length] == ' ');

    if (!*wanted)
        return at == tracee->frame_count;
    if (*wanted == '*')
        return match(tracee, at, rest) || (at < tracee->frame_count && match(tracee, at + 1, wanted));
    if (at == tracee->frame_count)
        return false;
    if (*wanted != '?') {
        const char *name = tracee_name(tracee, &tracee->frames[at]);
        if (strlen(name) != length || strncmp(name, wanted, length) != 0)
            return false;
    }
    return match(tracee, at + 1, rest);
}

static bool has_word(const char *words, const char *word)
{
    const char *found = strstr(words, word);

    return found && (found == words || found[-1] == ' ') && strchr(" ", found[strlen(word)]);
}

static const char *made(int way)
{
    static char name[32];

    snprintf(name, sizeof name, "stacks%d", way);
    return name;
}

/* Called once, before the first test. */
static void make_all(void)
{
    for (size_t i = 0; i < UNIT_ROWS(ways); i++)
        if (!fixture_lacks(ways[i].needs))
            tracee_make(made((int)i), ways[i].compiler);
    tracee_make("pointers", "gcc -O2 -fno-omit-frame-pointer");
}

/* The C library uses the frame pointer register for other values, so the callback is skipped. */
START_TEST(frame_pointers_lead_to_the_whole_stack)
{
    if (strcmp(kinds[_i].kind, "callback") == 0)
        return;
    struct tracee *tracee = tracee_start("pointers", kinds[_i].kind, UNWIND_FRAME_POINTERS);
    tracee_copy(tracee, TRACEE_STACK);
    tracee_unwind(tracee, TRACEE_FRAMES);
    ck_assert_msg(match(tracee, 0, kinds[_i].functions) && tracee->end == kinds[_i].end, "%s: %s", kinds[_i].kind,
                  tracee_text(tracee));
    tracee_end(tracee);
}
END_TEST

START_TEST(the_whole_stack_is_found)
{
    int way = _i / (int)UNIT_ROWS(kinds), kind = _i % (int)UNIT_ROWS(kinds);

    if (access(fixture_path(made(way)), X_OK) != 0 || has_word(ways[way].without, kinds[kind].kind))
        return;
    struct tracee *tracee = tracee_start(made(way), kinds[kind].kind, UNWIND_DWARF);
    tracee_copy(tracee, TRACEE_STACK);
    tracee_unwind(tracee, TRACEE_FRAMES);
    ck_assert_msg(match(tracee, 0, kinds[kind].functions) && tracee->end == kinds[kind].end, "%s, %s: %s",
                  ways[way].compiler, kinds[kind].kind, tracee_text(tracee));
    if (!strstr(ways[way].compiler, "-fno-asynchronous-unwind-tables")) /* libunwind guesses without tables */
        ck_assert_msg(tracee_stock_agrees(tracee), "%s, %s: libunwind-ptrace differs from %s", ways[way].compiler,
                      kinds[kind].kind, tracee_text(tracee));
    tracee_end(tracee);
}
END_TEST

/* Of a sleeping thread, only PC and stack pointer are known. Without tables, nothing shows that a function has a
 * frame. */
START_TEST(stacks_are_found_without_registers)
{
    int way = _i / (int)UNIT_ROWS(kinds), kind = _i % (int)UNIT_ROWS(kinds);

    bool guess =
        strcmp(kinds[kind].kind, "made_code") == 0 || strstr(ways[way].compiler, "-fno-asynchronous-unwind-tables");

    if (access(fixture_path(made(way)), X_OK) != 0 || has_word(ways[way].without, kinds[kind].kind) || guess)
        return;
    struct tracee *tracee = tracee_start(made(way), kinds[kind].kind, UNWIND_DWARF);
    tracee_copy(tracee, TRACEE_STACK);
    tracee->registers.known = 1u << UNWIND_PC | 1u << UNWIND_SP;
    tracee_unwind(tracee, TRACEE_FRAMES);
    ck_assert_msg(match(tracee, 0, kinds[kind].functions) && tracee->end == kinds[kind].end, "%s, %s: %s",
                  ways[way].compiler, kinds[kind].kind, tracee_text(tracee));
    tracee_end(tracee);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("unwind, kinds of stacks");

    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, make_all, NULL);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, the_whole_stack_is_found, 0, (int)(UNIT_ROWS(ways) * UNIT_ROWS(kinds)));
    tcase_add_loop_test(tests, stacks_are_found_without_registers, 0, (int)(UNIT_ROWS(ways) * UNIT_ROWS(kinds)));
    UNIT_ADD_TABLE(tests, frame_pointers_lead_to_the_whole_stack, kinds);
    return fixture_end();
}
