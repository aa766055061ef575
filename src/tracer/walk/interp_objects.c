/* SPDX-License-Identifier: MIT
 *
 * Reads and sends objects that frames refer to (code objects, strings), each once, and rereads changed ones. */
#include "tracer/walk/interp_parts.h"

#include "common/base/memory_run.h"
#include "common/base/time.h"
#include "common/model/runs.h"
#include "common/wire/emit.h"
#include "common/wire/message.h"
#include "tracer/tracee/memory.h"

#include <stddef.h>
#include <stdlib.h>

enum { CHECKS_AT_ONCE = 64 }; /* objects that one call compares */

struct object_key {
    uint64_t address;
    uint32_t shape;
};

/* Known objects that must be compared with the contents of their addresses. */
struct check {
    uint32_t number;  /* of the object */
    uint64_t address; /* of what is compared, */
    size_t size;      /* how much that is, */
    size_t run;       /* and the number of the run that it is read with */
};

struct checks {
    struct check items[CHECKS_AT_ONCE];
    size_t count;
};

static bool has_key(const void *owner, uint32_t number, const void *key)
{
    const struct interp_object *object = &((const struct interp_objects *)owner)->items[number];
    const struct object_key *wanted = key;
    return object->address == wanted->address && object->shape == wanted->shape;
}

static uint64_t hash_of(const struct object_key *key)
{
    return hash_number(key->address + key->shape);
}

void interp_objects_copy(struct interp_objects *copy, const struct interp_objects *objects)
{
    for (size_t i = 0; i < objects->count; i++) {
        const struct interp_object *object = &objects->items[i];
        HASH_APPEND(copy, hash_of(&(struct object_key){object->address, object->shape}), object);
    }
}

void interp_objects_fini(struct interp_objects *objects)
{
    free(objects->items);
    hash_fini(&objects->index);
    *objects = (struct interp_objects){0};
}

static ssize_t read_at(struct interp_walk *walk, uint64_t address, void *bytes, size_t size)
{
    if (!address || address + size < address || !interp_may_read(walk, INTERP_OBJECT_READS_MOST))
        return 0;
    return memory_read_present(walk->sample->memory, walk->sample->tid, address, bytes, size);
}

/* Returns the total size of PART. Its count is in the GOT bytes at BYTES. */
static size_t whole_size(const struct recipe_part *part, const unsigned char *bytes, size_t got)
{
    uint32_t items, most = part->scale ? (uint32_t)(RECIPE_PART_MOST - part->size) / part->scale : 0;
    if (part->count == RECIPE_NONE || got < part->count + sizeof items)
        return part->size;
    memcpy(&items, bytes + part->count, sizeof items);
    return part->size + (size_t)(items < most ? items : most) * part->scale;
}

/* Reads SIZE bytes of a part at ADDRESS to BYTES, at most ROOM. Returns how many were read. */
static size_t read_bytes(struct interp_walk *walk, uint64_t address, unsigned char *bytes, size_t size, size_t room)
{
    ssize_t got = read_at(walk, address, bytes, size < room ? size : room);
    return got > 0 ? (size_t)got : 0;
}

/* The parts of the object being read. */
struct reading {
    const struct recipe_shape *shape;
    unsigned char *bytes;
    size_t starts[RECIPE_PARTS_MOST + 1], used;
    struct message_object *message;
};

/* Reads part NUMBER, at ADDRESS. If the part contains its own count, the count is in its first bytes, and these mostly
 * are the whole part. */
static size_t read_part(struct interp_walk *walk, struct reading *reading, size_t number, uint64_t address)
{
    enum { AT_FIRST = 512 };
    const struct recipe_part *part = &reading->shape->parts[number - 1];
    const uint32_t *sizes = reading->message->sizes;
    unsigned char *bytes = reading->bytes + reading->used;
    size_t room = RECIPE_OBJECT_MOST - reading->used;
    if (part->count == RECIPE_NONE || part->count_from != number)
        return read_bytes(walk, address, bytes,
                          whole_size(part, reading->bytes + reading->starts[part->count_from], sizes[part->count_from]),
                          room);
    size_t first = part->size > AT_FIRST ? part->size : AT_FIRST;
    size_t got = read_bytes(walk, address, bytes, first, room), whole = whole_size(part, bytes, got);
    if (whole <= got || got < first)
        return whole < got ? whole : got;
    return got + read_bytes(walk, address + got, bytes + got, whole - got, room - got);
}

/* Reads the remaining parts of an object of SHAPE. The first part is at BYTES. Sets their sizes in MESSAGE. Returns the
 * total number of bytes. */
static size_t read_parts(struct interp_walk *walk, const struct recipe_shape *shape, unsigned char *bytes,
                         struct message_object *message)
{
    struct reading reading = {.shape = shape, .bytes = bytes, .used = shape->size, .message = message};
    message->sizes[0] = shape->size;
    for (size_t i = 1; i <= shape->part_count; i++) {
        const struct recipe_part *part = &shape->parts[i - 1];
        reading.starts[i] = reading.used;
        if (part->pointer + sizeof(uint64_t) > message->sizes[part->from])
            continue;
        uint64_t address = interp_word(bytes + reading.starts[part->from] + part->pointer);
        message->sizes[i] = (uint32_t)read_part(walk, &reading, i, address);
        reading.used += message->sizes[i];
    }
    return reading.used;
}

/* Returns the address of the bytes that distinguish OBJECT from another one; 0 if that cannot be found. */
static uint64_t check_address(struct interp_walk *walk, const struct interp_object *object)
{
    const struct recipe_shape *shape = &walk->recipe->shapes[object->shape];
    unsigned char word[sizeof(uint64_t)];
    uint64_t start = object->address;
    if (shape->check_pointer != RECIPE_NONE) {
        if (!interp_get(walk, start + shape->check_pointer, 0, word, sizeof word))
            return 0;
        start = interp_word(word);
    }
    return start + shape->check;
}

/* Sets *CHECK to the hash of the bytes that distinguish OBJECT from another one. FIRST is its first part. */
static bool read_check(struct interp_walk *walk, const struct interp_object *object, const unsigned char *first,
                       uint64_t *check)
{
    const struct recipe_shape *shape = &walk->recipe->shapes[object->shape];
    unsigned char bytes[INTERP_CHECK_MOST];
    if (shape->check_pointer == RECIPE_NONE) {
        *check = hash_bytes(first + shape->check, shape->check_size);
        return true;
    }
    if (read_at(walk, check_address(walk, object), bytes, shape->check_size) != shape->check_size)
        return false;
    *check = hash_bytes(bytes, shape->check_size);
    return true;
}

/* Returns a number that was not used for very long, and is not 0. */
static uint32_t next_serial(void)
{
    static uint32_t last;
    last += last == UINT32_MAX ? 2 : 1;
    return last;
}

/* Reads OBJECT, which is new, and sends it. Returns false, and leaves OBJECT unchanged, if it cannot be read, or only
 * beyond the limits of WALK. Then a later sample reads it. */
static bool read_object(struct interp_walk *walk, struct interp_object *object, struct emitter *emitter)
{
    static unsigned char bytes[RECIPE_OBJECT_MOST];
    const struct recipe_shape *shape = &walk->recipe->shapes[object->shape];
    struct message_object message = {
        .runtime = walk->recipe->runtime,
        .shape = object->shape,
        .part_count = (uint32_t)shape->part_count + 1,
        .address = object->address,
    };
    uint64_t check;
    if (read_at(walk, object->address, bytes, shape->size) != shape->size || !read_check(walk, object, bytes, &check))
        return false;
    bool is_of_type = shape->type == RECIPE_NONE || interp_word(bytes + shape->type) == shape->type_word;
    size_t size = is_of_type ? read_parts(walk, shape, bytes, &message) : 0;
    if (is_of_type && walk->is_over)
        return false;
    object->check = check;
    object->seen_ns = object->born_ns = walk->sample->now_ns;
    object->serial = is_of_type ? next_serial() : 0;
    message.serial = object->serial;
    if (is_of_type)
        emit_message(emitter, MESSAGE_OBJECT, &message, sizeof message, bytes, size, false);
    return true;
}

/* Returns the number of the run of RUNS that SIZE bytes at ADDRESS are in. Those on one page are in one run: the kernel
 * looks up the page of each run separately. */
static size_t run_of(struct runs *runs, uint64_t address, uint64_t size)
{
    uint64_t page = address / INTERP_PAGE, end = address + size;
    for (size_t i = 0; i < runs->count; i++) {
        struct memory_run *run = &runs->items[i];
        uint64_t run_end = run->start + run->size;
        if (run->start / INTERP_PAGE != page || (run_end - 1) / INTERP_PAGE != page || (end - 1) / INTERP_PAGE != page)
            continue;
        run->start = address < run->start ? address : run->start;
        run->size = (end > run_end ? end : run_end) - run->start;
        return i;
    }
    runs->items[runs->count] = (struct memory_run){address, size};
    return runs->count++;
}

/* Compares OBJECT's key bytes with BYTES, the present contents of their address; rereads OBJECT if they differ. */
static void compare(struct interp_walk *walk, struct interp_object *object, const unsigned char *bytes,
                    struct emitter *emitter)
{
    uint64_t check = hash_bytes(bytes, walk->recipe->shapes[object->shape].check_size);
    if (check != object->check && !read_object(walk, object, emitter))
        object->serial = 0; /* the object is gone */
}

/* Compares the objects of CHECKS with the present contents of their addresses, in one call. An object that cannot be
 * read counts as unchanged until the next time. */
static void compare_all(struct interp_objects *objects, struct interp_walk *walk, struct checks *checks,
                        struct emitter *emitter)
{
    static unsigned char bytes[CHECKS_AT_ONCE * INTERP_PAGE];
    uint64_t starts[CHECKS_AT_ONCE];
    struct runs runs;
    runs_begin(&runs, 0, 0, 0);
    for (size_t i = 0; i < checks->count; i++)
        checks->items[i].run = run_of(&runs, checks->items[i].address, checks->items[i].size);
    for (size_t i = 0; i < runs.count; i++) {
        starts[i] = runs.bytes - runs.items[i].start;
        runs.bytes += runs.items[i].size;
    }
    ssize_t got = checks->count ? memory_read_runs(walk->sample->memory, walk->sample->tid, &runs, bytes) : 0;
    for (size_t i = 0; i < checks->count; i++) {
        const struct check *check = &checks->items[i];
        uint64_t at = starts[check->run] + check->address;
        if (got < 0 || at + check->size > (uint64_t)got)
            continue;
        compare(walk, &objects->items[check->number], bytes + at, emitter);
        interp_expect(walk, check->address, check->size);
    }
    checks->count = 0;
}

/* Sends OBJECT again if its serial is no longer valid for long. Returns false if its serial must not be used. */
static bool send_again(struct interp_walk *walk, struct interp_object *object, struct emitter *emitter)
{
    uint64_t age_ns = walk->sample->now_ns - object->born_ns;
    return age_ns < MESSAGE_OBJECT_VALID_NS || read_object(walk, object, emitter) ||
           age_ns < 2 * MESSAGE_OBJECT_VALID_NS;
}

/* Returns the number of the object of SHAPE at ADDRESS, which is added if it is new; HASH_NONE if it cannot be read. */
static uint32_t number_of(struct interp_objects *objects, struct interp_walk *walk, const struct object_key *key,
                          struct emitter *emitter)
{
    uint64_t value = hash_of(key);
    uint32_t number = hash_find(&objects->index, value, has_key, objects, key);
    struct interp_object added = {.address = key->address, .shape = key->shape};
    if (number != HASH_NONE)
        return send_again(walk, &objects->items[number], emitter) ? number : HASH_NONE;
    return read_object(walk, &added, emitter) ? HASH_APPEND(objects, value, &added) : HASH_NONE;
}

/* A reference to an object. */
struct reference {
    struct object_key key;
    unsigned char *serial; /* where to write its serial */
    uint32_t number;       /* of the object; HASH_NONE: it cannot be read */
};

enum { REFERENCES_MOST = RECIPE_NODES_MOST * RECIPE_SHAPES + 1 };

static uint64_t aligned(uint64_t address)
{
    enum { ALIGNED = 8 };
    return address / ALIGNED * ALIGNED;
}

/* Returns the address of the object of SHAPE that the node at BYTES refers to, or 0. */
static uint64_t object_of(const struct recipe_shape *shape, const unsigned char *bytes)
{
    if (shape->pointer == RECIPE_NONE)
        return 0;
    if (shape->when != RECIPE_NONE && (bytes[shape->when] & shape->when_mask) != shape->when_value)
        return 0;
    return aligned(interp_word(bytes + shape->pointer));
}

/* Collects the objects of all nodes of the walk, and the object of its state. Returns their number. */
static size_t gather(struct interp_walk *walk, struct reference references[REFERENCES_MOST])
{
    const struct recipe *recipe = walk->recipe;
    unsigned char *at = interp_nodes(walk);
    size_t count = 0, step = sizeof(struct recipe_node) + recipe_stored(recipe);
    if (recipe->state_object != RECIPE_NONE)
        references[count++] =
            (struct reference){{aligned(interp_word(walk->state + recipe->state_object)), RECIPE_SHAPES - 1},
                               at - sizeof(struct recipe_stack) + offsetof(struct recipe_stack, state_serial),
                               HASH_NONE};
    for (uint32_t i = 0; i < walk->count; i++, at += step)
        for (uint32_t shape = 0; shape < RECIPE_SHAPES; shape++) {
            uint64_t address = object_of(&recipe->shapes[shape], at + sizeof(struct recipe_node));
            if (address)
                references[count++] =
                    (struct reference){{address, shape}, at + offsetof(struct recipe_node, serial[shape]), HASH_NONE};
        }
    return count;
}

/* Compares object NUMBER, or adds it to CHECKS: another object may have replaced it. */
static void plan(struct interp_objects *objects, struct interp_walk *walk, uint32_t number, struct checks *checks,
                 struct emitter *emitter)
{
    struct interp_object *object = &objects->items[number];
    unsigned char bytes[INTERP_CHECK_MOST];
    size_t size = walk->recipe->shapes[object->shape].check_size;
    if (object->seen_ns == walk->sample->now_ns)
        return;
    object->seen_ns = walk->sample->now_ns; /* it may be in the stack more than once */
    uint64_t address = check_address(walk, object);
    if (interp_peek(walk, address, bytes, size)) {
        compare(walk, object, bytes, emitter);
        return;
    }
    checks->items[checks->count++] = (struct check){.number = number, .address = address, .size = size};
    if (checks->count == CHECKS_AT_ONCE)
        compare_all(objects, walk, checks, emitter);
}

void interp_objects_find(struct interp_objects *objects, struct interp_walk *walk, struct emitter *emitter)
{
    static struct reference references[REFERENCES_MOST];
    struct checks checks = {.count = 0};
    size_t count = gather(walk, references);
    if (objects->count > INTERP_OBJECTS_MOST)
        interp_objects_fini(objects);
    for (size_t i = 0; i < count; i++) {
        references[i].number = number_of(objects, walk, &references[i].key, emitter);
        if (references[i].number != HASH_NONE)
            plan(objects, walk, references[i].number, &checks, emitter);
    }
    compare_all(objects, walk, &checks, emitter);
    for (size_t i = 0; i < count; i++) {
        uint32_t number = references[i].number, serial = number == HASH_NONE ? 0 : objects->items[number].serial;
        memcpy(references[i].serial, &serial, sizeof serial);
    }
}
