/* SPDX-License-Identifier: MIT
 *
 * Stacks with untouched pages, or with data below the stack pointer:
 *
 *     hollow KIND SECONDS
 * array: works below a large array of which only both ends are used. waits: two threads wait below such arrays, one
 * of them in a function whose frame only the frame pointer finds. red_zone: works in a function that keeps the
 * location of its frame below the stack pointer. edge: the page below the stack pointer was used, but is now
 * protected. deep: works with much more than 64 KiB of used stack. elsewhere: like deep, on its own stack in the
 * middle of used memory. Reading these stacks must not allocate pages: untouched ones must be absent in the end. */
#include "target.h"

#include <alloca.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#define KEPT __attribute__((noinline, noclone, used)) static

enum { PAGE = 4096, HOLLOW = 200 * 1024, DEEP = 70, ELSEWHERE = 32 << 20 };

DEFINE_SPIN(work_below_array, 0xa01)

static uint64_t end_ns;
static int never[2];
volatile int side_effect;

/* Returns the number of present pages in the SIZE bytes from PLACE on. */
static size_t pages_there(char *place, size_t size)
{
    unsigned char there[HOLLOW / PAGE + 1];
    char *first = place + (PAGE - (uintptr_t)place % PAGE) % PAGE;
    size_t pages = (size - (size_t)(first - place)) / PAGE, count = 0;
    CHECK(pages <= sizeof there && mincore(first, pages * PAGE, there) == 0);
    for (size_t i = 0; i < pages; i++)
        count += there[i] & 1;
    return count;
}

/* Checks only the inner part, because functions use pages at the ends. */
static size_t inside(char *array)
{
    return pages_there(array + HOLLOW / 4, HOLLOW / 2);
}

static void expect_hollow(char *array)
{
    CHECK(inside(array) == 0);
}

KEPT void use_ends(void)
{
    char array[HOLLOW];
    char *volatile ends = array;
    ends[0] = ends[HOLLOW - 1] = 1;
    expect_hollow(ends);
    while (thread_cpu_ns() < end_ns)
        side_effect += (int)work_below_array(100000);
    expect_hollow(ends);
}

KEPT void work_in_array(void)
{
    use_ends();
    side_effect++;
}

KEPT void wait_in_array(void)
{
    char array[HOLLOW];
    char *volatile place = array;
    CHECK(read(never[0], place, 1) == 0);
    expect_hollow(place);
}

/* Only the frame pointer leads to its frame. */
KEPT void wait_in_room(int size)
{
    char *volatile room = alloca((size_t)size);
    CHECK(read(never[0], room, 1) == 0);
    expect_hollow(room);
    side_effect++;
}

static void *wait_one(void *argument)
{
    wait_in_array();
    side_effect++;
    return argument;
}

static void *wait_other(void *argument)
{
    wait_in_room(HOLLOW + side_effect);
    side_effect++;
    return argument;
}

static void wait_both(unsigned milliseconds)
{
    pthread_t one, other;
    CHECK(pipe(never) == 0);
    CHECK(pthread_create(&one, NULL, wait_one, NULL) == 0);
    CHECK(pthread_create(&other, NULL, wait_other, NULL) == 0);
    nap_ms(milliseconds);
    CHECK(close(never[1]) == 0); /* the threads read the end of file */
    CHECK(pthread_join(one, NULL) == 0 && pthread_join(other, NULL) == 0);
}

/* The CFA is 8 more than the value 8 bytes below the stack pointer, as in OpenSSL's SHA-512. */
__asm__(".text\n"
        ".type spin_in_red_zone, @function\n"
        "spin_in_red_zone:\n"
        ".cfi_startproc\n"
        "mov %rsp, %rax\n"
        ".cfi_def_cfa_register %rax\n"
        "sub $1024, %rsp\n"
        "and $-64, %rsp\n"
        "mov %rax, -8(%rsp)\n"
        ".cfi_escape 0x0f, 5, 0x77, 0x78, 0x06, 0x23, 8\n"
        "xor %eax, %eax\n"
        "0: dec %rdi\n"
        "jnz 0b\n"
        "mov -8(%rsp), %rsp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size spin_in_red_zone, . - spin_in_red_zone\n");
void spin_in_red_zone(uint64_t rounds);

/* Works with the stack pointer at PLACE, below the present one. */
__asm__(".text\n"
        ".type spin_at, @function\n"
        "spin_at:\n"
        ".cfi_startproc\n"
        "push %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "mov %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "mov %rsp, %rax\n"
        "sub %rsi, %rax\n"
        "sub %rax, %rsp\n"
        "0: dec %rdi\n"
        "jnz 0b\n"
        "leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size spin_at, . - spin_at\n");
void spin_at(uint64_t rounds, char *place);

KEPT void work_in_red_zone(void)
{
    while (thread_cpu_ns() < end_ns)
        spin_in_red_zone(1000000);
    side_effect++;
}

KEPT void work_in_deep(int left)
{
    char array[PAGE];
    memset(array, 1, sizeof array);
    __asm__ volatile("" : : "r"(array) : "memory");
    if (left)
        work_in_deep(left - 1);
    while (!left && thread_cpu_ns() < end_ns)
        side_effect += (int)work_below_array(100000);
    side_effect++;
}

KEPT void begin_elsewhere(void)
{
    work_in_deep(DEEP);
    side_effect++;
}

/* It is so far below all other data that none of it can be taken for its end. */
KEPT void work_elsewhere(void)
{
    ucontext_t here, there;
    char *memory = mmap(NULL, ELSEWHERE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED && getcontext(&there) == 0);
    memset(memory, 1, ELSEWHERE);
    there.uc_stack.ss_sp = memory;
    there.uc_stack.ss_size = ELSEWHERE / 4;
    there.uc_link = &here;
    makecontext(&there, begin_elsewhere, 0);
    CHECK(swapcontext(&here, &there) == 0);
}

KEPT void use_much(void)
{
    char array[8 * PAGE];
    memset(array, 1, sizeof array);
    __asm__ volatile("" : : "r"(array) : "memory");
}

KEPT void work_at_edge(void)
{
    char *here = __builtin_frame_address(0), *edge = here - (uintptr_t)here % PAGE - 4 * PAGE;
    use_much();
    CHECK(mprotect(edge - PAGE, PAGE, PROT_NONE) == 0);
    while (thread_cpu_ns() < end_ns)
        spin_at(1000000, edge + 16);
    CHECK(mprotect(edge - PAGE, PAGE, PROT_READ | PROT_WRITE) == 0);
}

int main(int argc, char **argv)
{
    target_begin();
    CHECK(argc == 3);
    double seconds = atof(argv[2]);
    end_ns = (uint64_t)(seconds * SECOND_NS);
    if (!strcmp(argv[1], "array"))
        work_in_array();
    else if (!strcmp(argv[1], "waits"))
        wait_both((unsigned)(seconds * 1000));
    else if (!strcmp(argv[1], "red_zone"))
        work_in_red_zone();
    else if (!strcmp(argv[1], "deep"))
        work_in_deep(DEEP);
    else if (!strcmp(argv[1], "elsewhere"))
        work_elsewhere();
    else if (!strcmp(argv[1], "edge"))
        work_at_edge();
    else
        die("no such kind: %s", argv[1]);
    return 0;
}
