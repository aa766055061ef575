/* SPDX-License-Identifier: MIT
 *
 * Makes itself undumpable while it works: only root can then access its memory, and much of its /proc folder.
 *
 *     protect READY GO END
 * When GO exists, it protects itself, and works in another function until END exists. Ends with status 0 if all was
 * right. */
#include "target.h"

#include <sys/prctl.h>

DEFINE_SPIN(open_work, 0xd01)
DEFINE_SPIN(protected_work, 0xd02)

static void work_until(const char *file, spin_function *function)
{
    const uint64_t rounds = 200000, expected = function(rounds);
    while (access(file, F_OK) != 0)
        for (int i = 0; i < 20; i++)
            CHECK(function(rounds) == expected);
}

int main(int argc, char **argv)
{
    CHECK(argc == 4);
    target_begin();
    announce(argv[1]);
    work_until(argv[2], open_work);
    CHECK(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
    work_until(argv[3], protected_work);
    return 0;
}
