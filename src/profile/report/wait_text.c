/* SPDX-License-Identifier: MIT */
#include "profile/report/wait_text.h"

#include "common/base/buffer.h"
#include "common/model/wait.h"
#include "common/names/library_name.h"
#include "profile/profile/label.h"
#include "profile/report/branches.h"

#include <string.h>

/* True if NAME belongs to a library, even one that is linked into the program. */
static bool is_library(const char *name)
{
    static const char *const beginnings[] = {"pthread_", "thrd_", "mtx_", "cnd_", "sem_"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
            return true;
    return library_name(name) || branches_is_start_up(name);
}

/* Returns the first frame outside of libraries; the number of frames if none exists. */
static uint32_t caller_of(const struct wait_stack *stack)
{
    struct wait_frame inner = stack->frame(stack, 0);
    for (uint32_t number = 0; number < stack->count; number++) {
        struct wait_frame frame = stack->frame(stack, number);
        bool of_library = !inner.of_program && frame.module == inner.module;
        if (!of_library && !is_library(frame.name))
            return number;
    }
    return stack->count;
}

/* Returns the name of the outermost function that CALLER has called in the module of the innermost one. */
static const char *entry_of(const struct wait_stack *stack, uint32_t caller)
{
    struct wait_frame entry = stack->frame(stack, 0);
    for (uint32_t number = 1; number < caller; number++) {
        struct wait_frame frame = stack->frame(stack, number);
        if (frame.module != entry.module)
            break;
        entry = frame;
    }
    return entry.name;
}

void wait_text_put(struct buffer *out, const struct wait_stack *stack, int32_t number)
{
    const struct label call = label_syscall(number);
    buffer_puts(out, call.text);
    uint32_t caller = number < WAIT_FIRST && stack->count ? caller_of(stack) : stack->count;
    if (caller == stack->count)
        return;
    const char *entry = caller ? entry_of(stack, caller) : "";
    buffer_printf(out, " %s", stack->frame(stack, caller).name);
    if (*entry && (strncmp(entry, call.text + 1, strlen(entry)) || strcmp(call.text + 1 + strlen(entry), "]")))
        buffer_printf(out, ": %s", entry);
}
