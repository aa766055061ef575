/* SPDX-License-Identifier: MIT
 *
 * Selects the running processes to attach to. */
#ifndef DOCTOR_ATTACH_H
#define DOCTOR_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct buffer;
struct error;
struct reader;

enum attach_kind { ATTACH_NAME, ATTACH_CGROUP, ATTACH_CONTAINER };

/* A search that has been made. */
struct attach_searched {
    enum attach_kind kind;
    const char *option; /* not owned */
    char *text;         /* owned */
};

enum { ATTACH_SEARCHES_MOST = 32 };

/* The processes to attach to. A zeroed list is empty. */
struct attach_list {
    pid_t *items; /* owned */
    size_t count, room;
    pid_t *asked; /* processes given by number, owned. The others were found by a search: they are skipped if they have
                   * ended or may not be attached */
    size_t asked_count;
    struct attach_searched searches[ATTACH_SEARCHES_MOST];
    size_t search_count;
};

/* True if PID was given by number. */
bool attach_is_asked(const struct attach_list *list, pid_t pid);

/* Adds PID, unless it is there. Returns 0 or -ENOMEM with ERROR set. */
int attach_add(struct attach_list *list, pid_t pid, struct error *error);

/* Adds the processes in TEXT, each once: "PID[,PID...]", also with blanks or newlines between them. Patterns of names
 * may be among the numbers, see attach_search_name. Returns 0, or -errno with ERROR set: -ESRCH if a pattern fits no
 * process, after all others were added. */
int attach_add_pids(struct attach_list *list, const char *text, struct error *error);

/* Returns true if job control or a SIGSTOP has stopped PID: it will not run. */
bool attach_is_stopped(pid_t pid);

/* Returns true if PID has ended, even if its parent has not reaped it (state Z). */
bool attach_has_ended(pid_t pid);

/* Reads /proc/PID/NAME into TEXT, replacing its content. Returns false if nothing can be read. */
bool attach_read(pid_t pid, const char *name, struct buffer *text);

/* The same by READER, for what the process can make wait: its command line and its maps. */
bool attach_read_in_time(struct reader *reader, pid_t pid, const char *name, struct buffer *text);

/* Reads the kernel's name of PID into TEXT, as attach_read does. A newline may be part of the name. */
bool attach_read_name(pid_t pid, struct buffer *text);

/* Returns that name, which the caller frees, or NULL if it cannot be read. */
char *attach_name(pid_t pid);

void attach_fini(struct attach_list *list);

#endif
