/* SPDX-License-Identifier: MIT */
#include "image.h"

#include "calls.h"
#include "conformance.h"
#include "samples.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* The load address is random. With scale 1, a counter covers 2^17 bytes, and the buffer covers the whole range of load
 * addresses. With scale 2, the first counter of SVR4's covers everything. */
#define IMAGE_BYTES ((size_t)64 << 20)
#define IMAGE_TEXT (UINT64_C(1) << 42)

void image_map(void)
{
    void *mapped = mmap(IMAGE_BUFFER, IMAGE_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    CHECK(mapped == IMAGE_BUFFER, "nothing can be mapped at %p: %s", IMAGE_BUFFER, strerror(errno));
}

static bool is_empty(void)
{
    const uint64_t *words = IMAGE_BUFFER;

    for (size_t i = 0; i < IMAGE_BYTES / sizeof *words; i++)
        if (words[i])
            return false;
    return true;
}

void image_count(void)
{
    calls_profil(IMAGE_BUFFER, IMAGE_BYTES, (size_t)(spin_base() / IMAGE_TEXT * IMAGE_TEXT),
                 is_in(SYSTEM_IRIX | SYSTEM_ILLUMOS) ? 2 : 1);
    for (int tries = 0; is_empty(); tries++) {
        CHECK(tries < 20, "nothing is counted in this image");
        spin(LOOP_A, 20);
    }
}

/* Runs in the new image. Maps the buffer first: a tick would fault without it, and go unnoticed. */
static void check_profil(void)
{
    image_map();
    spin_calibrate();
    spin(LOOP_A, 100);
    CHECK(is_empty(), "the new image is profiled");
    image_count();
}

static void check_samples(void)
{
    uintptr_t *samples = IMAGE_BUFFER;
    size_t room = IMAGE_BYTES / sizeof *samples;

    image_map();
    spin_calibrate();
    spin(LOOP_A, 100);
    CHECK(samples_call(samples, (long)room) == 0, "the first call in the new image does not return 0");
    CHECK(is_empty(), "the new image is sampled");
    samples_check_on(samples, room, "in the new image");
}

const struct conformance_continuation conformance_continuations[] = {
    {"profil", check_profil},
    {"samples", check_samples},
    {NULL, NULL},
};

void image_exec(void)
{
    conformance_exec("profil");
}

void image_exec_samples(void)
{
    conformance_exec("samples");
}

pid_t image_spawn(void)
{
    return conformance_spawn("profil");
}
