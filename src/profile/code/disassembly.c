/* SPDX-License-Identifier: MIT */
#include "profile/code/disassembly.h"

#include "common/arch/machine.h"
#include "common/base/array.h"
#include "common/base/child.h"
#include "common/base/error.h"
#include "common/base/time.h"
#include "common/confine/refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Limits for objdump. An instruction of one byte becomes a line of some 20 bytes. */
enum { CPU_SECONDS = 30, PATIENCE_MS = 120000, MOST_OUTPUT = 64 << 20, MOST_MEMORY = 1 << 30 };

enum { STATUS_NOT_FOUND = 127 };

void disassembly_fini(struct disassembly *disassembly)
{
    free(disassembly->items);
    buffer_fini(&disassembly->texts);
    memset(disassembly, 0, sizeof *disassembly);
}

static bool add_instruction(struct disassembly *disassembly, uint64_t address, const char *text, size_t length)
{
    struct buffer *texts = &disassembly->texts;
    size_t at = texts->length;
    if (!ARRAY_RESERVE_ONE(disassembly) || !buffer_append(texts, text, length) || !buffer_append(texts, "", 1))
        return false;
    disassembly->items[disassembly->count++] = (struct disassembly_line){address, at};
    return true;
}

bool disassembly_read(struct disassembly *disassembly, const char *text, uint64_t start, uint64_t end)
{
    uint64_t next = start; /* they rise */
    bool added = true;
    for (const char *line = text; *line && added; line += strcspn(line, "\n"), line += *line == '\n') {
        char *after;
        const char *digits = line + strspn(line, " ");
        uint64_t address = strtoull(digits, &after, 16);
        if (after == digits || *after != ':' || after[1] != '\t' || address < next || address >= end)
            continue;
        size_t length = strcspn(after += 2, "\n");
        while (length && after[length - 1] == ' ')
            length--;
        added = add_instruction(disassembly, address, after, length);
        next = address + 1;
    }
    return added;
}

/* Returns a file in memory with the SIZE bytes at BYTES, or -errno. */
static int file_of(const void *bytes, size_t size)
{
    int fd = memfd_create("ptprofil-code", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (write(fd, bytes, size) == (ssize_t)size)
        return fd;
    close(fd);
    return -EIO;
}

/* The work of the child. */
struct question {
    int code, out;
    uint64_t address;
};

/* Turns the child into objdump. Ctrl-C ends it, too. */
static int become_objdump(void *argument)
{
    const struct question *question = argument;
    char base[48], *arguments[] = {(char[]){"objdump"},
                                   (char[]){"-D"},
                                   (char[]){"-w"},
                                   (char[]){"-b"},
                                   (char[]){"binary"},
                                   (char[]){"-m"},
                                   (char[]){ARCH_OBJDUMP},
                                   (char[]){"--no-show-raw-insn"},
                                   base,
                                   (char[]){"/proc/self/fd/0"},
                                   NULL};
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    child_limit(RLIMIT_CORE, 0);
    child_limit(RLIMIT_FSIZE, 0);
    child_limit(RLIMIT_CPU, CPU_SECONDS);
    child_limit(RLIMIT_AS, MOST_MEMORY);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(question->code, STDIN_FILENO);
    dup2(question->out, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    setenv("LC_ALL", "C", 1);
    refuse_as_tool();
    snprintf(base, sizeof base, "--adjust-vma=0x%llx", (unsigned long long)question->address);
    execvp(arguments[0], arguments);
    return STATUS_NOT_FOUND;
}

/* Reads FD to its end. Returns 0 or -errno. */
static int read_all(int fd, struct buffer *text)
{
    uint64_t began_ns = time_now_ns();
    char part[1 << 14];
    for (;;) {
        uint64_t passed_ms = (time_now_ns() - began_ns) / 1000000;
        struct pollfd news = {.fd = fd, .events = POLLIN};
        int ready = passed_ms < PATIENCE_MS ? poll(&news, 1, PATIENCE_MS - (int)passed_ms) : 0;
        ssize_t got = ready > 0 ? read(fd, part, sizeof part) : -1;
        if (!got)
            return 0;
        if (!ready)
            return -ETIMEDOUT;
        if (got < 0 && errno != EINTR)
            return -errno;
        if (got > 0 && !buffer_append(text, part, (size_t)got))
            return -ENOMEM;
        if (text->length > MOST_OUTPUT)
            return -EIO;
    }
}

/* Puts objdump's output for the file CODE into TEXT. Returns 0 or -errno. */
static int run_objdump(int code, uint64_t address, struct buffer *text)
{
    int ends[2];
    struct child child = {0};
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    struct question question = {code, ends[1], address};
    int result = child_start(&child, "pt-objdump", become_objdump, &question);
    close(ends[1]);
    if (!result)
        result = read_all(ends[0], text);
    close(ends[0]);
    if (result < 0) {
        child_kill(&child, 0);
        return result;
    }
    int status = child_wait(&child);
    return status == STATUS_NOT_FOUND ? -ENOENT : status ? -EIO : 0;
}

int disassembly_make(struct disassembly *disassembly, const void *bytes, size_t size, uint64_t address,
                     struct error *error)
{
    struct buffer text = {0};
    if (size > DISASSEMBLY_MOST_BYTES)
        return error_set(error, E2BIG, "there are too many instructions (%zu bytes)", size);
    int code = file_of(bytes, size), result = code < 0 ? code : run_objdump(code, address, &text);
    if (code >= 0)
        close(code);
    if (!result && !disassembly_read(disassembly, text.bytes ? text.bytes : "", address, address + size))
        result = -ENOMEM;
    if (!result && !disassembly->count)
        result = -EIO;
    buffer_fini(&text);
    if (result == -ENOENT)
        return error_set(error, ENOENT, "objdump is not in PATH (Debian: apt install binutils)");
    return result < 0 ? error_system(error, -result, "objdump shows no instructions") : 0;
}
