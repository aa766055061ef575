/* SPDX-License-Identifier: MIT
 *
 * A function of a profile, read from its file: its instructions and their source lines. */
#ifndef CODE_CODE_H
#define CODE_CODE_H

#include "common/base/error.h"
#include "common/base/texts.h"
#include "profile/code/source.h"
#include "profile/profile/match.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct origin;
struct profile;

#define CODE_NONE UINT32_MAX

struct code_instruction {
    uint64_t address;  /* ELF virtual address */
    const char *text;  /* NULL: not known */
    uint32_t file;     /* index of the file, or CODE_NONE; for instructions of an inlined call, the location of the
                        * call */
    uint32_t line;     /* 0: not known */
    const char *inner; /* the function of the innermost inlined call that contains it; NULL: none */
    uint32_t inner_file, inner_line; /* where that is */
    bool outside;                    /* inlined calls were selected, and none of them contains it */
};

struct code_file {
    char *path; /* path in the debug information */
    struct source source;
    int failed; /* errno that explains why it has no lines; 0: it has lines */
    bool newer; /* it was changed after the program was built */
};

/* Zero it before the first use. */
struct code {
    uint32_t module;                /* index in the profile */
    bool is_script;                 /* the function is of an interpreted language: items are its lines, and line numbers
                                     * are their addresses */
    uint32_t function;              /* for is_script: index in the profile */
    uint64_t start, end;            /* ELF virtual addresses of the function */
    uint64_t bias;                  /* number to add to the profile's addresses to get these addresses */
    struct code_instruction *items; /* sorted by address; without a disassembler only sampled ones */
    size_t count, room;
    struct code_files {
        struct code_file *items;
        size_t count, room;
    } files;
    struct texts texts;  /* owner of the instructions' texts */
    struct error undone; /* why it has no instructions, if it has none */
    bool of_calls;       /* lines belong to inlined calls; other instructions are outside */
    int no_lines;        /* errno that explains why it has no lines (ENOTSUP: this build cannot read them); 0: it has
                          * lines */
    char *place;         /* where the file was found; NULL: at the profile's path */
    bool unproven;       /* neither the profile nor the file has a build-id: the file may be another one */
};

/* Selects inlined calls by the called function: one that matches at least as well as LEAST. */
struct code_calls {
    struct matcher matcher;
    enum match least;
};

/* Who finds the names and lines of places in a file. code_read itself parses no symbols and debug information. */
struct code_names {
    /* Finds them for the COUNT sorted OFFSETS of the file. Returns a profile, which the caller frees, and the index of
     * each place in it in LOCATIONS; or NULL. Sets *NO_LINES to the errno that explains why there are no lines; 0:
     * there are. */
    struct profile *(*find)(void *of, const struct origin *origin, const uint64_t *offsets, size_t count,
                            uint32_t *locations, int *no_lines);
    void *of;
};

/* Reads the function at LOCATION, an index. code/origin.h finds the module's file, with SYSROOT or NULL; code/script
 * finds sources of interpreted languages. NAMES finds the rest. CALLS, if not NULL, selects inlined calls: then the
 * lines are those of the called functions, if the debug information describes such calls. Returns 0, or -errno with
 * ERROR set to the reason why the function cannot be shown: -ESTALE the file has been replaced since, -ENOTSUP the code
 * never was in a file, and others. */
int code_read(struct code *code, const struct profile *profile, uint32_t location, const char *sysroot,
              const struct code_names *names, const struct code_calls *calls, struct error *error);
void code_fini(struct code *code);

/* Returns the index of the instruction (or line) that contains LOCATION, an index. Returns CODE_NONE if it is not in
 * this function. */
uint32_t code_find(const struct code *code, const struct profile *profile, uint32_t location);

#endif
