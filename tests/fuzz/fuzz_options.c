/* SPDX-License-Identifier: MIT
 *
 * Command lines: the input's texts, each ended by a newline, are the arguments. */
#include "cli/options.h"

#include "fuzz.h"

#include <getopt.h>

enum { MOST = 32 };

/* Patterns are the C library's to compile, and names are looked for in /proc: neither is ours to fuzz. */
static bool is_left_out(const char *text)
{
    static const char *const beginnings[] = {"--foc", "--i", "--na", NULL};

    for (const char *const *beginning = beginnings; *beginning; beginning++)
        if (strncmp(text, *beginning, strlen(*beginning)) == 0)
            return strncmp(text, "--impose", 8) != 0;
    return false;
}

/* The next argument; the caller frees it. NULL: there is none. */
static char *next_argument(struct cursor *input)
{
    size_t left = cursor_left(input);
    const uint8_t *end = left ? memchr(input->at, '\n', left) : NULL;
    size_t length = end ? (size_t)(end - input->at) : left;

    if (!left)
        return NULL;
    char *text = strndup((const char *)input->at, length);
    FUZZ_EXPECT(text);
    cursor_take(input, length + (end != NULL));
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cursor input = fuzz_input(bytes, size);
    char name[] = "ptprofil", *owned[MOST] = {NULL}, *argv[MOST + 2] = {name, NULL}, *next;
    struct options options;
    struct error error = {0};
    int argc = 1;

    while (argc <= MOST && (next = next_argument(&input))) {
        owned[argc - 1] = next;
        if (!is_left_out(next))
            argv[argc++] = next;
        else {
            free(next);
            owned[argc - 1] = NULL;
        }
    }
    optind = 0; /* as in a process that begins */
    int status = options_parse(&options, argc, argv, &error);
    FUZZ_EXPECT(status <= 0 && error.errnum == -status);
    FUZZ_EXPECT(status || options.action != OPTIONS_RUN || options.session.command || options.session.targets.count);
    options_fini(&options);
    for (int i = 0; i < MOST; i++)
        free(owned[i]);
    return 0;
}
