/* SPDX-License-Identifier: MIT */
#include "programs/unwind/object.h"

#include "programs/elf/file.h"
#include "programs/elf/symbols.h"
#include "programs/elf/unwind_index.h"
#include "programs/unwind/rules.h"
#include "programs/unwind/walk.h"

#include <stdlib.h>
#include <string.h>

/* A number has its highest bit set, unlike any address of a program. Below it are the object and the location in the
 * object. */
enum { OBJECT_SHIFT = 33, RULES_SHIFT = 32 };
#define NUMBER_FIRST (UINT64_C(1) << 63)
#define OBJECTS_MAX (UINT64_C(1) << (63 - OBJECT_SHIFT))
#define PAGE UINT64_C(4096)
#define RULES_MAX (64 * 1024 * 1024) /* bytes; the largest programs use far less */

/* Makes an object of FILE, and takes ownership of FILE even if it fails. */
static struct unwind_object *make(struct unwinder *unwinder, struct elf_file *file)
{
    struct unwind_object *object = calloc(1, sizeof *object);
    uint64_t start, end;
    if (object && unwinder->dwarf)
        object->tables = elf_unwind_index_new(file, unwinder->unpack, &unwinder->tables_room);
    if (!object || (unwinder->dwarf && !object->tables) || unwinder->objects >= OBJECTS_MAX) {
        elf_file_close(file);
        free(object);
        return NULL;
    }
    elf_file_text_range(file, &start, &end);
    object->file = file;
    object->text = start - start % PAGE;
    object->base = NUMBER_FIRST | unwinder->objects++ << OBJECT_SHIFT;
    return object;
}

struct unwind_object *unwind_object_new(struct unwinder *unwinder, int fd)
{
    struct elf_file *file;
    return elf_file_open(fd, &file, NULL) < 0 ? NULL : make(unwinder, file);
}

struct unwind_object *unwind_object_new_vdso(struct unwinder *unwinder, bool compat)
{
    struct elf_file *file;
    int result = compat ? elf_file_from_compat_vdso(&file, NULL) : elf_file_from_vdso(&file, NULL);
    return result < 0 ? NULL : make(unwinder, file);
}

uint64_t unwind_object_memory(const struct unwind_object *object)
{
    if (!object)
        return 0;
    return sizeof *object + object->bytes.length + object->room * sizeof *object->items +
           (object->tables ? elf_unwind_index_bytes(object->tables) : 0) +
           (object->symbols ? elf_symbols_bytes(object->symbols) : 0);
}

void unwind_object_free(struct unwind_object *object)
{
    if (!object)
        return;
    elf_unwind_index_free(object->tables);
    elf_symbols_free(object->symbols);
    elf_file_close(object->file);
    buffer_fini(&object->bytes);
    free(object->items);
    hash_fini(&object->index);
    free(object);
}

bool unwind_object_numbered(const struct unwind_object *object, uint64_t vaddr)
{
    return vaddr >= object->text && vaddr - object->text < UINT64_C(1) << RULES_SHIFT;
}

bool unwind_object_has(const struct unwind_object *object, uint64_t number)
{
    return number >> OBJECT_SHIFT == object->base >> OBJECT_SHIFT;
}

uint64_t unwind_object_number(const struct unwind_object *object, uint64_t vaddr)
{
    return object->base + (vaddr - object->text);
}

uint64_t unwind_object_rules_number(const struct unwind_object *object, uint64_t place)
{
    return object->base + (UINT64_C(1) << RULES_SHIFT) + place;
}

static bool has_key(const void *owner, uint32_t number, const void *key)
{
    const struct unwind_object *object = owner;
    return object->items[number].key == *(const uint64_t *)key;
}

/* Keeps the rules in FOUND. */
static const struct unwind_rules *keep_rules(struct unwind_object *object, const struct elf_unwind_found *found)
{
    struct unwind_rules rules = {.start = found->record.start,
                                 .end = found->record.end,
                                 .key = found->key,
                                 .place = object->bytes.length,
                                 .is_signal = found->common->is_signal};
    uint32_t number;

    if (object->bytes.length > RULES_MAX ||
        !unwind_rules_write(&object->bytes, found, unwind_object_number(object, rules.start)))
        return NULL;
    number = HASH_APPEND(object, hash_number(rules.key), &rules);
    return number == HASH_NONE ? NULL : &object->items[number];
}

const struct unwind_rules *unwind_object_rules(struct unwind_object *object, uint64_t vaddr)
{
    struct elf_unwind_found found;
    uint32_t number;
    if (!object->tables || !elf_unwind_index_find(object->tables, vaddr, &found) ||
        !unwind_object_numbered(object, found.record.start) || !unwind_object_numbered(object, found.record.end))
        return NULL;
    number = hash_find(&object->index, hash_number(found.key), has_key, object, &found.key);
    return number == HASH_NONE ? keep_rules(object, &found) : &object->items[number];
}

/* Sets *FUNCTION to the function at VADDR in the file's own symbols. Returns false if they have none there. */
static bool find_function(struct unwind_object *object, uint64_t vaddr, struct elf_symbol *function)
{
    if (!object->has_looked && elf_symbols_new(object->file, NULL, &object->symbols, NULL) < 0)
        object->symbols = NULL;
    object->has_looked = true;
    return object->symbols && elf_symbols_find(object->symbols, vaddr, function) &&
           function->kind == ELF_SYMBOL_FUNCTION;
}

bool unwind_object_bounds(struct unwind_object *object, uint64_t vaddr, uint64_t *start, uint64_t *end)
{
    struct elf_symbol symbol;
    bool named = find_function(object, vaddr, &symbol);
    const struct unwind_rules *rules = named ? NULL : unwind_object_rules(object, vaddr);
    *start = named ? symbol.start : rules ? rules->start : 0;
    *end = named ? symbol.end : rules ? rules->end : 0;
    return named || rules;
}

bool unwind_object_read_rules(const struct unwind_object *object, uint64_t number, uint64_t *word)
{
    uint64_t place = number - unwind_object_rules_number(object, 0);
    if (object->bytes.length < sizeof *word || place > object->bytes.length - sizeof *word)
        return false;
    memcpy(word, object->bytes.bytes + place, sizeof *word);
    return true;
}
