/* SPDX-License-Identifier: MIT */
#include "common/semantics/call_state.h"

#include "call_script.h"
#include "unit.h"
#include "vectors.h"

enum {
    L = SYSTEM_LINUX,
    F = SYSTEM_FREEBSD,
    FB = SYSTEM_FREEBSD_BUILT,
    I = SYSTEM_IRIX,
    D = SYSTEM_DARWIN,
    DC = SYSTEM_DARWIN_CLASSIC,
    S = SYSTEM_ILLUMOS,
    ALL = L | F | FB | I | D | DC | S,
};

/* A buffer at 1000, with a bin for each 2 bytes of text from 400000 to 4001ff; and such a region of sprofil. */
#define ON "profil:1000,200,400000,10000=0 "
#define REGION "sprofil:0,200,400000,10000=0 "
#define COUNTS "tick:400004,1=0@1004/2w "
#define COUNTS_OR_HALTS "tick:400004,1=0@1004/2h "
#define SATURATES "tick:400004,1=0@1004/2s "
#define NOTHING "on=no tick:400004,1=- "

#define COPIED(counts) ON "fork= billed=0 on=yes " counts "profil:2000,200,400000,10000=0 parent= billed=77 " counts
#define NOT_COPIED ON "fork= " NOTHING "profil:1000,200,400000,10000=0 " COUNTS "parent= on=yes " COUNTS
#define ANY_BUFFER(counter)                                                                                            \
    "checks:10000=no profil!:1000,200,400000,10000=0 on=yes profil!:ffffffffffffffff,ffffffffffffffff,0,10000=0 "      \
    "profil!:1000,200,400000,10000=0 fault:400004,1,0=0@1004/2" counter " " NOTHING

/* The effect of each rule as steps (call_script.h), in each of SYSTEMS. */
static const struct {
    const char *id;
    unsigned systems;
    const char *script;
} rules[] = {
    {"profil.return", F | DC, ON "profil!:1000,200,400000,10000=EFAULT profil:1000,200,400000,0=0"},
    {"profil.return", FB, ON "profil:1000,200,400000,10001=EINVAL profil:1000,200,400000,0=0"},
    {"profil.return", D, "profil:1000,200,400000,10000=EINVAL profil:0,0,0,0=EINVAL profil!:0,1,0,2=EINVAL on=no"},
    {"profil.return", D, "pcsample:8000,10=0 tick:5,2=8000/8*2 profil:0,0,0,0=EINVAL on=yes pcsample:0,0=2"},
    {"profil.return", L | I | S, "profil!:ffffffffffffffff,ffffffffffffffff,1,ffffffff=0 profil:0,0,0,0=0"},
    {"profil.validation", F | FB, "profil:1000,200,400000,10001=EINVAL on=no"},
    {"profil.validation", F | FB,
     ON "profil:2000,200,400000,10001=EINVAL profil:2000,200,400000,ffffffff=EINVAL "
        "profil:2000,200,400000,ffffffffffffffff=EINVAL profil!:2000,200,400000,10001=EINVAL checks:10001=no " COUNTS},
    {"profil.validation", F | FB, "pcsample:8000,10=0 tick:5,1=8000/8*1 profil:1000,200,0,10001=EINVAL pcsample:0,0=1"},
    {"profil.validation", D, "profil:1000,200,400000,1=EINVAL checks:10000=no"},
    {"profil.validation", DC | I | L, "profil:1000,200,400000,ffffffff=0 tick:400000,1=0@1000/2w tick:400fff,1=-"},
    {"profil.validation", S, "profil:1000,200,400000,ffffffff=0 tick:400000,1=0@1000/2h tick:400fff,1=-"},
    {"profil.index", F | DC | L, "profil:1000,200,400000,ffff=0 tick:400003,1=0@1000/2w tick:400005,1=0@1002/2w"},
    {"profil.index", FB | I, "profil:1000,200,400000,ffff=0 tick:400003,1=0@1002/2w tick:400005,1=0@1004/2w"},
    {"profil.index", S, "profil:1000,200,400000,ffff=0 tick:400003,1=0@1002/2h tick:400005,1=0@1004/2h"},
    {"profil.counted", F | DC | I,
     "profil:1000,3,400000,10000=0 tick:400002,1=- tick:400001,1=0@1000/2w tick:3fffff,1=-"},
    {"profil.counted", L, "profil:1000,3,400000,10000=0 tick:400002,1=- tick:400001,1=0@1000/2w"},
    {"profil.counted", L, "profil:1000,2,400000,0=0 tick:3fffff,1=0@1000/2w tick:5,1=0@1000/2w"},
    {"profil.counted", FB, "profil:1000,3,400000,10000=0 tick:400002,1=0@1002/2w tick:400004,1=- tick:3fffff,1=-"},
    {"profil.counted", S, "profil:1000,3,400000,10000=0 tick:400002,1=0@1002/2h tick:400004,1=- tick:3fffff,1=-"},
    {"profil.counted", S, "profil:1000,0,400000,2=0 tick:400002,1=0@1000/2h tick:3fffff,1=-"},
    {"profil.counted", D, "profil:1000,200,400000,10000=EINVAL tick:400004,1=-"},
    {"profil.disable", F | FB | DC, ON "profil:1000,200,400000,0=0 " NOTHING ON "profil!:0,200,400000,0=0 " NOTHING},
    {"profil.disable", F | FB | DC, "profil:1000,200,400000,1=0 on=yes checks:0=no"},
    {"profil.disable", I | S, ON "profil:1000,200,400000,0=0 " NOTHING ON "profil:1000,200,400000,1=0 " NOTHING},
    {"profil.disable", I | S, "profil:1000,200,400000,2=0 on=yes profil:0,200,400000,10000=0 on=yes"},
    {"profil.disable", I, "profil:1000,0,400000,10000=0 tick:400000,1=- profil:1000,0,400000,2=0 tick:400000,1=-"},
    {"profil.disable", L, ON "profil:0,200,400000,10000=0 " NOTHING ON "profil:1000,200,400000,0=0 tick:5,1=0@1000/2w"},
    {"profil.disable", L, "profil:1000,200,400000,1=0 on=yes"},
    {"profil.bad-buffer", F | DC, ON "checks:10000=yes profil!:2000,200,400000,10000=EFAULT " NOTHING},
    {"profil.bad-buffer", F | DC, "profil!:2000,0,400000,10000=0 on=yes"}, /* size 0 is always accepted */
    {"profil.bad-buffer", F | DC,
     "pcsample:8000,10=0 tick:5,1=8000/8*1 profil!:2000,200,0,10000=EFAULT on=yes pcsample:0,0=1"},
    {"profil.bad-buffer", FB | I | L, ANY_BUFFER("w")},
    {"profil.bad-buffer", S, ANY_BUFFER("h")},
    {"profil.repeated", ALL & ~(D | S), ON "profil:2000,200,400000,10000=0 tick:400004,1=0@2004/2w"},
    {"profil.repeated", S, ON "profil:2000,200,400000,10000=0 tick:400004,1=0@2004/2h"},
    {"profil.counter", ALL & ~(D | S), ON "tick:400004,12345=0@1004/2w tick:400004,0=-"},
    {"profil.counter", S, ON "tick:400004,12345=0@1004/2h stop= " NOTHING},
    {"profil.fault", ALL & ~(D | S), ON "fault:400004,1,0=0@1004/2w " NOTHING ON COUNTS},
    {"profil.fault", S, ON "fault:400004,1,0=0@1004/2h " NOTHING ON COUNTS_OR_HALTS},
    {"profil.fork", F | FB | I, COPIED(COUNTS)},
    {"profil.fork", S, COPIED(COUNTS_OR_HALTS)},
    {"profil.fork", DC | L, NOT_COPIED},
    {"profil.fork", ALL, "fork= on=no parent= on=no"},
    {"profil.exec", ALL & ~D, ON "exec= " NOTHING},
    {"sprofil.enosys", ALL & ~(L | I), "reads#1=no sprofil:0,200,400000,10000=ENOSYS on=no sprofil#ffffffff=ENOSYS"},
    {"sprofil.enosys", F | FB | DC, ON "sprofil!:0,200,400000,10000=ENOSYS sprofil#0=ENOSYS " COUNTS},
    {"sprofil.regions", L,
     "sprofil:0,40,400000,10000,40,500000,8000,40,600000,1,40,0,0=0 tick:400004,1=0@1004/2s tick:500008,1=1@2004/2s "
     "tick:500080,1=- tick:600000,1=- tick:3fffff,1=- tick:0,1=-"},
    {"sprofil.regions", I,
     "sprofil:0,40,400000,10000,40,500000,8000,40,600000,1,40,0,0=0 tick:400004,1=0@1004/2w tick:500008,1=1@2004/2w "
     "tick:500080,1=- tick:600000,1=- tick:3fffff,1=- tick:0,1=-"},
    {"profil.disable", L, REGION "profil:0,200,400000,10000=0 " SATURATES "profil:0,0,0,0=0 " SATURATES},
    {"sprofil.disable", I, ON "sprofil:0,40,400000,1,40,500000,0=0 " NOTHING ON "reads#0=no sprofil#0=0 " NOTHING},
    {"sprofil.disable", L, ON "sprofil:0,40,400000,1,40,500000,0=0 " COUNTS "reads#0=no sprofil#0=0 " COUNTS},
    {"sprofil.disable", L, "sprofil:0,40,400000,1=0 " NOTHING "sprofil#0=0 " NOTHING},
    {"sprofil.disable", L, "pcsample:8000,10=0 tick:5,1=8000/8*1 sprofil#0=0 " NOTHING "pcsample:0,0=0"},
    {"sprofil.interval", L, "first=yes sprofil?:0,40,400000,1=EFAULT"},
    {"sprofil.interval", I,
     "first=no sprofil?:0,40,400000,1=EFAULT sprofil?:0=EFAULT sprofil:0=0 " REGION "sprofil?:0=EFAULT " COUNTS},
    {"sprofil.disable", I, REGION "sprofil:0,40,400000,1=0 " NOTHING REGION "sprofil#0=0 " NOTHING},
    {"sprofil.cells", L, "sprofil:1,40,400000,10000=0 tick:400004,1=0@1004/4s tick:4000fc,1=- fork= on=no"},
    {"sprofil.cells", L, "sprofil:2,40,400000,10000=0 tick:400004,1=0@1004/2s"},
    {"sprofil.cells", I,
     "sprofil:1,40,400000,10000=0 tick:400004,1=0@1004/4w sprofil:3,40,400000,10000=0 "
     "tick:400004,1=0@1004/4w sprofil:2,40,400000,10000=0 tick:400004,1=0@1004/2w"},
    {"sprofil.index", L, "sprofil:0,40,400000,ffff=0 tick:400003,1=0@1000/2s tick:40003f,1=0@103c/2s"},
    {"sprofil.index", I, "sprofil:0,40,400000,ffff=0 tick:400003,1=0@1002/2w tick:40003f,1=0@103e/2w"},
    {"sprofil.overflow", L,
     "sprofil:0,40,400000,10000,4,0,2=0 " SATURATES "tick:5,3=1@2000/2s tick:ffffffffffffffff,1=1@2000/2s"},
    {"sprofil.overflow", I,
     "sprofil:0,40,400000,10000,4,0,2=0 " COUNTS "tick:5,3=1@2000/2w tick:ffffffffffffffff,1=1@2000/2w"},
    /* a region of this form that is not the last one counts normally; other PCs are in the first one */
    {"sprofil.overflow", L,
     "sprofil:0,40,0,2,40,400000,10000=0 tick:0,1=0@1000/2s tick:20000,1=0@1004/2s tick:200000,1=0@1000/2s "
     "tick:400000,1=1@2000/2s"},
    {"sprofil.overflow", L,
     "sprofil:0,2,0,2,40,400000,10000,40,0,2=0 tick:5,1=0@1000/2s tick:20000,1=2@3004/2s "
     "tick:200000,1=0@1000/2s tick:400000,1=1@2000/2s"},
    {"sprofil.overflow", L, "sprofil:1,2,0,2,40,400000,10000,40,0,2=0 tick:5,1=2@3000/4s tick:200000,1=2@3000/4s"},
    {"sprofil.overlap", L,
     "sprofil:0,40,400000,10000,10,400010,10000=0 tick:40000f,1=0@100e/2s tick:400010,1=1@2000/2s "
     "tick:400020,1=0@1020/2s"},
    {"sprofil.overlap", I,
     "sprofil:0,40,400000,10000,10,400010,10000=0 tick:40000f,1=0@100e/2w tick:400010,1=1@2000/2w "
     "tick:400020,1=0@1020/2w"},
    {"sprofil.counter", L, REGION "tick:400004,12345=0@1004/2s"},
    {"sprofil.counter", I, REGION "tick:400004,12345=0@1004/2w"},
    {"sprofil.repeated", L, REGION "reads#1=no sprofil!:1,40,500000,10000=0 " NOTHING "reads#1=yes " REGION SATURATES},
    {"sprofil.repeated", L, REGION "sprofil#10001=0 " NOTHING REGION "sprofil#ffffffff=0 " NOTHING},
    {"sprofil.repeated", L, ON REGION SATURATES}, /* profil is a separate call */
    {"sprofil.repeated", L, REGION ON COUNTS},
    {"sprofil.repeated", I, REGION "sprofil:0,40,400000,8000=0 tick:400008,1=0@1004/2w"},
    {"sprofil.e2big", I,
     REGION "reads#64=yes reads#65=no reads#ffffffff=no sprofil#65=E2BIG sprofil#ffffffff=E2BIG "
            "sprofil#80000000=E2BIG sprofil#7fffffff=E2BIG " COUNTS "sprofil#64=0"},
    {"sprofil.enomem", L,
     "reads#10000=yes reads#10001=no reads#80000000=no sprofil#10001=ENOMEM on=no " ON "sprofil#10001=ENOMEM " COUNTS
     "sprofil#80000000=0 " COUNTS "sprofil#10000=0 on=yes"},
    {"sprofil.einval", I,
     REGION "sprofil:0,4,0,2,40,400000,10000=EINVAL sprofil?:0,4,0,2,40,400000,10000=EINVAL " COUNTS},
    {"sprofil.efault", L, ON "sprofil!:0,40,400000,1=EFAULT sprofil?:0,40,400000,10000=EFAULT " COUNTS},
    {"sprofil.efault", L, REGION "sprofil?:0,40,400000,1=EFAULT " SATURATES},
    {"sprofil.efault", I, REGION "sprofil!:0,4,0,2,40,400000,1=EFAULT sprofil?:0,40,400000,10000=EFAULT " COUNTS},
    {"sprofil.fault", L,
     "sprofil:0,40,400000,10000,40,500000,10000=0 fault:500004,1,0=1@2004/2s " NOTHING "reads#1=yes"},
    {"sprofil.fault", I,
     "sprofil:0,40,400000,10000,40,500000,10000,4,0,2=0 fault:500004,1,0=1@2004/2w on=yes tick:500004,1=2@3000/2w "
     "fault:5,1,0=2@3000/2w tick:5,1=- " COUNTS "fork= tick:500004,1=- fault:400004,1,0=0@1004/2w " NOTHING},
    {"sprofil.fork", L, REGION "fork= " NOTHING REGION SATURATES "parent= " SATURATES},
    {"sprofil.fork", I, REGION "fork= billed=0 " COUNTS REGION "sprofil#0=0 " NOTHING "parent= billed=77 " COUNTS},
    {"sprofil.exec", L | I, REGION "exec= " NOTHING REGION "on=yes"},
    {"pcsample.einval", ALL, "pcsample:8000,ffffffffffffffff=EINVAL on=no"},
    {"pcsample.einval", ALL,
     "pcsample:8000,10=0 tick:5,2=8000/8*2 pcsample:9000,8000000000000000=EINVAL tick:5,1=8010/8*1 pcsample:8000,1=3"},
    {"pcsample.einval", ALL & ~(D | S), ON "pcsample:8000,ffffffffffffffff=EINVAL " COUNTS},
    {"pcsample.first", ALL, "pcsample:8000,10=0 on=yes billed=77"},
    {"pcsample.first", ALL, "pcsample:0,0=0 on=no"},
    {"pcsample.count", ALL,
     "pcsample:8000,10=0 tick:5,1=8000/8*1 tick:6,4=8008/8*4 pcsample:8000,10=5 pcsample:8000,10=0"},
    {"pcsample.store", ALL, "pcsample:8000,10=0 tick:5,1=8000/8*1 tick:6,4=8008/8*4 tick:ffffffffffffffff,1=8028/8*1"},
    {"pcsample.store", ALL, "pcsample4:8000,10=0 tick:5,1=8000/4*1 tick:6,4=8004/4*4 tick:0,1=8014/4*1 tick:0,0=-"},
    {"pcsample.full", ALL,
     "pcsample:8000,4=0 tick:5,3=8000/8*3 on=yes tick:5,3=8018/8*1 on=no tick:5,1=- "
     "pcsample:8000,4=4 on=yes tick:5,ffffffffffffffff=8000/8*4 on=no pcsample:8000,4=4"},
    {"pcsample.full", ALL, "pcsample:8000,2=0 tick:5,2=8000/8*2 fork= pcsample:0,0=2 parent= pcsample:0,0=2"},
    {"pcsample.stop", ALL, "pcsample:8000,4=0 tick:5,3=8000/8*3 pcsample:9,0=3 on=no tick:5,1=- pcsample:9,0=0"},
    {"pcsample.restart", ALL, "pcsample:8000,4=0 tick:5,3=8000/8*3 pcsample:9000,8=3 tick:5,1=9000/8*1"},
    {"pcsample.fault", ALL,
     "pcsample:8000,10=0 tick:5,1=8000/8*1 fault:5,4,2=8008/8*4 on=no tick:5,1=- "
     "pcsample:8000,ffffffffffffffff=EINVAL pcsample:8000,10=3 on=yes pcsample:0,0=0"},
    {"pcsample.fork", ALL,
     "pcsample:8000,10=0 tick:5,3=8000/8*3 fork= billed=0 on=yes tick:6,1=8018/8*1 pcsample:8000,10=4 parent= "
     "tick:7,2=8018/8*2 pcsample:0,0=5"},
    {"pcsample.fork", ALL, "pcsample:8000,10=0 fault:5,1,1=8000/8*1 fork= on=no pcsample:0,0=0 parent= pcsample:0,0=1"},
    {"pcsample.exec", ALL, "pcsample:8000,10=0 tick:5,3=8000/8*3 exec= on=no pcsample:8000,10=0"},
    {"pcsample.exec", ALL, "pcsample:8000,10=0 fault:5,3,1=8000/8*3 exec= stored=0"},
    {"pcsample.profil", D, "pcsample:8000,10=0 tick:5,3=8000/8*3 profil:1000,2,0,10000=EINVAL pcsample:0,0=3"},
    {"pcsample.profil", ALL & ~D,
     "pcsample:8000,10=0 tick:5,3=8000/8*3 " ON "on=yes pcsample:8000,10=0 tick:5,1=8000/8*1"},
    {"pcsample.profil", ALL & ~D, "pcsample:8000,10=0 tick:5,3=8000/8*3 profil:0,200,0,0=0 on=no pcsample:0,0=0"},
    {"pcsample.profil", ALL & ~D, ON "pcsample:0,0=0 " NOTHING},
    {"pcsample.profil", ALL & ~D, "pcsample:8000,10=0 fault:5,1,1=8000/8*1 " ON "pcsample:0,0=0"},
    {"pcsample.profil", F | DC, "pcsample:8000,10=0 fault:5,1,1=8000/8*1 profil!:1,2,3,4=EFAULT pcsample:0,0=1"},
    {"pcsample.profil", L | I, "pcsample:8000,10=0 tick:5,3=8000/8*3 " REGION "pcsample:0,0=0 " NOTHING},
    {"pcsample.profil", L | I, "pcsample:8000,10=0 tick:5,3=8000/8*3 sprofil!:0,4,5,6=EFAULT pcsample:0,0=3"},
    {"pcsample.range", ALL, "pcsample4:8000,80000000=EINVAL pcsample4:8000,ffffffffffffffff=EINVAL on=no"},
    {"pcsample.range", ALL,
     "pcsample4:8000,7fffffff=0 on=yes pcsample:8000,80000000=0 pcsample:8000,7fffffffffffffff=0"},
    /* Not rules of a system: addresses that would overflow. The last addresses are tried, where no process can
     * write. */
    {"wrapping", ALL, "pcsample:ffffffffffffffe8,10=0 tick:5,3=ffffffffffffffe8/8*3 tick:5,1=fffffffffffffff8/8*1"},
    {"wrapping", ALL, "pcsample:fffffffffffffffc,10=0 tick:5,1=fffffffffffffff8/8*1"},
    {"wrapping", ALL & ~(D | S),
     "profil:fffffffffffffff0,200,400000,10000=0 tick:40000e,1=0@fffffffffffffffe/2w "
     "tick:400010,1=0@fffffffffffffffe/2w tick:400100,1=0@fffffffffffffffe/2w"},
    {"wrapping", F | I | L,
     "profil:fffffffffffff001,ffffffffffffffff,0,10000=0 tick:7ffffffffffffffe,1=0@fffffffffffffffe/2w"},
    {"wrapping", F | I | L, "profil:1,ffffffffffffffff,0,10000=0 tick:7ffffffffffffffe,1=0@7fffffffffffffff/2w"},
};

START_TEST(rules_follow_their_scripts)
{
    for (size_t i = 0; i < semantics_system_count; i++)
        if (rules[_i].systems & semantics_systems[i].system)
            script_run(&semantics_systems[i], rules[_i].id, rules[_i].script);
}
END_TEST

/* Rules that are not visible in the state. */
static const char *const elsewhere[] = {
    "profil.vfork",    /* the tracer decides which process has its own state */
    "profil.threads",  /* the tracer decides whose ticks these are */
    "profil.clock",    /* see histogram_ticks and the e2e tests */
    "sprofil.header",  /* a property of the program */
    "sprofil.crashes", /* deliberately not emulated */
    "pcsample.vtime",  "pcsample.all", "pcsample.signal", "pcsample.alone",
};

/* Returns true for each of SYSTEMS. */
static bool is_shown(const char *id, unsigned systems)
{
    for (size_t i = 0; i < UNIT_ROWS(elsewhere); i++)
        if (!strcmp(elsewhere[i], id))
            return true;
    unsigned shown = 0;
    for (size_t i = 0; i < UNIT_ROWS(rules); i++)
        if (!strcmp(rules[i].id, id))
            shown |= rules[i].systems;
    return (shown & systems) == systems;
}

START_TEST(every_rule_is_shown)
{
    for (size_t i = 0; i < semantics_system_count; i++)
        for (const struct rule *rule = NULL; (rule = semantics_next(&semantics_systems[i], rule));)
            ck_assert_msg(is_shown(rule->id, semantics_systems[i].system), "%s.%s", semantics_systems[i].name,
                          rule->id);
    for (const struct rule *rule = NULL; (rule = semantics_next(&semantics_pcsample, rule));)
        ck_assert_msg(is_shown(rule->id, ALL), "%s", rule->id);
}
END_TEST

/* Writes the effect of one tick after a call that returned RESULT, in the format of the vectors. */
static void describe(struct call_state *state, const struct vector *vector, int result, char *text, size_t size)
{
    struct call_update update = call_state_bill(state, semantics_find(vector->system), vector->pc, 1);
    if (result)
        snprintf(text, size, "%s", result == -EINVAL ? "EINVAL" : "another error");
    else if (!call_state_active(state))
        snprintf(text, size, "off");
    else if (update.what == UPDATE_NOTHING)
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%d:%lu", update.region,
                 (update.address - vector->regions[update.region].buffer) / vector->width);
    call_state_fini(state);
}

static int call_sprofil_with(struct call_state *state, const struct vector *vector)
{
    return call_sprofil(state, semantics_find(vector->system), vector->regions, (int)vector->count, vector->width == 4,
                        true, 0);
}

START_TEST(calls_follow_the_vectors)
{
    FILE *file = vectors_open("histogram.tsv");
    struct vector vector;
    struct call_state state = {0};
    size_t count = 0;
    for (; vectors_histogram(file, &vector); count++) {
        char text[64], *got = text;
        int result = strcmp(vector.call, "profil")
                         ? call_sprofil_with(&state, &vector)
                         : call_profil(&state, semantics_find(vector.system), vector.regions, false, 0);
        describe(&state, &vector, result, text, sizeof text);
        if (!strncmp(text, "0:", 2))
            got += 2;
        ck_assert_msg(!strcmp(got, vector.result), "%s: %s", vector.line, text);
    }
    ck_assert_uint_eq(count, VECTORS_HISTOGRAM);
    fclose(file);
}
END_TEST

START_TEST(sprofil_follows_the_vectors)
{
    FILE *file = vectors_open("sprofil.tsv");
    struct vector vector;
    struct call_state state = {0};
    size_t count = 0;
    for (; vectors_sprofil(file, &vector); count++) {
        char text[64], overflow[64];
        describe(&state, &vector, call_sprofil_with(&state, &vector), text, sizeof text);
        snprintf(overflow, sizeof overflow, "%zu:0", vector.count - 1);
        bool is_overflow = !strncmp(vector.result, "overflow:", 9);
        ck_assert_msg(!strcmp(text, is_overflow ? overflow : vector.result), "%s: %s", vector.line, text);
    }
    ck_assert_uint_eq(count, VECTORS_SPROFIL);
    fclose(file);
}
END_TEST

START_TEST(a_fork_without_memory_changes_nothing)
{
    struct call_state child = {0}, empty = {0};
    struct call_state parent = {.kind = CALL_SPROFIL, .width = 2, .region_count = (size_t)1 << 56};
    ck_assert_int_eq(call_state_fork(&child, &parent, semantics_find("irix")), -ENOMEM);
    ck_assert(!memcmp(&child, &empty, sizeof child));
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/call_state");
    UNIT_ADD_TABLE(tests, rules_follow_their_scripts, rules);
    tcase_add_test(tests, every_rule_is_shown);
    tcase_add_test(tests, calls_follow_the_vectors);
    tcase_add_test(tests, sprofil_follows_the_vectors);
    tcase_add_test(tests, a_fork_without_memory_changes_nothing);
    return unit_end();
}
