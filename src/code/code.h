/* SPDX-License-Identifier: MIT
 *
 * A function of a profile as it is in its file: its instructions, and the source lines that they were made of. */
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
    bool outside;                    /* it is not from the calls that are meant */
};

struct code_file {
    char *path; /* as the debug information has it */
    struct source source;
    int failed; /* why there are no lines of it: an errno; 0: there are */
    bool newer; /* it has changed since the program was made */
};

/* Zero it before the first use. */
struct code {
    uint64_t start, end;            /* ELF virtual addresses of the function */
    uint64_t bias;                  /* what is added to the profile's addresses to have these */
    struct code_instruction *items; /* by rising address; without a disassembler those that were sampled */
    size_t count, room;
    struct code_files {
        struct code_file *items;
        size_t count, room;
    } files;
    struct texts texts;  /* owner of the instructions' texts */
    struct error undone; /* why there are no instructions, if that is so */
    bool of_calls;       /* lines are those of inlined calls, and instructions that are from none are outside */
    int no_lines;  /* why there are no lines: an errno, of these ENOTSUP if nothing here reads them; 0: there are */
    char *place;   /* where the file was found, if not at the profile's path; NULL: there */
    bool unproven; /* neither the profile nor the file has a build-id: the file may be another one */
};

/* Reads the function that is at ADDRESS, the profile's, of MODULE, an index, from the module's file, which is looked
 * for as origin.h says, with SYSROOT, NULL if none exists. Returns 0, or -errno with ERROR saying why it cannot be
 * shown: -ESTALE it is another file by now, -ENOTSUP the code was never in a file, and others. CALLS, if it is not
 * NULL, are calls that were inlined there: lines are those of their functions then, if the debug information has
 * such calls. */
int code_read(struct code *code, const struct profile *profile, uint32_t module, uint64_t address, const char *sysroot,
              struct inlined *calls, struct error *error);
void code_fini(struct code *code);

/* The instruction that the profile's ADDRESS is in, an index; CODE_NONE if that is not of this function. */
uint32_t code_find(const struct code *code, uint64_t address);

#endif
