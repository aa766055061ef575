/* SPDX-License-Identifier: MIT
 *
 * ptprofil-conformance: tests rule by rule that profil, sprofil and pcsample behave as on a given system. */
#include "run.h"
#include "spin.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

enum { STATUS_BROKEN = 1, STATUS_USAGE = 2 };
enum { NAME_SIZE = 64, NOTES_MAX = 64 };

static const char help[] =
    "Usage: ptprofil --semantics=SYSTEM --calls=on -q -- ptprofil-conformance --system=SYSTEM [RULE...]\n"
    "       ptprofil-conformance --oracle [RULE...]\n"
    "\n"
    "Calls profil, sprofil and pcsample, and shows rule by rule that they do what those of SYSTEM do. Prints the\n"
    "results in the Test Anything Protocol. RULE is a rule's name without the system, as profil.fork, or the\n"
    "beginning of one; without any all rules of SYSTEM are shown.\n"
    "\n"
    "      --system=SYSTEM  whose rules: linux (default), freebsd, freebsd:built, irix, darwin, darwin:classic,\n"
    "                       illumos\n"
    "      --oracle         unsupervised: the rules of linux that the C library's own profil and sprofil keep, too\n"
    "      --list           print the names of the rules that would be shown, and do nothing\n"
    "      --version        print the version\n"
    "      --help           print this text\n"
    "\n"
    "Exit status: 0 if no rule was found broken, 1 if one was, 2 for a wrong command line.\n";

static const struct conformance_case *const subjects[] = {
    cases_profil,  cases_cells,         cases_memory,   cases_processes,       cases_threads,
    cases_sprofil, cases_sprofil_calls, cases_pcsample, cases_pcsample_memory,
};

struct session {
    char **wanted; /* NULL after the last */
    bool list;
    unsigned lines;                           /* test lines in the TAP output */
    unsigned rules, shown, broken, not_shown; /* numbers of rules, not of cases */
    char notes[NOTES_MAX][NAME_SIZE + 258];   /* reasons why rules were not shown */
};

/* State of a rule while its cases run. */
struct rule_state {
    char name[NAME_SIZE];
    bool shown, broken;
    const char *reason;
};

static bool is_wanted(const struct session *session, const char *id)
{
    if (!*session->wanted)
        return true;
    for (char **wanted = session->wanted; *wanted; wanted++)
        if (strncmp(id, *wanted, strlen(*wanted)) == 0)
            return true;
    return false;
}

static void print_line(struct session *session, const struct rule_state *rule, const struct conformance_case *item,
                       const struct run_result *result)
{
    bool broken = result->outcome == OUTCOME_BROKEN || result->outcome == OUTCOME_OFF_COUNT;
    const char *remark = item && item->run ? item->remark : NULL;

    if (broken && *result->text)
        printf("# %s\n", result->text);
    printf("%sok %u - %s%s%s", broken ? "not " : "", ++session->lines, rule->name, remark ? ": " : "",
           remark ? remark : "");
    if (result->outcome == OUTCOME_SKIPPED)
        printf(" # SKIP %s", result->text);
    else if (result->attempts > 1)
        printf(" (attempt %u)", result->attempts);
    putchar('\n');
    fflush(stdout);
}

/* Runs one case of RULE, or reports why it cannot run. */
static void show(struct session *session, struct rule_state *rule, const struct conformance_case *item)
{
    struct run_result result = {.outcome = OUTCOME_SKIPPED};

    if (item->run)
        result = run_case(item);
    else
        snprintf(result.text, sizeof result.text, "%s", item->remark);
    print_line(session, rule, item, &result);
    if (result.outcome == OUTCOME_SHOWN)
        rule->shown = true;
    else if (result.outcome != OUTCOME_SKIPPED)
        rule->broken = true;
    else if (session->not_shown < NOTES_MAX)
        snprintf(session->notes[session->not_shown], sizeof *session->notes, "%s: %s", rule->name, result.text);
}

static void count(struct session *session, const struct rule_state *rule)
{
    session->rules++;
    if (rule->broken)
        session->broken++;
    else if (rule->shown)
        session->shown++;
    else
        session->not_shown++;
}

/* Runs all cases of RULE. A rule without cases counts as broken, since this program forgot it. */
static void show_rule(struct session *session, const struct semantics *owner, const struct rule *rule)
{
    struct rule_state state = {0};
    unsigned cases = 0;

    semantics_rule_name(owner, rule, state.name, sizeof state.name);
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        for (const struct conformance_case *item = subjects[i]; item->id; item++) {
            if (strcmp(item->id, rule->id) != 0 || !is_in(item->systems) || (conformance_oracle && !item->oracle))
                continue;
            cases++;
            if (!session->list)
                show(session, &state, item);
        }
    if (conformance_oracle && !cases)
        return;
    if (session->list) {
        puts(state.name);
        return;
    }
    if (!cases) {
        struct run_result hole = {.outcome = OUTCOME_BROKEN, .text = "there is no case for this rule"};
        print_line(session, &state, NULL, &hole);
        state.broken = true;
    }
    count(session, &state);
}

static void show_all(struct session *session, const struct semantics *owner)
{
    for (const struct rule *rule = NULL; (rule = semantics_next(owner, rule));)
        if (is_wanted(session, rule->id))
            show_rule(session, owner, rule);
}

static bool has_rule(const struct semantics *owner, const char *id)
{
    for (const struct rule *rule = NULL; (rule = semantics_next(owner, rule));)
        if (strcmp(rule->id, id) == 0)
            return true;
    return false;
}

/* Reports cases without a rule in the tables of this system and of pcsample: the table lacks a rule. */
static void find_strays(struct session *session)
{
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        for (const struct conformance_case *item = subjects[i]; item->id; item++) {
            struct run_result stray = {.outcome = OUTCOME_BROKEN, .text = "there is no rule for this case"};
            struct rule_state state = {0};
            if (!is_in(item->systems) || has_rule(conformance_system, item->id) ||
                has_rule(&semantics_pcsample, item->id))
                continue;
            snprintf(state.name, sizeof state.name, "%s.%s", conformance_system->name, item->id);
            print_line(session, &state, item, &stray);
            session->broken++;
        }
}

static int conclude(const struct session *session)
{
    printf("1..%u\n", session->lines);
    printf("# %s: %u rules: %u shown, %u not shown here, %u broken\n",
           conformance_oracle ? "the C library" : conformance_system->name, session->rules, session->shown,
           session->not_shown, session->broken);
    for (unsigned i = 0; i < session->not_shown && i < NOTES_MAX; i++)
        printf("# not shown: %s\n", session->notes[i]);
    return session->broken || fflush(stdout) != 0 ? STATUS_BROKEN : 0;
}

/* Returns the exit status, or -1 to go on. */
static int parse(struct session *session, int argc, char **argv)
{
    enum { OPTION_SYSTEM = 1, OPTION_ORACLE, OPTION_LIST, OPTION_VERSION, OPTION_HELP };
    static const struct option options[] = {
        {"system", required_argument, NULL, OPTION_SYSTEM}, {"oracle", no_argument, NULL, OPTION_ORACLE},
        {"list", no_argument, NULL, OPTION_LIST},           {"version", no_argument, NULL, OPTION_VERSION},
        {"help", no_argument, NULL, OPTION_HELP},           {0},
    };

    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == OPTION_SYSTEM && !(conformance_system = semantics_find(optarg))) {
            fprintf(stderr, "ptprofil-conformance: --system: no rules are known of '%s'\n", optarg);
            return STATUS_USAGE;
        }
        if (option == OPTION_VERSION || option == OPTION_HELP) {
            fputs(option == OPTION_HELP ? help : "ptprofil-conformance " PACKAGE_VERSION "\n", stdout);
            return 0;
        }
        if (option == '?')
            return STATUS_USAGE;
        conformance_oracle |= option == OPTION_ORACLE;
        session->list |= option == OPTION_LIST;
    }
    if (conformance_oracle && conformance_system->system != SYSTEM_LINUX) {
        fputs("ptprofil-conformance: --oracle: the C library's own rules are those of linux\n", stderr);
        return STATUS_USAGE;
    }
    session->wanted = argv + optind;
    return -1;
}

int main(int argc, char **argv)
{
    struct session session = {0};
    int status;

    if (run_continuation(argc - 1, argv + 1))
        return 0;
    conformance_system = semantics_systems; /* linux */
    status = parse(&session, argc, argv);
    if (status >= 0)
        return status;
    if (!run_begin()) {
        perror("ptprofil-conformance: cannot make what the cases share");
        return STATUS_USAGE;
    }
    spin_calibrate();
    show_all(&session, conformance_system);
    show_all(&session, &semantics_pcsample);
    if (session.list)
        return 0;
    if (!conformance_oracle && !*session.wanted)
        find_strays(&session);
    return conclude(&session);
}
