/* SPDX-License-Identifier: MIT
 *
 * Refers to prctl and syscall, as programs that name their threads and ask for their numbers do. Its calls stay the C
 * library's own: they do not fail as FreeBSD's do. */
#include "target.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

int profil(unsigned short *buffer, size_t size, size_t offset, unsigned scale);

int main(void)
{
    enum { TOO_MUCH = 65537 };
    unsigned short cells[64], *volatile none = NULL;
    target_begin();
    CHECK(prctl(PR_SET_NAME, "worker") == 0 && syscall(SYS_gettid) == getpid());
    CHECK(profil(cells, sizeof cells, 0, TOO_MUCH) == 0);
    return profil(none, 0, 0, 0);
}
