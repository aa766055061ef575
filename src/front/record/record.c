/* SPDX-License-Identifier: MIT */
#include "front/record/record_parts.h"

#include "common/base/array.h"
#include "common/base/hash.h"
#include "common/base/texts.h"
#include "common/model/address_map.h"
#include "common/model/cgroup.h"
#include "front/record/object.h"
#include "front/record/record.h"
#include "front/record/scripts.h"
#include "profile/profile/instants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OWN_THREADS = 1000, /* threads of one image that have entries of their own */
    OWN_IMAGES = 5000,  /* from this number of images on, images without samples share entries */
    MOST_RANGES = 8192,
    MOST_COMMAND_BYTES = 16 << 20,
    MOST_MARKS = 100000,
    MOST_LOOKS = 20, /* at memory that may become a copy of a file's code */
};

void record_fini(struct record *record)
{
    for (size_t i = 0; i < record->images.count; i++) {
        address_map_fini(&record->images.items[i].map);
        free(record->images.items[i].objects);
    }
    free(record->images.items);
    hash_fini(&record->images.running);
    hash_fini(&record->images.places);
    free(record->vacant.items);
    free(record->threads.items);
    hash_fini(&record->threads.index);
    free(record->nodes.items);
    hash_fini(&record->nodes.index);
    free(record->samples.items);
    hash_fini(&record->samples.index);
    free(record->waits.items);
    hash_fini(&record->waits.index);
    free(record->levels.items);
    instants_fini(&record->instants);
    for (size_t i = 0; i < record->marks.count; i++)
        free(record->marks.items[i].text);
    free(record->marks.items);
    texts_fini(&record->commands);
    objects_fini(&record->objects);
    scripts_fini(&record->scripts);
    memset(record, 0, sizeof *record);
}

/* Of an image. */
#define NOTHING_KNOWN                                                                                                  \
    .command = HASH_NONE, .job = HASH_NONE, .program = HASH_NONE, .unit = HASH_NONE, .container = HASH_NONE

static bool image_has_number(const void *owner, uint32_t index, const void *key)
{
    return ((const struct record *)owner)->images.items[index].number == *(const uint32_t *)key;
}

uint32_t record_image_index(const struct record *record, uint32_t number)
{
    return hash_find(&record->images.running, hash_number(number), image_has_number, record, &number);
}

static void set_comm(char to[static 16], const char *from)
{
    snprintf(to, 16, "%.15s", from);
}

/* Adds IMAGE at a free index. */
uint32_t record_add_image(struct record *record, const struct record_image *image)
{
    uint32_t index =
        record->vacant.count ? record->vacant.items[record->vacant.count - 1] : (uint32_t)record->images.count;
    if (!ARRAY_RESERVE_ONE(&record->images) ||
        (image->number && !hash_add(&record->images.running, hash_number(image->number), index))) {
        record->out_of_memory = true;
        return HASH_NONE;
    }
    if (record->vacant.count)
        record->vacant.count--;
    else
        record->images.count++;
    record->images.items[index] = *image;
    record->images.items[index].place = index;
    return index;
}

static bool image_has_comm(const void *owner, uint32_t index, const void *key)
{
    return !strcmp(((const struct record *)owner)->images.items[index].comm, key);
}

/* Returns the index of the entry for all images with the name of LIKE, and adds it if needed. Returns HASH_NONE if
 * memory runs out. */
static uint32_t shared_place(struct record *record, const struct record_image *like)
{
    struct record_image place = {NOTHING_KNOWN};
    set_comm(place.comm, like->comm);
    uint64_t value = hash_bytes(place.comm, strlen(place.comm));
    uint32_t index = hash_find(&record->images.places, value, image_has_comm, record, place.comm);
    if (index != HASH_NONE)
        return index;
    index = record_add_image(record, &place);
    return index != HASH_NONE && hash_add(&record->images.places, value, index) ? index : HASH_NONE;
}

void record_image_begins(struct record *record, uint32_t image, pid_t pid, uint32_t generation, const char *comm)
{
    struct record_image added = {
        .number = image,
        .pid = pid,
        .generation = generation,
        NOTHING_KNOWN,
    };
    if (!image || record_image_index(record, image) != HASH_NONE)
        return; /* the tracer never assigns this number */
    set_comm(added.comm, comm);
    uint32_t place = record_is_scarce(record) ? shared_place(record, &added) : HASH_NONE;
    uint32_t index = record_add_image(record, &added);
    if (index != HASH_NONE && place != HASH_NONE)
        record->images.items[index].place = place;
}

void record_image_command(struct record *record, uint32_t image, const char *text)
{
    uint32_t index = record_image_index(record, image);
    if (index == HASH_NONE || record->command_bytes > MOST_COMMAND_BYTES)
        return;
    size_t before = record->commands.count;
    record->images.items[index].command = texts_add(&record->commands, text);
    if (record->commands.count > before)
        record->command_bytes += strlen(text);
}

void record_image_executable(struct record *record, uint32_t image, uint64_t executable)
{
    uint32_t index = record_image_index(record, image);
    if (index != HASH_NONE)
        record->images.items[index].executable = executable;
}

void record_image_rank(struct record *record, uint32_t image, uint32_t rank, uint32_t ranks, const char *job)
{
    uint32_t index = record_image_index(record, image);
    if (index == HASH_NONE)
        return;
    struct record_image *of = &record->images.items[index];
    of->has_rank = true;
    of->rank = rank;
    of->ranks = ranks;
    if (*job)
        of->job = texts_add(&record->commands, job);
}

static uint32_t add_name(struct record *record, const char *name)
{
    return *name ? texts_add(&record->commands, name) : HASH_NONE;
}

void record_image_names(struct record *record, uint32_t image, const struct cgroup_names *names)
{
    uint32_t index = record_image_index(record, image);
    if (index == HASH_NONE)
        return;
    record->images.items[index].unit = add_name(record, names->unit);
    record->images.items[index].container = add_name(record, names->container);
}

void record_mark(struct record *record, uint64_t time_ns, const char *text)
{
    char *copy = record->marks.count < MOST_MARKS && ARRAY_RESERVE_ONE(&record->marks) ? strdup(text) : NULL;
    if (copy)
        record->marks.items[record->marks.count++] = (struct record_mark){time_ns, copy};
}

const struct record_image *record_running_image(const struct record *record, uint32_t image)
{
    uint32_t index = record_image_index(record, image);
    return index == HASH_NONE ? NULL : &record->images.items[index];
}

/* Adds the totals of image INDEX to the entry PLACE, and frees the image's own entry for reuse. */
static void fold_image(struct record *record, uint32_t index, uint32_t place)
{
    struct record_image *ended = &record->images.items[index], *into = &record->images.items[place];
    if (!into->members++) {
        into->command = ended->command;
        into->executable = ended->executable;
        into->has_rank = ended->has_rank;
        into->rank = ended->rank;
        into->ranks = ended->ranks;
        into->job = ended->job;
        into->unit = ended->unit;
        into->container = ended->container;
    }
    if (into->command != ended->command)
        into->command = HASH_NONE;
    if (into->rank != ended->rank || into->ranks != ended->ranks || into->job != ended->job)
        into->has_rank = false;
    if (into->unit != ended->unit)
        into->unit = HASH_NONE;
    if (into->container != ended->container)
        into->container = HASH_NONE;
    if (into->executable != ended->executable)
        into->executable = 0;
    if (into->program == HASH_NONE)
        into->program = ended->program;
    into->cpu_ns += ended->cpu_ns;
    into->unsampled_ns += ended->unsampled_ns;
    into->sampled_ns += ended->sampled_ns;
    into->wait_ns += ended->wait_ns;
    into->unsampled_wait_ns += ended->unsampled_wait_ns;
    into->sampled_wait_ns += ended->sampled_wait_ns;
    *ended = (struct record_image){.place = index, NOTHING_KNOWN};
    if (ARRAY_RESERVE_ONE(&record->vacant))
        record->vacant.items[record->vacant.count++] = index;
}

/* Returns the entry to which the ended image INDEX is added, or HASH_NONE if it keeps its own. If there are very many
 * images, those without samples share entries. The first image is the command's and keeps its entry. */
static uint32_t place_of_ended(struct record *record, uint32_t index)
{
    const struct record_image *ended = &record->images.items[index];
    if (ended->place != index)
        return ended->place;
    if (record->images.count < OWN_IMAGES || !index || ended->threads || !ended->comm[0])
        return HASH_NONE;
    return shared_place(record, ended);
}

uint64_t record_add_up(uint64_t *sum, uint64_t more)
{
    uint64_t room = INT64_MAX - *sum;
    if (more > room)
        more = room;
    *sum += more;
    return more;
}

void record_image_ends(struct record *record, uint32_t image, uint64_t cpu_ns, uint64_t wait_ns, const char *comm)
{
    uint32_t index = record_image_index(record, image);
    if (index == HASH_NONE)
        return;
    record_levels_end(record, index);
    struct record_image *ended = &record->images.items[index];
    hash_remove(&record->images.running, hash_number(image), index);
    ended->number = 0;
    /* Time of samples that were lost in the ring becomes time without a sample. */
    uint64_t known_ns = ended->earlier_ns + ended->sampled_ns,
             known_wait_ns = ended->earlier_wait_ns + ended->sampled_wait_ns;
    ended->unsampled_ns = cpu_ns > known_ns ? record_add_up(&record->ns, cpu_ns - known_ns) : 0;
    ended->cpu_ns = ended->sampled_ns + ended->unsampled_ns;
    ended->unsampled_wait_ns = wait_ns > known_wait_ns ? record_add_up(&record->ns, wait_ns - known_wait_ns) : 0;
    ended->wait_ns = ended->sampled_wait_ns + ended->unsampled_wait_ns;
    if (strcmp(comm, "?"))
        set_comm(ended->comm, comm);
    record_forget_waits(record, index);
    objects_map_again(&record->objects, ended->pid); /* some programs write their JIT map at their end */
    address_map_fini(&ended->map);
    free(ended->objects);
    ended->objects = NULL;
    uint32_t place = place_of_ended(record, index);
    if (place != HASH_NONE)
        fold_image(record, index, place);
}

void record_image_entry(struct record *record, uint32_t image, uint64_t entry)
{
    uint32_t index = record_image_index(record, image);
    if (index != HASH_NONE)
        record->images.items[index].entry = entry;
}

/* Returns the executable of IMAGE. If its entry point is unknown, this is the first file in the map. (A static-pie
 * program may have the vDSO below it.) This may be wrong: without a stack limit (ulimit -s unlimited), libraries are
 * mapped below the program. */
static uint32_t program_of(const struct record_image *image)
{
    const struct address_range *entered = address_map_find(&image->map, image->entry);
    if (entered && entered->inode)
        return image->objects[entered - image->map.items];
    for (size_t i = 0; i < image->map.count; i++)
        if (image->map.items[i].inode)
            return image->objects[i];
    return HASH_NONE;
}

void record_maps(struct record *record, uint32_t image, const char *text)
{
    uint32_t index = record_image_index(record, image);
    if (index == HASH_NONE)
        return;
    struct record_image *of = &record->images.items[index];
    struct address_map before = of->map;
    free(of->objects);
    of->objects = NULL;
    of->map = (struct address_map){0};
    if (!address_map_parse(&of->map, text, MOST_RANGES)) {
        address_map_fini(&before);
        record->out_of_memory = true;
        return;
    }
    of->objects = malloc((of->map.count + 1) * sizeof *of->objects);
    record->objects.round++;
    for (size_t i = 0; of->objects && i < of->map.count; i++)
        of->objects[i] = objects_of_range(&record->objects, of->pid, &of->map.items[i]);
    of->copies_doubted = of->objects && copies_find(&record->objects, of->pid, &before, &of->map, of->objects);
    address_map_fini(&before);
    if (of->objects && of->program == HASH_NONE)
        of->program = program_of(of);
}

bool record_maps_doubted(struct record *record, uint32_t image)
{
    uint32_t index = record_image_index(record, image);
    struct record_image *of = index == HASH_NONE ? NULL : &record->images.items[index];
    return of && of->copies_doubted && of->copies_looks++ < MOST_LOOKS;
}

void record_maps_again(struct record *record, uint32_t image)
{
    uint32_t index = record_image_index(record, image);
    struct record_image *of = index == HASH_NONE ? NULL : &record->images.items[index];
    if (of && of->copies_doubted)
        of->copies_doubted = copies_find(&record->objects, of->pid, &of->map, &of->map, of->objects);
}

static bool thread_has_key(const void *owner, uint32_t index, const void *key)
{
    const struct record_thread *thread = &((const struct record *)owner)->threads.items[index];
    const struct record_thread_key *wanted = key;
    return thread->image == wanted->image && thread->tid == wanted->tid;
}

uint32_t record_thread_index(struct record *record, uint32_t index, pid_t tid)
{
    struct record_image *image = &record->images.items[index];
    struct record_thread_key key = {index, tid};
    uint32_t found;
    if (image->place != index)
        return record_thread_index(record, image->place, 0);
    found = hash_find(&record->threads.index, hash_bytes(&key, sizeof key), thread_has_key, record, &key);
    if (found != HASH_NONE)
        return found;
    bool is_full = !record->every_thread && (image->threads >= OWN_THREADS || record_is_scarce(record));
    if (image->threads && is_full && tid)
        return record_thread_index(record, index, 0);
    struct record_thread thread = {.image = index, .tid = tid};
    set_comm(thread.comm, image->comm);
    found = HASH_APPEND(&record->threads, hash_bytes(&key, sizeof key), &thread);
    image->threads += found != HASH_NONE;
    record->out_of_memory |= found == HASH_NONE;
    return found;
}

void record_thread_named(struct record *record, uint32_t image, pid_t tid, const char *comm)
{
    uint32_t index = record_image_index(record, image), thread;
    if (index == HASH_NONE)
        return;
    thread = record_thread_index(record, index, tid);
    if (thread != HASH_NONE && record->threads.items[thread].tid)
        set_comm(record->threads.items[thread].comm, comm);
}

uint32_t record_script(struct record *record, uint32_t language, const char *module, const char *name, const char *file,
                       uint32_t first_line)
{
    uint32_t object = objects_script(&record->objects, language, module);
    return object == HASH_NONE ? HASH_NONE : scripts_add(&record->scripts, object, name, file, first_line);
}

void record_script_process(struct record *record, uint32_t language, const char *module, pid_t pid)
{
    uint32_t object = objects_script(&record->objects, language, module);
    if (object != HASH_NONE)
        script_sources_learn(&record->objects.items[object], pid);
}

bool record_is_generated(const struct record *record, const struct record_image *image, uint64_t pc)
{
    const struct address_range *range = image->objects ? address_map_find(&image->map, pc) : NULL;
    uint32_t object = range ? image->objects[range - image->map.items] : HASH_NONE;
    return pc != RECORD_IN_KERNEL && (object == HASH_NONE || record->objects.items[object].kind == OBJECT_JIT);
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
