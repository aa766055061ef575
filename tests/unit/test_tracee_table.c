/* SPDX-License-Identifier: MIT */
#include "tracer/tracee/table.h"

#include "fake_table.h"
#include "unit.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

START_TEST(an_empty_table_has_nothing)
{
    struct table table = {0};
    ck_assert_ptr_null(table_thread(&table, 0));
    ck_assert_ptr_null(table_thread(&table, 1));
    ck_assert_ptr_null(table_process(&table, 1));
    fake_table_free(&table);
    ck_assert_ptr_null(table.threads);
    ck_assert_ptr_null(table.processes);
}
END_TEST

START_TEST(added_threads_are_found)
{
    struct table table = {0};
    struct process *process = table_add_process(&table, 10, 3);
    ck_assert_ptr_nonnull(process);
    ck_assert_int_eq(process->pid, 10);
    ck_assert_int_eq(process->parent, 3);
    ck_assert_ptr_null(process->threads);
    ck_assert_uint_eq(process->image, 0);
    struct thread *leader = table_add_thread(&table, process, 10);
    struct thread *other = table_add_thread(&table, process, 11);
    ck_assert_int_eq(other->tid, 11);
    ck_assert_ptr_eq(other->process, process);
    ck_assert_int_eq(other->schedstat_fd, -1);
    ck_assert_int_eq(other->stat_fd, -1);
    ck_assert_int_eq(other->syscall_fd, -1);
    ck_assert_int_eq(other->sched_fd, -1);
    ck_assert(!other->asked);
    ck_assert_uint_eq(process->thread_count, 2);
    ck_assert_uint_eq(table.count, 2);
    ck_assert_uint_eq(table.process_count, 1);
    /* a thread and a process with the same number are distinct */
    ck_assert_ptr_eq(table_thread(&table, 10), leader);
    ck_assert_ptr_eq(table_thread(&table, 11), other);
    ck_assert_ptr_eq(table_process(&table, 10), process);
    ck_assert_ptr_null(table_process(&table, 11));
    ck_assert_ptr_null(table_thread(&table, 12));
    fake_table_free(&table);
}
END_TEST

START_TEST(a_process_stays_without_its_threads)
{
    struct table table = {0};
    struct process *process = table_add_process(&table, 10, 3);
    table_remove_thread(&table, table_add_thread(&table, process, 10));
    ck_assert_ptr_null(table_thread(&table, 10));
    ck_assert_ptr_eq(table_process(&table, 10), process);
    ck_assert_uint_eq(process->thread_count, 0);
    ck_assert_ptr_null(process->threads);
    ck_assert_ptr_nonnull(table_add_thread(&table, process, 10)); /* it can have new threads */
    table_remove_process(&table, process);
    ck_assert_ptr_null(table_process(&table, 10));
    ck_assert_ptr_null(table_thread(&table, 10));
    ck_assert_uint_eq(table.count, 0);
    ck_assert_uint_eq(table.process_count, 0);
    fake_table_free(&table);
}
END_TEST

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static int open_one(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    return fd;
}

/* A removal must release descriptors, and memory, which the sanitizers check. */
START_TEST(files_are_closed_once)
{
    struct table table = {0};
    struct process *process = table_add_process(&table, 10, 3);
    struct thread *thread = table_add_thread(&table, process, 10);
    int schedstat = thread->schedstat_fd = open_one(), stat = thread->stat_fd = open_one();
    thread_close_files(thread);
    ck_assert(!is_open(schedstat));
    ck_assert(!is_open(stat));
    ck_assert_int_eq(thread->schedstat_fd, -1);
    ck_assert_int_eq(thread->stat_fd, -1);
    int taken = open_one(); /* this descriptor has the closed one's number, and must not be closed */
    ck_assert_int_eq(taken, schedstat);
    thread_close_files(thread);
    ck_assert(is_open(taken));

    stat = thread->stat_fd = open_one();
    int call = thread->syscall_fd = open_one(), sched = thread->sched_fd = open_one();
    if (_i == 0)
        table_remove_thread(&table, thread);
    else if (_i == 1)
        table_remove_process(&table, process);
    fake_table_free(&table);
    ck_assert(!is_open(stat));
    ck_assert(!is_open(call));
    ck_assert(!is_open(sched));
    ck_assert(is_open(taken));
    close(taken);
}
END_TEST

/* Odd sizes, so that a wrong alignment of layers' rooms shows. */
START_TEST(each_layer_has_its_room)
{
    static const char thread_initial[3] = "ab", process_initial[5] = "abcd";
    struct table table = {.rooms = {
                              .clock_thread = {sizeof thread_initial, thread_initial},
                              .tracer_thread = {1, NULL},
                              .clock_process = {7, NULL},
                              .calls_process = {sizeof process_initial, process_initial},
                          }};
    struct process *process = table_add_process(&table, 10, 3);
    struct thread *one = table_add_thread(&table, process, 10), *two = table_add_thread(&table, process, 11);
    ck_assert_mem_eq(one->clock, "ab", 3);
    ck_assert_mem_eq(one->own, "", 1);
    ck_assert_mem_eq(process->clock, "\0\0\0\0\0\0", 7);
    ck_assert_mem_eq(process->calls, "abcd", 5);
    ck_assert_ptr_null(process->own);
    memset(one->own, 'o', 1);
    memset(process->clock, 'c', 7);
    ck_assert_mem_eq(process->calls, "abcd", 5);
    memset(two->clock, 'x', 3);
    table_take_over(&table, one, two);
    ck_assert_mem_eq(one->clock, "xxx", 3);
    ck_assert_mem_eq(one->own, "o", 1);
    ck_assert_uint_eq((uintptr_t)one->own % _Alignof(max_align_t), 0);
    fake_table_free(&table);
}
END_TEST

START_TEST(a_removed_process_frees_its_map)
{
    struct table table = {0};
    struct process *process = table_add_process(&table, 10, 3);
    ck_assert(address_map_parse(&process->map, "1000-2000 r-xp 0 8:1 7 /a\n", 10));
    table_add_process(&table, 11, 3);
    table_remove_process(&table, process);
    ck_assert_ptr_null(table_process(&table, 10));
    ck_assert_ptr_nonnull(table_process(&table, 11));
    fake_table_free(&table);
}
END_TEST

/* A simple model: the process of each thread id, if any, and the existing processes. */
enum { PIDS = 60, TIDS = 400 };

struct model {
    bool process[PIDS];
    int process_of[TIDS]; /* -1: no such thread */
};

static uint32_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % limit;
}

static pid_t pid_of(int number)
{
    return 1000 + number * 64; /* ids with equal low bits */
}

static pid_t tid_of(int number)
{
    return 1000 + number * 32;
}

static void change(struct table *table, struct model *model)
{
    int pid = (int)random_below(PIDS), tid = (int)random_below(TIDS);
    switch (random_below(8)) {
    case 0:
        if (!model->process[pid]) {
            ck_assert_ptr_nonnull(table_add_process(table, pid_of(pid), 1));
            model->process[pid] = true;
        }
        break;
    case 1:
        if (model->process[pid] && !random_below(3)) {
            table_remove_process(table, table_process(table, pid_of(pid)));
            model->process[pid] = false;
            for (int i = 0; i < TIDS; i++)
                if (model->process_of[i] == pid)
                    model->process_of[i] = -1;
        }
        break;
    case 2:
    case 3:
        if (model->process_of[tid] >= 0) {
            table_remove_thread(table, table_thread(table, tid_of(tid)));
            model->process_of[tid] = -1;
        }
        break;
    default:
        if (model->process[pid] && model->process_of[tid] < 0) {
            ck_assert_ptr_nonnull(table_add_thread(table, table_process(table, pid_of(pid)), tid_of(tid)));
            model->process_of[tid] = pid;
        }
    }
}

static size_t wrong_threads(const struct table *table, const struct model *model)
{
    size_t wrong = 0, expected = 0;
    for (int i = 0; i < TIDS; i++) {
        const struct thread *thread = table_thread(table, tid_of(i));
        if (model->process_of[i] < 0) {
            wrong += thread != NULL;
            continue;
        }
        expected++;
        wrong += !thread || thread->tid != tid_of(i) || thread->process->pid != pid_of(model->process_of[i]);
        wrong += table_thread(table, tid_of(i) + 1) != NULL;
    }
    wrong += table->count != expected;
    for (size_t i = 0; i < table->count; i++) /* the array has the same threads as the look-up */
        wrong += table_thread(table, table->threads[i]->tid) != table->threads[i];
    return wrong;
}

static size_t wrong_processes(const struct table *table, const struct model *model)
{
    size_t wrong = 0, expected = 0;
    for (int i = 0; i < PIDS; i++) {
        const struct process *process = table_process(table, pid_of(i));
        expected += model->process[i];
        wrong += !process == model->process[i];
        if (!process)
            continue;
        size_t listed = 0, threads = 0;
        const struct thread *newer = NULL;
        for (const struct thread *thread = process->threads; thread && listed <= TIDS; thread = thread->next) {
            wrong += thread->process != process || thread->newer != newer;
            newer = thread;
            listed++;
        }
        for (int tid = 0; tid < TIDS; tid++)
            threads += model->process_of[tid] == i;
        wrong += process->pid != pid_of(i) || process->thread_count != threads || listed != threads;
    }
    return wrong + (table->process_count != expected);
}

static const uint32_t seeds[] = {1, 2, 3, 4};

START_TEST(random_changes_agree_with_a_model)
{
    struct table table = {0};
    struct model model = {0};
    size_t most = 0;
    for (int i = 0; i < TIDS; i++)
        model.process_of[i] = -1;
    random_state = seeds[_i];
    for (int step = 0; step < 20000; step++) {
        change(&table, &model);
        most = table.count > most ? table.count : most;
        if (step % 20)
            continue;
        ck_assert_uint_eq(wrong_threads(&table, &model), 0);
        ck_assert_uint_eq(wrong_processes(&table, &model), 0);
    }
    ck_assert_uint_gt(most, 50);
    fake_table_free(&table);
    ck_assert_uint_eq(table.count, 0);
    ck_assert_uint_eq(table.process_count, 0);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("tracee/table");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, an_empty_table_has_nothing);
    tcase_add_test(tests, added_threads_are_found);
    tcase_add_test(tests, a_process_stays_without_its_threads);
    tcase_add_loop_test(tests, files_are_closed_once, 0, 3);
    tcase_add_test(tests, each_layer_has_its_room);
    tcase_add_test(tests, a_removed_process_frees_its_map);
    UNIT_ADD_TABLE(tests, random_changes_agree_with_a_model, seeds);
    return unit_end();
}
