/* SPDX-License-Identifier: MIT
 *
 * Requests, their answers, and the memory that ticks update, as scripts (serve_script.h). */
#include "common/arch/arch.h"
#include "common/arch/gate.h"
#include "common/wire/command.h"
#include "serve_script.h"
#include "tracer/follow/follow.h"
#include "tracer/plant/breakpoints.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/table.h"

static const struct {
    const char *name, *script, *expected;
} scripts[] = {
    {"a request by the gate is served, and the signal was for that",
     "process 1; ask 1 profil 1000 100 400000 10000; counts;",
     "1 goes on at 777 with 0 of the gate; served; 1 active, 1 served, 0 ticks, 0 planted; "},
    {"one by the other system call leaves its signal blocked",
     "process 1; mask 1 200; by-mask; ask 1 profil 1000 100 400000 10000;",
     "1 blocks 400200; 1 goes on at 777 with 0 of the gate; served; "},
    {"a number that is not the gate's", "process 1; no-magic; ask 1 profil 1000 100 400000 10000;", "not ours; "},
    {"a request that is none", "process 1; no-request; ask 1 profil 1000 100 400000 10000;", "not ours; "},
    {"or cannot be read", "process 1; lost-request; ask 1 profil 1000 100 400000 10000;", "not ours; "},
    {"a call that does not exist", "process 1; ask 1 nothing; counts;",
     "1 goes on at 777 with -38 of the gate; served; 0 active, 0 served, 0 ticks, 0 planted; "},
    {"where nothing is served, the program must not see the signal",
     "off; process 1; ask 1 profil 1000 100 400000 10000; counts;",
     "1 goes on at 777 with -38 of the gate; served; 0 active, 0 served, 0 ticks, 0 planted; "},
    {"nor when that is over", "process 1; close; ask 1 profil 1000 100 400000 10000;",
     "1 goes on at 777 with -38 of the gate; served; "},
    {"another signal is the program's own", "process 1; signal 1 23; signal 1 10;", "not ours; not ours; "},

    {"a byte at an entry is the call",
     "process 1; plant 1 1100 profil; hit 1 1100 1000 100 400000 10000; ticks 1 1; bill 1 400004;",
     "1's children are told of; 1:1100=06; take 1; 1 goes on at 1101 with 0; served; 1:1004+2=1; "},
    {"with a fourth argument of 32 bits",
     "system freebsd; process 1; plant 1 1100 profil; hit 1 1100 1000 100 400000 700010000; ticks 1 1; bill 1 400004;",
     "1's children are told of; 1:1100=06; take 1; 1 goes on at 1101 with 0; served; 1:1004+2=1; "},
    {"of sprofil", "process 1; put 1 1200 1000 100 400000 10000; plant 1 1100 sprofil; hit 1 1100 1200 1 0 0; counts;",
     "1's children are told of; 1:1100=06; take 1; 1 goes on at 1101 with 0; served; "
     "1 active, 1 served, 0 ticks, 1 planted; "},
    {"of a 32-bit program, which has its arguments on the stack",
     "process 1; plant 1 1100 profil; compat; hit 1 1100 1000 100 f7000000 10000; ticks 1 1; bill 1 f7000004;",
     "1's children are told of; 1:1100=06; take 1; 1 goes on at 1101 with 0; served; 1:1004+2=1; "},
    {"below the offset its distance wraps at 32 bits",
     "process 1; plant 1 1100 profil; compat; hit 1 1100 0 10000 80000000 1; hit 1 1100 1000 fff0 fffffff0 1; "
     "ticks 1 1; bill 1 fff0;",
     "1's children are told of; 1:1100=06; take 1; 1 goes on at 1101 with 0; served; take 1; 1 goes on at 1101 with "
     "0; served; 1:1000+2=1; "},
    {"with cells, regions and an interval of 32 bits",
     "process 1; put 1 1200 40000000001000 100000000000100; put 1 1200 10000001000 1000000400000; "
     "plant 1 1100 sprofil; compat; hit 1 1100 1200 1 1300 1; ticks 1 1; bill 1 400004;",
     "1's children are told of; 1:1100=06; take 1; 1:1300+8=271000000000; 1 goes on at 1101 with 0; served; "
     "1:1004+4=1; "},
    {"or a stack that cannot be read",
     "process 1; plant 1 1100 profil; compat; no-stack; hit 1 1100 1000 100 400000 10000; counts;",
     "1's children are told of; 1:1100=06; take 1; 1 goes on at 1101 with -14; served; "
     "0 active, 0 served, 0 ticks, 1 planted; "},
    {"of the dynamic linker, which has loaded something",
     "process 1; plant 1 1100 loader; hit 1 1100; complete 1; hit 1 1100;",
     "1's children are told of; 1:1100=06; take 1; 1 goes on at 1101 with 0; asks; 1:1100=55; not ours; "},
    {"an instruction that is none", "process 1; plant 1 1100 profil; hit 1 1101;",
     "1's children are told of; 1:1100=06; 1:1100=55; not ours; "},
    {"a mask of all signals stays so",
     "process 1; plant 1 1100 profil; mask 1 ffffffffffffffff; hit 1 1100 0; mask 1 fffffffe7ffbfef7; hit 1 1100 0; "
     "mask 1 fffffffe7ffbfee7; hit 1 1100 0;",
     "1's children are told of; 1:1100=06; take 1; 1 blocks ffffffffffffffff; 1 goes on at 1101 with 0; served; "
     "take 1; 1 blocks fffffffe7ffbfeff; 1 goes on at 1101 with 0; served; take 1; 1 goes on at 1101 with 0; served; "},
    {"where nothing is served, a byte is not ours", "process 1; plant 1 1100 profil; off; hit 1 1100;",
     "1's children are told of; 1:1100=06; not ours; "},
    {"a byte that is back: the thread goes on there", "process 1; plant 1 1100 profil; close; hit 1 1100;",
     "1's children are told of; 1:1100=06; 1:1100=55; take 1; served; "},
    {"what makes a core file puts bytes back", "process 1; plant 1 1100 profil; signal 1 15; signal 1 11;",
     "1's children are told of; 1:1100=06; not ours; 1:1100=55; not ours; "},
    {"not if it is handled", "process 1; plant 1 1100 profil; handled; signal 1 11;",
     "1's children are told of; 1:1100=06; not ours; "},

    {"scale has 32 bits, whatever is above them",
     "process 1; ask 1 profil 1000 100 400000 abcd00010000; ticks 1 1; bill 1 400004;",
     "1 goes on at 777 with 0 of the gate; served; 1:1004+2=1; "},
    {"ticks are billed where the thread is",
     "process 1; ask 1 profil 1000 100 400000 10000; ticks 1 1; bill 1 400004; bill 1 400004; ticks 1 4; owed 1; "
     "bill 1 400004; owed 1; counts;",
     "1 goes on at 777 with 0 of the gate; served; 1:1004+2=1; owed; 1:1004+2=4; paid; "
     "1 active, 1 served, 4 ticks, 0 planted; "},
    {"those before the call are not its own",
     "process 1; ticks 1 7; ask 1 profil 1000 100 400000 10000; owed 1; bill 1 400004; ticks 1 3; bill 1 400004; "
     "ticks 1 9; bill 1 400004;",
     "1 goes on at 777 with 0 of the gate; served; paid; 1:1004+2=2; "},
    {"what is owed is paid before the next call",
     "process 1; ask 1 profil 1000 100 700 10000; ticks 1 2; ask 1 profil 1200 100 700 10000; ticks 1 3; exit 1 702;",
     "1 goes on at 777 with 0 of the gate; served; 1:1076+2=2; 1 goes on at 777 with 0 of the gate; served; "
     "1:1202+2=1; "},
    {"those that fell before it, where the thread was",
     "process 1; ask 1 profil 1000 100 400000 10000; ticks 1 1; bill 1 400004; ticks 1 4; ask 1 profil 0 0 0 0; "
     "counts;",
     "1 goes on at 777 with 0 of the gate; served; 1:1004+2=1; 1:1004+2=3; 1 goes on at 777 with 0 of the gate; "
     "served; "
     "0 active, 2 served, 4 ticks, 0 planted; "},
    {"or nowhere, if nobody knows",
     "process 1; ask 1 profil 1000 100 400000 10000; ticks 1 4; ask 1 profil 0 0 0 0; counts;",
     "1 goes on at 777 with 0 of the gate; served; 1 goes on at 777 with 0 of the gate; served; "
     "0 active, 2 served, 1 ticks, 0 planted; "},
    {"late ones where it was, too, if that is nearer",
     "process 1; ask 1 profil 1000 100 400000 10000; ticks 1 1; bill 1 400004; ticks 1 7; bill 1 400008;",
     "1 goes on at 777 with 0 of the gate; served; 1:1004+2=1; 1:1004+2=4; 1:1008+2=3; "},
    {"a cell that may not be written ends it",
     "process 1; ask 1 profil 2000 100 400000 10000; ticks 1 1; bill 1 400004; counts; ticks 1 2; bill 1 400004; "
     "counts;",
     "1 goes on at 777 with 0 of the gate; served; 0 active, 1 served, 1 ticks, 0 planted; "
     "0 active, 1 served, 1 ticks, 0 planted; "},
    {"half of it, too, and nothing is left there",
     "process 1; put 1 1ff8 0; ask 1 profil 1fff 100 400000 10000; ticks 1 101; bill 1 400000; counts;",
     "1 goes on at 777 with 0 of the gate; served; 1:1fff+1=1; 1:1fff+1=0; 0 active, 1 served, 257 ticks, 0 planted; "},
    {"one that cannot be read", "process 1; ask 1 profil 3000 100 400000 10000; ticks 1 1; bill 1 400004; counts;",
     "1 goes on at 777 with 0 of the gate; served; 0 active, 1 served, 1 ticks, 0 planted; "},
    {"another reason is trouble, and does not end it",
     "process 1; ask 1 profil 4000 100 400000 10000; ticks 1 1; bill 1 400004; counts;",
     "1 goes on at 777 with 0 of the gate; served; trouble 1; 1 active, 1 served, 1 ticks, 0 planted; "},
    {"a counter that stops",
     "system illumos; process 1; put 1 1000 7ffe; ask 1 profil 1000 100 400000 10000; ticks 1 1; bill 1 400000; "
     "ticks 1 2; bill 1 400000; counts;",
     "1 goes on at 777 with 0 of the gate; served; 1:1000+2=7fff; 0 active, 1 served, 2 ticks, 0 planted; "},
    {"a buffer that is looked at",
     "system freebsd; process 1; ask 1 profil 1f80 100 400000 10000; ask 1 profil 1f00 100 400000 10000; "
     "ask 1 profil 2000 100 400000 10000; counts;",
     "1 goes on at 777 with -14 of the gate; served; 1 goes on at 777 with 0 of the gate; served; "
     "1 goes on at 777 with -14 of the gate; served; 0 active, 3 served, 0 ticks, 0 planted; "},
    {"by a system that refuses all", "system darwin; process 1; ask 1 profil 1000 100 400000 10000; counts;",
     "1 goes on at 777 with -22 of the gate; served; 0 active, 1 served, 0 ticks, 0 planted; "},

    {"sprofil tells the tick first of all",
     "process 1; put 1 1200 1000 100 400000 10000; ask 1 sprofil 1200 1 1300 0; ticks 1 1; bill 1 400002;",
     "1:1300=0 2710; 1 goes on at 777 with 0 of the gate; served; 1:1002+2=1; "},
    {"in cells of 32 bits",
     "process 1; put 1 1200 1000 100 400000 10000; put 1 1000 1; ask 1 sprofil 1200 1 0 1; ticks 1 1; bill 1 400001;",
     "1 goes on at 777 with 0 of the gate; served; 1:1000+4=2; "},
    {"or fails",
     "process 1; put 1 1200 1000 100 400000 10000; ask 1 sprofil 1200 1 2000 0; ask 1 sprofil 1200 1 1ff8 0; counts;",
     "1 goes on at 777 with -14 of the gate; served; 1 goes on at 777 with -14 of the gate; served; "
     "0 active, 2 served, 0 ticks, 0 planted; "},
    {"irix tells it in the end",
     "system irix; process 1; ask 1 sprofil 3000 1 1300 0; put 1 1200 1000 100 400000 10000; "
     "ask 1 sprofil 1200 1 1300 0; ask 1 sprofil 1200 1 2000 0; counts;",
     "1 goes on at 777 with -14 of the gate; served; 1:1300=0 2710; 1 goes on at 777 with 0 of the gate; served; "
     "1 goes on at 777 with -14 of the gate; served; 1 active, 3 served, 0 ticks, 0 planted; "},
    {"regions that cannot be read",
     "process 1; ask 1 sprofil 3000 1 0 0; ask 1 sprofil 2fe8 1 0 0; ask 1 sprofil 5000 1 0 0; counts;",
     "1 goes on at 777 with -14 of the gate; served; 1 goes on at 777 with -14 of the gate; served; "
     "1 goes on at 777 with -14 of the gate; served; 0 active, 3 served, 0 ticks, 0 planted; "},
    {"a number of them that is too large is not read", "system irix; process 1; ask 1 sprofil 1200 65 0 0;",
     "1 goes on at 777 with -7 of the gate; served; "},
    {"a system without it", "system freebsd; process 1; ask 1 sprofil 1200 1 0 0; counts;",
     "1 goes on at 777 with -38 of the gate; served; 0 active, 1 served, 0 ticks, 0 planted; "},

    {"pcsample stores each tick",
     "process 1; ask 1 pcsample 1000 4; ticks 1 1; bill 1 400004; ticks 1 3; bill 1 400008; ask 1 pcsample 0 0;",
     "1 goes on at 777 with 0 of the gate; served; 1:1000+8=400004; 1:1008+8=400004; 1:1010+8=400008; "
     "1 goes on at 777 with 3 of the gate; served; "},
    {"no more than there is room for",
     "process 1; ask 1 pcsample 1000 4; ticks 1 9; bill 1 400004; counts; ask 1 pcsample 0 0;",
     "1 goes on at 777 with 0 of the gate; served; 1:1000=4*400004; 0 active, 1 served, 9 ticks, 0 planted; "
     "1 goes on at 777 with 4 of the gate; served; "},
    {"many at once", "process 1; ask 1 pcsample 800 1000; ticks 1 300; bill 1 400004;",
     "1 goes on at 777 with 0 of the gate; served; 1:800=512*400004; 1:1800=256*400004; "},
    {"until memory ends", "process 1; ask 1 pcsample 1ff0 5; ticks 1 4; bill 1 400004; counts; ask 1 pcsample 0 0;",
     "1 goes on at 777 with 0 of the gate; served; 1:1ff0=2*400004; 0 active, 1 served, 4 ticks, 0 planted; "
     "1 goes on at 777 with 2 of the gate; served; "},
    {"an element that crosses that is not stored in part",
     "process 1; put 1 1ff8 0; ask 1 pcsample 1ff4 5; ticks 1 4; bill 1 400004; counts; ask 1 pcsample 0 0;",
     "1 goes on at 777 with 0 of the gate; served; 1:1ff4+8=400004; 1:1ffc+4=400004; 1:1ffc+4=0; "
     "0 active, 1 served, 4 ticks, 0 planted; 1 goes on at 777 with 1 of the gate; served; "},
    {"an array that is none", "process 1; ask 1 pcsample 3000 5; ticks 1 4; bill 1 400004; counts; ask 1 pcsample 0 0;",
     "1 goes on at 777 with 0 of the gate; served; 0 active, 1 served, 4 ticks, 0 planted; "
     "1 goes on at 777 with 0 of the gate; served; "},
    {"another reason is trouble, and it goes on", "process 1; ask 1 pcsample 4000 5; ticks 1 4; bill 1 400004; counts;",
     "1 goes on at 777 with 0 of the gate; served; trouble 1; 1 active, 1 served, 4 ticks, 0 planted; "},
    {"of a 32-bit program, in elements of 4 bytes",
     "process 1; compat; ask 1 pcsample 1000 8; ticks 1 1; bill 1 f7000004; ticks 1 5; bill 1 400008; put 1 1ffc 0; "
     "ask 1 pcsample 1ff6 9; ticks 1 9; bill 1 400010; counts; ask 1 pcsample 0 80000000; ask 1 pcsample 0 7fffffff;",
     "1 goes on at 777 with 0 of the gate; served; 1:1000+4=f7000004; 1:1004+8=f7000004f7000004; "
     "1:100c+8=40000800400008; "
     "1 goes on at 777 with 5 of the gate; served; 1:1ff6+4=400010; 1:1ffa+4=400010; 1:1ffe+2=10; 1:1ffe+2=0; "
     "0 active, 2 served, 9 ticks, 0 planted; 1 goes on at 777 with -22 of the gate; served; "
     "1 goes on at 777 with 2 of the gate; served; "},
    {"a number that is negative", "process 1; ask 1 pcsample 1000 ffffffffffffffff; counts;",
     "1 goes on at 777 with -22 of the gate; served; 0 active, 1 served, 0 ticks, 0 planted; "},
};

START_TEST(calls_are_served_as_the_script_says)
{
    const char *seen = serve_script(scripts[_i].script);
    ck_assert_msg(!strcmp(seen, scripts[_i].expected), "%s:\n  %s\nnot\n  %s", scripts[_i].name, seen,
                  scripts[_i].expected);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("serve");
    UNIT_ADD_TABLE(tests, calls_are_served_as_the_script_says, scripts);
    return unit_end();
}
