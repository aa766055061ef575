/* SPDX-License-Identifier: MIT
 *
 * Lifecycle of processes with emulated calls or breakpoints, and imposed calls, as scripts (serve_script.h). */
#include "serve_script.h"

static const struct {
    const char *name, *script, *expected;
} scripts[] = {
    {"a forked child goes on by its system's rule",
     "system freebsd; process 1; ask 1 profil 1000 100 400000 10000; fork 1 2; counts; ticks 2 1; bill 2 400000; "
     "ticks 1 2; bill 1 400000;",
     "1 goes on at 777 with 0 of the gate; served; 2 active, 1 served, 0 ticks, 0 planted; 2:1000+2=1; 1:1000+2=2; "},
    {"or not", "process 1; ask 1 profil 1000 100 400000 10000; fork 1 2; counts; ticks 2 1; bill 2 400000;",
     "1 goes on at 777 with 0 of the gate; served; 1 active, 1 served, 0 ticks, 0 planted; "},
    {"a vforked one writes into the same memory",
     "system freebsd; process 1; ask 1 profil 1000 100 400000 10000; vfork 1 2; ticks 2 1; bill 2 400000; ticks 1 1; "
     "bill 1 400000;",
     "1 goes on at 777 with 0 of the gate; served; 2:1000+2=1; 1:1000+2=2; "},
    {"a new image has none", "process 1; ask 1 profil 1000 100 400000 10000; ticks 1 2; exec 1; counts; bill 1 400000;",
     "1 goes on at 777 with 0 of the gate; served; 0 active, 1 served, 0 ticks, 0 planted; "},
    {"nor bytes", "process 1; plant 1 1100 profil; exec 1; hit 1 1100 0;",
     "1's children are told of; 1:1100=06; not ours; "},
    {"nor has one that ended",
     "process 1; process 2; ask 1 profil 1000 100 400000 10000; ask 2 pcsample 1000 4; counts; end 1; counts; end 2; "
     "counts;",
     "1 goes on at 777 with 0 of the gate; served; 2 goes on at 777 with 0 of the gate; served; "
     "2 active, 2 served, 0 ticks, 0 planted; 1 active, 2 served, 0 ticks, 0 planted; "
     "0 active, 2 served, 0 ticks, 0 planted; "},
    {"a copy has the bytes, too",
     "process 1; plant 1 1100 profil; fork 1 2; hit 2 1100 1000 100 400000 10000; exec 1; hit 2 1100 0;",
     "1's children are told of; 1:1100=06; take 2; 2 goes on at 1101 with 0; served; take 2; "
     "2 goes on at 1101 with 0; served; "},
    {"one made too late has clean memory",
     "process 1; plant 1 1100 profil; close; put 1 1100 5555555555555506; fork 1 2;",
     "1's children are told of; 1:1100=06; 1:1100=55; 2:1100=55; "},
    {"one whose bytes there is no memory to know of has clean memory",
     "process 1; plant 1 1100 profil; no-room; fork 1 2; hit 2 1100;",
     "1's children are told of; 1:1100=06; 2:1100=55; not ours; "},
    {"children of who has bytes are heard of", "process 1; plant 1 1100 profil; plant 1 1108 sprofil; counts;",
     "1's children are told of; 1:1100=06; 1's children are told of; 1:1108=06; "
     "0 active, 0 served, 0 ticks, 2 planted; "},
    {"those who share the memory of an attached one have them, too",
     "attached 1; vfork 1 2; plant 1 1100 profil; hit 2 1100 0;",
     "1's children are told of; 1:1100=06; take 2; 2 goes on at 1101 with 0; served; "},

    {"one that profiles itself when it is attached goes on so",
     "attached 1; handled; plant 1 1100 profil; plant 1 1108 loader; put 1 1100 5555555555555555; counts;",
     "1's children are told of; 1's children are told of; 1:1108=06; 0 active, 0 served, 0 ticks, 1 planted; "},

    {"a stranger with the memory is kept", "process 1; plant 1 1100 profil; stranger 1 3 500 0; stranger 1 3 500 10;",
     "1's children are told of; 1:1100=06; kept with 0; kept with 10; "},
    {"the call that it makes is its own", "process 1; plant 1 1100 profil; stranger 1 3 1100 4;",
     "1's children are told of; 1:1100=06; 3:1100=55; kept with 0; "},
    {"not before it has hit a byte", "process 1; plant 1 1100 profil; stranger 1 3 1100 10;",
     "1's children are told of; 1:1100=06; kept with 10; "},
    {"the dynamic linker's is passed", "process 1; plant 1 1100 loader; stranger 1 3 1100 4;",
     "1's children are told of; 1:1100=06; 3 goes on at 1101 with 0; kept with 0; "},
    {"a signal of its own it gets", "process 1; plant 1 1100 profil; stranger 1 3 1101 4;",
     "1's children are told of; 1:1100=06; kept with 4; "},
    {"one with a copy is cleaned, and let go",
     "process 1; plant 1 1100 profil; plant 1 1108 loader; copier 1 3 500 10;",
     "1's children are told of; 1:1100=06; 1's children are told of; 1:1108=06; 3:1100=55; 3:1108=55; "
     "let go with 10; "},
    {"where there are none, it is let go", "process 1; stranger 1 3 500 0;", "let go with 0; "},
    {"not if there may be some soon", "attached 1; stranger 1 3 500 0; copier 1 3 500 0; off; stranger 1 3 500 0;",
     "kept with 0; let go with 0; let go with 0; "},
    {"in the end it is let go", "process 1; plant 1 1100 profil; close; stranger 1 3 500 0; stranger 1 3 1100 4;",
     "1's children are told of; 1:1100=06; 1:1100=55; let go with 0; let go with 0; "},
    {"when its signal has come",
     "process 1; plant 1 1100 profil; close; pending; stranger 1 3 1100 0; stranger 1 3 500 0;",
     "1's children are told of; 1:1100=06; 1:1100=55; kept with 0; let go with 0; "},

    {"in the end all bytes are back",
     "process 1; process 2; plant 1 1100 profil; plant 2 1108 loader; close; settled 1 1100; settled 1 500;",
     "1's children are told of; 1:1100=06; 2's children are told of; 2:1108=06; 1:1100=55; 2:1108=55; settled; "
     "settled; "},
    {"a thread that may have met one is waited for",
     "process 1; plant 1 1100 profil; close; pending; settled 1 1100; settled 1 500;",
     "1's children are told of; 1:1100=06; 1:1100=55; not settled; settled; "},

    {"an image is asked for entries, and has nothing imposed", "process 1; begin 1; off; begin 1;",
     "asks; does not ask; "},
    {"a histogram is imposed, and its updates are told",
     "impose profil; process 1; begin 1; called 1 1000; ticks 1 2; bill 1 4; bill 1 4; ticks 1 3; bill 1 4;",
     "asks; 1 maps 100; imposed: 0, error 0, 1000+100; 1:1004+2=2; cell 2: 2; 1:1004+2=3; cell 2: 3; "},
    {"a cell that wraps is told",
     "impose profil; process 1; begin 1; put 1 1000 ffff; called 1 1000; ticks 1 1; bill 1 0;",
     "asks; 1 maps 100; imposed: 0, error 0, 1000+100; 1:1000+2=0; cell 0: 0; "},
    {"a place without a cell is not",
     "impose profil; process 1; begin 1; called 1 1000; ticks 1 1; bill 1 400000; counts;",
     "asks; 1 maps 100; imposed: 0, error 0, 1000+100; 1 active, 0 served, 1 ticks, 0 planted; "},
    {"an array", "impose samples; process 1; begin 1; called 1 1000; ticks 1 2; bill 1 400004;",
     "asks; 1 maps 20; imposed: 0, error 0, 1000+20; 1:1000=2*400004; pc 400004: 2; "},
    {"whose end is a fault like others",
     "impose samples; process 1; begin 1; called 1 1ff8; ticks 1 2; bill 1 400004; ticks 1 3; bill 1 400004; counts;",
     "asks; 1 maps 20; imposed: 0, error 0, 1ff8+20; 1:1ff8+8=400004; pc 400004: 1; "
     "0 active, 0 served, 2 ticks, 0 planted; "},
    {"and what fails otherwise is trouble",
     "impose samples; process 1; begin 1; called 1 4000; ticks 1 2; bill 1 400004;",
     "asks; 1 maps 20; imposed: 0, error 0, 4000+20; trouble 1; "},
    {"what the program asks itself is not told",
     "impose samples; process 1; begin 1; called 1 1000; ask 1 pcsample 1100 2; ticks 1 2; bill 1 400004;",
     "asks; 1 maps 20; imposed: 0, error 0, 1000+20; 1 goes on at 777 with 0 of the gate; served; 1:1100=2*400004; "},
    {"an array of a 32-bit program has elements of 4 bytes",
     "impose samples; process 1; compat; begin 1; called 1 1000; ticks 1 2; bill 1 f7000004;",
     "asks; 1 maps 10; imposed: 0, error 0, 1000+10; 1:1000+8=f7000004f7000004; pc f7000004: 2; "},
    {"where there is no text", "impose text; process 1; begin 1;", "asks; imposed: 2, error 0, 0+0; "},
    {"where there is no way", "impose profil; process 1; refused; begin 1;", "asks; imposed: 3, error 2, 0+0; "},
    {"where a filter may forbid it", "impose profil; process 1; handled; begin 1;", "asks; imposed: 1, error 0, 0+0; "},
    {"without memory", "impose profil; process 1; begin 1; called 1 -c; counts;",
     "asks; 1 maps 100; imposed: 4, error 12, fffffffffffffff4+100; 0 active, 0 served, 0 ticks, 0 planted; "},
    {"without the call", "system darwin; impose profil; process 1; begin 1; called 1 1000; counts;",
     "asks; 1 maps 100; imposed: 5, error 22, 1000+100; 0 active, 0 served, 0 ticks, 0 planted; "},
    {"not when that is over", "impose profil; process 1; close; begin 1; called 1 1000; counts;",
     "asks; 0 active, 0 served, 0 ticks, 0 planted; "},
};

START_TEST(processes_come_and_go_as_the_script_says)
{
    const char *seen = serve_script(scripts[_i].script);
    ck_assert_msg(!strcmp(seen, scripts[_i].expected), "%s:\n  %s\nnot\n  %s", scripts[_i].name, seen,
                  scripts[_i].expected);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("calls");
    UNIT_ADD_TABLE(tests, processes_come_and_go_as_the_script_says, scripts);
    return unit_end();
}
