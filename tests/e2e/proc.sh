#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Process numbers are valid only in the /proc of ptprofil's pid namespace, and only while the process lives. ptprofil
# must not touch a process that got the number of another one.

. "$(dirname "$0")/lib.sh"

# LeakSanitizer hangs or crashes if /proc belongs to another namespace.
! is_sanitized || export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0

# boxed COMMAND...: runs COMMAND in its own pid and mount namespaces, as process 1, with the /proc of that namespace.
boxed() {
    within 60 unshare "${rootless[@]}" --mount --pid --fork --kill-child --mount-proc "$@"
}

need_namespaces() {
    need unshare
    rootless=()
    [ "$(id -u)" = 0 ] || rootless=(--user --map-root-user)
    unshare "${rootless[@]}" --mount --pid --fork --mount-proc true 2>/dev/null || skip "no namespaces here"
}

# refuses REGEX COMMAND...: COMMAND runs ptprofil, which must print one line that matches REGEX, and start nothing.
refuses() {
    local wanted=$1 status=0
    shift
    within 20 "$@" >out 2>err || status=$?
    [ $status = 125 ] && grep -qE "$wanted" err && [ "$(wc -l <err)" = 1 ] || fail "status $status: $(cat err)"
    [ ! -e started ] || fail "the command was started"
}

case_of_another_namespace() {
    need_namespaces
    local options
    for options in --calls=auto --calls=on '--calls=off --stacks=none'; do
        # shellcheck disable=SC2086  # options are words
        refuses '/proc belongs to another pid namespace.*--mount-proc' \
            unshare "${rootless[@]}" --pid --fork "$PTPROFIL" -q $options -- touch started
    done
    refuses '/proc belongs to another pid namespace' unshare "${rootless[@]}" --pid --fork "$PTPROFIL" -q -p $$
    refuses '/proc belongs to another pid namespace' unshare "${rootless[@]}" --pid --fork "$PTPROFIL" -q --name bash
}

# The same if ptprofil has the same process number in both namespaces (chosen with clone3).
case_of_another_namespace_by_the_same_number() {
    need_namespaces
    need python3
    local status=0
    cat >collide.py <<'EOF'
import ctypes, errno, os, sys
SYS_clone3, SIGCHLD = 435, 17
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def clone_as(number):
    numbers = (ctypes.c_int32 * 2)(number, number)  # in the inner and in the outer namespace
    arguments = (ctypes.c_uint64 * 10)(0, 0, 0, 0, SIGCHLD, 0, 0, 0, ctypes.addressof(numbers), 2)
    return libc.syscall(SYS_clone3, arguments, ctypes.sizeof(arguments))
for number in range(30000, 300, -1):  # less than any pid_max
    child = clone_as(number)
    if child == 0:
        if os.getpid() != int(os.readlink("/proc/self")):
            os._exit(99)
        os.execv(sys.argv[1], sys.argv[1:])
    if child > 0:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    if ctypes.get_errno() != errno.EEXIST:
        break
sys.exit(77)
EOF
    within 30 unshare "${rootless[@]}" --pid --fork python3 collide.py "$PTPROFIL" -q -- touch started 2>err || status=$?
    [ $status != 77 ] || skip "numbers of processes cannot be chosen here"
    [ $status = 125 ] && grep -q 'belongs to another pid namespace' err || fail "status $status: $(cat err)"
    [ ! -e started ] || fail "the command was started"
}

case_none() {
    ! is_sanitized || skip "the sanitizers need /proc themselves"
    need_namespaces
    # shellcheck disable=SC2016
    refuses 'there is no /proc here.*mount -t proc proc /proc' \
        unshare "${rootless[@]}" --mount sh -c 'mount -t tmpfs none /proc && exec "$0" -q -- touch started' "$PTPROFIL"
}

# 'unshare --pid' without --fork moves only the children of the process into the new namespace.
case_children_elsewhere() {
    need_namespaces
    refuses "not in the pid namespace that its children get.*--fork" unshare "${rootless[@]}" --pid "$PTPROFIL" -q -- touch started
}

# The /proc that was checked at the start is used to the end: sampling goes on, and stays correct.
case_replaced() {
    need_namespaces
    local change
    mkdir other
    for change in 'mount -t tmpfs none /proc' 'mount --bind other /proc' 'umount -l /proc'; do
        # shellcheck disable=SC2016
        boxed "$PTPROFIL" -q -F 1000 --calls=on -o profile.folded -- \
            sh -c "$change"' && "$0/mix" -s 0.2 && exec "$0/call_family" fork -n 5' "$TARGETS" >out 2>err ||
            fail "$change: $?" "$(cat err)"
        grep -q 'call_family: as expected' out || fail "$change" "$(cat out)"
        expect_share profile.folded spin_half 20
    done
}

# The tracer dies while the front is stopped. Then a process with ptprofil's jump dies, and another process gets its
# number. The new process has written the same bytes at the same address itself, so the front must not change them.
case_number_of_another() {
    local status=0
    need_namespaces
    need setarch
    setarch -R true 2>/dev/null || skip "addresses cannot be had alike here"
    cat >reuse.sh <<'EOF'
wanted() { for _ in $(seq 1000); do ! "$@" || return 0; sleep 0.02; done; echo "not in time: $*"; exit 1; }
is_zombie() { grep -q '^State:.Z' "/proc/$1/status"; }
sleeps() { grep -q '^230 ' "/proc/$1/syscall"; }
setarch -R "$TARGETS/own_jump" wait planted end jump &
target=$!
wanted sleeps $target # the calls are found only after the libraries are loaded
"$PTPROFIL" -q --calls=on -p $target 2>/dev/null &
front=$!
wanted test -e planted
tracer=$(pgrep -P $front -x pt-tracer)
kill -STOP $front
kill -KILL "$tracer"
wanted is_zombie "$tracer"
kill -KILL $target
wait $target
echo $((target - 1)) >/proc/sys/kernel/ns_last_pid || exit 77
setarch -R "$TARGETS/own_jump" write written end jump &
[ $! = $target ] || exit 77
wanted test -e written
kill -CONT $front
wait $front
touch end
wait $target
EOF
    PTPROFIL=$PTPROFIL TARGETS=$TARGETS boxed bash reuse.sh >out 2>&1 || status=$?
    [ $status != 77 ] || skip "numbers cannot be chosen here"
    [ $status = 0 ] || fail "status $status" "$(cat out)"
}

# CMD can unmount a file system after it ran a program from there.
case_unmounted() {
    local status=0
    need_namespaces
    mkdir there
    cat >cmd.sh <<'EOF'
mount -t tmpfs none there || exit 77
cp "$1" there/program && there/program -s 0.2 && umount there || exit
cp "$2" jit && mount -t tmpfs none /tmp && ./jit 50 && umount /tmp
EOF
    within 60 unshare "${rootless[@]}" --mount "$PTPROFIL" -q -F 1000 -o profile.folded -- \
        sh cmd.sh "$TARGETS/mix" "$TARGETS/jit" >out 2>err || status=$?
    [ $status != 77 ] || skip "nothing can be mounted here"
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    [ "$(weight_of profile.folded spin_half)" -gt 1000 ] || off "$(cat profile.folded)"
}

# two_builds FLAGS...: writes the programs first and second, whose functions first_one and second_one have the same place.
two_builds() {
    need gcc
    cat >build.c <<'END'
#include <time.h>
static volatile unsigned long sum;
__attribute__((noinline)) void NAME(void) { for (int i = 0; i < 100000; i++) sum += (unsigned long)i; }
int main(void)
{
    struct timespec used;
    do {
        NAME();
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    } while (used.tv_nsec < 300000000 && !used.tv_sec);
    return 0;
}
END
    gcc -O1 -g "$@" -DNAME=first_one build.c -o first && gcc -O1 -g "$@" -DNAME=secon_two build.c -o second || fail "gcc"
}

# each_build_apart FILE...: each program's time is below its own function.
each_build_apart() {
    cat "$@" >all.folded
    local name
    for name in first_one secon_two; do
        [ "$(weight_of all.folded $name)" -gt 200000 ] && [ "$(weight_of all.folded $name)" -lt 400000 ] || off "$name" "$(cat all.folded)"
    done
}

# A file system that is mounted after another one was unmounted gets its device number, and its files get the same inode
# numbers.
case_reused_device() {
    local status=0
    need_namespaces
    two_builds -Wl,--build-id=none
    mkdir there
    cat >cmd.sh <<'EOF'
for build in first second; do
    mount -t tmpfs none there || exit 77
    cp $build there/program && stat -c '%d %i' there/program >>numbers && there/program && sleep 0.3
    until umount there; do sleep 0.1; done
done 2>log
EOF
    local form
    for form in -oprofile.folded '--every=150ms -o%t.folded'; do
        rm -f ./*.folded numbers
        within 60 unshare "${rootless[@]}" --mount "$PTPROFIL" -q -F 1000 $form -- sh cmd.sh >out 2>err || status=$?
        [ $status != 77 ] || skip "nothing can be mounted here"
        [ $status = 0 ] || fail "status $status" "$(cat err log)"
        each_build_apart ./*.folded
    done
    [ "$(uniq numbers | wc -l)" = 1 ] || skip "the second file system has another number here"
}

# A file is overwritten in its place by another build. The first one's names are lost, but its time is not shown under the
# second one's functions; nor if the file is overwritten before the names are read.
case_overwritten() {
    two_builds -Wl,--build-id=none
    within 30 "$PTPROFIL" -q -F 1000 -o profile.folded -- sh -c 'cat first >program; chmod +x program; ./program; cat second >program; ./program' ||
        fail "status $?"
    [ "$(weight_of profile.folded secon_two)" -gt 200000 ] && [ "$(weight_of profile.folded secon_two)" -lt 400000 ] || off "$(cat profile.folded)"
    within 30 "$PTPROFIL" -q -F 1000 -o profile.folded -- sh -c './program; cat first >program' || fail "status $?"
    [ "$(matching_weight profile.folded 'first_one|secon_two')" -eq 0 ] || off "$(cat profile.folded)"
    two_builds -Wl,--build-id=sha1
    cp first program
    within 30 "$PTPROFIL" -q -F 1000 -o profile.folded -- sh -c './program; touch program; cat first >program' || fail "status $?"
    [ "$(weight_of profile.folded first_one)" -gt 200000 ] || off "$(cat profile.folded)"
}

run_cases "$@"
