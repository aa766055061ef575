/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "base/array.h"
#include "model/wait.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OWN_THREADS = 1000, /* threads of one image that have a place of their own */
    OWN_IMAGES = 5000,  /* from so many images on, those without a sample share places */
    MOST_RANGES = 8192,
};

void record_free(struct record *record)
{
    for (size_t i = 0; i < record->images.count; i++) {
        address_map_free(&record->images.items[i].map);
        free(record->images.items[i].objects);
    }
    free(record->images.items);
    hash_free(&record->images.running);
    free(record->threads.items);
    hash_free(&record->threads.index);
    free(record->nodes.items);
    hash_free(&record->nodes.index);
    free(record->samples.items);
    hash_free(&record->samples.index);
    free(record->waits.items);
    hash_free(&record->waits.index);
    objects_free(&record->objects);
    memset(record, 0, sizeof *record);
}

static bool image_has_number(const void *owner, uint32_t index, const void *key)
{
    return ((const struct record *)owner)->images.items[index].number == *(const uint32_t *)key;
}

static uint32_t image_index(const struct record *record, uint32_t number)
{
    return hash_find(&record->images.running, hash_number(number), image_has_number, record, &number);
}

static void set_comm(char to[static 16], const char *from)
{
    snprintf(to, 16, "%.15s", from);
}

void record_image_begins(struct record *record, uint32_t image, pid_t pid, uint32_t generation, const char *comm,
                         bool unsupported)
{
    if (!image || image_index(record, image) != HASH_NONE)
        return; /* not a number that the tracer gives */
    uint32_t index = record->images.vacant_count ? record->images.vacant[record->images.vacant_count - 1]
                                                 : (uint32_t)record->images.count;
    if (!ARRAY_RESERVE_ONE(&record->images) || !hash_add(&record->images.running, hash_number(image), index)) {
        record->out_of_memory = true;
        return;
    }
    if (record->images.vacant_count)
        record->images.vacant_count--;
    else
        record->images.count++;
    struct record_image *added = &record->images.items[index];
    *added = (struct record_image){
        .number = image,
        .pid = pid,
        .generation = generation,
        .unsupported = unsupported,
        .program = HASH_NONE,
    };
    set_comm(added->comm, comm);
}

const struct record_image *record_running_image(const struct record *record, uint32_t image)
{
    uint32_t index = image_index(record, image);
    return index == HASH_NONE ? NULL : &record->images.items[index];
}

/* Of very many images, one that got no sample is added to a place for all of its name, and its own is used again. */
static void fold_image(struct record *record, uint32_t index)
{
    struct record_image *ended = &record->images.items[index];
    /* The first image is the command's, and stays what it is. */
    if (record->images.count < OWN_IMAGES || !index || ended->threads || !ended->comm[0] ||
        record->images.vacant_count >= VACANT_IMAGES)
        return;
    for (uint32_t i = 1; i < record->images.count; i++) {
        struct record_image *place = &record->images.items[i];
        if (i == index || place->number || place->threads || strcmp(place->comm, ended->comm))
            continue;
        place->pid = 0;
        place->cpu_ns += ended->cpu_ns;
        place->unsampled_ns += ended->unsampled_ns;
        place->wait_ns += ended->wait_ns;
        place->unsampled_wait_ns += ended->unsampled_wait_ns;
        memset(ended, 0, sizeof *ended);
        ended->program = HASH_NONE;
        record->images.vacant[record->images.vacant_count++] = index;
        return;
    }
}

/* Adds MORE to *SUM, as far as there is room. Returns how much of it there was room for. */
static uint64_t add_up(uint64_t *sum, uint64_t more)
{
    uint64_t room = INT64_MAX - *sum;
    if (more > room)
        more = room;
    *sum += more;
    return more;
}

void record_image_ends(struct record *record, uint32_t image, uint64_t cpu_ns, uint64_t wait_ns, const char *comm)
{
    uint32_t index = image_index(record, image);
    if (index == HASH_NONE)
        return;
    struct record_image *ended = &record->images.items[index];
    hash_remove(&record->images.running, hash_number(image), index);
    ended->number = 0;
    /* Time that samples stood for which were lost on the way to us is time that no sample stands for. */
    ended->unsampled_ns = cpu_ns > ended->sampled_ns ? add_up(&record->ns, cpu_ns - ended->sampled_ns) : 0;
    ended->cpu_ns = ended->sampled_ns + ended->unsampled_ns;
    ended->unsampled_wait_ns =
        wait_ns > ended->sampled_wait_ns ? add_up(&record->ns, wait_ns - ended->sampled_wait_ns) : 0;
    ended->wait_ns = ended->sampled_wait_ns + ended->unsampled_wait_ns;
    if (strcmp(comm, "?"))
        set_comm(ended->comm, comm);
    address_map_free(&ended->map);
    free(ended->objects);
    ended->objects = NULL;
    fold_image(record, index);
}

void record_maps(struct record *record, uint32_t image, const char *text)
{
    uint32_t index = image_index(record, image);
    if (index == HASH_NONE)
        return;
    struct record_image *of = &record->images.items[index];
    free(of->objects);
    of->objects = NULL;
    if (!address_map_parse(&of->map, text, MOST_RANGES)) {
        record->out_of_memory = true;
        return;
    }
    of->objects = malloc((of->map.count + 1) * sizeof *of->objects);
    record->objects.round++;
    for (size_t i = 0; of->objects && i < of->map.count; i++)
        of->objects[i] = objects_of_range(&record->objects, of->pid, &of->map.items[i]);
    /* The kernel maps the executable below all other files; the vDSO may be below a static-pie one. */
    for (size_t i = 0; of->objects && i < of->map.count && of->program == HASH_NONE; i++)
        if (of->map.items[i].inode)
            of->program = of->objects[i];
}

struct thread_key {
    uint32_t image;
    pid_t tid;
};

static bool thread_has_key(const void *owner, uint32_t index, const void *key)
{
    const struct record_thread *thread = &((const struct record *)owner)->threads.items[index];
    const struct thread_key *wanted = key;
    return thread->image == wanted->image && thread->tid == wanted->tid;
}

/* The index of thread TID of image INDEX, which is added if it is new, or HASH_NONE. */
static uint32_t thread_index(struct record *record, uint32_t index, pid_t tid)
{
    struct record_image *image = &record->images.items[index];
    struct thread_key key = {index, tid};
    uint32_t found =
        hash_find(&record->threads.index, hash_bytes(&key, sizeof key), thread_has_key, record, &key);
    if (found != HASH_NONE)
        return found;
    if (image->threads >= OWN_THREADS && tid)
        return thread_index(record, index, 0);
    if (!ARRAY_RESERVE_ONE(&record->threads) ||
        !hash_add(&record->threads.index, hash_bytes(&key, sizeof key), (uint32_t)record->threads.count)) {
        record->out_of_memory = true;
        return HASH_NONE;
    }
    image->threads++;
    struct record_thread *added = &record->threads.items[record->threads.count];
    *added = (struct record_thread){.image = index, .tid = tid};
    set_comm(added->comm, image->comm);
    return (uint32_t)record->threads.count++;
}

void record_thread_named(struct record *record, uint32_t image, pid_t tid, const char *comm)
{
    uint32_t index = image_index(record, image), thread;
    if (index == HASH_NONE)
        return;
    thread = thread_index(record, index, tid);
    if (thread != HASH_NONE && record->threads.items[thread].tid)
        set_comm(record->threads.items[thread].comm, comm);
}

static bool sample_has_key(const void *owner, uint32_t index, const void *key)
{
    const struct record_sample *a = &((const struct record *)owner)->samples.items[index], *b = key;
    return a->thread == b->thread && a->leaf == b->leaf && a->syscall == b->syscall && a->cut == b->cut;
}

static uint64_t sample_hash(const struct record_sample *sample)
{
    uint64_t parts[] = {(uint64_t)sample->thread << 32 | sample->leaf,
                        (uint64_t)(int64_t)sample->syscall << 2 | (uint64_t)sample->cut};
    return hash_bytes(parts, sizeof parts);
}

/* Finds what PC of IMAGE lies in. */
static void locate(struct record *record, const struct record_image *image, uint64_t pc, struct record_node *node)
{
    const struct address_range *range = address_map_find(&image->map, pc);
    node->object = range && image->objects ? image->objects[range - image->map.items] : HASH_NONE;
    node->address = pc;
    if (node->object == HASH_NONE) {
        node->object = objects_unknown(&record->objects);
        return;
    }
    enum object_kind kind = record->objects.items[node->object].kind;
    if (kind == OBJECT_FILE || kind == OBJECT_VDSO)
        node->address = pc - range->start + range->offset;
}

static bool node_has_key(const void *owner, uint32_t index, const void *key)
{
    const struct record_node *a = &((const struct record *)owner)->nodes.items[index], *b = key;
    return a->parent == b->parent && a->object == b->object && a->address == b->address;
}

/* The number of NODE, which is added if it is new, or HASH_NONE. */
static uint32_t node_number(struct record *record, const struct record_node *node)
{
    uint64_t parts[] = {(uint64_t)node->parent << 32 | node->object, node->address};
    uint64_t value = hash_bytes(parts, sizeof parts);
    uint32_t found = hash_find(&record->nodes.index, value, node_has_key, record, node);
    if (found != HASH_NONE)
        return found;
    if (!ARRAY_RESERVE_ONE(&record->nodes) || !hash_add(&record->nodes.index, value, (uint32_t)record->nodes.count)) {
        record->out_of_memory = true;
        return HASH_NONE;
    }
    record->nodes.items[record->nodes.count] = *node;
    return (uint32_t)record->nodes.count++;
}

/* The node of a capture's leaf, by way of all its callers, or HASH_NONE. */
static uint32_t leaf_number(struct record *record, const struct record_image *image,
                            const struct record_capture *capture)
{
    struct record_node node = {.parent = HASH_NONE};
    uint32_t number = HASH_NONE;
    for (size_t i = capture->frame_count; i-- > 0;) {
        const struct record_frame *frame = &capture->frames[i];
        locate(record, image, frame->call ? frame->pc - 1 : frame->pc, &node);
        number = node.object == HASH_NONE ? HASH_NONE : node_number(record, &node);
        if (number == HASH_NONE)
            return HASH_NONE;
        node.parent = number;
    }
    return number;
}

static struct record_sample *sample_of(struct record *record, const struct record_sample *wanted)
{
    uint64_t value = sample_hash(wanted);
    uint32_t found = hash_find(&record->samples.index, value, sample_has_key, record, wanted);
    if (found != HASH_NONE)
        return &record->samples.items[found];
    if (!ARRAY_RESERVE_ONE(&record->samples) ||
        !hash_add(&record->samples.index, value, (uint32_t)record->samples.count)) {
        record->out_of_memory = true;
        return NULL;
    }
    record->samples.items[record->samples.count] = *wanted;
    return &record->samples.items[record->samples.count++];
}

/* Adds to the sample WANTED. Returns its number, or HASH_NONE. */
static uint32_t add_sample(struct record *record, struct record_image *image, const struct record_sample *wanted)
{
    struct record_sample like = *wanted;
    like.count = like.cpu_ns = like.wait_ns = 0;
    struct record_sample *sample = sample_of(record, &like);
    if (!sample)
        return HASH_NONE;
    uint64_t cpu_ns = add_up(&record->ns, wanted->cpu_ns), wait_ns = add_up(&record->ns, wanted->wait_ns);
    sample->count += add_up(&record->sample_count, wanted->count);
    sample->cpu_ns += cpu_ns;
    sample->wait_ns += wait_ns;
    image->sampled_ns += cpu_ns;
    image->sampled_wait_ns += wait_ns;
    return (uint32_t)(sample - record->samples.items);
}

static bool wait_has_key(const void *owner, uint32_t index, const void *key)
{
    const struct record_wait *wait = &((const struct record *)owner)->waits.items[index];
    const struct thread_key *wanted = key;
    return wait->image == wanted->image && wait->tid == wanted->tid;
}

static uint64_t wait_hash(const struct record_wait *wait)
{
    struct thread_key key = {wait->image, wait->tid};
    return hash_bytes(&key, sizeof key);
}

/* The index of the wait of thread TID of image INDEX, or HASH_NONE. */
static uint32_t wait_index(const struct record *record, uint32_t index, pid_t tid)
{
    struct thread_key key = {index, tid};
    return hash_find(&record->waits.index, hash_bytes(&key, sizeof key), wait_has_key, record, &key);
}

static void remember_wait(struct record *record, struct record_wait wait)
{
    uint32_t found = wait_index(record, wait.image, wait.tid);
    if (found != HASH_NONE)
        record->waits.items[found] = wait;
    else if (ARRAY_RESERVE_ONE(&record->waits) &&
             hash_add(&record->waits.index, wait_hash(&wait), (uint32_t)record->waits.count))
        record->waits.items[record->waits.count++] = wait;
    else
        record->out_of_memory = true;
}

static void forget_wait(struct record *record, uint32_t hole)
{
    uint32_t last = (uint32_t)--record->waits.count;
    hash_remove(&record->waits.index, wait_hash(&record->waits.items[hole]), hole);
    if (hole != last) {
        record->waits.items[hole] = record->waits.items[last];
        hash_renumber(&record->waits.index, wait_hash(&record->waits.items[hole]), last, hole);
    }
}

void record_waited(struct record *record, uint32_t image, pid_t tid, uint64_t count, uint64_t wait_ns, bool over)
{
    uint32_t index = image_index(record, image);
    uint32_t wait = index == HASH_NONE ? HASH_NONE : wait_index(record, index, tid);
    if (wait == HASH_NONE)
        return;
    struct record_sample more = record->samples.items[record->waits.items[wait].sample];
    more.count = count;
    more.cpu_ns = 0;
    more.wait_ns = wait_ns;
    add_sample(record, &record->images.items[index], &more);
    if (over)
        forget_wait(record, wait);
}

void record_capture(struct record *record, const struct record_capture *capture)
{
    uint32_t index = image_index(record, capture->image);
    if (index == HASH_NONE)
        return;
    struct record_image *image = &record->images.items[index];
    struct record_sample sample = {
        .syscall = capture->syscall,
        .cut = capture->cut,
        .count = 1,
        .cpu_ns = capture->weight_ns,
        .wait_ns = capture->wait_ns,
    };
    sample.thread = thread_index(record, index, capture->tid);
    sample.leaf = leaf_number(record, image, capture);
    if (sample.thread == HASH_NONE || sample.leaf == HASH_NONE)
        return;
    uint32_t number = add_sample(record, image, &sample);
    if (capture->waiting && number != HASH_NONE)
        remember_wait(record, (struct record_wait){index, capture->tid, number});
    if (!capture->queued_ns)
        return;
    sample.syscall = WAIT_FOR_CPU;
    sample.count = sample.cpu_ns = 0;
    sample.wait_ns = capture->queued_ns;
    add_sample(record, image, &sample);
}

uint64_t record_bias(const struct record *record, uint32_t image, uint64_t address)
{
    const struct record_image *of = record_running_image(record, image);
    uint64_t bias;
    for (size_t i = 0; of && of->objects && i < of->map.count; i++) {
        uint32_t object = of->objects[i];
        if (of->map.items[i].end > address && object != HASH_NONE && record->objects.items[object].kind == OBJECT_FILE)
            return object_bias(&record->objects.items[object], &of->map.items[i], &bias) ? bias : 0;
    }
    return 0;
}

uint32_t record_place(struct record *record, uint32_t image, uint64_t pc)
{
    const struct record_image *of = record_running_image(record, image);
    struct record_node node = {.parent = HASH_NONE};
    if (!of)
        return HASH_NONE;
    locate(record, of, pc, &node);
    return node.object == HASH_NONE ? HASH_NONE : node_number(record, &node);
}
