/* SPDX-License-Identifier: MIT */
#include "front/cli/annotating.h"

#include "common/text/say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reads the code of choice NUMBER into the next item. */
static int read_one(struct annotation *annotation, size_t number, const struct output_options *options,
                    const struct profile *profile, struct error *error)
{
    const struct annotation_choice *choice = &annotation->items[number];
    struct code *code = &annotation->codes[annotation->code_count];
    struct error why = {0};
    struct code_calls calls = {{&annotation->pattern->compiled, 1, annotation->pattern->text}, annotation->least};
    int result = code_read(code, profile, choice->location, options->sysroot, choice->inlined ? &calls : NULL, &why);
    if (!result) {
        annotation->items[annotation->code_count++] = *choice;
        return 0;
    }
    code_fini(code);
    return error_set(error, why.errnum, "--annotate: '%s' cannot be shown: %s",
                     profile->functions[choice->function].name, why.text);
}

int annotating_read(struct annotation *annotation, const struct output_options *options, const struct profile *profile,
                    struct error *error)
{
    size_t most = output_options_annotated(options), tried = 0;
    int result = options->annotate.text ? annotation_choose(annotation, profile, &options->annotate) : 0;
    if (!result && !annotation->count)
        return 0;
    size_t count = most && most < annotation->count ? most : annotation->count;
    annotation->codes = calloc(count + 1, sizeof *annotation->codes);
    if (result < 0 || !annotation->codes)
        return error_set(error, ENOMEM, "out of memory while the code was read");
    for (struct error why = {0}; tried < count; tried++, why = (struct error){0})
        if (read_one(annotation, tried, options, profile, count > 1 ? &why : error) < 0 && count > 1)
            say_line(stderr, "%s", why.text);
    size_t left = annotation->count - tried;
    memmove(&annotation->items[annotation->code_count], &annotation->items[tried], left * sizeof *annotation->items);
    annotation->count = annotation->code_count + left;
    return annotation->code_count ? 0 : error_set(error, ENODATA, "--annotate: none of the functions can be shown");
}
