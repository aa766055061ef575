/* SPDX-License-Identifier: MIT
 *
 * The tracer follows recipes through the memory of this process, which acts as a possibly hostile interpreter. */
#include "tracer/walk/interp.h"

#include "common/arch/arch.h"
#include "common/arch/machine.h"
#include "common/base/error.h"
#include "common/model/runs.h"
#include "common/model/wait.h"
#include "common/wire/channel.h"
#include "common/wire/emit.h"
#include "common/wire/message.h"
#include "tracer/tracee/memory.h"
#include "unit.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NODES = 8, OBJECTS = 4, TEXT = 32 };

/* An invented interpreter. */
struct thing {
    uint64_t type, value;
    uint64_t text; /* address of a struct words */
};

struct words {
    uint64_t count;
    char text[TEXT];
};

struct node {
    uint64_t back, code, more;
};

struct state {
    uint64_t next, group, pointer, first, link[2];
};

struct group {
    uint64_t next, states, lock, queue[2];
};

static struct {
    uint64_t begin;
    struct group group;
    struct state others[3], own;
    struct node nodes[NODES];
    struct thing things[OBJECTS];
    struct words words[OBJECTS];
} memory_of_it;

#define ADDRESS(of) ((uint64_t)(uintptr_t)(of))
#define TYPE 0x1234

static const struct recipe recipe = {
    .runtime = 7,
    .kind = RECIPE_LIST,
    .group_next = 0,
    .group_states = 8,
    .state_next = 0,
    .state_size = sizeof(struct state),
    .state_pointer = 16,
    .state_tid = RECIPE_NONE,
    .state_group = 8,
    .state_object = RECIPE_NONE,
    .state_stack = RECIPE_NONE,
    .node_owner = RECIPE_NONE,
    .link_next = RECIPE_NONE,
    .path_count = 1,
    .path = {24},
    .node_size = sizeof(struct node),
    .node_next = 0,
    .node_word = RECIPE_NONE,
    .shapes = {{.pointer = 8,
                .size = sizeof(struct thing),
                .type = 0,
                .type_word = TYPE,
                .check = 8,
                .check_size = 8,
                .check_pointer = RECIPE_NONE,
                .part_count = 1,
                .when = RECIPE_NONE,
                .parts = {{0, 16, 0, 1, 8, 1}}},
               {.pointer = RECIPE_NONE}},
};

static size_t reads; /* calls of memory_read_runs */
ssize_t __real_memory_read_runs(struct memory *its_memory, pid_t tid, struct runs *runs, void *bytes);
ssize_t __wrap_memory_read_runs(struct memory *its_memory, pid_t tid, struct runs *runs, void *bytes);

ssize_t __wrap_memory_read_runs(struct memory *its_memory, pid_t tid, struct runs *runs, void *bytes)
{
    reads++;
    return __real_memory_read_runs(its_memory, tid, runs, bytes);
}

static struct channel channel;
static struct emitter emitter;
static struct interp *interp;
static struct interp_thread thread;
static struct memory memory;
static struct interp_stack stack;
static struct arch_registers registers;
static uint64_t now_ns = 1, futex, stack_end, descriptor;

static void build(void)
{
    struct error error = {0};
    memset(&memory_of_it, 0, sizeof memory_of_it);
    memory_of_it.begin = ADDRESS(&memory_of_it.group);
    memory_of_it.group.states = ADDRESS(&memory_of_it.others[0]);
    for (size_t i = 0; i < 3; i++)
        memory_of_it.others[i] = (struct state){ADDRESS(i < 2 ? &memory_of_it.others[i + 1] : &memory_of_it.own),
                                                ADDRESS(&memory_of_it.group),
                                                100 + i,
                                                0,
                                                {0}};
    memory_of_it.own = (struct state){0, ADDRESS(&memory_of_it.group), 42, ADDRESS(&memory_of_it.nodes[0]), {0}};
    for (size_t i = 0; i < NODES; i++)
        memory_of_it.nodes[i] = (struct node){i + 1 < NODES ? ADDRESS(&memory_of_it.nodes[i + 1]) : 0,
                                              ADDRESS(&memory_of_it.things[i % OBJECTS]), i};
    for (size_t i = 0; i < OBJECTS; i++) {
        memory_of_it.things[i] = (struct thing){TYPE, i, ADDRESS(&memory_of_it.words[i])};
        memory_of_it.words[i].count = 3;
        memcpy(memory_of_it.words[i].text, "abc", 3);
    }
    ck_assert_int_eq(channel_open(&channel, &error), 0);
    emitter = (struct emitter){.channel = &channel};
    struct recipe own = recipe;
    own.begin = ADDRESS(&memory_of_it.begin);
    ck_assert(interp_is_sound(&own));
    interp = interp_add(NULL, &own);
    ck_assert_ptr_nonnull(interp);
}

static struct recipe_stack take(void)
{
    struct recipe_stack about;
    const struct interp_sample sample = {.memory = &memory,
                                         .tid = getpid(),
                                         .is_main = true,
                                         .thread_pointer = descriptor ? 0 : 42,
                                         .descriptor = descriptor,
                                         .stack_end = stack_end,
                                         .thread = &thread,
                                         .now_ns = now_ns += 1000000,
                                         .waits = futex != 0,
                                         .futex = futex,
                                         .registers = &registers};
    interp_read_stack(interp, &sample, &emitter, &stack);
    ck_assert_uint_ge(stack.size, sizeof about);
    ck_assert_uint_le(stack.size, sizeof stack.bytes);
    memcpy(&about, stack.bytes, sizeof about);
    ck_assert_uint_eq(stack.size, sizeof about + about.count * (sizeof(struct recipe_node) + about.node_size));
    return about;
}

static struct recipe_node node_at(size_t number)
{
    struct recipe_node node;
    memcpy(&node, stack.bytes + sizeof(struct recipe_stack) + number * (sizeof node + sizeof(struct node)),
           sizeof node);
    return node;
}

/* Returns the next sent object, valid until the next call. Returns false if none is left. */
static bool next_object(struct message_object *object, const unsigned char **bytes)
{
    struct ring_header header;
    bool damaged = false;
    const unsigned char *at = ring_peek(&channel.ring, &header, &damaged);
    if (!at)
        return false;
    ck_assert_uint_eq(header.type, MESSAGE_OBJECT);
    memcpy(object, at, sizeof *object);
    *bytes = at + sizeof *object;
    ring_consume(&channel.ring);
    return true;
}

static size_t count_objects(void)
{
    struct message_object object;
    const unsigned char *bytes;
    size_t count = 0;
    while (next_object(&object, &bytes))
        count++;
    return count;
}

START_TEST(frames_come_with_their_objects_once)
{
    struct message_object object;
    const unsigned char *bytes;
    build();
    struct recipe_stack about = take();
    ck_assert_uint_eq(about.runtime, 7);
    ck_assert_uint_eq(about.end, RECIPE_WHOLE);
    ck_assert_uint_eq(about.count, NODES);
    for (size_t i = 0; i < OBJECTS; i++) {
        ck_assert(next_object(&object, &bytes));
        ck_assert_uint_eq(object.part_count, 2);
        ck_assert_uint_eq(object.sizes[1], 11);
        ck_assert(!memcmp(bytes + object.sizes[0] + 8, "abc", 3));
        ck_assert_uint_eq(node_at(i).serial[0], object.serial);
        ck_assert_uint_eq(node_at(i + OBJECTS).serial[0], object.serial);
        ck_assert_uint_eq(node_at(i).address, ADDRESS(&memory_of_it.nodes[i]));
    }
    ck_assert_uint_eq(count_objects(), 0);
    take();
    ck_assert_uint_eq(count_objects(), 0);
}
END_TEST

/* The front may forget serials. */
START_TEST(objects_are_sent_again_after_some_time)
{
    build();
    take();
    uint32_t first = node_at(0).serial[0];
    ck_assert_uint_eq(count_objects(), OBJECTS);
    now_ns += MESSAGE_OBJECT_VALID_NS - 3000000;
    take();
    ck_assert_uint_eq(node_at(0).serial[0], first);
    ck_assert_uint_eq(count_objects(), 0);
    now_ns += 3000000;
    take();
    ck_assert_uint_gt(node_at(0).serial[0], first);
    ck_assert_uint_eq(node_at(OBJECTS).serial[0], node_at(0).serial[0]);
    ck_assert_uint_eq(count_objects(), OBJECTS);
}
END_TEST

/* The state leads to a variable on the stack that is not filled in yet. The word at SP + 8 leads to the second node. */
static const struct {
    const char *what;
    uint64_t pc, variable, offset;
    uint32_t is_stored;
    size_t count;
    bool is_linking;
} linking[] = {
    {"in the part", 0x1000, 16, 8, 1, NODES - 1, true},
    {"at its last instruction", 0x100f, 16, 8, 1, NODES - 1, true},
    {"in a register", 0x1014, 16, 0, 0, 1, true},
    {"nothing is there", 0x1000, 16, 1 << 30, 1, 0, false},
    {"before the part", 0xfff, 16, 8, 1, NODES, false},
    {"behind it", 0x1020, 16, 8, 1, NODES, false},
    {"the state leads elsewhere", 0x1000, 24, 8, 1, NODES, false},
};

START_TEST(a_variable_that_is_being_linked_is_not_used)
{
    static uint64_t stack_of_it[3];
    uint32_t sp = 0;
    build();
    struct recipe own = recipe;
    own.begin = ADDRESS(&memory_of_it.begin);
    own.path_count = 2;
    own.variable = (int64_t)linking[_i].variable;
    own.place_count = 2;
    arch_set_blocked(&registers, linking[_i].pc, ADDRESS(stack_of_it), false);
    while (arch_general(&registers, sp) != ADDRESS(stack_of_it))
        sp++;
    own.places[0] = (struct recipe_place){0x1000, 0x1010, sp, linking[_i].is_stored, (int64_t)linking[_i].offset};
    own.places[1] = (struct recipe_place){0x1010, 0x1020, sp, false, 0};
    ck_assert(interp_is_sound(&own));
    interp_free(interp);
    interp = interp_add(NULL, &own);
    memory_of_it.own.first = ADDRESS(&stack_of_it[2]);
    stack_of_it[1] = ADDRESS(&memory_of_it.nodes[1]);
    stack_of_it[2] = ADDRESS(&memory_of_it.nodes[0]);
    struct recipe_stack about = take();
    ck_assert_uint_eq(about.count, linking[_i].count);
    ck_assert_uint_eq(about.is_linking, linking[_i].is_linking);
    own.place_count = RECIPE_PLACES_MOST + 1;
    ck_assert(!interp_is_sound(&own));
    own.place_count = 1;
    own.places[0].number = ARCH_GENERAL;
    ck_assert(!interp_is_sound(&own));
}
END_TEST

/* The function of the first node has 0x1234 instructions of 8 bytes at 0x5000. A register is used if it has the address
 * of one of them. */
static const struct {
    uint64_t value;
    bool is_used;
} instructions[] = {
    {0x5000, true},  {0x5008, true}, {0x5000 + 0x1233 * 8, true}, {0x5000 + 0x1234 * 8, false}, {0x4ff8, false},
    {0x5004, false}, {0, false},     {UINT64_MAX - 7, false}};

START_TEST(a_register_may_have_the_instruction)
{
    uint32_t sp = 0;
    uint64_t more;
    build();
    struct recipe own = recipe;
    own.begin = ADDRESS(&memory_of_it.begin);
    arch_set_blocked(&registers, 0, instructions[_i].value, false);
    while (arch_general(&registers, sp) != instructions[_i].value)
        sp++;
    own.instruction = (struct recipe_instruction){.number = (uint16_t)sp,
                                                  .node = offsetof(struct node, more),
                                                  .object = offsetof(struct node, code),
                                                  .start = offsetof(struct thing, value),
                                                  .count = offsetof(struct thing, type),
                                                  .size = 8};
    ck_assert(interp_is_sound(&own));
    interp_free(interp);
    interp = interp_add(NULL, &own);
    memory_of_it.things[0].value = 0x5000;
    memory_of_it.nodes[0].more = 0x77;
    take();
    for (size_t i = 0; i < 2; i++) {
        memcpy(&more,
               stack.bytes + sizeof(struct recipe_stack) + i * (sizeof(struct recipe_node) + sizeof(struct node)) +
                   sizeof(struct recipe_node) + offsetof(struct node, more),
               sizeof more);
        ck_assert_uint_eq(more, i ? 1 : instructions[_i].is_used ? instructions[_i].value : 0x77);
    }
    own.instruction.number = ARCH_GENERAL;
    ck_assert(!interp_is_sound(&own));
    own.instruction.number = 0;
    own.instruction.node = RECIPE_NONE;
    ck_assert(!interp_is_sound(&own));
    own.instruction.node = 0;
    own.instruction.object = sizeof(struct node) - 7;
    ck_assert(!interp_is_sound(&own));
}
END_TEST

/* Each sample of a stack has its nodes at different addresses: in page parts that the last sample needed, in other
 * parts of these pages, across page ends, and in other pages. */
START_TEST(nodes_may_be_elsewhere_each_time)
{
    static const uint32_t offsets[][4] = {{0, 100, 4000, 4090}, {0, 100, 4000, 4090},    {2000, 3000, 100, 4084},
                                          {64, 8180, 8100, 0},  {12000, 64, 8184, 4088}, {12000, 8184, 64, 4088},
                                          {300, 340, 380, 420}, {680, 1000, 20, 4072},   {12264, 12000, 3000, 2000}};
    unsigned char *area = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(area, MAP_FAILED);
    build();
    for (size_t round = 0; round < sizeof offsets / sizeof *offsets; round++) {
        memset(area, 0xff, 3 * 4096);
        for (size_t i = 0; i < 4; i++) {
            struct node node = {i < 3 ? ADDRESS(area + offsets[round][i + 1]) : 0, ADDRESS(&memory_of_it.things[i]),
                                round * 10 + i};
            memcpy(area + offsets[round][i], &node, sizeof node);
        }
        memory_of_it.own.first = ADDRESS(area + offsets[round][0]);
        struct recipe_stack about = take();
        ck_assert_uint_eq(about.end, RECIPE_WHOLE);
        ck_assert_uint_eq(about.count, 4);
        for (size_t i = 0; i < 4; i++) {
            const unsigned char *at =
                stack.bytes + sizeof about + i * (sizeof(struct recipe_node) + sizeof(struct node));
            ck_assert(!memcmp(at + sizeof(struct recipe_node), area + offsets[round][i], sizeof(struct node)));
            ck_assert_uint_ne(node_at(i).serial[0], 0);
        }
    }
    munmap(area, 3 * 4096);
    memory_of_it.own.first = ADDRESS(&memory_of_it.nodes[0]);
    ck_assert_uint_eq(take().count, NODES);
}
END_TEST

/* The pages below a node may belong to a file and not be present. Their content is unknown, but the node's is known. */
START_TEST(pages_below_a_node_may_be_unknown)
{
    enum { PAGE = 4096, BELOW = 3 };
    int file = memfd_create("below", 0);
    unsigned char *area = mmap(NULL, (BELOW + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(area, MAP_FAILED);
    ck_assert_int_eq(ftruncate(file, BELOW * PAGE), 0);
    ck_assert_ptr_ne(mmap(area, BELOW * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0), MAP_FAILED);
    build();
    memset(area, 1, 1); /* only this page of the file is present */
    struct node node = {0, ADDRESS(&memory_of_it.things[0]), 1};
    memcpy(area + BELOW * PAGE, &node, sizeof node);
    memory_of_it.own.first = ADDRESS(area + BELOW * PAGE);
    ck_assert_uint_eq(take().end, RECIPE_WHOLE);
    ck_assert_uint_eq(node_at(0).address, ADDRESS(area + BELOW * PAGE));
    munmap(area, (BELOW + 1) * PAGE);
    close(file);
}
END_TEST

/* Takes a sample of the stack with the leaf FIRST. Returns the number of reads that it needs. */
static size_t reads_for(const struct node *first)
{
    size_t before = reads;
    memory_of_it.own.first = ADDRESS(first);
    ck_assert_uint_eq(take().count, 1);
    ck_assert_uint_eq(node_at(0).address, ADDRESS(first));
    return reads - before;
}

/* A thread alternates between stacks on different pages. After two samples of each stack, one read is enough for all
 * pages. A page that many samples do not need is dropped, and then read on demand. */
START_TEST(pages_of_recent_stacks_are_read_together)
{
    enum { STACKS = 3, PAGE = 4096, DISTANCE = 3 * PAGE, MANY = 20 };
    unsigned char *area = mmap(NULL, STACKS * DISTANCE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct node *leaves[STACKS];
    ck_assert_ptr_ne(area, MAP_FAILED);
    build();
    memset(area, 0, STACKS * DISTANCE);
    for (size_t i = 0; i < STACKS; i++) {
        leaves[i] = (struct node *)(void *)(area + (STACKS - 1 - i) * DISTANCE);
        *leaves[i] = (struct node){0, ADDRESS(&memory_of_it.things[i]), i};
        ck_assert_uint_gt(reads_for(leaves[i]), 1);
    }
    for (size_t i = 0; i < STACKS; i++) /* the objects are compared for the first time */
        reads_for(leaves[i]);
    for (size_t i = 0; i < 2 * STACKS; i++)
        ck_assert_uint_eq(reads_for(leaves[i % STACKS]), 1);
    for (size_t i = 0; i < MANY; i++)
        ck_assert_uint_eq(reads_for(leaves[0]), 1);
    ck_assert_uint_gt(reads_for(leaves[1]), 1);
    ck_assert_uint_eq(reads_for(leaves[0]), 1);
    munmap(area, STACKS * DISTANCE);
}
END_TEST

/* Another object may now be at the address of a function. */
START_TEST(an_object_that_changed_is_another_one)
{
    build();
    take();
    uint32_t before = node_at(0).serial[0], later = node_at(3).serial[0];
    count_objects();
    memory_of_it.things[0].value = memory_of_it.things[3].value = 99;
    take();
    ck_assert_uint_ne(node_at(0).serial[0], before);
    ck_assert_uint_ne(node_at(3).serial[0], later);
    ck_assert_uint_eq(count_objects(), 2);
    memory_of_it.things[0].type = memory_of_it.things[0].value = 1;
    take();
    ck_assert_uint_eq(node_at(0).serial[0], 0);
}
END_TEST

/* If a sample has more objects than it may read, later samples read the others. */
START_TEST(many_objects_are_read_in_time)
{
    enum { MANY = 500, ROUNDS = 100 };
    static struct thing things[MANY];
    static struct node nodes[MANY];
    struct recipe one = recipe;
    build();
    for (size_t i = 0; i < MANY; i++) {
        things[i] = (struct thing){TYPE, i, ADDRESS(&memory_of_it.words[0])};
        nodes[i] = (struct node){i + 1 < MANY ? ADDRESS(&nodes[i + 1]) : 0, ADDRESS(&things[i]), i};
    }
    memory_of_it.own.first = ADDRESS(&nodes[0]);
    one.begin = ADDRESS(&memory_of_it.begin);
    one.shapes[0].part_count = RECIPE_PARTS_MOST;
    for (size_t i = 1; i < RECIPE_PARTS_MOST; i++)
        one.shapes[0].parts[i] = (struct recipe_part){0, 16, RECIPE_NONE, 0, 8, 0};
    interp_free(interp);
    interp = interp_add(NULL, &one);
    size_t unknown = MANY;
    for (int round = 0; unknown && round < ROUNDS; round++) {
        ck_assert_uint_eq(take().count, MANY);
        unknown = 0;
        for (size_t i = 0; i < MANY; i++)
            unknown += !node_at(i).serial[0];
        count_objects();
    }
    ck_assert_uint_eq(unknown, 0);
}
END_TEST

static void lie_nothing(void)
{
}

static void lie_cycle(void)
{
    memory_of_it.nodes[3].back = ADDRESS(&memory_of_it.nodes[1]);
}

static void lie_self(void)
{
    memory_of_it.nodes[0].back = ADDRESS(&memory_of_it.nodes[0]);
}

static void lie_wild(void)
{
    memory_of_it.nodes[2].back = 0xdead0000beef;
}

static void lie_top(void)
{
    memory_of_it.nodes[2].back = UINT64_MAX - 8;
}

static void lie_small(void)
{
    memory_of_it.nodes[2].back = 1;
}

static void lie_states(void)
{
    memory_of_it.own.pointer = 1;
    memory_of_it.own.next = ADDRESS(&memory_of_it.others[0]);
}

static void lie_groups(void)
{
    memory_of_it.own.pointer = 1;
    memory_of_it.group.next = ADDRESS(&memory_of_it.group);
}

static void lie_group(void)
{
    memory_of_it.begin = 12345;
}

static void lie_state_group(void)
{
    memory_of_it.own.group = 1;
}

static void lie_objects(void)
{
    memory_of_it.things[0].text = UINT64_MAX;
    memory_of_it.words[1].count = UINT64_MAX;
    memory_of_it.nodes[2].code = 8;
    memory_of_it.nodes[3].code = UINT64_MAX;
}

static const struct {
    void (*lie)(void);
    enum recipe_end end;
    uint32_t count;
} lies[] = {
    {lie_nothing, RECIPE_WHOLE, NODES},
    {lie_cycle, RECIPE_CUT, RECIPE_NODES_MOST},
    {lie_self, RECIPE_CUT, RECIPE_NODES_MOST},
    {lie_wild, RECIPE_BROKEN, 3},
    {lie_top, RECIPE_BROKEN, 3},
    {lie_small, RECIPE_BROKEN, 3},
    {lie_states, RECIPE_NO_STATE, 0},
    {lie_groups, RECIPE_NO_STATE, 0},
    {lie_group, RECIPE_NO_STATE, 0},
    {lie_state_group, RECIPE_NO_STATE, 0},
    {lie_objects, RECIPE_WHOLE, NODES},
};

START_TEST(lies_are_followed_to_a_limit)
{
    build();
    lies[_i].lie();
    struct recipe_stack about = take();
    ck_assert_uint_eq(about.end, lies[_i].end);
    ck_assert_uint_eq(about.count, lies[_i].count);
    about = take();
    ck_assert_uint_eq(about.end, lies[_i].end);
}
END_TEST

/* Returns the number of searches for the thread's state in COUNT samples, a millisecond apart. */
static size_t count_searches(size_t count)
{
    size_t searches = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t before = thread.of[0].searched_ns;
        take();
        searches += thread.of[0].searched_ns != before;
    }
    return searches;
}

START_TEST(a_new_thread_is_found_soon)
{
    build();
    memory_of_it.own.pointer = 1;
    for (int i = 0; i < 3; i++)
        ck_assert_uint_eq(take().end, RECIPE_NO_STATE);
    memory_of_it.own.pointer = 42;
    take();
    take();
    ck_assert_uint_eq(take().end, RECIPE_WHOLE);
}
END_TEST

START_TEST(a_native_thread_is_searched_rarely)
{
    build();
    memory_of_it.own.pointer = 1;
    ck_assert_uint_lt(count_searches(1000), 20);
    ck_assert_uint_lt(count_searches(1000), 12);
}
END_TEST

START_TEST(a_state_without_frames_is_looked_at_each_time)
{
    build();
    take();
    memory_of_it.own.first = 0;
    ck_assert_uint_lt(count_searches(1000), 20);
    memory_of_it.own.first = ADDRESS(&memory_of_it.nodes[0]);
    ck_assert_uint_eq(take().end, RECIPE_WHOLE);
}
END_TEST

/* A thread with a new state, at the address of an ended one, is found immediately. */
START_TEST(another_state_is_found_at_once)
{
    build();
    take();
    memory_of_it.own.pointer = 1;
    memory_of_it.others[1].pointer = 42;
    memory_of_it.others[1].first = ADDRESS(&memory_of_it.nodes[0]);
    ck_assert_uint_eq(take().end, RECIPE_WHOLE);
}
END_TEST

/* A thread that runs code of a subinterpreter has a state in each interpreter. */
START_TEST(the_frames_of_all_states_are_taken)
{
    static struct group inner;
    static struct state state;
    build();
    inner = (struct group){ADDRESS(&memory_of_it.group), ADDRESS(&state), 0, {0}};
    state = (struct state){0, ADDRESS(&inner), 42, ADDRESS(&memory_of_it.nodes[NODES - 2]), {0}};
    memory_of_it.begin = ADDRESS(&inner);
    ck_assert_uint_eq(take().count, NODES + 2);
    ck_assert_uint_eq(node_at(0).address, ADDRESS(&memory_of_it.nodes[NODES - 2]));
    ck_assert_uint_eq(node_at(2).address, ADDRESS(&memory_of_it.nodes[0]));
    state.pointer = 1; /* the thread has ended, and begins again */
    ck_assert_uint_eq(take().count, NODES);
    ck_assert_uint_lt(count_searches(200), 4);
    state.pointer = 42;
    ck_assert_uint_eq(take().count, NODES + 2);
}
END_TEST

/* The thread's own stack has addresses from 0x7000 to 0x8000. The thread runs the state whose frames are on it, whoever
 * made that state. */
static const struct {
    const char *what;
    uint64_t end, own, other; /* end of the stack; where frames of the thread's own and of another's state are */
    size_t count;             /* of nodes */
    bool by_owner;            /* a node shows it, not the state */
} stacks_of_states[] = {
    {"its own state", 0x8000, 0x7100, 0x9100, NODES, false},
    {"a state that another thread made", 0x8000, 0x9100, 0x7100, NODES - 1, false},
    {"at the stack pointer", 0x8000, 0x9100, 0x7000, NODES - 1, false},
    {"at the end", 0x8000, 0x9100, 0x8000, 0, false},
    {"below", 0x8000, 0x9100, 0x6ff8, 0, false},
    {"others run both", 0x8000, 0x9100, 0xa100, 0, false},
    {"the end is unknown", 0, 0x9100, 0x7100, NODES, false},
    {"its own state, by a node", 0, 2, 3, NODES, true},
    {"another thread's state, by a node", 0, 3, 2, NODES - 1, true},
    {"no node shows it", 0, 3, 3, 0, true},
};

START_TEST(the_stack_shows_which_thread_runs_a_state)
{
    build();
    struct recipe own = recipe;
    own.begin = ADDRESS(&memory_of_it.begin);
    memory_of_it.others[1].first = ADDRESS(&memory_of_it.nodes[1]);
    memory_of_it.own.link[0] = stacks_of_states[_i].own;
    memory_of_it.others[1].link[0] = stacks_of_states[_i].other;
    stack_end = stacks_of_states[_i].end;
    arch_set_blocked(&registers, 0, 0x7000, false);
    if (stacks_of_states[_i].by_owner) { /* node 2 or 3 is in the range, and shows that it is on a stack */
        own.node_owner = offsetof(struct node, more);
        own.node_owner_least = 200;
        memory_of_it.nodes[3].more = 0;
        memory_of_it.nodes[0].back = ADDRESS(&memory_of_it.nodes[stacks_of_states[_i].own]);
        memory_of_it.nodes[1].back = ADDRESS(&memory_of_it.nodes[stacks_of_states[_i].other]);
        memory_of_it.nodes[2].more = 255;
        memory_of_it.nodes[2].back = ADDRESS(&memory_of_it.nodes[4]);
        memory_of_it.nodes[3].back = ADDRESS(&memory_of_it.nodes[4]);
        arch_set_blocked(&registers, 0, ADDRESS(&memory_of_it.nodes[2]), false);
        stack_end = ADDRESS(&memory_of_it.nodes[3]);
    } else {
        own.state_stack = offsetof(struct state, link);
    }
    ck_assert(interp_is_sound(&own));
    interp_free(interp);
    interp = interp_add(NULL, &own);
    for (int i = 0; i < 2; i++) {
        struct recipe_stack about = take();
        ck_assert_uint_eq(about.end, stacks_of_states[_i].count ? RECIPE_WHOLE : RECIPE_NO_STATE);
        if (!stacks_of_states[_i].by_owner)
            ck_assert_uint_eq(about.count, stacks_of_states[_i].count);
        if (about.count)
            ck_assert_uint_eq(node_at(0).address,
                              ADDRESS(&memory_of_it.nodes[stacks_of_states[_i].count == NODES ? 0 : 1]));
    }
    own.node_owner = sizeof(struct node);
    ck_assert(!interp_is_sound(&own));
}
END_TEST

/* Each evaluation has a variable on the stack, which leads to its caller's; here the nodes 0, 2, 5 and 6 are entries.
 */
static const struct {
    uint64_t variables[5]; /* indices of the callers' variables */
    uint64_t found[4];     /* 1 and the index of the variable of each entry; 0: unknown */
} links[] = {
    {{1, 2, 3, 4, 0}, {1, 2, 3, 4}},
    {{3, 0, 0, 2, 0}, {1, 4, 3, 1}},
    {{1, 2, 9, 0, 0}, {0, 0, 0, 0}}, /* there are only three */
};

START_TEST(entries_get_the_addresses_of_their_variables)
{
    static const size_t entries[] = {0, 2, 5, 6};
    static uint64_t variables[5][2];
    build();
    struct recipe own = recipe;
    own.begin = ADDRESS(&memory_of_it.begin);
    own.state_stack = offsetof(struct state, link);
    own.link_next = 8;
    own.node_entry = offsetof(struct node, more);
    for (size_t i = 0; i < NODES; i++)
        memory_of_it.nodes[i].more = 0;
    for (size_t i = 0; i < 4; i++)
        memory_of_it.nodes[entries[i]].more = 1;
    for (size_t i = 0; i < 5; i++)
        variables[i][1] = links[_i].variables[i] == 9 ? 0 : ADDRESS(variables[links[_i].variables[i]]);
    memory_of_it.own.link[0] = ADDRESS(variables[0]);
    ck_assert(interp_is_sound(&own));
    interp_free(interp);
    interp = interp_add(NULL, &own);
    ck_assert_uint_eq(take().count, NODES);
    for (size_t i = 0; i < NODES; i++) {
        uint64_t expected = 0;
        for (size_t k = 0; k < 4; k++)
            if (entries[k] == i && links[_i].found[k])
                expected = ADDRESS(variables[links[_i].found[k] - 1]);
        ck_assert_uint_eq(node_at(i).stack, expected);
    }
    own.node_entry = sizeof(struct node);
    ck_assert(!interp_is_sound(&own));
}
END_TEST

/* Another thread changes the list during the read. */
START_TEST(a_broken_list_leaves_the_known_state)
{
    build();
    take();
    memory_of_it.others[0].next = 12345;
    for (int i = 0; i < 300; i++)
        ck_assert_uint_eq(take().end, RECIPE_WHOLE);
}
END_TEST

static uint64_t lock[4];

static void lock_nothing(void)
{
}

static void lock_of_group(void)
{
    memory_of_it.group.lock = ADDRESS(&lock[1]);
}

static void queue_behind_another(void)
{
    memory_of_it.own.link[0] = ADDRESS(memory_of_it.others[1].link);
    memory_of_it.others[1].link[0] = ADDRESS(memory_of_it.group.queue);
}

static void queue_of_itself(void)
{
    memory_of_it.own.link[0] = ADDRESS(memory_of_it.own.link);
}

static void queue_of_another(void)
{
    memory_of_it.own.link[0] = ADDRESS(memory_of_it.others[1].link);
    memory_of_it.others[1].link[0] = ADDRESS(memory_of_it.others[1].link);
}

static void queue_to_nowhere(void)
{
    memory_of_it.own.link[0] = 0xdead0000beef;
}

static const struct {
    enum recipe_lock kind;
    void (*prepare)(void);
    const void *futex; /* the futex that the thread waits for */
    bool waits;        /* for the lock */
} locks[] = {
    {RECIPE_NO_LOCK, lock_nothing, &lock[1], false},        {RECIPE_LOCK_AT, lock_nothing, &lock[1], true},
    {RECIPE_LOCK_AT, lock_nothing, &lock[2], true},         {RECIPE_LOCK_AT, lock_nothing, &lock[0], false},
    {RECIPE_LOCK_AT, lock_nothing, &lock[3], false},        {RECIPE_LOCK_AT, lock_nothing, NULL, false},
    {RECIPE_LOCK_OF_GROUP, lock_of_group, &lock[1], true},  {RECIPE_LOCK_OF_GROUP, lock_of_group, &lock[3], false},
    {RECIPE_LOCK_OF_GROUP, lock_of_group, NULL, false},     {RECIPE_LOCK_OF_GROUP, lock_nothing, &lock[1], false},
    {RECIPE_LOCK_OF_GROUP, lie_states, &lock[1], false},    {RECIPE_LOCK_QUEUE, queue_behind_another, &lock[0], true},
    {RECIPE_LOCK_QUEUE, queue_behind_another, NULL, false}, {RECIPE_LOCK_QUEUE, queue_of_itself, &lock[0], false},
    {RECIPE_LOCK_QUEUE, queue_of_another, &lock[0], false}, {RECIPE_LOCK_QUEUE, queue_to_nowhere, &lock[0], false},
    {RECIPE_LOCK_QUEUE, lock_nothing, &lock[0], false},
};

/* A wait for another futex, or in another queue, is not a wait for the lock. */
START_TEST(waits_for_the_lock_are_recognized)
{
    build();
    interp_free(interp);
    struct recipe one = recipe;
    one.begin = ADDRESS(&memory_of_it.begin);
    one.lock_kind = locks[_i].kind;
    one.lock_size = 2 * sizeof *lock;
    one.lock_place = WAIT_GIL;
    one.lock_link = offsetof(struct state, link);
    one.lock = one.lock_kind == RECIPE_LOCK_AT         ? ADDRESS(&lock[1])
               : one.lock_kind == RECIPE_LOCK_OF_GROUP ? offsetof(struct group, lock)
                                                       : offsetof(struct group, queue);
    ck_assert(interp_is_sound(&one));
    interp = interp_add(NULL, &one);
    locks[_i].prepare();
    futex = ADDRESS(locks[_i].futex);
    take();
    ck_assert_int_eq(stack.lock_place, locks[_i].waits ? WAIT_GIL : -1);
}
END_TEST

/* The holder's state is known by the word behind the lock, or before the queue. */
START_TEST(the_holder_of_the_lock_is_known)
{
    static const struct {
        enum recipe_lock kind;
        int32_t holder, held;
    } rows[] = {{RECIPE_LOCK_AT, 8, 16}, {RECIPE_LOCK_OF_GROUP, 8, 16}, {RECIPE_LOCK_QUEUE, -8, 0}};
    for (uint64_t is_held = 0; is_held < 2; is_held++) {
        build();
        interp_free(interp);
        bool is_queue = rows[_i].kind == RECIPE_LOCK_QUEUE;
        struct recipe one = recipe;
        one.begin = ADDRESS(&memory_of_it.begin);
        one.lock_kind = rows[_i].kind;
        one.lock_size = 2 * sizeof *lock;
        one.lock_place = WAIT_GIL;
        one.lock_link = offsetof(struct state, link);
        one.lock = one.lock_kind == RECIPE_LOCK_AT ? ADDRESS(&lock[1])
                   : is_queue                      ? offsetof(struct group, queue)
                                                   : offsetof(struct group, lock);
        one.lock_holder = rows[_i].holder;
        one.lock_held = rows[_i].held;
        interp = interp_add(NULL, &one);
        if (is_queue)
            queue_behind_another();
        memory_of_it.group.lock = is_queue ? is_held * ADDRESS(&memory_of_it.others[0]) : ADDRESS(&lock[1]);
        lock[2] = ADDRESS(&memory_of_it.others[0]);
        lock[3] = is_held;
        futex = ADDRESS(&lock[1]);
        take();
        ck_assert_int_eq(stack.lock_place, WAIT_GIL);
        ck_assert_uint_eq(stack.holder, is_held ? memory_of_it.others[0].pointer : 0);
    }
}
END_TEST

/* A thread without a state is searched again only later, unless it waits: then this may be its only sample. */
START_TEST(a_waiting_thread_is_searched_again)
{
    build();
    thread = (struct interp_thread){0};
    memory_of_it.own.pointer = 1;
    count_searches(200);
    while (thread.of[0].searched_ns != now_ns)
        take();
    memory_of_it.own.pointer = 42;
    ck_assert_uint_eq(take().end, RECIPE_NO_STATE);
    futex = 8;
    ck_assert_uint_eq(take().end, RECIPE_WHOLE);
}
END_TEST

/* Without a thread pointer, the state is the one whose pointer is the beginning of the thread's descriptor. */
START_TEST(a_state_is_found_by_the_descriptor)
{
    static const struct {
        uint64_t pointer, descriptor;
        bool is_found;
    } rows[] = {{42, 42 + 736, true}, {42, 42, true}, {42, 42 + 4096, false}, {778, 42, false}};
    for (size_t i = 0; i < UNIT_ROWS(rows); i++) {
        build();
        memset(&thread, 0, sizeof thread);
        for (size_t j = 0; j < 3; j++)
            memory_of_it.others[j].pointer = UINT64_C(1) << 40;
        memory_of_it.own.pointer = rows[i].pointer;
        descriptor = rows[i].descriptor;
        ck_assert_uint_eq(take().end, rows[i].is_found ? RECIPE_WHOLE : RECIPE_NO_STATE);
        interp_free(interp);
    }
    descriptor = 0;
}
END_TEST

START_TEST(a_lock_is_one_that_is_known)
{
    struct recipe one = recipe;
    one.lock_kind = RECIPE_LOCK_AT;
    one.lock_place = WAIT_GVL;
    ck_assert(interp_is_sound(&one));
    one.lock_place = WAIT_STOPPED;
    ck_assert(!interp_is_sound(&one));
    one.lock_place = WAIT_GVL;
    one.lock_kind = RECIPE_LOCK_QUEUE + 1;
    ck_assert(!interp_is_sound(&one));
    one.lock_kind = RECIPE_LOCK_OF_GROUP;
    one.state_group = RECIPE_NONE;
    ck_assert(!interp_is_sound(&one));
}
END_TEST

#define MEMBER(name, value)                                                                                            \
    {                                                                                                                  \
        offsetof(struct recipe, name), value                                                                           \
    }
static const struct {
    size_t member;
    uint16_t value;
} beyond_limits[] = {
    MEMBER(node_size, RECIPE_NODE_MOST + 1),
    MEMBER(node_size, 7),
    MEMBER(state_size, RECIPE_STATE_MOST + 1),
    MEMBER(state_size, 7),
    MEMBER(path_count, 0),
    MEMBER(path_count, RECIPE_PATH_MOST + 1),
    MEMBER(path[0], RECIPE_NONE),
    MEMBER(path[0], sizeof(struct state) - 7),
    MEMBER(node_word, sizeof(struct node) - 7),
    MEMBER(node_next, sizeof(struct node) - 7),
    MEMBER(node_next, RECIPE_NONE),
    MEMBER(state_next, sizeof(struct state) - 7),
    MEMBER(state_next, RECIPE_NONE),
    MEMBER(state_pointer, sizeof(struct state) - 7),
    MEMBER(state_tid, sizeof(struct state) - 7),
    MEMBER(state_group, sizeof(struct state) - 7),
    MEMBER(state_stack, sizeof(struct state) - 7),
};
#undef MEMBER

/* The copy of a state or node has each word that the recipe says to read from it. */
START_TEST(a_recipe_beyond_limits_is_refused)
{
    struct recipe one = recipe;
    ck_assert(interp_is_sound(&one));
    memcpy((unsigned char *)&one + beyond_limits[_i].member, &beyond_limits[_i].value, sizeof beyond_limits[_i].value);
    ck_assert(!interp_is_sound(&one));
}
END_TEST

static uint32_t random_state = 1;

static uint32_t random_next(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return random_state >> 8;
}

/* With random addresses in memory, and invalid recipes, the walk ends within its limits. */
START_TEST(any_memory_has_an_end)
{
    enum { WORDS = 4096 };
    struct error error = {0};
    uint64_t *words = mmap(NULL, WORDS * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t sound = 0;
    ck_assert_ptr_ne(words, MAP_FAILED);
    ck_assert_int_eq(channel_open(&channel, &error), 0);
    emitter = (struct emitter){.channel = &channel};
    for (int round = 0; round < 20000; round++) {
        struct recipe one = recipe;
        unsigned char *bytes = (unsigned char *)&one;
        for (size_t i = 0; i < 200; i++)
            words[random_next() % WORDS] = random_next() % 8 ? ADDRESS(&words[random_next() % WORDS]) : random_next();
        for (uint32_t i = random_next() % 12; i; i--)
            bytes[random_next() % sizeof one] = (unsigned char)random_next();
        one.begin = ADDRESS(&words[random_next() % WORDS]);
        one.shapes[0].type = RECIPE_NONE;
        one.state_pointer = random_next() % 2 ? RECIPE_NONE : one.state_pointer;
        one.state_group = RECIPE_NONE;
        if (!interp_is_sound(&one))
            continue;
        sound++;
        struct interp_thread of_it = {0};
        struct recipe_stack about;
        const struct interp_sample sample = {.memory = &memory,
                                             .tid = getpid(),
                                             .is_main = true,
                                             .thread_pointer = 42,
                                             .stack_end = random_next() % 2 ? UINT64_MAX : 0,
                                             .thread = &of_it,
                                             .now_ns = ++now_ns,
                                             .registers = &registers};
        interp = interp_add(NULL, &one);
        ck_assert_ptr_nonnull(interp);
        interp_read_stack(interp, &sample, &emitter, &stack);
        memcpy(&about, stack.bytes, sizeof about);
        ck_assert_uint_le(about.count, RECIPE_NODES_MOST);
        ck_assert_uint_le(stack.size, sizeof stack.bytes);
        interp_free(interp);
        count_objects();
    }
    ck_assert_uint_gt(sound, 1000);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("walk/interp");
    tcase_add_test(tests, frames_come_with_their_objects_once);
    tcase_add_test(tests, objects_are_sent_again_after_some_time);
    tcase_add_test(tests, an_object_that_changed_is_another_one);
    tcase_add_test(tests, many_objects_are_read_in_time);
    tcase_add_test(tests, nodes_may_be_elsewhere_each_time);
    tcase_add_test(tests, pages_below_a_node_may_be_unknown);
    tcase_add_test(tests, pages_of_recent_stacks_are_read_together);
    UNIT_ADD_TABLE(tests, a_variable_that_is_being_linked_is_not_used, linking);
    UNIT_ADD_TABLE(tests, a_register_may_have_the_instruction, instructions);
    UNIT_ADD_TABLE(tests, lies_are_followed_to_a_limit, lies);
    tcase_add_test(tests, a_new_thread_is_found_soon);
    tcase_add_test(tests, a_native_thread_is_searched_rarely);
    tcase_add_test(tests, a_state_without_frames_is_looked_at_each_time);
    tcase_add_test(tests, another_state_is_found_at_once);
    tcase_add_test(tests, the_frames_of_all_states_are_taken);
    UNIT_ADD_TABLE(tests, the_stack_shows_which_thread_runs_a_state, stacks_of_states);
    UNIT_ADD_TABLE(tests, entries_get_the_addresses_of_their_variables, links);
    tcase_add_test(tests, a_broken_list_leaves_the_known_state);
    UNIT_ADD_TABLE(tests, waits_for_the_lock_are_recognized, locks);
    tcase_add_loop_test(tests, the_holder_of_the_lock_is_known, 0, 3);
    tcase_add_test(tests, a_waiting_thread_is_searched_again);
    tcase_add_test(tests, a_state_is_found_by_the_descriptor);
    tcase_add_test(tests, a_lock_is_one_that_is_known);
    tcase_add_loop_test(tests, a_recipe_beyond_limits_is_refused, 0, sizeof beyond_limits / sizeof *beyond_limits);
    tcase_add_test(tests, any_memory_has_an_end);
    return unit_end();
}
