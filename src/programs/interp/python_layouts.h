/* SPDX-License-Identifier: MIT
 *
 * Where CPython's structures have what, by minor version: a row each up to 3.12; from 3.13 the interpreter describes
 * itself (struct _Py_DebugOffsets). */
#ifndef INTERP_PYTHON_LAYOUTS_H
#define INTERP_PYTHON_LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;

/* Formats of line tables. */
enum python_lines { PYTHON_LINES_8, PYTHON_LINES_10, PYTHON_LINES_11 };

/* All offsets are in bytes. */
struct python_layout {
    uint16_t minor;
    uint16_t runtime_groups;                                    /* _PyRuntime.interpreters.head */
    uint16_t group_next, group_states;                          /* PyInterpreterState */
    uint16_t state_next, state_group, state_pointer, state_tid; /* PyThreadState */
    uint16_t state_stack,
        link_next;                /* its address of a struct of the newest evaluation, on the stack, if there is one;
                                   * and in that the address of the previous one; not of 3.12, whose frames show it */
    uint16_t path[2], path_count; /* from it to the first frame */
    uint16_t frame_size, frame_back, frame_code, frame_instruction, frame_entry, frame_owner;
    uint16_t code_size, code_first_line, code_file, code_name, code_lines, code_start; /* PyCodeObject */
    uint16_t gil,
        gil_size; /* ceval.gil: up to 3.11 in _PyRuntime, later a pointer in PyInterpreterState; size 0: unknown */
    uint16_t check, check_size;         /* bytes of it that never change */
    uint16_t type;                      /* PyObject.ob_type */
    uint16_t text_size, wide_text_size; /* PyASCIIObject, PyCompactUnicodeObject */
    uint16_t bytes_count, bytes_size;   /* PyBytesObject */
};

/* The row of Python 3.MINOR, or NULL. */
const struct python_layout *python_layout_row(uint16_t minor);

/* Reads LAYOUT from the _PyRuntime of FILE, Python 3.MINOR; it is at VADDR and has SIZE bytes. Returns false if its
 * contents are unknown. */
bool python_layout_read(const struct elf_file *file, uint16_t minor, uint64_t vaddr, uint64_t size,
                        struct python_layout *layout);

#endif
