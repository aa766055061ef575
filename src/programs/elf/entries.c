/* SPDX-License-Identifier: MIT */
#include "programs/elf/entries.h"

#include "common/arch/code.h"
#include "common/arch/detour.h"
#include "common/arch/machine.h"
#include "programs/elf/table.h"

#include <string.h>

#define TAIL_BYTES 64 /* bytes of the function that are searched for the tail */
#define BREAKPOINT_LOOK 3
#define LANDING_MARK_MOST 4
#define RETURN_MOST 4
#define SAME_NAME_MAX 4 /* functions of one name in one table that are considered */

/* The symbols that are looked up. */
enum name {
    NAME_PROFIL,
    NAME_SPROFIL,
    NAME_MONSTARTUP,
    NAME_MCLEANUP,
    NAME_MCOUNT,
    NAME_MCOUNT_ALIAS,
    NAME_FENTRY,
    NAME_MONCONTROL,
    NAMES_THAT_REFER, /* number of the names before this one */
    NAME_PROFIL_ALIAS = NAMES_THAT_REFER,
    NAME_SPROFIL_ALIAS,
    NAME_SETITIMER,
    NAME_SETITIMER_ALIAS,
    NAME_MUNMAP,
    NAME_MUNMAP_ALIAS,
    NAME_DEBUG_STATE,
    NAME_LIBC_START_MAIN,
    NAME_PRCTL,
    NAME_SECCOMP_LOAD,
    NAME_SYSCALL,
    NAME_CLONE,
    NAMES
};

static const char *const names[NAMES] = {
    [NAME_PROFIL] = "profil",
    [NAME_SPROFIL] = "sprofil",
    [NAME_MONSTARTUP] = "__monstartup",
    [NAME_MCLEANUP] = "_mcleanup",
    [NAME_MCOUNT] = "mcount",
    [NAME_MCOUNT_ALIAS] = "_mcount",
    [NAME_FENTRY] = "__fentry__",
    [NAME_MONCONTROL] = "moncontrol",
    [NAME_PROFIL_ALIAS] = "__profil",
    [NAME_SPROFIL_ALIAS] = "__sprofil",
    [NAME_SETITIMER] = "setitimer",
    [NAME_SETITIMER_ALIAS] = "__setitimer",
    [NAME_MUNMAP] = "munmap",
    [NAME_MUNMAP_ALIAS] = "__munmap",
    [NAME_DEBUG_STATE] = "_dl_debug_state",
    [NAME_LIBC_START_MAIN] = "__libc_start_main",
    [NAME_PRCTL] = "prctl",
    [NAME_SECCOMP_LOAD] = "seccomp_load",
    [NAME_SYSCALL] = "syscall",
    [NAME_CLONE] = "clone",
};

/* The symbols in a table that have one name. */
struct mentioned {
    bool undefined; /* it needs one */
    uint64_t vaddr[SAME_NAME_MAX], size[SAME_NAME_MAX];
    size_t count; /* functions of the file itself */
};

/* Returns the index of SYMBOL's name in names, or NAMES if it is not there. Reads no more bytes than the longest of
 * these names has. */
static enum name name_of(const struct elf_table *table, const Elf64_Sym *symbol)
{
    const char *string = (const char *)table->strings->bytes + symbol->st_name;
    size_t left, name;
    if (symbol->st_name >= table->strings->size)
        return NAMES;
    left = table->strings->size - symbol->st_name;
    for (name = 0; name < NAMES; name++) {
        size_t size = strlen(names[name]) + 1;
        if (size <= left && memcmp(string, names[name], size) == 0)
            break;
    }
    return (enum name)name;
}

static void mention(struct mentioned *mentioned, const Elf64_Sym *symbol, const struct elf_file *file)
{
    if (symbol->st_shndx == SHN_UNDEF)
        mentioned->undefined = true;
    else if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && mentioned->count < SAME_NAME_MAX &&
             elf_file_is_text(file, symbol->st_value)) {
        mentioned->vaddr[mentioned->count] = symbol->st_value;
        mentioned->size[mentioned->count++] = symbol->st_size;
    }
}

/* Reads the symbols with each of the NAMES in the table of TYPE. */
static void read_table(struct mentioned *mentioned, const struct elf_sections *sections, uint32_t type,
                       const struct elf_file *file)
{
    struct elf_table table;
    size_t count;
    memset(mentioned, 0, NAMES * sizeof *mentioned);
    if (!elf_table_open(&table, sections, type))
        return;
    count = table.symbols->size / elf_sections_size_of(sections, ELF_DATA_SYMBOLS);
    for (size_t i = 1; i < count; i++) {
        Elf64_Sym symbol;
        enum name name = elf_data_symbol(table.symbols, i, &symbol) ? name_of(&table, &symbol) : NAMES;
        if (name != NAMES && !elf_table_has_old_version(&table, i))
            mention(&mentioned[name], &symbol, file);
    }
}

/* Returns true if NAME is the soname in the file. */
static bool has_soname(const struct elf_sections *sections, const char *name)
{
    size_t index = elf_sections_find(sections, SHT_DYNAMIC, NULL);
    struct elf_data *entries = elf_sections_data(sections, index, ELF_TABLE_SYMBOLS_MAX);
    Elf64_Shdr header;
    Elf64_Dyn entry;
    const char *soname = NULL;
    size_t length;
    if (!entries || !elf_sections_header(sections, index, &header))
        return false;
    for (size_t i = 0; !soname && elf_data_dynamic(entries, i, &entry) && entry.d_tag != DT_NULL; i++)
        if (entry.d_tag == DT_SONAME)
            soname = elf_table_string(elf_sections_data(sections, header.sh_link, ELF_TABLE_STRINGS_MAX),
                                      entry.d_un.d_val, &length);
    return soname && strcmp(soname, name) == 0;
}

/* Reads up to SIZE bytes at VADDR. Returns how many could be read. */
static size_t read_some(const struct elf_file *file, uint64_t vaddr, uint8_t *bytes, size_t size)
{
    while (size && elf_file_read(file, vaddr, bytes, size) < 0)
        size--;
    return size;
}

static struct elf_entry entry_at(const struct elf_file *file, uint64_t vaddr)
{
    struct elf_entry entry = {.vaddr = vaddr, .planted = ARCH_BREAKPOINT};
    uint8_t code[BREAKPOINT_LOOK];
    if (!vaddr || elf_file_read(file, vaddr + ARCH_BREAKPOINT_AT, &entry.byte, 1) < 0)
        return (struct elf_entry){0};
    if (file->is_compat && !arch_breakpoint_compat(code, read_some(file, vaddr, code, sizeof code), &entry.planted))
        return (struct elf_entry){0};
    return entry;
}

/* Returns the entry of the function at VADDR. If a jump must not replace its landing mark, the next instruction is the
 * entry: every path into the function executes it, too. */
static struct elf_entry entry_of(const struct elf_file *file, uint64_t vaddr)
{
    uint8_t code[ARCH_JUMP_BYTES];
    bool known = vaddr && !file->is_compat && read_some(file, vaddr, code, sizeof code) == sizeof code;
    return entry_at(file, known && !arch_jump_may_replace(code) ? vaddr + arch_landing_mark(code, sizeof code) : vaddr);
}

/* Returns the first function that has both names, and sets *SIZE to its size. Returns 0 if none exists. */
static uint64_t common(const struct mentioned *one, const struct mentioned *other, uint64_t *size)
{
    for (size_t i = 0; i < one->count; i++)
        for (size_t j = 0; j < other->count; j++)
            if (one->vaddr[i] == other->vaddr[j]) {
                *size = one->size[i];
                return one->vaddr[i];
            }
    return 0;
}

/* Returns the tail of the function with the names FIRST and FIRST + 1. Unless ALIASED, uses only FIRST. */
static uint64_t find_tail(const struct elf_file *file, const struct mentioned *mentioned, enum name first, bool aliased)
{
    uint8_t bytes[TAIL_BYTES];
    uint64_t size = 0, vaddr = common(&mentioned[first], &mentioned[aliased ? first + 1 : first], &size);
    size_t count = size < sizeof bytes ? (size_t)size : sizeof bytes, tail;
    if (!vaddr || elf_file_read(file, vaddr, bytes, count) < 0)
        return 0;
    tail = file->is_compat ? arch_call_tail_compat(bytes, count) : arch_call_tail(bytes, count);
    return tail ? vaddr + tail : 0;
}

/* Finds the entries in a C library or, if ALIASED, in a static program. There, a name counts only together with the
 * alias that glibc has for it. */
static void find_entries(struct elf_entries *entries, const struct mentioned *mentioned, bool aliased,
                         const struct elf_file *file)
{
    uint64_t size = 0;
    entries->tail = find_tail(file, mentioned, file->is_compat ? NAME_MUNMAP : NAME_SETITIMER, aliased);
    if (!entries->tail)
        return;
    entries->profil =
        entry_of(file, common(&mentioned[NAME_PROFIL], &mentioned[aliased ? NAME_PROFIL_ALIAS : NAME_PROFIL], &size));
    entries->sprofil = entry_of(
        file, common(&mentioned[NAME_SPROFIL], &mentioned[aliased ? NAME_SPROFIL_ALIAS : NAME_SPROFIL], &size));
    if (!entries->profil.vaddr && !entries->sprofil.vaddr)
        entries->tail = 0;
    else
        elf_file_behind_text(file, entries->tail, &entries->room);
}

/* Finds the entry of the dynamic linker's _dl_debug_state: its `ret`, or the landing mark before it, if a jump can
 * replace that. */
static void find_debug_state(struct elf_entries *entries, const struct mentioned *mentioned,
                             const struct elf_file *file)
{
    const struct mentioned *function = &mentioned[NAME_DEBUG_STATE];
    uint64_t vaddr = function->count ? function->vaddr[0] : 0;
    uint8_t code[LANDING_MARK_MOST + RETURN_MOST + ARCH_JUMP_BYTES] = {0};
    size_t size = read_some(file, vaddr, code, sizeof code);
    size_t mark = file->is_compat ? arch_landing_mark_compat(code, size) : arch_landing_mark(code, size);
    bool jump = !file->is_compat && size >= ARCH_JUMP_BYTES && arch_jump_may_replace(code);
    size_t at = jump ? 0 : mark;
    struct elf_entry found = entry_at(file, vaddr + at);
    if (!found.vaddr || !arch_is_return(code + mark, size - mark) || !elf_file_is_text(file, vaddr + mark))
        return;
    entries->debug_state = found;
    entries->debug_state_end = vaddr + mark + 1;
    entries->debug_state_jump = arch_jump_fits(code, size, at);
    elf_file_behind_text(file, vaddr, &entries->room);
}

static bool uses(const struct mentioned *mentioned, enum name name, bool is_static)
{
    return is_static ? mentioned[name].count > 0 : mentioned[name].undefined;
}

static bool refers(const struct mentioned *mentioned, bool is_static)
{
    for (size_t name = 0; name < NAMES_THAT_REFER; name++)
        if (uses(mentioned, (enum name)name, is_static))
            return true;
    return false;
}

int elf_entries_find(const struct elf_file *file, struct elf_entries *entries)
{
    struct mentioned mentioned[NAMES];
    struct elf_sections sections;
    int status = elf_sections_open(&sections, file, NULL);
    *entries = (struct elf_entries){0};
    if (status < 0)
        return status;
    entries->is_static = file->is_program && !file->is_interpreted;
    read_table(mentioned, &sections, entries->is_static ? SHT_SYMTAB : SHT_DYNSYM, file);
    entries->refers = refers(mentioned, entries->is_static);
    /* before glibc 2.34 this was a part of the C library; it calls prctl to name threads */
    bool names_threads = has_soname(&sections, "libpthread.so.0");
    entries->filters = (uses(mentioned, NAME_PRCTL, entries->is_static) && !names_threads) ||
                       uses(mentioned, NAME_SECCOMP_LOAD, entries->is_static);
    entries->numbers = uses(mentioned, NAME_SYSCALL, entries->is_static);
    entries->clones = !entries->is_static && uses(mentioned, NAME_CLONE, false);
    if (entries->is_static || has_soname(&sections, "libc.so.6"))
        find_entries(entries, mentioned, entries->is_static, file);
    /* musl's C library is also its dynamic linker, and its soname is not reliable */
    else if (!file->is_program &&
             (has_soname(&sections, file->is_compat ? ARCH_DYNAMIC_LINKER_COMPAT : ARCH_DYNAMIC_LINKER) ||
              (mentioned[NAME_LIBC_START_MAIN].count && !file->is_interpreted)))
        find_debug_state(entries, mentioned, file);
    elf_sections_close(&sections);
    return status;
}
