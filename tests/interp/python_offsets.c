/* SPDX-License-Identifier: MIT
 *
 * Compares one row of interp/python_layouts.c with the Python headers of that version. The script python-offsets
 * compiles this program with the headers of each version. */
#define Py_BUILD_CORE 1
#include <Python.h>

#include <frameobject.h>
#if PY_MINOR_VERSION >= 9
#include <internal/pycore_interp.h>
#else
#include <internal/pycore_pystate.h>
#endif
#if PY_MINOR_VERSION >= 11
#include <internal/pycore_frame.h>
#endif
#if PY_MINOR_VERSION >= 9
#include <internal/pycore_runtime.h>
#endif

#include "programs/interp/python_layouts.h"

#include <stddef.h>
#include <stdio.h>

/* python_layouts.c needs this to link. The comparison of rows never calls it. */
int elf_file_read(const struct elf_file *file, uint64_t vaddr, void *bytes, size_t size)
{
    (void)file, (void)vaddr, (void)bytes, (void)size;
    return -1;
}

static int different;

static void compare(const char *name, uint64_t in_row, uint64_t in_headers)
{
    if (in_row == in_headers)
        return;
    printf("3.%d: %s is %llu, not %llu\n", PY_MINOR_VERSION, name, (unsigned long long)in_headers,
           (unsigned long long)in_row);
    different = 1;
}

#define COMPARE(member, type, field) compare(#member, row->member, offsetof(type, field))

#if PY_MINOR_VERSION >= 11
typedef struct _PyInterpreterFrame frame;

static void compare_frames(const struct python_layout *row)
{
    COMPARE(path[0], PyThreadState, cframe);
    COMPARE(state_stack, PyThreadState, cframe);
    COMPARE(path[1], _PyCFrame, current_frame);
    COMPARE(frame_back, frame, previous);
    COMPARE(frame_code, frame, f_code);
    COMPARE(frame_instruction, frame, prev_instr);
    COMPARE(code_lines, PyCodeObject, co_linetable);
    COMPARE(code_start, PyCodeObject, co_code_adaptive);
    COMPARE(code_name, PyCodeObject, co_qualname);
    COMPARE(state_tid, PyThreadState, native_thread_id);
    COMPARE(group_states, PyInterpreterState, threads.head);
#if PY_MINOR_VERSION == 11
    COMPARE(frame_entry, frame, is_entry);
    COMPARE(link_next, _PyCFrame, previous);
#else
    COMPARE(frame_owner, frame, owner);
    compare("FRAME_OWNED_BY_CSTACK", 3, FRAME_OWNED_BY_CSTACK);
#endif
}
#else
static void compare_frames(const struct python_layout *row)
{
    COMPARE(path[0], PyThreadState, frame);
    COMPARE(frame_back, PyFrameObject, f_back);
    COMPARE(frame_code, PyFrameObject, f_code);
    COMPARE(frame_instruction, PyFrameObject, f_lasti);
    COMPARE(group_states, PyInterpreterState, tstate_head);
    COMPARE(code_name, PyCodeObject, co_name);
#if PY_MINOR_VERSION == 10
    COMPARE(code_lines, PyCodeObject, co_linetable);
    COMPARE(state_stack, PyThreadState, cframe);
    COMPARE(link_next, CFrame, previous);
#else
    COMPARE(code_lines, PyCodeObject, co_lnotab);
#endif
}
#endif

int main(void)
{
    const struct python_layout *row = python_layout_row(PY_MINOR_VERSION);
    if (!row)
        return 77;
    compare("gil_size", row->gil_size, sizeof(struct _gil_runtime_state));
#if PY_MINOR_VERSION < 12
    COMPARE(gil, _PyRuntimeState, ceval.gil);
#else
    COMPARE(gil, PyInterpreterState, ceval.gil);
#endif
    COMPARE(runtime_groups, _PyRuntimeState, interpreters.head);
    COMPARE(group_next, PyInterpreterState, next);
    COMPARE(state_next, PyThreadState, next);
    COMPARE(state_group, PyThreadState, interp);
    COMPARE(state_pointer, PyThreadState, thread_id);
    COMPARE(code_first_line, PyCodeObject, co_firstlineno);
    COMPARE(code_file, PyCodeObject, co_filename);
    COMPARE(type, PyObject, ob_type);
    COMPARE(bytes_count, PyBytesObject, ob_base.ob_size);
    COMPARE(bytes_size, PyBytesObject, ob_sval);
    compare("text_size", row->text_size, sizeof(PyASCIIObject));
    compare("wide_text_size", row->wide_text_size, sizeof(PyCompactUnicodeObject));
    compare_frames(row);
    return different;
}
