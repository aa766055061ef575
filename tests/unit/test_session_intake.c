/* SPDX-License-Identifier: MIT */
#include "front/session/intake.h"

#include "common/base/error.h"
#include "common/model/wait.h"
#include "common/wire/channel.h"
#include "common/wire/command.h"
#include "front/naming/naming.h"
#include "test_record.h"
#include "unit.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char maps[] = "2000-5000 r-xp 00001000 08:01 7 /no/such/program\n";

/* Valid messages, in the order of sending. */
static const struct message_image image = {.image = 1, .generation = 2, .pid = 100, .parent = 1, .comm = "one"};
static const struct message_thread thread = {.image = 1, .tid = 100, .comm = "main"};
static const struct message_image_end image_end = {.image = 1, .cpu_ns = 500, .comm = "ended"};

static const struct message_waited waited = {.image = 1, .tid = 100, .count = 4, .wait_ns = 70, .over = 1};

static struct message_capture capture_at(uint64_t pc)
{
    struct message_capture capture = {.image = 1, .tid = 100, .syscall = 3, .weight_ns = 10};
    capture.registers.user.rip = pc;
    return capture;
}

/* Both are empty where a test begins, and freed where it ends. */
static struct record record;
static struct intake intake;

static void setup(void)
{
    record = (struct record){0};
    intake = (struct intake){.record = &record};
}

static void teardown(void)
{
    if (intake.channel) {
        channel_close(intake.channel);
        free(intake.channel);
    }
    shadows_fini(&intake.shadows);
    looks_fini(&intake.looks);
    entries_fini(&intake.entries);
    stacks_fini(&intake.stacks);
    record_fini(&record);
}

static void start_stacks(void)
{
    struct error error = {0};
    ck_assert_int_eq(stacks_start(&intake.stacks, STACKS_FRAME_POINTERS, 1 << 20, &error), 0);
}

/* Gives the intake SIZE bytes, in memory of exactly that size for the sanitizers. */
static void give(uint32_t type, const void *bytes, size_t size)
{
    void *copy = malloc(size ? size : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, size);
    intake_message(&intake, type, copy, size);
    free(copy);
}

/* Gives a message with TEXT behind it, whose header claims LENGTH bytes. */
static void give_maps(uint32_t length, const char *text, size_t text_size)
{
    unsigned char bytes[2000];
    struct message_maps message = {.image = 1, .length = length};
    ck_assert_uint_le(sizeof message + text_size, sizeof bytes);
    memcpy(bytes, &message, sizeof message);
    memcpy(bytes + sizeof message, text, text_size);
    give(MESSAGE_MAPS, bytes, sizeof message + text_size);
}

static void give_image(void)
{
    give(MESSAGE_IMAGE, &image, sizeof image);
}

static void give_capture(uint64_t pc)
{
    struct message_capture capture = capture_at(pc);
    give(MESSAGE_CAPTURE, &capture, sizeof capture);
}

START_TEST(good_messages_reach_the_record)
{
    give_image();
    give_maps(sizeof maps - 1, maps, sizeof maps - 1);
    give(MESSAGE_THREAD, &thread, sizeof thread);
    give_capture(0x2345);
    give_capture(0x2345);
    ck_assert_uint_eq(record.images.count, 1);
    ck_assert_int_eq(record.images.items[0].pid, 100);
    ck_assert_uint_eq(record.images.items[0].generation, 2);
    ck_assert_str_eq(record.images.items[0].comm, "one");
    ck_assert_uint_eq(record.threads.count, 1);
    ck_assert_str_eq(record.threads.items[0].comm, "main");
    ck_assert_uint_eq(record.samples.count, 1);
    ck_assert_uint_eq(leaf_of(&record, 0)->address, 0x1345);
    ck_assert_int_eq(record.samples.items[0].syscall, 3);
    ck_assert_uint_eq(record.samples.items[0].count, 2);
    ck_assert_uint_eq(record.samples.items[0].cpu_ns, 20);
    give(MESSAGE_IMAGE_END, &image_end, sizeof image_end);
    ck_assert_uint_eq(record.images.items[0].number, 0);
    ck_assert_uint_eq(record.images.items[0].cpu_ns, 500);
    ck_assert_str_eq(record.images.items[0].comm, "ended");
    ck_assert_uint_eq(intake.unknown, 0);
    ck_assert_uint_eq(intake.running, 0);
}
END_TEST

/* The number of unwound stacks. */
static unsigned unwound;

size_t __real_unwind_capture(struct unwind_image *of, const struct unwind_registers *registers,
                             const struct unwind_stack *stack, struct unwind_frame *frames, size_t most,
                             enum unwind_end *end);
size_t __wrap_unwind_capture(struct unwind_image *of, const struct unwind_registers *registers,
                             const struct unwind_stack *stack, struct unwind_frame *frames, size_t most,
                             enum unwind_end *end);

size_t __wrap_unwind_capture(struct unwind_image *of, const struct unwind_registers *registers,
                             const struct unwind_stack *stack, struct unwind_frame *frames, size_t most,
                             enum unwind_end *end)
{
    unwound++;
    return __real_unwind_capture(of, registers, stack, frames, most, end);
}

static const char more_maps[] = "2000-5000 r-xp 00001000 08:01 7 /no/such/program\n"
                                "8000-9000 r-xp 00003000 08:01 8 /no/such/library\n";

/* Ways in which the wait of a capture ends. */
enum ending { BY_MAPS, BY_SAME_MAPS, BY_IMAGE_END, BY_NO_MORE };
static const enum ending endings[] = {BY_MAPS, BY_SAME_MAPS, BY_IMAGE_END, BY_NO_MORE};

/* Code outside of the known maps was perhaps just loaded: its captures wait for new maps. */
START_TEST(captures_of_unknown_code_wait_for_the_maps)
{
    struct message_image other = image;
    other.image = 2;
    start_stacks();
    give_image();
    give(MESSAGE_IMAGE, &other, sizeof other);
    give_maps(sizeof maps - 1, maps, sizeof maps - 1);
    give_capture(0x2345);
    ck_assert_uint_eq(record.sample_count, 1);
    for (int i = 0; i < 3; i++)
        give_capture(0x8123);
    ck_assert_uint_eq(record.sample_count, 1);
    ck_assert_uint_eq(intake.stacks.asked_count, 1);
    ck_assert_int_eq(intake.stacks.asked[0].pid, 100);
    ck_assert_uint_eq(intake.stacks.asked[0].stack_bytes, 0);
    struct message_image_end other_end = {.image = 2};
    give(MESSAGE_IMAGE_END, &other_end, sizeof other_end); /* another image's */
    ck_assert_uint_eq(record.sample_count, 1);
    if (endings[_i] == BY_MAPS)
        give_maps(sizeof more_maps - 1, more_maps, sizeof more_maps - 1);
    else if (endings[_i] == BY_SAME_MAPS)
        give_maps(0, "", 0);
    else if (endings[_i] == BY_IMAGE_END)
        give(MESSAGE_IMAGE_END, &image_end, sizeof image_end);
    ck_assert_uint_eq(record.sample_count, endings[_i] == BY_NO_MORE ? 1 : 4);
    intake_end(&intake);
    ck_assert_uint_eq(record.sample_count, 4);
    ck_assert_uint_eq(intake.stacks.asked_count, 1); /* no further question after the answer */
    ck_assert_uint_eq(record.samples.count, 2);
    ck_assert_uint_eq(leaf_of(&record, 1)->address, endings[_i] == BY_MAPS ? 0x3123 : 0x8123);
}
END_TEST

/* A message about a waiting thread belongs to its last capture, even if that is not recorded yet. */
START_TEST(waits_keep_their_order)
{
    struct message_capture capture = capture_at(0x8123);
    capture.weight_ns = 0;
    capture.waiting = 1;
    start_stacks();
    give_image();
    give_maps(sizeof maps - 1, maps, sizeof maps - 1);
    give(MESSAGE_CAPTURE, &capture, sizeof capture);
    give(MESSAGE_WAITED, &waited, sizeof waited);
    capture.registers.user.rip = 0x2345; /* known code, but it must not overtake */
    give(MESSAGE_CAPTURE, &capture, sizeof capture);
    ck_assert_uint_eq(record.sample_count, 0);
    give_maps(sizeof more_maps - 1, more_maps, sizeof more_maps - 1);
    give(MESSAGE_WAITED, &waited, sizeof waited);
    give(MESSAGE_WAITED, &waited, sizeof waited); /* the wait was over before */
    intake_end(&intake);
    ck_assert_uint_eq(record.samples.count, 2);
    ck_assert_uint_eq(leaf_of(&record, 0)->address, 0x3123);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(record.samples.items[i].wait_ns, 70);
        ck_assert_uint_eq(record.samples.items[i].count, 5);
    }
    ck_assert_uint_eq(intake.unknown, 0);
}
END_TEST

/* Large captures and many captures. */
START_TEST(captures_do_not_wait_without_end)
{
    enum { BYTES = 65536, CAPTURES = 1000 };
    struct message_capture *capture = calloc(1, sizeof *capture + BYTES);
    ck_assert_ptr_nonnull(capture);
    *capture = capture_at(0x8123);
    capture->stack_size = BYTES;
    start_stacks();
    give_image();
    give_maps(sizeof maps - 1, maps, sizeof maps - 1);
    for (uint32_t i = 0; i < CAPTURES; i++) {
        capture->stack_size = BYTES - i % 9;
        give(MESSAGE_CAPTURE, capture, sizeof *capture + capture->stack_size);
    }
    ck_assert_uint_gt(record.sample_count, CAPTURES / 2);
    ck_assert_uint_lt(intake.waiting.length, CAPTURES / 2 * BYTES);
    intake_end(&intake);
    ck_assert_uint_eq(record.sample_count, CAPTURES);
    free(capture);
}
END_TEST

/* Code generated by the process: CODE_MADE pages from address CODE_START on. */
static const char code_maps[] = "100000-200000 r-xp 00000000 00:00 0 \n";

enum { CODE_START = 0x100000, CODE_MADE = 0x100, CODE_WORDS = 64 };

/* A capture of this code, with its stack. */
struct code_capture {
    struct message_capture capture;
    struct memory_run run;
    uint64_t stack[CODE_WORDS];
};

static uint64_t code_at(unsigned page)
{
    return CODE_START + (uint64_t)page * UNWIND_PAGE + 0x123;
}

/* Returns a capture in PAGE. COUNT words of the stack point to the pages from POINTED on. */
static struct code_capture captured_in(unsigned page, unsigned pointed, unsigned count)
{
    struct code_capture message = {.capture = capture_at(code_at(page)), .run = {0x7fff0000, sizeof message.stack}};
    message.capture.run_count = 1;
    message.capture.stack_size = sizeof message.stack;
    message.capture.time_ns = 1000;
    message.capture.registers.user.rsp = message.run.start;
    for (unsigned i = 0; i < count; i++)
        message.stack[CODE_WORDS - count + i] = code_at(pointed + i);
    return message;
}

static void give_captured_in(unsigned page, unsigned pointed, unsigned count)
{
    struct code_capture message = captured_in(page, pointed, count);
    give(MESSAGE_CAPTURE, &message, sizeof message);
}

enum { RETURNS = 0xc3, TRAPS = 0xcc, UNREADABLE = 0 };

/* Answers that PAGE of image NUMBER is full of this instruction. */
static void give_code(uint32_t number, unsigned page, int instruction, bool last)
{
    struct {
        struct message_code code;
        unsigned char bytes[UNWIND_PAGE];
    } message = {.code = {.image = number, .address = code_at(page) & -(uint64_t)UNWIND_PAGE, .last = last}};
    message.code.length = instruction == UNREADABLE ? 0 : UNWIND_PAGE;
    memset(message.bytes, instruction, sizeof message.bytes);
    give(MESSAGE_CODE, &message, sizeof message.code + message.code.length);
}

static unsigned commands_asked;

/* Takes the questions. Returns their number of pages, and sets commands_asked. */
static unsigned take_asked(void)
{
    struct command command;
    unsigned pages = 0;
    commands_asked = 0;
    while (stacks_next_command(&intake.stacks, &command)) {
        commands_asked += command.type == COMMAND_CODE;
        pages += command.page_count;
    }
    return pages;
}

static void begin_with_code(void)
{
    struct error error = {0};
    struct message_image other = image;
    other.image = 2;
    ck_assert_int_eq(stacks_start(&intake.stacks, STACKS_DWARF, 1 << 20, &error), 0);
    give_image();
    give(MESSAGE_IMAGE, &other, sizeof other);
    give_maps(sizeof code_maps - 1, code_maps, sizeof code_maps - 1);
    unwound = 0;
}

/* Captures in pages 0 to 3 wait. The answer has COUNT pages, from FIRST on. */
static const struct {
    uint32_t image;
    unsigned first, count;
    int instruction;
    unsigned unwound, recorded;
} arrivals[] = {
    {1, 0, 1, RETURNS, 1, 1},    {1, 3, 1, RETURNS, 1, 1},    {1, 1, 2, RETURNS, 2, 2}, {1, 0, 4, RETURNS, 4, 4},
    {1, 2, 1, UNREADABLE, 1, 1}, {1, 0, 4, UNREADABLE, 4, 4}, {1, 4, 1, RETURNS, 0, 0}, {1, 9, 30, RETURNS, 0, 0},
    {1, 3, 9, RETURNS, 1, 1},    {2, 0, 4, RETURNS, 0, 0},
};

START_TEST(only_what_waited_for_a_page_is_unwound_again)
{
    unsigned count = arrivals[_i].count;
    begin_with_code();
    for (unsigned i = 0; i < 4; i++)
        give_captured_in(i, 0, 0);
    ck_assert_uint_eq(take_asked(), 4);
    ck_assert_uint_eq(unwound, 4);
    for (unsigned i = 0; i < count; i++)
        give_code(arrivals[_i].image, arrivals[_i].first + i, arrivals[_i].instruction, i + 1 == count);
    ck_assert_uint_eq(unwound, 4 + arrivals[_i].unwound);
    ck_assert_uint_eq(record.sample_count, arrivals[_i].recorded);
    intake_end(&intake);
    ck_assert_uint_eq(record.sample_count, 4);
    ck_assert_uint_eq(take_asked(), 0);
}
END_TEST

/* A question about a page also has pages that the stack's words point to: COUNT of them, up to a command's limit, so
 * that ASKED pages are in it. A second stack needs page SECOND, and its words point elsewhere. It asks only for
 * pages that were not asked for. */
static const struct {
    unsigned count, asked, second, asked_again;
} scans[] = {
    {0, 1, 0, 0}, {3, 4, 0, 0}, {3, 4, 12, 0}, {3, 4, 1, 4}, {31, 32, 0, 0}, {60, 32, 0, 0}, {60, 32, 1, 4},
};

START_TEST(words_of_a_stack_are_looked_at_for_what_it_asks)
{
    begin_with_code();
    give_captured_in(0, 10, scans[_i].count);
    ck_assert_uint_eq(take_asked(), scans[_i].asked);
    give_captured_in(scans[_i].second, 100, 3);
    ck_assert_uint_eq(take_asked(), scans[_i].asked_again);
    give(MESSAGE_IMAGE_END, &image_end, sizeof image_end); /* the process is gone */
    ck_assert_uint_eq(record.sample_count, 2);
    ck_assert_uint_eq(take_asked(), 0);
    intake_end(&intake);
}
END_TEST

/* Captures in different pages. The number of kept commands is limited; other questions are asked at the next
 * message. */
static const struct {
    unsigned captures, asked, then;
} crowds[] = {{1, 1, 0}, {STACKS_CODE, STACKS_CODE, 0}, {STACKS_CODE + 1, STACKS_CODE, 1}, {2 * STACKS_CODE, 16, 16}};

START_TEST(delayed_questions_are_asked_later)
{
    begin_with_code();
    for (unsigned i = 0; i < crowds[_i].captures; i++)
        give_captured_in(i, 0, 0);
    ck_assert_uint_eq(take_asked(), crowds[_i].asked);
    ck_assert_uint_eq(commands_asked, crowds[_i].asked);
    give_code(1, 0, RETURNS, true);
    ck_assert_uint_eq(take_asked(), crowds[_i].then);
    for (unsigned i = 1; i < crowds[_i].captures; i++)
        give_code(1, i, RETURNS, true);
    ck_assert_uint_eq(record.sample_count, crowds[_i].captures);
    intake_end(&intake);
}
END_TEST

/* A stack leads through OLD pages, which are all requested again, to an unknown one. */
static const struct {
    unsigned old;
    unsigned asked, then;
} olds[] = {{1, 2, 0}, {31, 32, 0}, {32, 32, 1}, {40, 32, 9}};

START_TEST(what_is_needed_is_not_forgotten_for_what_is_old)
{
    struct code_capture message = captured_in(0, 0, 0);
    unsigned old = olds[_i].old;
    begin_with_code();
    for (unsigned i = 0; i < old; i++)
        message.stack[i] = code_at(i + 1);
    for (unsigned i = 0; i < old; i++)
        give_code(1, i, RETURNS, true);
    message.capture.time_ns = UINT64_C(3000000000);
    give(MESSAGE_CAPTURE, &message, sizeof message);
    ck_assert_uint_eq(take_asked(), olds[_i].asked);
    for (unsigned i = 0; i < 32; i++)
        give_code(1, i, RETURNS, i == 31);
    ck_assert_uint_eq(take_asked(), olds[_i].then);
    for (unsigned i = 32; i <= old; i++)
        give_code(1, i, RETURNS, i == old);
    ck_assert_uint_eq(record.sample_count, 1);
    intake_end(&intake);
}
END_TEST

/* An answer is as new as the last capture, even if an earlier capture is unwound again before. */
START_TEST(new_answers_are_not_asked_again)
{
    struct code_capture message = captured_in(1, 0, 0);
    begin_with_code();
    give_captured_in(0, 0, 0);
    message.capture.time_ns = 500000000;
    give(MESSAGE_CAPTURE, &message, sizeof message);
    ck_assert_uint_eq(take_asked(), 2);
    give_code(1, 0, RETURNS, true);
    ck_assert_uint_eq(record.sample_count, 1);
    give_code(1, 1, TRAPS, true);
    ck_assert_uint_eq(record.sample_count, 2);
    ck_assert_uint_eq(take_asked(), 0);
    intake_end(&intake);
}
END_TEST

/* A capture that first waits for maps has not asked for its code yet. */
START_TEST(code_is_asked_for_when_the_maps_have_come)
{
    struct code_capture message = captured_in(0, 0, 0);
    begin_with_code();
    message.capture.registers.user.rbp = message.run.start + 64;
    message.stack[8] = message.run.start + 128;
    message.stack[9] = 0x900000; /* not in the known maps */
    give(MESSAGE_CAPTURE, &message, sizeof message);
    ck_assert_uint_eq(intake.stacks.asked_count, 1);
    ck_assert_uint_eq(take_asked(), 0);
    give_maps(0, "", 0);
    ck_assert_uint_eq(take_asked(), 1);
    ck_assert_uint_eq(record.sample_count, 0);
    give_code(1, 0, RETURNS, true);
    ck_assert_uint_eq(record.sample_count, 1);
    intake_end(&intake);
}
END_TEST

START_TEST(waits_reach_the_record)
{
    struct message_capture capture = capture_at(0x2345);
    struct message_image_end end = image_end;
    struct message_waited woken = waited;
    woken.queued_ns = 3;
    capture.weight_ns = 0;
    capture.wait_ns = 30;
    capture.queued_ns = 5;
    capture.waiting = 1;
    end.cpu_ns = 0;
    end.wait_ns = 200;
    give_image();
    give(MESSAGE_CAPTURE, &capture, sizeof capture);
    give(MESSAGE_WAITED, &woken, sizeof woken);
    give(MESSAGE_IMAGE_END, &end, sizeof end);
    ck_assert_uint_eq(record.samples.count, 2);
    ck_assert_uint_eq(record.samples.items[0].count, 5);
    ck_assert_uint_eq(record.samples.items[0].wait_ns, 100);
    ck_assert_int_eq(record.samples.items[1].syscall, WAIT_FOR_CPU);
    ck_assert_uint_eq(record.samples.items[1].wait_ns, 8);
    ck_assert_uint_eq(record.images.items[0].unsampled_wait_ns, 92);
    ck_assert_uint_eq(intake.unknown, 0);
}
END_TEST

/* Reports show this command line for the whole recording. If it is unknown, another process's must not replace it. */
START_TEST(the_first_image_has_the_command_line)
{
    static const char words[] = "prog\0-x\0", other_words[] = "other";
    struct {
        struct message_image message;
        char words[sizeof words - 1];
    } told = {.message = image};
    memcpy(told.words, words, sizeof told.words);
    for (int known = 0; known < 2; known++) {
        teardown();
        setup();
        give(MESSAGE_IMAGE, &told, known ? sizeof told : sizeof told.message);
        memcpy(told.words, other_words, sizeof other_words);
        told.message.image++;
        give(MESSAGE_IMAGE, &told, sizeof told);
        ck_assert_str_eq(intake.first_command, known ? "prog -x" : "");
        memcpy(told.words, words, sizeof told.words);
    }
}
END_TEST

START_TEST(time_in_faults_reaches_the_record)
{
    struct message_capture capture = capture_at(0x2345);
    capture.syscall = -1;
    capture.fault_ns = 7;
    give_image();
    give(MESSAGE_CAPTURE, &capture, sizeof capture);
    ck_assert_uint_eq(record.samples.count, 2);
    ck_assert_uint_eq(record.samples.items[0].cpu_ns, 3);
    ck_assert_int_eq(record.samples.items[1].syscall, WAIT_OUTSIDE);
    ck_assert_uint_eq(record.samples.items[1].cpu_ns, 7);
}
END_TEST

START_TEST(other_messages_are_counted)
{
    struct message_image old = {.image = 7, .pid = 7, .comm = "old"};
    give(MESSAGE_IMAGE, &old, sizeof old);
    old.image = 8;
    give(MESSAGE_IMAGE, &old, sizeof old);
    give_image();
    struct message_image_end end = image_end;
    end.alive = 1;
    give(MESSAGE_IMAGE_END, &end, sizeof end);
    end.image = 7;
    end.alive = 0;
    give(MESSAGE_IMAGE_END, &end, sizeof end);
    ck_assert_uint_eq(intake.running, 1);
    ck_assert_uint_eq(intake.unknown, 0);
}
END_TEST

static const struct {
    const char *text;
    size_t size;
    const char *line; /* NULL: none is kept */
} commands[] = {
    {"cc1\0-o\0x y\0", 11, "cc1 -o x y"},
    {"cc1", 3, "cc1"},
    {"cc1\0\0-x\0\0\0", 10, "cc1  -x"},
    {"a\033[1m\n", 6, "a\033[1m\n"}, /* cleaned later, for display */
    {"\0\0", 2, NULL},
    {"", 0, NULL},
};

START_TEST(a_command_line_is_a_text)
{
    struct buffer message = {0};
    buffer_append(&message, &image, sizeof image);
    buffer_append(&message, commands[_i].text, commands[_i].size);
    give(MESSAGE_IMAGE, message.bytes, message.length);
    ck_assert_uint_eq(intake.unknown, 0);
    uint32_t command = record.images.items[0].command;
    ck_assert_pstr_eq(command == HASH_NONE ? NULL : record.commands.items[command], commands[_i].line);
    buffer_fini(&message);
}
END_TEST

START_TEST(a_call_has_no_more_words_than_fit)
{
    struct message_call call = {.image = 1, .tid = 100, .word_count = CALL_WORDS, .words = {7}};
    give(MESSAGE_CALL, &call, sizeof call);
    call.tid = 101;
    call.word_count++;
    give(MESSAGE_CALL, &call, sizeof call);
    ck_assert_uint_eq(intake.unknown, 1);
    ck_assert_uint_eq(looks_find(&intake.looks, 100)->words[0], 7);
    ck_assert_ptr_null(looks_find(&intake.looks, 101));
}
END_TEST

START_TEST(a_command_line_has_a_limit)
{
    struct {
        struct message_image image;
        char text[COMMAND_LINE_MOST + 1];
    } message = {.image = image};
    memset(message.text, 'x', sizeof message.text);
    give(MESSAGE_IMAGE, &message, sizeof image + sizeof message.text);
    ck_assert_uint_eq(intake.unknown, 1);
    ck_assert_uint_eq(record.images.count, 0);
    give(MESSAGE_IMAGE, &message, sizeof image + COMMAND_LINE_MOST);
    ck_assert_uint_eq(strlen(record.commands.items[0]), COMMAND_LINE_MOST);
}
END_TEST

/* The fixed part of each type. LONGER: more may follow. */
static const struct {
    uint32_t type;
    size_t size;
    bool longer;
} types[] = {
    {MESSAGE_IMAGE, sizeof(struct message_image), true},
    {MESSAGE_IMAGE_END, sizeof(struct message_image_end), false},
    {MESSAGE_MAPS, sizeof(struct message_maps), true},
    {MESSAGE_THREAD, sizeof(struct message_thread), false},
    {MESSAGE_CAPTURE, sizeof(struct message_capture), true},
    {MESSAGE_WAITED, sizeof(struct message_waited), false},
    {MESSAGE_IMPOSED, sizeof(struct message_imposed), false},
    {MESSAGE_INHERITED, sizeof(struct message_inherited), false},
    {MESSAGE_UPDATE, sizeof(struct message_update), false},
    {MESSAGE_CALL, sizeof(struct message_call), false},
    {MESSAGE_LOOKED, sizeof(struct message_looked), false},
};

/* Checks that a message left no trace in the record of one image. */
static void expect_untouched(void)
{
    ck_assert_uint_eq(record.images.count, 1);
    ck_assert_uint_eq(record.images.items[0].number, 1);
    ck_assert_str_eq(record.images.items[0].comm, "one");
    ck_assert_uint_eq(record.images.items[0].map.count, 0);
    ck_assert_uint_eq(record.threads.count, 0);
    ck_assert_uint_eq(record.samples.count, 0);
    ck_assert_uint_eq(record.objects.count, 0);
    ck_assert_uint_eq(record.sample_count, 0);
    ck_assert(!record.out_of_memory);
}

START_TEST(truncated_messages_are_counted_and_ignored)
{
    static const unsigned char fills[] = {0, 1, 0xff};
    unsigned char bytes[sizeof(struct message_capture)];
    record_image_begins(&record, 1, 100, 2, "one");
    uint64_t given = 0;
    for (size_t fill = 0; fill < UNIT_ROWS(fills); fill++)
        for (size_t size = 0; size < types[_i].size; size++) {
            uint32_t number = 1; /* of the existing image */
            memset(bytes, fills[fill], sizeof bytes);
            memcpy(bytes, &number, sizeof number);
            give(types[_i].type, bytes, size);
            given++;
        }
    ck_assert_uint_eq(intake.unknown, given);
    ck_assert_uint_eq(intake.running, 0);
    expect_untouched();
}
END_TEST

START_TEST(longer_messages_are_taken_only_where_more_may_follow)
{
    unsigned char bytes[1000] = {0};
    record_image_begins(&record, 1, 100, 2, "one");
    /* an image that does not exist, or has begun already: the message is ignored */
    uint32_t number = types[_i].type == MESSAGE_IMAGE ? 1 : 99;
    memcpy(bytes, &number, sizeof number);
    give(types[_i].type, bytes, types[_i].size + 1);
    give(types[_i].type, bytes, types[_i].size + 8);
    give(types[_i].type, bytes, sizeof bytes);
    ck_assert_uint_eq(intake.unknown, types[_i].longer ? 0 : 3);
    expect_untouched();
}
END_TEST

/* What a capture claims about the 64 bytes behind it: two runs and 32 bytes of stack. */
static const struct {
    uint32_t run_count, stack_size;
    uint64_t sizes[2];
    bool good;
} captures[] = {
    {2, 32, {16, 16}, true},
    {2, 32, {16, 8}, true},
    {2, 32, {0, 0}, true},
    {2, 24, {16, 8}, true},
    {2, 32, {16, 17}, false},
    {2, 24, {16, 16}, false},
    {2, 33, {16, 16}, false},
    {2, 32, {UINT64_MAX, 17}, false},
    {2, 32, {17, UINT64_MAX}, false},
    {1, 48, {48, 0}, true},
    {1, 49, {48, 0}, false},
    {0, 64, {0, 0}, true},
    {0, 65, {0, 0}, false},
    {4, 0, {0, 0}, true},
    {5, 0, {0, 0}, false},
    {UINT32_MAX, 0, {0, 0}, false},
    {(uint32_t)1 << 28, 0, {0, 0}, false},
    {0, UINT32_MAX, {0, 0}, false},
};

START_TEST(claims_about_a_stack_are_checked)
{
    struct {
        struct message_capture capture;
        struct memory_run runs[2];
        uint64_t stack[4];
    } message = {.capture = capture_at(0x2345)};
    record_image_begins(&record, 1, 100, 2, "one");
    start_stacks();
    message.capture.run_count = captures[_i].run_count;
    message.capture.stack_size = captures[_i].stack_size;
    for (size_t i = 0; i < 2; i++)
        message.runs[i] = (struct memory_run){0x1000 * i, captures[_i].sizes[i]};
    give(MESSAGE_CAPTURE, &message, sizeof message);
    intake_end(&intake);
    ck_assert_uint_eq(intake.unknown, !captures[_i].good);
    ck_assert_uint_eq(record.sample_count, captures[_i].good);
}
END_TEST

/* The address in a frame pointer, relative to the stack pointer, if 64 bytes were copied. */
static const struct {
    uint32_t depth; /* from the tracer */
    uint64_t frame;
    uint32_t asked, deepest;
} deeps[] = {
    {0x20000, 0x10000, 0x10008, 0x20000},
    {64, 0x10000, 0x10008, 0x10008}, /* the stack's end is unknown */
    {0x20000, 64, 72, 0x20000},
    {0, 0x10000, 0, 0}, /* all of the stack was copied, so it leads elsewhere */
    {0x200000, (1 << 20) - 8, 1 << 20, 0x200000},
    {0x200000, 1 << 20, 0, 0x200000}, /* more than the limit: it is only counted */
    {0x200000, 4 << 20, 0, 0},
    {0x20000, UINT64_C(1) << 40, 0, 0},
};

START_TEST(stacks_that_are_deeper_are_asked_for)
{
    struct {
        struct message_capture capture;
        struct memory_run run;
        uint64_t stack[8];
    } message = {.capture = capture_at(0x2345), .run = {0x7fff0000, 64}};
    record_image_begins(&record, 1, 100, 2, "one");
    start_stacks();
    give_maps(sizeof maps - 1, maps, sizeof maps - 1);
    message.capture.run_count = 1;
    message.capture.stack_size = sizeof message.stack;
    message.capture.stack_depth = deeps[_i].depth;
    message.capture.registers.user.rsp = message.run.start;
    message.capture.registers.user.rbp = message.run.start + deeps[_i].frame;
    for (int i = 0; i < 3; i++)
        give(MESSAGE_CAPTURE, &message, sizeof message);
    ck_assert_uint_eq(record.sample_count, 3);
    ck_assert_uint_eq(intake.stacks.asked_count, deeps[_i].asked > 0);
    ck_assert_uint_eq(intake.stacks.asked[0].stack_bytes, deeps[_i].asked);
    ck_assert_int_eq(intake.stacks.asked[0].tid, deeps[_i].asked ? message.capture.tid : 0);
    ck_assert_uint_eq(intake.stacks.limited, deeps[_i].deepest ? 3 : 0);
    ck_assert_uint_eq(intake.stacks.unwound, 3);
    ck_assert_uint_eq(intake.stacks.deepest, deeps[_i].deepest);
    intake_end(&intake);
}
END_TEST

static const uint32_t strange_types[] = {0, MESSAGE_UPDATE + 1, 100, UINT32_MAX};

START_TEST(types_that_there_are_not_are_counted_and_ignored)
{
    unsigned char bytes[400];
    record_image_begins(&record, 1, 100, 2, "one");
    memset(bytes, 1, sizeof bytes);
    give(strange_types[_i], bytes, 0);
    for (size_t i = 0; i < UNIT_ROWS(types); i++)
        give(strange_types[_i], bytes, types[i].size);
    ck_assert_uint_eq(intake.unknown, 1 + UNIT_ROWS(types));
    expect_untouched();
}
END_TEST

/* Messages of images that have ended or never existed. */
START_TEST(messages_of_no_image_are_no_harm)
{
    give(MESSAGE_IMAGE_END, &image_end, sizeof image_end);
    give(MESSAGE_THREAD, &thread, sizeof thread);
    give_maps(sizeof maps - 1, maps, sizeof maps - 1);
    give_capture(0x2345);
    ck_assert_uint_eq(record.images.count + record.threads.count + record.samples.count, 0);
    ck_assert_uint_eq(intake.unknown, 0);
}
END_TEST

static const struct {
    uint32_t length;
    const char *text;
    size_t size; /* of the present text */
    bool known;
    size_t ranges;
} lengths[] = {
    {sizeof maps - 1, maps, sizeof maps - 1, true, 1},
    {0, "", 0, true, 0},
    {0, maps, sizeof maps - 1, true, 0},               /* bytes behind the text are ignored */
    {sizeof maps - 2, maps, sizeof maps - 1, true, 0}, /* truncated before the line's end */
    {sizeof maps, maps, sizeof maps - 1, false, 0},
    {UINT32_MAX, maps, sizeof maps - 1, false, 0},
    {UINT32_MAX - 7, maps, sizeof maps - 1, false, 0},
    {1, "", 0, false, 0},
    {sizeof maps - 1, "2000-5000 r-xp 0 08:01 7 /a\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", sizeof maps - 1, true,
     1},
    {20, "\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377", 20, true, 0},
};

START_TEST(the_length_of_a_text_is_checked)
{
    record_image_begins(&record, 1, 100, 2, "one");
    give_maps(lengths[_i].length, lengths[_i].text, lengths[_i].size);
    ck_assert_uint_eq(intake.unknown, lengths[_i].known ? 0 : 1);
    ck_assert_uint_eq(record.images.items[0].map.count, lengths[_i].ranges);
}
END_TEST

START_TEST(names_without_an_end_are_cut)
{
    static const char full[16] = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
    struct message_image begins = {.image = 1, .pid = 100};
    struct message_thread named = {.image = 1, .tid = 100};
    struct message_image_end ends = {.image = 1};
    memcpy(begins.comm, full, sizeof full);
    memcpy(named.comm, full, sizeof full);
    memcpy(ends.comm, full, sizeof full);
    give(MESSAGE_IMAGE, &begins, sizeof begins);
    ck_assert_str_eq(record.images.items[0].comm, "0123456789abcde");
    give(MESSAGE_THREAD, &named, sizeof named);
    ck_assert_str_eq(record.threads.items[0].comm, "0123456789abcde");
    strcpy(record.images.items[0].comm, "x");
    give(MESSAGE_IMAGE_END, &ends, sizeof ends);
    ck_assert_str_eq(record.images.items[0].comm, "0123456789abcde");
}
END_TEST

static struct ring ring_with(const void *bytes, size_t size, uint32_t type)
{
    struct ring ring;
    struct error error = {0};
    ck_assert_int_eq(ring_map(&ring, 4096, &error), 0);
    void *place = ring_reserve(&ring, type, size, 0);
    ck_assert_ptr_nonnull(place);
    memcpy(place, bytes, size);
    ring_publish(&ring, size);
    return ring;
}

START_TEST(a_ring_is_emptied)
{
    struct ring ring = ring_with(&image, sizeof image, MESSAGE_IMAGE);
    memcpy(ring_reserve(&ring, 77, sizeof thread, 0), &thread, sizeof thread);
    ring_publish(&ring, sizeof thread);
    memcpy(ring_reserve(&ring, MESSAGE_THREAD, sizeof thread, 0), &thread, sizeof thread);
    ring_publish(&ring, sizeof thread);
    for (uint32_t taken = 1; taken <= 3; taken++) {
        ck_assert(intake_next(&intake, &ring));
        ck_assert_uint_eq(record.images.count, 1);
        ck_assert_uint_eq(intake.unknown, taken > 1);
        ck_assert_uint_eq(record.threads.count, taken > 2);
    }
    ck_assert_uint_eq(ring_filled(&ring), 0);
    ck_assert(!intake_next(&intake, &ring)); /* the ring is empty */
    ck_assert_uint_eq(intake.unknown, 1);
    ring_unmap(&ring);
}
END_TEST

START_TEST(a_damaged_ring_is_counted)
{
    struct ring ring = ring_with(&image, sizeof image, MESSAGE_IMAGE);
    uint64_t at = atomic_load(&ring.control->written);
    struct ring_header header = {.size = 3000, .type = MESSAGE_THREAD}; /* larger than the written data */
    memcpy(ring.bytes + at, &header, sizeof header);
    atomic_store(&ring.control->written, at + 16);
    ck_assert(intake_next(&intake, &ring)); /* earlier messages are valid */
    ck_assert(!intake_next(&intake, &ring));
    ck_assert_uint_eq(record.images.count, 1);
    ck_assert_uint_eq(record.threads.count, 0);
    ck_assert_uint_eq(intake.unknown, 1);
    ck_assert_uint_eq(ring_filled(&ring), 0);
    ring_unmap(&ring);
}
END_TEST

static void open_channel(enum calls_mode mode)
{
    struct error error = {0};
    intake.channel = calloc(1, sizeof *intake.channel);
    intake.entries.mode = mode;
    ck_assert_ptr_nonnull(intake.channel);
    ck_assert_int_eq(channel_open(intake.channel, &error), 0);
}

/* Puts a message of SIZE bytes and then TEXT into RING. */
static void put(struct ring *ring, uint32_t type, const void *message, size_t size, const char *text)
{
    unsigned char *place = ring_reserve(ring, type, size + strlen(text), 0);
    ck_assert_ptr_nonnull(place);
    memcpy(place, message, size);
    memcpy(place + size, text, strlen(text));
    ring_publish(ring, size + strlen(text));
}

/* Asks the front for entries of the calls in image NUMBER, with TEXT as its maps. */
static void ask(uint32_t number, const char *text)
{
    struct message_entries question = {number, getpid(), 1000 + (pid_t)number, (uint32_t)strlen(text)};
    put(&intake.channel->questions, MESSAGE_ENTRIES, &question, sizeof question, text);
}

/* Returns false without an answer. */
static bool answered(struct command *answer)
{
    return recv(intake.channel->tracer_socket, answer, sizeof *answer, MSG_DONTWAIT) == sizeof *answer;
}

/* Returns this process's mappings of FILE. Free with free(). */
static char *own_maps_of(const char *file)
{
    struct buffer text = {0};
    ck_assert_int_eq(buffer_read_path(&text, "/proc/self/maps", 1 << 20), 0);
    char *lines = calloc(1, text.length + 1), *left = NULL;
    for (char *line = strtok_r(text.bytes, "\n", &left); line; line = strtok_r(NULL, "\n", &left))
        if (strstr(line, file))
            strcat(strcat(lines, line), "\n");
    buffer_fini(&text);
    return lines;
}

/* Returns this process's mappings of the C library, as in a program that uses neither prctl nor syscall. Free with
 * free(). */
static char *own_maps(void)
{
    return own_maps_of("/libc.so");
}

static const struct {
    enum calls_mode mode;
    bool planted;
} modes[] = {{CALLS_ON, true}, {CALLS_AUTO, false}, {CALLS_OFF, false}}; /* this program does not refer to profil */

/* A thread is held until its question is answered. The answer must not wait for unwinding, even of the same process. */
START_TEST(questions_go_past_captures)
{
    enum { CAPTURES = 100 };
    open_channel(modes[_i].mode);
    struct message_capture capture = capture_at(0x2345);
    struct command answer;
    char *text = own_maps();
    bool planted = false;
    put(&intake.channel->ring, MESSAGE_IMAGE, &image, sizeof image, "");
    for (int i = 0; i < CAPTURES; i++)
        put(&intake.channel->ring, MESSAGE_CAPTURE, &capture, sizeof capture, "");
    ask(7, text); /* its image's first message is not in the ring yet */
    ask(8, "");
    ck_assert(intake_next(&intake, &intake.channel->ring));
    ck_assert_uint_eq(record.sample_count, 0);
    ck_assert(answered(&answer));
    ck_assert_uint_eq(answer.type, COMMAND_ENTRIES);
    ck_assert_uint_eq(answer.image, 7);
    ck_assert_int_eq(answer.pid, 1007);
    ck_assert(!answer.complete);
    for (uint32_t i = 0; i < answer.entry_count; i++)
        planted |= answer.entries[i].kind == BREAKPOINT_PROFIL &&
                   answer.entries[i].address == (uintptr_t)dlsym(RTLD_DEFAULT, "profil");
    ck_assert(planted == modes[_i].planted);
    ck_assert(answered(&answer));
    ck_assert_uint_eq(answer.image, 8);
    ck_assert_uint_eq(answer.entry_count, 0);
    ck_assert(!answered(&answer));
    while (intake_next(&intake, &intake.channel->ring))
        ;
    ck_assert_uint_eq(record.sample_count, CAPTURES);
    ck_assert_uint_eq(intake.unknown, 0);
    free(text);
}
END_TEST

/* Captures waited for maps, which have arrived. There may be many. */
START_TEST(questions_go_past_captures_that_waited)
{
    open_channel(CALLS_OFF);
    struct command answer;
    start_stacks();
    give_image();
    give_capture(0x8123);
    ck_assert_uint_eq(record.sample_count, 0);
    ask(2, "");
    give_maps(sizeof more_maps - 1, more_maps, sizeof more_maps - 1);
    ck_assert_uint_eq(record.sample_count, 1);
    ck_assert(answered(&answer));
    ck_assert_uint_eq(answer.image, 2);
}
END_TEST

/* Process IMAGE, which is this one, maps the file in TEXT, asks for its entries, and ends. Returns the file's
 * number. */
static uint32_t use_file(uint32_t number, const char *text, struct command *answer)
{
    struct message_image begins = {.image = number, .pid = getpid(), .comm = "one"};
    struct message_image_end ends = {.image = number, .comm = "one"};
    give(MESSAGE_IMAGE, &begins, sizeof begins);
    record_maps(&record, number, text);
    stacks_maps(&intake.stacks, &record, number);
    uint32_t object = record_running_image(&record, number)->objects[0];
    ask(number, text);
    intake_next(&intake, &intake.channel->ring);
    ck_assert(answered(answer));
    give(MESSAGE_IMAGE_END, &ends, sizeof ends);
    return object;
}

/* A file that is unused for a long time is forgotten, with its entries. */
START_TEST(the_number_of_a_forgotten_file_is_reused)
{
    open_channel(CALLS_ON);
    struct command answer;
    char *loader = own_maps_of("/ld-linux"), *library = own_maps();
    start_stacks();
    uint32_t number = use_file(1, loader, &answer);
    ck_assert_int_ge(record.objects.items[number].fd, 0);
    ck_assert_ptr_nonnull(intake.stacks.objects.items[number].object);
    for (int i = 0; i <= OBJECTS_UNUSED_INTERVALS; i++) {
        ck_assert_str_ne(record.objects.items[number].path ? record.objects.items[number].path : "", "");
        intake_renew(&intake);
    }
    ck_assert_ptr_null(record.objects.items[number].path);
    ck_assert_ptr_null(intake.stacks.objects.items[number].object);
    ck_assert_uint_eq(use_file(2, library, &answer), number);
    ck_assert_ptr_nonnull(strstr(record.objects.items[number].path, "/libc.so"));
    ck_assert_ptr_nonnull(intake.stacks.objects.items[number].object);
    ck_assert_uint_gt(answer.entry_count, 0);
    ck_assert_int_eq(answer.entries[0].kind, BREAKPOINT_PROFIL);
    ck_assert_uint_eq(answer.entries[0].address, (uintptr_t)dlsym(RTLD_DEFAULT, "profil"));
    free(loader);
    free(library);
}
END_TEST

static const struct {
    uint32_t type, length;
    size_t size; /* of the message */
} bad_questions[] = {
    {MESSAGE_MAPS, 0, sizeof(struct message_entries)},
    {MESSAGE_ENTRIES, 0, sizeof(struct message_entries) - 1},
    {MESSAGE_ENTRIES, 0, 0},
    {MESSAGE_ENTRIES, 1, sizeof(struct message_entries)},
    {MESSAGE_ENTRIES, UINT32_MAX, sizeof(struct message_entries)},
};

START_TEST(questions_that_make_no_sense_are_counted)
{
    open_channel(CALLS_ON);
    struct message_entries question = {1, getpid(), 1, bad_questions[_i].length};
    struct command answer;
    put(&intake.channel->questions, bad_questions[_i].type, &question, bad_questions[_i].size, "");
    ask(2, "");
    ck_assert(!intake_next(&intake, &intake.channel->ring));
    ck_assert_uint_eq(intake.unknown, 1);
    ck_assert(answered(&answer)); /* the valid one */
    ck_assert_uint_eq(answer.image, 2);
    ck_assert(!answered(&answer));
}
END_TEST

static uint32_t random_state;

static uint32_t random_next(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return random_state >> 8;
}

/* Fills SIZE bytes with random data. Most image numbers are small, so that some messages are accepted. */
static void fill_randomly(unsigned char *bytes, size_t size)
{
    uint32_t number = random_next() % 8;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)random_next();
    if (random_next() % 4)
        memcpy(bytes, &number, size < sizeof number ? size : sizeof number);
}

static const uint32_t seeds[] = {1, 2, 3, 4};

static void without_stack(struct message_capture *capture)
{
    capture->stack_size = capture->run_count = capture->interp_size = 0;
}

/* After any messages, the record is consistent, and a profile can be made of it. */
START_TEST(random_messages_are_no_harm)
{
    unsigned char bytes[600];
    random_state = seeds[_i];
    for (int i = 0; i < 20000; i++) {
        uint32_t which = random_next() % (UNIT_ROWS(types) + 1);
        uint32_t type = which < UNIT_ROWS(types) ? types[which].type : random_next();
        size_t size = random_next() % 2 && which < UNIT_ROWS(types) ? types[which].size : random_next() % 500;
        fill_randomly(bytes, size);
        /* mostly without a stack; otherwise nearly all captures would have an invalid one */
        if (type == MESSAGE_CAPTURE && size >= sizeof(struct message_capture) && random_next() % 4)
            without_stack((void *)bytes);
        if (random_next() % 16 == 0)
            give_maps(sizeof maps - 1, maps, sizeof maps - 1);
        else
            give(type, bytes, size);
    }
    ck_assert_uint_gt(intake.unknown, 1000);
    ck_assert_uint_gt(record.samples.count, 100);
    uint64_t wrong = 0;
    for (size_t i = 0; i < record.samples.count; i++)
        wrong += record.samples.items[i].thread >= record.threads.count ||
                 leaf_of(&record, i)->object >= record.objects.count;
    for (size_t i = 0; i < record.threads.count; i++)
        wrong += record.threads.items[i].comm[15] || record.threads.items[i].image >= record.images.count;
    ck_assert_uint_eq(wrong, 0);
    struct error error = {0};
    struct profile *profile = naming_profile(&record, NULL, NULL, &error);
    ck_assert_ptr_nonnull(profile);
    ck_assert_uint_eq(profile->sample_count, record.samples.count);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("session/intake");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    UNIT_ADD_TABLE(tests, a_command_line_is_a_text, commands);
    tcase_add_test(tests, a_call_has_no_more_words_than_fit);
    tcase_add_test(tests, a_command_line_has_a_limit);
    tcase_add_test(tests, good_messages_reach_the_record);
    UNIT_ADD_TABLE(tests, captures_of_unknown_code_wait_for_the_maps, endings);
    tcase_add_test(tests, waits_keep_their_order);
    tcase_add_test(tests, captures_do_not_wait_without_end);
    tcase_add_test(tests, waits_reach_the_record);
    tcase_add_test(tests, the_first_image_has_the_command_line);
    tcase_add_test(tests, time_in_faults_reaches_the_record);
    tcase_add_test(tests, other_messages_are_counted);
    UNIT_ADD_TABLE(tests, truncated_messages_are_counted_and_ignored, types);
    UNIT_ADD_TABLE(tests, longer_messages_are_taken_only_where_more_may_follow, types);
    UNIT_ADD_TABLE(tests, types_that_there_are_not_are_counted_and_ignored, strange_types);
    tcase_add_test(tests, messages_of_no_image_are_no_harm);
    UNIT_ADD_TABLE(tests, the_length_of_a_text_is_checked, lengths);
    UNIT_ADD_TABLE(tests, claims_about_a_stack_are_checked, captures);
    UNIT_ADD_TABLE(tests, stacks_that_are_deeper_are_asked_for, deeps);
    tcase_add_test(tests, names_without_an_end_are_cut);
    tcase_add_test(tests, a_ring_is_emptied);
    tcase_add_test(tests, a_damaged_ring_is_counted);
    UNIT_ADD_TABLE(tests, questions_go_past_captures, modes);
    tcase_add_test(tests, questions_go_past_captures_that_waited);
    tcase_add_test(tests, the_number_of_a_forgotten_file_is_reused);
    UNIT_ADD_TABLE(tests, questions_that_make_no_sense_are_counted, bad_questions);
    UNIT_ADD_TABLE(tests, random_messages_are_no_harm, seeds);
    if (unwind_has_dwarf()) {
        UNIT_ADD_TABLE(tests, only_what_waited_for_a_page_is_unwound_again, arrivals);
        UNIT_ADD_TABLE(tests, words_of_a_stack_are_looked_at_for_what_it_asks, scans);
        UNIT_ADD_TABLE(tests, delayed_questions_are_asked_later, crowds);
        UNIT_ADD_TABLE(tests, what_is_needed_is_not_forgotten_for_what_is_old, olds);
        tcase_add_test(tests, new_answers_are_not_asked_again);
        tcase_add_test(tests, code_is_asked_for_when_the_maps_have_come);
    }
    return unit_end();
}
