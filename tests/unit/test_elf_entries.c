/* SPDX-License-Identifier: MIT */
#include "programs/elf/entries.h"

#include "elf_fixtures.h"

#include "common/base/error.h"
#include "common/base/hash.h"
#include "programs/elf/file.h"

#include <elf.h>

static void write_sources(void)
{
    static const char plain[] = "int main(void) { return 0; }\n";
    static const char calls[] = "#include <unistd.h>\nint main(void) { return profil(0, 0, 0, 0); }\n";
    static const char sprofil[] = "#include <sys/profil.h>\nint main(void) { return sprofil(0, 0, 0, 0); }\n";
    static const char filter[] =
        "#include <sys/prctl.h>\nint main(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }\n";
    static const char own[] = "int profil(void) { return 3; }\nint main(void) { return profil(); }\n";
    static const char both[] = "#include <sys/profil.h>\n#include <unistd.h>\n"
                               "int main(void) { return profil(0, 0, 0, 0) + sprofil(0, 0, 0, 0); }\n";
    static const char hidden[] = "int getpid(void);\nstatic __attribute__((noinline)) int profil(int x) {\n"
                                 "    return x + getpid(); }\nint uses(void) { return profil(1); }\n";

    fixture_write("plain.c", plain, sizeof plain - 1);
    fixture_write("calls.c", calls, sizeof calls - 1);
    fixture_write("sprofil.c", sprofil, sizeof sprofil - 1);
    fixture_write("filter.c", filter, sizeof filter - 1);
    fixture_write("own.c", own, sizeof own - 1);
    fixture_write("both.c", both, sizeof both - 1);
    fixture_write("hidden.c", hidden, sizeof hidden - 1);
}

/* Assembles SOURCE to LIBRARY with the given SONAME. */
static void make_library(const char *library, const char *soname, const char *source)
{
    char name[64];
    snprintf(name, sizeof name, "%s.s", library);
    fixture_write(name, source, strlen(source));
    fixture_run("gcc -nostdlib -shared -Wl,-soname,%s -o %s %s.s", soname, library, library);
}

/* Assembles a 32-bit LIBRARY. gcc can do this without a 32-bit C library. */
static void make_compat(const char *library, const char *soname, const char *source)
{
    char name[64];
    snprintf(name, sizeof name, "%s.s", library);
    fixture_write(name, source, strlen(source));
    fixture_run("gcc -m32 -nostdlib -shared -Wl,-soname,%s -o %s %s.s", soname, library, library);
}

#define COMPAT_CALL(AFTER)                                                                                             \
    ".text\n.globl munmap\n.type munmap,@function\n"                                                                   \
    "munmap: mov $91,%eax\nint $0x80\n" AFTER "\n.size munmap,.-munmap\n"
#define COMPAT_PROFIL ".globl profil\n.type profil,@function\nprofil: push %ebx\npop %ebx\nret\n.size profil,.-profil\n"

static void make_compat_libraries(void)
{
    make_compat("compat.so", "libc.so.6", COMPAT_CALL("cmp $-4095,%eax\njae 1f\nret\n1: ret") COMPAT_PROFIL);
    make_compat("compat_other.so", "libother.so.1", COMPAT_CALL("cmp $-4095,%eax\njae 1f\nret\n1: ret") COMPAT_PROFIL);
    make_compat("compat_pops.so", "libc.so.6",
                COMPAT_CALL("cmp $-4095,%eax\njae 1f\npop %ebx\nret\n1: ret") COMPAT_PROFIL);
    make_compat(
        "compat_never.so", "libc.so.6",
        COMPAT_CALL("cmp $-4095,%eax\njae 1f\nret\n1: ret") ".globl profil\n.type profil,@function\nprofil: .byte "
                                                            "0xe8, 1, 0, 0, 0\nret\n.size profil,.-profil\n");
    make_compat("compat_linker.so", "ld-linux.so.2",
                ".text\nnop\n.globl _dl_debug_state\n.type _dl_debug_state,@function\n"
                "_dl_debug_state: endbr32\nret\n.p2align 4\n");
}

static void make_libraries(void)
{
    static const char fake[] = ".text\nmark: nop\n.globl setitimer\n.type setitimer,@function\n"
                               "setitimer: mov $38,%eax\nsyscall\ncmp $-4095,%rax\njae 1f\nret\n1: ret\n"
                               ".size setitimer,.-setitimer\n"
                               ".globl profil\n.type profil,@function\nprofil: push %rbx\npop %rbx\nret\n"
                               ".size profil,.-profil\n";
    static const char no_tail[] = ".text\n.globl setitimer\n.type setitimer,@function\n"
                                  "setitimer: mov $38,%eax\nsyscall\ntest %rax,%rax\nret\n"
                                  ".size setitimer,.-setitimer\n"
                                  ".globl profil\n.type profil,@function\nprofil: push %rbx\npop %rbx\nret\n";
    /* the expected code exists, but in the next function */
    static const char next_tail[] = ".text\n.globl setitimer\n.type setitimer,@function\n"
                                    "setitimer: ret\n.size setitimer,.-setitimer\n"
                                    "syscall\ncmp $-4095,%rax\nret\n"
                                    ".globl profil\n.type profil,@function\nprofil: push %rbx\npop %rbx\nret\n";
    static const char data[] = ".data\n.globl setitimer\n.type setitimer,@function\n"
                               "setitimer: mov $38,%eax\nsyscall\ncmp $-4095,%rax\njae 1f\nret\n1: ret\n"
                               ".size setitimer,.-setitimer\n"
                               ".globl profil\n.type profil,@function\nprofil: push %rbx\npop %rbx\nret\n";
    static const char linker[] = ".text\nnop\n.globl _dl_debug_state\n.type _dl_debug_state,@function\n"
                                 "_dl_debug_state: endbr64\nret\n";
    static const char bare_linker[] = ".text\n.globl _dl_debug_state\n.type _dl_debug_state,@function\n"
                                      "_dl_debug_state: ret\n.p2align 4\nother: push %rbx\n";
    static const char tight_linker[] = ".text\n.globl _dl_debug_state\n.type _dl_debug_state,@function\n"
                                       "_dl_debug_state: ret\nother: push %rbx\npop %rbx\nret\nnop\n";
    static const char busy_linker[] = ".text\nnop\n.globl _dl_debug_state\n.type _dl_debug_state,@function\n"
                                      "_dl_debug_state: push %rbx\npop %rbx\nret\n";

    make_library("fake.so", "libc.so.6", fake);
    make_library("other.so", "libother.so.1", fake);
    make_library("no_tail.so", "libc.so.6", no_tail);
    make_library("next_tail.so", "libc.so.6", next_tail);
    make_library("data.so", "libc.so.6", data);
    make_library("linker.so", "ld-linux-x86-64.so.2", linker);
    make_library("bare_linker.so", "ld-linux-x86-64.so.2", bare_linker);
    make_library("tight_linker.so", "ld-linux-x86-64.so.2", tight_linker);
    make_library("busy_linker.so", "ld-linux-x86-64.so.2", busy_linker);
    make_library("not_linker.so", "liblinker.so.2", linker);
}

static void set_up(void)
{
    write_sources();
    make_libraries();
    make_compat_libraries();
}

struct found {
    int status;
    struct elf_entries entries;
};

static struct found find_in(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct elf_file *file;
    struct error error = {0};
    struct found found;

    ck_assert_msg(fd >= 0, "cannot open %s", path);
    ck_assert_msg(elf_file_open(fd, &file, &error) == 0, "%s: %s", path, error.text);
    found.status = elf_entries_find(file, &found.entries);
    elf_file_close(file);
    close(fd);
    return found;
}

enum { REFERS = 1, FILTERS = 2, STATIC = 4, PROFIL = 8, SPROFIL = 16, DEBUG_STATE = 32, NUMBERS = 64 };

/* Needs a 32-bit C library. Without gcc-multilib, the kernel's headers are elsewhere. */
#define GCC_32 "gcc -m32 -isystem \"/usr/include/$(gcc -print-multiarch)\""
#define HAS_32 "gcc && test -e \"$(gcc -m32 -print-file-name=libc.so.6)\""

/* The command that makes each fixture, and the entries in it. */
static const struct {
    const char *command, *needs, *output;
    unsigned expected;
} rows[] = {
    {"gcc -o a1 plain.c", "gcc", "a1", 0},
    {"gcc -o a2 calls.c", "gcc", "a2", REFERS},
    {"gcc -o a3 sprofil.c", "gcc", "a3", REFERS},
    {"gcc -no-pie -o a4 calls.c", "gcc", "a4", REFERS},
    {"gcc -o a5 calls.c && strip a5", "gcc", "a5", REFERS},
    {"gcc -pg -o a6 plain.c", "gcc", "a6", REFERS},
    {"gcc -pg -no-pie -o a7 plain.c && strip a7", "gcc", "a7", REFERS},
    {"gcc -pg -mfentry -o a8 plain.c", "gcc", "a8", REFERS},
    {"gcc -shared -fPIC -o a9.so calls.c", "gcc", "a9.so", REFERS},
    {"gcc -o a10 filter.c", "gcc", "a10", FILTERS},
    {"gcc -pg -o a11 filter.c && strip a11", "gcc", "a11", REFERS | FILTERS},
    {"gcc -static -o a12 filter.c", "gcc", "a12", STATIC | REFERS | FILTERS | PROFIL},
    {"gcc -Dprctl=syscall -o a13 filter.c", "gcc", "a13", NUMBERS},
    {"gcc -shared -fPIC -o a10.so plain.c", "gcc", "a10.so", 0},
    {"gcc -shared -fPIC -o a14.so filter.c", "gcc", "a14.so", FILTERS},
    {"gcc -shared -fPIC -Wl,-soname,libpthread.so.0 -o a15.so filter.c", "gcc", "a15.so", 0},
    /* own functions with these names, exported or not, in a program and in a library */
    {"gcc -o b1 own.c", "gcc", "b1", 0},
    {"gcc -rdynamic -o b2 own.c", "gcc", "b2", 0},
    {"gcc -static -o b3 own.c", "gcc", "b3", STATIC | REFERS},
    {"true", "gcc", "other.so", 0},
    {"true", "gcc", "fake.so", PROFIL},
    {"true", "gcc", "no_tail.so", 0},
    {"true", "gcc", "next_tail.so", 0},
    {"true", "gcc", "data.so", 0},
    {"sed 's/libc.so.6/libc.so.7/' <fake.so >fake7.so", "gcc", "fake7.so", 0},
    /* static */
    {"musl-gcc -static -o c1 plain.c", "musl-gcc", "c1", STATIC},
    {"gcc -static -o c2 calls.c", "gcc", "c2", STATIC | REFERS | PROFIL},
    {"gcc -static -o c4 both.c", "gcc", "c4", STATIC | REFERS | PROFIL | SPROFIL},
    {"gcc -static-pie -o c5 both.c", "gcc", "c5", STATIC | REFERS | PROFIL | SPROFIL},
    {"gcc -static -pg -o c6 plain.c", "gcc", "c6", STATIC | REFERS | PROFIL},
    {"gcc -static-pie -pg -o c7 plain.c", "gcc", "c7", STATIC | REFERS | PROFIL},
    {"gcc -static -o c8 both.c && strip c8", "gcc", "c8", STATIC},
    /* an alias that identifies glibc's function is missing */
    {"gcc -static -o c9 both.c && objcopy -N __profil -N __sprofil c9", "gcc", "c9", STATIC | REFERS},
    {"gcc -static -o c10 both.c && objcopy -N __setitimer c10", "gcc", "c10", STATIC | REFERS},
    {"gcc -static -o c11 both.c && objcopy --only-keep-debug c11", "gcc", "c11", STATIC | REFERS},
    {"musl-gcc -static -o d1 own.c", "musl-gcc", "d1", STATIC | REFERS},
    {"musl-gcc -o d2 plain.c", "musl-gcc", "d2", 0},
    {"clang -pg -o e1 plain.c", "clang", "e1", REFERS},
    {"clang -fuse-ld=lld -o e2 calls.c && strip e2", "ld.lld", "e2", REFERS},
    /* dynamic linkers */
    {"true", "gcc", "linker.so", DEBUG_STATE},
    {"true", "gcc", "busy_linker.so", 0},
    {"true", "gcc", "not_linker.so", 0},
    {"cp \"$(gcc -print-file-name=libc.so.6)\" f1", "gcc", "f1", PROFIL | SPROFIL},
    {"cp \"$(gcc -print-file-name=ld-linux-x86-64.so.2)\" f2", "gcc", "f2", DEBUG_STATE},
    {"cp /lib/ld-musl-x86_64.so.1 f3", "musl-gcc", "f3", DEBUG_STATE},
    /* 32-bit programs */
    {"true", "gcc", "compat.so", PROFIL},
    {"true", "gcc", "compat_other.so", 0},
    {"true", "gcc", "compat_pops.so", 0},
    {"true", "gcc", "compat_never.so", 0},
    {"true", "gcc", "compat_linker.so", DEBUG_STATE},
    {"cp \"$(gcc -m32 -print-file-name=libc.so.6)\" g1", HAS_32, "g1", PROFIL | SPROFIL},
    {"cp \"$(gcc -m32 -print-file-name=ld-linux.so.2)\" g2", HAS_32, "g2", DEBUG_STATE},
    {GCC_32 " -o g3 plain.c", HAS_32, "g3", 0},
    {GCC_32 " -pg -o g4 plain.c", HAS_32, "g4", REFERS},
    {GCC_32 " -static -o g5 both.c", HAS_32, "g5", STATIC | REFERS | PROFIL | SPROFIL},
    {GCC_32 " -static-pie -pg -o g6 plain.c", HAS_32, "g6", STATIC | REFERS | PROFIL},
    {GCC_32 " -static -o g7 both.c && objcopy -N __munmap g7", HAS_32, "g7", STATIC | REFERS},
};

/* Compares the instructions at the entries with their file. */
static void check_bytes(const char *path, const struct elf_entries *entries)
{
    const struct elf_entry *each[] = {&entries->profil, &entries->sprofil, &entries->debug_state};
    struct fixture file = fixture_open_path(path, NULL);
    uint8_t bytes[8];

    for (size_t i = 0; i < UNIT_ROWS(each); i++) {
        if (!each[i]->vaddr)
            continue;
        ck_assert(elf_file_is_text(file.file, each[i]->vaddr));
        ck_assert_int_eq(elf_file_read(file.file, each[i]->vaddr, bytes, 1), 0);
        ck_assert_uint_eq(bytes[0], each[i]->byte);
    }
    ck_assert_int_eq(entries->tail != 0, entries->profil.vaddr || entries->sprofil.vaddr);
    if (entries->tail && elf_file_is_compat(file.file)) {
        ck_assert_int_eq(elf_file_read(file.file, entries->tail, bytes, sizeof bytes), 0);
        ck_assert_mem_eq(bytes, "\x3d\x01\xf0\xff\xff", 5);
    } else if (entries->tail) {
        ck_assert_int_eq(elf_file_read(file.file, entries->tail - 2, bytes, sizeof bytes), 0);
        ck_assert_mem_eq(bytes, "\x0f\x05\x48\x3d", 4);
    }
    if (entries->debug_state.vaddr) {
        ck_assert_int_eq(elf_file_read(file.file, entries->debug_state_end - 1, bytes, 1), 0);
        ck_assert_uint_eq(bytes[0], 0xc3);
    }
    fixture_close(&file);
}

START_TEST(entries_follow_the_table)
{
    if (fixture_lacks(rows[_i].needs))
        return;
    fixture_run("%s", rows[_i].command);
    struct found found = find_in(fixture_path(rows[_i].output));
    const struct elf_entries *entries = &found.entries;

    ck_assert_int_eq(found.status, 0);
    unsigned seen = (entries->refers ? REFERS : 0) | (entries->filters ? FILTERS : 0) |
                    (entries->is_static ? STATIC : 0) | (entries->profil.vaddr ? PROFIL : 0) |
                    (entries->sprofil.vaddr ? SPROFIL : 0) | (entries->debug_state.vaddr ? DEBUG_STATE : 0) |
                    (entries->numbers ? NUMBERS : 0);
    ck_assert_msg(seen == rows[_i].expected, "%s: found %#x, not %#x", rows[_i].command, seen, rows[_i].expected);
    check_bytes(fixture_path(rows[_i].output), entries);
}
END_TEST

/* The addresses agree with nm's. Another function has the same name. */
START_TEST(addresses_are_those_of_the_symbols)
{
    fixture_run("gcc -static-pie -o whole hidden.c both.c && nm whole | "
                "sed -n 's/^0*\\([0-9a-f]*\\) . __\\(profil\\|sprofil\\)$/\\2 \\1/p' | sort >addresses");
    struct found found = find_in(fixture_path("whole"));
    char expected[128];
    size_t size;
    uint8_t *said = fixture_read("addresses", &size);

    int length =
        snprintf(expected, sizeof expected, "profil %llx\nsprofil %llx\n",
                 (unsigned long long)found.entries.profil.vaddr, (unsigned long long)found.entries.sprofil.vaddr);
    ck_assert_uint_eq(size, (size_t)length);
    ck_assert_mem_eq(said, expected, size);
    free(said);
}
END_TEST

/* A dynamic linker: bytes between the start of its function and the entry, and from there to its end; whether a jump
 * fits. */
static const struct {
    const char *file;
    unsigned before, size;
    bool jump;
} linkers[] = {
    {"linker.so", 0, 5, true},
    {"bare_linker.so", 0, 1, true},
    {"tight_linker.so", 0, 1, false}, /* the next function follows immediately */
    {"compat_linker.so", 4, 1, true},
};

START_TEST(the_linker_is_found_as_the_table_says)
{
    struct found found = find_in(fixture_path(linkers[_i].file));
    struct fixture file = fixture_open(linkers[_i].file, NULL);
    const struct elf_entries *entries = &found.entries;
    struct elf_symbol function;

    ck_assert(fixture_find(&file, "_dl_debug_state", ELF_SYMBOL_FUNCTION, &function));
    ck_assert_uint_eq(entries->debug_state.vaddr, function.start + linkers[_i].before);
    ck_assert_uint_eq(entries->debug_state_end - entries->debug_state.vaddr, linkers[_i].size);
    ck_assert_int_eq(entries->debug_state_jump, linkers[_i].jump);
    ck_assert_uint_ge(entries->room, entries->debug_state_end);
    fixture_close(&file);
}
END_TEST

/* If a name has two versions, the default one is used. */
START_TEST(old_versions_are_left)
{
    static const char source[] =
        ".text\n.globl setitimer\n.type setitimer,@function\n"
        "setitimer: mov $38,%eax\nsyscall\ncmp $-4095,%rax\njae 1f\nret\n1: ret\n.size "
        "setitimer,.-setitimer\n"
        ".type old,@function\nold: ret\n.globl old\n.symver old, profil@V_1\n"
        ".type new,@function\nnew: push %rbx\npop %rbx\nret\n.globl new\n.symver new, profil@@V_2\n";
    static const char map[] = "V_1 { global: profil; };\nV_2 { global: profil; setitimer; new; } V_1;\n";
    fixture_write("versions.s", source, sizeof source - 1);
    fixture_write("versions.map", map, sizeof map - 1);
    fixture_run("gcc -nostdlib -shared -Wl,-soname,libc.so.6 -Wl,--version-script=versions.map "
                "-o versions.so versions.s");
    struct found found = find_in(fixture_path("versions.so"));
    ck_assert_uint_ne(found.entries.profil.vaddr, 0);
    ck_assert_uint_eq(found.entries.profil.byte, 0x53); /* push %rbx */
}
END_TEST

START_TEST(a_file_that_became_shorter_is_an_error)
{
    fixture_run("gcc -o shrinks calls.c");
    int fd = open(fixture_path("shrinks"), O_RDWR | O_CLOEXEC);
    struct elf_entries entries;
    struct elf_file *file;

    ck_assert_int_eq(elf_file_open(fd, &file, NULL), 0);
    ck_assert_int_eq(ftruncate(fd, 16), 0);
    memset(&entries, 1, sizeof entries);
    ck_assert_int_lt(elf_entries_find(file, &entries), 0);
    ck_assert(!entries.refers && !entries.profil.vaddr && !entries.tail);
    elf_file_close(file);
    close(fd);
}
END_TEST

static void check_hostile(const uint8_t *bytes, size_t size)
{
    struct elf_entries entries;
    struct elf_file *file;

    if (elf_file_from_memory(bytes, size, &file, NULL) < 0)
        return;
    if (elf_entries_find(file, &entries) == 0) {
        const struct elf_entry *each[] = {&entries.profil, &entries.sprofil, &entries.debug_state};
        for (size_t i = 0; i < UNIT_ROWS(each); i++)
            if (each[i]->vaddr && !elf_file_is_text(file, each[i]->vaddr))
                ck_abort_msg("an entry that is no text");
    }
    elf_file_close(file);
}

static const char *const victims[] = {"fake.so", "linker.so", "compat.so", "compat_linker.so"};

START_TEST(truncated_files_are_harmless)
{
    size_t size;
    uint8_t *bytes = fixture_read(victims[_i], &size);
    for (size_t cut = 0; cut < size; cut += cut < 1024 || size - cut < 2048 ? 1 : 37)
        check_hostile(bytes, cut);
    free(bytes);
}
END_TEST

START_TEST(changed_files_are_harmless)
{
    size_t size;
    uint8_t *bytes = fixture_read(victims[_i], &size), *changed = malloc(size);
    uint64_t random = (uint64_t)_i;

    ck_assert_ptr_nonnull(changed);
    for (int round = 0; round < 20000; round++) {
        memcpy(changed, bytes, size);
        for (int changes = 0; changes < 3; changes++) {
            random = hash_number(random + 1);
            /* a byte other than zero is rarely padding */
            size_t at = random % size;
            for (size_t tries = 0; tries < size && !changed[at]; tries++)
                at = (at + 1) % size;
            changed[at] = (uint8_t)(random >> 40);
        }
        check_hostile(changed, size);
    }
    free(changed);
    free(bytes);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("elf/entries");
    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, set_up, NULL);
    tcase_set_timeout(tests, 120);
    UNIT_ADD_TABLE(tests, entries_follow_the_table, rows);
    tcase_add_test(tests, addresses_are_those_of_the_symbols);
    UNIT_ADD_TABLE(tests, the_linker_is_found_as_the_table_says, linkers);
    tcase_add_test(tests, old_versions_are_left);
    tcase_add_test(tests, a_file_that_became_shorter_is_an_error);
    UNIT_ADD_TABLE(tests, truncated_files_are_harmless, victims);
    UNIT_ADD_TABLE(tests, changed_files_are_harmless, victims);
    return fixture_end();
}
