/* SPDX-License-Identifier: MIT
 *
 * Writes a seed for fuzz_intake: messages of the tracer, to standard output. The argument is a letter for the kind
 * of messages and a digit for the unwind mode. */

#include "common/wire/message.h"

#include <stdio.h>
#include <string.h>

static const char maps[] = "400000-401000 r-xp 00001000 08:01 123 /no/such/file\n"
                           "500000-501000 r-xp 00000000 00:00 0 [vdso]\n"
                           "600000-700000 rwxp 00000000 00:00 0 \n";

/* Writes a message of TYPE, followed by MORE bytes. */
static void put(enum message_type type, const void *message, size_t size, const void *bytes, size_t more)
{
    const unsigned char head[] = {(unsigned char)type, 0, (unsigned char)more, (unsigned char)(more >> 8)};

    fwrite(head, 1, sizeof head, stdout);
    fwrite(message, 1, size, stdout);
    fwrite(bytes, 1, more, stdout);
}

#define PUT(type, ...) put(type, &__VA_ARGS__, sizeof __VA_ARGS__, "", 0)

static void put_capture(uint32_t image, pid_t tid, int32_t syscall, uint64_t pc)
{
    static const uint64_t stack[16] = {0x400010, 0x600010, 0x7fff1000, 0x400020};
    struct message_capture capture = {
        .image = image, .tid = tid, .syscall = syscall, .weight_ns = 1000, .run_count = 2};
    unsigned char more[2 * sizeof(struct memory_run) + sizeof stack];
    struct memory_run runs[] = {{0x7fff0f80, 64}, {0x7fff2f80, 64}};

    capture.registers.user.rip = pc;
    capture.registers.user.rsp = 0x7fff0f80;
    capture.registers.user.rbp = 0x7fff0f90;
    memcpy(more, runs, sizeof runs);
    memcpy(more + sizeof runs, stack, sizeof stack);
    put(MESSAGE_CAPTURE, &capture, sizeof capture, more, sizeof more);
}

/* Writes the messages of a wait: its begin, an update, and its end. */
static void put_waiting(uint32_t image, pid_t tid)
{
    struct message_capture capture = {.image = image, .tid = tid, .wait_ns = 1000, .queued_ns = 10, .waiting = 1};
    struct message_waited waited = {.image = image, .tid = tid, .count = 3, .wait_ns = 3000};

    capture.registers.user.rip = 0x400020;
    PUT(MESSAGE_CAPTURE, capture);
    PUT(MESSAGE_WAITED, waited);
    waited.over = 1;
    PUT(MESSAGE_WAITED, waited);
}

static void put_begin(uint32_t image, pid_t pid, const char *comm)
{
    struct message_image begin = {.image = image, .pid = pid};
    struct message_thread thread = {.image = image, .tid = pid};

    strcpy(begin.comm, comm);
    strcpy(thread.comm, comm);
    PUT(MESSAGE_IMAGE, begin);
    PUT(MESSAGE_THREAD, thread);
}

static void put_maps(uint32_t image)
{
    struct message_maps message = {.image = image};

    put(MESSAGE_MAPS, &message, sizeof message, maps, sizeof maps - 1);
}

static void put_captures(void)
{
    put_maps(FIRST_IMAGE);
    put_begin(2, 200, "other");
    for (uint32_t image = FIRST_IMAGE; image <= 2; image++) {
        put_capture(FIRST_IMAGE, 100, -1, 0x400010);
        put_capture(FIRST_IMAGE, 100, 1, 0x400020);
        put_capture(FIRST_IMAGE, 101, -1, 0x500010);
        put_capture(2, 200, -1, 0x600010);
        put_waiting(2, 200);
        put_maps(image);
    }
}

static void put_imposed(void)
{
    struct message_imposed imposed = {
        .image = FIRST_IMAGE, .pid = 100, .scale = 65536, .offset = 0x400000, .size = 4096};
    struct message_inherited inherited = {.image = 2, .origin = FIRST_IMAGE, .pid = 200};
    struct message_update update = {.image = FIRST_IMAGE, .cell = 1, .number = 7, .value = 1};

    PUT(MESSAGE_IMPOSED, imposed);
    PUT(MESSAGE_UPDATE, update);
    put_begin(2, 200, "child");
    PUT(MESSAGE_INHERITED, inherited);
    update.number = 6;
    PUT(MESSAGE_UPDATE, update);
    PUT(MESSAGE_UPDATE, update);
    update.image = 2;
    update.cell = 0;
    PUT(MESSAGE_UPDATE, update);
}

static void put_others(void)
{
    struct message_entries entries = {.image = FIRST_IMAGE, .pid = 100, .tid = 100};
    struct message_trouble trouble = {.image = FIRST_IMAGE, .pid = 100, .error = 14, .comm = "name"};

    put(MESSAGE_ENTRIES, &entries, sizeof entries, maps, sizeof maps - 1);
    PUT(MESSAGE_TROUBLE, trouble);
}

int main(int argc, char **argv)
{
    struct message_image_end end = {.image = FIRST_IMAGE, .cpu_ns = 100000, .comm = "name"};

    (void)argc;
    putchar(argv[1][1] - '0'); /* unwind mode */
    put_begin(FIRST_IMAGE, 100, "name");
    if (argv[1][0] == 'c')
        put_captures();
    else if (argv[1][0] == 'i')
        put_imposed();
    else
        put_others();
    PUT(MESSAGE_IMAGE_END, end);
    return ferror(stdout);
}
