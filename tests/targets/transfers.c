/* SPDX-License-Identifier: MIT
 *
 * Large transfers. Only a handled signal may shorten them, and no byte may be lost, duplicated, or counted wrongly.
 * The program itself does not resume short ones:
 *
 *     transfers MODE [SECONDS]              no signal has a handler: all transfers must be complete
 *     transfers MODE [SECONDS] signals      handled signals come at random: a transfer may be short after one
 *     transfers MODE [SECONDS] storm        ignored signals come as fast as possible, while the reader naps: all
 *                                           transfers must be complete
 *     transfers MODE held READY OVER        one transfer: in its middle, the reader stops, sends the writer a signal
 *                                           without a handler, creates READY, and continues when OVER exists. The
 *                                           transfer may be short, and the remainder follows then
 *     transfers MODE slowly READY GO HALF   like held, but the reader stops until GO exists, sends the signal, creates
 *                                           HALF, and continues slowly
 * MODE: zero, urandom (reads), getrandom, pipe, socket (writes), send. */
#include "target.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>

enum { BIG = 16 << 20, PERIOD = 1 << 20, SLICE = 4096, HOLD_AT = PERIOD / 2, SLOW_MS = 10 };

/* The reader's actions in the middle; NULL: none. */
struct hold {
    const char *ready, *go, *half, *over;
};

static char *buffer; /* for streams: the sent bytes, PERIOD of them, twice */
static const char *mode;
static uint64_t calls, short_calls, wrong_calls, sent;
static volatile sig_atomic_t handled;
static bool storm;

static void handle(int signal)
{
    (void)signal;
    handled++;
}

static bool is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static void fill_pattern(void)
{
    uint64_t x = SEED_OF_SPIN;
    for (size_t i = 0; i < PERIOD; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        buffer[i] = buffer[i + PERIOD] = (char)x;
    }
}

/* Its parent sleeps, and no signal is on its way. */
static bool parent_sleeps(void)
{
    char path[40], line[256], state = 0;
    unsigned long long pending = 1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)getppid());
    FILE *status = fopen(path, "re");
    CHECK(status);
    while (fgets(line, sizeof line, status)) {
        sscanf(line, "State: %c", &state);
        sscanf(line, "ShdPnd: %llx", &pending);
    }
    fclose(status);
    return state == 'S' && !pending;
}

/* The parent waits for room. A signal without a handler must not end that; a tracer has to resume the transfer. */
static void disturb_parent(void)
{
    uint64_t end = monotonic_ns() + 20 * SECOND_NS;
    CHECK(kill(getppid(), SIGWINCH) == 0);
    for (int asleep = 0; asleep < 20; asleep = parent_sleeps() ? asleep + 1 : 0) {
        CHECK(monotonic_ns() < end);
        nap_ms(1);
    }
}

static void hold_back(const struct hold *hold)
{
    if (hold->go) {
        announce(hold->ready);
        CHECK(wait_for_file(hold->go, 60));
    }
    disturb_parent();
    announce(hold->go ? hold->half : hold->ready);
    CHECK(!hold->over || wait_for_file(hold->over, 60));
}

/* The child: checks that every byte is the expected one. Its last message on RESULT is their number. */
static void read_all(int fd, int result, const struct hold *hold)
{
    static char got[1 << 16];
    uint64_t position = 0;
    bool held = hold != NULL, slow = storm;
    for (;;) {
        if (slow)
            nap_ms(SLOW_MS);
        ssize_t count = read(fd, got, held || slow ? SLICE : sizeof got);
        CHECK(count >= 0);
        if (count == 0)
            break;
        if (memcmp(got, buffer + position % PERIOD, (size_t)count) != 0)
            die("%s: other bytes than were sent, from %llu on", mode, (unsigned long long)position);
        position += (uint64_t)count;
        if (held && position >= HOLD_AT) {
            held = false;
            hold_back(hold);
            slow = hold->go;
        }
    }
    CHECK(write(result, &position, sizeof position) == sizeof position);
    _exit(0);
}

static ssize_t transfer(int fd, size_t size)
{
    char *place = buffer + sent % PERIOD;
    if (is("getrandom"))
        return getrandom(buffer, size, 0);
    if (is("zero") || is("urandom"))
        return read(fd, buffer, size);
    return is("send") ? send(fd, place, size, 0) : write(fd, place, size);
}

static void transfer_once(int fd, size_t size)
{
    sig_atomic_t before = handled;
    ssize_t count = transfer(fd, size);
    bool excused = handled != before;
    calls++;
    if (count < 0 && errno == EINTR && excused)
        return;
    CHECK(count > 0);
    sent += (uint64_t)count;
    short_calls += (size_t)count != size;
    wrong_calls += (size_t)count != size && !excused;
}

/* Starts signals by CPU time, which end calls, and one that does not. */
static void begin_signals(void)
{
    struct sigaction action = {.sa_handler = handle};
    const struct itimerval every = {{0, 1700}, {0, 1700}};
    CHECK(sigaction(SIGPROF, &action, NULL) == 0);
    action.sa_flags = SA_RESTART;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(setitimer(ITIMER_PROF, &every, NULL) == 0);
}

/* Starts a process that sends SIGUSR1, which has a handler, and SIGWINCH, which has none; in a storm only SIGWINCH,
 * without a pause. */
static pid_t start_sender(void)
{
    pid_t target = getpid(), pid = fork();
    CHECK(pid >= 0);
    for (unsigned i = 0; pid == 0; i++) {
        struct timespec nap = {0, (long)(i * 7919 % 3000) * 1000};
        if (!storm)
            nanosleep(&nap, NULL);
        if (getppid() != target || kill(target, storm || i % 3 ? SIGWINCH : SIGUSR1) != 0)
            _exit(0);
    }
    return pid;
}

static int open_source(void)
{
    int fd = is("getrandom") ? 0 : open(is("zero") ? "/dev/zero" : "/dev/urandom", O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    return fd;
}

static void check_stream(int result, pid_t reader)
{
    uint64_t received;
    CHECK(read(result, &received, sizeof received) == sizeof received);
    CHECK_EXITED(reader, 0);
    if (received != sent)
        die("%s: %llu bytes were sent by its count, and %llu came", mode, (unsigned long long)sent,
            (unsigned long long)received);
}

/* Starts a child that reads. Returns the descriptor to write to. */
static int start_reader(int *result, pid_t *reader, const struct hold *hold)
{
    int ends[2], results[2];
    CHECK((is("pipe") ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) == 0 && pipe(results) == 0);
    *reader = fork();
    CHECK(*reader >= 0);
    if (*reader == 0) {
        close(ends[1]);
        read_all(ends[0], results[1], hold);
    }
    close(ends[0]);
    *result = results[0];
    return ends[1];
}

static void transfer_held(int fd)
{
    transfer_once(fd, PERIOD);
    wrong_calls = 0;
    while (sent < PERIOD)
        CHECK(transfer(fd, PERIOD - sent) == (ssize_t)(PERIOD - sent) && (sent = PERIOD));
}

int main(int argc, char **argv)
{
    mode = argc > 1 ? argv[1] : "zero";
    struct hold hold = {NULL, NULL, NULL, NULL};
    if (argc > 4 && strcmp(argv[2], "held") == 0)
        hold = (struct hold){.ready = argv[3], .over = argv[4]};
    if (argc > 5 && strcmp(argv[2], "slowly") == 0)
        hold = (struct hold){.ready = argv[3], .go = argv[4], .half = argv[5]};
    bool held = hold.ready, signals = argc > 3 && strcmp(argv[3], "signals") == 0;
    storm = argc > 3 && strcmp(argv[3], "storm") == 0;
    bool stream = is("pipe") || is("socket") || is("send");
    uint64_t long_ns = (uint64_t)((argc > 2 && !held ? atof(argv[2]) : 0.5) * 1e9);
    int result = -1;
    pid_t reader = 0, sender = 0;

    target_begin();
    buffer = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    CHECK(buffer != MAP_FAILED);
    fill_pattern();
    int fd = stream ? start_reader(&result, &reader, held ? &hold : NULL) : open_source();
    if (signals)
        begin_signals();
    if (signals || storm)
        sender = start_sender();
    if (held)
        transfer_held(fd);
    for (uint64_t begin = monotonic_ns(); !held && (!calls || monotonic_ns() - begin < long_ns);)
        transfer_once(fd, is("zero") ? BIG : storm ? SLICE : PERIOD);
    if (sender) {
        signal(SIGPROF, SIG_IGN);
        kill(sender, SIGKILL);
        reap(sender);
    }
    close(fd);
    if (stream)
        check_stream(result, reader);
    if (wrong_calls)
        die("%s: %llu of %llu transfers were short", mode, (unsigned long long)wrong_calls, (unsigned long long)calls);
    printf("%s: %llu transfers, %llu short\n", mode, (unsigned long long)calls, (unsigned long long)short_calls);
    return 0;
}
