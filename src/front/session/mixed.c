/* SPDX-License-Identifier: MIT */
#include "front/session/mixed.h"

#include "common/wire/message.h"
#include "front/record/object.h"
#include "front/record/record.h"
#include "front/record/scripts.h"
#include "profile/profile/profile.h"

static const char mark_name[] = "[?]", unknown_name[] = "[unknown]";

void mixed_fini(struct mixed *mixed)
{
    interpreters_fini(&mixed->interpreters);
}

void mixed_maps(struct mixed *mixed, const struct record *record, uint32_t number)
{
    const struct record_image *image = record_running_image(record, number);
    if (!image || !image->objects)
        return;
    interpreters_unmap(&mixed->interpreters, number);
    for (size_t i = 0; i < image->map.count; i++) {
        const struct object *object = image->objects[i] == HASH_NONE ? NULL : &record->objects.items[image->objects[i]];
        if (object && object->kind == OBJECT_FILE && object->fd >= 0)
            interpreters_map(&mixed->interpreters, number, image->pid, image->objects[i], object->fd,
                             &image->map.items[i]);
    }
}

void mixed_renew(struct mixed *mixed, uint64_t now_ns)
{
    interpreters_renew(&mixed->interpreters, now_ns);
    mixed->function_count = 0;
}

/* Returns the frame at LINE of function NUMBER of RECORD, or an empty frame if the function could not be stored. */
static struct unwind_frame frame_at(enum interp_language language, uint32_t number, uint32_t line)
{
    if (number == HASH_NONE)
        return (struct unwind_frame){0};
    return (struct unwind_frame){.pc = scripts_address(number, line), .call = true, .language = language};
}

static struct unwind_frame nameless(struct record *record, enum interp_language language, const char *name)
{
    return frame_at(language, record_script(record, language, interp_module_name(language), name, NULL, 0), 0);
}

static struct unwind_frame frame_of(struct mixed *mixed, struct record *record, const struct interpreters_frame *frame)
{
    enum interp_language language = mixed->stack.runtime->language;
    if (frame->function == HASH_NONE)
        return nameless(record, language, unknown_name);
    struct functions_item *function = &mixed->interpreters.functions.items[frame->function];
    char **texts = mixed->interpreters.functions.texts.items;
    if (function->number == HASH_NONE)
        function->number = record_script(record, language, interp_module_name(language), texts[function->name],
                                         texts[function->file], function->lines.first_line);
    return frame_at(language, function->number, frame->line);
}

/* Finds the owner of these sources, once for each process, and whenever a process may have named more. */
static void look_at_process(struct mixed *mixed, struct record *record, pid_t pid)
{
    struct interpreters_mapped *mapped = mixed->stack.mapped;
    enum interp_language language = mixed->stack.runtime->language;
    if (mapped->is_looked_at && mixed->function_count == mixed->interpreters.functions.count)
        return;
    mapped->is_looked_at = true;
    mixed->function_count = mixed->interpreters.functions.count;
    record_script_process(record, language, interp_module_name(language), pid);
}

/* Returns true if code that the language's compiler generated runs the leaf, among the first COUNT native frames. Such
 * code does not always store the frame's instruction. */
static bool is_compiled(const struct mixed *mixed, const struct record *record, const struct record_image *image,
                        size_t count)
{
    bool is = false;
    if (!interp_is_compiled(mixed->stack.runtime->language))
        return false;
    for (size_t i = 0; !is && i < count && mixed->natives[i].kind != MERGE_EVALUATION; i++)
        is = !mixed->natives[i].frame.language && record_is_generated(record, image, mixed->natives[i].frame.pc);
    return is;
}

/* Takes the frames of CAPTURE as native ones. Those of another language, which were merged before, have no part of the
 * stack. */
static void set_natives(struct mixed *mixed, const struct record_capture *capture)
{
    uint64_t sp = 0;
    for (size_t i = capture->frame_count; i--;) {
        const struct unwind_frame *frame = &capture->frames[i];
        mixed->natives[i] = (struct merge_native){.frame = *frame};
        if (frame->language)
            mixed->natives[i].frame.sp = sp;
        else
            mixed->natives[i].kind = interpreters_kind(&mixed->stack, frame->pc, frame->call);
        sp = mixed->natives[i].frame.sp;
    }
}

static void set_scripts(struct mixed *mixed, struct record *record)
{
    for (size_t i = 0; i < mixed->stack.count; i++) {
        const struct interpreters_frame *frame = &mixed->stack.frames[i];
        mixed->scripts[i] = (struct merge_script){.is_entry = frame->is_entry,
                                                  .stack = frame->stack,
                                                  .is_fresh = frame->is_fresh,
                                                  .is_generator = frame->is_generator};
        if (frame->is_frame)
            mixed->scripts[i].frame = frame_of(mixed, record, frame);
    }
}

/* Returns true if the thread runs the language now: the COUNT native frames have an evaluation, or the language's
 * frames have addresses of some. */
static bool is_running(const struct mixed *mixed, size_t count)
{
    bool is = false;
    for (size_t i = 0; i < count; i++)
        is |= mixed->natives[i].kind == MERGE_EVALUATION;
    for (size_t i = 0; i < mixed->stack.count; i++)
        is |= mixed->stack.frames[i].stack != 0;
    return is;
}

/* Inserts the frames of one language. IS_ONLY: the process has no other interpreter. */
static void merge_stack(struct mixed *mixed, struct record *record, const struct record_image *image,
                        struct record_capture *capture, bool is_only)
{
    struct interpreters_stack *stack = &mixed->stack;
    bool marked, is_whole = capture->cut == PROFILE_WHOLE;
    set_natives(mixed, capture);
    if (!is_only && is_whole && !is_running(mixed, capture->frame_count))
        return;
    look_at_process(mixed, record, image->pid);
    if (stack->count && is_compiled(mixed, record, image, capture->frame_count))
        stack->frames[0].line = 0;
    if (stack->is_linking && capture->frame_count)
        mixed->natives[0].kind = MERGE_OWN;
    set_scripts(mixed, record);
    const struct merge_stacks stacks = {
        .natives = mixed->natives,
        .native_count = capture->frame_count,
        .native_whole = is_whole,
        .scripts = mixed->scripts,
        .script_count = stack->count,
        .script_whole = stack->is_whole,
        .script_cut = stack->is_cut,
        .is_exact = interp_shows_entries(stack->runtime->language),
        .is_beginning = capture->frame_count && !capture->frames[0].language &&
                        interpreters_is_beginning(stack, capture->frames[0].pc),
    };
    size_t count =
        merge_stacks(&stacks, mixed->interpreters.mode, nameless(record, stack->runtime->language, mark_name),
                     mixed->frames, MIXED_MOST, &marked);
    mixed->interpreters.counts.marked += marked;
    if (!count)
        return;
    capture->frames = mixed->frames;
    capture->frame_count = count;
    if (stack->is_cut && stack->count && is_whole)
        capture->cut = PROFILE_TRUNCATED;
}

void mixed_merge(struct mixed *mixed, struct record *record, const struct message_capture *message,
                 struct record_capture *capture)
{
    const struct record_image *image = record_running_image(record, message->image);
    bool is_only = true;
    for (size_t at = 0; image && capture->frame_count <= MIXED_NATIVE &&
                        interpreters_stack(&mixed->interpreters, message, &at, &mixed->stack);) {
        is_only &= at == message->interp_size;
        merge_stack(mixed, record, image, capture, is_only);
    }
}
