/* SPDX-License-Identifier: MIT */
#include "front/naming/name_answer.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/cursor.h"
#include "common/base/hash.h"
#include "profile/profile/builder.h"
#include "profile/profile/profile.h"
#include "programs/elf/lines.h"

#include <stdlib.h>
#include <string.h>

/* An answer is one module, and then the others in any order, each before the first that refers to it. They are
 * numbered by type, from 0 on. */
enum type { MODULE, FUNCTION, FILE_PATH, PLACE };

enum { ERRNO_MOST = 4095 };
enum { EXECUTABLE = 1, COMPAT = 2, NO_SYMBOLS = 4, LINES_CUT = 8 };

struct writer {
    struct buffer *bytes;
    const struct builder *builder;
    uint32_t *functions, *files; /* numbers in the answer, or HASH_NONE */
    uint32_t function_count, file_count;
};

static void put_number(struct writer *writer, uint64_t number, size_t size)
{
    buffer_append(writer->bytes, &number, size);
}

static void put_text(struct writer *writer, const char *text)
{
    buffer_append(writer->bytes, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void put_module(struct writer *writer, const struct profile_module *module, int no_lines)
{
    put_number(writer, MODULE, 1);
    put_number(writer,
               (module->executable ? EXECUTABLE : 0) | (module->is_compat ? COMPAT : 0) |
                   (module->no_symbols ? NO_SYMBOLS : 0) | (module->lines_cut ? LINES_CUT : 0),
               1);
    put_number(writer, module->text_start, 8);
    put_number(writer, module->text_end, 8);
    put_number(writer, module->text_offset, 8);
    put_number(writer, (unsigned)no_lines, 4);
    put_text(writer, module->build_id);
}

/* Returns the number of FUNCTION in the answer. */
static uint32_t put_function(struct writer *writer, uint32_t function)
{
    const struct profile_function *about = &writer->builder->profile->functions[function];
    if (writer->functions[function] != HASH_NONE)
        return writer->functions[function];
    put_number(writer, FUNCTION, 1);
    put_number(writer, about->linkage_name != NULL, 1);
    put_number(writer, about->start, 8);
    put_number(writer, about->end, 8);
    put_text(writer, about->name);
    put_text(writer, about->linkage_name);
    return writer->functions[function] = writer->function_count++;
}

static uint32_t put_file(struct writer *writer, uint32_t file)
{
    if (file == PROFILE_NONE || writer->files[file] != HASH_NONE)
        return file == PROFILE_NONE ? PROFILE_NONE : writer->files[file];
    put_number(writer, FILE_PATH, 1);
    put_text(writer, writer->builder->files.items[file]);
    return writer->files[file] = writer->file_count++;
}

static void put_place(struct writer *writer, const struct profile_location *location)
{
    const struct profile_line *lines = writer->builder->profile->lines + location->line_first;
    put_function(writer, location->function);
    for (uint32_t i = 0; i < location->line_count; i++) {
        put_function(writer, lines[i].function);
        put_file(writer, lines[i].file);
    }
    put_number(writer, PLACE, 1);
    put_number(writer, location->address, 8);
    put_number(writer, put_function(writer, location->function), 4);
    put_number(writer, location->line_count, 4);
    for (uint32_t i = 0; i < location->line_count; i++) {
        put_number(writer, put_function(writer, lines[i].function), 4);
        put_number(writer, put_file(writer, lines[i].file), 4);
        put_number(writer, lines[i].line, 4);
    }
}

bool name_answer_write(struct buffer *bytes, const struct builder *builder, uint32_t module, int no_lines,
                       const uint32_t *locations, size_t count)
{
    const struct profile *profile = builder->profile;
    struct writer writer = {.bytes = bytes, .builder = builder};
    writer.functions = hash_numbers(profile->function_count);
    writer.files = hash_numbers(builder->files.count);
    bool whole = writer.functions && writer.files;
    if (whole)
        put_module(&writer, &profile->modules[module], no_lines);
    for (size_t i = 0; whole && i < count; i++)
        put_place(&writer, &profile->locations[locations[i]]);
    free(writer.functions);
    free(writer.files);
    return whole && !bytes->failed;
}

struct reader {
    struct name_answer *answer;
    struct cursor cursor;
    struct builder *builder;
};

static bool is_build_id(const char *text)
{
    return text && strspn(text, "0123456789abcdef") == strlen(text);
}

static bool take_module(struct reader *reader, const struct profile_module *like)
{
    struct cursor *cursor = &reader->cursor;
    struct profile_module module = *like;
    if (cursor_number(cursor, 1) != MODULE)
        return false;
    uint64_t flags = cursor_number(cursor, 1);
    module.executable = flags & EXECUTABLE;
    module.is_compat = flags & COMPAT;
    module.no_symbols = flags & NO_SYMBOLS;
    module.text_start = cursor_number(cursor, 8);
    module.text_end = cursor_number(cursor, 8);
    module.text_offset = cursor_number(cursor, 8);
    reader->answer->no_lines = (int)(cursor_number(cursor, 4) & ERRNO_MOST);
    const char *build_id = cursor_string(cursor);
    if (!is_build_id(build_id))
        return false;
    module.build_id = *build_id ? (char *)(uintptr_t)build_id : NULL; /* it is copied */
    reader->answer->module = builder_module(reader->builder, &module);
    if (reader->builder->failed)
        return false;
    reader->builder->profile->modules[reader->answer->module].lines_cut |= (flags & LINES_CUT) != 0;
    return true;
}

static bool take_function(struct reader *reader)
{
    struct cursor *cursor = &reader->cursor;
    struct profile_function function = {.module = reader->answer->module};
    bool linked = cursor_number(cursor, 1) & 1;
    function.start = cursor_number(cursor, 8);
    function.end = cursor_number(cursor, 8);
    function.name = (char *)(uintptr_t)cursor_string(cursor); /* both are copied */
    const char *linkage_name = cursor_string(cursor);
    function.linkage_name = linked ? (char *)(uintptr_t)linkage_name : NULL;
    if (cursor->failed || !ARRAY_RESERVE_ONE(&reader->answer->functions))
        return false;
    reader->answer->functions.items[reader->answer->functions.count++] = builder_function(reader->builder, &function);
    return !reader->builder->failed;
}

static bool take_file(struct reader *reader)
{
    const char *path = cursor_string(&reader->cursor);
    if (!path || !ARRAY_RESERVE_ONE(&reader->answer->files))
        return false;
    reader->answer->files.items[reader->answer->files.count++] = builder_file(reader->builder, path);
    return !reader->builder->failed;
}

/* Sets *NUMBER to the builder's number of the function, or of the file, that the answer calls INDEX. */
static bool translate_number(uint32_t index, const uint32_t *items, size_t count, uint32_t *number)
{
    if (index < count)
        *number = items[index];
    return index < count;
}

static bool take_line(struct reader *reader)
{
    struct name_answer *answer = reader->answer;
    struct profile_line line = {.file = PROFILE_NONE};
    uint32_t function = (uint32_t)cursor_number(&reader->cursor, 4), file = (uint32_t)cursor_number(&reader->cursor, 4);
    line.line = (uint32_t)cursor_number(&reader->cursor, 4);
    if (reader->cursor.failed || !ARRAY_RESERVE_ONE(&answer->lines) ||
        !translate_number(function, answer->functions.items, answer->functions.count, &line.function) ||
        (file != PROFILE_NONE && !translate_number(file, answer->files.items, answer->files.count, &line.file)))
        return false;
    answer->lines.items[answer->lines.count++] = line;
    return true;
}

static bool take_place(struct reader *reader)
{
    struct name_answer *answer = reader->answer;
    struct profile_location place = {.module = answer->module, .line_first = (uint32_t)answer->lines.count};
    place.address = cursor_number(&reader->cursor, 8);
    uint32_t function = (uint32_t)cursor_number(&reader->cursor, 4);
    place.line_count = (uint32_t)cursor_number(&reader->cursor, 4);
    if (reader->cursor.failed || place.line_count > ELF_LINES_MAX || !ARRAY_RESERVE_ONE(&answer->places) ||
        !translate_number(function, answer->functions.items, answer->functions.count, &place.function))
        return false;
    for (uint32_t i = 0; i < place.line_count; i++)
        if (!take_line(reader))
            return false;
    if (place.line_count && answer->lines.items[answer->lines.count - 1].function != place.function)
        return false;
    answer->places.items[answer->places.count++] = place;
    return true;
}

static bool take_any(struct reader *reader)
{
    switch (cursor_number(&reader->cursor, 1)) {
    case FUNCTION:
        return take_function(reader);
    case FILE_PATH:
        return take_file(reader);
    case PLACE:
        return take_place(reader);
    default:
        return false;
    }
}

bool name_answer_read(struct name_answer *answer, const void *bytes, size_t size, size_t count, struct builder *builder,
                      const struct profile_module *like)
{
    struct reader reader = {answer, {.at = bytes, .end = size ? (const uint8_t *)bytes + size : bytes}, builder};
    if (builder->failed || !take_module(&reader, like))
        return false;
    while (cursor_left(&reader.cursor))
        if (!take_any(&reader))
            return false;
    return answer->places.count == count;
}

uint32_t name_answer_next(struct name_answer *answer, struct builder *builder, uint64_t most_inlined)
{
    struct profile_location location = answer->places.items[answer->next++];
    const struct profile_line *lines = answer->lines.items ? answer->lines.items + location.line_first : NULL;
    if (location.line_count && location.line_count - 1 > most_inlined && !builder->failed) {
        builder->profile->without_inlined++;
        lines += location.line_count - 1; /* the function's own */
        location.line_count = 1;
    }
    return builder_location(builder, &location, lines);
}

void name_answer_free(struct name_answer *answer)
{
    free(answer->functions.items);
    free(answer->files.items);
    free(answer->places.items);
    free(answer->lines.items);
    *answer = (struct name_answer){0};
}
