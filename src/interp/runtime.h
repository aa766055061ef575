/* SPDX-License-Identifier: MIT
 *
 * The supported interpreters: which one a file contains, how the tracer copies its frames (a recipe), and how to
 * read the copied bytes. This comes from a table row for each minor version, or from the interpreter's own
 * description. Nothing unknown is guessed. */
#ifndef INTERP_RUNTIME_H
#define INTERP_RUNTIME_H

#include "elf/file.h"
#include "elf/lookup.h"
#include "wire/recipe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum interp_language { INTERP_NONE, INTERP_PYTHON, INTERP_PERL, INTERP_RUBY, INTERP_PHP, INTERP_LANGUAGES };

enum {
    INTERP_EVALS_MOST = 8,
    INTERP_NAME_MOST = 1024, /* bytes of a function's name or a file's, with the 0 */
};

/* A part of the interpreter's code. */
struct interp_range {
    uint64_t start, end;
};

struct interp_python;

/* An interpreter in a file. Addresses are ELF virtual addresses. */
struct interp_runtime {
    enum interp_language language;
    char version[32];     /* as people write it, such as "3.11.2"; "" if that is not known */
    const char *layout;   /* source of its layout, a literal; NULL: unknown, and no recipe exists */
    struct recipe recipe; /* its addresses are relative to where the file is mapped */
    struct interp_range evals[INTERP_EVALS_MOST]; /* the function that runs the language's code, in all of its parts */
    size_t eval_count;
    struct interp_range linking; /* the part of it where the newest frame can be one that has ended; or 0, 0 */
    uint16_t minor;              /* of the version */
    bool has_places; /* a frame's line is stored with its callee, or in the state for the leaf, and the last frame is
                        the program's own file */
    struct interp_layout { /* what its frames and objects have where; the meanings are the language's */
        uint16_t code, instruction, entry, owner;
        uint16_t name, file, first_line, lines, code_start;
        uint16_t text_size, wide_text_size; /* of a string's header */
    } at;
};

/* What one frame is. */
struct interp_frame {
    uint32_t serial;      /* of its function's object; 0: that could not be read */
    uint32_t place;       /* of the object that has its line; 0: none */
    uint32_t caller;      /* of the object that has its caller's line, in such languages; 0: none */
    uint64_t instruction; /* of the language's own, as its line table counts them */
    uint32_t line;        /* if the frame itself has it; else 0 */
    bool is_frame;        /* false: only a mark */
    bool has_no_function; /* it is of a text, or a file, that has none */
    bool is_entry;    /* the interpreter's function was entered with it: the next frame is of another call of that */
    bool is_on_stack; /* it is on the stack of the thread, in the interpreter's function that was entered with it */
    bool is_fresh, is_generator; /* its function has not begun; may continue in another call of that */
};

/* The lines of a function. */
struct interp_lines {
    uint32_t first_line;
    const unsigned char *bytes; /* the table, in the object's bytes; or NULL */
    size_t size, split;         /* bytes of it; where a table has two parts: where the second one begins */
};

/* What a function's object says. */
struct interp_function {
    enum interp_language language;
    char name[INTERP_NAME_MOST], file[INTERP_NAME_MOST];
    struct interp_lines lines;
    uint64_t base; /* address of the first instruction, if a frame's instruction is relative to it; else 0 */
};

/* The name of LANGUAGE as people write it; and of what a profile has in the place of a module. */
const char *interp_language_name(enum interp_language language);
const char *interp_module_name(enum interp_language language);

/* True if a file of that PATH may hold an interpreter. Others are not looked into. */
bool interp_may_be_in(const char *path);

/* SYMBOL, if it was found, is a part of the function that runs the language's code. */
void interp_add_evaluation(struct interp_runtime *runtime, const struct elf_lookup *symbol);

/* The name of FUNCTION is NAME of CLASS, NULL: of none. Returns true. */
bool interp_set_name(struct interp_function *function, const char *name, const char *class_name);

/* True if FILE, with the path PATH, contains an interpreter. Sets RUNTIME to what is known of it. */
bool interp_runtime_find(const struct elf_file *file, const char *path, struct interp_runtime *runtime);

/* Sets FRAME to what the NODE of RUNTIME, node_size bytes at BYTES, is. */
void interp_runtime_frame(const struct interp_runtime *runtime, const struct recipe_node *node,
                          const unsigned char *bytes, struct interp_frame *frame);

/* The parts of an object: SIZES[i] bytes each, one behind the other. */
struct interp_parts {
    uint32_t shape;
    uint64_t address;
    const unsigned char *bytes;
    const uint32_t *sizes;
    size_t count;
};

/* Sets FUNCTION to what PARTS of RUNTIME say. False if they make no sense. */
bool interp_runtime_function(const struct interp_runtime *runtime, const struct interp_parts *parts,
                             struct interp_function *function);

/* The line of INSTRUCTION in a function with these LINES; 0 if that is not known. */
uint32_t interp_runtime_line(const struct interp_runtime *runtime, const struct interp_lines *lines,
                             uint64_t instruction);

#endif
