/* SPDX-License-Identifier: MIT
 *
 * The tables of a stored profile to which samples refer: texts, mappings, functions, locations. Indices and ids come
 * from the file: each is checked. */
#ifndef STORED_STORED_CODE_H
#define STORED_STORED_CODE_H

#include "common/base/protobuf.h"
#include "profile/profile/builder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct protobuf_entry;

/* Ids of a table's entries, by their index. Mostly they are 1, 2, 3, but any number is allowed. */
struct stored_ids {
    uint64_t *items;
    size_t count, room;
    struct hash index;
};

enum stored_kind {
    STORED_CODE,      /* nothing but code */
    STORED_SYSCALL,   /* this and the next kinds have a meaning only at one end of a stack: a system call */
    STORED_UNSAMPLED, /* time without a sample */
    STORED_CUT        /* a missing root */
};

struct stored_location {
    enum stored_kind kind;
    int32_t syscall;
    enum profile_cut cut;
    uint32_t module; /* index of its module in the builder; PROFILE_NONE: no mapping */
    uint32_t index;  /* index of its location as code in the builder */
    uint64_t weight; /* its share of MOST_OF_STACK: one for each function, more for a long name */
};

struct stored_code {
    struct builder *into;
    struct protobuf_memory memory; /* of the present entry */
    struct buffer text_bytes;
    struct {
        uint32_t *items;
        size_t count, room;
    } texts; /* where each begins */
    struct {
        uint32_t *items;
        size_t room;
        struct stored_ids ids;
    } mappings; /* indices of modules in the builder */
    struct {
        struct stored_function *items;
        size_t room;
        struct stored_ids ids;
    } functions;
    struct {
        struct stored_location *items;
        size_t room;
        struct stored_ids ids;
    } locations;
    struct {
        struct profile_line *items;
        size_t room;
    } lines; /* of the present location */
    struct error *error;
    int result; /* 0, or -errno with ERROR set: the first failure */
};

/* Begins to read into INTO. ERROR: set on failure. */
void stored_code_init(struct stored_code *code, struct builder *into, struct error *error);
void stored_code_fini(struct stored_code *code);

/* Sets the result, unless it is set: the file is broken. The formatted text describes how. */
void stored_broken(struct stored_code *code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the result, unless it is set: the file is valid, but its values cannot be used here. The formatted text says
 * why, and follows the file's name. */
void stored_unfit(struct stored_code *code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads FIELD, an entry called WHAT, into ENTRY as LAYOUT describes. The data that ENTRY points to is valid until
 * the next entry is read. Returns false if FIELD is broken or unreasonably large, or if memory runs out, and marks the
 * file as broken. */
bool stored_unpack(struct stored_code *code, const struct protobuf_layout *layout, const struct protobuf_entry *field,
                   const char *what, void *entry);

/* Returns the text with that INDEX. If none exists, returns "" and marks the file as broken. Valid until a text is
 * added. */
const char *stored_text(struct stored_code *code, int64_t index);

/* Each takes one entry of a table. Take entries of other tables to which it refers before. */
void stored_read_text(struct stored_code *code, const struct protobuf_entry *field);
void stored_read_mapping(struct stored_code *code, const struct protobuf_entry *field);
void stored_read_function(struct stored_code *code, const struct protobuf_entry *field);
void stored_read_location(struct stored_code *code, const struct protobuf_entry *field);

/* Returns the location with that ID. If none exists, returns NULL and marks the file as broken. */
const struct stored_location *stored_location(struct stored_code *code, uint64_t id);

/* Returns the location for a sample without a stack: an unknown one. */
struct stored_location stored_no_location(struct stored_code *code);

/* Returns the name of the first mapping's file, which by custom is the program. Returns "[unknown]" if no mapping
 * exists. */
const char *stored_program(const struct stored_code *code);

#endif
