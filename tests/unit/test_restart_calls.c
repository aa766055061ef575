/* SPDX-License-Identifier: MIT
 *
 * Interrupted system calls and their restart, as scripts (restart_script.h). */
#include "fake_table.h"
#include "restart_script.h"

static const struct {
    const char *name, *script, *expected;
} scripts[] = {
    {"a call that a stop made fail is entered again", "epoll_wait; gives EINTR; trap;", "enter epoll_wait!; go; "},
    {"also where a signal did that nobody handles", "epoll_wait; gives EINTR; signal 10;",
     "enter epoll_wait!; go with 10; "},
    {"not where a handler is about to run", "handles 10; epoll_wait; gives EINTR; signal 10;", "go with 10; "},
    {"nor one that the kernel restarts itself, or that fails otherwise",
     "nanosleep; gives EINTR; trap; epoll_wait; gives EAGAIN; trap;", "go; go; "},
    {"nor in a group-stop", "epoll_wait; gives EINTR; group 19;", "listen; "},
    {"nor what cannot be repeated", "fallocate-insert; gives EINTR; trap;", "go; "},
    {"without a mark where the kernel knows none", "unmarked; epoll_wait; gives EINTR; trap;",
     "enter epoll_wait; to syscall; "},
    {"and what happens before it is entered does not count, but a handler",
     "handles 12; epoll_wait; gives EINTR; trap; trap; signal 10; user; signal 12; trap;",
     "enter epoll_wait!; go; go; go with 10; return EINTR; go with 12; go; "},
    {"when it has been entered, a handler is its own affair",
     "handles 12; epoll_wait; gives EINTR; trap; enters; gives EINTR; signal 12;",
     "enter epoll_wait!; go; go with 12; "},
    {"what the kernel restarts because of a handler fails as it did before",
     "handles 12; tcp; waits 900; splice; gives EINTR; trap; enters; gives RESTART; trap; signal 12;",
     "enter splice!; go; go; return EINTR; go with 12; "},
    {"registers that cannot be set", "gone; epoll_wait; gives EINTR; trap; epoll_wait; gives EINTR; trap;", "go; go; "},

    {"at the end the kernel restarts it", "leave; epoll_wait; gives EINTR; trap; trap;",
     "leaves 0; return UNHANDLED; go; go; "},
    {"also where nobody handles the signal", "leave; epoll_wait; gives EINTR; signal 10;",
     "leaves 0; return UNHANDLED; go with 10; "},
    {"a handler has it fail", "handles 12; leave; epoll_wait; gives EINTR; signal 12;", "leaves 0; go with 12; "},
    {"what was put before its call before stays there", "epoll_wait; gives EINTR; trap; leave; trap;",
     "enter epoll_wait!; go; leaves 0; go; "},
    {"who looks whether its time is over is waited for",
     "at 1000; epoll_wait; gives EINTR; trap; at 1250; enters; gives EINTR; trap; leave; enters; syscall; "
     "gives EINTR; trap; leave;",
     "enter epoll_wait!; go; enter epoll_wait!; to syscall; leaves 1; interrupt; go; return UNHANDLED; go; leaves 0; "},

    {"where the kernel forgets calls, the end that a handler returns to is no call's",
     "forgets; handles 12; epoll_wait; gives EINTR; signal 12; trap;", "return EINTR; go with 12; go; "},
    {"nor that of a call which had been restarted",
     "forgets; handles 12; epoll_wait; gives EINTR; trap; signal 12; trap;",
     "enter epoll_wait!; go; return EINTR; return EINTR; go with 12; go; "},
    {"nor a short count", "forgets; handles 12; write; gives 40; trap; signal 12; trap;",
     "enter write 40+60*; to syscall; return 40*; return 40; go with 12; go; "},
    {"what handles the signal of a filter finds the call as it was, and its result stays",
     "forgets; handles 31; write; gives 40; signal 31; trap; trap;", "go with 31; go; go; "},
    {"until that is another call's end",
     "forgets; handles 31; write; gives 40; signal 31; epoll_wait; gives EINTR; trap;",
     "go with 31; enter epoll_wait!; go; "},
    {"it stays one where no handler runs", "forgets; epoll_wait; gives EINTR; signal 12;",
     "enter epoll_wait!; go with 12; "},

    {"a call that begins from its start is shielded until it ends",
     "fallocate; gives EINTR; trap; enters; syscall; gives 0; syscall; trap;",
     "enter fallocate!; to syscall; to syscall; go; go; "},
    {"and interrupted again, it is entered again", "fallocate; gives EINTR; tries 5; trap;",
     "enter fallocate!; to syscall; "},
    {"but a handler is not kept waiting", "handles 12; fallocate; gives EINTR; trap; signal 12;",
     "enter fallocate!; to syscall; return EINTR; go with 12; "},
    {"it is given up when it has been tried often, and for long",
     "at 1000; bpf; gives EAGAIN; tries 20; at 1500; trap;", "go; "},
    {"not when that was not long", "at 1000; bpf; gives EAGAIN; tries 20; at 1499; trap;", "enter bpf!; to syscall; "},
    {"nor when that was not often", "at 1000; bpf; gives EAGAIN; tries 19; at 9000; trap;", "enter bpf!; to syscall; "},
    {"nor when some progress is made each time, until that is very often",
     "at 1000; fallocate; gives EINTR; tries 9999; at 9000; trap;", "enter fallocate!; to syscall; "},
    {"and then", "at 1000; fallocate; gives EINTR; tries 10000; at 9000; trap;", "go; "},
    {"the program's next try counts from the beginning",
     "at 1000; bpf; gives EAGAIN; tries 20; at 1500; trap; bpf; gives EAGAIN; trap;", "go; enter bpf!; to syscall; "},
    {"and so does one after an end",
     "at 1000; bpf; gives EAGAIN; tries 20; at 1400; trap; enters; syscall; gives 3; syscall; at 2000; bpf; "
     "gives EAGAIN; trap;",
     "enter bpf!; to syscall; to syscall; go; enter bpf!; to syscall; "},
    {"a call that is restarted, and may be told to a supervisor, is shielded",
     "filtered; nanosleep; gives RESTART; trap; syscall; gives 0; syscall;", "to syscall; to syscall; go; "},
    {"not for a handler", "filtered; handles 12; nanosleep; gives RESTART; trap; signal 12;",
     "to syscall; go with 12; "},
    {"wherever that comes", "filtered; handles 12; nanosleep; gives RESTART; trap; user; signal 12;",
     "to syscall; go with 12; "},
    {"nor where no filter but ours is", "nanosleep; gives RESTART; trap;", "go; "},

    {"what a filter forbids the kernel to continue is entered again", "filtered; nanosleep; gives CONTINUE; trap;",
     "enter nanosleep!; go; "},
    {"also where a signal interrupted it that nobody handles", "filtered; futex-until; gives CONTINUE; signal 10;",
     "enter futex!; go with 10; "},
    {"and where there is none", "nanosleep; gives CONTINUE; trap;", "go; "},
    {"a handler has it fail", "filtered; handles 12; poll; gives CONTINUE; signal 12;", "go with 12; "},
    {"also behind others", "filtered; handles 12; poll; gives CONTINUE; trap; signal 10; signal 12;",
     "enter poll!; go; go with 10; return EINTR; go with 12; "},
    {"its time counts from its first interruption on",
     "filtered; at 1000; nanosleep; gives CONTINUE; trap; at 1249; enters; gives CONTINUE; trap; at 1250; enters; "
     "gives "
     "CONTINUE; trap; enters; syscall; gives CONTINUE; trap;",
     "enter nanosleep!; go; enter nanosleep!; go; enter nanosleep!; to syscall; interrupt; go; return 0; go; "},
    {"and that of others",
     "filtered; at 1000; clock_nanosleep; gives CONTINUE; trap; at 1250; enters; gives CONTINUE; trap; enters; "
     "syscall; "
     "gives CONTINUE; trap; poll; at 2000; gives CONTINUE; trap; at 2250; enters; gives CONTINUE; trap; enters; "
     "syscall; "
     "gives CONTINUE; trap; futex; at 3000; gives CONTINUE; trap; at 3250; enters; gives CONTINUE; trap; enters; "
     "syscall; "
     "gives CONTINUE; trap;",
     "enter clock_nanosleep!; go; enter clock_nanosleep!; to syscall; interrupt; go; return 0; go; enter poll!; go; "
     "enter poll!; to syscall; interrupt; go; return 0; go; enter futex!; go; enter futex!; to syscall; interrupt; go; "
     "return ETIMEDOUT; go; "},

    {"a wait whose remaining time cannot be written is entered again",
     "at 1000; ppoll; gives EINTR; trap; at 1250; enters; gives EINTR; trap; enters; syscall; gives EINTR; trap;",
     "enter ppoll!; go; enter ppoll!; to syscall; interrupt; go; return 0; go; "},
    {"the kernel restarts it if it could be written", "ppoll; gives UNHANDLED; trap;", "go; "},
    {"a handler lets it fail", "handles 12; ppoll; gives EINTR; trap; signal 12;",
     "enter ppoll!; go; return EINTR; go with 12; "},
    {"at the end of select's time its sets are empty",
     "at 1000; pselect-many; gives EINTR; trap; at 1250; enters; gives EINTR; trap; enters; syscall; gives EINTR; "
     "trap;",
     "enter pselect6!; go; enter pselect6!; to syscall; interrupt; go; empty 32; empty 32; return 0; go; "},
    {"its time is in microseconds",
     "at 1000; select; gives EINTR; trap; at 250999; enters; gives EINTR; trap; at 251000; enters; gives EINTR; trap; "
     "enters; syscall; gives EINTR; trap;",
     "enter select!; go; enter select!; go; enter select!; to syscall; interrupt; go; empty 16; return 0; go; "},
    {"a set that cannot be emptied lets it fail",
     "readonly; at 1000; pselect-many; gives EINTR; trap; at 1250; enters; gives EINTR; trap; enters; syscall; "
     "gives EINTR; trap;",
     "enter pselect6!; go; enter pselect6!; to syscall; interrupt; go; empty 32; return EFAULT; go; "},
    {"a sleep, too",
     "at 1000; clock_nanosleep; gives EFAULT; trap; at 1250; enters; gives EFAULT; trap; enters; syscall; "
     "gives EFAULT; trap;",
     "enter clock_nanosleep!; go; enter clock_nanosleep!; to syscall; interrupt; go; return 0; go; "},
    {"not if its length cannot be read", "nanosleep-lost; gives EFAULT; trap;", "go; "},
    {"a handler lets it fail in the same way", "handles 12; nanosleep; gives EFAULT; trap; signal 12;",
     "enter nanosleep!; go; return EFAULT; go with 12; "},
    {"or as usual", "filtered; handles 12; nanosleep; gives CONTINUE; trap; signal 12;",
     "enter nanosleep!; go; return EINTR; go with 12; "},
    {"a read of a terminal ends at its time",
     "terminal 300; at 1000; read; gives RESTART; trap; at 1299; enters; gives RESTART; trap; at 1300; enters; "
     "gives RESTART; trap; enters; syscall; gives RESTART; trap;",
     "enter read!; go; enter read!; go; enter read!; to syscall; interrupt; go; return 0; go; "},
    {"the kernel restarts other reads", "read; gives RESTART; trap;", "go; "},
    {"and those that a handler interrupts", "terminal 300; handles 12; read; gives RESTART; signal 12;",
     "go with 12; "},
    {"also behind others", "terminal 300; handles 12; read; gives RESTART; trap; user; signal 12;",
     "enter read!; go; return RESTART; go with 12; "},
    {"and when tracing ends", "terminal 300; leave; read; gives RESTART; trap;", "leaves 0; go; "},

    {"the rest of a write is made, and its result is the sum",
     "write; gives 40; trap; enters; syscall; gives 60; syscall; trap;",
     "enter write 40+60*; to syscall; to syscall; return 100*; go; go; "},
    {"a whole one, and one that failed, have none", "write; gives 100; trap; gives 0; trap; gives EAGAIN; trap;",
     "go; go; go; "},
    {"a rest that is cut has a rest",
     "write; gives 40; trap; enters; syscall; gives 10; syscall; enters; syscall; gives 50; syscall;",
     "enter write 40+60*; to syscall; to syscall; enter write 50+50**; to syscall; to syscall; return 100*; go; "},
    {"one that was interrupted, too",
     "write; gives 40; trap; enters; syscall; gives EINTR; syscall; enters; syscall; gives RESTART; syscall;",
     "enter write 40+60*; to syscall; to syscall; enter write 40+60**; to syscall; to syscall; enter write 40+60**; "
     "to syscall; "},
    {"one that fails leaves what was transferred before",
     "write; gives 40; trap; enters; syscall; gives EPIPE; syscall;",
     "enter write 40+60*; to syscall; to syscall; return 40*; go; "},
    {"a handler sees the short count", "handles 12; write; gives 40; trap; signal 10; signal 12;",
     "enter write 40+60*; to syscall; to syscall with 10; return 40*; go with 12; "},
    {"and when it is at hand, nothing else is done", "handles 12; write; gives 40; signal 12;", "go with 12; "},
    {"job control does, too",
     "write; gives 40; signal 20; write; gives 40; trap; signal 20; write; gives 40; trap; group 20;",
     "go with 20; enter write 40+60*; to syscall; return 40*; go with 20; enter write 40+60*; to syscall; "
     "return 40*; listen; "},
    {"not if it is ignored", "ignores 20; write; gives 40; signal 20; signal 20;",
     "enter write 40+60*; to syscall with 20; to syscall with 20; "},
    {"a rest that is being made is left alone",
     "handles 12; write; gives 40; trap; enters; syscall; signal 12; gives 60; syscall;",
     "enter write 40+60*; to syscall; to syscall; to syscall with 12; return 100*; go; "},
    {"a file that is no pipe", "is /tmp/x; write; gives 40; trap;", "go; "},
    {"a pipe that does not block", "nonblocking; write; gives 40; trap;", "go; "},
    {"a process with more threads", "threads; write; gives 40; trap;", "go; "},
    {"a process with a ring", "ring; write; gives 40; trap;", "go; "},
    {"a table of files that may be another's", "shared; write; gives 40; trap;", "go; "},
    {"a filter that we have not", "filtered; write; gives 40; trap;", "go; "},
    {"a Unix socket sends its rest quietly",
     "is socket:[7]; write; gives 40; trap; enters; syscall; gives EPIPE; syscall; send; gives 40; trap;",
     "enter sendto 40+60 quietly*; to syscall; to syscall; return 40*; go; enter sendto 40+60 quietly*; to syscall; "},
    {"not with a timeout", "is socket:[7]; waits 900; send; gives 40; trap;", "go; "},
    {"nor with flags", "is socket:[7]; send-more; gives 40; trap;", "go; "},
    {"nor if it is another socket", "tcp; send; gives 40; trap;", "go; "},
    {"a device that does not end is read on, a pipe is not",
     "read; gives 40; trap; is /dev/zero; read; gives 40; trap; enters; syscall; gives 60; syscall;",
     "go; enter read 40+60*; to syscall; to syscall; return 100*; go; "},
    {"what is random is random", "is /tmp/x; threads; getrandom; gives 40; trap; enters; syscall; gives 60; syscall;",
     "enter getrandom 40+60*; to syscall; to syscall; return 100*; go; "},
    {"without room for a note there is no rest", "full; write; gives 40; trap;", "go; "},
    {"nor if the thread is gone", "gone; write; gives 40; trap;", "go; "},
    {"a rest that is called back before it is entered", "write; gives 40; trap; recall; trap; write; gives 40; trap;",
     "enter write 40+60*; to syscall; interrupt; recalls 1; return 40*; go; go; "},
    {"while it is being entered", "write; gives 40; trap; enters; recall; syscall; gives EINTR; syscall;",
     "enter write 40+60*; to syscall; interrupt; recalls 1; interrupt; to syscall; return 40*; go; "},
    {"and while it is being made", "write; gives 40; trap; enters; syscall; recall; gives 20; syscall;",
     "enter write 40+60*; to syscall; to syscall; interrupt; recalls 1; return 60*; go; "},

    {"a call's time counts from its first interruption on, and it looks once more when that is over",
     "at 1000; epoll_wait; gives EINTR; trap; at 1100; enters; gives EINTR; trap; at 1249; enters; gives EINTR; "
     "trap; at 1250; enters; gives EINTR; trap; at 1300; enters; syscall; gives EINTR; trap;",
     "enter epoll_wait!; go; enter epoll_wait!; go; enter epoll_wait!; go; enter epoll_wait!; to syscall; interrupt; "
     "go; return 0; go; "},
    {"also where the kernel knows no marks: there its end is watched",
     "unmarked; at 1000; epoll_wait; gives EINTR; trap; enters; syscall; at 1100; gives EINTR; syscall; trap; enters; "
     "syscall; at 1250; gives EINTR; syscall; trap; enters; syscall; gives EINTR; trap;",
     "enter epoll_wait; to syscall; to syscall; interrupt; go; enter epoll_wait; to syscall; to syscall; interrupt; "
     "go; enter epoll_wait; to syscall; interrupt; go; return 0; go; "},
    {"and the next call counts anew",
     "unmarked; at 1000; epoll_wait; gives EINTR; trap; enters; syscall; gives 1; syscall; at 1250; epoll_wait; "
     "gives EINTR; trap;",
     "enter epoll_wait; to syscall; to syscall; go; enter epoll_wait; to syscall; "},
    {"a sleep that a filter keeps from being continued",
     "unmarked; filtered; at 1000; nanosleep; gives CONTINUE; trap; enters; syscall; at 1100; gives CONTINUE; syscall; "
     "trap; enters; syscall; at 1250; gives CONTINUE; syscall; trap; enters; syscall; gives CONTINUE; trap;",
     "enter nanosleep; to syscall; to syscall; interrupt; go; enter nanosleep; to syscall; to syscall; interrupt; "
     "go; enter nanosleep; to syscall; interrupt; go; return 0; go; "},
    {"what it finds then is its result",
     "at 1000; epoll_wait; gives EINTR; trap; at 1250; enters; gives EINTR; trap; enters; syscall; gives 1; trap; "
     "epoll_wait; gives EINTR; trap;",
     "enter epoll_wait!; go; enter epoll_wait!; to syscall; interrupt; go; go; enter epoll_wait!; go; "},
    {"a handler ends all that",
     "handles 12; at 1000; epoll_wait; gives EINTR; trap; at 1250; enters; gives EINTR; signal 12; epoll_wait; "
     "gives EINTR; trap;",
     "enter epoll_wait!; go; go with 12; enter epoll_wait!; go; "},
    {"also its being woken",
     "handles 12; at 1000; epoll_wait; gives EINTR; trap; at 1100; enters; gives EINTR; trap; enters; gives EINTR; "
     "signal 12; at 1250; expire;",
     "enter epoll_wait!; go; enter epoll_wait!; go; go with 12; until 0; "},
    {"and its last look",
     "handles 12; at 1000; epoll_wait; gives EINTR; trap; at 1250; enters; gives EINTR; trap; signal 12;",
     "enter epoll_wait!; go; enter epoll_wait!; to syscall; return EINTR; go with 12; "},
    {"another call begins anew",
     "at 1000; epoll_wait; gives EINTR; trap; enters; gives 1; at 1250; epoll_wait; gives EINTR; trap; at 1400; "
     "enters; gives EINTR; trap;",
     "enter epoll_wait!; go; enter epoll_wait!; go; enter epoll_wait!; go; "},
    {"without an end", "at 1000; epoll_wait-ever; gives EINTR; trap; at 900000; enters; gives EINTR; trap; expire;",
     "enter epoll_wait!; go; enter epoll_wait!; go; until 0; "},
    {"a time in memory",
     "at 1000; epoll_pwait2; gives EINTR; trap; at 1250; enters; gives EINTR; trap; enters; syscall; gives EINTR; "
     "trap;",
     "enter epoll_pwait2!; go; enter epoll_pwait2!; to syscall; interrupt; go; return 0; go; "},
    {"that cannot be read",
     "at 1000; epoll_pwait2-lost; gives EINTR; trap; at 9000; enters; gives EINTR; trap; expire;",
     "enter epoll_pwait2!; go; enter epoll_pwait2!; go; until 0; "},
    {"by a pointer in memory",
     "at 1000; io_uring_enter; gives EINTR; trap; at 1250; enters; gives EINTR; trap; enters; syscall; gives EINTR; "
     "trap;",
     "enter io_uring_enter!; go; enter io_uring_enter!; to syscall; interrupt; go; return ETIME; go; "},
    {"with a result of its own",
     "at 1000; semtimedop; gives EINTR; trap; at 1250; enters; gives EINTR; trap; enters; syscall; gives EINTR; trap;",
     "enter semtimedop!; go; enter semtimedop!; to syscall; interrupt; go; return EAGAIN; go; "},
    {"of a socket",
     "tcp; waits 300; at 1000; recvfrom; gives EINTR; trap; at 1299; enters; gives EINTR; trap; at 1300; enters; "
     "gives EINTR; trap; enters; syscall; gives EINTR; trap;",
     "enter recvfrom!; go; enter recvfrom!; go; enter recvfrom!; to syscall; interrupt; go; return EAGAIN; go; "},
    {"of a file that is no socket", "at 1000; recvfrom; gives EINTR; trap; at 9000; enters; gives EINTR; trap; expire;",
     "enter recvfrom!; go; enter recvfrom!; go; until 0; "},
    {"a restart, in its last look, is its end",
     "tcp; waits 300; at 1000; splice; gives EINTR; trap; at 1300; enters; gives EINTR; trap; enters; syscall; "
     "gives RESTART; trap;",
     "enter splice!; go; enter splice!; to syscall; interrupt; go; return EAGAIN; go; "},
    {"a thread that sleeps too long is woken",
     "at 1000; epoll_wait; gives EINTR; trap; at 1100; enters; gives EINTR; trap; enters; asleep; at 1249; expire; "
     "at 1250; expire; expire;",
     "enter epoll_wait!; go; enter epoll_wait!; go; until 1250; interrupt; until 0; until 0; "},
    {"or that may be about to sleep",
     "at 1000; epoll_wait; gives EINTR; trap; at 1100; enters; gives EINTR; trap; at 1250; expire;",
     "enter epoll_wait!; go; enter epoll_wait!; go; interrupt; until 0; "},
    {"not one that sleeps elsewhere",
     "at 1000; epoll_wait; gives EINTR; trap; at 1100; enters; gives EINTR; trap; elsewhere; at 1250; expire;",
     "enter epoll_wait!; go; enter epoll_wait!; go; until 0; "},
    {"nor one that is stopped",
     "at 1000; epoll_wait; gives EINTR; trap; at 1100; enters; gives EINTR; trap; stopped; at 1250; expire;",
     "enter epoll_wait!; go; enter epoll_wait!; go; until 0; "},
    {"or held", "at 1000; epoll_wait; gives EINTR; trap; at 1100; enters; gives EINTR; trap; held; at 1250; expire;",
     "enter epoll_wait!; go; enter epoll_wait!; go; until 0; "},

    {"a connection that is being made does not end the call early",
     "tcp; waits 300; at 1000; connect; gives EINTR; trap; at 1298; enters; syscall; gives EALREADY; syscall; trap; "
     "at 1300; enters; syscall; gives EALREADY; syscall; trap; enters; syscall; gives EALREADY; trap;",
     "enter connect!; to syscall; to syscall; interrupt; return EINPROGRESS; go; enter connect!; to syscall; "
     "to syscall; interrupt; return EINPROGRESS; go; enter connect!; to syscall; interrupt; go; "
     "return EINPROGRESS; go; "},
    {"and is news to the second call alone",
     "tcp; waits 300; at 1000; connect; gives EINTR; trap; handles 12; enters; syscall; gives EALREADY; syscall; "
     "signal 12;",
     "enter connect!; to syscall; to syscall; interrupt; return EINPROGRESS; go; go with 12; "},
    {"but of the program's own second call, it stays the result",
     "tcp; waits 300; at 1000; connect; gives EALREADY; trap; enters; syscall; gives EALREADY; syscall; trap; at 1020; "
     "enters; syscall; gives EALREADY; syscall; trap; enters; syscall; gives EINTR; trap;",
     "enter connect!; to syscall; to syscall; interrupt; go; enter connect!; to syscall; "
     "to syscall; interrupt; go; enter connect!; to syscall; interrupt; go; return EALREADY; go; "},
    {"and interrupted, it goes on",
     "tcp; waits 300; at 1000; connect; gives EINTR; trap; enters; syscall; gives EINTR; syscall; trap;",
     "enter connect!; to syscall; to syscall; interrupt; go; enter connect!; to syscall; "},
    {"until its time is over",
     "tcp; waits 300; at 1000; connect; gives EINTR; trap; at 1300; enters; syscall; gives EINTR; syscall; trap; "
     "enters; syscall; gives EINTR; trap;",
     "enter connect!; to syscall; to syscall; interrupt; go; enter connect!; to syscall; interrupt; go; "
     "return EINPROGRESS; go; "},
    {"which for a Unix socket is another failure",
     "is socket:[7]; waits 300; at 1000; connect; gives EINTR; trap; at 1300; enters; syscall; gives EINTR; syscall; "
     "trap; enters; syscall; gives EINTR; trap;",
     "enter connect!; to syscall; to syscall; interrupt; go; enter connect!; to syscall; interrupt; go; "
     "return EAGAIN; go; "},

    {"what the kernel would restart from the start ends in time, too",
     "at 1000; io_pgetevents; gives UNHANDLED; trap; enters; at 1250; gives UNHANDLED; trap; enters; syscall; "
     "gives UNHANDLED; trap; user; trap;",
     "enter io_pgetevents!; go; enter io_pgetevents!; to syscall; interrupt; go; return 0; go; go; "},
    {"but for a handler it fails", "io_pgetevents; gives UNHANDLED; handles 10; signal 10;", "go with 10; "},

    {"a socket's timeout that a signal has cut goes on for a tick",
     "tcp; waits 300; at 1000; recvfrom; gives EAGAIN; signal 28; enters; asleep; at 1020; expire; "
     "gives EINTR; trap; enters; syscall; gives EINTR; trap; trap;",
     "enter recvfrom!; go with 28; interrupt; until 0; enter recvfrom!; to syscall; interrupt; go; "
     "return EAGAIN; go; go; "},
    {"and so it does when it is cut once more",
     "tcp; waits 300; at 1000; recvfrom; gives EINTR; trap; enters; at 1299; gives EAGAIN; trap; enters; at 1300; "
     "gives EAGAIN; trap;",
     "enter recvfrom!; go; enter recvfrom!; go; enter recvfrom!; to syscall; "},
    {"what has no timeout found nothing", "tcp; waits -1; recvfrom; gives EAGAIN; trap;", "go; "},
    {"nor does what must not wait", "tcp; nonblocking; waits 300; recvfrom; gives EAGAIN; trap;", "go; "},
    {"by its descriptor or its flags", "tcp; waits 300; recvfrom-now; gives EAGAIN; trap;", "go; "},
    {"nor what splices without waiting", "tcp; waits 300; splice-now; gives EAGAIN; trap;", "go; "},
    {"what splices is cut, too", "tcp; waits 300; splice; gives EAGAIN; trap;", "enter splice!; go; "},
    {"not from a file that does not wait", "tcp; nonblocking; waits 300; splice; gives EAGAIN; trap;", "go; "},
    {"a call that has its arguments in memory is cut, too",
     "compat; tcp; waits 300; at 1000; socketcall-recv; gives EAGAIN; trap; enters; syscall; at 1003; gives EAGAIN; "
     "syscall; trap; enters; syscall; at 1020; gives EAGAIN; syscall; trap; enters; syscall; gives EINTR; trap;",
     "enter getuid; to syscall; to syscall; interrupt; go; enter getuid; to syscall; to syscall; interrupt; go; "
     "enter getuid; to syscall; interrupt; go; return EAGAIN; go; "},
    {"not with flags by which it must not wait",
     "compat; tcp; waits 300; at 1000; socketcall-recv-now; gives EAGAIN; trap;", "go; "},
    {"nor with a descriptor by which it must not",
     "compat; tcp; nonblocking; waits 300; at 1000; socketcall-recv; gives EAGAIN; trap;", "go; "},
    {"nor where its arguments cannot be read", "compat; tcp; waits 300; at 1000; socketcall-lost; gives EAGAIN; trap;",
     "go; "},
};

START_TEST(calls_are_restarted_as_in_the_scripts)
{
    struct follow follow = {.rescue = &rescue};
    char script[500];
    begin(&follow);
    snprintf(script, sizeof script, "%s", scripts[_i].script);
    for (char *left = NULL, *command = strtok_r(script, ";", &left); command; command = strtok_r(NULL, ";", &left))
        run_command(&follow, command);
    fake_proc_end();
    ck_assert_msg(!strcmp(log_text, scripts[_i].expected), "%s:\n  %.1500s\nnot\n  %s", scripts[_i].name, log_text,
                  scripts[_i].expected);
    ck_assert_int_eq(count_notes(), table_thread(&follow.table, TID)->remainder != NULL);
    fake_table_free(&follow.table);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("mend");
    UNIT_ADD_TABLE(tests, calls_are_restarted_as_in_the_scripts, scripts);
    return unit_end();
}
