/* SPDX-License-Identifier: MIT
 *
 * Parses command lines: each line of the input is an argument. */
#include "front/cli/options.h"

#include "common/base/error.h"
#include "fuzz.h"

#include <getopt.h>

enum { MOST = 32 };

/* Drops options with patterns and names: the C library compiles patterns, and names are looked up in /proc. */
static bool is_left_out(const char *text)
{
    static const char *const beginnings[] = {"--foc", "--i", "--na", NULL};

    for (const char *const *beginning = beginnings; *beginning; beginning++)
        if (strncmp(text, *beginning, strlen(*beginning)) == 0)
            return strncmp(text, "--impose", 8) != 0;
    return false;
}

/* Returns the next argument, which the caller frees, or NULL at the end of the input. */
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
    optind = 0; /* makes getopt start again */
    int status = options_parse(&options, argc, argv, &error);
    FUZZ_EXPECT(status <= 0 && error.errnum == -status);
    FUZZ_EXPECT(status || options.action != OPTIONS_RUN || options.session.command || options.session.targets.count);
    options_fini(&options);
    for (int i = 0; i < MOST; i++)
        free(owned[i]);
    return 0;
}
