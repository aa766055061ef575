/* SPDX-License-Identifier: MIT
 *
 * profil in children and after exec. */
#include "calls.h"
#include "conformance.h"
#include "image.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define IN_COPIED (IN_FREEBSD | SYSTEM_IRIX | SYSTEM_ILLUMOS) /* a child inherits profil */
#define CHILD_MILLISECONDS 150

/* Runs in the child: B must count if the child inherits profil. The parent may share COUNTS, but does not run in B. */
static void check_child(struct counts *counts)
{
    if (is_in(IN_COPIED))
        watch_spin("the child", &counts->of[LOOP_B], LOOP_B, CHILD_MILLISECONDS);
    else
        calls_check_off(counts, LOOP_B, "in the child");
}

static void forked_child(void *argument)
{
    struct counts *counts = argument, own;
    uint16_t before = counts->of[LOOP_C];

    check_child(counts);
    CHECK(counts->of[LOOP_C] == before, "the parent's ticks are in the child's buffer");
    calls_count(&own);
    calls_check_on(&own, LOOP_B, "turned on in the child");
    calls_off();
    calls_check_off(&own, LOOP_B, "turned off in the child");
}

static void a_forked_child(void)
{
    struct counts counts;
    pid_t pid;

    calls_count(&counts);
    calls_check_on(&counts, LOOP_A, "before fork");
    spin(LOOP_A, 300); /* the child's clock starts at 0 */
    pid = conformance_fork(forked_child, &counts);
    watch_spin("the parent", &counts.of[LOOP_C], LOOP_C, CHILD_MILLISECONDS);
    conformance_reap(pid);
    CHECK(counts.of[LOOP_B] == 0, "the child's ticks are in the parent's buffer");
    calls_check_on(&counts, LOOP_A, "after the child has turned it off for itself");
}

static void grandchild(void *argument)
{
    struct counts *counts = argument;

    if (is_in(IN_COPIED))
        calls_check_on(counts, LOOP_D, "in a grandchild");
    else
        calls_check_off(counts, LOOP_D, "in a grandchild");
}

static void forking_child(void *argument)
{
    conformance_reap(conformance_fork(grandchild, argument));
}

static void a_grandchild(void)
{
    struct counts counts;

    calls_count(&counts);
    conformance_reap(conformance_fork(forking_child, &counts));
    calls_check_on(&counts, LOOP_A, "after a grandchild");
}

static void a_vforked_child(void)
{
    static struct counts counts;
    pid_t pid;

    calls_count(&counts);
    pid = vfork();
    CHECK(pid >= 0, "vfork: %s", strerror(errno));
    if (pid == 0) {
        check_child(&counts);
        _exit(0);
    }
    conformance_reap(pid);
    calls_check_on(&counts, LOOP_A, "in the parent, after the child");
}

/* The child turns an inherited profil off, or its own on. Its call must not affect the parent. */
static void a_vforked_child_calls(void)
{
    static struct counts counts, own;
    pid_t pid;

    calls_count(&counts);
    pid = vfork();
    CHECK(pid >= 0, "vfork: %s", strerror(errno));
    if (pid == 0) {
        if (is_in(IN_COPIED)) {
            calls_off();
            calls_check_off(&counts, LOOP_B, "turned off in the child");
        } else {
            calls_count_on(&own);
            calls_check_on(&own, LOOP_B, "turned on in the child");
        }
        _exit(0);
    }
    conformance_reap(pid);
    own = (struct counts){0};
    calls_check_on(&counts, LOOP_A, "in the parent, after the child's call");
    CHECK(own.of[LOOP_A] == 0, "the child's buffer counts for the parent");
}

static char *new_stack(size_t pages)
{
    return (char *)calls_pages(pages, PROT_READ | PROT_WRITE) + pages * calls_page_size();
}

static int sharing_child(void *counts)
{
    check_child(counts);
    return 0;
}

static void a_child_that_shares_the_memory(void)
{
    static struct counts counts;
    pid_t pid;

    calls_count(&counts);
    pid = clone(sharing_child, new_stack(16), CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, &counts);
    CHECK(pid >= 0, "clone: %s", strerror(errno));
    watch_spin("the parent", &counts.of[LOOP_C], LOOP_C, CHILD_MILLISECONDS);
    conformance_reap(pid);
    calls_check_on(&counts, LOOP_A, "in the parent, after the child");
}

static void exec_now(void *unused)
{
    (void)unused;
    image_exec();
}

static void an_image_that_was_exec_ed(void)
{
    image_map();
    image_count();
    conformance_reap(conformance_fork(exec_now, NULL));
    image_count();
    image_exec();
}

static void an_image_that_was_spawned(void)
{
    struct counts counts;

    image_map();
    image_count();
    conformance_reap(image_spawn());
    calls_count(&counts);
    conformance_reap(image_spawn());
    calls_check_on(&counts, LOOP_A, "in the parent of a spawned process");
}

const struct conformance_case cases_processes[] = {
    {"profil.fork", IN_PROFIL, a_forked_child, true, NULL},
    {"profil.fork", IN_PROFIL, a_grandchild, true, "a grandchild"},
    {"profil.vfork", IN_PROFIL, a_vforked_child, true, NULL},
    {"profil.vfork", IN_PROFIL, a_vforked_child_calls, false, "for itself"},
    {"profil.vfork", IN_PROFIL, a_child_that_shares_the_memory, false, "sproc"},
    {"profil.exec", IN_PROFIL, an_image_that_was_exec_ed, false, "fork and exec"},
    {"profil.exec", IN_PROFIL, an_image_that_was_spawned, false, "posix_spawn"},
    {NULL, 0, NULL, false, NULL},
};
