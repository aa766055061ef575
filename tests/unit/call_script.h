/* SPDX-License-Identifier: MIT
 *
 * Tests of the emulated calls profil, sprofil and pcsample in one process, as a line of text. A script has words of
 * the form STEP=RESULT, with spaces between them. It fails if a result differs. All numbers are hexadecimal.
 *
 *   profil:BUFFER,SIZE,OFFSET,SCALE=0      profil! for a bad buffer; the result is 0 or the name of the error
 *   sprofil:FLAGS,SIZE,OFFSET,SCALE...=0   a region for each three numbers, its buffer at 1000 * (its number + 1);
 *                                          sprofil! for unreadable regions, sprofil? for a bad tvp
 *   sprofil#COUNT=0                        COUNT regions of scale 2
 *   pcsample:ARRAY,COUNT=0                 pcsample4 for a 32-bit process
 *   tick:PC,TICKS=UPDATE                   bills ticks, and stores the update. A cell is REGION@ADDRESS/WIDTH and
 *                                          w, s or h (wraps, saturates, halts); an array is
 *                                          ADDRESS/WIDTH*ELEMENTS; "-" is no update
 *   fault:PC,TICKS,STORED=UPDATE           a tick; memory protection allows only STORED elements to be stored
 *   stop=                                  the counter stops profiling
 *   fork=, exec=                           continues as the child, as the new image
 *   parent=                                continues as the parent of the last fork
 *   checks:SCALE=yes                       does profil (SIZE 10) check its buffer?
 *   reads#COUNT=yes, first=yes             does sprofil read its regions? Does it write *tvp first?
 *   on=yes, stored=0, billed=0             the state; every call of profil has a clock of 77 ticks */
#ifndef CALL_SCRIPT_H
#define CALL_SCRIPT_H

#include "common/semantics/call_state.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_CLOCK = 0x77, SCRIPT_NUMBERS = 32 };

struct script {
    const struct semantics *semantics;
    struct call_state state, parent;
    uint64_t numbers[SCRIPT_NUMBERS];
    size_t count;
    char result[64];
};

static inline void script_error(struct script *script, int64_t result)
{
    static const struct {
        int number;
        const char *name;
    } errors[] = {
        {-EINVAL, "EINVAL"}, {-EFAULT, "EFAULT"}, {-ENOSYS, "ENOSYS"}, {-E2BIG, "E2BIG"}, {-ENOMEM, "ENOMEM"},
    };
    snprintf(script->result, sizeof script->result, "%lx", result);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == result)
            snprintf(script->result, sizeof script->result, "%s", errors[i].name);
}

static inline void script_yes(struct script *script, bool yes)
{
    snprintf(script->result, sizeof script->result, "%s", yes ? "yes" : "no");
}

static inline void script_profil(struct script *script, bool bad)
{
    const uint64_t *number = script->numbers;
    struct histogram wanted = {number[0], number[1], number[2], number[3], false};
    script_error(script, call_profil(&script->state, script->semantics, &wanted, bad, SCRIPT_CLOCK));
}

static inline void script_sprofil(struct script *script, bool readable, bool writable)
{
    struct histogram regions[SCRIPT_NUMBERS];
    int count = 0;
    for (size_t i = 1; i + 3 <= script->count; i += 3, count++)
        regions[count] = (struct histogram){0x1000 * ((uint64_t)count + 1), script->numbers[i], script->numbers[i + 1],
                                            script->numbers[i + 2], false};
    script_error(script, call_sprofil(&script->state, script->semantics, readable ? regions : NULL, count,
                                      (unsigned)script->numbers[0], writable, SCRIPT_CLOCK));
}

static inline void script_many(struct script *script)
{
    static struct histogram regions[CALL_MOST_REGIONS]; /* call_sprofil reads no more */
    for (size_t i = 0; i < CALL_MOST_REGIONS; i++)
        regions[i] = (struct histogram){0x1000, 2, 1, 2, false};
    script_error(script, call_sprofil(&script->state, script->semantics, regions, (int)script->numbers[0], 0, true,
                                      SCRIPT_CLOCK));
}

static inline struct call_update script_bill(struct script *script)
{
    const struct call_state before = script->state;
    struct call_update update =
        call_state_bill(&script->state, script->semantics, script->numbers[0], script->numbers[1]);
    ck_assert(!memcmp(&before, &script->state, sizeof before));
    if (update.what == UPDATE_CELL)
        snprintf(script->result, sizeof script->result, "%d@%lx/%u%c", update.region, update.address, update.width,
                 "wsh"[update.counter]);
    else if (update.what == UPDATE_ARRAY)
        snprintf(script->result, sizeof script->result, "%lx/%u*%lx", update.address, update.width, update.elements);
    else
        snprintf(script->result, sizeof script->result, "-");
    return update;
}

static inline void script_tick(struct script *script, bool fault)
{
    struct call_update update = script_bill(script);
    if (update.what == UPDATE_NOTHING)
        return;
    call_state_written(&script->state, &update, fault ? script->numbers[2] : update.elements);
    if (fault)
        call_state_fault(&script->state, script->semantics, &update);
}

static inline void script_fork(struct script *script)
{
    struct call_state child = {0};
    ck_assert_int_eq(call_state_fork(&child, &script->state, script->semantics), 0);
    call_state_fini(&script->parent);
    script->parent = script->state;
    script->state = child;
}

static inline void script_parent(struct script *script)
{
    call_state_fini(&script->state);
    script->state = script->parent;
    memset(&script->parent, 0, sizeof script->parent);
}

static inline bool script_call(struct script *script, const char *verb)
{
    if (!strcmp(verb, "profil") || !strcmp(verb, "profil!"))
        script_profil(script, verb[strlen(verb) - 1] == '!');
    else if (!strcmp(verb, "sprofil") || !strcmp(verb, "sprofil!") || !strcmp(verb, "sprofil?"))
        script_sprofil(script, verb[strlen(verb) - 1] != '!', verb[strlen(verb) - 1] != '?');
    else if (!strcmp(verb, "sprofil#"))
        script_many(script);
    else if (!strcmp(verb, "pcsample") || !strcmp(verb, "pcsample4"))
        script_error(script, call_pcsample(&script->state, script->numbers[0], (int64_t)script->numbers[1],
                                           strcmp(verb, "pcsample4") ? 8 : 4, SCRIPT_CLOCK));
    else if (!strcmp(verb, "checks"))
        script_yes(script, call_profil_checks_buffer(script->semantics,
                                                     &(struct histogram){0x1000, 0x10, 0, script->numbers[0], false}));
    else if (!strcmp(verb, "reads#"))
        script_yes(script, call_sprofil_reads(&script->state, script->semantics, (int)script->numbers[0]));
    else if (!strcmp(verb, "first"))
        script_yes(script, call_sprofil_writes_first(script->semantics));
    else
        return false;
    return true;
}

static inline void script_event(struct script *script, const char *verb)
{
    if (!strcmp(verb, "tick") || !strcmp(verb, "fault"))
        script_tick(script, *verb == 'f');
    else if (!strcmp(verb, "stop"))
        call_state_stop(&script->state);
    else if (!strcmp(verb, "fork"))
        script_fork(script);
    else if (!strcmp(verb, "exec"))
        call_state_exec(&script->state);
    else if (!strcmp(verb, "parent"))
        script_parent(script);
    else if (!strcmp(verb, "on"))
        script_yes(script, call_state_active(&script->state));
    else if (!strcmp(verb, "stored"))
        script_error(script, (int64_t)script->state.stored);
    else if (!strcmp(verb, "billed"))
        script_error(script, (int64_t)script->state.billed_ticks);
    else
        ck_abort_msg("there is no step %s", verb);
}

/* Runs the step at the beginning of STEP. It ends at its =, and its verb ends at its : or #. */
static inline void script_step(struct script *script, const char *step)
{
    size_t length = strcspn(step, ":#=");
    char verb[16];
    const char *numbers = step + length + (step[length] != '=');
    snprintf(verb, sizeof verb, "%.*s", (int)(length + (step[length] == '#')), step);
    for (script->count = 0; *numbers != '='; script->count++) {
        char *end;
        ck_assert_msg(script->count < SCRIPT_NUMBERS, "too long: %s", step);
        script->numbers[script->count] = strtoull(numbers, &end, 16);
        ck_assert_msg(end > numbers && (*end == ',' || *end == '='), "cannot read: %s", step);
        numbers = end + (*end == ',');
    }
    *script->result = '\0';
    if (!script_call(script, verb))
        script_event(script, verb);
}

/* Runs TEXT for a new process under SEMANTICS. ID is for the messages. */
static inline void script_run(const struct semantics *semantics, const char *id, const char *text)
{
    struct script script = {.semantics = semantics};
    for (const char *step = text + strspn(text, " "); *step; step += strspn(step, " ")) {
        const char *expected = strchr(step, '=') + 1;
        size_t length = strcspn(expected, " ");
        script_step(&script, step);
        ck_assert_msg(strlen(script.result) == length && !strncmp(script.result, expected, length),
                      "%s, %s: %.*s: got %s", semantics->name, id, (int)(expected + length - step), step,
                      script.result);
        step = expected + length;
    }
    call_state_fini(&script.state);
    call_state_fini(&script.parent);
}

#endif
