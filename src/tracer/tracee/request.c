/* SPDX-License-Identifier: MIT */
#include "tracer/tracee/request.h"

#include "common/arch/arch.h"
#include "common/arch/machine.h"
#include "common/arch/registers.h"
#include "tracer/tracee/procfs.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int answer(long result)
{
    return result < 0 ? -errno : 0;
}

/* No EXITKILL: a tracee outlives its tracer. */
#define OPTIONS_ALONE (PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD)
#define OPTIONS_FOLLOW (OPTIONS_ALONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK)

static unsigned long options_of(bool follow, bool end)
{
    return (unsigned long)(follow ? OPTIONS_FOLLOW : OPTIONS_ALONE) | (end ? PTRACE_O_TRACEEXIT : 0);
}

#define SEIZE_SIGNAL (SIGRTMIN + 1)
enum { SEIZE_NS = 20000000 };

/* The kernel restarts a request after a handler that returns, so the handler jumps out. */
static _Thread_local sigjmp_buf *volatile held_up;

static void give_up(int sig)
{
    (void)sig;
    if (held_up)
        siglongjmp(*held_up, 1);
}

static bool seize_timer(int *timer)
{
    struct sigaction action = {.sa_handler = give_up};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SEIZE_SIGNAL};
    event._sigev_un._tid = gettid();
    return sigaction(SEIZE_SIGNAL, &action, NULL) == 0 &&
           syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, timer) == 0;
}

/* If the signal comes after the system call, the thread may be ours already. */
static int seize_in_time(pid_t tid, unsigned long options, int timer)
{
    const struct itimerspec when = {.it_value = {0, SEIZE_NS}};
    volatile int result = -ETIMEDOUT;
    pid_t process, parent;
    sigjmp_buf out;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SEIZE_SIGNAL);
    if (!sigsetjmp(out, 0)) {
        held_up = &out;
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        syscall(SYS_timer_settime, timer, 0, &when, NULL);
        result = answer(syscall(SYS_ptrace, PTRACE_SEIZE, tid, NULL, options));
    }
    held_up = NULL;
    return result == -ETIMEDOUT && procfs_family(tid, &process, &parent) ? 0 : result;
}

/* May be called in a signal handler that interrupted any code, so the timer is made without a library. */
int request_seize(pid_t tid, bool follow, bool end)
{
    unsigned long options = options_of(follow, end);
    sigset_t before;
    int timer;
    if (!seize_timer(&timer))
        return answer(ptrace(PTRACE_SEIZE, tid, NULL, options));
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    int result = seize_in_time(tid, options, timer);
    syscall(SYS_timer_delete, timer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

int request_follow(pid_t tid)
{
    return answer(ptrace(PTRACE_SETOPTIONS, tid, NULL, options_of(true, true)));
}

int request_interrupt(pid_t tid)
{
    return answer(ptrace(PTRACE_INTERRUPT, tid, NULL, NULL));
}

bool request_was_killed(pid_t tid)
{
    siginfo_t info = {0};
    if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) < 0)
        return errno == ESRCH;
    return info.si_code == (SIGTRAP | PTRACE_EVENT_EXIT << 8);
}

int request_resume(pid_t tid, int sig)
{
    return answer(ptrace(PTRACE_CONT, tid, NULL, (unsigned long)sig));
}

int request_resume_to_syscall(pid_t tid, int sig)
{
    return answer(ptrace(PTRACE_SYSCALL, tid, NULL, (unsigned long)sig));
}

int request_listen(pid_t tid)
{
    return answer(ptrace(PTRACE_LISTEN, tid, NULL, NULL));
}

int request_detach(pid_t tid, int sig)
{
    return answer(ptrace(PTRACE_DETACH, tid, NULL, (unsigned long)sig));
}

int request_event_message(pid_t tid, pid_t *message)
{
    unsigned long value;
    int result = answer(ptrace(PTRACE_GETEVENTMSG, tid, NULL, &value));
    if (!result)
        *message = (pid_t)value;
    return result;
}

/* Unreadable code counts as 0: not a system call instruction. */
void request_code(pid_t tid, struct arch_registers *registers)
{
    uint64_t address, words;
    if (!arch_lacks_code(registers, &address))
        return;
    errno = 0;
    words = (uint64_t)ptrace(PTRACE_PEEKTEXT, tid, address, NULL);
    arch_set_code(registers, errno ? 0 : words);
}

int request_registers(pid_t tid, struct arch_registers *registers)
{
    struct iovec place = {&registers->user, sizeof registers->user};
    int result = answer(ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &place));
    if (!result && !arch_registers_received(registers, place.iov_len))
        return -ENOTSUP;
    if (!result)
        request_code(tid, registers);
    return result;
}

bool request_is_fault(pid_t tid)
{
    siginfo_t info;
    return ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 && info.si_code > 0 && info.si_code < SI_KERNEL;
}

int request_sender(pid_t tid, struct request_sender *sender)
{
    siginfo_t info = {0};
    int result = answer(ptrace(PTRACE_GETSIGINFO, tid, NULL, &info));
    *sender = (struct request_sender){.is_kernel = info.si_code > 0, .pid = info.si_code > 0 ? 0 : info.si_pid};
    return result;
}

/* Sets the registers of a 32-bit thread with the whole register set, because NT_PRSTATUS lacks some. Setting
 * NT_PRSTATUS also sets the segment bases by the segment numbers, but 64-bit code of the same thread may have set other
 * bases. And the kernel sets one register after the other, and fails at a segment number that only the program may set.
 * In NT_PRSTATUS that comes before the PC; in the whole set it comes last. */
static int set_compat(pid_t tid, const struct arch_registers *registers)
{
    struct user_regs_struct whole;
    int result = answer(ptrace(ARCH_GET_WHOLE, tid, NULL, &whole));
    if (result)
        return result;
    arch_registers_put(&whole, registers);
    return answer(ptrace(ARCH_SET_WHOLE, tid, NULL, &whole));
}

static int set_native(pid_t tid, const struct arch_registers *registers)
{
    struct arch_registers copy = *registers;
    arch_registers_sent(&copy);
    struct iovec place = {&copy.user, sizeof copy.user};
    return answer(ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &place));
}

int request_set_registers(pid_t tid, const struct arch_registers *registers)
{
    int result = registers->is_compat ? set_compat(tid, registers) : set_native(tid, registers);
    return result == -EIO ? 0 : result; /* a segment, which keeps its old value */
}

int request_signal(pid_t tid)
{
    enum { EVENT_STOP = 1 << 8 /* and above */, SYSCALL_STOP = SIGTRAP | 0x80 };
    siginfo_t info = {0};
    bool known = ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0;
    return known && (info.si_code >= EVENT_STOP || info.si_code == SYSCALL_STOP) ? 0 : info.si_signo;
}

int request_argument(pid_t tid, uint64_t *argument)
{
    struct __ptrace_syscall_info call = {0};
    siginfo_t before, during;
    int result = answer(ptrace(PTRACE_GETSIGINFO, tid, NULL, &before));
    if (result)
        return result;
    during = before;
    during.si_code = SIGTRAP | PTRACE_EVENT_SECCOMP << 8;
    result = answer(ptrace(PTRACE_SETSIGINFO, tid, NULL, &during));
    if (result)
        return result;
    result = answer(ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof call, &call));
    ptrace(PTRACE_SETSIGINFO, tid, NULL, &before);
    if (!result && call.op != PTRACE_SYSCALL_INFO_SECCOMP)
        result = -ENOTSUP;
    if (!result)
        *argument = call.seccomp.args[0];
    return result;
}

uint64_t request_thread_pointer(pid_t tid, const struct arch_registers *registers)
{
    uint64_t pointer = 0;
    struct iovec place = {&pointer, sizeof pointer};
    if (!ARCH_THREAD_REGISTERS)
        return arch_thread_pointer(registers);
    return ptrace(PTRACE_GETREGSET, tid, ARCH_THREAD_REGISTERS, &place) ? 0 : pointer;
}

int request_signal_mask(pid_t tid, uint64_t *mask)
{
    *mask = 0; /* valgrind does not know that the request fills it */
    return answer(ptrace(PTRACE_GETSIGMASK, tid, sizeof *mask, mask));
}

uint64_t request_descriptor(pid_t tid)
{
    uint64_t list = 0;
    size_t size = 0;
    return syscall(SYS_get_robust_list, tid, &list, &size) == 0 ? list : 0;
}

int request_set_signal_mask(pid_t tid, uint64_t mask)
{
    return answer(ptrace(PTRACE_SETSIGMASK, tid, sizeof mask, &mask));
}

int request_read(pid_t tid, uint64_t address, void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        uint64_t at = address + done, word;
        size_t before = at % sizeof word,
               some = sizeof word - before < size - done ? sizeof word - before : size - done;
        errno = 0;
        word = (uint64_t)ptrace(PTRACE_PEEKDATA, tid, at - before, NULL);
        if (errno)
            return -errno;
        memcpy((unsigned char *)bytes + done, (unsigned char *)&word + before, some);
        done += some;
    }
    return 0;
}

int request_change_byte(pid_t tid, uint64_t address, uint8_t from, uint8_t to)
{
    uint64_t word, place = address & ~(uint64_t)7;
    unsigned shift = (unsigned)(address - place) * 8;
    int result = request_read(tid, place, &word, sizeof word);
    if (result < 0)
        return result;
    if ((uint8_t)(word >> shift) != from)
        return -ESTALE;
    word = (word & ~((uint64_t)0xff << shift)) | (uint64_t)to << shift;
    return answer(ptrace(PTRACE_POKETEXT, tid, place, word));
}
