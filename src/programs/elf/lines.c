/* SPDX-License-Identifier: MIT */
#include "programs/elf/lines.h"

#include "common/base/buffer.h"
#include "common/base/child.h"
#include "common/base/error.h"
#include "common/base/proc.h"
#include "common/base/socket.h"
#include "common/base/time.h"
#include "common/base/viewer.h"
#include "programs/elf/answer.h"
#include "programs/elf/debug_file.h"
#include "programs/elf/dwarf.h"
#include "programs/elf/image.h"
#include "programs/elf/sections.h"
#include "programs/elf/symbols.h"
#include "programs/files/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Limits of the process: CPU time for all addresses together, and the time for one answer. The latter is longer, so
 * that a busy machine does not exceed it. */
enum { CPU_SECONDS = 60, ANSWER_SECONDS = 300 };

/* Memory limit of the process: a fixed number of bytes, and a number for each byte of the files. */
#define MEMORY_LEAST (UINT64_C(256) << 20)
#define MEMORY_TIMES 16

struct elf_lines {
    const struct elf_file *program;
    struct elf_debug_file debug;  /* debug file; none if the program contains its debug information */
    struct elf_debug_file shared; /* debug information that dwz has moved out of it */
    struct child process;
    int socket; /* to the process; -1: none */
    bool gave_up;
    uint64_t ours; /* memory of this process that the other one began with */
    struct buffer answer;
    struct viewer viewer; /* rights with which it opens further files */
};

/* Returns the file with the debug information. */
static const struct elf_file *source_of(const struct elf_lines *lines)
{
    return lines->debug.file ? lines->debug.file : lines->program;
}

static uint64_t size_of(const struct elf_lines *lines)
{
    return source_of(lines)->size + (lines->shared.file ? lines->shared.file->size : 0);
}

#ifdef __SANITIZE_ADDRESS__ /* AddressSanitizer's shadow memory takes more */
static void limit_memory(const struct elf_lines *lines)
{
    (void)lines;
}
#else
static uint64_t memory_of_us(void)
{
    struct buffer text = {0};
    int fd = proc_open("/proc/self/statm", O_RDONLY);
    uint64_t pages = 0;
    if (fd >= 0 && buffer_read_file(&text, fd, 4096) == 0 && text.bytes)
        pages = strtoull(text.bytes, NULL, 10);
    if (fd >= 0)
        close(fd);
    buffer_fini(&text);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit_memory(const struct elf_lines *lines)
{
    child_limit(RLIMIT_AS, memory_of_us() + MEMORY_LEAST + size_of(lines) * MEMORY_TIMES);
}
#endif

/* Confines this process, so that nothing it does is visible outside. */
static void confine(const struct elf_lines *lines)
{
    int fd;
    child_limit(RLIMIT_CORE, 0);
    child_limit(RLIMIT_CPU, CPU_SECONDS);
    limit_memory(lines);
    fd = open("/dev/null", O_RDWR | O_CLOEXEC); /* libdw complains on standard error */
    if (fd >= 0) {
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
    }
}

/* Runs in the process: answers until the other side is closed. Each answer begins with its size, in 4 bytes. */
static void serve(struct elf_dwarf *dwarf, int socket)
{
    struct elf_line chain[ELF_LINES_MAX];
    struct buffer answer = {0};
    uint64_t vaddr;
    uint32_t size = 0;
    while (!answer.failed && socket_receive(socket, &vaddr, sizeof vaddr, NULL)) {
        size_t count = elf_dwarf_find(dwarf, vaddr, chain);
        answer.length = 0;
        if (!buffer_append(&answer, &size, sizeof size) || !elf_answer_write(&answer, chain, count))
            break;
        size = (uint32_t)(answer.length - sizeof size);
        memcpy(answer.bytes, &size, sizeof size);
        if (!socket_send(socket, answer.bytes, answer.length))
            break;
    }
    buffer_fini(&answer);
}

/* Arguments of the process. Its end of the sockets is the second one. */
struct order {
    const struct elf_lines *lines;
    int sockets[2];
};

static int run(void *argument)
{
    const struct order *order = argument;
    const struct elf_lines *lines = order->lines;
    struct elf_dwarf *dwarf;
    close(order->sockets[0]);
    confine(lines);
    viewer_begin(&lines->viewer);
    if (guard_begin() == 0 && elf_dwarf_new(source_of(lines), lines->program, lines->shared.file, &dwarf, NULL) == 0)
        serve(dwarf, order->sockets[1]);
    return 0;
}

static void end(struct elf_lines *lines)
{
    if (lines->socket >= 0)
        close(lines->socket);
    lines->socket = -1;
    child_kill(&lines->process, 0);
}

/* Starts the process, which reads the debug information before it waits for questions. */
static bool start(struct elf_lines *lines)
{
    const struct timeval patience = {.tv_sec = ANSWER_SECONDS};
    struct order order = {.lines = lines};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, order.sockets) < 0)
        return false;
    lines->ours = proc_private_bytes(getpid());
    int result = child_start(&lines->process, "pt-lines", run, &order);
    close(order.sockets[1]);
    lines->socket = order.sockets[0];
    return result == 0 && setsockopt(lines->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0;
}

uint64_t elf_lines_begin(struct elf_lines *lines, uint64_t most_bytes)
{
    if (!lines || lines->socket >= 0 || size_of(lines) > most_bytes)
        return 0;
    start(lines); /* a failure shows at the first address */
    return size_of(lines);
}

/* Sends the question, and stores the answer in LINES. */
static bool ask_child(struct elf_lines *lines, uint64_t vaddr)
{
    uint32_t size;
    if (lines->socket < 0 && !start(lines))
        return false;
    return socket_send(lines->socket, &vaddr, sizeof vaddr) &&
           socket_receive(lines->socket, &size, sizeof size, NULL) && size <= ELF_ANSWER_MAX &&
           socket_receive_buffer(lines->socket, &lines->answer, size);
}

size_t elf_lines_find(struct elf_lines *lines, uint64_t vaddr, struct elf_line chain[ELF_LINES_MAX])
{
    if (lines->gave_up)
        return 0;
    if (!ask_child(lines, vaddr)) {
        lines->gave_up = true;
        end(lines);
        return 0;
    }
    return elf_answer_read(lines->answer.bytes, lines->answer.length, chain);
}

bool elf_lines_gave_up(const struct elf_lines *lines)
{
    return lines->gave_up;
}

bool elf_lines_is_worn(const struct elf_lines *lines)
{
    clockid_t clock;
    if (lines->gave_up)
        return true;
    return lines->process.pid && clock_getcpuclockid(lines->process.pid, &clock) == 0 &&
           time_read_ns(clock) > CPU_SECONDS / 2 * UINT64_C(1000000000);
}

/* It began as a copy, and shares most of that. */
uint64_t elf_lines_bytes(const struct elf_lines *lines)
{
    uint64_t bytes = lines->process.pid ? proc_private_bytes(lines->process.pid) : 0;
    return bytes > lines->ours ? bytes - lines->ours : 0;
}

static bool has_dwarf(const struct elf_sections *sections)
{
    GElf_Shdr header;
    size_t index = elf_sections_find(sections, 0, ".debug_info");
    if (!index)
        index = elf_sections_find(sections, 0, ".zdebug_info");
    return elf_sections_header(sections, index, &header) && header.sh_type != SHT_NOBITS && header.sh_size;
}

/* Finds the file with the DWARF, and the file that it shares. Returns 0, or -ENOENT if none exists. */
static int find_files(struct elf_lines *lines, const struct elf_sections *own, const struct elf_debug_search *search)
{
    struct elf_sections foreign = {0};
    int status = 0;
    if (has_dwarf(own)) {
        lines->shared = search ? elf_debug_file_shared(lines->program, own, search) : lines->shared;
        return 0;
    }
    if (search)
        lines->debug = elf_debug_file_find(lines->program, own, search);
    if (!lines->debug.file || elf_sections_open(&foreign, lines->debug.file, NULL) < 0)
        return -ENOENT;
    if (has_dwarf(&foreign))
        lines->shared = elf_debug_file_shared(lines->debug.file, &foreign, search);
    else
        status = -ENOENT;
    elf_sections_close(&foreign);
    return status;
}

int elf_lines_new(const struct elf_file *file, const struct elf_debug_search *search, struct elf_lines **lines,
                  struct error *error)
{
    struct elf_lines *opened = calloc(1, sizeof *opened);
    struct elf_sections own;
    int status;
    *lines = NULL;
    if (!opened)
        return error_system(error, ENOMEM, "cannot read the debug information");
    *opened = (struct elf_lines){.program = file, .debug = {.fd = -1}, .shared = {.fd = -1}, .socket = -1};
    status = elf_sections_open(&own, file, error);
    if (search && search->viewer)
        opened->viewer = *search->viewer;
    if (status == 0) {
        status = find_files(opened, &own, search);
        if (status < 0)
            error_set(error, -status, "no debug information");
        elf_sections_close(&own);
    }
    if (status < 0)
        elf_lines_free(opened);
    else
        *lines = opened;
    return status;
}

void elf_lines_free(struct elf_lines *lines)
{
    if (!lines)
        return;
    end(lines);
    elf_debug_file_close(&lines->debug);
    elf_debug_file_close(&lines->shared);
    buffer_fini(&lines->answer);
    free(lines);
}
