/* SPDX-License-Identifier: MIT
 *
 * Creates BEGUN, waits for the file CALL, and then calls profil until the call fails as FreeBSD's does. The C
 * library's own profil does not fail. It is linked here, so ptprofil serves it in this program.
 *
 *     late_call BEGUN CALL */
#include "target.h"

int profil(unsigned short *buffer, size_t size, size_t offset, unsigned scale);

int main(int argc, char **argv)
{
    enum { TOO_MUCH = 65537, MOST = 1000 };
    unsigned short cells[64], *volatile none = NULL;
    int calls = 0;
    target_begin();
    CHECK(argc == 3);
    announce(argv[1]);
    CHECK(wait_for_file(argv[2], 60));
    while (profil(cells, sizeof cells, 0, TOO_MUCH) == 0) {
        CHECK(profil(none, 0, 0, 0) == 0);
        CHECK(++calls < MOST);
        nap_ms(10);
    }
    return 0;
}
