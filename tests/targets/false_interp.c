/* SPDX-License-Identifier: MIT
 *
 * Claims to be an interpreter, and has invalid frames:
 *     false_interp LANGUAGE KIND SECONDS
 * LANGUAGE is python (3.12), php (8.2), perl (5.36) or ruby (3.1). ptprofil detects it by the file's symbols, and
 * takes the first that matches. KIND: cyclic: callers lead back to callees, and lists of
 * threads into themselves; wild: pointers lead anywhere, and change all the time; huge: frames, names and tables of
 * lines seem endless. A reader must not bring untouched pages into memory. */
#include "target.h"

#include <pthread.h>
#include <sys/mman.h>

#define EXPORTED __attribute__((used, visibility("default")))

enum {
    PAGE = 4096,
    ARENA = 1 << 16, /* bytes */
    FRAMES = 1 << 15,
    FRAME_COUNT = 64,
    OBJECTS = 1 << 14, /* number of objects, and of the objects that they refer to */
    GROUP = 0,
    STATE = 2048,
    LARGE = 64 << 20,
    AT_ONCE = 256, /* words changed between two queries of the clock */
};

/* The symbols of the real interpreters. */
EXPORTED uint64_t _PyRuntime[64], PyCode_Type[64];
EXPORTED uint64_t Py_Version = 0x030c01f0;
EXPORTED uint64_t executor_globals[256];
EXPORTED const char php_says[] = "X-Powered-By: PHP/8.2.7 and whatever there may be behind that";
EXPORTED uint64_t PL_curinterp;
EXPORTED uint32_t PL_thr_key;
EXPORTED uint8_t PL_revision = 5, PL_version = 36, PL_subversion;
EXPORTED uint64_t ruby_single_main_ractor;
EXPORTED char ruby_version[] = "3.1.2";

static unsigned char arena[ARENA] __attribute__((aligned(PAGE)));
static unsigned char *large, *forbidden;
static uint64_t *first_frame; /* on the stack, as in Python */
static enum { CYCLIC, WILD, HUGE_ } kind;
static uint64_t random_state = 88172645463325252u;
static uint64_t end_ns;

static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static uint64_t address_of(const void *place)
{
    return (uint64_t)(uintptr_t)place;
}

static void put(unsigned char *place, uint64_t word)
{
    memcpy(place, &word, sizeof word);
}

static uint64_t wild_word(void)
{
    uint64_t number = random_number();
    switch (number >> 32 & 15) {
    case 0:
        return 0;
    case 1:
        return number >> 40 & 0xfff;
    case 2:
        return address_of(forbidden) + (number >> 40 & 0xfff);
    case 3:
        return address_of(forbidden) - 8;
    case 4:
        return UINT64_MAX - (number >> 40 & 0xfff);
    case 5:
        return number;
    case 6:
        return 0xffffffff81000000u;
    case 7:
        return UINT64_C(1) << (number >> 40 & 63);
    default:
        return address_of(arena) + (number >> 40 & (ARENA - 8));
    }
}

static unsigned char *frame_at(size_t number)
{
    return kind == HUGE_ ? large + number * 128 : arena + FRAMES + number * 128;
}

/* Returns the caller in frame NUMBER. */
static uint64_t caller_of(size_t number)
{
    if (kind == HUGE_)
        return address_of(frame_at(number + 1));
    if (kind == CYCLIC)
        return address_of(frame_at((number + 1) % (1 + random_state % FRAME_COUNT)));
    return random_state % 4 ? address_of(frame_at(number + 1)) : wild_word();
}

static unsigned char *object_at(size_t number)
{
    return arena + OBJECTS + number % 32 * 512;
}

/* Writes a Python string that claims to be much longer than it is. */
static void put_text(unsigned char *place, unsigned kind_of_text)
{
    put(place + 16, UINT64_C(1) << 40);
    put(place + 32, 1u << 5 | (kind_of_text ? kind_of_text << 2 : 1u << 6));
}

static void put_python_frame(size_t number)
{
    unsigned char *frame = frame_at(number), *code = object_at(number);
    put(frame, address_of(code));
    put(frame + 8, caller_of(number));
    put(frame + 56, address_of(code) + 192 + (random_number() & 0xffff));
    put(frame + 64, random_number());
    put(code + 8, address_of(PyCode_Type));
    put(code + 112, address_of(code + 208));
    put(code + 128, address_of(code + 208));
    put(code + 136, kind == WILD ? wild_word() : address_of(large));
    put_text(code + 208, (unsigned)number % 5);
}

static void put_python(void)
{
    unsigned char *state = arena + STATE;
    _PyRuntime[5] = address_of(arena);
    put(arena + GROUP, kind == CYCLIC ? address_of(arena) : wild_word());
    put(arena + GROUP + 72, address_of(state));
    put(state + 8, address_of(state));
    put(state + 16, address_of(arena));
    put(state + 136, kind == CYCLIC && random_state % 8 == 0 ? 1 : (uint64_t)pthread_self());
    put(state + 56, address_of(first_frame));
    *first_frame = address_of(frame_at(0));
    put(large + 16, UINT64_C(1) << 31); /* size of a line table */
}

static void put_php_frame(size_t number)
{
    unsigned char *frame = frame_at(number), *function = object_at(number);
    put(frame, kind == WILD ? wild_word() : address_of(function + 200));
    put(frame + 24, address_of(function));
    put(frame + 40, random_number());
    put(frame + 48, caller_of(number));
    function[0] = (unsigned char)(1 + random_state % 4);
    put(function + 8, kind == WILD ? wild_word() : address_of(large));
    put(function + 16, address_of(object_at(number + 1)));
    put(function + 152, address_of(function + 300));
    put(function + 316, UINT64_MAX);
}

static void put_perl(void)
{
    unsigned char *state = arena + STATE, *stack = state + 512;
    int32_t last = kind == HUGE_ ? INT32_MAX : (int32_t)(random_state % (FRAME_COUNT * 2));
    PL_curinterp = address_of(state);
    put(state + 208, kind == WILD ? wild_word() : address_of(object_at(3)));
    put(state + 224, address_of(stack));
    put(stack + 8, kind == HUGE_ ? address_of(large) : address_of(arena + FRAMES));
    put(stack + 16, address_of(random_state % 2 ? stack : state + 1024));
    memcpy(stack + 32, &last, sizeof last);
}

static void put_perl_frame(size_t number)
{
    unsigned char *frame = (kind == HUGE_ ? large : arena + FRAMES) + number * 104, *head = object_at(number);
    put(frame, 9);
    put(frame + 16, address_of(head + 100));
    put(frame + 72, address_of(head));
    put(head, address_of(head + 32));
    put(head + 8, UINT64_C(13) << 32);
    put(head + 32 + 56, kind == WILD ? wild_word() : address_of(head + 200));
    put(head + 32 + 88, random_number());
    put(head + 200, UINT64_C(0x7fffffff) << 32);
    memset(head + 208, 'x', 200);
}

static void put_ruby(void)
{
    unsigned char *thread = arena + STATE, *context = thread + 512;
    ruby_single_main_ractor = address_of(arena);
    put(arena + 0x130, address_of(thread));
    put(thread, kind == CYCLIC ? address_of(thread) : address_of(arena + 0x130));
    put(thread + 24, address_of(arena));
    put(thread + 40, address_of(context));
    put(thread + 80, (uint64_t)pthread_self());
    put(context, address_of(frame_at(0)));
    put(context + 8, kind == HUGE_ ? UINT64_MAX >> 8 : random_state % (ARENA / 8));
    put(context + 16, address_of(frame_at(0)));
}

static void put_ruby_frame(size_t number)
{
    unsigned char *frame = (kind == HUGE_ ? large : arena + FRAMES) + number * 64, *code = object_at(number);
    put(frame, random_number());
    put(frame + 16, address_of(code));
    put(frame + 32, wild_word());
    put(code + 16, address_of(code + 64));
    put(code + 64, random_number() | UINT64_C(0xffff) << 32);
    put(code + 64 + 64, address_of(code + 300));
    put(code + 64 + 80, address_of(code + 340));
    put(code + 64 + 120, kind == WILD ? wild_word() : address_of(large));
    put(code + 64 + 136, UINT64_MAX);
    put(code + 64 + 144, address_of(large));
    put(code + 300, 7);
    put(code + 340, 5 | 1 << 13);
    put(code + 356, UINT64_MAX);
    put(code + 364, address_of(code + 400));
}

static const struct language {
    const char *name;
    void (*put_state)(void), (*put_frame)(size_t);
} languages[] = {
    {"python", put_python, put_python_frame},
    {"php", NULL, put_php_frame},
    {"perl", put_perl, put_perl_frame},
    {"ruby", put_ruby, put_ruby_frame},
};
static const struct language *language;

static void change(void)
{
    for (int i = 0; i < AT_ONCE && kind == WILD; i++)
        put(arena + (random_number() & (ARENA - 8)), wild_word());
    for (size_t i = 0; i < FRAME_COUNT; i++)
        language->put_frame(i);
    if (language->put_state)
        language->put_state();
    executor_globals[61] = address_of(frame_at(0));
}

#define EVALUATION(name)                                                                                               \
    void name(void);                                                                                                   \
    EXPORTED __attribute__((noinline)) void name(void)                                                                 \
    {                                                                                                                  \
        while (thread_cpu_ns() < end_ns)                                                                               \
            change();                                                                                                  \
    }

EVALUATION(_PyEval_EvalFrameDefault)
EVALUATION(execute_ex)
EVALUATION(Perl_runops_standard)
EVALUATION(rb_vm_exec)

static void run(void)
{
    static void (*const evaluations[])(void) = {_PyEval_EvalFrameDefault, execute_ex, Perl_runops_standard, rb_vm_exec};
    evaluations[language - languages]();
}

static void *large_memory(void)
{
    unsigned char *memory =
        mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"cyclic", "wild", "huge"};
    uint64_t frames[2] = {0};
    first_frame = frames;
    CHECK(argc == 4);
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (!strcmp(languages[i].name, argv[1]))
            language = &languages[i];
    while (kind < HUGE_ && strcmp(kinds[kind], argv[2]) != 0)
        kind++;
    CHECK(language && !strcmp(kinds[kind], argv[2]));
    large = large_memory();
    forbidden = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(forbidden != MAP_FAILED);
    for (size_t i = 0; kind == HUGE_ && i < 4 * PAGE; i++)
        language->put_frame(i);
    unsigned char there;
    CHECK(mincore(large + LARGE / 2, PAGE, &there) == 0 && !(there & 1));
    end_ns = thread_cpu_ns() + (uint64_t)(atof(argv[3]) * (double)SECOND_NS);
    run();
    CHECK(mincore(large + LARGE / 2, PAGE, &there) == 0 && !(there & 1));
    printf("%llu\n", (unsigned long long)(process_cpu_ns() / 1000));
    return 0;
}
