/* SPDX-License-Identifier: MIT
 *
 * The files (and other objects) that processes of the record have mapped as code. A file is opened when it is first
 * seen, and stays open. So a file that is replaced or deleted later still provides its own names. Mappings are
 * untrusted: a file is opened only if it is regular and is the mapped one. */
#ifndef RECORD_OBJECT_H
#define RECORD_OBJECT_H

#include "common/base/hash.h"
#include "profile/profile/sources.h"
#include "programs/jit/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct address_range;
struct file_mark;

enum object_kind {
    OBJECT_FILE,        /* addresses in it are file offsets */
    OBJECT_VDSO,        /* offsets in the vDSO's image */
    OBJECT_VDSO_COMPAT, /* in the vDSO of 32-bit programs */
    OBJECT_VSYSCALL,    /* the kernel's vsyscall page at the end of every address space; addresses as in the process */
    OBJECT_JIT,         /* code that process pid generated; addresses as in the process */
    OBJECT_KERNEL,      /* the kernel, at an unknown address */
    OBJECT_UNKNOWN,     /* nothing was mapped there when the maps were read; addresses as in the process */
    OBJECT_SCRIPT,      /* functions of an interpreted language; addresses of record/scripts.h */
};

/* The object that contains the code at OFFSET of a file. */
struct object_part {
    uint64_t offset;
    uint32_t number;
};

enum { OBJECT_PARTS = 8 };

struct object {
    enum object_kind kind;
    char *path;     /* path of a file, without the kernel's " (deleted)" and escapes; name of OBJECT_SCRIPT; otherwise
                     * "" */
    uint64_t inode; /* for OBJECT_SCRIPT: the language */
    uint64_t base;  /* offset of the ELF image in the file: addresses are relative to it, and fd contains only the
                     * image */
    struct object_part parts[OBJECT_PARTS]; /* parts of a file that were found last */
    unsigned part_count;                    /* number of parts ever found */
    uint32_t device_major, device_minor;
    pid_t pid;                      /* of OBJECT_JIT */
    int fd;                         /* of a file or a JIT map; -1 if it could not be opened */
    bool copy;                      /* fd is open on a copy, which does not keep the device number in use */
    uint64_t copy_bytes;            /* of a copy that we made because of its mount */
    struct file_mark *mark;         /* what the file was when it was first seen; NULL: unknown; owned */
    uint32_t outdated;              /* another file has its numbers now: a number that no other object has; or 0 */
    struct jit_file map;            /* of OBJECT_JIT */
    uint32_t tried;                 /* for OBJECT_JIT: round of the last attempt to open the map */
    uint32_t used;                  /* the last interval in which it was used, see objects_note_use */
    struct profile_sources sources; /* of OBJECT_SCRIPT */
    char *folder; /* for OBJECT_SCRIPT: the working directory of its processes; "": they have several; NULL: unknown */
    bool deleted; /* it had been removed or replaced when it was first seen */
    bool made;    /* not a file: processes map it for generated code */
    char *root;   /* root directory of the process that mapped it, "" if it is ours */
    struct viewer
        viewer; /* user with whose rights files named by it are opened: the process's user, or its own owner */
};

struct objects {
    struct object *items;
    size_t count, room;
    struct hash index;
    struct {
        uint32_t *items;
        size_t count, room;
    } vacant;            /* numbers of forgotten objects */
    uint32_t interval;   /* number of the present one */
    uint64_t copy_bytes; /* of all copies */
    uint32_t outdated;   /* number of the last outdated object */
    struct jit_folders folders;
    uint32_t round; /* set by the caller; in one round, a missing file is searched for once */
};

/* Closes and frees everything. The set is empty afterwards. A zeroed set is empty. */
void objects_fini(struct objects *objects);

/* Returns the number of the object that process PID maps at RANGE, which is added if it is new; or HASH_NONE if memory
 * runs out. */
uint32_t objects_of_range(struct objects *objects, pid_t pid, const struct address_range *range);

/* If process PID has generated code, opens its map again, because the map may have been written or replaced since. If
 * the map is gone, the open one stays. */
void objects_map_again(struct objects *objects, pid_t pid);

/* Call it at the end: does the same for all processes whose map was not found yet. */
void objects_map_at_last(struct objects *objects);

/* Closes the files that were overwritten since they were first seen. Call it before names are read. */
void objects_drop_rewritten(struct objects *objects);

/* Ends an interval. BEFORE is true at the number of each object that it used, and NOW at the number of each object that
 * the next interval begins with. A file around a used ELF image counts as used. */
void objects_note_use(struct objects *objects, const bool *before, const bool *now);

/* How many unused files, how many bytes for them, and for how many intervals a file is unused, until it is forgotten.
 */
enum { OBJECTS_UNUSED = 64, OBJECTS_UNUSED_BYTES = 16 << 20, OBJECTS_UNUSED_INTERVALS = 16 };

/* Chooses the objects to forget: generated code that was not used in the last interval, and unused files beyond these
 * limits, those first that were used longest ago. BYTES is the memory of each object outside of the set; the files that
 * only we hold, and copies, are added. Writes their numbers to NUMBERS, which has room for all objects. Returns how
 * many there are. */
size_t objects_unneeded(const struct objects *objects, const uint64_t *bytes, uint32_t *numbers);

/* Forgets COUNT objects. Others get their NUMBERS. */
void objects_forget(struct objects *objects, const uint32_t *numbers, size_t count);

/* Returns the number of the one object for the kernel, or HASH_NONE. */
uint32_t objects_kernel(struct objects *objects);

/* Returns the number of the one object for addresses where nothing was mapped, or HASH_NONE. */
uint32_t objects_unknown(struct objects *objects);

/* Returns the number of the object for functions of LANGUAGE (any number), with NAME in profiles; or HASH_NONE. */
uint32_t objects_script(struct objects *objects, uint32_t language, const char *name);

/* Sets *BIAS to the number to add to ELF virtual addresses of the file OBJECT where RANGE maps it. Returns false if
 * OBJECT is not a readable file, or does not load the mapped part. */
bool object_bias(const struct object *object, const struct address_range *range, uint64_t *bias);

#endif
