/* SPDX-License-Identifier: MIT */
#include "programs/elf/debug_file.h"

#include "elf_fixtures.h"

#include <errno.h>
#include <sys/syscall.h>

static const char sample[] =
    "__attribute__((noinline)) static int hidden(int x) { volatile int s = x; return s + 1; }\n"
    "int main(int argc, char **argv) { (void)argv; return hidden(argc) == 1; }\n";

static void set_up(void)
{
    fixture_write("sample.c", sample, sizeof sample - 1);
    fixture_run("gcc -g -O1 -Wl,--build-id=0x1122334455 -o whole sample.c");
    fixture_run("gcc -g -O1 -Wl,--build-id=none -o nameless sample.c");
    fixture_run("strip -o stripped whole && strip -o stripped.nameless nameless");
    fixture_run("objcopy --only-keep-debug whole whole.debug && objcopy --only-keep-debug nameless nameless.debug");
}

/* Returns true if a function that is not exported has its name. */
static bool has_hidden(const char *name, const struct elf_debug_search *search)
{
    struct fixture program = fixture_open(name, search);
    bool found = fixture_has(&program, "hidden", ELF_SYMBOL_FUNCTION);
    ck_assert_int_eq(elf_symbols_has_full_table(program.symbols), found);
    fixture_close(&program);
    return found;
}

/* How a debug file is installed. The program is "program" in a directory of its own. */
static const struct {
    const char *steps;
    bool found;
} layouts[] = {
    {"cp ../stripped program", false},
    {"cp ../stripped program && mkdir -p debug/.build-id/11 && "
     "cp ../whole.debug debug/.build-id/11/22334455.debug",
     true},
    {"cp ../stripped program && mkdir -p debug/.build-id/11 debug/real && cp ../whole.debug debug/real && "
     "ln -s ../../real/whole.debug debug/.build-id/11/22334455.debug",
     true},
    /* another program's debug file */
    {"cp ../stripped program && mkdir -p debug/.build-id/11 && "
     "cp ../nameless.debug debug/.build-id/11/22334455.debug",
     false},
    /* a FIFO would block; others are not ELF files */
    {"cp ../stripped program && mkdir -p debug/.build-id/11 && mkfifo debug/.build-id/11/22334455.debug", false},
    {"cp ../stripped program && mkdir -p debug/.build-id/11/22334455.debug", false},
    {"cp ../stripped program && mkdir -p debug/.build-id/11 && ln -s /dev/zero "
     "debug/.build-id/11/22334455.debug",
     false},
    {"cp ../stripped program && mkdir -p debug/.build-id/11 && ln -s 22334455.debug "
     "debug/.build-id/11/22334455.debug",
     false},
    {"cp ../stripped program && mkdir -p debug/.build-id/11 && : >debug/.build-id/11/22334455.debug", false},
    /* by link, with build-ids */
    {"cp ../whole.debug link.debug && objcopy --add-gnu-debuglink=link.debug ../stripped program", true},
    {"cp ../whole.debug link.debug && objcopy --add-gnu-debuglink=link.debug ../stripped program && mkdir "
     ".debug && "
     "mv link.debug .debug",
     true},
    {"cp ../whole.debug link.debug && objcopy --add-gnu-debuglink=link.debug ../stripped program && "
     "mkdir -p debug/$PWD && mv link.debug debug/$PWD",
     true},
    /* by link and checksum */
    {"cp ../nameless.debug link.debug && objcopy --add-gnu-debuglink=link.debug ../stripped.nameless program", true},
    {"cp ../nameless.debug link.debug && objcopy --add-gnu-debuglink=link.debug ../stripped.nameless program "
     "&& "
     "echo >>link.debug",
     false},
    {"cp ../nameless.debug link.debug && objcopy --add-gnu-debuglink=link.debug ../stripped.nameless program "
     "&& "
     "rm link.debug && mkfifo link.debug",
     false},
    {"cp ../stripped.nameless program && objcopy --add-gnu-debuglink=program ../stripped.nameless new && mv "
     "new program",
     false},
};

START_TEST(debug_files_are_found)
{
    char directory[128], debug[160], name[32];
    snprintf(directory, sizeof directory, "%s/layout%d", fixture_directory, _i);
    snprintf(debug, sizeof debug, "%s/debug", directory);
    snprintf(name, sizeof name, "layout%d/program", _i);
    const char *const debug_directories[] = {debug, NULL};
    struct elf_debug_search search = {.directory = directory, .debug_directories = debug_directories};

    fixture_run("mkdir layout%d && cd layout%d && %s", _i, _i, layouts[_i].steps);
    ck_assert(!has_hidden(name, NULL));
    ck_assert_int_eq(has_hidden(name, &search), layouts[_i].found);
}
END_TEST

/* In a container, paths and absolute links are relative to its root. */
START_TEST(debug_files_are_found_under_a_root)
{
    char root[128];
    snprintf(root, sizeof root, "%s/root", fixture_directory);
    static const char *const debug_directories[] = {"/debug", NULL};
    struct elf_debug_search search = {.directory = "/bin", .root = root, .debug_directories = debug_directories};

    fixture_run("mkdir -p root/bin root/debug/.build-id/11 root/real && cp stripped root/bin/program && "
                "cp whole.debug root/real/file && ln -s /real/file root/debug/.build-id/11/22334455.debug");
    if (syscall(SYS_openat2, -1, "", NULL, 0) < 0 && (errno == ENOSYS || errno == EPERM)) {
        fprintf(stderr, "skipped what needs openat2, which this kernel or sandbox does not have\n");
        return;
    }
    ck_assert(has_hidden("root/bin/program", &search));
    search.root = "/proc/self/root";
    ck_assert(!has_hidden("root/bin/program", &search));
    search.root = "/nonexistent";
    ck_assert(!has_hidden("root/bin/program", &search));
}
END_TEST

START_TEST(compressed_symbols_are_found)
{
    static const char *const none[] = {NULL};
    static const struct elf_debug_search nowhere = {.debug_directories = none};
    if (fixture_lacks("xz"))
        return;
    fixture_run("objcopy --strip-debug whole.debug small && xz -k small && "
                "objcopy --add-section .gnu_debugdata=small.xz stripped mini");
    ck_assert(has_hidden("mini", &nowhere));
    ck_assert(!has_hidden("mini", NULL)); /* the front unpacks nothing */
    /* truncated; damaged; not an ELF file; too large */
    fixture_run("head -c 500 small.xz >cut && objcopy --add-section .gnu_debugdata=cut stripped mini.cut");
    ck_assert(!has_hidden("mini.cut", &nowhere));
    fixture_run("echo no ELF file | xz >text.xz && objcopy --add-section .gnu_debugdata=text.xz stripped mini.text");
    ck_assert(!has_hidden("mini.text", &nowhere));
    fixture_run("objcopy --add-section .gnu_debugdata=sample.c stripped mini.plain");
    ck_assert(!has_hidden("mini.plain", &nowhere));
    fixture_run("head -c 200000000 /dev/zero | xz -0 >bomb.xz && "
                "objcopy --add-section .gnu_debugdata=bomb.xz stripped mini.bomb");
    ck_assert(!has_hidden("mini.bomb", &nowhere));
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("elf/debug_file");
    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, set_up, NULL);
    tcase_set_timeout(tests, 120);
    UNIT_ADD_TABLE(tests, debug_files_are_found, layouts);
    tcase_add_test(tests, debug_files_are_found_under_a_root);
    tcase_add_test(tests, compressed_symbols_are_found);
    return fixture_end();
}
