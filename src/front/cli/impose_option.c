/* SPDX-License-Identifier: MIT */
#include "front/cli/impose_option.h"

#include "common/base/error.h"
#include "common/semantics/call_state.h"
#include "common/semantics/impose.h"
#include "common/semantics/semantics.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LOWEST_SCALE = 1 }; /* with scale 0, a cell would cover no address */

/* Reads a number at *AT that ends with END, decimal or with a prefix 0x. Moves *AT past END. */
static int parse_number(const char **at, char end, const char *name, uint64_t low, uint64_t high, uint64_t *number,
                        struct error *error)
{
    bool hexadecimal = **at == '0' && tolower((unsigned char)(*at)[1]) == 'x';
    char *after;
    errno = 0;
    uint64_t value = strtoull(*at, &after, hexadecimal ? 16 : 10);
    if (!errno && isdigit((unsigned char)**at) && *after == end && value >= low && value <= high) {
        *number = value;
        *at = after + 1;
        return 0;
    }
    return error_set(error, EINVAL, "--impose: %s '%.*s' is not a number from %llu to %llu, such as 4096 or 0x1000",
                     name, (int)strcspn(*at, ","), *at, (unsigned long long)low, (unsigned long long)high);
}

static int parse_range(struct impose *impose, const char *text, struct error *error)
{
    uint64_t scale = 0;
    const char *comma = strchr(text, ',');
    if (!comma || !strchr(comma + 1, ','))
        return error_set(error, EINVAL, "--impose=profil:%s: say profil, or profil:OFFSET,SIZE,SCALE", text);
    int result = parse_number(&text, ',', "OFFSET", 0, UINT64_MAX, &impose->offset, error);
    if (!result)
        result = parse_number(&text, ',', "SIZE", sizeof(uint16_t), IMPOSE_MOST_BYTES, &impose->size, error);
    if (!result)
        result = parse_number(&text, 0, "SCALE", LOWEST_SCALE, UINT32_MAX, &scale, error);
    impose->scale = (uint32_t)scale;
    return result;
}

int impose_option_parse(struct impose *impose, const char *text, struct error *error)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    *impose = (struct impose){0};
    if (length == strlen("profil") && !strncmp(text, "profil", length)) {
        impose->kind = CALL_PROFIL;
        impose->text = !colon;
        return colon ? parse_range(impose, colon + 1, error) : 0;
    }
    if (length != strlen("pcsample") || strncmp(text, "pcsample", length))
        return error_set(error, EINVAL, "--impose: '%s' is not one of profil, profil:OFFSET,SIZE,SCALE, pcsample:N",
                         text);
    if (!colon)
        return error_set(error, EINVAL, "--impose=pcsample: how many samples? Say pcsample:N, N from 1 to %d",
                         IMPOSE_MOST_SAMPLES);
    impose->kind = CALL_PCSAMPLE;
    text = colon + 1;
    return parse_number(&text, 0, "N", 1, IMPOSE_MOST_SAMPLES, &impose->count, error);
}

static int explain_refusal(const struct impose *impose, const struct semantics *semantics, struct error *error)
{
    if (semantics_value(semantics, RULE_PROFIL_VALIDATION) == VALIDATE_REFUSE_ALL)
        return error_set(error, EINVAL, "--impose=profil: under --semantics=%s every profil fails", semantics->name);
    return error_set(error, EINVAL, "--impose=profil: --semantics=%s refuses a SCALE of %lu: 65536 is the highest",
                     semantics->name, (unsigned long)impose->scale);
}

int impose_option_check(const struct impose *impose, const char *output, const struct semantics *semantics,
                        struct error *error)
{
    if (impose->kind == CALL_NONE && output)
        return error_set(error, EINVAL, "--impose-output needs --impose=profil or --impose=pcsample:N");
    if (impose->kind == CALL_NONE)
        return 0;
    if (!output)
        return error_set(error, EINVAL, "--impose needs --impose-output=FILE, for the result of the call");
    if (!*output || !strcmp(output, "-"))
        return error_set(error, EINVAL, "--impose-output: name a file; each further program gets one beside it");
    switch (impose_judge(impose, semantics)) {
    case IMPOSE_REFUSED:
        return explain_refusal(impose, semantics, error);
    case IMPOSE_TURNS_OFF:
        return error_set(error, EINVAL, "--impose=profil: under --semantics=%s this turns profiling off",
                         semantics->name);
    case IMPOSE_COUNTS:
        break;
    }
    return 0;
}
