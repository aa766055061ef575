/* SPDX-License-Identifier: MIT
 *
 * Scripts of tracees' events (follow_script.h), with the expected events and requests. */
#include "follow_script.h"

static const struct {
    const char *name;
    bool others_only; /* children are reported, but not followed */
    const char *script, *expected;
} scripts[] = {
    {"a launched command, its first exec, its end", false, "launch 10; 10 exec 10; 10 exit; look;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; "
     "EXITS 10; detach 10; THREAD ENDED 10; ENDED 10; "},
    {"a thread that is killed at its exit stop is reaped", false,
     "launch 10; 10 exec 10; killed; 10 exit; look; 10 killed;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; "
     "EXITS 10; THREAD ENDED 10; ENDED 10; reap 10; "},
    {"a thread that is killed at another stop is not resumed for that", false,
     "launch 10; 10 exec 10; exits; 10 trap; 10 exit; look;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; STOPPED 10; EXITS 10; detach "
     "10; THREAD ENDED 10; ENDED 10; "},
    {"nor if it was held", false, "launch 10; hold; 10 exec 10; exits; release 10; 10 exit; look;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; EXITS 10; detach 10; THREAD ENDED 10; "
     "ENDED 10; "},
    {"a process whose end cannot be awaited is reaped", false,
     "launch 10; 10 exec 10; alone; 10 exit; look; 10 exited;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; EXITS 10; resume 10; THREAD "
     "ENDED 10; ENDED 10; reap 10; "},
    {"a process ends with its last thread, which need not be the first", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; 10 exit; look; 12 exit; look;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; STOPPED 12; resume 12; EXITS 10; detach 10; THREAD ENDED 10; EXITS 12; detach 12; THREAD ENDED 12; "
     "ENDED 10; "},
    {"or whose first thread is killed at its exit stop", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; killed; 10 exit; 12 exit; 12 exited;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; STOPPED 12; resume 12; EXITS 10; EXITS 12; resume 12; THREAD ENDED 12; THREAD ENDED 10; ENDED 10; "
     "reap 12; reap 10; "},
    {"its number is used again before its end is known", false,
     "launch 10; 10 exec 10; family 11 11 10; 10 fork 11; 11 trap; late; 11 exit; family 11 11 10; 10 fork 11; 11 "
     "trap; look; 11 trap;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; BORN 11 of 10 image 2; "
     "STOPPED 10; resume 10; STOPPED 11; resume 11; EXITS 11; detach 11; THREAD ENDED 11; BORN 11 of 10 image 3; "
     "STOPPED 10; resume 10; STOPPED 11; resume 11; ENDED 11; STOPPED 11; resume 11; "},
    {"an exec ends the other threads", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; 10 exit; look; 10 exec 12; 10 trap;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; STOPPED 12; resume 12; EXITS 10; detach 10; THREAD ENDED 10; take 10; THREAD ENDED 12; IMAGE ENDS "
     "10; EXEC 10 image 2.1; STOPPED 10; resume 10; STOPPED 10; resume 10; "},
    {"the maker of a newborn is killed before its event", false,
     "launch 10; 10 exec 10; family 11 11 10; 11 trap; 10 exit; look;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; take 11; EXITS 10; detach "
     "10; BORN 11 of 10 image 2; NEWBORN 11; resume 11; THREAD ENDED 10; ENDED 10; "},
    {"a newborn is killed before its maker's event", false,
     "launch 10; 10 exec 10; family 11 11 10; 11 trap; 11 exit; gone 11; 10 fork 11;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; take 11; detach 11; STOPPED "
     "10; resume 10; "},
    {"an unknown thread ends", false, "launch 10; 10 exec 10; 99 exit;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; detach 99; "},
    {"a child that is not followed ends", true,
     "thread 20 20; idle 20 20; attach 20; family 30 30 20; 30 trap; 30 exit;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; CHILDREN KNOWN 20; UNFOLLOWED 30; resume 30; detach 30; "},
    {"an exec by another thread than the first: the others have ended, and the tid changes", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; family 13 10 1; 10 clone 13; ask 12; 10 exec 12;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; "
     "STOPPED 12; resume 12; THREAD 13; STOPPED 10; resume 10; take 10; THREAD ENDED 13; THREAD ENDED 12; IMAGE ENDS "
     "10; "
     "EXEC 10 image 2.1; STOPPED 10; resume 10; "},
    {"a child: its maker's event comes first", false,
     "launch 10; 10 exec 10; family 11 11 10; 10 fork 11; 11 trap; 11 exec 11;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; BORN 11 of 10 image 2; "
     "STOPPED 10; resume 10; STOPPED 11; resume 11; take 11; IMAGE ENDS 11; EXEC 11 image 3.1; STOPPED 11; resume "
     "11; "},
    {"a child that stops before its maker's event is kept until that comes", false,
     "launch 10; 10 exec 10; family 11 11 10; 11 trap; 10 fork 11;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; take 11; "
     "BORN 11 of 10 image 2; NEWBORN 11; resume 11; STOPPED 10; resume 10; "},
    {"whose parent is another than its maker (CLONE_PARENT)", false,
     "launch 10; 10 exec 10; family 11 11 10; 10 fork 11; 11 trap; family 12 12 10; 12 trap; 11 clone 12;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; BORN 11 of 10 image 2; "
     "STOPPED 10; resume 10; STOPPED 11; resume 11; take 12; BORN 12 of 11 image 3; NEWBORN 12; resume 12; STOPPED 11; "
     "resume 11; "},
    {"whose maker is killed before its event", false, "launch 10; 10 exec 10; family 11 11 10; 11 trap; 10 killed;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; take 11; "
     "BORN 11 of 10 image 2; NEWBORN 11; resume 11; THREAD ENDED 10; ENDED 10; reap 10; "},
    {"or by another thread's exec", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; family 11 11 10; 11 trap; 10 exec 12;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; STOPPED 12; resume 12; take 11; take 10; BORN 11 of 10 image 2; NEWBORN 11; resume 11; THREAD ENDED "
     "12; IMAGE ENDS 10; EXEC 10 image 3.1; STOPPED 10; resume 10; "},
    {"that is killed while it is kept", false,
     "launch 10; 10 exec 10; family 11 11 10; 11 trap; gone 11; 11 killed; 10 fork 11;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; take 11; reap 11; "
     "STOPPED 10; resume 10; "},
    {"that is kept when all are let go", false, "launch 10; 10 exec 10; family 11 11 10; 11 trap; welcome;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; take 11; "
     "BORN 11 of 10 image 2; NEWBORN 11; resume 11; "},
    {"a vforked child, and its exec", false,
     "launch 10; 10 exec 10; family 11 11 10; 10 vfork 11; 11 trap; 11 exec 11; 10 trap;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; BORN 11 of 10 image 2; "
     "STOPPED 10; resume 10; STOPPED 11; resume 11; take 11; IMAGE ENDS 11; EXEC 11 image 3.1; STOPPED 11; resume 11; "
     "STOPPED 10; resume 10; "},
    {"a leader that ends before its other threads is told of when these have ended", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; 12 exited; 10 exited;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; "
     "STOPPED 12; resume 12; THREAD ENDED 12; reap 12; THREAD ENDED 10; ENDED 10; reap 10; "},
    {"a request to stop is answered by any stop that comes first", false,
     "launch 10; 10 exec 10; ask 10; 10 signal 10; 10 trap; ask 10; 10 trap;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; "
     "STOPPED 10 for 10 asked; resume 10 with 10; STOPPED 10; resume 10; STOPPED 10 asked; resume 10; "},
    {"a signal for us is not delivered", false, "launch 10; 10 exec 10; keep; 10 signal 4; 10 signal 4;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; STOPPED 10 for 4; resume 10; "
     "STOPPED 10 for 4; resume 10 with 4; "},
    {"process 1 of a namespace dies of a fault once it is not traced", false,
     "launch 10; 10 exec 10; first 10 0; faults; 10 signal 11;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; STOPPED 10 for 11; detach 10 "
     "with 11; THREAD ENDED 10; ENDED 10; "},
    {"and of a thread's", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; first 10 0; first 12 0; faults; 12 signal 7; 10 "
     "killed;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; STOPPED 12; resume 12; STOPPED 12 for 7; detach 12 with 7; THREAD ENDED 12; THREAD ENDED 10; ENDED "
     "10; reap 10; "},
    {"but not where it handles that, or it was sent", false,
     "launch 10; 10 exec 10; first 10 1024; faults; 10 signal 11; from 5; 10 signal 4;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; STOPPED 10 for 11; resume 10 "
     "with 11; STOPPED 10 for 4; resume 10 with 4; "},
    {"it is not stopped from inside of its namespace", false,
     "launch 10; 10 exec 10; first 10 0; from 5; 10 signal 19; from 0; 10 signal 19;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; STOPPED 10 for 19; resume "
     "10; "
     "STOPPED 10 for 19; resume 10 with 19; "},
    {"a group-stop lasts, and its end is told", false,
     "launch 10; 10 exec 10; 10 signal 19; 10 group 19; ask 10; 10 group 19; 10 trap; 10 trap;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; STOPPED 10 for 19; "
     "resume 10 with 19; STOPPED 10; listen 10; STOPPED 10 asked; listen 10; STOPPED 10 continued; resume 10; "
     "STOPPED 10; resume 10; "},
    {"a thread that is held stays stopped until it is released", false,
     "launch 10; hold; 10 exec 10; release 10; 10 trap; hold; keep; 10 signal 4; release 10; release 10;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; STOPPED 10; resume 10; "
     "STOPPED 10 for 4; resume 10; "},
    {"a held thread that is killed", false, "launch 10; hold; 10 exec 10; 10 exit; look;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; EXITS 10; detach 10; THREAD ENDED 10; "
     "ENDED 10; "},
    {"the end of one that nobody knows", false, "launch 10; 10 exec 10; 99 exited;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; reap 99; "},
    {"an attached process without children: all threads are looked at again once they were seen", true,
     "thread 20 20; thread 20 21; idle 20 21; attach 20; 20 trap;",
     "seize 20 and children; seize 21 and children; ADDED 20; ATTACHED 21 image 1; interrupt 20; STOPPED 20; resume "
     "20; "
     "CHILDREN KNOWN 20; "},
    {"a child that is not followed runs until it has no share in what is ours", true,
     "thread 20 20; idle 20 20; attach 20; family 30 30 20; 20 fork 30; 30 trap; let-go; 30 trap;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; CHILDREN KNOWN 20; STOPPED 20; resume 20; "
     "UNFOLLOWED 30; resume 30; UNFOLLOWED 30; detach 30; "},
    {"its signal is its own, or for us", true,
     "thread 20 20; idle 20 20; attach 20; family 30 30 20; 30 signal 10; keep; 30 signal 4; let-go; 30 signal 10;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; CHILDREN KNOWN 20; UNFOLLOWED 30 for 10; resume 30 with "
     "10; "
     "UNFOLLOWED 30 for 4; take 30; resume 30; UNFOLLOWED 30 for 10; detach 30 with 10; "},
    {"an exec of one that is not followed ends its tracing", true,
     "thread 20 20; idle 20 20; attach 20; family 30 30 20; 30 trap; 30 exec 30;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; CHILDREN KNOWN 20; UNFOLLOWED 30; resume 30; take 30; "
     "detach 30; "},
    {"a child that has its memory is traced, too, before anything is planted there", true,
     "thread 20 20; idle 20 20; thread 30 30; idle 30 30; children 20 30; attach 20; let-go; 30 trap;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; seize 30 and children; CHILDREN KNOWN 20; UNFOLLOWED 30; "
     "detach 30; "},
    {"and is followed where children are", false,
     "thread 20 20; idle 20 20; thread 30 30; idle 30 30; children 20 30; attach 20; 30 trap;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; seize 30 and children; BORN 30 of 20 image 2; CHILDREN "
     "KNOWN 20; "
     "STOPPED 30; resume 30; "},
    {"an exec of an attached process", true, "thread 20 20; idle 20 20; attach 20; 20 exec 20;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; CHILDREN KNOWN 20; take 20; IMAGE ENDS 20; EXEC 20 image "
     "2.1; "
     "STOPPED 20; resume 20; "},
    {"a process that ends with a thread left", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; 10 killed; 12 killed;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; STOPPED 12; resume 12; THREAD ENDED 10; ENDED 10; reap 10; reap 12; "},
    {"another thread's exec while the first one is held", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; hold; keep; 10 signal 4; 10 exec 12; release 10; 10 "
     "trap;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; STOPPED 12; resume 12; STOPPED 10 for 4; take 10; THREAD ENDED 12; IMAGE ENDS 10; EXEC 10 image 2.1; "
     "STOPPED 10; resume 10; STOPPED 10; resume 10; "},
    {"an exec while another thread is held", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; hold; keep; 12 signal 4; 10 exec 10; 12 killed;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; STOPPED 12; resume 12; STOPPED 12 for 4; take 10; THREAD ENDED 12; IMAGE ENDS 10; EXEC 10 image 2.1; "
     "STOPPED 10; resume 10; reap 12; "},
    {"a held thread's process that is held at its exec, again", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; hold; keep; 12 signal 4; hold; 10 exec 10; release "
     "10;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; STOPPED 12; resume 12; STOPPED 12 for 4; take 10; THREAD ENDED 12; IMAGE ENDS 10; EXEC 10 image 2.1; "
     "STOPPED 10; resume 10; "},
    {"an exec by a thread that nobody knows", false, "launch 10; 10 exec 10; ask 10; 10 exec 99; 10 trap;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; take 10; IMAGE ENDS 10; EXEC "
     "10 image 2.1; STOPPED 10; resume 10; STOPPED 10; resume 10; "},
    {"a thread that is asked to stop ends first", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; ask 12; 12 exit; ask 10; 10 killed;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; STOPPED 12; resume 12; EXITS 12 asked; detach 12; THREAD ENDED 12; THREAD ENDED 10 asked; "
     "ENDED 10; reap 10; "},
    {"or calls exec first", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; ask 12; 10 exec 12; 10 trap; ask 10; 10 exec 10; 10 "
     "trap;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; STOPPED 12; resume 12; take 10; THREAD ENDED 12; IMAGE ENDS 10; EXEC 10 image 2.1; STOPPED 10; resume "
     "10; STOPPED 10; resume 10; take 10; IMAGE ENDS 10 asked; EXEC 10 image 3.2; STOPPED 10; resume 10; STOPPED 10; "
     "resume 10; "},
    {"two children that stop before their makers' events, the first one's coming first", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; family 11 11 10; family 13 13 10; 11 trap; 13 trap; "
     "10 fork 11; 12 fork 13;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; STOPPED 12; resume 12; take 11; take 13; BORN 11 of 10 image 2; NEWBORN 11; resume 11; STOPPED 10; "
     "resume 10; BORN 13 of 10 image 3; NEWBORN 13; resume 13; STOPPED 12; resume 12; "},
    {"or the second one's", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; family 11 11 10; family 13 13 10; 11 trap; 13 trap; "
     "12 fork 13; 10 fork 11;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; STOPPED 12; resume 12; take 11; take 13; BORN 13 of 10 image 2; NEWBORN 13; resume 13; STOPPED 12; "
     "resume 12; BORN 11 of 10 image 3; NEWBORN 11; resume 11; STOPPED 10; resume 10; "},
    {"a maker's event that never comes is waited for for a second", false,
     "launch 10; 10 exec 10; due; family 11 11 10; 11 trap; later 300; family 12 12 10; 12 trap; due; later 700; look; "
     "due; later 1; look; due; later 300; 12 killed; due; 11 trap; look;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; nothing due; take 11; take "
     "12; due at 2000 ms; due at 2000 ms; BORN 11 of 10 image 2; NEWBORN 11; resume 11; due at 2300 ms; BORN 12 of 10 "
     "image 3; NEWBORN 12; resume 12; THREAD ENDED 12; ENDED 12; reap 12; nothing due; STOPPED 11; resume 11; "},
    {"whose parent cannot be seen from here", false,
     "launch 10; 10 exec 10; family 11 11 -5000000; 11 trap; look; 10 fork 11;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; take 11; BORN 11 of 10 image "
     "2; NEWBORN 11; resume 11; STOPPED 10; resume 10; "},
    {"a thread that was made unseen, and may be making another", true,
     "thread 20 20; thread 20 21; idle 20 21; attach 20; thread 20 22; 20 trap; 21 trap; 22 trap;",
     "seize 20 and children; seize 21 and children; ADDED 20; ATTACHED 21 image 1; interrupt 20; STOPPED 20; resume "
     "20; seize 22 and children; interrupt 22; STOPPED 21; resume 21; STOPPED 22; resume 22; CHILDREN KNOWN 20; "},
    {"a thread that may be making a child when it is attached ends", true,
     "thread 20 20; thread 20 21; idle 20 20; attach 20; 21 exited;",
     "seize 20 and children; seize 21 and children; ADDED 20; ATTACHED 21 image 1; interrupt 21; THREAD ENDED 21; reap "
     "21; CHILDREN KNOWN 20; "},
    {"and so do all of them, with the process", true, "thread 20 20; thread 20 21; attach 20; 21 killed; 20 killed;",
     "seize 20 and children; seize 21 and children; ADDED 20; ATTACHED 21 image 1; interrupt 21; interrupt 20; THREAD "
     "ENDED 21; reap 21; THREAD ENDED 20; ENDED 20; reap 20; "},
    {"an exec before the children are known", true,
     "thread 20 20; thread 20 21; idle 20 21; attach 20; 20 exec 20; 21 killed; 20 trap;",
     "seize 20 and children; seize 21 and children; ADDED 20; ATTACHED 21 image 1; interrupt 20; take 20; THREAD ENDED "
     "21; IMAGE ENDS 20; EXEC 20 image 2.1; STOPPED 20; resume 20; reap 21; STOPPED 20; resume 20; "},
    {"an exec by the one that may be making a child", true,
     "thread 20 20; thread 20 21; idle 20 20; attach 20; 20 exec 21; 20 trap;",
     "seize 20 and children; seize 21 and children; ADDED 20; ATTACHED 21 image 1; interrupt 21; take 20; THREAD ENDED "
     "21; IMAGE ENDS 20; EXEC 20 image 2.1; STOPPED 20; resume 20; STOPPED 20; resume 20; "},
    {"an exec by a thread of a child that has its memory, and may have been making another", true,
     "thread 20 20; idle 20 20; thread 30 30; idle 30 30; thread 30 31; children 20 30; attach 20; 30 exec 31;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; seize 30 and children; seize 31 and children; interrupt "
     "31; take 30; detach 30; CHILDREN KNOWN 20; "},
    {"and is followed", false,
     "thread 20 20; idle 20 20; thread 30 30; idle 30 30; thread 30 31; children 20 30; attach 20; 30 exec 31;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; seize 30 and children; seize 31 and children; interrupt "
     "31; BORN 30 of 20 image 2; take 30; THREAD ENDED 31; IMAGE ENDS 30; EXEC 30 image 3.1; STOPPED 30; "
     "resume 30; CHILDREN KNOWN 20; "},
    {"a process whose first thread had ended before it was attached, and another's exec", false,
     "dead 20; thread 20 21; idle 20 21; thread 20 22; idle 20 22; attach 20; 22 trap; 20 exec 21; 20 trap;",
     "seize 21 and children; seize 22 and children; ADDED 20; ATTACHED 22 image 1; CHILDREN KNOWN 20; STOPPED 22; "
     "resume 22; take 20; THREAD ENDED 22; THREAD ENDED 21; IMAGE ENDS 20; EXEC 20 image 2.1; STOPPED 20; resume 20; "
     "STOPPED 20; resume 20; "},
    {"its end", false,
     "dead 20; thread 20 21; idle 20 21; thread 20 22; idle 20 22; attach 20; 22 exited; 21 exited; 20 exited;",
     "seize 21 and children; seize 22 and children; ADDED 20; ATTACHED 22 image 1; CHILDREN KNOWN 20; THREAD ENDED 22; "
     "reap 22; THREAD ENDED 21; ENDED 20; reap 21; reap 20; "},
};

START_TEST(events_follow_the_scripts)
{
    struct follow follow;
    ck_assert(script_begin(&follow, scripts[_i].others_only, 0, false));
    ck_assert(run_script(&follow, scripts[_i].script));
    ck_assert_msg(!strcmp(log_text, scripts[_i].expected), "%s:\n  %.1500s\nnot\n  %s", scripts[_i].name, log_text,
                  scripts[_i].expected);
    check_end(&follow);
    script_end(&follow);
}
END_TEST

/* Runs SCRIPT with allocation FAILS failing, and with FAILS_ON all later ones. Returns false if the script has fewer
 * allocations. */
static bool try_without_memory(const char *script, bool others_only, size_t fails, bool fails_on)
{
    struct follow follow;
    if (script_begin(&follow, others_only, fails, fails_on) && run_script(&follow, script))
        check_end(&follow);
    script_end(&follow);
    return fake.allocations >= fails;
}

/* A thread that does not fit into the table continues. An event reports work on it that remains undone. */
START_TEST(lack_of_memory_leaves_nobody_stopped)
{
    const char *script = scripts[_i].script;
    bool others_only = scripts[_i].others_only;
    size_t tries = 0;
    while (try_without_memory(script, others_only, tries + 1, false) &&
           try_without_memory(script, others_only, tries + 1, true))
        tries++;
    ck_assert_uint_ge(tries, 3);
}
END_TEST

/* Adds COMMANDS for each of COUNT threads, from number 100 on, with the number instead of each #. */
static void repeat(char *script, size_t size, const char *commands, int count)
{
    for (int i = 100; i < 100 + count; i++)
        for (const char *at = commands; *at; at++) {
            size_t length = strlen(script);
            ck_assert_uint_lt(length + 4, size);
            if (*at == '#')
                snprintf(script + length, size - length, "%d", i);
            else
                snprintf(script + length, size - length, "%c", *at);
        }
}

static const struct {
    const char *each;
    int count;
    const char *after;
    size_t begun; /* number of reported processes */
} crowds[] = {
    {"family # # 10; # trap; ", FOLLOW_NEWBORNS, "later 1001; look;", FOLLOW_NEWBORNS + 1},
    {"family # # 10; # trap; ", FOLLOW_NEWBORNS, "10 killed;", FOLLOW_NEWBORNS + 1},
    {"family # # 10; # trap; ", FOLLOW_NEWBORNS + 2, "welcome;", FOLLOW_NEWBORNS + 3},
    {"family # 10 1; 10 clone #; ", 200, "10 exec 102;", 1},
    {"family # 10 1; 10 clone #; ", 200, "10 killed;", 1},
};

/* The queue must hold all events of one look. */
START_TEST(many_events_are_not_lost)
{
    enum { STEP = 11 };
    char script[10000] = "launch 10; 10 exec 10; ";
    repeat(script, sizeof script, crowds[_i].each, crowds[_i].count);
    strcat(script, crowds[_i].after);
    ck_assert(try_without_memory(script, false, 0, false));
    ck_assert_uint_eq(fake.begun, crowds[_i].begun);
    for (size_t fails = 1; try_without_memory(script, false, fails, true);)
        fails += STEP;
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("follow");
    UNIT_ADD_TABLE(tests, events_follow_the_scripts, scripts);
    UNIT_ADD_TABLE(tests, lack_of_memory_leaves_nobody_stopped, scripts);
    UNIT_ADD_TABLE(tests, many_events_are_not_lost, crowds);
    return unit_end();
}
