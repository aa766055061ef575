/* SPDX-License-Identifier: MIT */
#include "profile/push/otlp_dictionary.h"

#include "common/base/protobuf.h"
#include "common/text/text.h"
#include "profile/profile/label.h"
#include "programs/interp/languages.h"

#include <stdlib.h>
#include <string.h>

#define BUILD_ID "process.executable.build_id.gnu"
#define FRAME_TYPE "profile.frame.type"

enum { TEXT_MOST = 4096, LINES_MOST = 64 };

/* An element that is looked for. */
struct wanted {
    enum otlp_table table;
    const void *bytes;
    size_t size;
};

static bool is_element(const void *owner, uint32_t number, const void *key)
{
    const struct otlp_dictionary *dictionary = owner;
    const struct otlp_element *element = &dictionary->elements.items[number];
    const struct wanted *wanted = key;
    return element->table == wanted->table && element->size == wanted->size &&
           (!wanted->size || !memcmp(dictionary->bytes.bytes + element->at, wanted->bytes, wanted->size));
}

/* Returns the index in TABLE of the element with these SIZE BYTES. */
static uint32_t intern(struct otlp_dictionary *dictionary, enum otlp_table table, const void *bytes, size_t size)
{
    struct wanted wanted = {table, bytes, size};
    uint64_t value = hash_bytes(bytes, size) ^ hash_number(table);
    uint32_t number = hash_find(&dictionary->elements.index, value, is_element, dictionary, &wanted);
    if (number != HASH_NONE)
        return dictionary->elements.items[number].index;
    protobuf_put_bytes(&dictionary->bytes, table, bytes, size);
    struct otlp_element element = {table, dictionary->counts[table], dictionary->bytes.length - size, size};
    if (dictionary->bytes.failed || HASH_APPEND(&dictionary->elements, value, &element) == HASH_NONE) {
        dictionary->bytes.failed = true;
        return 0;
    }
    return dictionary->counts[table]++;
}

static uint32_t intern_message(struct otlp_dictionary *dictionary, enum otlp_table table,
                               const struct protobuf_layout *layout, const void *message)
{
    struct buffer bytes = {0};
    protobuf_put(&bytes, layout, message);
    uint32_t index = bytes.failed ? 0 : intern(dictionary, table, bytes.bytes ? bytes.bytes : "", bytes.length);
    dictionary->bytes.failed |= bytes.failed;
    buffer_fini(&bytes);
    return index;
}

uint64_t otlp_dictionary_text(struct otlp_dictionary *dictionary, const char *text)
{
    struct buffer clean = {0};
    char *cut = strnlen(text, TEXT_MOST + 1) > TEXT_MOST ? strndup(text, TEXT_MOST) : NULL;
    text_clean(&clean, cut ? cut : text, true);
    uint64_t index = clean.length ? intern(dictionary, OTLP_TEXT, clean.bytes, clean.length) : 0;
    dictionary->bytes.failed |= clean.failed;
    buffer_fini(&clean);
    free(cut);
    return index;
}

/* VALUE is harmless. */
static uint64_t attribute(struct otlp_dictionary *dictionary, const char *key, const char *value)
{
    struct otlp_attribute message = {.key = otlp_dictionary_text(dictionary, key)};
    struct buffer bytes = {0}, any = {0};
    protobuf_put_bytes(&any, OTLP_STRING, value, strlen(value));
    protobuf_put(&bytes, &otlp_attribute_layout, &message);
    protobuf_put_bytes(&bytes, OTLP_VALUE, any.bytes, any.length);
    dictionary->bytes.failed |= any.failed || bytes.failed;
    uint64_t index = dictionary->bytes.failed ? 0 : intern(dictionary, OTLP_ATTRIBUTE, bytes.bytes, bytes.length);
    buffer_fini(&any);
    buffer_fini(&bytes);
    return index;
}

static uint64_t mapping_of(struct otlp_dictionary *dictionary, uint32_t index)
{
    if (index == PROFILE_NONE)
        return 0;
    if (dictionary->mappings[index] != HASH_NONE)
        return dictionary->mappings[index];
    const struct profile_module *module = &dictionary->profile->modules[index];
    uint64_t build_id = module->build_id ? attribute(dictionary, BUILD_ID, module->build_id) : 0;
    struct otlp_mapping message = {.memory_start = module->text_start,
                                   .memory_limit = module->text_end,
                                   .file_offset = module->text_offset,
                                   .filename = otlp_dictionary_text(dictionary, module->path),
                                   .attributes = &build_id,
                                   .n_attributes = build_id > 0};
    return dictionary->mappings[index] = intern_message(dictionary, OTLP_MAPPING, &otlp_mapping_layout, &message);
}

static uint64_t function_of(struct otlp_dictionary *dictionary, const struct profile_line *line)
{
    const struct profile *profile = dictionary->profile;
    const struct profile_function *function = &profile->functions[line->function];
    struct otlp_function message = {.name = otlp_dictionary_text(dictionary, function->name)};
    if (function->linkage_name && strcmp(function->linkage_name, function->name))
        message.system_name = otlp_dictionary_text(dictionary, function->linkage_name);
    if (line->file != PROFILE_NONE)
        message.filename = otlp_dictionary_text(dictionary, profile->files[line->file]);
    return intern_message(dictionary, OTLP_FUNCTION, &otlp_function_layout, &message);
}

/* Returns the type of frames whose code is in a module with PATH, from the semantic conventions; "" if it is unknown:
 * a compiler's code in memory may be of any language. */
static const char *type_of(const char *path)
{
    if (*path == '/' || !strcmp(path, "[vdso]"))
        return "native";
    return !strcmp(path, LABEL_KERNEL) ? "kernel" : interp_frame_type(interp_language_of(path));
}

/* Completes LOCATION, whose code is in a module with PATH, and returns its index. */
static uint32_t end_location(struct otlp_dictionary *dictionary, struct otlp_location *location, const char *path)
{
    const char *type = type_of(path);
    uint64_t frame_type = *type ? attribute(dictionary, FRAME_TYPE, type) : 0;
    location->attributes = &frame_type;
    location->n_attributes = frame_type > 0;
    return intern_message(dictionary, OTLP_LOCATION, &otlp_location_layout, location);
}

static uint64_t location_of(struct otlp_dictionary *dictionary, uint32_t index)
{
    const struct profile *profile = dictionary->profile;
    const struct profile_location *location = &profile->locations[index];
    struct profile_line only = {location->function, PROFILE_NONE, 0};
    const struct profile_line *known = location->line_count ? profile->lines + location->line_first : &only;
    uint32_t count = location->line_count ? location->line_count : 1;
    struct otlp_line lines[LINES_MOST];
    struct otlp_location message = {.address = location->address, .lines = lines};
    if (dictionary->locations[index] != HASH_NONE)
        return dictionary->locations[index];
    /* If a location has too many inlined functions, the innermost are left out: the function itself stays. */
    for (uint32_t i = count > LINES_MOST ? count - LINES_MOST : 0; i < count; i++)
        lines[message.n_lines++] = (struct otlp_line){function_of(dictionary, &known[i]), known[i].line};
    message.mapping = mapping_of(dictionary, location->module);
    const char *path = location->module == PROFILE_NONE ? "" : profile->modules[location->module].path;
    return dictionary->locations[index] = end_location(dictionary, &message, path);
}

/* Returns the location NAME, which is no code, in a mapping with PATH; without one if that is empty. */
static uint64_t other_location(struct otlp_dictionary *dictionary, const char *path, const char *name)
{
    struct otlp_function function = {.name = otlp_dictionary_text(dictionary, name)};
    struct otlp_line line = {intern_message(dictionary, OTLP_FUNCTION, &otlp_function_layout, &function), 0};
    struct otlp_mapping mapping = {.filename = otlp_dictionary_text(dictionary, path)};
    struct otlp_location message = {.lines = &line, .n_lines = 1};
    message.mapping = intern_message(dictionary, OTLP_MAPPING, &otlp_mapping_layout, &mapping);
    return end_location(dictionary, &message, path);
}

static uint64_t stack_of(struct otlp_dictionary *dictionary, uint64_t *locations, size_t count)
{
    struct otlp_stack message = {locations, count};
    return intern_message(dictionary, OTLP_STACK, &otlp_stack_layout, &message);
}

uint64_t otlp_dictionary_stack(struct otlp_dictionary *dictionary, const struct profile_sample *sample)
{
    const struct profile *profile = dictionary->profile;
    uint32_t frames = sample->frame_count;
    uint64_t *locations = malloc(((size_t)frames + 2) * sizeof *locations);
    size_t count = 0, began = dictionary->bytes.length;
    enum profile_cut cut = (enum profile_cut)sample->cut;
    if (!locations) {
        dictionary->bytes.failed = true;
        return 0;
    }
    if (label_in_syscall(sample))
        locations[count++] = other_location(dictionary, LABEL_KERNEL, label_syscall(sample->syscall).text);
    for (uint32_t i = 0; i < frames; i++) {
        locations[count++] = location_of(dictionary, profile->frames[sample->frame_first + i]);
        if (dictionary->bytes.length - began > OTLP_STACK_MOST && i + 1 < frames) {
            frames = i + 1;
            cut = PROFILE_MERGED;
        }
    }
    if (cut != PROFILE_WHOLE)
        locations[count++] = other_location(dictionary, "", profile_cut_name(cut));
    uint64_t stack = stack_of(dictionary, locations, count);
    free(locations);
    return stack;
}

uint64_t otlp_dictionary_unsampled(struct otlp_dictionary *dictionary)
{
    uint64_t location = other_location(dictionary, "", PROFILE_NAME_UNSAMPLED);
    return stack_of(dictionary, &location, 1);
}

/* Adds element 0 of each table. Strict readers expect identifiers of full length in a link. */
static void put_zeros(struct otlp_dictionary *dictionary)
{
    static const char zeros[16];
    struct buffer link = {0};
    for (enum otlp_table table = OTLP_MAPPING; table < OTLP_TABLES; table++)
        if (table != OTLP_LINK)
            intern(dictionary, table, "", 0);
    protobuf_put_bytes(&link, OTLP_TRACE_ID, zeros, 16);
    protobuf_put_bytes(&link, OTLP_SPAN_ID, zeros, 8);
    protobuf_put_bytes(&dictionary->bytes, OTLP_LINK, link.bytes, link.length);
    dictionary->bytes.failed |= link.failed;
    buffer_fini(&link);
}

bool otlp_dictionary_init(struct otlp_dictionary *dictionary, const struct profile *profile)
{
    *dictionary = (struct otlp_dictionary){.profile = profile};
    dictionary->mappings = hash_numbers(profile->module_count);
    dictionary->locations = hash_numbers(profile->location_count);
    if (dictionary->mappings && dictionary->locations)
        put_zeros(dictionary);
    else
        dictionary->bytes.failed = true;
    if (!dictionary->bytes.failed)
        return true;
    otlp_dictionary_fini(dictionary);
    return false;
}

void otlp_dictionary_fini(struct otlp_dictionary *dictionary)
{
    buffer_fini(&dictionary->bytes);
    free(dictionary->mappings);
    free(dictionary->locations);
    free(dictionary->elements.items);
    hash_fini(&dictionary->elements.index);
    *dictionary = (struct otlp_dictionary){0};
}
