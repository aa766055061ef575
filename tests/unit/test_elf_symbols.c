/* SPDX-License-Identifier: MIT */
#include "programs/elf/symbols.h"

#include "common/names/demangle.h"
#include "elf_fixtures.h"
#include "programs/elf/file.h"

/* Functions of all kinds in a symbol table. */
static const char sample[] =
    "#include <stdio.h>\n"
    "#include <string.h>\n"
    "#include <unistd.h>\n"
    "__attribute__((noinline)) static int hidden(int x) { volatile int s = x; return s + 1; }\n"
    "__attribute__((noinline)) int __shown(int x) { return hidden(x) + 1; }\n"
    "extern __typeof(__shown) shown __attribute__((alias(\"__shown\"), weak));\n"
    "extern __typeof(__shown) __libc_shown __attribute__((alias(\"__shown\")));\n"
    "int implementation(int x) { return x + 2; }\n"
    "static __typeof(implementation) *resolve_chosen(void) { return implementation; }\n"
    "int chosen(int x) __attribute__((ifunc(\"resolve_chosen\")));\n"
    "int data_label = 3;\n"
    "__asm__(\".text\\n.balign "
    "16\\nfirst_label:\\nnop\\nfirst_label.loop:\\nnop\\n.Llocal:\\nnop\\nsecond_label:\\nret\\n\"\n"
    "        \".type sized, @function\\nsized:\\nnop\\ninner_label:\\nnop\\nret\\n.size sized, . - "
    "sized\\n\");\n"
    "__asm__(\".globl split\\n.type split, @function\\n.type __GI_split, @function\\nsplit:\\n__GI_split:\\nret\\n\"\n"
    "        \".size split, 1\\n.size __GI_split, 1\\n.type __GI_split.part.0, "
    "@function\\n__GI_split.part.0:\\nret\\n\"\n"
    "        \".size __GI_split.part.0, 1\\n\");\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    printf(\"%d %d\\n\", shown(argc), chosen((int)strlen(argv[0])) + data_label);\n"
    "    return getpid() == 1;\n"
    "}\n";

static void set_up(void)
{
    fixture_write("sample.c", sample, sizeof sample - 1);
    fixture_run("gcc -g -O1 -Wl,--build-id=0x1122334455 -o whole sample.c");
    fixture_run("strip -o stripped whole");
}

START_TEST(each_address_has_the_name_that_a_reader_expects)
{
    struct fixture program = fixture_open("whole", NULL);
    struct elf_symbol symbol, next;

    ck_assert(elf_symbols_has_full_table(program.symbols));
    ck_assert(fixture_has(&program, "main", ELF_SYMBOL_FUNCTION));
    ck_assert(fixture_has(&program, "hidden", ELF_SYMBOL_FUNCTION));
    ck_assert(fixture_has(&program, "shown", ELF_SYMBOL_FUNCTION));
    ck_assert(!fixture_has(&program, "__shown", ELF_SYMBOL_FUNCTION));
    ck_assert(!fixture_has(&program, "__libc_shown", ELF_SYMBOL_FUNCTION));
    ck_assert(fixture_has(&program, "implementation", ELF_SYMBOL_FUNCTION));
    ck_assert(fixture_has(&program, "chosen", ELF_SYMBOL_FUNCTION)); /* at its resolver's address */
    ck_assert(!fixture_has(&program, "data_label", ELF_SYMBOL_FUNCTION));

    ck_assert(fixture_find(&program, "first_label", ELF_SYMBOL_FUNCTION, &symbol));
    ck_assert_uint_eq(symbol.end - symbol.start, 3);
    ck_assert(fixture_find(&program, "second_label", ELF_SYMBOL_FUNCTION, &next));
    ck_assert_uint_eq(next.start, symbol.end);
    ck_assert(fixture_find(&program, "sized", ELF_SYMBOL_FUNCTION, &symbol));
    ck_assert_uint_eq(symbol.start, next.end);
    ck_assert_uint_eq(symbol.end - symbol.start, 3);
    ck_assert(!fixture_has(&program, "inner_label", ELF_SYMBOL_FUNCTION));
    ck_assert(fixture_has(&program, "split", ELF_SYMBOL_FUNCTION));
    ck_assert(fixture_has(&program, "split.part.0", ELF_SYMBOL_FUNCTION));
    fixture_close(&program);
}
END_TEST

START_TEST(outside_the_code_there_is_nothing)
{
    struct fixture program = fixture_open("whole", NULL);
    struct elf_symbol symbol = {.start = 77};
    ck_assert(!elf_symbols_find(program.symbols, 0, &symbol));
    ck_assert(!elf_symbols_find(program.symbols, UINT64_MAX, &symbol));
    ck_assert_uint_eq(symbol.start, 77);
    fixture_close(&program);
}
END_TEST

static const struct {
    const char *compiler, *needs;
} linkers[] = {
    {"gcc", "gcc"},
    {"gcc -no-pie", "gcc"},
    {"gcc -Wl,-z,lazy", "gcc"},
    {"gcc -Wl,-z,now", "gcc"},
    {"gcc -fcf-protection -Wl,-z,ibtplt", "gcc"},
    {"gcc -fcf-protection -Wl,-z,ibtplt,-z,now", "gcc"},
    {"gcc -fno-plt", "gcc"},
    {"gcc -fuse-ld=gold", "ld.gold"},
    {"gcc -fuse-ld=lld", "ld.lld"},
    {"gcc -fuse-ld=lld -no-pie", "ld.lld"},
    {"gcc -fuse-ld=lld -fcf-protection -Wl,-z,force-ibt", "ld.lld"},
    {"gcc -fuse-ld=lld -Wl,-z,now", "ld.lld"},
    {"gcc -fuse-ld=mold", "mold"},
    {"gcc -fuse-ld=mold -Wl,-z,now", "mold"},
#ifdef __x86_64__
    {"gcc -fuse-ld=lld -Wl,-z,retpolineplt", "ld.lld"},
    {"gcc -fuse-ld=lld -Wl,-z,retpolineplt,-z,now", "ld.lld"},
#endif
};

START_TEST(the_plt_has_the_names_of_what_it_calls)
{
    char name[32];
    if (fixture_lacks(linkers[_i].needs))
        return;
    snprintf(name, sizeof name, "plt%d", _i);
    fixture_run("%s -O1 -o %s sample.c && strip %s", linkers[_i].compiler, name, name);
    struct fixture program = fixture_open(name, NULL);
    bool has_plt = !strstr(linkers[_i].compiler, "-fno-plt");
    ck_assert_int_eq(fixture_has(&program, "printf@plt", ELF_SYMBOL_PLT), has_plt);
    ck_assert_int_eq(fixture_has(&program, "getpid@plt", ELF_SYMBOL_PLT), has_plt);
    ck_assert_int_eq(fixture_has(&program, "retpoline@plt", ELF_SYMBOL_PLT),
                     strstr(linkers[_i].compiler, "retpoline") != NULL);
    ck_assert(!fixture_has(&program, NULL, ELF_SYMBOL_FUNCTION));
    fixture_close(&program);
}
END_TEST

START_TEST(static_programs_have_a_plt_for_ifuncs)
{
    fixture_run("gcc -static -O1 -o static sample.c");
    struct fixture program = fixture_open("static", NULL);
    ck_assert(fixture_has(&program, "strlen@plt", ELF_SYMBOL_PLT));
    ck_assert(fixture_has(&program, "chosen@plt", ELF_SYMBOL_PLT));
    ck_assert(fixture_has(&program, "main", ELF_SYMBOL_FUNCTION));
    ck_assert(fixture_has(&program, "write", ELF_SYMBOL_FUNCTION));
    ck_assert(fixture_has(&program, "malloc", ELF_SYMBOL_FUNCTION));
    fixture_close(&program);
}
END_TEST

/* Returns the symbol of main, from the file with symbols. */
static struct elf_symbol main_of(const char *name)
{
    struct fixture program = fixture_open(name, NULL);
    struct elf_symbol symbol;
    ck_assert(fixture_find(&program, "main", ELF_SYMBOL_FUNCTION, &symbol));
    fixture_close(&program);
    return symbol;
}

START_TEST(stripped_code_has_ranges)
{
    struct elf_symbol known = main_of("whole"), symbol;
    struct fixture program = fixture_open("stripped", NULL);
    ck_assert(!fixture_has(&program, NULL, ELF_SYMBOL_FUNCTION));
    ck_assert(!elf_symbols_has_full_table(program.symbols));
    for (uint64_t at = known.start; at < known.end; at++) {
        ck_assert(elf_symbols_find(program.symbols, at, &symbol));
        ck_assert_int_eq(symbol.kind, ELF_SYMBOL_RANGE);
        ck_assert_ptr_null(symbol.name);
        ck_assert_uint_eq(symbol.start, known.start);
        ck_assert_uint_eq(symbol.end, known.end);
    }
    fixture_close(&program);
}
END_TEST

/* Without section headers, only the program headers describe the file. */
START_TEST(ranges_need_no_sections)
{
    struct elf_symbol known = main_of("whole"), symbol;
    size_t size;
    uint8_t *bytes = fixture_read("stripped", &size);
    memset(bytes + 40, 0, 8); /* e_shoff */
    memset(bytes + 60, 0, 4); /* e_shnum, e_shstrndx */
    fixture_write("sectionless", bytes, size);
    free(bytes);
    struct fixture program = fixture_open("sectionless", NULL);
    ck_assert(elf_symbols_find(program.symbols, known.start + 1, &symbol));
    ck_assert_int_eq(symbol.kind, ELF_SYMBOL_RANGE);
    ck_assert_uint_eq(symbol.start, known.start);
    ck_assert_uint_eq(symbol.end, known.end);
    fixture_close(&program);
}
END_TEST

START_TEST(a_library_exports_names_of_its_own)
{
    fixture_run("gcc -O1 -shared -fPIC -DLIBRARY -o library.so sample.c && strip library.so");
    struct fixture library = fixture_open("library.so", NULL);
    ck_assert(!elf_symbols_has_full_table(library.symbols));
    ck_assert(fixture_has(&library, "shown", ELF_SYMBOL_FUNCTION));
    ck_assert(!fixture_has(&library, "hidden", ELF_SYMBOL_FUNCTION));
    fixture_close(&library);
}
END_TEST

START_TEST(cxx_names_are_found)
{
    static const char source[] = "#include <vector>\n"
                                 "namespace ns { template <class T> struct box { T v;\n"
                                 "__attribute__((noinline)) T get(const std::vector<T> &x) const { return v + x[0]; }\n"
                                 "}; }\n"
                                 "int main() { ns::box<int> b{3}; std::vector<int> x{1}; return b.get(x); }\n";
    struct elf_symbol symbol;
    if (fixture_lacks("g++"))
        return;
    fixture_write("box.cc", source, sizeof source - 1);
    fixture_run("g++ -O1 -o box box.cc");
    struct fixture program = fixture_open("box", NULL);
    ck_assert(fixture_find(&program, "_ZNK2ns3boxIiE3getERKSt6vectorIiSaIiEE", ELF_SYMBOL_FUNCTION, &symbol));
    char *name = demangle_name(symbol.name);
    ck_assert_str_eq(name, "ns::box<int>::get(std::vector<int, std::allocator<int> > const&) const");
    free(name);
    ck_assert(fixture_find(&program, "_ZdlPvm@plt", ELF_SYMBOL_PLT, &symbol));
    fixture_close(&program);
}
END_TEST

static bool has_demangled(const struct fixture *program, const char *wanted)
{
    uint64_t start, end;
    struct elf_symbol symbol;
    bool found = false;

    elf_file_text_range(program->file, &start, &end);
    for (uint64_t at = start; at < end && !found; at++)
        if (elf_symbols_find(program->symbols, at, &symbol)) {
            char *name = symbol.name ? demangle_name(symbol.name) : NULL;
            found = name && strcmp(name, wanted) == 0;
            free(name);
            at = symbol.end - 1;
        }
    return found;
}

static const char *const manglings[] = {"legacy", "v0"};

START_TEST(rust_names_are_found)
{
    static const char source[] = "#[inline(never)] fn work(x: &[u8]) -> usize { std::hint::black_box(x).len() }\n"
                                 "fn main() { std::process::exit(work(&[]) as i32) }\n";
    char name[32];
    if (fixture_lacks("rustc"))
        return;
    fixture_write("square.rs", source, sizeof source - 1);
    snprintf(name, sizeof name, "square.%s", manglings[_i]);
    if (fixture_try("rustc -O -C symbol-mangling-version=%s -o %s square.rs", manglings[_i], name) != 0 &&
        fixture_try("rustc -O -o %s square.rs", name) != 0)
        return;
    struct fixture program = fixture_open(name, NULL);
    ck_assert(has_demangled(&program, "square::work"));
    fixture_close(&program);
}
END_TEST

static const char *const go_builds[] = {"", "-ldflags='-s -w'", "-buildmode=pie -ldflags='-s -w'",
                                        "-buildmode=pie -ldflags='-s -w -linkmode=external'"};

START_TEST(go_names_are_found)
{
    static const char source[] = "package main\n"
                                 "type T struct{ n int }\n"
                                 "//go:noinline\n"
                                 "func (t *T) Method() int { return t.n + 1 }\n"
                                 "func main() { println((&T{1}).Method()) }\n";
    if (fixture_lacks("go"))
        return;
    fixture_run("mkdir -p go");
    fixture_write("go/main.go", source, sizeof source - 1);
    fixture_run("cd go && GO111MODULE=off GOCACHE=$PWD/cache GOFLAGS= go build %s -o ../gopher main.go", go_builds[_i]);
    struct fixture program = fixture_open("gopher", NULL);
    ck_assert(fixture_has(&program, "main.main", ELF_SYMBOL_FUNCTION));
    ck_assert(fixture_has(&program, "main.(*T).Method", ELF_SYMBOL_FUNCTION));
    ck_assert(elf_file_is_program(program.file));
    fixture_close(&program);
}
END_TEST

/* A Go program's table, in each layout; with the end of its header. */
static const struct {
    const char *layout, *text, *first, *second, *end, *options;
} go_tables[] = {
    {"0xfffffff1", ".quad one", ".long 0", ".long two-one", ".long end-one", "-no-pie"},
    {"0xfffffff1", ".quad one", ".long 0", ".long two-one", ".long end-one", "-pie"},
    {"0xfffffff0", ".quad one", ".long 0", ".long two-one", ".long end-one", "-no-pie"},
    {"0xfffffffa", "", ".quad one", ".quad two", ".quad end", "-no-pie"},
};

static void make_go_table(int i)
{
    bool is_old = !*go_tables[i].text;
    const char *where = is_old ? ".quad" : ".long";
    char source[2048];
    int length = snprintf(source, sizeof source,
                          "int main(void) { return 0; }\n__asm__(\".text\\none: nop\\nnop\\ntwo: nop\\nend: nop\\n"
                          ".section .gopclntab,\\\"aw\\\"\\n.balign 32\\ntable: .long %s\\n.byte "
                          "0,0,1,8\\n.quad 2\\n.quad 0\\n%s\\n"
                          ".quad names-table\\n.quad 0\\n.quad 0\\n.quad 0\\n.quad list-table\\n"
                          "names: .asciz \\\"main.one\\\"\\n.asciz \\\"main.(*T).two\\\"\\n"
                          "list: %s\\n%s first-list\\n%s\\n%s second-list\\n%s\\nfirst: %s\\n.long 0\\nsecond: "
                          "%s\\n.long 9\\n.text\\n\");\n",
                          go_tables[i].layout, go_tables[i].text, go_tables[i].first, where, go_tables[i].second, where,
                          go_tables[i].end, go_tables[i].first, go_tables[i].second);
    ck_assert_int_lt(length, sizeof source);
    fixture_write("table.c", source, (size_t)length);
    fixture_run("gcc -O1 %s -o table table.c && strip table", go_tables[i].options);
}

START_TEST(a_go_table_has_names)
{
    struct elf_symbol one, two;
    make_go_table(_i);
    struct fixture program = fixture_open("table", NULL);
    ck_assert(elf_symbols_has_full_table(program.symbols));
    ck_assert(fixture_find(&program, "main.one", ELF_SYMBOL_FUNCTION, &one));
    ck_assert(fixture_find(&program, "main.(*T).two", ELF_SYMBOL_FUNCTION, &two));
    ck_assert_uint_eq(one.end - one.start, 2);
    ck_assert_uint_eq(two.start, one.end);
    ck_assert_uint_eq(two.end - two.start, 1);
    fixture_close(&program);
}
END_TEST

/* Whatever the table contains, fewer names are found, and no memory outside of it is read. */
START_TEST(a_broken_go_table_does_no_harm)
{
    make_go_table(0);
    for (unsigned at = 0; at < 190; at++) {
        fixture_run("objcopy -O binary --only-section=.gopclntab --set-section-flags .gopclntab=alloc table bytes && "
                    "printf '\\377' | dd of=bytes bs=1 seek=%u conv=notrunc 2>dd.err && "
                    "objcopy --update-section .gopclntab=bytes table broken",
                    at);
        struct fixture program = fixture_open("broken", NULL);
        fixture_has(&program, "main.one", ELF_SYMBOL_FUNCTION);
        fixture_close(&program);
        at += 4; /* changes a byte of each word */
    }
}
END_TEST

/* This machine's C library has at least .dynsym. */
START_TEST(the_c_library_has_its_names)
{
    static const char *const names[] = {"write", "read", "malloc", "free", "qsort", "puts", "nanosleep"};
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4096], path[4096] = "";
    while (fgets(line, sizeof line, maps) && !*path)
        if (strstr(line, "/libc.so") || strstr(line, "/libc-"))
            sscanf(strchr(line, '/'), "%4095[^\n]", path);
    fclose(maps);
    if (!*path) {
        fprintf(stderr, "skipped what needs a shared libc: there is none\n");
        return;
    }
    struct fixture library = fixture_open_path(path, NULL);
    for (size_t i = 0; i < UNIT_ROWS(names); i++)
        ck_assert_msg(fixture_has(&library, names[i], ELF_SYMBOL_FUNCTION), "%s", names[i]);
    ck_assert(!elf_file_is_program(library.file));
    fixture_close(&library);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("elf/symbols");
    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, set_up, NULL);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, each_address_has_the_name_that_a_reader_expects);
    tcase_add_test(tests, outside_the_code_there_is_nothing);
    UNIT_ADD_TABLE(tests, the_plt_has_the_names_of_what_it_calls, linkers);
    tcase_add_test(tests, static_programs_have_a_plt_for_ifuncs);
    tcase_add_test(tests, stripped_code_has_ranges);
    tcase_add_test(tests, ranges_need_no_sections);
    tcase_add_test(tests, a_library_exports_names_of_its_own);
    tcase_add_test(tests, cxx_names_are_found);
    UNIT_ADD_TABLE(tests, rust_names_are_found, manglings);
    UNIT_ADD_TABLE(tests, go_names_are_found, go_builds);
    UNIT_ADD_TABLE(tests, a_go_table_has_names, go_tables);
    tcase_add_test(tests, a_broken_go_table_does_no_harm);
    tcase_add_test(tests, the_c_library_has_its_names);
    return fixture_end();
}
