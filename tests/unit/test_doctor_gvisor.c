/* SPDX-License-Identifier: MIT */
#include "front/doctor/gvisor.h"

#include "common/base/buffer.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct {
    const char *release, *log;
    bool is;
} kernels[] = {
    {"4.4.0", "<6>[    0.000000] Starting gVisor...\n<6>[    0.360126] Letting the watchdogs out...\n", true},
    {"4.19.0-gvisor", "", true},
    {"4.19.0-gvisor", "<6>[    0.000000] Starting gVisor...\n", true},
    {"4.4.0", "", false}, /* Linux itself */
    {"4.4.0-210-generic", "[    0.000000] Linux version 4.4.0-210-generic\n", false},
    {"6.1.0-49-amd64", "", false},
    {"", "", false},
};

START_TEST(kernels_follow_the_table)
{
    ck_assert_int_eq(gvisor_is(kernels[_i].release, kernels[_i].log), kernels[_i].is);
}
END_TEST

static const struct {
    bool memory, schedstat, syscall;
    const char *lacks;
} processes[] = {
    {true, true, true, NULL},
    {false, true, true, "process_vm_readv (stacks)"},
    {true, false, true, "/proc/PID/schedstat (which thread runs)"},
    {true, false, false, "/proc/PID/schedstat (which thread runs), /proc/PID/syscall (where a thread waits)"},
    {false, false, false,
     "process_vm_readv (stacks), /proc/PID/schedstat (which thread runs), /proc/PID/syscall (where a thread waits)"},
};

static void make(const char *folder, const char *name, bool present)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
    if (present)
        close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

START_TEST(missing_files_are_listed)
{
    char folder[] = "/tmp/gvisor.XXXXXX";
    struct buffer text = {0};
    ck_assert_ptr_nonnull(mkdtemp(folder));
    make(folder, "schedstat", processes[_i].schedstat);
    make(folder, "syscall", processes[_i].syscall);
    buffer_puts(&text, "of before");
    gvisor_lacks(folder, processes[_i].memory, &text);
    make(folder, "schedstat", false);
    make(folder, "syscall", false);
    rmdir(folder);
    ck_assert_int_eq(text.length > 0, processes[_i].lacks != NULL);
    if (processes[_i].lacks)
        ck_assert_str_eq(text.bytes, processes[_i].lacks);
    buffer_fini(&text);
}
END_TEST

START_TEST(linux_is_not_taken_for_it)
{
    char version[256] = "";
    FILE *stream = fopen("/proc/sys/kernel/osrelease", "r");
    ck_assert_ptr_nonnull(stream);
    ck_assert_ptr_nonnull(fgets(version, sizeof version, stream));
    fclose(stream);
    ck_assert_int_eq(gvisor_is_here(), strstr(version, "gvisor") != NULL);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("doctor/gvisor");
    UNIT_ADD_TABLE(tests, kernels_follow_the_table, kernels);
    UNIT_ADD_TABLE(tests, missing_files_are_listed, processes);
    tcase_add_test(tests, linux_is_not_taken_for_it);
    return unit_end();
}
