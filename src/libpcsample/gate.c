/* SPDX-License-Identifier: MIT
 *
 * The thread sends itself a signal that is ignored by default. Without a tracer, the kernel drops it. With a tracer, it
 * stops the thread, and the tracer finds the request. All other code here hides this from the program: its handlers
 * must not see an extra signal, and blocked and pending signals must remain unchanged. */
#include "libpcsample/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>

#if defined __x86_64__ && !defined __ILP32__
#include "libpcsample/x86_64.h"
#elif defined __i386__
#include "libpcsample/i386.h"
#elif defined __aarch64__ && !defined __ILP32__ && !defined __AARCH64EB__
#include "libpcsample/arm64.h"
#else
#error libpcsample does not know this architecture: doc/HOWTO.md says what it needs
#endif

enum { MAX_ERRNO = 4095 };

/* The kernel's layouts of a signal set and of a signal action, which differ from the C library's. */
#define SET_OF(signal) (UINT64_C(1) << ((signal)-1))
struct kernel_action {
    unsigned long handler, flags, restorer;
    uint64_t mask;
};

/* Signals that are ignored by default, the least used first. (SIGCONT also cancels a pending stop signal.) */
static const int candidates[] = {SIGURG, SIGWINCH, SIGCHLD, SIGCONT};

/* Signals that are blocked during a request. A handler that ran then would find the answer in its registers, and a
 * handler that left by longjmp would leave this mask in place. Fault signals are included: another process may send
 * them, and this code cannot cause one, because it has touched its stack before. SIGSYS is not blocked, because a
 * filter of system calls may cause it. */
static const uint64_t held_back = ~SET_OF(SIGSYS);
enum { STACK_NEEDED = 4096 };

static long change_mask(int how, const uint64_t *set, uint64_t *old)
{
    return system_call(SYS_rt_sigprocmask, how, (long)set, (long)old, sizeof *set);
}

static uint64_t pending_set(void)
{
    uint64_t set = 0;
    system_call(SYS_rt_sigpending, (long)&set, sizeof set, 0, 0);
    return set;
}

static bool is_caught(int signal)
{
    struct kernel_action action = {.handler = (uintptr_t)SIG_DFL};
    system_call(SYS_rt_sigaction, signal, 0, (long)&action, sizeof action.mask);
    return action.handler != (uintptr_t)SIG_DFL && action.handler != (uintptr_t)SIG_IGN;
}

/* Reads the beginning of the file PATH into TEXT, of SIZE bytes, and appends a 0. TEXT is empty if the file cannot be
 * read. */
static void read_beginning(const char *path, char *text, size_t size)
{
    long length = 0, file = system_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
    if (file >= 0) {
        length = system_call(SYS_read, file, (long)text, (long)size - 1, 0);
        system_call(SYS_close, file, 0, 0, 0);
    }
    text[length > 0 ? length : 0] = 0;
}

/* Returns the rest of TEXT after PREFIX, or NULL if TEXT does not begin with PREFIX. */
static const char *after(const char *text, const char *prefix)
{
    while (*prefix && *text == *prefix)
        text++, prefix++;
    return *prefix ? NULL : text;
}

/* Returns true if the thread is traced by a process with the name of ptprofil's tracer. */
static bool is_supervised(void)
{
    char text[512], path[sizeof "/proc/2147483647/comm"] = "/proc/";
    const char *tracer = NULL;
    size_t length = sizeof "/proc/" - 1;
    read_beginning("/proc/thread-self/status", text, sizeof text);
    for (const char *at = text; *at && !tracer; at++)
        tracer = after(at, "\nTracerPid:\t");
    if (!tracer || *tracer == '0')
        return false;
    while (*tracer >= '0' && *tracer <= '9' && length < sizeof path - sizeof "/comm")
        path[length++] = *tracer++;
    for (const char *end = "/comm"; *end; end++)
        path[length++] = *end;
    path[length] = 0;
    read_beginning(path, text, sizeof text);
    return after(text, GATE_TRACER_NAME "\n") != NULL;
}

/* The signal to send, and its state in the program. */
struct choice {
    int signal;
    bool caught, blocked, waits;
};

static struct choice look_at(int signal, uint64_t mask)
{
    bool blocked = mask & SET_OF(signal);
    return (struct choice){signal, is_caught(signal), blocked, blocked && pending_set() & SET_OF(signal)};
}

static int rank(const struct choice *choice)
{
    return choice->caught * 4 + choice->blocked * 2 + choice->waits;
}

/* Chooses the best signal for a thread that blocks MASK. Prefers a signal without a handler, then one that is not
 * blocked, then one that is not pending. If all have handlers, chooses the last one: it is mostly sent to the process,
 * so ours, which goes to the thread, cannot merge with it. */
static struct choice choose(uint64_t mask)
{
    struct choice best = look_at(candidates[0], mask);
    for (size_t i = 1; i < sizeof candidates / sizeof *candidates && rank(&best); i++) {
        struct choice next = look_at(candidates[i], mask);
        if (rank(&next) < rank(&best) || (rank(&next) == rank(&best) && next.caught))
            best = next;
    }
    return best;
}

static void send_to_itself(int signal)
{
    long process = system_call(SYS_getpid, 0, 0, 0, 0), thread = system_call(SYS_gettid, 0, 0, 0, 0);
    system_call(SYS_tgkill, process, thread, signal, 0);
}

/* Unblocks the signals of SET, with REQUEST in the registers where the tracer looks for it when one of them stops the
 * thread. Returns true, with the answer in *ANSWER, if the tracer has answered. */
static bool let_in(const uint64_t *set, struct gate_request *request, long *answer)
{
    uint64_t mark = GATE_MAGIC;
    long result = marked_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)set, 0, sizeof *set, &mark, request);
    request->magic = 0; /* the registers may keep the answer for long */
    *answer = result;
    return mark == GATE_SERVED;
}

/* Sends the chosen signal, which stays pending, and unblocks it. A signal of the program's own that was pending for
 * this thread may have merged with ours: sends it again, so that it is pending as before. Returns the answer, or
 * -ENOSYS. */
static long knock(const struct choice *choice, struct gate_request *request)
{
    const uint64_t set = SET_OF(choice->signal);
    long answer = 0;
    send_to_itself(choice->signal);
    bool served = let_in(&set, request, &answer);
    if (choice->waits) {
        change_mask(SIG_BLOCK, &set, NULL);
        if (!(pending_set() & set))
            send_to_itself(choice->signal);
    }
    return served ? answer : -ENOSYS;
}

/* Makes a full stack fault here. */
__attribute__((noinline)) static void touch_stack(void)
{
    volatile char bytes[STACK_NEEDED];
    bytes[0] = 0;
    (void)bytes[0];
}

/* Returns the answer, or -ENOSYS if no tracer answers. */
static long ask(struct gate_request *request)
{
    uint64_t mask;
    touch_stack();
    if (change_mask(SIG_BLOCK, &held_back, &mask) < 0)
        return -ENOSYS;
    struct choice choice = choose(mask);
    bool harmless = !rank(&choice); /* without a tracer, the kernel drops it */
    long answer = harmless || is_supervised() ? knock(&choice, request) : -ENOSYS;
    change_mask(SIG_SETMASK, &mask, NULL);
    return answer;
}

long pcsample_gate(enum gate_call call, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    struct gate_request request = {GATE_MAGIC, call, {a, b, c, d}};
    long answer = ask(&request);
    if (answer >= 0 || answer < -MAX_ERRNO)
        return answer;
    errno = (int)-answer;
    return -1;
}
