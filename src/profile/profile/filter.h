/* SPDX-License-Identifier: MIT
 *
 * Keeps only the requested part of a profile. */
#ifndef PROFILE_FILTER_H
#define PROFILE_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct profile;

/* A time in a profile: the first mark with this text after the previous mark of the option. Without a text, a time
 * since the beginning. */
struct filter_moment {
    const char *mark; /* LENGTH bytes of an argument; not owned */
    size_t length;
    uint64_t ns;
};

/* A stretch of time. Its end is not part of it. */
struct filter_stretch {
    struct filter_moment from, to;
};

/* Zero it before the first use: then everything is kept. An empty list excludes nothing; of any other list, one entry
 * must match. Time without a sample counts as a sample of its process with the single frame "[unsampled]", in no module
 * and no thread. */
struct filter {
    struct filter_numbers {
        pid_t *items;
        size_t count, room;
    } pids, tids;
    struct filter_names {
        const char **items; /* not owned */
        size_t count, room;
    } ranks,     /* ranks of the process; lists, see rank_is_list */
        comms,   /* names of the process or the thread */
        modules; /* modules of the innermost frame, by path or by name, or "[kernel]" */
    struct filter_patterns {
        regex_t *items;
        size_t count, room;
    } focus, ignore; /* focus: one of the frames must match; ignore: none may */
    struct filter_stretches {
        struct filter_stretch *items;
        size_t count, room;
    } between; /* the time must be in one of these */
    struct filter_asked {
        char **items; /* owned */
        size_t count, room;
    } asked; /* the options as given, joined for each list */
};

void filter_fini(struct filter *filter);

/* Add to a list: positive numbers separated by commas (numbers), a name or a shell pattern, which must outlive the
 * filter (name), or an extended regular expression (pattern). OPTION: the option's name, for errors. Return 0, or
 * -EINVAL or -ENOMEM with ERROR set. */
int filter_add_numbers(struct filter_numbers *numbers, const char *option, const char *text, struct error *error);
int filter_add_name(struct filter_names *names, const char *option, const char *name, struct error *error);
int filter_add_pattern(struct filter_patterns *patterns, const char *option, const char *text, struct error *error);

/* Like filter_add_name, for a list of ranks such as "0,7,100-131". */
int filter_add_ranks(struct filter_names *ranks, const char *option, const char *list, struct error *error);

/* Adds STRETCH. Returns 0, or -ENOMEM with ERROR set. */
int filter_add_stretch(struct filter_stretches *stretches, struct filter_stretch stretch, struct error *error);

/* Stores that OPTION ("--focus") was given with the argument TEXT. Returns 0, or -ENOMEM with ERROR set. */
int filter_note(struct filter *filter, const char *option, const char *text, struct error *error);

/* Returns 0, or -ENODATA with ERROR set if FILTER needs times or marks that PROFILE does not have. */
int filter_check(const struct filter *filter, const struct profile *profile, struct error *error);

/* Sets *FOUND to whether filter_apply would keep anything of PROFILE. PROFILE stays unchanged. Returns 0 or -ENOMEM. */
int filter_finds(const struct filter *filter, struct profile *profile, bool *found);

/* Removes from PROFILE the samples that do not match, and processes without any remaining time. Sets whole_ns to the
 * previous time, and left_ns to the time that each option kept. The quality stays that of the whole profile, except for
 * the tracer's CPU time, which is meaningless for a part. With a filter by time, a wait keeps the part inside the
 * stretch, and samples of unknown time are removed. Returns 0, or -ENOMEM; then only profile_free may be called for
 * PROFILE. */
int filter_apply(const struct filter *filter, struct profile *profile);

#endif
