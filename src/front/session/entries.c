/* SPDX-License-Identifier: MIT */
#include "front/session/entries.h"

#include "common/arch/code.h"
#include "common/arch/detour.h"
#include "common/arch/machine.h"
#include "common/base/error.h"
#include "common/base/hash.h"
#include "common/model/address_map.h"
#include "common/wire/command.h"
#include "common/wire/message.h"
#include "front/record/object.h"
#include "programs/elf/entries.h"
#include "programs/elf/file.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 4096,
    MOST_RANGES = 8192,
    LOOKED_AT = 4 << 20 /* bytes of code searched; the size in a file may be anything */
};

/* Facts about one file. */
struct entries_object {
    bool known;
    struct elf_entries found;
    bool is_compat;
    uint64_t another_ret; /* ELF address of a `ret` that is not debug_state's; 0: none found */
};

void entries_fini(struct entries *entries)
{
    free(entries->objects);
    free(entries->refused.path);
    memset(entries, 0, sizeof *entries);
}

/* Returns the address of a `ret` outside of debug_state. A thread that was stopped at debug_state returns by this
 * instruction of the program, so that a shadow stack stays consistent. */
static uint64_t find_ret(const struct elf_file *file, uint64_t start_of_it, uint64_t end_of_it)
{
    unsigned char bytes[CHUNK];
    uint64_t start, end;
    elf_file_text_range(file, &start, &end);
    if (end - start > LOOKED_AT)
        end = start + LOOKED_AT;
    for (uint64_t at = start; at < end; at += CHUNK) {
        size_t size = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
        if (elf_file_read(file, at, bytes, size))
            continue;
        size_t first =
            (size_t)((ARCH_INSTRUCTION_ALIGNMENT - at % ARCH_INSTRUCTION_ALIGNMENT) % ARCH_INSTRUCTION_ALIGNMENT);
        for (size_t i = first; i < size; i += ARCH_INSTRUCTION_ALIGNMENT)
            if ((at + i < start_of_it || at + i >= end_of_it) && arch_is_return(bytes + i, size - i))
                return at + i;
    }
    return 0;
}

static void look_at(struct entries_object *about, int fd)
{
    struct error error = {0};
    struct elf_file *file;
    about->known = true;
    if (fd < 0 || elf_file_open(fd, &file, &error) < 0)
        return;
    about->is_compat = elf_file_is_compat(file);
    if (elf_entries_find(file, &about->found) < 0)
        memset(&about->found, 0, sizeof about->found);
    if (about->found.debug_state.vaddr)
        about->another_ret = find_ret(file, about->found.debug_state.vaddr, about->found.debug_state_end);
    elf_file_close(file);
}

/* Returns the facts about object NUMBER of OBJECTS, or NULL if memory runs out. */
static const struct entries_object *about(struct entries *entries, const struct objects *objects, uint32_t number)
{
    if (number >= entries->count) {
        size_t count = objects->count;
        struct entries_object *more = realloc(entries->objects, count * sizeof *more);
        if (!more || number >= count)
            return NULL;
        memset(more + entries->count, 0, (count - entries->count) * sizeof *more);
        entries->objects = more;
        entries->count = count;
    }
    struct entries_object *object = &entries->objects[number];
    if (!object->known)
        look_at(object, objects->items[number].fd);
    return object;
}

static void add_breakpoint(struct command *answer, enum breakpoint_kind kind, const struct elf_entry *entry,
                           uint64_t resume, uint64_t room, uint64_t bias, bool compat)
{
    if (!entry->vaddr || !resume || answer->entry_count == BREAKPOINT_MOST)
        return;
    answer->entries[answer->entry_count++] = (struct breakpoint){
        .kind = kind,
        .address = entry->vaddr + bias,
        .resume = resume + bias,
        .room = room ? room + bias : 0,
        .original = entry->byte,
        .planted = entry->planted,
        .is_compat = compat,
    };
}

/* Adds the entries in OBJECT, which RANGE maps. Returns true if it is a C library. */
static bool add_object(const struct entries_object *known, const struct object *object,
                       const struct address_range *range, struct command *answer)
{
    const struct elf_entries *found = &known->found;
    uint64_t bias;
    if ((!found->tail && !found->debug_state.vaddr) || !object_bias(object, range, &bias))
        return false;
    add_breakpoint(answer, BREAKPOINT_PROFIL, &found->profil, found->tail, found->room, bias, known->is_compat);
    add_breakpoint(answer, BREAKPOINT_SPROFIL, &found->sprofil, found->tail, found->room, bias, known->is_compat);
    add_breakpoint(answer, BREAKPOINT_LOADER, &found->debug_state, known->another_ret,
                   found->debug_state_jump ? found->room : 0, bias, known->is_compat);
    return found->tail != 0;
}

static bool has_room_for(uint64_t room, unsigned stubs, bool compat)
{
    uint64_t at = arch_stub_place(room);
    return room % CODE_PAGE && at % CODE_PAGE && CODE_PAGE - at % CODE_PAGE >= stubs * arch_stub_bytes(compat);
}

/* If a C library has little room, its stubs may be after the dynamic linker's code. */
static void share_room(struct command *answer, uint64_t room, bool compat)
{
    enum { STUBS_OF_LIBRARY = 2, STUBS_OF_LINKER = 1 };
    if (!has_room_for(room, STUBS_OF_LIBRARY + STUBS_OF_LINKER, compat))
        return;
    for (uint32_t i = 0; i < answer->entry_count; i++)
        if (answer->entries[i].kind != BREAKPOINT_LOADER && answer->entries[i].is_compat == compat &&
            !has_room_for(answer->entries[i].room, STUBS_OF_LIBRARY, compat))
            answer->entries[i].room = room;
}

/* Combined facts about the files of one map. */
struct findings {
    uint32_t program;     /* number of the first file; HASH_NONE: none */
    uint32_t last;        /* number of the file examined last; HASH_NONE: none yet */
    bool filters;         /* some file may set filters of system calls */
    bool numbers;         /* the program makes some system call by its number: it may set a filter, or make a child
                           * unknown to tracers */
    bool clones;          /* the program may make such a child by the C library's clone */
    bool found;           /* a C library was found */
    uint64_t linker_room; /* address after the dynamic linker's code; 0: none */
    bool linker_compat;
};

/* Chooses between stubs, breakpoints and nothing. A stub makes system calls that the program does not make: a filter
 * that the program sets later would kill it for them. A breakpoint makes none. But it would kill an untraced child with
 * the same memory or a copy. So a program that may set filters and make such children keeps its own calls. If a program
 * may make system calls by number, the dynamic linker gets only a breakpoint, until the C library is found. The program
 * itself has not run until then. */
static bool keeps_own(const struct findings *findings)
{
    return findings->filters && (findings->numbers || findings->clones);
}

static void choose_breakpoints(struct command *answer, const struct findings *findings)
{
    bool both = keeps_own(findings);
    uint32_t count = 0;
    if (findings->found && (findings->filters || findings->numbers))
        answer->complete = true;
    for (uint32_t i = 0; i < answer->entry_count; i++) {
        struct breakpoint *entry = &answer->entries[i];
        bool loader = entry->kind == BREAKPOINT_LOADER;
        if (findings->filters || (findings->numbers && loader))
            entry->room = 0;
        if (!both || loader)
            answer->entries[count++] = *entry;
    }
    answer->entry_count = count;
}

static void add_findings(struct findings *findings, const struct entries_object *known, const struct object *object,
                         const struct address_range *range, bool program)
{
    uint64_t bias;
    findings->filters |= known->found.filters;
    findings->numbers |= program && known->found.numbers;
    findings->clones |= program && known->found.clones;
    if (known->found.debug_state.vaddr && known->found.room && object_bias(object, range, &bias)) {
        findings->linker_room = known->found.room + bias;
        findings->linker_compat = known->is_compat;
    }
}

/* Returns false if nothing of the process is wanted. A file may have several executable ranges, all at the same bias.
 * The first file is the program, because it is below all others. */
static bool add_range(struct entries *entries, struct objects *objects, pid_t pid, const struct address_range *range,
                      struct findings *findings, struct command *answer)
{
    uint32_t number = range->inode ? objects_of_range(objects, pid, range) : HASH_NONE;
    bool program = findings->last == HASH_NONE;
    const struct entries_object *known =
        number != HASH_NONE && number != findings->last ? about(entries, objects, number) : NULL;
    if (!known)
        return true;
    if (program && entries->mode == CALLS_AUTO && !known->found.refers)
        return false;
    if (program) {
        findings->program = number;
        entries->referred |= known->found.refers;
    }
    findings->found |= add_object(known, &objects->items[number], range, answer);
    add_findings(findings, known, &objects->items[number], range, program);
    findings->last = number;
    return true;
}

/* Notes a program that keeps its own calls. The question may come again when libraries are loaded. */
static void note_refused(struct entries *entries, const struct objects *objects, pid_t pid, uint32_t image,
                         uint32_t program)
{
    struct entries_refused *refused = &entries->refused;
    bool refers = entries->objects[program].found.refers;
    refused->others |= !refers;
    if (!refers || (refused->count && refused->image == image))
        return;
    if (!refused->count++) {
        refused->pid = pid;
        refused->path = strdup(objects->items[program].path);
    }
    refused->image = image;
}

static void add_map(struct entries *entries, struct objects *objects, pid_t pid, const struct address_map *map,
                    struct command *answer)
{
    struct findings findings = {.program = HASH_NONE, .last = HASH_NONE};
    for (size_t i = 0; i < map->count; i++)
        if (!add_range(entries, objects, pid, &map->items[i], &findings, answer))
            return;
    share_room(answer, findings.linker_room, findings.linker_compat);
    answer->complete = findings.found && entries->mode == CALLS_AUTO;
    choose_breakpoints(answer, &findings);
    if (findings.found && keeps_own(&findings))
        note_refused(entries, objects, pid, answer->image, findings.program);
}

bool entries_answer(struct entries *entries, struct objects *objects, const struct message_entries *question,
                    size_t size, struct command *answer)
{
    struct address_map map = {0};
    if (size < sizeof *question || question->length > size - sizeof *question)
        return false;
    *answer = (struct command){.type = COMMAND_ENTRIES, .pid = question->tid, .image = question->image};
    char *text = strndup((const char *)(question + 1), question->length);
    if (text && entries->mode != CALLS_OFF && address_map_parse(&map, text, MOST_RANGES))
        add_map(entries, objects, question->pid, &map, answer);
    address_map_fini(&map);
    free(text);
    return true;
}

void entries_forget_object(struct entries *entries, uint32_t number)
{
    if (number < entries->count)
        entries->objects[number] = (struct entries_object){0};
}
