/* SPDX-License-Identifier: MIT
 *
 * The supported interpreters: which one a file contains, how the tracer copies its frames (a recipe), and how to
 * read the copied bytes. This comes from a table row for each minor version, or from the interpreter's own
 * description. Nothing unknown is guessed. */
#ifndef INTERP_RUNTIME_H
#define INTERP_RUNTIME_H

#include "common/wire/recipe.h"
#include "programs/interp/languages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct elf_lookup;

enum {
    INTERP_EVALS_MOST = 8,
    INTERP_NAME_MOST = 1024, /* bytes of the name of a function or a file, including the final 0 */
};

/* A part of the interpreter's code. */
struct interp_range {
    uint64_t start, end;
};

/* An interpreter in a file. Addresses are ELF virtual addresses. */
struct interp_runtime {
    enum interp_language language;
    char version[32];     /* in the usual form, such as "3.11.2"; "" if it is unknown */
    const char *layout;   /* source of its layout, a literal; NULL: unknown, and no recipe exists */
    struct recipe recipe; /* its addresses are relative to the load bias */
    struct interp_range evals[INTERP_EVALS_MOST]; /* parts of the evaluation function, which runs the language */
    size_t eval_count;
    struct interp_range linking; /* the part of it in which the newest frame may have ended; or 0, 0 */
    uint16_t minor;              /* of the version */
    bool has_places; /* a frame's line is stored with its callee, or in the state for the leaf, and the last frame is
                        the program's own file */
    struct interp_layout { /* offsets in frames and objects; each language has its own meanings */
        uint16_t code, instruction, entry, owner;
        uint16_t name, file, first_line, lines, code_start;
        uint16_t text_size, wide_text_size; /* of a string's header */
    } at;
};

/* A frame. */
struct interp_frame {
    uint32_t serial;      /* the function's object; 0: it could not be read */
    uint32_t place;       /* the object with the frame's line; 0: none */
    uint32_t caller;      /* the object with the caller's line, in languages that have one; 0: none */
    uint64_t instruction; /* the language's instruction, as its line table counts; with a place, its address */
    uint32_t line;        /* if the frame itself has it; otherwise 0 */
    bool is_frame;        /* false: only a mark */
    bool has_no_function; /* it runs a text or a file, not a function */
    bool is_entry; /* the evaluation function was entered with this frame: the next one belongs to another evaluation */
    bool is_on_stack;            /* the frame is on the thread's stack, in the evaluation that was entered with it */
    bool is_fresh, is_generator; /* its function has not begun; it may continue in another evaluation */
};

/* The lines of a function. */
struct interp_lines {
    uint32_t first_line;
    const unsigned char *bytes; /* the table, in the object's bytes; or NULL */
    size_t size, split;         /* bytes of it; offset of its second part, if it has two */
};

/* A function, from its object. */
struct interp_function {
    char name[INTERP_NAME_MOST], file[INTERP_NAME_MOST];
    struct interp_lines lines;
    struct interp_range code; /* its instructions, if frames have their addresses; the end only if their places are
                               * instructions */
};

/* A copied node, with the serials of its objects. */
struct interp_node {
    const uint32_t *serials;
    const unsigned char *bytes;
    size_t size;
};

/* The parts of an object, one after the other, of SIZES[i] bytes. */
struct interp_parts {
    const struct interp_runtime *runtime;
    uint32_t shape;
    uint64_t address;
    const unsigned char *bytes;
    const uint32_t *sizes;
    size_t count;
};

/* A language: what it is called, and how its interpreters are read. */
struct interp_rules {
    const char *name, *module, *frame_type; /* see interp_language_name */
    const char *program;                    /* how the names of its programs begin */
    const char *symbol;                     /* a symbol that each file with its interpreter defines */
    bool shows_entries;                     /* see interp_shows_entries */
    bool is_compiled;                       /* see interp_is_compiled */

    /* Sets RUNTIME, which is zeroed, and returns true, if FILE contains the interpreter. */
    bool (*find)(const struct elf_file *file, struct interp_runtime *runtime);

    /* Sets FRAME, which has a serial and is_frame already, from NODE of RUNTIME. */
    void (*read_frame)(const struct interp_runtime *runtime, const struct interp_node *node,
                       struct interp_frame *frame);

    /* Sets FUNCTION, which is zeroed, from PARTS. Returns false if they are invalid. */
    bool (*read_function)(const struct interp_parts *parts, struct interp_function *function);

    /* Returns the line of INSTRUCTION in a function of RUNTIME with LINES; 0 if it is unknown. NULL: its frames have
     * their lines. */
    uint32_t (*find_line)(const struct interp_runtime *runtime, const struct interp_lines *lines, uint64_t instruction);
};

#define INTERP_RULES(NAME, name) extern const struct interp_rules name##_rules;
INTERP_EACH_LANGUAGE(INTERP_RULES)
#undef INTERP_RULES

/* Returns the rules of LANGUAGE. Those of INTERP_NONE have no functions. */
const struct interp_rules *interp_rules_of(enum interp_language language);

/* Adds SYMBOL, if it was found, to the parts of the evaluation function. */
void interp_add_evaluation(struct interp_runtime *runtime, const struct elf_lookup *symbol);

/* Sets the name of FUNCTION to NAME, in the class CLASS_NAME (NULL: none). Returns true. */
bool interp_set_name(struct interp_function *function, const char *name, const char *class_name);

/* Returns true, and sets RUNTIME, if FILE contains an interpreter, whatever the file is called. */
bool interp_runtime_find(const struct elf_file *file, struct interp_runtime *runtime);

/* Sets FRAME from NODE of RUNTIME, whose node_size bytes are at BYTES. */
void interp_runtime_frame(const struct interp_runtime *runtime, const struct recipe_node *node,
                          const unsigned char *bytes, struct interp_frame *frame);

/* Sets FUNCTION from PARTS. Returns false if they are invalid. */
bool interp_runtime_function(const struct interp_parts *parts, struct interp_function *function);

/* Returns the line of INSTRUCTION in a function with LINES; 0 if it is unknown. */
uint32_t interp_runtime_line(const struct interp_runtime *runtime, const struct interp_lines *lines,
                             uint64_t instruction);

#endif
