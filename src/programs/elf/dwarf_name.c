/* SPDX-License-Identifier: MIT
 *
 * Names of the functions in DWARF. */
#include "programs/elf/dwarf_parts.h"

#include "common/base/buffer.h"
#include "common/base/hash.h"
#include "common/base/texts.h"
#include "common/names/demangle.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define HOPS_MAX 16   /* steps from an entry to the entry with its name */
#define SCOPES_MAX 64 /* around an entry */

const char *elf_dwarf_text(Dwarf_Die *entry, unsigned name)
{
    Dwarf_Attribute attribute;
    const char *text = dwarf_attr(entry, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
    return text && *text ? text : NULL;
}

/* Moves ENTRY to the entry that its attribute NAME refers to. Returns false if it refers to none. */
static bool follow(Dwarf_Die *entry, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Die to;
    if (!dwarf_attr(entry, name, &attribute) || !dwarf_formref_die(&attribute, &to))
        return false;
    *entry = to;
    return true;
}

/* Returns the linker's name, which is in the declaration. ENTRY refers to it in one or more steps, and is moved there.
 * Returns NULL without such a name; then *PLAIN is the nearest plain name. */
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

/* Appends the name of the function SCOPE and "::", for names inside the function. A linker's name already contains all
 * outer scopes, so it replaces TEXT. */
static void put_function(struct buffer *text, Dwarf_Die scope)
{
    const char *plain, *linkage = linkage_name(&scope, &plain);
    char *readable = linkage ? demangle_name(linkage) : NULL;
    if (readable)
        text->length = 0;
    buffer_printf(text, "%s::", readable ? readable : linkage ? linkage : plain ? plain : "{unnamed}");
    free(readable);
}

/* Identifies an unnamed class as C++ does: a function may have several. */
struct unnamed {
    bool is_lambda;
    Dwarf_Word line, column;
    Dwarf_Off offset, parameters; /* parameters: equal for lambdas with equal parameter types */
};

static bool is_class(Dwarf_Die *entry)
{
    int tag = dwarf_tag(entry);
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static Dwarf_Word number_of(Dwarf_Die *entry, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    return dwarf_attr(entry, name, &attribute) && dwarf_formudata(&attribute, &number) == 0 ? number : 0;
}

/* Combines the types of the parameters of FUNCTION into one number. */
static Dwarf_Off parameters_of(Dwarf_Die function, uint64_t *budget)
{
    Dwarf_Attribute attribute;
    Dwarf_Off sum = 1;
    Dwarf_Die at, type;
    for (int more = dwarf_child(&function, &at); more == 0 && *budget; more = dwarf_siblingof(&at, &at)) {
        --*budget;
        if (dwarf_tag(&at) == DW_TAG_formal_parameter && !dwarf_hasattr(&at, DW_AT_artificial) &&
            dwarf_attr(&at, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, &type))
            sum = sum * 31 + dwarf_dieoffset(&type);
    }
    return sum;
}

/* Describes ENTRY. A class without a name that can be called is a lambda. */
static struct unnamed describe(Dwarf_Die entry, uint64_t *budget)
{
    struct unnamed found = {.line = number_of(&entry, DW_AT_decl_line),
                            .column = number_of(&entry, DW_AT_decl_column),
                            .offset = dwarf_dieoffset(&entry)};
    Dwarf_Die at;
    for (int more = dwarf_child(&entry, &at); more == 0 && *budget && !found.is_lambda;
         more = dwarf_siblingof(&at, &at)) {
        const char *name = elf_dwarf_text(&at, DW_AT_name);
        --*budget;
        found.is_lambda = dwarf_tag(&at) == DW_TAG_subprogram && name && strncmp(name, "operator()", 10) == 0;
        if (found.is_lambda)
            found.parameters = parameters_of(at, budget);
    }
    return found;
}

static bool comes_before(const struct unnamed *one, const struct unnamed *other)
{
    if (one->line != other->line)
        return one->line < other->line;
    return one->column != other->column ? one->column < other->column : one->offset < other->offset;
}

/* Counts the unnamed classes of the same kind as WANTED that come before it in SCOPE and its blocks. */
static unsigned count_before(Dwarf_Die scope, const struct unnamed *wanted, int depth, uint64_t *budget)
{
    unsigned count = 0;
    Dwarf_Die at;
    for (int more = dwarf_child(&scope, &at); more == 0 && *budget; more = dwarf_siblingof(&at, &at)) {
        --*budget;
        if (dwarf_tag(&at) == DW_TAG_lexical_block && depth < SCOPES_MAX)
            count += count_before(at, wanted, depth + 1, budget);
        if (!is_class(&at) || elf_dwarf_text(&at, DW_AT_name))
            continue;
        struct unnamed other = describe(at, budget);
        count += other.is_lambda == wanted->is_lambda && other.parameters == wanted->parameters &&
                 comes_before(&other, wanted);
    }
    return count;
}

/* Appends the name of ENTRY, an unnamed class in SCOPE, as demanglers number such classes. */
static void put_unnamed(struct buffer *text, Dwarf_Die entry, Dwarf_Die scope, uint64_t *budget)
{
    struct unnamed found = describe(entry, budget);
    unsigned number = count_before(scope, &found, 0, budget) + 1;
    buffer_printf(text, found.is_lambda ? "{lambda#%u}::" : "{unnamed#%u}::", number);
}

static void put_scope(struct buffer *text, Dwarf_Die scope, Dwarf_Die around, uint64_t *budget)
{
    const char *name = elf_dwarf_text(&scope, DW_AT_name);
    switch (dwarf_tag(&scope)) {
    case DW_TAG_namespace:
        buffer_printf(text, "%s::", name ? name : "(anonymous namespace)");
        break;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        if (name)
            buffer_printf(text, "%s::", name);
        else
            put_unnamed(text, scope, around, budget);
        break;
    case DW_TAG_subprogram:
        put_function(text, scope);
        break;
    default:
        break;
    }
}

/* Appends all scopes around ENTRY in its unit. AT: the unit's first entry. An entry contains all entries between itself
 * and its next sibling. */
static void put_scopes(struct buffer *text, Dwarf_Die at, Dwarf_Die *entry, uint64_t *budget)
{
    Dwarf_Off wanted = dwarf_dieoffset(entry);
    Dwarf_Die next, around = at;
    for (int depth = 0; depth < SCOPES_MAX && dwarf_child(&at, &at) == 0; depth++) {
        while (*budget && dwarf_siblingof(&at, &next) == 0 && dwarf_dieoffset(&next) <= wanted) {
            at = next;
            --*budget;
        }
        if (!*budget || dwarf_dieoffset(&at) >= wanted)
            return;
        put_scope(text, at, around, budget);
        if (dwarf_tag(&at) != DW_TAG_lexical_block)
            around = at;
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
    case -1: /* dwz moved shared entries there */
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
    put_scopes(&text, unit, &named, budget);
    if (text.length && buffer_puts(&text, plain) && !text.failed)
        number = texts_add(made, text.bytes);
    buffer_fini(&text);
    return number == HASH_NONE ? plain : made->items[number];
}
