/* SPDX-License-Identifier: MIT
 *
 * Questions of the reader, which strangers' files may rule, to the process that opens files for it. The input is one
 * question after another, each a byte with its length, and that many bytes. Only regular ELF files may be opened, and
 * each question has one answer. */
#include "front/naming/name_open.h"

#include "common/base/socket.h"
#include "common/base/viewer.h"
#include "fuzz.h"
#include "programs/files/fetch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_elf(int fd)
{
    struct stat about;
    char magic[SELFMAG];
    FUZZ_EXPECT(fstat(fd, &about) == 0 && S_ISREG(about.st_mode));
    FUZZ_EXPECT((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY);
    FUZZ_EXPECT(pread(fd, magic, sizeof magic, 0) == sizeof magic && !memcmp(magic, ELFMAG, SELFMAG));
    close(fd);
}

static void ask(int pair[2], const struct name_opener *opener, const uint8_t *bytes, size_t size)
{
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    struct fetch_reply reply;
    int fd = -1;
    if (!size || socket_send_once(pair[0], &part, 1, -1, MSG_DONTWAIT) < 0)
        return;
    bool answered = name_open_answer(pair[1], opener);
    FUZZ_EXPECT(answered == (size > offsetof(struct fetch_question, path)));
    ssize_t got = socket_receive_once(pair[0], &reply, sizeof reply, &fd, MSG_DONTWAIT);
    FUZZ_EXPECT((got > 0) == answered);
    FUZZ_EXPECT(got <= 0 || (reply.result == 0) == (fd >= 0));
    if (fd >= 0)
        expect_elf(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct viewer us;
    static const char *const roots[] = {"", "/usr", "/proc/self/root"};
    const struct name_opener opener = {&us, roots[size % 3]};
    int pair[2];
    FUZZ_EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    while (size) {
        size_t length = bytes[0] < size ? bytes[0] : size - 1;
        ask(pair, &opener, bytes + 1, length);
        bytes += 1 + length;
        size -= 1 + length;
    }
    close(pair[0]);
    close(pair[1]);
    return 0;
}
