/* SPDX-License-Identifier: MIT
 *
 * Versions until 2025 call themselves 4.4.0, as the Linux of 2016 did, and newer ones 4.19.0-gvisor. All of them begin
 * their log, which every process may read, with one line. */
#include "front/doctor/gvisor.h"

#include "common/base/buffer.h"

#include <stdio.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <sys/utsname.h>

enum { READ_ALL = 3, LOG_MOST = 65536 };

static const struct {
    const char *name, *purpose;
} files[] = {
    {"schedstat", "which thread runs"},
    {"syscall", "where a thread waits"},
};

bool gvisor_is(const char *release, const char *log)
{
    return strstr(release, "gvisor") || strstr(log, "Starting gVisor");
}

bool gvisor_is_here(void)
{
    static char log[LOG_MOST];
    struct utsname system = {.release = ""};
    uname(&system);
    int size = klogctl(READ_ALL, log, sizeof log - 1);
    log[size > 0 ? size : 0] = 0;
    return gvisor_is(system.release, log);
}

static void add(struct buffer *text, const char *name, const char *purpose)
{
    buffer_printf(text, "%s%s (%s)", text->length ? ", " : "", name, purpose);
}

void gvisor_lacks(const char *folder, bool has_memory, struct buffer *text)
{
    struct stat about;
    buffer_fini(text);
    if (!has_memory)
        add(text, "process_vm_readv", "stacks");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[256], shown[64];
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        snprintf(shown, sizeof shown, "/proc/PID/%s", files[i].name);
        if (stat(path, &about) < 0)
            add(text, shown, files[i].purpose);
    }
}
