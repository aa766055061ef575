/* SPDX-License-Identifier: MIT
 *
 * Writes a line to standard output, closes it, and continues until a file exists:
 *
 *     closer FILE
 * Ends with status 0, or 9 if FILE does not appear within 20 seconds. */
#include "target.h"

int main(int argc, char **argv)
{
    target_begin();
    CHECK(argc == 2);
    CHECK(write(STDOUT_FILENO, "line\n", 5) == 5);
    CHECK(close(STDOUT_FILENO) == 0);
    return wait_for_file(argv[1], 20) ? 0 : 9;
}
