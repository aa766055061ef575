/* SPDX-License-Identifier: MIT */
#include "elf/dwarf_name.h"

#include "base/buffer.h"
#include "names/demangle.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define HOPS_MAX 16   /* from an entry to the one that has its name */
#define SCOPES_MAX 64 /* around an entry */

const char *elf_dwarf_text(Dwarf_Die *entry, unsigned name)
{
    Dwarf_Attribute attribute;
    const char *text = dwarf_attr(entry, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
    return text && *text ? text : NULL;
}

/* Goes from ENTRY to the one that attribute NAME of it refers to. */
static bool follow(Dwarf_Die *entry, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Die to;
    if (!dwarf_attr(entry, name, &attribute) || !dwarf_formref_die(&attribute, &to))
        return false;
    *entry = to;
    return true;
}

/* The linker's name is at the declaration, which ENTRY refers to in one or more steps; it becomes that.
 * Without one, the nearest plain name is *PLAIN. */
static const char *linkage_name(Dwarf_Die *entry, const char **plain)
{
    const char *name;
    *plain = NULL;
    for (int hops = 0; hops < HOPS_MAX; hops++) {
        name = elf_dwarf_text(entry, DW_AT_linkage_name);
        if (!name)
            name = elf_dwarf_text(entry, DW_AT_MIPS_linkage_name);
        if (name)
            return name;
        if (!*plain)
            *plain = elf_dwarf_text(entry, DW_AT_name);
        if (!follow(entry, DW_AT_abstract_origin) && !follow(entry, DW_AT_specification))
            break;
    }
    return NULL;
}

/* Appends what stands before "::" of what is within the function SCOPE: its own name, which says all that is
 * around it if it is the linker's. */
static void put_function(struct buffer *text, Dwarf_Die scope)
{
    const char *plain, *linkage = linkage_name(&scope, &plain);
    char *readable = linkage ? demangle_name(linkage) : NULL;
    if (readable)
        text->length = 0;
    buffer_printf(text, "%s::", readable ? readable : linkage ? linkage : plain ? plain : "{unnamed}");
    free(readable);
}

static void put_scope(struct buffer *text, Dwarf_Die scope, const char *unnamed)
{
    const char *name = elf_dwarf_text(&scope, DW_AT_name);
    switch (dwarf_tag(&scope)) {
    case DW_TAG_namespace:
        buffer_printf(text, "%s::", name ? name : "(anonymous namespace)");
        break;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        buffer_printf(text, "%s::", name ? name : unnamed);
        break;
    case DW_TAG_subprogram:
        put_function(text, scope);
        break;
    default:
        break;
    }
}

/* Appends all that is around ENTRY in its unit, whose first entry is AT. What follows an entry is within it
 * if it comes before its next sibling. UNNAMED: what a class without a name is called. */
static void put_scopes(struct buffer *text, Dwarf_Die at, Dwarf_Die *entry, const char *unnamed, uint64_t *budget)
{
    Dwarf_Off wanted = dwarf_dieoffset(entry);
    Dwarf_Die next;
    for (int depth = 0; depth < SCOPES_MAX && dwarf_child(&at, &at) == 0; depth++) {
        while (*budget && dwarf_siblingof(&at, &next) == 0 && dwarf_dieoffset(&next) <= wanted) {
            at = next;
            --*budget;
        }
        if (!*budget || dwarf_dieoffset(&at) >= wanted)
            return;
        put_scope(text, at, unnamed);
    }
}

static bool has_scopes(Dwarf_Die *unit)
{
    switch (dwarf_srclang(unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2b: /* C++ 17 */
    case 0x2c: /* C++ 20 */
        return true;
    case -1: /* what dwz has moved together */
        return dwarf_tag(unit) == DW_TAG_partial_unit;
    default:
        return false;
    }
}

const char *elf_dwarf_name(Dwarf_Die *entry, struct texts *made, uint64_t *budget)
{
    const char *plain, *linkage;
    struct buffer text = {0};
    Dwarf_Die named = *entry, unit;
    uint32_t number = HASH_NONE;
    linkage = linkage_name(&named, &plain);
    if (linkage || !plain)
        return linkage ? linkage : "";
    if (!dwarf_diecu(&named, &unit, NULL, NULL) || !has_scopes(&unit))
        return plain;
    /* gcc does not name the class of a lambda */
    put_scopes(&text, unit, &named, strncmp(plain, "operator()", 10) == 0 ? "{lambda}" : "{unnamed}", budget);
    if (text.length && buffer_puts(&text, plain) && !text.failed)
        number = texts_add(made, text.bytes);
    buffer_fini(&text);
    return number == HASH_NONE ? plain : made->items[number];
}
