/* SPDX-License-Identifier: MIT */
#include "front/naming/naming.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/hash.h"
#include "front/naming/name_server.h"
#include "front/naming/place_names.h"
#include "front/record/object.h"
#include "front/record/record.h"
#include "front/record/scripts.h"
#include "profile/profile/builder.h"
#include "profile/profile/instants.h"
#include "profile/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

struct naming {
    struct record *record;
    struct name_server *server; /* the caller's, or NULL */
    struct name_server own;
    const struct naming_watch *watch; /* or NULL */
    struct builder builder;
    uint32_t *modules;            /* of each object; PROFILE_NONE until it is added */
    uint32_t *locations_of_nodes; /* PROFILE_NONE until it is named */
    uint32_t *processes;          /* of each image */
    uint32_t *threads;            /* of each thread of the record */
    uint32_t *samples;            /* of each sample of it */
    struct place_names names;     /* of the object being named */
    uint32_t *uses;               /* of each node: the number of samples with it on the stack */
    bool *spent;                  /* of each node: it is the leaf of a sample */
    uint64_t bytes;               /* memory of everything, by the record's estimate, with the inlined calls added so
                                   * far */
};

/* A node, for sorting. */
struct placed {
    uint32_t node, object;
    uint64_t address;
};

static int by_object(const void *one, const void *other)
{
    const struct placed *a = one, *b = other;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* Returns the addresses of the COUNT places, each once, to be freed; NULL if memory runs out. Sets *KEPT to their
 * number. */
static uint64_t *addresses_of(const struct placed *placed, size_t count, size_t *kept)
{
    uint64_t *addresses = malloc(count * sizeof *addresses);
    *kept = 0;
    for (size_t i = 0; addresses && i < count; i++)
        if (!i || placed[i].address != placed[i - 1].address)
            addresses[(*kept)++] = placed[i].address;
    return addresses;
}

static size_t count_of_object(const struct placed *placed, size_t count)
{
    size_t of_one = 1;
    while (of_one < count && placed[of_one].object == placed->object)
        of_one++;
    return of_one;
}

/* Reports progress. The first places of an object take longest, because the object's names are read for them. */
static void report_progress(const struct naming *naming, const struct placed *placed, size_t done, size_t count,
                            bool begins)
{
    enum { NOW_AND_THEN = 256 };
    const struct naming_watch *watch = naming->watch;
    const struct object *object = &naming->record->objects.items[placed->object];
    if (watch && (begins || done % NOW_AND_THEN == 0))
        watch->named(watch->of, object->path ? object->path : "", done, count);
}

static void count_uses(struct naming *naming)
{
    const struct record *record = naming->record;
    size_t count = record->nodes.count + 1;
    naming->uses = calloc(count, sizeof *naming->uses);
    naming->spent = calloc(count, sizeof *naming->spent);
    naming->builder.failed |= !naming->uses || !naming->spent;
    for (size_t i = 0; !naming->builder.failed && i < record->samples.count; i++) {
        naming->spent[record->samples.items[i].leaf] = true;
        for (uint32_t node = record->samples.items[i].leaf; node != HASH_NONE; node = record->nodes.items[node].parent)
            naming->uses[node] += naming->uses[node] < UINT32_MAX;
    }
}

/* Names the place of the first of COUNT nodes, and of the following nodes with the same place. Each inlined call
 * becomes a frame of its own in each stack. Leaves keep all of these, so that the time of functions stays exact;
 * callers keep as many as fit. */
static uint32_t name_place(struct naming *naming, const struct placed *placed, size_t count)
{
    uint64_t most = naming->record->most_bytes, each = 0;
    bool spent = false;
    for (size_t i = 0; i < count && placed[i].object == placed->object && placed[i].address == placed->address; i++) {
        each += record_frame_bytes(naming->uses[placed[i].node]);
        spent |= naming->spent[placed[i].node];
    }
    uint64_t room = naming->bytes < most ? most - naming->bytes : 0;
    uint32_t location =
        place_names_location(&naming->names, placed->address, spent || !most || !each ? UINT64_MAX : room / each);
    if (location != PROFILE_NONE && naming->builder.profile->locations[location].line_count)
        naming->bytes += (naming->builder.profile->locations[location].line_count - 1) * each;
    return location;
}

/* Returns the process that is asked for names, which runs if it can be started. */
static struct name_server *server_of(struct naming *naming)
{
    if (!naming->server)
        naming->server = &naming->own;
    if (naming->server->socket < 0)
        name_server_start(naming->server, 0, false);
    return naming->server;
}

/* Asks for the names of the COUNT places of OBJECT. Returns false if it has none. */
static bool ask_server(struct naming *naming, const struct object *object, const uint64_t *addresses, size_t count)
{
    struct buffer answer = {0};
    bool in_kernel = object->kind == OBJECT_VDSO || object->kind == OBJECT_VDSO_COMPAT;
    bool has_tables = in_kernel || ((object->kind == OBJECT_FILE || object->kind == OBJECT_JIT) && object->fd >= 0);
    bool known = has_tables && count <= UINT32_MAX &&
                 name_server_ask(server_of(naming), object, addresses, (uint32_t)count, &answer);
    if (has_tables && !known && naming->server != &naming->own && name_server_is_gone(naming->server)) {
        naming->server = &naming->own;
        known = name_server_ask(server_of(naming), object, addresses, (uint32_t)count, &answer);
    }
    bool asked =
        known && place_names_take(&naming->names, &naming->builder, object, answer.bytes, answer.length, count);
    buffer_fini(&answer);
    return asked;
}

/* Opens the names of the object that the COUNT places are of. */
static void open_names(struct naming *naming, const struct placed *placed, size_t count)
{
    const struct object *object = &naming->record->objects.items[placed->object];
    size_t kept;
    uint64_t *addresses = addresses_of(placed, count, &kept);
    if (!addresses || !ask_server(naming, object, addresses, kept)) {
        place_names_lack(&naming->names, &naming->builder, object);
        if (object->kind == OBJECT_SCRIPT)
            naming->names.scripts = &naming->record->scripts;
    }
    naming->modules[placed->object] = naming->names.module;
    free(addresses);
}

/* One object at a time, so that one symbol table at a time is in memory. */
static void name_nodes(struct naming *naming, const struct placed *placed, size_t count)
{
    uint32_t location = PROFILE_NONE;
    for (size_t i = 0; i < count && !naming->builder.failed; i++) {
        bool new_object = !i || placed[i].object != placed[i - 1].object;
        report_progress(naming, &placed[i], i, count, new_object);
        if (new_object) {
            place_names_close(&naming->names);
            open_names(naming, &placed[i], count_of_object(&placed[i], count - i));
            location = PROFILE_NONE;
        }
        if (naming->names.module != PROFILE_NONE && (new_object || placed[i].address != placed[i - 1].address))
            location = name_place(naming, &placed[i], count - i);
        naming->locations_of_nodes[placed[i].node] = location;
    }
    place_names_close(&naming->names);
}

static void add_locations(struct naming *naming)
{
    struct record *record = naming->record;
    size_t count = record->nodes.count;
    struct placed *placed = malloc((count + 1) * sizeof *placed);
    naming->builder.failed |= !placed;
    for (size_t i = 0; placed && i < count; i++)
        placed[i] = (struct placed){(uint32_t)i, record->nodes.items[i].object, record->nodes.items[i].address};
    if (placed && count)
        qsort(placed, count, sizeof *placed, by_object);
    if (placed)
        name_nodes(naming, placed, count);
    free(placed);
}

static const char *text_of(const struct record *record, uint32_t number)
{
    return number == HASH_NONE ? NULL : record->commands.items[number];
}

/* HOST: this machine, where everything recorded ran. */
static struct profile_rank rank_of_image(const struct record *record, const struct record_image *image,
                                         const char *host)
{
    return (struct profile_rank){
        .known = image->has_rank,
        .number = image->rank,
        .count = image->ranks,
        .host = image->has_rank ? host : NULL,
        .job = text_of(record, image->job),
    };
}

static bool has_executable(const void *owner, uint32_t index, const void *key)
{
    return ((const struct record *)owner)->images.items[index].executable == *(const uint64_t *)key;
}

/* The maps of an image are known only if it was sampled. An unsampled image may have the same executable as a sampled
 * one. */
static void share_programs(struct naming *naming)
{
    struct record *record = naming->record;
    struct hash known = {0};
    for (uint32_t i = 0; i < record->images.count; i++) {
        const struct record_image *image = &record->images.items[i];
        uint64_t value = hash_number(image->executable);
        if (image->program != HASH_NONE && image->executable &&
            hash_find(&known, value, has_executable, record, &image->executable) == HASH_NONE)
            naming->builder.failed |= !hash_add(&known, value, i);
    }
    for (size_t i = 0; i < record->images.count; i++) {
        struct record_image *image = &record->images.items[i];
        uint32_t like =
            image->program != HASH_NONE || !image->executable
                ? HASH_NONE
                : hash_find(&known, hash_number(image->executable), has_executable, record, &image->executable);
        if (like != HASH_NONE)
            image->program = record->images.items[like].program;
    }
    hash_fini(&known);
}

static void add_processes(struct naming *naming)
{
    struct record *record = naming->record;
    struct utsname machine = {.nodename = ""};
    uname(&machine);
    for (size_t i = 0; i < record->images.count; i++) {
        const struct record_image *image = &record->images.items[i];
        if (!image->pid && !image->cpu_ns && !image->wait_ns && !image->threads)
            continue;                   /* a free entry */
        bool told = image->number == 0; /* set at the end of the image */
        naming->processes[i] =
            builder_process(&naming->builder,
                            &(struct profile_process){
                                .pid = image->pid,
                                .image = image->generation,
                                .comm = (char *)(uintptr_t)image->comm,
                                .command = text_of(record, image->command),
                                .unsampled_ns = told ? image->unsampled_ns : 0,
                                .unsampled_wait_ns = told ? image->unsampled_wait_ns : 0,
                                .rank = rank_of_image(record, image, machine.nodename),
                                .unit = text_of(record, image->unit),
                                .container = text_of(record, image->container),
                                .module = image->program != HASH_NONE ? naming->modules[image->program] : PROFILE_NONE,
                            });
    }
}

static void add_threads(struct naming *naming)
{
    struct record *record = naming->record;
    for (size_t i = 0; i < record->threads.count; i++) {
        const struct record_thread *thread = &record->threads.items[i];
        naming->threads[i] =
            builder_thread(&naming->builder, &(struct profile_thread){.process = naming->processes[thread->image],
                                                                      .tid = thread->tid,
                                                                      .comm = (char *)(uintptr_t)thread->comm});
    }
}

/* Turns the stacks of the samples, from leaf to root, into frames. */
static void add_samples(struct naming *naming)
{
    const struct record *record = naming->record;
    struct {
        uint32_t *items;
        size_t count, room;
    } frames = {0};
    for (size_t i = 0; i < record->samples.count && !naming->builder.failed; i++) {
        const struct record_sample *sample = &record->samples.items[i];
        if (i < record->kept && !sample->count && !sample->wait_ns)
            continue; /* a wait of an earlier interval that has ended, or was not seen again */
        frames.count = 0;
        for (uint32_t node = sample->leaf; node != HASH_NONE; node = record->nodes.items[node].parent) {
            if (!ARRAY_RESERVE_ONE(&frames)) {
                naming->builder.failed = true;
                break;
            }
            frames.items[frames.count++] = naming->locations_of_nodes[node];
        }
        struct profile_sample like = {
            .thread = naming->threads[sample->thread],
            .frame_count = (uint32_t)frames.count,
            .syscall = sample->syscall,
            .cut = (uint8_t)sample->cut,
            .count = sample->count,
            .cpu_ns = sample->cpu_ns,
            .wait_ns = sample->wait_ns,
            .period_ns = sample->period_ns,
        };
        naming->samples[i] = builder_sample(&naming->builder, &like, frames.items);
    }
    free(frames.items);
}

/* Converts a time to the profile's, which begins with sampling. */
static uint64_t profile_time(const struct record *record, uint64_t time_ns)
{
    return time_ns > record->began_ns ? time_ns - record->began_ns : 0;
}

static void add_times(struct naming *naming)
{
    const struct record *record = naming->record;
    struct instants_reader reader;
    struct instant instant;
    if (naming->builder.failed)
        return;
    if (record->instants.until_ns)
        instants_lack(&naming->builder.profile->instants, profile_time(record, record->instants.until_ns));
    instants_read(&reader, &record->instants);
    while (instants_next(&reader, &instant)) {
        instant.time_ns = profile_time(record, instant.time_ns);
        instant.sample = naming->samples[instant.sample];
        instants_add(&naming->builder.profile->instants, &instant);
    }
    instants_fini(&naming->record->instants); /* there may be many */
    for (size_t i = 0; i < record->marks.count; i++)
        builder_mark(&naming->builder, profile_time(record, record->marks.items[i].time_ns),
                     record->marks.items[i].text);
}

/* Returns COUNT numbers that are all PROFILE_NONE; the caller frees them. */
static uint32_t *new_numbers(struct naming *naming, size_t count)
{
    uint32_t *items = hash_numbers(count);
    naming->builder.failed |= !items;
    return items;
}

struct profile *naming_profile(struct record *record, struct name_server *server, const struct naming_watch *watch,
                               struct error *error)
{
    struct naming naming = {.record = record, .server = server, .own = NAME_SERVER_NONE, .watch = watch};
    record_levels_end(record, HASH_NONE);
    builder_init(&naming.builder);
    naming.modules = new_numbers(&naming, record->objects.count);
    naming.locations_of_nodes = new_numbers(&naming, record->nodes.count);
    naming.processes = new_numbers(&naming, record->images.count);
    naming.threads = new_numbers(&naming, record->threads.count);
    naming.samples = new_numbers(&naming, record->samples.count);
    naming.bytes = record_bytes(record);
    count_uses(&naming);
    objects_map_at_last(&record->objects);
    objects_drop_rewritten(&record->objects);
    scripts_compare(&record->scripts);
    if (!naming.builder.failed) {
        add_locations(&naming);
        share_programs(&naming);
        add_processes(&naming);
        add_threads(&naming);
        add_samples(&naming);
        add_times(&naming);
    }
    free(naming.modules);
    free(naming.processes);
    free(naming.threads);
    free(naming.samples);
    free(naming.uses);
    free(naming.spent);
    name_server_end(&naming.own);
    struct profile *profile = builder_finish(&naming.builder);
    if (profile) {
        profile->places = naming.locations_of_nodes;
        profile->place_count = record->nodes.count;
        return profile;
    }
    free(naming.locations_of_nodes);
    error_set(error, ENOMEM, "out of memory while the profile was put together");
    return NULL;
}
