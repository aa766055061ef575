/* SPDX-License-Identifier: MIT
 *
 * Reads answers of the name processes. These parse untrusted files, so ptprofil does not trust their answers. The input
 * is read once as an answer for a profile, then as rounds of `ptprofil top`. A round is a byte with the number of new
 * locations, a byte of flags, and the answer: raw bytes, or a module and parts that are mostly valid. It arrives in
 * pieces. */
#include "front/naming/name_answer.h"
#include "front/naming/name_wire.h"
#include "front/top/namer.h"

#include "front/top/places.h"
#include "fuzz.h"
#include "profile/profile/builder.h"
#include "programs/unwind/frame.h"

#include <string.h>
#include <sys/socket.h>

#define NUMBER "\0\0\0\0\0\0\0\0"
#define FUNCTION(name)                                                                                                 \
    "\1\0" NUMBER NUMBER name "\0"                                                                                     \
    "\0"

enum { ROUNDS = 16, NEW_MOST = 6, PARTS = 40, BYTES_MOST = 600 };
enum { ANY_BYTES = 1, ANY_SIZE = 2, IN_PIECES = 4, ENDS = 8 };
enum { ANY_TYPE = 1, ANY_LENGTH = 2, ANY_NUMBERS = 4 };
enum { A_FUNCTION = 1, A_FILE, A_PLACE }; /* see naming/name_answer.c */

/* The module, two functions and a file. */
static const char start[] = "\0\0" NUMBER NUMBER NUMBER "\0\0\0\0\0" FUNCTION("f") FUNCTION("g") "\2s\0";

struct top {
    struct record record;
    struct places places;
    struct namer namer;
    int peer; /* the other end of its connection */
};

static void connect_namer(struct top *top)
{
    int pair[2];
    FUZZ_EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    top->namer = (struct namer){.server = NAME_SERVER_NONE, .restarts = NAMER_RESTARTS};
    top->namer.server.connection = pair[0];
    top->peer = pair[1];
}

static void reconnect_namer(struct top *top)
{
    close(top->peer);
    namer_end(&top->namer);
    connect_namer(top);
}

/* Records samples at COUNT new locations. */
static void add_places(struct top *top, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct unwind_frame frame = {.pc = 16 * (top->record.nodes.count + 1)};
        struct record_capture capture = {
            .image = 1, .tid = 1, .syscall = -1, .weight_ns = 1000, .frames = &frame, .frame_count = 1};
        record_capture(&top->record, &capture);
    }
    FUZZ_EXPECT(places_follow(&top->places, &top->record));
}

static void hear_question(const struct top *top)
{
    char bytes[4096];
    while (recv(top->peer, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
        continue;
}

static void add_number(struct buffer *answer, uint64_t number, size_t size)
{
    buffer_append(answer, &number, size);
}

static void build_function(struct buffer *answer, const uint8_t *bytes, size_t size)
{
    add_number(answer, size / 4 % 2, 1); /* it has a symbol or not */
    add_number(answer, size, 8);
    add_number(answer, size, 8);
    buffer_append(answer, bytes, size);
    add_number(answer, 0, 1);
    buffer_append(answer, bytes, size / 2);
    add_number(answer, 0, 1);
}

/* The last line is the function's own. */
static void build_place(struct buffer *answer, uint64_t how, const uint8_t *bytes, size_t size)
{
    uint32_t first = size ? bytes[0] : 0, lines = (uint32_t)size / 4;
    uint32_t function = how & ANY_NUMBERS ? first : first % 2;
    add_number(answer, how, 8);
    add_number(answer, function, 4);
    add_number(answer, how & ANY_LENGTH ? first : lines, 4);
    for (uint32_t i = 0; i < lines; i++) {
        add_number(answer, i + 1 < lines ? bytes[i] % 2 : function, 4);
        add_number(answer, bytes[i] & 1 ? UINT32_MAX : 0, 4);
        add_number(answer, bytes[i], 4);
    }
}

/* Adds a part of the answer: a function, a file, or a place with lines. Their numbers mostly exist. Returns true if it
 * is a place. */
static bool build_part(struct cursor *input, struct buffer *answer)
{
    uint64_t how = cursor_number(input, 1), type = 1 + (how >> 3) % 3;
    size_t size = 1 + (how >> 5) * 4;
    uint8_t *bytes = fuzz_copy(input, &size);
    add_number(answer, how & ANY_TYPE ? cursor_number(input, 1) : type, 1);
    if (type == A_PLACE)
        build_place(answer, how, bytes, size);
    else if (type == A_FUNCTION)
        build_function(answer, bytes, size);
    else if (buffer_append(answer, bytes, size))
        add_number(answer, 0, 1);
    free(bytes);
    return type == A_PLACE;
}

/* Builds an answer about COUNT places or more, without the reply in front of it. */
static void build_answer(struct cursor *input, uint64_t how, size_t count, struct buffer *answer)
{
    buffer_append(answer, "", 0);
    if (how & ANY_BYTES) {
        size_t size = fuzz_below(input, 2, BYTES_MOST);
        uint8_t *bytes = fuzz_copy(input, &size);
        buffer_append(answer, bytes, size);
        free(bytes);
        return;
    }
    buffer_append(answer, start, sizeof start - 1);
    for (uint64_t left = fuzz_below(input, 1, PARTS); left; left--)
        count -= build_part(input, answer) && count;
    for (; count; count--) {
        add_number(answer, A_PLACE, 1);
        build_place(answer, 0, NULL, 0);
    }
}

static void say(struct top *top, const void *bytes, size_t size)
{
    if (top->namer.server.connection >= 0 && size)
        FUZZ_EXPECT(send(top->peer, bytes, size, MSG_NOSIGNAL) == (ssize_t)size);
    namer_take(&top->namer, &top->places, &top->record);
}

/* A location must have functions from the answer, the unknown function, or a pending question. */
static void check(struct top *top)
{
    struct places *places = &top->places;
    FUZZ_EXPECT(places_settle(places) && top->namer.asked_count <= NAMER_ASKED);
    for (size_t i = 0; i < places->places.count; i++) {
        const struct places_item *item = &places->places.items[i];
        FUZZ_EXPECT(item->state != PLACES_ASKED || top->namer.asked_count);
        FUZZ_EXPECT(item->state != PLACES_KNOWN || item->count);
        for (uint32_t frame = item->first; frame < item->first + item->count; frame++) {
            FUZZ_EXPECT(frame < places->frames.count && places->frames.items[frame] < places->functions.count);
            FUZZ_EXPECT(places_name(places, places->frames.items[frame]));
            FUZZ_EXPECT(places_module(places, places->frames.items[frame]));
        }
    }
}

static void run_round(struct cursor *input, struct top *top)
{
    struct buffer answer = {0};
    if (top->namer.server.connection < 0)
        reconnect_namer(top);
    add_places(top, fuzz_below(input, 1, NEW_MOST));
    namer_ask(&top->namer, &top->places, &top->record);
    hear_question(top);
    uint64_t how = cursor_number(input, 1);
    build_answer(input, how, top->namer.asked_count, &answer);
    struct name_reply reply = {.size = how & ANY_SIZE ? cursor_number(input, 4) : answer.length};
    size_t first = how & IN_PIECES ? answer.length / 2 : answer.length;
    say(top, &reply, sizeof reply);
    say(top, answer.bytes, first);
    say(top, answer.bytes + first, answer.length - first);
    if (how & ENDS)
        shutdown(top->peer, SHUT_RDWR);
    say(top, "", how & ENDS ? 0 : cursor_left(input) % 2);
    check(top);
    if (how & ENDS)
        reconnect_namer(top);
    buffer_fini(&answer);
}

static void read_answer(const uint8_t *bytes, size_t size)
{
    const struct profile_module module = {.path = (char[]){"file"}};
    struct builder builder;
    struct name_answer answer = {0};
    size_t count = size ? bytes[size - 1] : 0;
    builder_init(&builder);
    bool read = name_answer_read(&answer, bytes, size, count, &builder, &module);
    for (size_t i = 0; read && i < count; i++) {
        uint32_t number = name_answer_next(&answer, &builder, i % 3);
        FUZZ_EXPECT(number < builder.profile->location_count);
        const struct profile_location *place = &builder.profile->locations[number];
        FUZZ_EXPECT(place->function < builder.profile->function_count);
        FUZZ_EXPECT(place->line_first + place->line_count <= builder.profile->line_count);
    }
    name_answer_free(&answer);
    profile_free(builder_finish(&builder));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cursor input = fuzz_input(bytes, size);
    struct top *top = calloc(1, sizeof *top);
    FUZZ_EXPECT(top);
    read_answer(bytes, size);
    record_image_begins(&top->record, 1, getpid(), 0, "self");
    top->places.full_names = fuzz_below(&input, 1, 2);
    connect_namer(top);
    for (int i = 0; i < ROUNDS && cursor_left(&input); i++)
        run_round(&input, top);
    close(top->peer);
    namer_take(&top->namer, &top->places, &top->record);
    FUZZ_EXPECT(top->namer.asked_count == 0);
    check(top);
    namer_end(&top->namer);
    places_free(&top->places);
    record_fini(&top->record);
    free(top);
    return 0;
}
