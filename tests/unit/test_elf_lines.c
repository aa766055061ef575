/* SPDX-License-Identifier: MIT */
#include "programs/elf/lines.h"

#include "common/base/error.h"
#include "nested_fixture.h"
#include "programs/elf/file.h"

#include <errno.h>

static const char templates_cc[] = "#include <algorithm>\n"
                                   "#include <map>\n"
                                   "#include <string>\n"
                                   "#include <vector>\n"
                                   "namespace deep {\n"
                                   "template <class T, int N> struct Worker {\n"
                                   "    T sum = 0;\n"
                                   "    inline void add(T x) { sum += x * N; }\n"
                                   "    T operator()(const std::vector<T> &all)\n"
                                   "    {\n"
                                   "        for (auto x : all)\n"
                                   "            add(x);\n"
                                   "        return sum;\n"
                                   "    }\n"
                                   "};\n"
                                   "}\n"
                                   "int main(int argc, char **argv)\n"
                                   "{\n"
                                   "    std::vector<long> all(argc + 1000);\n"
                                   "    std::map<std::string, int> names;\n"
                                   "    for (int i = 0; i < argc; i++)\n"
                                   "        names[argv[i]]++;\n"
                                   "    auto less = [&](long a, long b) { return a * argc < b; };\n"
                                   "    std::sort(all.begin(), all.end(), less);\n"
                                   "    deep::Worker<long, 3> three;\n"
                                   "    deep::Worker<long, 5> five;\n"
                                   "    return (int)(three(all) + five(all) + names.size());\n"
                                   "}\n";

/* Returns true if LINE of nested.c is in the function alone(). */
static bool in_alone(uint32_t line)
{
    return line >= 18 && line <= 21;
}

static void set_up(void)
{
    nested_write();
    fixture_write("templates.cc", templates_cc, sizeof templates_cc - 1);
    fixture_run("mkdir -p debug/.build-id/11");
}

/* An open ELF file and its lines. */
struct opened {
    int fd;
    struct elf_file *file;
    struct elf_lines *lines;
};

/* Returns the result of elf_lines_new. */
static int open_lines(struct opened *opened, const char *name)
{
    char debug[128];
    snprintf(debug, sizeof debug, "%s/debug", fixture_directory);
    const char *const debug_directories[] = {debug, NULL};
    struct elf_debug_search search = {.directory = fixture_directory, .debug_directories = debug_directories};
    struct error error = {0};

    opened->fd = open(fixture_path(name), O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(opened->fd, 0);
    ck_assert_int_eq(elf_file_open(opened->fd, &opened->file, NULL), 0);
    int status = elf_lines_new(opened->file, &search, &opened->lines, &error);
    ck_assert_int_eq(error.errnum, -status);
    ck_assert_int_eq(status < 0, opened->lines == NULL);
    return status;
}

static void close_lines(struct opened *opened)
{
    elf_lines_free(opened->lines);
    elf_file_close(opened->file);
    close(opened->fd);
}

/* The part of the result that addr2line of binutils 2.40 also knows. */
enum agree {
    AGREE_ALL,
    AGREE_LINES, /* it confuses files of different units */
    AGREE_NOTHING,
    AGREE_INNERMOST /* it ignores calls that clang has inlined, in version 5 of the format */
};

/* Variants of debug information. */
static const struct {
    const char *needs, *steps;
    enum agree agree;
} ways[] = {
    {"gcc", "gcc -g -O2 -gdwarf-5 nested.c -o program", AGREE_ALL},
    {"gcc", "gcc -g -O2 -gdwarf-4 nested.c -o program", AGREE_ALL},
    {"gcc", "gcc -g -O2 -gdwarf-3 -gstrict-dwarf nested.c -o program", AGREE_ALL},
    {"gcc", "gcc -g -O2 -gdwarf-5 -gdwarf64 nested.c -o program", AGREE_NOTHING},
    {"gcc", "gcc -g -O0 nested.c -o program", AGREE_ALL},
    {"gcc", "gcc -g -O2 -no-pie nested.c -o program", AGREE_ALL},
    {"gcc", "gcc -g -O2 -gz nested.c -o program", AGREE_ALL},
    {"gcc", "gcc -g -O2 -flto nested.c -o program", AGREE_LINES},
    {"gcc", "gcc -g -O2 -ffunction-sections -Wl,--gc-sections nested.c -o program", AGREE_ALL},
    {"g++", "g++ -g -O2 -gdwarf-5 templates.cc -o program", AGREE_LINES},
    {"g++", "g++ -g -O2 -gdwarf-4 -fdebug-types-section templates.cc -o program", AGREE_ALL},
    {"clang", "clang -g -O2 -gdwarf-5 nested.c -o program", AGREE_INNERMOST},
    {"clang", "clang -g -O2 -gdwarf-4 nested.c -o program", AGREE_ALL},
    {"clang", "clang -gline-tables-only -O2 -gdwarf-4 nested.c -o program", AGREE_ALL},
    {"clang++", "clang++ -g -O2 -gdwarf-5 templates.cc -o program", AGREE_INNERMOST},
    {"clang++", "clang++ -g -O2 -gdwarf-4 templates.cc -o program", AGREE_ALL},
    {"ld.lld",
     "clang++ -g -O2 -gdwarf-4 -gz -fuse-ld=lld -ffunction-sections -Wl,--gc-sections templates.cc -o "
     "program",
     AGREE_ALL},
    {"dwz", "g++ -g -O2 -gdwarf-5 templates.cc -o whole && dwz whole -o program", AGREE_LINES},
    {"dwz", "g++ -g -O2 -gdwarf-4 templates.cc -o whole && dwz whole -o program", AGREE_ALL},
};

enum { FRAMES = 32 };

struct witness {
    char function[512], place[512];
};

/* Reads the frames of one address from addr2line's output, after the line with this address (0x...). Returns their
 * number, and leaves the line of the next address in LINE. */
static size_t read_witness(FILE *from, char *line, size_t size, struct witness *frames)
{
    size_t count = 0;
    while (fgets(line, (int)size, from) && strncmp(line, "0x", 2) != 0) {
        ck_assert_uint_lt(count, FRAMES);
        snprintf(frames[count].function, sizeof frames[count].function, "%.500s", line);
        ck_assert_ptr_nonnull(fgets(line, (int)size, from));
        snprintf(frames[count].place, sizeof frames[count].place, "%.500s", line);
        frames[count].function[strcspn(frames[count].function, "\n")] = 0;
        frames[count].place[strcspn(frames[count].place, " \n")] = 0; /* " (discriminator 1)" */
        count++;
    }
    return count;
}

static void place_of(const struct elf_line *line, char *text, size_t size)
{
    if (line->line)
        snprintf(text, size, "%s:%u", line->file ? line->file : "??", (unsigned)line->line);
    else
        snprintf(text, size, "%s:?", line->file ? line->file : "??");
}

/* addr2line takes the innermost name from the symbol table if it is not a linkage name. It then omits the scopes
 * around it. */
static bool same_name(const struct elf_line *chain, size_t at, const struct witness *frames, size_t expected)
{
    const char *name = chain[at].function, *other = frames[at].function;
    if (!name || strcmp(name, other) == 0 || (at == 0 && strcmp(other, frames[expected - 1].function) == 0))
        return true;
    size_t length = strlen(name), least = strlen(other) + 2;
    return length >= least && strncmp(name + length - least, "::", 2) == 0 &&
           strcmp(name + length - least + 2, other) == 0;
}

static bool same_place(const struct elf_line *line, const struct witness *frame, bool with_file)
{
    char place[8192];
    place_of(line, place, sizeof place);
    return strcmp(with_file ? place : strrchr(place, ':'), with_file ? frame->place : strrchr(frame->place, ':')) == 0;
}

static bool same(const struct elf_line *chain, size_t count, const struct witness *frames, size_t expected,
                 enum agree agree)
{
    if (!count) /* addr2line may know the file from the symbol table */
        return expected == 1 && strchr(frames[0].place, '?');
    if (agree == AGREE_NOTHING)
        return true;
    if (agree == AGREE_INNERMOST)
        return same_place(&chain[0], &frames[0], true);
    for (size_t i = 0; i < count && i < expected; i++)
        if (!same_place(&chain[i], &frames[i], agree == AGREE_ALL) || !same_name(chain, i, frames, expected))
            return false;
    return count == expected;
}

static void show(uint64_t vaddr, const struct elf_line *chain, size_t count, const struct witness *frames,
                 size_t expected)
{
    char place[8192];
    fprintf(stderr, "at %#llx:\n", (unsigned long long)vaddr);
    for (size_t i = 0; i < count; i++) {
        place_of(&chain[i], place, sizeof place);
        fprintf(stderr, "  here %s at %s\n", chain[i].function ? chain[i].function : "-", place);
    }
    for (size_t i = 0; i < expected; i++)
        fprintf(stderr, "  addr2line %s at %s\n", frames[i].function, frames[i].place);
}

START_TEST(lines_are_those_of_addr2line)
{
    if (fixture_lacks(ways[_i].needs) || fixture_lacks("addr2line"))
        return;
    fixture_run("%s", ways[_i].steps);
    fixture_run("objdump -d --section=.text program | sed -n 's/^ *\\([0-9a-f]*\\):.*/0x\\1/p' >addresses; "
                "addr2line -a -i -f -e program <addresses >witness");
    struct opened program;
    struct elf_line chain[ELF_LINES_MAX];
    struct witness frames[FRAMES];
    char line[1024];
    unsigned asked = 0, known = 0, inlined = 0, different = 0;
    FILE *witness = fopen(fixture_path("witness"), "re");

    ck_assert_int_eq(open_lines(&program, "program"), 0);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, witness));
    while (!feof(witness)) {
        uint64_t vaddr = strtoull(line, NULL, 16);
        size_t expected = read_witness(witness, line, sizeof line, frames);
        size_t count = elf_lines_find(program.lines, vaddr, chain);
        asked++;
        known += count > 0;
        inlined += count > 1;
        if (!same(chain, count, frames, expected, ways[_i].agree) && different++ < 5)
            show(vaddr, chain, count, frames, expected);
    }
    fclose(witness);
    ck_assert(!elf_lines_gave_up(program.lines));
    close_lines(&program);
    ck_assert_msg(!different, "%u of %u are different: %s", different, asked, ways[_i].steps);
    ck_assert_uint_gt(known, 60);
    ck_assert_uint_gt(inlined, 50);
}
END_TEST

/* Returns the source line and file of the first byte of function NAME of the symbol table; 0: none. */
static uint32_t line_of(struct opened *program, const char *name, const char **file, size_t *frames)
{
    struct elf_symbols *symbols;
    struct elf_symbol symbol;
    struct elf_line chain[ELF_LINES_MAX];
    uint64_t start, end;
    *frames = 0;
    ck_assert_int_eq(elf_symbols_new(program->file, NULL, &symbols, NULL), 0);
    elf_file_text_range(program->file, &start, &end);
    while (start < end && !(elf_symbols_find(symbols, start, &symbol) && symbol.name && !strcmp(symbol.name, name)))
        start++;
    elf_symbols_free(symbols);
    ck_assert_msg(start < end, "no %s", name);
    *frames = elf_lines_find(program->lines, start, chain);
    *file = *frames ? chain[*frames - 1].file : NULL;
    return *frames ? chain[*frames - 1].line : 0;
}

/* Where debug information is, outside of the program. */
static const struct {
    const char *steps;
    int status;
} places[] = {
    {"cp whole program", 0},
    {"cp bare program", -ENOENT},
    {"cp bare program && cp whole.debug debug/.build-id/11/22334455.debug", 0},
    {"objcopy --add-gnu-debuglink=whole.debug bare program", 0},
    {"objcopy --compress-debug-sections=zlib whole.debug debug/.build-id/11/22334455.debug && cp bare "
     "program",
     0},
    {"cp bare program && cp bare debug/.build-id/11/22334455.debug", -ENOENT},
    {"objcopy --strip-debug whole program", -ENOENT},
    /* a section without entries: the child process finds nothing to read */
    {"printf x >x && objcopy --add-section .debug_info=x bare program", 0},
};

START_TEST(debug_information_is_found)
{
    struct opened program;
    size_t frames;
    const char *file;
    fixture_run("gcc -g -O1 -Wl,--build-id=0x1122334455 -rdynamic nested.c -o whole && strip -o bare whole && "
                "objcopy --only-keep-debug whole whole.debug && rm -f debug/.build-id/11/* && %s",
                places[_i].steps);
    ck_assert_int_eq(open_lines(&program, "program"), places[_i].status);
    if (places[_i].status == 0 && _i + 1 < (int)UNIT_ROWS(places)) {
        ck_assert(in_alone(line_of(&program, "alone", &file, &frames)));
        ck_assert_uint_eq(frames, 1);
        ck_assert_ptr_nonnull(strstr(file, "/nested.c"));
    } else if (places[_i].status == 0) {
        ck_assert_uint_eq(line_of(&program, "alone", &file, &frames), 0);
        ck_assert(!elf_lines_gave_up(program.lines));
    }
    close_lines(&program);
}
END_TEST

/* The entries of several programs are in a shared file, which has the names. If it is missing or invalid, lines are
 * still found. */
static const struct {
    const char *steps;
    bool names;
} shares[] = {
    {":", true},
    {"rm shared", false},
    {"rm shared && mkfifo shared", false},
    {"cp whole shared", false},
    {"mv shared debug/.build-id/$(readelf -n shared | "
     "sed -n 's/.*Build ID: \\(..\\)\\(.*\\)/\\1 \\2/p' | { read -r a b; mkdir -p debug/.build-id/$a; echo "
     "$a/$b; }).debug",
     true},
};

START_TEST(entries_that_programs_share_are_found)
{
    struct opened program;
    struct elf_line chain[ELF_LINES_MAX];
    uint64_t start, end;
    unsigned named = 0, nameless = 0;
    if (fixture_lacks("dwz") || fixture_lacks("readelf"))
        return;
    fixture_run("gcc -g -O2 nested.c -o whole && gcc -g -O2 -DOTHER nested.c -o program && gcc -g -O2 "
                "-DTHIRD nested.c -o "
                "third && rm -f shared && dwz -m shared -M shared whole program third && %s",
                shares[_i].steps);
    ck_assert_int_eq(open_lines(&program, "program"), 0);
    elf_file_text_range(program.file, &start, &end);
    for (uint64_t vaddr = start; vaddr < end; vaddr++)
        for (size_t count = elf_lines_find(program.lines, vaddr, chain), i = 0; i + 1 < count; i++) {
            ck_assert_uint_gt(chain[i].line, 0);
            *(*chain[i].function ? &named : &nameless) += 1;
        }
    ck_assert(!elf_lines_gave_up(program.lines));
    ck_assert_uint_gt(named + nameless, 50);
    ck_assert_int_eq(nameless == 0, shares[_i].names);
    close_lines(&program);
}
END_TEST

/* A name without a linkage name is shown with its scopes. */
static const struct {
    const char *steps, *name;
} scopes[] = {
    {"g++ -g -O2 templates.cc -o program", "main::{lambda#1}::operator()"},
    {"g++ -g -O2 templates.cc -o program && { ! command -v dwz || dwz program; }", "main::{lambda#1}::operator()"},
    {"gcc -g -O2 nested.c -o program", "innermost"},
    {"g++ -g -O2 -x c++ - -o program <<'END'\n"
     "namespace { struct Thing { template <class T> int work(T add) { return add(sum); } volatile int sum = "
     "1; }; }\n"
     "namespace deep { int outer(int x) { Thing thing; return thing.work([&](int y) { return x / y; }); } }\n"
     "int main(int argc, char **) { return deep::outer(argc); }\nEND\n",
     "deep::outer(int)::{lambda#1}::operator()"},
    /* the second lambda of the same type, in the source's order, though it is in another block */
    {"g++ -g -O2 -x c++ - -o program <<'END'\n"
     "template <class T> static inline int call(T f, int x) { volatile int y = x; return f(y) + f(y + 1); }\n"
     "int main(int argc, char **) {\n"
     "int sum = call([&](int y) { return y / argc; }, argc);\n"
     "sum += call([&](long y) { return int(y) * argc; }, argc);\n"
     "if (argc) { sum += call([&](int y) { return y % argc; }, argc); }\n"
     "return sum; }\nEND\n",
     "main::{lambda#2}::operator()"},
};

START_TEST(plain_names_have_their_scopes)
{
    struct opened program;
    struct elf_line chain[ELF_LINES_MAX];
    uint64_t start, end;
    unsigned seen = 0;
    if (fixture_lacks("g++"))
        return;
    fixture_run("%s", scopes[_i].steps);
    ck_assert_int_eq(open_lines(&program, "program"), 0);
    for (elf_file_text_range(program.file, &start, &end); start < end; start++)
        for (size_t count = elf_lines_find(program.lines, start, chain), i = 0; i + 1 < count; i++)
            seen += strcmp(chain[i].function, scopes[_i].name) == 0;
    close_lines(&program);
    ck_assert_uint_gt(seen, 0);
}
END_TEST

/* More nested calls than the result can have: the innermost and the outermost ones are kept. */
START_TEST(very_deep_calls_keep_both_ends)
{
    struct opened program;
    struct elf_line chain[ELF_LINES_MAX];
    uint64_t start, end;
    size_t most = 0;
    FILE *source = fopen(fixture_path("deep.c"), "we");
    fprintf(source, "volatile int sink;\nstatic inline __attribute__((always_inline)) void f0(void) { sink++; }\n");
    for (int i = 1; i < 150; i++)
        fprintf(source, "static inline __attribute__((always_inline)) void f%d(void) { f%d(); }\n", i, i - 1);
    fprintf(source, "int main(void) { f149(); return 0; }\n");
    fclose(source);
    fixture_run("gcc -g -O2 deep.c -o program");
    ck_assert_int_eq(open_lines(&program, "program"), 0);
    elf_file_text_range(program.file, &start, &end);
    for (; start < end; start++) {
        size_t count = elf_lines_find(program.lines, start, chain);
        if (count < ELF_LINES_MAX)
            continue;
        most = count;
        ck_assert_str_eq(chain[0].function, "f0");
        ck_assert_str_eq(chain[ELF_LINES_MAX - 2].function, "f62");
        ck_assert_ptr_null(chain[ELF_LINES_MAX - 1].function);
        ck_assert_uint_eq(chain[ELF_LINES_MAX - 1].line, 152);
    }
    ck_assert_uint_eq(most, ELF_LINES_MAX);
    close_lines(&program);
}
END_TEST

int main(void)
{
#ifndef HAVE_LIBDW
    fprintf(stderr, "skipped: built without libdw\n");
    return 77;
#endif
    TCase *tests = fixture_begin("elf/lines");
    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, set_up, NULL);
    tcase_set_timeout(tests, 120);
    UNIT_ADD_SOME(tests, lines_are_those_of_addr2line, ways);
    UNIT_ADD_TABLE(tests, debug_information_is_found, places);
    UNIT_ADD_TABLE(tests, entries_that_programs_share_are_found, shares);
    UNIT_ADD_TABLE(tests, plain_names_have_their_scopes, scopes);
    tcase_add_test(tests, very_deep_calls_keep_both_ends);
    return fixture_end();
}
