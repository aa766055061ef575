/* SPDX-License-Identifier: MIT
 *
 * Truncated and malformed stacks and files: unwinding ends, with the right reason. The sanitizers must report
 * nothing. */
#include "unwind_synthetic.h"
#include "unwind_tracee.h"

#include "common/base/hash.h"

#include <sys/stat.h>

static const char synthetic_source[] = "    .text\n"
                                       "    .globl function\n"
                                       "    .type function, @function\n"
                                       "function:\n"
                                       "    .cfi_startproc\n"
                                       "    push %rbx\n"
                                       "    .cfi_def_cfa_offset 16\n"
                                       "    .cfi_offset rbx, -16\n"
                                       "    pop %rbx\n"
                                       "    .cfi_def_cfa_offset 8\n"
                                       "    ret\n"
                                       "    .cfi_endproc\n"
                                       "    .size function, . - function\n"
                                       "    .fill 64, 1, 0x90\n"
                                       "    .globl signal_return\n"
                                       "    .type signal_return, @function\n"
                                       "signal_return:\n"
                                       "    .byte 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05\n"
                                       "    .size signal_return, . - signal_return\n"
                                       "    .fill 64, 1, 0x90\n";

static void make_programs(void)
{
    fixture_write("synthetic.s", synthetic_source, sizeof synthetic_source - 1);
    fixture_run("gcc -nostdlib -shared -o synthetic.so synthetic.s");
    tracee_make("stacks", "gcc -O2");
}

static struct tracee *stopped(const char *kind)
{
    struct tracee *tracee = tracee_start("stacks", kind, UNWIND_DWARF);

    tracee_copy(tracee, TRACEE_STACK);
    tracee_unwind(tracee, TRACEE_FRAMES);
    return tracee;
}

/* A smaller copy of the stack gives fewer frames, all of them equal to those of the whole stack. */
START_TEST(a_cut_copy_gives_the_inner_frames)
{
    struct tracee *tracee = stopped("shallow");
    struct unwind_frame whole[TRACEE_FRAMES];
    size_t count = tracee->frame_count, last = 0;

    ck_assert_int_eq(tracee->end, UNWIND_WHOLE);
    memcpy(whole, tracee->frames, sizeof whole);
    for (size_t size = 0; size < 4096; size++) {
        tracee->copied.size = size;
        tracee_unwind(tracee, TRACEE_FRAMES);
        ck_assert_int_eq(tracee->end, tracee->frame_count == count ? UNWIND_WHOLE : UNWIND_TRUNCATED);
        ck_assert_uint_ge(tracee->frame_count, last);
        ck_assert_uint_le(tracee->frame_count, count);
        for (size_t i = 0; i < tracee->frame_count; i++)
            ck_assert_uint_eq(tracee->frames[i].pc, whole[i].pc);
        last = tracee->frame_count;
    }
    ck_assert_uint_eq(last, count);
    tracee_end(tracee);
}
END_TEST

/* The copy may be split anywhere. */
START_TEST(a_copy_may_have_parts)
{
    struct tracee *tracee = stopped("shallow");
    struct unwind_frame whole[TRACEE_FRAMES];
    size_t count = tracee->frame_count;
    struct memory_run parts[3];

    memcpy(whole, tracee->frames, sizeof whole);
    tracee->stack.runs = parts;
    tracee->stack.run_count = 3;
    for (size_t at = 0; at < 4096; at += 8) {
        parts[0] = (struct memory_run){tracee->copied.start, at};
        parts[1] = (struct memory_run){tracee->copied.start + at, 8};
        parts[2] = (struct memory_run){tracee->copied.start + at + 8, tracee->copied.size - at - 8};
        tracee_unwind(tracee, TRACEE_FRAMES);
        ck_assert_int_eq(tracee->end, UNWIND_WHOLE);
        ck_assert_uint_eq(tracee->frame_count, count);
        for (size_t i = 0; i < count; i++)
            ck_assert_uint_eq(tracee->frames[i].pc, whole[i].pc);
    }
    tracee_end(tracee);
}
END_TEST

START_TEST(the_number_of_frames_is_limited)
{
    struct tracee *tracee = stopped("shallow");
    size_t count = tracee->frame_count;

    for (size_t most = 1; most < count + 3; most++) {
        tracee_unwind(tracee, most);
        ck_assert_uint_eq(tracee->frame_count, most < count ? most : count);
        ck_assert_int_eq(tracee->end, most < count ? UNWIND_TRUNCATED : UNWIND_WHOLE);
    }
    tracee_end(tracee);
}
END_TEST

START_TEST(a_deep_recursion_is_cut)
{
    struct tracee *tracee = stopped("deep");

    ck_assert_uint_eq(tracee->frame_count, TRACEE_FRAMES);
    ck_assert_int_eq(tracee->end, UNWIND_TRUNCATED);
    ck_assert_str_eq(tracee_name(tracee, &tracee->frames[TRACEE_FRAMES - 1]), "recurse");
    tracee_end(tracee);
}
END_TEST

/* Of a sleeping thread, only PC and stack pointer are known. */
START_TEST(pc_and_sp_can_be_enough)
{
    struct tracee *tracee = stopped("plain");
    size_t count = tracee->frame_count;

    tracee->registers.known = 1u << UNWIND_PC | 1u << UNWIND_SP;
    tracee_unwind(tracee, TRACEE_FRAMES);
    ck_assert_uint_eq(tracee->frame_count, count);
    ck_assert_int_eq(tracee->end, UNWIND_WHOLE);
    tracee_end(tracee);
}
END_TEST

/* A file is mapped at two addresses in one process and at another one in a second. Cached data of one mapping must
 * not be used for another. */
START_TEST(images_share_what_is_known_of_a_file)
{
    struct synthetic *synthetic = synthetic_new("synthetic.so");
    struct unwind_image *other = unwind_image_new(synthetic->unwinder);
    struct unwind_frame frames[8];
    enum unwind_end end;
    uint64_t start, text_end, offset, shift = UINT64_C(0x10000000);

    elf_file_text_range(synthetic->fixture.file, &start, &text_end);
    ck_assert(elf_file_offset_of_vaddr(synthetic->fixture.file, start, &offset));
    struct unwind_mapping mappings[] = {
        {SYNTHETIC_CODE - 4096, SYNTHETIC_CODE + 4096, 0, NULL},
        {SYNTHETIC_FILE + shift, SYNTHETIC_FILE + shift + (text_end - start), offset, synthetic->object},
    };
    ck_assert(unwind_image_map(other, mappings, UNIT_ROWS(mappings)));
    synthetic_enter(synthetic, "function", 1);
    for (int i = 0; i < 3; i++) {
        struct unwind_registers moved = synthetic->registers;
        synthetic_unwind(synthetic);
        ck_assert_uint_eq(synthetic->frames[1].pc, synthetic_word(1));
        moved.value[UNWIND_PC] += shift;
        ck_assert_uint_ge(unwind_capture(other, &moved, &synthetic->stack, frames, 8, &end), 2);
        ck_assert_uint_eq(frames[1].pc, synthetic_word(1));
        /* the second process has the file where the first has nothing */
        ck_assert_uint_eq(unwind_capture(synthetic->image, &moved, &synthetic->stack, frames, 8, &end), 3);
        ck_assert_uint_eq(frames[1].pc, synthetic_word(WORD_OF_FRAME + 1));
    }
    unwind_image_free(other);
    synthetic_free(synthetic);
}
END_TEST

/* Later mappings are unknown until the image is updated. */
START_TEST(a_return_to_unmapped_code_is_reported)
{
    struct synthetic *synthetic = synthetic_new("synthetic.so");
    const uint64_t elsewhere = UINT64_C(0x700000000);

    synthetic_enter(synthetic, "function", 0);
    synthetic_unwind(synthetic);
    ck_assert_uint_eq(unwind_image_missed(synthetic->image), 0);
    synthetic->words[0] = elsewhere;
    synthetic_unwind(synthetic);
    ck_assert_uint_eq(synthetic->count, 1);
    ck_assert_int_eq(synthetic->end, UNWIND_UNKNOWN);
    ck_assert_uint_eq(unwind_image_missed(synthetic->image), elsewhere);
    /* by a frame pointer: a possible address, and an impossible one */
    synthetic_set(synthetic, UNWIND_PC, SYNTHETIC_CODE + 100);
    synthetic->words[WORD_OF_FRAME + 1] = elsewhere + 8;
    synthetic_unwind(synthetic);
    ck_assert_uint_eq(synthetic->count, 1);
    ck_assert_uint_eq(unwind_image_missed(synthetic->image), elsewhere + 8);
    synthetic->words[WORD_OF_FRAME + 1] = 42;
    synthetic_unwind(synthetic);
    ck_assert_uint_eq(unwind_image_missed(synthetic->image), 0);
    synthetic_enter(synthetic, "function", 0);
    synthetic_map(synthetic, elsewhere);
    synthetic_unwind(synthetic);
    ck_assert_uint_ge(synthetic->count, 2);
    ck_assert_uint_eq(synthetic->frames[1].pc, elsewhere);
    ck_assert_uint_eq(unwind_image_missed(synthetic->image), 0);
    synthetic_free(synthetic);
}
END_TEST

/* Frames that lead back, and a return from a signal that leads to itself. */
START_TEST(circles_end)
{
    struct synthetic *synthetic = synthetic_new("synthetic.so");

    synthetic_set(synthetic, UNWIND_PC, SYNTHETIC_CODE + 100);
    synthetic->words[WORD_OF_FRAME] = synthetic_address(WORD_OF_FRAME);
    synthetic_unwind(synthetic);
    ck_assert_uint_eq(synthetic->count, 2);
    ck_assert_int_eq(synthetic->end, UNWIND_UNKNOWN);

    synthetic_enter(synthetic, "signal_return", 0);
    for (int i = 0; i < SYNTHETIC_WORDS; i++)
        synthetic->words[i] = i % 2 ? SYNTHETIC_STACK : synthetic->registers.value[UNWIND_PC];
    synthetic->words[5 + 15] = SYNTHETIC_STACK; /* rsp in the ucontext_t */
    synthetic->words[5 + 16] = synthetic->registers.value[UNWIND_PC];
    synthetic_unwind(synthetic);
    ck_assert_uint_eq(synthetic->count, SYNTHETIC_WORDS);
    ck_assert_int_eq(synthetic->end, UNWIND_TRUNCATED);
    synthetic_free(synthetic);
}
END_TEST

START_TEST(random_stacks_are_harmless)
{
    struct tracee *tracee = stopped("signal_library");
    uint64_t random = 1;

    for (int i = 0; i < 20000; i++) {
        size_t changes = (random = hash_number(random)) % 16;
        tracee_copy(tracee, (random >> 8) % 8192);
        for (size_t change = 0; change < changes && tracee->copied.size >= 8; change++) {
            random = hash_number(random);
            size_t at = (random >> 16) % (tracee->copied.size / 8) * 8;
            /* another word of this stack is more plausible than a random number */
            if (random % 2)
                memcpy(tracee->bytes + at, tracee->bytes + (random >> 40) % (tracee->copied.size / 8) * 8, 8);
            else
                memcpy(tracee->bytes + at, &random, 8);
        }
        random = hash_number(random);
        if (random % 4 == 0)
            tracee->registers.value[random / 4 % UNWIND_REGISTERS] = hash_number(random) >> (random >> 8) % 64;
        tracee_unwind(tracee, 1 + (random >> 20) % TRACEE_FRAMES);
    }
    tracee_end(tracee);
}
END_TEST

static bool is_program(const struct tracee_part *part)
{
    return strstr(part->path, "/stacks") != NULL;
}

/* The first mapping may be a library's. */
static const struct elf_file *program_of(const struct tracee *tracee)
{
    size_t i = 0;
    while (i < tracee->count && !is_program(&tracee->parts[i]))
        i++;
    ck_assert_uint_lt(i, tracee->count);
    return tracee->parts[i].fixture.file;
}

/* Maps OBJECT instead of the program. */
static void map_instead(struct tracee *tracee, struct unwind_object *object)
{
    struct unwind_mapping mappings[TRACEE_PARTS];

    for (size_t i = 0; i < tracee->count; i++) {
        const struct tracee_part *part = &tracee->parts[i];
        mappings[i] =
            (struct unwind_mapping){part->start, part->end, part->offset, is_program(part) ? object : part->object};
    }
    ck_assert(unwind_image_map(tracee->image, mappings, tracee->count));
}

static struct unwind_object *open_object(const struct tracee *tracee, const char *name, int *fd)
{
    *fd = open(fixture_path(name), O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(*fd, 0);
    return unwind_object_new(tracee->unwinder, *fd);
}

/* Changes bytes of the tables and of their headers. */
START_TEST(changed_files_are_harmless)
{
    struct tracee *tracee = stopped("shallow");
    const struct elf_file *program = program_of(tracee);
    uint64_t start, end, offset, random = (uint64_t)_i + 1;
    size_t size;
    int fd;
    uint8_t *bytes = fixture_read("stacks", &size);

    ck_assert(elf_file_unwind_header(program, &start, &end));
    ck_assert(elf_file_offset_of_vaddr(program, start, &offset));
    for (int i = 0; i < 500; i++) {
        size_t changes = 1 + (random = hash_number(random)) % 4;
        size_t table = size - offset < 4096 ? size - offset : 4096;
        uint8_t *changed = malloc(size);
        memcpy(changed, bytes, size);
        for (size_t change = 0; change < changes; change++) {
            random = hash_number(random);
            size_t at = random % 8 ? offset + (random >> 8) % table : (random >> 8) % 1024;
            changed[at] = (uint8_t)(random >> 56);
        }
        fixture_write("changed", changed, size);
        free(changed);
        struct unwind_object *object = open_object(tracee, "changed", &fd);
        map_instead(tracee, object);
        tracee_unwind(tracee, TRACEE_FRAMES);
        unwind_object_free(object);
        close(fd);
    }
    free(bytes);
    tracee_end(tracee);
}
END_TEST

START_TEST(a_truncated_file_is_harmless)
{
    struct tracee *tracee = stopped("shallow");
    int fd;

    fixture_run("cp stacks shrinking");
    struct unwind_object *object = open_object(tracee, "shrinking", &fd);
    ck_assert_ptr_nonnull(object);
    map_instead(tracee, object);
    ck_assert_int_eq(truncate(fixture_path("shrinking"), 100), 0);
    tracee_unwind(tracee, TRACEE_FRAMES);
    ck_assert_msg(tracee->end != UNWIND_WHOLE, "%s", tracee_text(tracee));
    unwind_object_free(object);
    close(fd);
    tracee_end(tracee);
}
END_TEST

START_TEST(other_files_are_not_objects)
{
    struct unwinder *unwinder = unwind_new(UNWIND_DWARF, NULL);

    fixture_run("echo text >text");
    int fd = open(fixture_path("text"), O_RDONLY | O_CLOEXEC);
    ck_assert_ptr_null(unwind_object_new(unwinder, fd));
    ck_assert_ptr_null(unwind_object_new(unwinder, -1));
    close(fd);
    unwind_free(unwinder);
    unwind_free(NULL);
    unwind_object_free(NULL);
    unwind_image_free(NULL);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("unwind, limits");

    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, make_programs, NULL);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, a_cut_copy_gives_the_inner_frames);
    tcase_add_test(tests, a_copy_may_have_parts);
    tcase_add_test(tests, the_number_of_frames_is_limited);
    tcase_add_test(tests, a_deep_recursion_is_cut);
    tcase_add_test(tests, pc_and_sp_can_be_enough);
    tcase_add_test(tests, images_share_what_is_known_of_a_file);
    tcase_add_test(tests, a_return_to_unmapped_code_is_reported);
    tcase_add_test(tests, circles_end);
    tcase_add_test(tests, random_stacks_are_harmless);
    tcase_add_loop_test(tests, changed_files_are_harmless, 0, 4);
    tcase_add_test(tests, a_truncated_file_is_harmless);
    tcase_add_test(tests, other_files_are_not_objects);
    return fixture_end();
}
