/* SPDX-License-Identifier: MIT
 *
 * What the process that reads names (see naming/name_server.h) answers about places in one ELF file, as bytes. Pure. */
#ifndef NAMING_NAME_ANSWER_H
#define NAMING_NAME_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct builder;
struct profile_line;
struct profile_location;
struct profile_module;

/* An answer that was read. The builder that it was read into gave its numbers. Zeroed: empty. */
struct name_answer {
    uint32_t module;
    int no_lines; /* errno that explains why the module has no lines; 0: it has them */
    struct {
        uint32_t *items;
        size_t count, room;
    } functions, files;
    struct {
        struct profile_location *items; /* line_first: index of lines */
        size_t count, room;
    } places;
    struct {
        struct profile_line *items;
        size_t count, room;
    } lines;
    size_t next; /* index of the place that name_answer_next adds */
};

/* Appends to BYTES an answer of the COUNT LOCATIONS of BUILDER, which are all of its module MODULE. NO_LINES: the
 * errno that explains why it has no lines; 0: it has them. Returns false if memory runs out. */
bool name_answer_write(struct buffer *bytes, const struct builder *builder, uint32_t module, int no_lines,
                       const uint32_t *locations, size_t count);

/* Reads the SIZE BYTES of an answer about COUNT places into ANSWER, and adds the module and the functions to BUILDER.
 * The bytes are untrusted, because the process has read untrusted files. The module is LIKE with what the answer says
 * of its file. Returns false if the bytes make no sense, or memory runs out. In both cases free ANSWER. */
bool name_answer_read(struct name_answer *answer, const void *bytes, size_t size, size_t count, struct builder *builder,
                      const struct profile_module *like);

/* Adds the next place to BUILDER, as place_names_location does. Call it at most once for each place. */
uint32_t name_answer_next(struct name_answer *answer, struct builder *builder, uint64_t most_inlined);

void name_answer_free(struct name_answer *answer);

#endif
