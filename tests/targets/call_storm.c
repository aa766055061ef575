/* SPDX-License-Identifier: MIT
 *
 * Threads that call profil or pcsample without a pause. They check each result, errno, the registers that a call
 * preserves, and the code of the process.
 *
 *     call_storm profil|pcsample [-t THREADS] [-n CALLS] [-s SECONDS] [-o OVER] [-r READY] [-e] [-c] [-p MS] [-w]
 * Each thread makes CALLS calls, or calls for SECONDS, and until the file OVER exists. -w: it begins when the code
 * of profil has been changed. -e: in the end, calls must fail with ENOSYS, and never succeed after the first
 * failure. -c: in the end, the code must equal that of the files, and the C library's profil must work. For -e and
 * -c, it waits up to half a minute. -p: MS milliseconds pass between two calls. */
#include "own_text.h"

#include <pcsample.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

enum { THREADS_MOST = 64, ROOM = 512 };
#ifdef __i386__
enum { KEPT = 4 };
#else
enum { KEPT = 6 };
#endif

/* Calls FUNCTION(arguments[0], ... [3]) with SEED + 1 to SEED + KEPT in the callee-saved registers. Returns its
 * result. SEEN gets the registers' values afterwards. */
long call_with_registers(const void *function, const long arguments[4], long seed, long seen[KEPT]);
#ifdef __aarch64__
__asm__(".text\n"
        ".type call_with_registers, %function\n"
        "call_with_registers:\n"
        "    stp x29, x30, [sp, #-80]!\n"
        "    stp x19, x20, [sp, #16]\n    stp x21, x22, [sp, #32]\n    stp x23, x24, [sp, #48]\n    str x3, [sp, #64]\n"
        "    mov x9, x0\n    mov x10, x1\n"
        "    add x19, x2, #1\n    add x20, x2, #2\n    add x21, x2, #3\n"
        "    add x22, x2, #4\n    add x23, x2, #5\n    add x24, x2, #6\n"
        "    ldp x0, x1, [x10]\n    ldp x2, x3, [x10, #16]\n"
        "    blr x9\n"
        "    ldr x9, [sp, #64]\n"
        "    stp x19, x20, [x9]\n    stp x21, x22, [x9, #16]\n    stp x23, x24, [x9, #32]\n"
        "    ldp x19, x20, [sp, #16]\n    ldp x21, x22, [sp, #32]\n    ldp x23, x24, [sp, #48]\n"
        "    ldp x29, x30, [sp], #80\n"
        "    ret\n"
        ".size call_with_registers, . - call_with_registers\n");
#else
__asm__(".text\n"
        ".type call_with_registers, @function\n"
        "call_with_registers:\n"
#ifdef __i386__
        "    push %ebx\n    push %ebp\n    push %esi\n    push %edi\n"
        "    sub $28, %esp\n" /* also aligns the stack */
        "    mov 52(%esp), %eax\n"
        "    mov (%eax), %ecx\n    mov %ecx, (%esp)\n    mov 4(%eax), %ecx\n    mov %ecx, 4(%esp)\n"
        "    mov 8(%eax), %ecx\n    mov %ecx, 8(%esp)\n    mov 12(%eax), %ecx\n    mov %ecx, 12(%esp)\n"
        "    mov 56(%esp), %ecx\n"
        "    lea 1(%ecx), %ebx\n    lea 2(%ecx), %ebp\n    lea 3(%ecx), %esi\n    lea 4(%ecx), %edi\n"
        "    call *48(%esp)\n"
        "    mov 60(%esp), %ecx\n"
        "    mov %ebx, (%ecx)\n    mov %ebp, 4(%ecx)\n    mov %esi, 8(%ecx)\n    mov %edi, 12(%ecx)\n"
        "    add $28, %esp\n"
        "    pop %edi\n    pop %esi\n    pop %ebp\n    pop %ebx\n"
#else
        "    push %rbx\n    push %rbp\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    push %rcx\n" /* also aligns the stack */
        "    mov %rdi, %rax\n"
        "    lea 1(%rdx), %rbx\n    lea 2(%rdx), %rbp\n    lea 3(%rdx), %r12\n"
        "    lea 4(%rdx), %r13\n    lea 5(%rdx), %r14\n    lea 6(%rdx), %r15\n"
        "    mov (%rsi), %rdi\n    mov 16(%rsi), %rdx\n    mov 24(%rsi), %rcx\n    mov 8(%rsi), %rsi\n"
        "    call *%rax\n"
        "    pop %rcx\n"
        "    mov %rbx, (%rcx)\n    mov %rbp, 8(%rcx)\n    mov %r12, 16(%rcx)\n"
        "    mov %r13, 24(%rcx)\n    mov %r14, 32(%rcx)\n    mov %r15, 40(%rcx)\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbp\n    pop %rbx\n"
#endif
        "    ret\n"
        ".size call_with_registers, . - call_with_registers\n");
#endif

static uintptr_t samples[ROOM];
static unsigned short cells[ROOM];
static bool is_pcsample, may_end, must_be_clean;
static long calls_wanted = -1, pause_ms;
static uint64_t end_ns = UINT64_MAX;
static const char *over;
static _Atomic long calls, refused;

static long call_checked(const void *function, const long arguments[4], long seed)
{
    long seen[KEPT], result = call_with_registers(function, arguments, seed, seen);
    for (long i = 0; i < KEPT; i++)
        if (seen[i] != seed + 1 + i)
            die("after the call kept register %ld holds 0x%lx, not 0x%lx (result %ld)", i, (unsigned long)seen[i],
                (unsigned long)(seed + 1 + i), result);
    return result;
}

static void call_pcsample(long seed)
{
    const long arguments[4] = {(long)samples, ROOM};
    long (*function)(uintptr_t *, long) = pcsample;
    bool before = refused > 0;
    errno = EDOM;
    long result = call_checked(*(void **)&function, arguments, seed);
    if (result >= 0) {
        if (result > ROOM || errno != EDOM || before)
            die("pcsample returns %ld, errno %d, %s refusal", result, errno, before ? "after a" : "without a");
        return;
    }
    if (result != -1 || errno != ENOSYS || !may_end)
        die("pcsample returns %ld, errno %d", result, errno);
    refused++;
}

/* Every second call switches profiling off, as programs do. */
static void call_profil(long seed)
{
    const long on[4] = {(long)cells, sizeof cells, (long)(uintptr_t)call_profil & ~0xffl, 65536}, off[4] = {0};
    int (*function)(unsigned short *, size_t, size_t, unsigned) = profil;
    errno = EDOM;
    int result = (int)call_checked(*(void **)&function, seed & 1 ? off : on, seed);
    if (result == -1 && errno == ENOSYS && may_end)
        refused++;
    else if (result != 0 || errno != EDOM)
        die("profil returns %d, errno %d", result, errno);
}

static bool goes_on(long made)
{
    if (made == calls_wanted)
        return false;
    return monotonic_ns() < end_ns || (over && access(over, F_OK) != 0);
}

/* Calls before the service begins would start the C library's own profiling, which ptprofil then does not replace. */
static void await_service(void)
{
    int (*function)(unsigned short *, size_t, size_t, unsigned) = profil;
    const uint64_t latest_ns = monotonic_ns() + limit_ns(60);
    while (!own_function_differs(*(void **)&function)) {
        CHECK(monotonic_ns() < latest_ns);
        nap_ms(1);
    }
}

static void *storm(void *number)
{
    long seed = (long)((uint64_t)(uintptr_t)number << (sizeof(long) == 4 ? 24 : 32));
    for (long i = 0; goes_on(i); i++) {
        if (is_pcsample)
            call_pcsample(seed + i);
        else
            call_profil(seed + i);
        calls++;
        if (pause_ms)
            nap_ms((unsigned)pause_ms);
    }
    return NULL;
}

/* The C library's profil is not thread-safe: if a tick arrives while another thread switches profiling off, its
 * handler has no buffer. */
static void hold_ticks(bool hold)
{
    unsigned short *volatile none = NULL;
    sigset_t tick;
    sigemptyset(&tick);
    sigaddset(&tick, SIGPROF);
    if (!hold) {
        static const struct itimerval off;
        profil(none, 0, 0, 0);
        setitimer(ITIMER_PROF, &off, NULL); /* two concurrent calls may have left the timer running */
        signal(SIGPROF, SIG_IGN);           /* discards a pending one */
        signal(SIGPROF, SIG_DFL);
    }
    CHECK(sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &tick, NULL) == 0);
}

/* The C library's own profil uses the kernel's timer and SIGPROF. */
static bool own_profil_works(void)
{
    unsigned short *volatile none = NULL; /* forbidden by the header, but glibc's way to stop */
    struct itimerval timer;
    CHECK(profil(cells, sizeof cells, (size_t)(uintptr_t)own_profil_works, 65536) == 0);
    CHECK(getitimer(ITIMER_PROF, &timer) == 0);
    CHECK(profil(none, 0, 0, 0) == 0);
    return timer.it_interval.tv_usec > 0;
}

/* The killed tracer may have served calls until now. */
static void check_refused(void)
{
    const uint64_t end = monotonic_ns() + limit_ns(30);
    errno = 0;
    while (pcsample(samples, ROOM) >= 0) {
        CHECK(monotonic_ns() < end);
        nap_ms(5);
    }
    CHECK(errno == ENOSYS);
}

static void check_end(void)
{
    if (may_end)
        check_refused();
    if (must_be_clean) {
        const uint64_t end = monotonic_ns() + limit_ns(30);
        do { /* a thread may still arrive here */
            CHECK(own_text_returns(30));
            CHECK(monotonic_ns() < end);
        } while (!own_profil_works());
    }
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS_MOST];
    const char *ready = NULL;
    double seconds = 0;
    bool awaits = false;
    int option, count = 1;
    target_begin();
    CHECK(argc > 1);
    is_pcsample = strcmp(argv[1], "pcsample") == 0;
    while ((option = getopt(argc - 1, argv + 1, "t:n:s:o:r:p:ecw")) >= 0)
        switch (option) {
        case 't':
            count = atoi(optarg);
            break;
        case 'n':
            calls_wanted = atol(optarg);
            break;
        case 's':
            seconds = atof(optarg);
            break;
        case 'o':
            over = optarg;
            break;
        case 'w':
            awaits = true;
            break;
        case 'r':
            ready = optarg;
            break;
        case 'p':
            pause_ms = atol(optarg);
            break;
        case 'e':
            may_end = true;
            break;
        case 'c':
            must_be_clean = true;
            break;
        default:
            return 98;
        }
    CHECK(count > 0 && count <= THREADS_MOST);
    if (awaits)
        await_service();
    if (seconds > 0)
        end_ns = monotonic_ns() + (uint64_t)(seconds * 1e9);
    if (!is_pcsample)
        hold_ticks(true);
    announce(ready);
    for (int i = 0; i < count; i++)
        CHECK(pthread_create(&threads[i], NULL, storm, (void *)(uintptr_t)(i + 1)) == 0);
    for (int i = 0; i < count; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    if (!is_pcsample)
        hold_ticks(false);
    check_end();
    printf("calls %ld\nrefused %ld\n", calls, refused);
    return 0;
}
