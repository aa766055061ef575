/* SPDX-License-Identifier: MIT
 *
 * The rules of the calls for each system, as data. The code and its documentation both use this table. Pure. */
#ifndef SEMANTICS_SEMANTICS_H
#define SEMANTICS_SEMANTICS_H

#include <stddef.h>

/* Source of a rule: the system's manual page, its openly licensed source, or a decision made here. */
enum rule_source { RULE_PAGE, RULE_BUILT, RULE_CHOSEN };

/* The values of rules that the code needs. If a system has no such rule, the first value of the enum applies. */
enum rule_validation { VALIDATE_NOTHING, VALIDATE_SCALE, VALIDATE_REFUSE_ALL };
enum bin_formula { INDEX_NEVER, INDEX_BSD, INDEX_BSD_BUILT, INDEX_IRIX, INDEX_LINUX, INDEX_ILLUMOS };
enum rule_disable { DISABLE_SCALE_0, DISABLE_SCALE_0_OR_1, DISABLE_NULL_BUFFER };
enum rule_bad_buffer { BAD_BUFFER_AT_TICK, BAD_BUFFER_REFUSED };
enum rule_counter { COUNTER_WRAPS, COUNTER_SATURATES, COUNTER_STOPS_AT_32767 };
enum rule_fork { FORK_OFF, FORK_COPIED };
enum rule_sprofil { SPROFIL_NONE, SPROFIL_SERVED };
enum rule_repeated { REPEATED_REPLACES, REPEATED_DISABLES };
enum rule_no_region { NO_REGION_ALL_OFF, NO_REGION_KEEPS_PROFIL };
enum rule_limit { LIMIT_65536, LIMIT_100 };
enum rule_interval { INTERVAL_IF_TAKEN, INTERVAL_ALWAYS };
enum rule_overflow { OVERFLOW_ELSEWHERE_ORDINARY, OVERFLOW_ELSEWHERE_REFUSED };
enum rule_fault { FAULT_ALL_OFF, FAULT_REGION_OFF };

/* The rules that the code reads. */
enum rule_key {
    RULE_PROFIL_VALIDATION,
    RULE_PROFIL_INDEX,
    RULE_PROFIL_COUNTED, /* value equal to that of the index: one rule, described in two places */
    RULE_PROFIL_DISABLE,
    RULE_PROFIL_BAD_BUFFER,
    RULE_PROFIL_COUNTER,
    RULE_PROFIL_FORK,
    RULE_SPROFIL,
    RULE_SPROFIL_NO_REGION,
    RULE_SPROFIL_REPEATED,
    RULE_SPROFIL_LIMIT,
    RULE_SPROFIL_INTERVAL,
    RULE_SPROFIL_OVERFLOW_ELSEWHERE,
    RULE_SPROFIL_INDEX,
    RULE_SPROFIL_COUNTER,
    RULE_SPROFIL_FAULT,
    RULE_SPROFIL_FORK,
    RULES_READ_BY_CODE,
    RULE_ONLY_DESCRIBED = RULES_READ_BY_CODE /* has only one form, and no value */
};

/* The system of a rule. The rules of pcsample are the same under every system, and separate. */
enum rule_system {
    SYSTEM_LINUX = 1,
    SYSTEM_FREEBSD = 2,
    SYSTEM_FREEBSD_BUILT = 4,
    SYSTEM_IRIX = 8,
    SYSTEM_DARWIN = 16,
    SYSTEM_DARWIN_CLASSIC = 32,
    SYSTEM_ILLUMOS = 64,
    SYSTEM_EVERY = 128
};

struct rule {
    const char *id;   /* "profil.fork"; the full name is SYSTEM.ID, "freebsd.profil.fork", or ID alone for pcsample */
    unsigned systems; /* bits of enum rule_system */
    enum rule_source source;
    const char *text; /* one or more sentences */
    enum rule_key place;
    int value; /* value of the enum that belongs to the rule, or 0 */
};

struct semantics {
    const char *name;        /* as for --semantics */
    const char *description; /* its meaning, in one line */
    enum rule_system system;
};

/* All systems, and their number. The first is linux, the default. */
extern const struct semantics semantics_systems[];
extern const size_t semantics_system_count;

/* The rules of pcsample, under its name. They are the same under every system. semantics_find does not find it. */
extern const struct semantics semantics_pcsample;

/* Returns the system called NAME, or NULL. */
const struct semantics *semantics_find(const char *name);

/* Returns the rule of SEMANTICS that follows RULE in the table (RULE NULL: the first), or NULL after the last. A
 * loop for (const struct rule *rule = NULL; (rule = semantics_next(semantics, rule));) over all systems and
 * semantics_pcsample visits every rule. */
const struct rule *semantics_next(const struct semantics *semantics, const struct rule *rule);

/* Writes the full name of RULE under SEMANTICS to NAME, at most SIZE bytes. Returns its length, like snprintf. */
int semantics_rule_name(const struct semantics *semantics, const struct rule *rule, char *name, size_t size);

/* Returns the value of a rule, or 0 if the system does not have it. */
int semantics_value(const struct semantics *semantics, enum rule_key rule);

/* "page", "built" or "chosen". */
const char *semantics_source_name(enum rule_source source);

#endif
