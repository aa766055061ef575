/* SPDX-License-Identifier: MIT
 *
 * Starts a daemon, and ends immediately with status 42:
 *
 *     daemon READY STOP END
 * The daemon writes its pid to READY, and works in in_daemon until STOP exists (five minutes at most). If all went
 * well, it then writes its tracer to END ("tracer PID", 0 for none). */
#include "target.h"

#include <sys/stat.h>

DEFINE_SPIN(in_daemon, 0x701)

int main(int argc, char **argv)
{
    target_begin();
    CHECK(argc == 4);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child != 0) {
        CHECK_EXITED(child, 0);
        CHECK(wait_for_file(argv[1], 30));
        return 42;
    }
    CHECK(setsid() >= 0);
    pid_t daemon = fork();
    CHECK(daemon >= 0);
    if (daemon != 0)
        _exit(0);

    target_begin(); /* a child does not inherit the alarm */
    int null = open("/dev/null", O_RDWR);
    CHECK(null >= 0);
    for (int fd = 0; fd < 3; fd++)
        CHECK(dup2(null, fd) == fd);
    uint64_t expected = in_daemon(100000), end = monotonic_ns() + 300 * SECOND_NS;
    announce(argv[1]);
    while (access(argv[2], F_OK) != 0) {
        spin_cpu_ms(in_daemon, 3);
        if (in_daemon(100000) != expected || monotonic_ns() > end)
            _exit(1);
        nap_ms(1);
    }
    char text[64];
    snprintf(text, sizeof text, "tracer %d\n", tracer_pid());
    write_file(argv[3], text);
    return 0;
}
