/* SPDX-License-Identifier: MIT
 *
 * Stacks and samples of the record. */
#include "front/record/record_parts.h"

#include "common/base/array.h"
#include "common/base/hash.h"
#include "common/base/scale.h"
#include "common/model/address_map.h"
#include "common/model/wait.h"
#include "front/record/object.h"
#include "front/record/record.h"
#include "front/record/scripts.h"
#include "profile/profile/instants.h"
#include "profile/profile/profile.h"
#include "programs/unwind/frame.h"

#include <stdlib.h>

enum {
    MERGED_FRAMES = 8, /* frames of a stack, from the leaf, that are kept when memory is scarce */
    /* Memory for each, until the last report is written, with its share of indices and of spare room. */
    BYTES_OF_NODE = 96,
    BYTES_OF_SAMPLE = 400,
    BYTES_OF_FRAME = 16,
    BYTES_OF_THREAD = 500,
    BYTES_OF_IMAGE = 500,
    BYTES_OF_SCRIPT = 300,
};

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

/* Finds the object that contains PC of IMAGE. */
static void locate_pc(struct record *record, const struct record_image *image, uint64_t pc, struct record_node *node)
{
    const struct address_range *range = address_map_find(&image->map, pc);
    node->object = range && image->objects ? image->objects[range - image->map.items] : HASH_NONE;
    node->address = pc;
    if (pc == RECORD_IN_KERNEL) {
        node->object = objects_kernel(&record->objects);
        return;
    }
    if (node->object == HASH_NONE) {
        node->object = objects_unknown(&record->objects);
        return;
    }
    enum object_kind kind = record->objects.items[node->object].kind;
    if (kind == OBJECT_FILE || kind == OBJECT_VDSO || kind == OBJECT_VDSO_COMPAT)
        node->address = pc - range->start + range->offset - record->objects.items[node->object].base;
}

/* Like locate, for FRAME. */
static void locate_frame(struct record *record, const struct record_image *image, const struct unwind_frame *frame,
                         struct record_node *node)
{
    if (!frame->language) {
        locate_pc(record, image, frame->call ? frame->pc - 1 : frame->pc, node);
        return;
    }
    node->object = objects_script(&record->objects, frame->language, "");
    node->address = frame->pc;
}

static bool node_has_key(const void *owner, uint32_t index, const void *key)
{
    const struct record_node *a = &((const struct record *)owner)->nodes.items[index], *b = key;
    return a->parent == b->parent && a->object == b->object && a->address == b->address;
}

static uint64_t node_hash(const struct record_node *node)
{
    uint64_t parts[] = {(uint64_t)node->parent << 32 | node->object, node->address};
    return hash_bytes(parts, sizeof parts);
}

static uint32_t known_node(const struct record *record, const struct record_node *node)
{
    return hash_find(&record->nodes.index, node_hash(node), node_has_key, record, node);
}

/* Returns the number of NODE, and adds it if it is new. Returns HASH_NONE if memory runs out. */
static uint32_t node_number(struct record *record, const struct record_node *node)
{
    uint32_t number = HASH_INTERN(&record->nodes, node_hash(node), node_has_key, record, node);
    record->out_of_memory |= number == HASH_NONE;
    return number;
}

uint64_t record_bytes(const struct record *record)
{
    return record->nodes.count * BYTES_OF_NODE + record->samples.count * BYTES_OF_SAMPLE +
           record->frame_count * BYTES_OF_FRAME + record->threads.count * BYTES_OF_THREAD +
           record->images.count * BYTES_OF_IMAGE + record->scripts.count * BYTES_OF_SCRIPT;
}

bool record_is_scarce(const struct record *record)
{
    return record->most_bytes && record_bytes(record) >= record->most_bytes / 2;
}

uint64_t record_frame_bytes(uint64_t samples)
{
    return BYTES_OF_NODE + samples * BYTES_OF_FRAME;
}

/* Returns the node of a capture's leaf, with the callers in its first COUNT frames, or HASH_NONE. ADD: adds missing
 * nodes. */
static uint32_t leaf_number(struct record *record, const struct record_image *image,
                            const struct record_capture *capture, size_t count, bool add)
{
    struct record_node node = {.parent = HASH_NONE};
    uint32_t number = HASH_NONE;
    for (size_t i = count; i-- > 0;) {
        locate_frame(record, image, &capture->frames[i], &node);
        if (node.object == HASH_NONE)
            return HASH_NONE;
        number = add ? node_number(record, &node) : known_node(record, &node);
        if (number == HASH_NONE)
            return HASH_NONE;
        node.parent = number;
    }
    return number;
}

/* Returns how many frames of a new stack fit. The leaf is always kept, so that the time of functions stays exact. */
static size_t frames_allowed(const struct record *record)
{
    uint64_t bytes = record_bytes(record), most = record->most_bytes;
    if (!most || bytes < most - most / 4)
        return SIZE_MAX;
    return bytes < most ? MERGED_FRAMES : 1;
}

/* Sets the leaf of SAMPLE to that of CAPTURE, and its cut. */
static void set_leaf(struct record *record, const struct record_image *image, const struct record_capture *capture,
                     struct record_sample *sample)
{
    size_t count = capture->frame_count, allowed = frames_allowed(record);
    sample->leaf = HASH_NONE;
    if (count > allowed)
        sample->leaf = leaf_number(record, image, capture, count, false);
    if (sample->leaf != HASH_NONE)
        return;
    if (count > allowed) {
        sample->cut = PROFILE_MERGED;
        count = allowed;
    }
    sample->leaf = leaf_number(record, image, capture, count, true);
}

static struct record_sample *sample_of(struct record *record, const struct record_sample *wanted)
{
    uint64_t value = sample_hash(wanted);
    size_t before = record->samples.count;
    uint32_t number = HASH_INTERN(&record->samples, value, sample_has_key, record, wanted);
    record->out_of_memory |= number == HASH_NONE;
    for (uint32_t node = wanted->leaf; record->samples.count > before && node != HASH_NONE;
         node = record->nodes.items[node].parent)
        record->frame_count++;
    return number == HASH_NONE ? NULL : &record->samples.items[number];
}

uint32_t record_add_sample(struct record *record, struct record_image *image, const struct record_sample *wanted,
                           uint64_t time_ns)
{
    struct record_sample like = *wanted;
    like.count = like.cpu_ns = like.wait_ns = like.period_ns = 0;
    struct record_sample *sample = sample_of(record, &like);
    if (!sample)
        return HASH_NONE;
    uint64_t cpu_ns = record_add_up(&record->ns, wanted->cpu_ns), wait_ns = record_add_up(&record->ns, wanted->wait_ns);
    uint64_t count = record_add_up(&record->sample_count, wanted->count);
    uint32_t number = (uint32_t)(sample - record->samples.items);
    instants_add(&record->instants, &(struct instant){time_ns, number, count, cpu_ns, wait_ns});
    sample->period_ns += record_add_up(&record->period_ns, wanted->period_ns);
    sample->count += count;
    sample->cpu_ns += cpu_ns;
    sample->wait_ns += wait_ns;
    image->sampled_ns += cpu_ns;
    image->sampled_wait_ns += wait_ns;
    return number;
}

static bool wait_has_key(const void *owner, uint32_t index, const void *key)
{
    const struct record_wait *wait = &((const struct record *)owner)->waits.items[index];
    const struct record_thread_key *wanted = key;
    return wait->image == wanted->image && wait->tid == wanted->tid;
}

static uint64_t wait_hash(const struct record_wait *wait)
{
    struct record_thread_key key = {wait->image, wait->tid};
    return hash_bytes(&key, sizeof key);
}

/* Returns the index of the wait of thread TID of image INDEX, or HASH_NONE. */
static uint32_t wait_index(const struct record *record, uint32_t index, pid_t tid)
{
    struct record_thread_key key = {index, tid};
    return hash_find(&record->waits.index, hash_bytes(&key, sizeof key), wait_has_key, record, &key);
}

static void remember_wait(struct record *record, struct record_wait wait)
{
    uint32_t found = wait_index(record, wait.image, wait.tid);
    if (found != HASH_NONE)
        record->waits.items[found] = wait;
    else if (HASH_APPEND(&record->waits, wait_hash(&wait), &wait) == HASH_NONE)
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

void record_forget_waits(struct record *record, uint32_t index)
{
    for (uint32_t i = (uint32_t)record->waits.count; i-- > 0;)
        if (record->waits.items[i].image == index)
            forget_wait(record, i);
}

/* Adds a sample for PART of the time of SAMPLE, taken at TIME_NS: it was spent at PLACE, with the same stack. */
static void add_part(struct record *record, struct record_image *image, const struct record_sample *sample,
                     uint64_t time_ns, enum wait_place place, struct record_sample part)
{
    part.thread = sample->thread;
    part.leaf = sample->leaf;
    part.cut = sample->cut;
    part.syscall = (int32_t)place;
    if (part.cpu_ns || part.wait_ns)
        record_add_sample(record, image, &part, time_ns);
}

void record_waited(struct record *record, uint32_t image, pid_t tid, uint64_t time_ns, uint64_t count, uint64_t wait_ns,
                   uint64_t queued_ns, bool over)
{
    uint32_t index = record_image_index(record, image);
    uint32_t wait = index == HASH_NONE ? HASH_NONE : wait_index(record, index, tid);
    if (wait == HASH_NONE)
        return;
    struct record_sample more = record->samples.items[record->waits.items[wait].sample];
    more.count = count;
    more.cpu_ns = more.period_ns = 0;
    more.wait_ns = wait_ns;
    record_add_sample(record, &record->images.items[index], &more, time_ns);
    add_part(record, &record->images.items[index], &more, time_ns, WAIT_FOR_CPU,
             (struct record_sample){.wait_ns = queued_ns});
    if (over)
        forget_wait(record, wait);
}

/* Adds the function of NODE, which is one of BEFORE, to RECORD. Returns false if memory runs out. */
static bool keep_script(struct record *record, const struct record *before, struct record_node *node)
{
    const struct scripts *scripts = &before->scripts;
    uint32_t number = scripts_number_of(node->address);
    if (record->objects.items[node->object].kind != OBJECT_SCRIPT || number >= scripts->count)
        return true;
    const struct script *script = &scripts->items[number];
    number = scripts_add(&record->scripts, script->module, scripts->texts.items[script->name],
                         scripts_file(scripts, number), script->first_line);
    node->address = scripts_address(number, scripts_line_of(node->address));
    return number != HASH_NONE;
}

/* Returns the number in RECORD of node NUMBER of BEFORE, with its callers, or HASH_NONE. */
static uint32_t keep_node(struct record *record, const struct record *before, uint32_t number)
{
    struct {
        uint32_t *items;
        size_t count, room;
    } path = {0};
    uint32_t kept = HASH_NONE;
    for (; number != HASH_NONE && ARRAY_RESERVE_ONE(&path); number = before->nodes.items[number].parent)
        path.items[path.count++] = number;
    bool whole = number == HASH_NONE;
    while (whole && path.count) {
        struct record_node node = before->nodes.items[path.items[--path.count]];
        node.parent = kept;
        kept = keep_script(record, before, &node) ? node_number(record, &node) : HASH_NONE;
        whole = kept != HASH_NONE;
    }
    free(path.items);
    return whole ? kept : HASH_NONE;
}

void record_keep_wait(struct record *record, const struct record *before, const struct record_wait *wait,
                      uint32_t index, uint32_t thread)
{
    const struct record_sample *sample = &before->samples.items[wait->sample];
    struct record_sample kept = {.thread = thread, .syscall = sample->syscall, .cut = sample->cut};
    kept.leaf = keep_node(record, before, sample->leaf);
    const struct record_sample *added = kept.leaf != HASH_NONE ? sample_of(record, &kept) : NULL;
    record->out_of_memory |= !added;
    if (added)
        remember_wait(record, (struct record_wait){index, wait->tid, (uint32_t)(added - record->samples.items)});
}

void record_capture(struct record *record, const struct record_capture *capture)
{
    uint32_t index = record_image_index(record, capture->image);
    if (index == HASH_NONE)
        return;
    struct record_image *image = &record->images.items[index];
    uint64_t fault_ns = scale_smaller(capture->fault_ns, capture->weight_ns);
    bool in_fault = fault_ns > capture->weight_ns - fault_ns; /* the sample counts where most of its time is */
    uint64_t fault_period_ns = fault_ns ? scale_share(capture->period_ns, fault_ns, capture->weight_ns) : 0;
    struct record_sample sample = {
        .syscall = capture->syscall,
        .cut = capture->cut,
        .count = !in_fault,
        .wait_ns = capture->wait_ns,
        .period_ns = capture->period_ns - fault_period_ns,
    };
    sample.thread = record_thread_index(record, index, capture->tid);
    set_leaf(record, image, capture, &sample);
    if (sample.thread == HASH_NONE || sample.leaf == HASH_NONE)
        return;
    uint64_t own_ns = scale_smaller(capture->own_ns > fault_ns ? capture->own_ns : fault_ns, capture->weight_ns);
    uint64_t given_ns = record_level(record, sample.thread, capture, own_ns);
    sample.cpu_ns = given_ns - fault_ns;
    uint32_t number = HASH_NONE;
    if (sample.count || sample.cpu_ns || sample.wait_ns)
        number = record_add_sample(record, image, &sample, capture->time_ns);
    if (number != HASH_NONE)
        record_levelled(record, sample.thread, capture, number, given_ns);
    if (capture->waiting && number != HASH_NONE)
        remember_wait(record, (struct record_wait){index, capture->tid, number});
    add_part(record, image, &sample, capture->time_ns, WAIT_OUTSIDE,
             (struct record_sample){.count = in_fault, .cpu_ns = fault_ns, .period_ns = fault_period_ns});
    add_part(record, image, &sample, capture->time_ns, WAIT_FOR_CPU,
             (struct record_sample){.wait_ns = capture->queued_ns});
}

uint32_t record_place(struct record *record, uint32_t image, uint64_t pc)
{
    const struct record_image *of = record_running_image(record, image);
    struct record_node node = {.parent = HASH_NONE};
    if (!of)
        return HASH_NONE;
    locate_pc(record, of, pc, &node);
    return node.object == HASH_NONE ? HASH_NONE : node_number(record, &node);
}
