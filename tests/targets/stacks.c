/* SPDX-License-Identifier: MIT
 *
 * Stops at int3 with a certain kind of stack:
 *
 *     stacks KIND
 * The tests compile it with many options and read the stack by ptrace. Without a tracer the trap ends it. Each
 * function continues after its call, because the call would otherwise be a jump. */
#include "target.h"

#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <ucontext.h>
#endif

#ifdef __clang__
#define KEPT __attribute__((noinline, used)) static
#else
#define KEPT __attribute__((noinline, noclone, used)) static
#endif

volatile int side_effect;

KEPT void stop_here(void)
{
    __asm__ volatile("int3");
}

KEPT void inner(void)
{
    stop_here();
    side_effect++;
}

KEPT void outer(void)
{
    inner();
    side_effect += 2;
}

KEPT void recurse(int left)
{
    if (left)
        recurse(left - 1);
    else
        stop_here();
    side_effect++;
}

KEPT void shallow(void)
{
    recurse(12);
}

KEPT void deep(void)
{
    recurse(10000);
}

/* A register with the address of the arguments leads to the frame. */
KEPT void realign(int size)
{
    _Alignas(64) volatile char aligned[64];
    volatile char *some = alloca((size_t)size);
    some[0] = aligned[0] = 1;
    stop_here();
    side_effect += some[0] + aligned[0];
}

KEPT void aligned(void)
{
    realign(side_effect + 100);
}

KEPT __attribute__((noreturn)) void never_returns(void)
{
    stop_here();
    _exit(1);
}

/* Ends with a call, so the return address belongs to the next function. */
KEPT __attribute__((noreturn)) void ends_with_call(void)
{
    never_returns();
}

KEPT void no_return(void)
{
    ends_with_call();
}

KEPT int compare(const void *one, const void *other)
{
    stop_here();
    side_effect++;
    return *(const int *)one - *(const int *)other;
}

KEPT void callback(void)
{
    int numbers[] = {2, 1};
    qsort(numbers, 2, sizeof *numbers, compare);
    side_effect += numbers[0];
}

KEPT void handler(int number)
{
    side_effect += number;
    stop_here();
    side_effect++;
}

static void handle(int number, int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    CHECK(sigaction(number, &action, NULL) == 0);
}

KEPT void fault_inside(void)
{
    side_effect++;
    __asm__ volatile("ud2");
    side_effect++;
}

/* The first instruction faults; the one before it belongs to another function. */
__asm__(".text\n"
        ".globl fault_first\n"
        ".type fault_first, @function\n"
        "fault_first:\n"
        ".cfi_startproc\n"
        "ud2\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size fault_first, . - fault_first\n");
void fault_first(void);

KEPT void signal_inside(void)
{
    handle(SIGILL, 0);
    fault_inside();
    side_effect++;
}

KEPT void signal_first(void)
{
    handle(SIGILL, 0);
    fault_first();
    side_effect++;
}

KEPT void signal_library(void)
{
    handle(SIGSEGV, 0);
    char *volatile nowhere = (char *)8;
    side_effect += (int)strlen(nowhere);
}

KEPT void signal_stack(void)
{
    static char bytes[65536];
    stack_t stack = {.ss_sp = bytes, .ss_size = sizeof bytes};
    CHECK(sigaltstack(&stack, NULL) == 0);
    handle(SIGILL, SA_ONSTACK);
    fault_inside();
    side_effect++;
}

KEPT void *in_thread(void *argument)
{
    inner();
    side_effect++;
    return argument;
}

KEPT void thread(void)
{
    pthread_t id;
    CHECK(pthread_create(&id, NULL, in_thread, NULL) == 0);
    CHECK(pthread_join(id, NULL) == 0);
}

KEPT void in_fiber(void)
{
    inner();
    side_effect += 3; /* a unique number, because compilers merge equal functions */
}

KEPT void fiber(void)
{
#ifdef __GLIBC__
    static ucontext_t here, there;
    static char bytes[65536];
    CHECK(getcontext(&there) == 0);
    there.uc_stack = (stack_t){.ss_sp = bytes, .ss_size = sizeof bytes};
    there.uc_link = &here;
    makecontext(&there, in_fiber, 0);
    CHECK(swapcontext(&here, &there) == 0);
#endif
}

/* Generated code with a frame pointer. */
KEPT void made_code(void)
{
    /* push %rbp; mov %rsp,%rbp; sub $0x20,%rsp; call *%rdi; leave; ret */
    static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20, 0xff, 0xd7, 0xc9, 0xc3};
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    memcpy(page, code, sizeof code);
    void (*made)(void (*)(void));
    *(void **)&made = page;
    made(inner);
    side_effect++;
}

/* Work between two stops, to follow instruction by instruction: prologues and epilogues, the PLT, the dynamic
 * linker, the vDSO. */
KEPT void work(void)
{
    char text[64], copy[64];
    struct timespec now;
    int numbers[] = {3, 1, 2};
    snprintf(text, sizeof text, "%d %s %.2f", side_effect, "text", 1.5);
    memcpy(copy, text, strlen(text) + 1);
    side_effect += strcmp(copy, text);
    clock_gettime(CLOCK_MONOTONIC, &now);
    side_effect += (int)now.tv_nsec;
    void *block = malloc(1000 + strlen(copy));
    CHECK(block);
    free(block);
    side_effect += numbers[0] + (getenv("NOWHERE") != NULL);
    errno = 0;
    side_effect += close(-1);
}

KEPT void steps(void)
{
    stop_here();
    work();
    stop_here();
    side_effect++;
}

static const struct {
    const char *name;
    void (*run)(void);
} kinds[] = {
    {"plain", outer},
    {"shallow", shallow},
    {"deep", deep},
    {"aligned", aligned},
    {"no_return", no_return},
    {"callback", callback},
    {"signal_inside", signal_inside},
    {"signal_first", signal_first},
    {"signal_library", signal_library},
    {"signal_stack", signal_stack},
    {"thread", thread},
    {"fiber", fiber},
    {"made_code", made_code},
    {"steps", steps},
};

int main(int argc, char **argv)
{
    target_begin();
    CHECK(argc == 2);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[1], kinds[i].name) == 0) {
            kinds[i].run();
            side_effect++;
        }
    return 0;
}
