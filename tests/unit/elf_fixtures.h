/* SPDX-License-Identifier: MIT
 *
 * ELF files for tests, made in a temporary directory by the compiler and binutils of this machine. */
#ifndef ELF_FIXTURES_H
#define ELF_FIXTURES_H

#include "programs/elf/symbols.h"

#include "common/base/error.h"
#include "programs/elf/file.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Made in main(), before Check forks a process for each test, and removed there. */
static char fixture_directory[64];

/* Runs a shell command in the directory. Returns its exit status, 127 if a program was not found. */
__attribute__((format(printf, 1, 2))) static inline int fixture_try(const char *format, ...)
{
    char command[4096], line[8192];
    va_list args;

    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    snprintf(line, sizeof line, "cd %s && { %s\n} >>log 2>&1", fixture_directory, command);
    int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

#define fixture_run(...) ck_assert_msg(fixture_try(__VA_ARGS__) == 0, "failed, see the log: " __VA_ARGS__)

/* For tests that need an optional program: if (fixture_lacks("go")) return; */
static inline bool fixture_lacks(const char *program)
{
    if (fixture_try("command -v %s", program) == 0)
        return false;
    fprintf(stderr, "skipped what needs %s, which is not installed\n", program);
    return true;
}

/* Installs a filter that makes this process's later seccomp() calls fail with FAILURE, like a sandbox. */
static inline void fixture_refuse_filters(int failure)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)failure),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};

    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), -1);
    ck_assert_int_eq(errno, failure);
}

static inline const char *fixture_path(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", fixture_directory, name);
    return path;
}

static inline void fixture_write(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(fixture_path(name), "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/* Returns the whole file. Free with free(). */
static inline uint8_t *fixture_read(const char *name, size_t *size)
{
    FILE *file = fopen(fixture_path(name), "re");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size ? *size : 1);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* An open ELF file, its symbols and where they were read from. */
struct fixture {
    int fd;
    struct elf_file *file;
    struct elf_symbols *symbols;
};

static inline struct fixture fixture_open_path(const char *path, const struct elf_debug_search *search)
{
    struct fixture opened = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
    struct error error = {0};

    ck_assert_msg(opened.fd >= 0, "cannot open %s", path);
    ck_assert_msg(elf_file_open(opened.fd, &opened.file, &error) == 0, "%s: %s", path, error.text);
    ck_assert_msg(elf_symbols_new(opened.file, search, &opened.symbols, &error) == 0, "%s: %s", path, error.text);
    return opened;
}

static inline struct fixture fixture_open(const char *name, const struct elf_debug_search *search)
{
    return fixture_open_path(fixture_path(name), search);
}

static inline void fixture_close(struct fixture *fixture)
{
    elf_symbols_free(fixture->symbols);
    elf_file_close(fixture->file);
    close(fixture->fd);
}

/* Finds a symbol by name (NULL: any name): looks up addresses one by one, in steps of 8 in a large program, where all
 * tested functions are aligned. Returns false if no symbol has this name and kind. */
static inline bool fixture_find(const struct fixture *fixture, const char *name, enum elf_symbol_kind kind,
                                struct elf_symbol *found)
{
    uint64_t start, end;
    elf_file_text_range(fixture->file, &start, &end);
    for (uint64_t at = start; at<end; at += end - start> 65536 ? 8 : 1) {
        if (!elf_symbols_find(fixture->symbols, at, found))
            continue;
        /* ck_assert for each address would take longer than the lookup */
        if (found->start > at || found->end <= at || (found->name == NULL) != (found->kind == ELF_SYMBOL_RANGE))
            ck_abort_msg("a wrong answer at %#llx", (unsigned long long)at);
        if (found->kind == kind && found->name && (!name || strcmp(found->name, name) == 0))
            return true;
    }
    return false;
}

static inline bool fixture_has(const struct fixture *fixture, const char *name, enum elf_symbol_kind kind)
{
    struct elf_symbol found;
    return fixture_find(fixture, name, kind, &found);
}

/* Calls unit_begin. Returns NULL if this machine has no compiler; main() then returns 77. */
static inline TCase *fixture_begin(const char *name)
{
    char template[] = "/tmp/ptprofil-unit-XXXXXX";
    if (!mkdtemp(template))
        return NULL;
    strcpy(fixture_directory, template);
    if (fixture_try("command -v gcc && command -v strip && command -v objcopy") != 0) {
        fprintf(stderr, "skipped: gcc, strip and objcopy are needed to make ELF files to test with\n");
        fixture_try("rm -rf %s", fixture_directory);
        return NULL;
    }
    return unit_begin(name);
}

static inline int fixture_end(void)
{
    int status = unit_end();
    if (status == 0 || !getenv("UNIT_KEEP"))
        fixture_try("rm -rf %s", fixture_directory);
    return status;
}

#endif
