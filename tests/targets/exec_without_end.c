/* SPDX-License-Identifier: MIT
 *
 * Calls exec, which never ends: the kernel first reads the thread's list of robust locks, which is in memory that is
 * never supplied.
 *
 *     exec_without_end READY
 * Ends with status 77, and prints the reason, if such memory is unavailable. */
#include "target.h"

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

int main(int argc, char **argv)
{
    enum { PAGE = 4096, LIST_BYTES = 24 };
    struct uffdio_api api = {.api = UFFD_API};
    target_begin();
    CHECK(argc == 2);
    char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    struct uffdio_register region = {{(uintptr_t)page, PAGE}, UFFDIO_REGISTER_MODE_MISSING, 0};
    int fd = (int)syscall(SYS_userfaultfd, 0);
    if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0 || ioctl(fd, UFFDIO_REGISTER, &region) != 0) {
        announce(argv[1]);
        fprintf(stderr, "cannot have userfaultfd: %s\n", strerror(errno));
        return 77;
    }
    CHECK(syscall(SYS_set_robust_list, page, LIST_BYTES) == 0);
    announce(argv[1]);
    execl("/bin/true", "true", (char *)NULL);
    die("exec: %s", strerror(errno));
}
