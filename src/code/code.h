/* SPDX-License-Identifier: MIT
 *
 * A function of a profile, read from its file: its instructions and their source lines. */
#ifndef CODE_CODE_H
#define CODE_CODE_H

#include "base/error.h"
#include "base/texts.h"
#include "code/inlined.h"
#include "code/source.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_NONE UINT32_MAX

struct code_instruction {
    uint64_t address;  /* ELF virtual address */
    const char *text;  /* NULL: not known */
    uint32_t file;     /* index of the files, or CODE_NONE; where an inlined call is, for its instructions */
    uint32_t line;     /* 0: not known */
    const char *inner; /* the function of the innermost inlined call that it is from; NULL: it is from none */
    uint32_t inner_file, inner_line; /* where that is */
    bool outside;                    /* inlined calls were selected, and it belongs to none of them */
};

struct code_file {
    char *path; /* as the debug information has it */
    struct source source;
    int failed; /* why it has no lines: an errno; 0: it has lines */
    bool newer; /* it has changed since the program was made */
};

/* Zero it before the first use. */
struct code {
    uint32_t module;                /* index of the profile's */
    bool is_script;                 /* of an interpreted language: items are its lines, and their addresses, too */
    uint32_t function;              /* of is_script: index of the profile's */
    uint64_t start, end;            /* ELF virtual addresses of the function */
    uint64_t bias;                  /* what to add to the profile's addresses to get these */
    struct code_instruction *items; /* by rising address; without a disassembler only sampled ones */
    size_t count, room;
    struct code_files {
        struct code_file *items;
        size_t count, room;
    } files;
    struct texts texts;  /* owner of the instructions' texts */
    struct error undone; /* why it has no instructions, if so */
    bool of_calls;       /* lines are those of inlined calls; other instructions are outside */
    int no_lines;        /* why it has no lines: an errno (ENOTSUP: this build cannot read them); 0: it has lines */
    char *place;         /* where the file was found; NULL: at the profile's path */
    bool unproven;       /* neither the profile nor the file has a build-id: the file may be another one */
};

/* Reads the function of LOCATION, an index. Looks for the module's file as code/origin.h says, with SYSROOT or NULL;
 * for the source of an interpreted language as code/script.h. CALLS, if not NULL, are inlined calls: then lines are
 * those of the called functions, if the debug information has such calls. Returns 0, or -errno with ERROR saying why
 * the function cannot be shown: -ESTALE the file has been replaced since, -ENOTSUP the code never was in a file, and
 * others. */
int code_read(struct code *code, const struct profile *profile, uint32_t location, const char *sysroot,
              struct inlined *calls, struct error *error);
void code_fini(struct code *code);

/* Returns the index of the instruction (or line) that LOCATION, an index, is in; CODE_NONE if it is not in this
 * function. */
uint32_t code_find(const struct code *code, const struct profile *profile, uint32_t location);

#endif
