/* SPDX-License-Identifier: MIT */
#include "profile/profile/idle.h"

#include "common/model/wait.h"
#include "test_profile.h"
#include "unit.h"

#define SECOND_NS UINT64_C(1000000000)

/* A process of a recording of ten seconds. Each thread waits in work at first, and then in STACK. */
static const struct {
    const char *stacks[4]; /* the frames of each thread's wait, leaf first: w work, t take, m pthread_mutex_lock */
    unsigned waited_s[4];
    int32_t calls[4];
    size_t idle;
} pools[] = {
    {{"tw", "tw", "tw", "w"}, {10, 10, 10, 4}, {7, 7, 7, 7}, 3},
    {{"tw", "tw", "tw", "w"}, {10, 10, 4, 4}, {7, 7, 7, 7}, 2},  /* one had work */
    {{"tw", "tw", "w", "w"}, {10, 10, 10, 10}, {7, 7, 7, 7}, 0}, /* no thread of the process works */
    {{"tw", "tw", "tw", "w"}, {10, 7, 6, 1}, {7, 7, 7, 7}, 3},   /* two began later */
    {{"tw", "w", "w", "w"}, {10, 9, 1, 1}, {7, 7, 7, 7}, 0},     /* a single thread may be stuck */
    {{"mtw", "mtw", "w", "w"}, {10, 10, 1, 1}, {7, 7, 7, 7}, 0}, /* a deadlock */
    {{"tw", "tw", "w", "w"}, {10, 10, 1, 1}, {7, 8, 7, 7}, 0},   /* other calls */
    {{"tw", "tw", "w", "w"}, {10, 10, 1, 1}, {-1, -1, -1, -1}, 0},
    {{"tw", "tw", "w", "w"}, {10, 10, 1, 1}, {WAIT_FOR_CPU, WAIT_FOR_CPU, 7, 7}, 0},
};

START_TEST(idle_threads_follow_the_table)
{
    struct profile *profile = make_profile("server");
    uint32_t process = make_process(profile, 7, 0, "server"), module = make_module(profile, "/bin/server", 1, 2);
    uint32_t work = make_frame(profile, module, "work", 1), take = make_frame(profile, module, "take", 2);
    uint32_t lock = make_frame(profile, module, "pthread_mutex_lock", 3);
    size_t folded = 0;
    profile->quality.wall_ns = 10 * SECOND_NS;
    for (size_t i = 0; i < 4; i++) {
        uint32_t thread = make_thread(profile, process, (pid_t)(10 + i), "worker"), stack[4];
        size_t depth = 0;
        ADD_STACK(profile, thread, -1, 1, 1000, work);
        for (const char *frame = pools[_i].stacks[i]; *frame; frame++)
            stack[depth++] = *frame == 'w' ? work : *frame == 't' ? take : lock;
        add_stack(profile, thread, pools[_i].calls[i], 1, 0, stack, depth);
        profile->samples[profile->sample_count - 1].wait_ns = pools[_i].waited_s[i] * SECOND_NS;
    }
    uint64_t before_ns = profile_ns(profile);
    ck_assert_int_eq(idle_fold(profile), 0);
    ck_assert_uint_eq(profile->idle_threads, pools[_i].idle);
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        folded += sample->syscall == WAIT_IDLE;
        if (sample->syscall == WAIT_IDLE)
            ck_assert(sample->frame_count == 1 && profile->frames[sample->frame_first] == work);
    }
    ck_assert_uint_eq(folded, pools[_i].idle);
    ck_assert_uint_eq(profile_ns(profile), before_ns);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/idle");
    UNIT_ADD_TABLE(tests, idle_threads_follow_the_table, pools);
    return unit_end();
}
