/* SPDX-License-Identifier: MIT
 *
 * The process between the asking processes and the reader, which parses strangers' files. It parses nothing. It
 * opens the files that the reader names, starts a reader again that has ended, and ends a reader after too long a time.
 */
#include "front/naming/name_wire.h"

#include "common/base/child.h"
#include "common/base/proc.h"
#include "common/base/socket.h"
#include "common/base/time.h"
#include "front/naming/name_open.h"
#include "front/naming/name_question.h"
#include "front/record/object.h"
#include "programs/elf/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_CPU_NS (120 * UINT64_C(1000000000)) /* for a question */
#define OLD_CPU_NS (600 * UINT64_C(1000000000))  /* for a reader, until it is renewed */
#define PATIENCE_NS (UINT64_C(500) * 1000000000) /* less than those who ask have */
enum { LOOK_MS = 1000, BAD_FILES = 64, CHUNK = 65536 };

/* A file that has ended a reader. The others are asked about as ever. */
struct bad_file {
    dev_t device;
    ino_t inode;
    unsigned times;
};

struct relay {
    struct name_reader like; /* how to start it */
    struct child reader;
    uint64_t answers;        /* of this reader */
    int questions, files;    /* our ends */
    uint64_t earlier_cpu_ns; /* of the reader, before the question */
    uint64_t ahead_cpu_ns;   /* for files that were read ahead, since the last answer */
    int asker;               /* the connection */
    uint32_t connections;    /* their number */
    struct name_asked asked;
    int images[2]; /* of the vDSO, and of the compat one; -1: not made */
    struct bad_file bad[BAD_FILES];
    size_t bad_count;
};

static void end_reader(struct relay *relay)
{
    if (!relay->reader.pid)
        return;
    close(relay->questions);
    close(relay->files);
    child_kill(&relay->reader, 0);
}

/* The other ends are closed by the reader, which is a copy of this process. */
static bool start_reader(struct relay *relay)
{
    int questions[2], files[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, questions) < 0)
        return false;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, files) < 0) {
        close(questions[0]);
        close(questions[1]);
        return false;
    }
    relay->like.questions = questions[1];
    relay->like.files = files[1];
    bool started = child_start(&relay->reader, "pt-reader", name_keeper_serve, &relay->like) == 0;
    close(questions[1]);
    close(files[1]);
    relay->questions = questions[0];
    relay->files = files[0];
    relay->earlier_cpu_ns = 0;
    relay->answers = 0;
    if (!started) {
        close(questions[0]);
        close(files[0]);
    }
    return started;
}

static uint64_t cpu_of_reader(const struct relay *relay)
{
    clockid_t clock;
    return clock_getcpuclockid(relay->reader.pid, &clock) == 0 ? time_read_ns(clock) : 0;
}

/* Makes sure that a reader runs which is not too old to answer much more. */
static bool have_reader(struct relay *relay)
{
    struct pollfd end = {.fd = relay->reader.fd, .events = POLLIN};
    if (relay->reader.pid && (poll(&end, 1, 0) > 0 || cpu_of_reader(relay) > OLD_CPU_NS))
        end_reader(relay);
    if (!relay->reader.pid && !start_reader(relay))
        return false;
    relay->earlier_cpu_ns = cpu_of_reader(relay);
    return true;
}

static bool receive_question(struct relay *relay)
{
    bool received = name_question_receive(&relay->asked, relay->asker, false);
    relay->asked.question.connection = relay->connections;
    relay->asked.question.without_lines = false;
    return received;
}

/* Makes the descriptor read-only: a copy of a file is open for writing. */
static bool find_place(struct relay *relay)
{
    char link[sizeof "/proc/self/fd/" + 3 * sizeof(int)];
    int flags = fcntl(relay->asked.fd, F_GETFL);
    *relay->asked.place = 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", relay->asked.fd);
    if (relay->asked.fd >= 0 && proc_readlink(link, relay->asked.place, sizeof relay->asked.place) < 0)
        *relay->asked.place = 0;
    if (relay->asked.fd >= 0 && (flags & O_ACCMODE) != O_RDONLY) {
        int again = proc_open(link, O_RDONLY);
        if (again < 0)
            return false;
        close(relay->asked.fd);
        relay->asked.fd = again;
    }
    return true;
}

/* A vDSO is in no file, and the reader cannot find it: puts it into one. */
static void find_image(struct relay *relay)
{
    bool compat = relay->asked.question.kind == OBJECT_VDSO_COMPAT;
    int *image = &relay->images[compat];
    if (relay->asked.fd >= 0 || (!compat && relay->asked.question.kind != OBJECT_VDSO))
        return;
    if (*image < 0)
        *image = compat ? elf_vdso_compat_image() : elf_vdso_image();
    relay->asked.fd = *image < 0 ? -1 : fcntl(*image, F_DUPFD_CLOEXEC, 0);
}

static bool send_question(struct relay *relay)
{
    struct name_asked *asked = &relay->asked;
    struct name_question *question = &asked->question;
    question->place_size = (uint32_t)strlen(asked->place) + 1;
    struct iovec parts[] = {{question, sizeof *question},
                            {asked->path, question->path_size},
                            {asked->root, question->root_size},
                            {asked->place, question->place_size},
                            {asked->offsets.items, question->count * sizeof *asked->offsets.items}};
    return socket_send_parts(relay->questions, parts, sizeof parts / sizeof *parts - !question->count, asked->fd);
}

/* Waits for bytes of the answer, and opens files. Returns false if the reader takes too long. */
static bool wait_for_answer(struct relay *relay)
{
    const struct name_opener opener = {&relay->asked.question.viewer, relay->asked.root};
    uint64_t began_ns = time_now_ns();
    for (;;) {
        struct pollfd news[] = {{.fd = relay->questions, .events = POLLIN}, {.fd = relay->files, .events = POLLIN}};
        if (poll(news, 2, LOOK_MS) < 0 && errno != EINTR)
            return false;
        if (news[1].revents & POLLIN && !name_open_answer(relay->files, &opener))
            return false;
        if (news[0].revents)
            return true;
        if (news[1].revents & (POLLHUP | POLLERR) || time_now_ns() - began_ns > PATIENCE_NS ||
            cpu_of_reader(relay) - relay->earlier_cpu_ns > MOST_CPU_NS)
            return false;
    }
}

/* Receives the beginning of the answer. */
static bool receive_reply(struct relay *relay, struct name_reply *reply)
{
    size_t got = 0;
    while (got < sizeof *reply) {
        if (!wait_for_answer(relay))
            return false;
        ssize_t one = socket_receive_once(relay->questions, (char *)reply + got, sizeof *reply - got, NULL, 0);
        if (one <= 0)
            return false;
        got += (size_t)one;
    }
    return reply->size <= (relay->asked.question.what == NAME_AHEAD ? 0 : NAME_ANSWER_MOST);
}

/* Passes the answer on. An answer that does not come whole ends the connection. */
static bool pass_answer(struct relay *relay, struct name_reply *reply)
{
    char bytes[CHUNK];
    bool worn = reply->cpu_ns;
    relay->answers++;
    uint64_t cpu_ns = cpu_of_reader(relay);
    relay->ahead_cpu_ns += cpu_ns > relay->earlier_cpu_ns ? cpu_ns - relay->earlier_cpu_ns : 0;
    if (relay->asked.question.what == NAME_AHEAD)
        return true; /* nobody waits for it */
    reply->cpu_ns = relay->ahead_cpu_ns;
    relay->ahead_cpu_ns = 0;
    bool passed = socket_send(relay->asker, reply, sizeof *reply);
    for (uint64_t left = reply->size; left && passed;) {
        size_t most = left < sizeof bytes ? (size_t)left : sizeof bytes;
        ssize_t got = wait_for_answer(relay) ? socket_receive_once(relay->questions, bytes, most, NULL, 0) : -EPIPE;
        passed = got > 0 && socket_send(relay->asker, bytes, (size_t)got);
        left -= got > 0 ? (uint64_t)got : 0;
    }
    if (!passed || worn)
        end_reader(relay); /* the rest of the answer is not wanted */
    return passed;
}

/* Returns the entry of the question's file, which is added if ADDS; or NULL. */
static struct bad_file *find_bad(struct relay *relay, bool adds)
{
    struct stat about = {0};
    if (relay->asked.fd >= 0 && fstat(relay->asked.fd, &about) < 0)
        return NULL;
    for (size_t i = 0; i < BAD_FILES; i++)
        if (relay->bad[i].times && relay->bad[i].device == about.st_dev && relay->bad[i].inode == about.st_ino)
            return &relay->bad[i];
    if (!adds)
        return NULL;
    struct bad_file *bad = &relay->bad[relay->bad_count++ % BAD_FILES];
    *bad = (struct bad_file){about.st_dev, about.st_ino, 0};
    return bad;
}

/* A file that ends a new reader is tried once more without lines, and then not again. Others may have filled the memory
 * of an older one, or somebody has killed it. Without an answer, passes an empty one on, which makes no sense. */
static bool answer_question(struct relay *relay)
{
    enum { TRIES = 2 };
    const struct name_reply nothing = {0};
    struct name_reply reply;
    const struct bad_file *known = find_bad(relay, false);
    for (unsigned times = known ? known->times : 0; times < TRIES;) {
        relay->asked.question.without_lines = times > 0;
        if (!have_reader(relay))
            break;
        if (send_question(relay) && receive_reply(relay, &reply))
            return pass_answer(relay, &reply);
        bool is_new = !relay->answers;
        end_reader(relay);
        struct bad_file *bad = is_new ? find_bad(relay, true) : NULL;
        if (bad)
            bad->times++;
        times += is_new;
    }
    return relay->asked.question.what == NAME_AHEAD || socket_send(relay->asker, &nothing, sizeof nothing);
}

static void close_fd(struct relay *relay)
{
    if (relay->asked.fd >= 0)
        close(relay->asked.fd);
    relay->asked.fd = -1;
}

static void serve_connection(struct relay *relay)
{
    relay->connections++;
    while (receive_question(relay)) {
        find_image(relay);
        bool answered = find_place(relay) && answer_question(relay);
        close_fd(relay);
        if (!answered)
            break;
    }
    close_fd(relay);
    close(relay->asker);
}

int name_relay_serve(int control, const struct name_reader *like)
{
    struct relay *relay = calloc(1, sizeof *relay);
    char byte;
    if (!relay)
        return 1;
    *relay = (struct relay){.like = *like, .asked.fd = -1, .images = {-1, -1}};
    for (;;) {
        relay->asker = -1;
        if (!socket_receive(control, &byte, sizeof byte, &relay->asker))
            break;
        if (relay->asker >= 0)
            serve_connection(relay);
    }
    end_reader(relay);
    return 0;
}
