/* SPDX-License-Identifier: MIT
 *
 * Output of perf script: single lines, and the profiles of whole texts. */
#include "profile/stored/import.h"
#include "profile/stored/perf_line.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "profile/profile/builder.h"
#include "profile/profile/profile.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct perf_text text_of(const char *text)
{
    return (struct perf_text){text, strlen(text)};
}

static const struct {
    const char *line, *comm;
    pid_t pid, tid;
    uint64_t time_ns, period;
    const char *event, *rest;
} heads[] = {
    {"p 23998 27661.276114:    2004008 cpu-clock: ", "p", 23998, 23998, 27661276114000, 2004008, "cpu-clock", ""},
    {"       p 7/8 [003] 1.5:  1 task-clock:u:   55e work<int>+0x1 (/b p)", "p", 7, 8, 1500000000, 1, "task-clock:u",
     "55e work<int>+0x1 (/b p)"},
    {"Web Content 12 34/56 0.000000001: cycles:ppp: ", "Web Content 12", 34, 56, 1, 0, "cycles:ppp", ""},
    {"Gecko\t25122 [007] 115539.936601:\t\t1000000 task-clock:u:", "Gecko", 25122, 25122, 115539936601000, 1000000,
     "task-clock:u", ""},
    {":-1 -1 [000] 3.0: 5 cycles:", ":-1", 0, 0, 3000000000, 5, "cycles", ""},
    {"swapper 0 [000] 1.25: sched:sched_switch: prev_comm=a b", "swapper", 0, 0, 1250000000, 0, "sched:sched_switch",
     "prev_comm=a b"},
    {.line = ""},
    {.line = "# p 1 1.0: 5 cycles:"},
    {.line = "1 1.0: 5 cycles:"}, /* no name */
    {.line = "p 1.0: 5 cycles:"},
    {.line = "p 1 1: 5 cycles:"},
    {.line = "p 1 1.0 5 cycles:"},
    {.line = "p 1 1.0:"},
    {.line = "p 1 1.0: 5"},
    {.line = "p 1 1.0: 5 cycles"},
    {.line = "p 1 1.0: 5 :"},
    {.line = "p 1/ 1.0: 5 cycles:"},
    {.line = "p 1/2/3 1.0: 5 cycles:"},
    {.line = "p 99999999999 1.0: 5 cycles:"},
    {.line = "p 1 99999999999.0: 5 cycles:"},
    {.line = "p 1 1.0123456789: 5 cycles:"},
    {.line = "p 1 [x] 1.0: 5 cycles:"},
    {.line = "\t  55e f+0x1 (/bin/p)"},
};

static void expect_text(struct perf_text text, const char *expected)
{
    ck_assert_msg(perf_text_is(text, expected), "'%.*s', not '%s'", (int)text.length, text.at, expected);
}

START_TEST(heads_follow_the_table)
{
    struct perf_head head;
    ck_assert(perf_line_head(text_of(heads[_i].line), &head) == (heads[_i].comm != NULL));
    if (!heads[_i].comm)
        return;
    expect_text(head.comm, heads[_i].comm);
    ck_assert_int_eq(head.pid, heads[_i].pid);
    ck_assert_int_eq(head.tid, heads[_i].tid);
    ck_assert_uint_eq(head.time_ns, heads[_i].time_ns);
    ck_assert_uint_eq(head.period, heads[_i].period);
    expect_text(head.event, heads[_i].event);
    expect_text(head.rest, heads[_i].rest);
}
END_TEST

static const struct {
    const char *line;
    uint64_t address;
    const char *name, *object;
} frames[] = {
    {"\t            1386 fib+0x66 (/tmp/p)", 0x1386, "fib", "/tmp/p"},
    {"\t ffffffff81000000 do_idle ([kernel.kallsyms])", 0xffffffff81000000, "do_idle", "[kernel.kallsyms]"},
    {"  d44a3 [unknown] (/usr/lib/libstdc++.so.6 (deleted))", 0xd44a3, "[unknown]",
     "/usr/lib/libstdc++.so.6 (deleted)"},
    {"1 f(int, char (*)(long))+0xab (/tmp/a (1)/p)", 1, "f(int, char (*)(long))", "/tmp/a (1)/p"},
    {"1 std::thread::_State_impl<main::{lambda()#1}>::_M_run+0x19 (/p)", 1,
     "std::thread::_State_impl<main::{lambda()#1}>::_M_run", "/p"},
    {"1 operator+ (/p)", 1, "operator+", "/p"},
    {"1 f+0x (/p)", 1, "f+0x", "/p"},
    {"1 f+0x12z (/p)", 1, "f+0x12z", "/p"},
    {"1 f (a(b)", 1, "f", "a(b"},
    {"1 f (a)b)", 1, "f", "a)b"},
    {"1 f (inlined)", 1, "f", "inlined"},
    {"1 (anonymous namespace)::f+0x1 (/p)", 1, "(anonymous namespace)::f", "/p"},
    {.line = ""},
    {.line = "1"},
    {.line = "1 f"},
    {.line = "1 f(int)"},
    {.line = "1 (/p)"},
    {.line = "1 f ()"},
    {.line = "1 f (/p"},
    {.line = "x f (/p)"},
    {.line = "0x1 f (/p)"},
    {.line = "12345678901234567 f (/p)"},
    {.line = "  p.c:12"},
};

START_TEST(frames_follow_the_table)
{
    struct perf_frame frame;
    ck_assert(perf_line_frame(text_of(frames[_i].line), &frame) == (frames[_i].name != NULL));
    if (!frames[_i].name)
        return;
    ck_assert_uint_eq(frame.address, frames[_i].address);
    expect_text(frame.name, frames[_i].name);
    expect_text(frame.object, frames[_i].object);
}
END_TEST

START_TEST(lines_end_anywhere)
{
    struct perf_text text = text_of("one \r\n\n two"), line;
    ck_assert(perf_line_next(&text, &line));
    expect_text(line, "one");
    ck_assert(perf_line_next(&text, &line));
    expect_text(line, "");
    ck_assert(perf_line_next(&text, &line));
    expect_text(line, " two");
    ck_assert(!perf_line_next(&text, &line));
}
END_TEST

static int result_of(const char *text, struct profile **profile, struct buffer *note, struct error *error)
{
    struct builder builder;
    int fd = memfd_create("script", MFD_CLOEXEC);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
    builder_init(&builder);
    int result = import_read(&builder, fd, note, error);
    *profile = builder_finish(&builder);
    ck_assert_ptr_nonnull(*profile);
    close(fd);
    return result;
}

/* Appends the profile: a line for each sample, and one for time without samples. */
static void describe(const struct profile *profile, struct buffer *out)
{
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        const struct profile_thread *thread = &profile->threads[sample->thread];
        const struct profile_process *process = &profile->processes[thread->process];
        buffer_printf(out, "%s %d/%s %d:", process->comm, (int)process->pid, thread->comm, (int)thread->tid);
        if (sample->syscall >= 0)
            buffer_printf(out, " [%s]", profile_syscall_name(sample->syscall));
        for (uint32_t at = 0; at < sample->frame_count; at++) {
            const struct profile_location *location = &profile->locations[profile->frames[sample->frame_first + at]];
            for (uint32_t line = 0; line + 1 < location->line_count; line++)
                buffer_printf(out, " <%s",
                              profile->functions[profile->lines[location->line_first + line].function].name);
            buffer_printf(out, " %s@%llx(%s%s)", profile->functions[location->function].name,
                          (unsigned long long)location->address, profile->modules[location->module].name,
                          profile->modules[location->module].deleted ? " deleted" : "");
        }
        buffer_printf(out, "%s %llux %llu+%llu\n", sample->cut == PROFILE_WHOLE ? "" : profile_cut_name(sample->cut),
                      (unsigned long long)sample->count, (unsigned long long)sample->cpu_ns,
                      (unsigned long long)sample->wait_ns);
    }
    for (size_t i = 0; i < profile->process_count; i++)
        if (profile_unsampled_ns(&profile->processes[i]))
            buffer_printf(out, "%s unsampled %llu\n", profile->processes[i].comm,
                          (unsigned long long)profile_unsampled_ns(&profile->processes[i]));
}

static const struct {
    const char *text, *profile, *note;
} texts[] = {
    {"# cmdline : perf record ./p\n"
     "p 7/7 1.0:    1000 cpu-clock: \n\t 12 f+0x2 (/bin/p)\n\t 20 main+0x10 (/bin/p)\n\n"
     "p 7/7 1.1:    2000 cpu-clock: \n\t 12 f+0x2 (/bin/p)\n\t 20 main+0x10 (/bin/p)\n\n"
     "w 7/8 1.1:    500 cpu-clock: \n\t 30 g (/l.so (deleted))\n",
     "p 7/p 7: f@12(p) main@20(p) 2x 3000+0\np 7/w 8: g@30(l.so deleted) 1x 500+0\n", ""},
    /* a process has its first thread's name, in any order */
    {"w 7/8 1.0: 5 cpu-clock:\n\t1 f (/p)\n\np 7/7 1.1: 5 cpu-clock:\n\t1 f (/p)\n\n",
     "p 7/w 8: f@1(p) 1x 5+0\np 7/p 7: f@1(p) 1x 5+0\n", ""},
    /* without stacks, and without any location */
    {"p 7 1.0: 5 cpu-clock:  1 f+0x1 (/p)\np 7 1.1: 6 cpu-clock:\n",
     "p 7/p 7: f@1(p) 1x 5+0\np 7/p 7: [unknown]@0([unknown]) 1x 6+0\n", ""},
    /* inlined functions precede the function that contains them; without such a function they have a location of
     * their own */
    {"p 7 1.0: 5 cpu-clock:\n\t1 a (inlined)\n\t1 b (inlined)\n\t1 f (/p)\n\t2 c (inlined)\n\t3 main (/p)\n\n",
     "p 7/p 7: <a <b f@1(p) c@2([unknown]) main@3(p) 1x 5+0\n", ""},
    /* events of a clock are preferred to others, in any order */
    {"p 7 1.0: 50 cycles:\n\t1 f (/p)\n\np 7 1.1: 5 task-clock:u:\n\t2 g (/p)\n\np 7 1.2: 60 cycles:\n\t1 f (/p)\n\n",
     "p 7/p 7: g@2(p) 1x 5+0\n", "has 2 samples of other events than task-clock:u: they are ignored"},
    /* malformed lines are counted, but not those of ignored events */
    {"p 7 1.0: 5 cpu-clock:\n\t1 f (/p)\n\tnonsense\n\t2 main (/p)\n\nmore of it\n\t3 lost (/p)\n"
     "p 7 1.1: 1 faults:\n\t1 f (/p)\n\n",
     "p 7/p 7: f@1(p) main@2(p) 1x 5+0\n",
     "has 3 lines that are not as 'perf script' prints them, the first is line 3: they are ignored; "
     "has 1 samples of other events than cpu-clock: they are ignored"},
    /* no clock: two samples of a thread are 1 ms apart, so 3 samples are 3 ms, in proportion to their periods */
    {"p 7 1.000: 100 cycles:\n\t1 f (/p)\n\np 7 1.001: 300 cycles:\n\t2 g (/p)\n\np 7 1.002: 200 cycles:\n\t2 g "
     "(/p)\n\n",
     NULL, "counts cycles, no time: each sample counts as 999 us, the usual distance between two samples of a thread"},
    /* a period of 0 is kept */
    {"p 7 1.0: 0 cpu-clock:\n\t1 f (/p)\n\np 7 1.1: 6 cpu-clock:\n\t1 f (/p)\n\n", "p 7/p 7: f@1(p) 2x 6+0\n", ""},
    /* names in ptprofil's own text */
    {"p 7/7 0.1: 5 cpu-clock:\n\t0 [read] ([kernel.kallsyms])\n\t1 f (/p)\n\t0 [truncated] ([unknown])\n\n"
     "p 7/7 0.2: 9 cpu-clock:\n\t0 [unsampled] ([unknown])\n\n",
     "p 7/p 7: [read] f@1(p)[truncated] 1x 5+0\np unsampled 9\n", ""},
    {"p 7/7 0.1: 5 wall-clock:\n\t0 [futex] ([kernel.kallsyms])\n\t1 f (/p)\n\np 7/7 0.1: 6 wall-clock:\n\t1 f "
     "(/p)\n\n",
     "p 7/p 7: [futex] f@1(p) 1x 0+5\np 7/p 7: f@1(p) 1x 6+0\n", ""},
};

START_TEST(texts_are_profiles)
{
    struct profile *profile;
    struct buffer note = {0}, found = {0};
    struct error error = {0};
    ck_assert_msg(result_of(texts[_i].text, &profile, &note, &error) == 0, "%s", error.text);
    describe(profile, &found);
    ck_assert_str_eq(note.length ? note.bytes : "", texts[_i].note);
    if (texts[_i].profile)
        ck_assert_str_eq(found.bytes, texts[_i].profile);
    profile_free(profile);
    buffer_fini(&note);
    buffer_fini(&found);
}
END_TEST

START_TEST(the_recording_is_described)
{
    struct profile *profile;
    struct buffer note = {0};
    struct error error = {0};
    ck_assert_int_eq(result_of(texts[0].text, &profile, &note, &error), 0);
    ck_assert_str_eq(profile->command, "perf record ./p");
    ck_assert_uint_eq(profile->quality.samples, 3);
    ck_assert_uint_eq(profile->quality.due, 3);
    ck_assert_uint_eq(profile->quality.wall_ns, 100000000);
    ck_assert_uint_eq(profile->quality.rate, 857633);
    ck_assert_uint_eq(profile_ns(profile), 3500);
    profile_free(profile);
    buffer_fini(&note);
}
END_TEST

/* Events without a clock: the shares are those of the periods. */
START_TEST(shares_are_those_of_the_periods)
{
    struct profile *profile;
    struct buffer note = {0};
    struct error error = {0};
    ck_assert_int_eq(result_of(texts[6].text, &profile, &note, &error), 0);
    ck_assert_uint_eq(profile->sample_count, 2);
    ck_assert_uint_eq(profile->samples[0].count, 1);
    ck_assert_uint_eq(profile->samples[1].count, 2);
    uint64_t off = profile->samples[1].cpu_ns - 5 * profile->samples[0].cpu_ns + 5;
    ck_assert_uint_le(off, 10);
    ck_assert(profile_ns(profile) > 2900000 && profile_ns(profile) < 3100000); /* within the quantile's 3 % */
    profile_free(profile);
    buffer_fini(&note);
}
END_TEST

static const struct {
    const char *text;
    int result;
    const char *why;
} bad[] = {
    {"hello\n", -EBADMSG, "is not a stored profile, nor what 'perf script' prints"},
    {"main;f 12\n", -EBADMSG, "is not a stored profile, nor what 'perf script' prints"},
    {"p 7 1.0: 50 cycles:\n\t1 f (/p)\n\n", -EBADMSG,
     "counts 'cycles', no time, and has too few samples to tell what one represents"},
    {"p 7 1.0: 9223372036854775807 cpu-clock:\n\np 7 1.0: 1 cpu-clock:\n\n", -EBADMSG,
     "is damaged: its periods add up to more than can be true"},
};

START_TEST(malformed_texts_are_refused)
{
    struct profile *profile;
    struct buffer note = {0};
    struct error error = {0};
    ck_assert_int_eq(result_of(bad[_i].text, &profile, &note, &error), bad[_i].result);
    ck_assert_str_eq(error.text, bad[_i].why);
    profile_free(profile);
    buffer_fini(&note);
}
END_TEST

/* Deep stacks are truncated at the root. */
START_TEST(stacks_have_a_limit)
{
    struct profile *profile;
    struct buffer text = {0}, note = {0};
    struct error error = {0};
    buffer_puts(&text, "p 7 1.0: 5 cpu-clock:\n");
    for (unsigned i = 1; i <= 10000; i++)
        buffer_printf(&text, "\t%x f (/p)\n", i);
    ck_assert_int_eq(result_of(text.bytes, &profile, &note, &error), 0);
    ck_assert_uint_eq(profile->samples[0].frame_count, 4096);
    ck_assert_int_eq(profile->samples[0].cut, PROFILE_TRUNCATED);
    profile_free(profile);
    buffer_fini(&text);
    buffer_fini(&note);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("stored/perf_script");
    UNIT_ADD_TABLE(tests, heads_follow_the_table, heads);
    UNIT_ADD_TABLE(tests, frames_follow_the_table, frames);
    tcase_add_test(tests, lines_end_anywhere);
    UNIT_ADD_TABLE(tests, texts_are_profiles, texts);
    tcase_add_test(tests, the_recording_is_described);
    tcase_add_test(tests, shares_are_those_of_the_periods);
    UNIT_ADD_TABLE(tests, malformed_texts_are_refused, bad);
    tcase_add_test(tests, stacks_have_a_limit);
    return unit_end();
}
