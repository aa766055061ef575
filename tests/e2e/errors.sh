#!/bin/bash
# SPDX-License-Identifier: MIT
#
# An error message says what to do. The status is the one that env, nice and timeout would give. If possible, the error
# comes before the command runs.

. "$(dirname "$0")/lib.sh"

# A folder of PATH that the user may not read would change the error for a command that is not found.
export PATH=/usr/bin:/bin

# refused STATUS PATTERN ARGUMENT...: ptprofil must end with STATUS (a pattern, too), print a message that matches
# PATTERN on standard error, and run nothing.
refused() {
    local expected=$1 pattern=$2 status=0
    shift 2
    rm -f ran
    within 10 "$PTPROFIL" "$@" >out 2>err || status=$?
    [[ $status =~ ^($expected)$ ]] || fail "status $status, not $expected: $*" "$(cat err)"
    [ ! -e ran ] || fail "the command has run: $*"
    [ ! -s out ] || fail "on standard output: $(cat out)"
    grep -qiE -- "$pattern" err || fail "no \"$pattern\" for: $*" "$(cat err)"
    ! grep -qE 'runtime error|AddressSanitizer|Assertion' err || fail "$(cat err)"
    grep -q "^ptprofil: " err || fail "does not say who speaks:" "$(cat err)"
}

case_not_found() {
    refused 127 'no-such-command' -- no-such-command
    refused 127 './none/such' -- ./none/such
    refused 127 'no-such-command' -q -o profile.folded -- no-such-command
}

case_not_executable() {
    echo 'echo x' >file
    refused 126 './file' -- ./file
    mkdir directory
    refused 126 './directory' -- ./directory
    printf '#!/none/such\n' >script
    chmod +x script
    refused '12[67]' './script' -- ./script # shells differ between the two
}

# A container, or a kernel, that does not permit a system call that ptprofil needs.
case_kernel_refuses() {
    local call
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # LeakSanitizer needs ptrace itself
    for call in ptrace process_vm_writev; do
        rm -f ran
        local status=0
        within 10 "$TARGETS/refuse" $call "$PTPROFIL" -- touch ran >out 2>err || status=$?
        [ $status = 125 ] || fail "status $status, not 125, without $call" "$(cat err)"
        [ ! -e ran ] || fail "the command has run without $call"
        grep -q "$call" err || fail "no word of $call" "$(cat err)"
    done
}

case_empty() {
    refused 125 'command' --
    refused 125 'command' -F 100
    refused 125 'command' record
    refused '12[57]' '.' -- ''
}

case_rate() {
    refused 125 '20000' -F 0 -- touch ran
    refused 125 '20000' -F 20001 -- touch ran
    refused 125 '20000' --rate=999999999999999999999 -- touch ran
    refused 125 'rate|-F' -F -5 -- touch ran
    refused 125 'ten' -F ten -- touch ran
    refused 125 '10x' -F 10x -- touch ran
    refused 125 'rate|-F' -F '' -- touch ran
    refused 125 '.' -F
}

case_duration() {
    refused 125 'x' -d x -- touch ran
    refused 125 '0' -d 0 -- touch ran
    refused 125 '-1' -d -1 -- touch ran
    refused 125 'nan' -d nan -- touch ran
}

case_overhead() {
    refused 125 'overhead' --max-overhead=0 -- touch ran
    refused 125 'overhead' --max-overhead=101 -- touch ran
    refused 125 'overhead' --max-overhead=some -- touch ran
    refused 125 'memory' --max-memory=some -- touch ran
}

case_unknown_option() {
    refused 125 'nonsense' --nonsense -- touch ran
    refused 125 'Z' -Z -- touch ran
    refused 125 'no-follow' --no-follow=1 -- touch ran
}

case_format() {
    refused 125 'flat.*folded.*gmon|folded' --format=nonsense -o file -- touch ran
    refused 125 'file.nonsense' -o file.nonsense -- touch ran
    [ ! -e file.nonsense ] && [ ! -e file ] || fail "left a file"
}

case_by() {
    refused 125 'function' --by=nonsense -- touch ran
}

case_semantics() {
    refused 125 'linux, freebsd, freebsd:built, irix, darwin, darwin:classic, illumos.*pcsample' semantics nosuch
    refused 125 'one system' semantics linux irix
    local system
    for system in '' linux freebsd:built pcsample; do
        within 10 "$PTPROFIL" semantics $system >out 2>err || fail "status $?" "$(cat err)"
        [ ! -s err ] && grep -q "^${system:-irix}\." out || fail "$(cat out err)"
    done
    [ -e /dev/full ] || return 0
    if "$PTPROFIL" semantics >/dev/full 2>err; then fail "status 0 with a full disk"; fi
    grep -q 'standard output' err || fail "$(cat err)"
}

case_output_not_writable() {
    refused 125 'no/such/file.folded' -o no/such/file.folded -- touch ran
    mkdir directory.folded
    refused 125 'directory.folded' -o directory.folded -- touch ran
    refused 125 'second.folded' -o first.folded -o no/such/second.folded -- touch ran
    if [ "$(id -u)" != 0 ]; then
        mkdir -m 555 locked
        refused 125 'locked/x.folded' -o locked/x.folded -- touch ran
    fi
    refused 125 '.' -o '' -- touch ran
}

# An existing file is not destroyed if the command cannot be run.
case_output_kept() {
    echo precious >kept.folded
    refused 127 'no-such-command' -o kept.folded -- no-such-command
    grep -q precious kept.folded || fail "the old file is gone"
}

# Of two outputs for the same file, the second would overwrite the first.
case_output_twice() {
    echo old >kept.txt
    ln -s kept.txt link.folded
    ln -s new.txt link.txt
    refused 125 "'dup.txt' and 'dup.txt' are the same file" -o dup.txt --format=csv -o dup.txt -- touch ran
    refused 125 "'kept.txt' and 'link.folded' are the same file" -o other.csv -o kept.txt -o link.folded -- touch ran
    refused 125 "'link.txt' and './new.txt' are the same file" -o link.txt -o ./new.txt -- touch ran
    [ "$(echo *)" = 'err kept.txt link.folded link.txt out' ] && [ "$(cat kept.txt)" = old ] || fail "$(ls -l)"
    "$PTPROFIL" -q --format=folded -o /dev/null --format=folded -o /dev/null -- true || fail "status $?"
}

# ptprofil fails if it cannot print its profile, but not if it has nothing to print.
case_closed_output() {
    local arguments status
    for arguments in --help --version semantics doctor '-q -o - true' 'report stored.pb.gz' 'report --format=folded -o - stored.pb.gz'; do
        [[ $arguments != *stored* ]] || "$PTPROFIL" -q -o stored.pb.gz -- true 2>/dev/null || continue
        status=0
        # shellcheck disable=SC2086 # words
        within 10 "$PTPROFIL" $arguments >&- 2>err || status=$?
        [ $status = 125 ] && grep -q 'cannot write.*Bad file descriptor' err || fail "status $status: $arguments" "$(cat err)"
    done
    "$PTPROFIL" -q -o run.folded -- sh -c 'echo x 2>/dev/null || exit 3' >&- 2>err
    [ $? = 3 ] && [ ! -s err ] && grep -q '^sh' run.folded || fail "$(cat err)"
    "$PTPROFIL" -o run.txt -- true >&- 2>err || fail "status $?" "$(cat err)"
}

# The disk is full at the end: a message and the status report it, and CMD's output is complete.
case_output_full() {
    [ -e /dev/full ] || skip "no /dev/full"
    local status=0
    within 10 "$PTPROFIL" --format=folded -o /dev/full -- sh -c 'echo x; exit 3' >out 2>err || status=$?
    grep -q '/dev/full' err || fail "nothing about it:" "$(cat err)"
    [ "$(cat out)" = x ] || fail "$(cat out)"
    [ $status != 0 ] || fail "status 0"
}

# Each output that fails is reported, and the others are written.
case_outputs_full() {
    [ -e /dev/full ] || skip "no /dev/full"
    local status=0
    ln -s /dev/full full.txt
    ln -s /dev/full full.tree
    within 10 "$PTPROFIL" -q -o full.txt -o good.folded -o full.tree -- true 2>err || status=$?
    [ $status = 125 ] && [ -s good.folded ] || fail "status $status" "$(ls -l; cat err)"
    [ "$(sed 's/:[^:]*$//' err)" = "ptprofil: cannot write the output 'full.txt'
ptprofil: cannot write the output 'full.tree'" ] || fail "$(cat err)"
    "$PTPROFIL" -q -o stored.pb.gz -- true || skip "no stored profiles"
    "$PTPROFIL" report -o full.txt -o full.tree stored.pb.gz 2>other
    [ $? = 125 ] && cmp err other || fail "$(cat other)"
}

# Links work as in a shell's redirection: the file that a link names is created, and removed if CMD cannot run; the link
# stays.
case_output_link() {
    ln -s target.folded link.folded
    refused 127 'no-such-command' -o link.folded -- no-such-command
    [ -L link.folded ] && [ ! -e target.folded ] || fail "$(ls -l)"
    "$PTPROFIL" -q -o link.folded -- true || fail "status $?"
    [ -L link.folded ] && [ -s target.folded ] || fail "$(ls -l)"
    ln -s no/such link.txt
    refused 125 'link.txt' -o link.txt -- touch ran
}

# An existing file keeps its mode, its names and its links.
case_output_replaced() {
    echo old >target.folded
    chmod 640 target.folded
    ln -s target.folded link.folded
    "$PTPROFIL" -q -o link.folded -- true || fail "status $?"
    [ -L link.folded ] && [ "$(stat -c %a target.folded)" = 640 ] || fail "$(ls -l)"
    grep -q '^true' target.folded && ! grep -q old target.folded || fail "$(cat target.folded)"
    ln target.folded other.folded
    echo old >target.folded
    "$PTPROFIL" -q -o target.folded -- true || fail "status $?"
    cmp target.folded other.folded && grep -q '^true' other.folded || fail "$(cat target.folded other.folded)"
    [ "$(echo *)" = 'link.folded other.folded target.folded' ] || fail "$(ls -l)"
}

# An output that CMD removes or replaces is written nevertheless.
case_output_removed() {
    local name
    echo old >old.folded
    for name in new.folded old.folded; do
        "$PTPROFIL" -q -o $name -- rm $name || fail "status $?"
        grep -q '^rm' $name || fail "$(ls -l)"
        "$PTPROFIL" -q -o $name -- sh -c "echo theirs >theirs; mv theirs $name" || fail "status $?"
        grep -q '^sh' $name && ! grep -q theirs $name || fail "$(cat $name)"
    done
    mkdir folder
    refused 125 'folder/x.folded' -o folder/x.folded -- rm -r folder
    [ "$(echo *.folded*)" = 'new.folded old.folded' ] && [ ! -e folder ] || fail "$(ls -l)"
}

case_output_pipe() {
    mkfifo pipe
    cat pipe >got &
    "$PTPROFIL" -q --format=folded -o pipe -- true || fail "status $?"
    wait $!
    grep -q '^true' got || fail "$(cat got)"
    { echo before; "$PTPROFIL" -q -o - --format=folded -o - -- echo of CMD; } >all || fail "status $?"
    grep -q '^before' all && grep -q '^of CMD' all && grep -q '^echo' all || fail "$(cat all)"
}

# Data that others write to a file that ptprofil inherited open is neither cut off nor lost in an unnamed file.
case_output_inherited() {
    local name
    for name in /dev/stdout /dev/fd/1 /proc/self/fd/1 all -; do
        echo before >all
        { "$PTPROFIL" -q --format=folded -o "$name" -- echo of CMD; echo after; } >>all || fail "status $?"
        [[ $(cat all) == before$'\n'of\ CMD$'\n'echo*$'\n'after ]] || fail "$name:" "$(cat all)"
    done
    for name in /dev/stderr /dev/fd/7 /proc/self/fd/7 log; do
        echo before >log
        { "$PTPROFIL" -q --format=folded -o "$name" -- true; echo after >&2; } 7>>log 2>&7 || fail "status $?"
        [[ $(cat log) == before$'\n'true*$'\n'after ]] || fail "$name:" "$(cat log)"
    done
    echo before >log
    { "$PTPROFIL" -q --impose=profil --impose-output=/dev/fd/7 -- "$TARGETS/mix" -s 0.1 && echo after >&7; } 7>>log || fail "status $?"
    [ "$(head -c 6 log)" = before ] && [ "$(tail -c 6 log)" = after ] || fail "$(wc -c log)"
    "$PTPROFIL" -q -o stored.pb.gz -- true || skip "no stored profiles"
    echo before >all
    { "$PTPROFIL" report --format=folded -o /dev/stdout stored.pb.gz; echo after; } >>all || fail "status $?"
    [[ $(cat all) == before$'\n'true*$'\n'after ]] || fail "report:" "$(cat all)"
    echo old >all
    "$PTPROFIL" -q --format=folded -o all -- cat <all >read || fail "status $?" # a reader of the old file reads all of it
    grep -q '^cat' all && ! grep -q old all && [ "$(cat read)" = old ] || fail "$(cat all read)"
}

# A file in a container that is mounted from outside, before or during the run.
case_output_mounted() {
    need unshare mount
    local map=()
    [ "$(id -u)" = 0 ] || map=(--user --map-root-user)
    unshare "${map[@]}" --mount sh -c ': >tried && mount --bind tried tried' 2>/dev/null || skip "no mounts here"
    rm tried
    echo old >mounted.folded
    # shellcheck disable=SC2016 # for the shell inside
    unshare "${map[@]}" --mount sh -c 'mount --bind mounted.folded mounted.folded && "$@"' - \
        "$PTPROFIL" -q -o mounted.folded -- true 2>err || fail "status $?" "$(cat err)"
    grep -q '^true' mounted.folded && ! grep -q old mounted.folded || fail "$(cat mounted.folded)"
    seq 1000 >mounted.folded
    unshare "${map[@]}" --mount "$PTPROFIL" -q -o mounted.folded -- mount --bind mounted.folded mounted.folded 2>err ||
        fail "status $?" "$(cat err)"
    grep -q '^mount' mounted.folded && ! grep -qx 1000 mounted.folded || fail "$(cat mounted.folded)"
    [ "$(echo *)" = 'err mounted.folded' ] || fail "$(ls -l)"
}

# Extended attributes of an existing file, which a new file would not have, are kept.
case_output_attributes() {
    need setfattr getfattr
    echo old >kept.folded
    setfattr -n user.origin -v here kept.folded 2>/dev/null || skip "no extended attributes here"
    "$PTPROFIL" -q -o kept.folded -- true || fail "status $?"
    [ "$(getfattr --only-values -n user.origin kept.folded)" = here ] || fail "$(getfattr -d kept.folded)"
    grep -q '^true' kept.folded && ! grep -q old kept.folded && [ "$(echo *)" = kept.folded ] || fail "$(cat kept.folded)"
}

# limited ARGUMENT...: runs ptprofil with a limit of 1 KiB for files; it must report the file that is too large.
limited() {
    local status=0
    (ulimit -f 1 && exec "$PTPROFIL" "$@") >out 2>err || status=$?
    [ $status = 125 ] || fail "status $status: $*" "$(cat err)"
    grep -q 'cannot write.*File too large' err || fail "$(cat err)"
}

# If an output does not fit, no part of it is left.
case_output_too_large() {
    ! is_sanitized || skip "a sanitizer's own files are limited, too"
    limited -q -o new.html -- true
    [ ! -e new.html ] || fail "a part is left: $(wc -c new.html)"
    ln -s target.html link.html
    limited -q -o link.html -- true
    [ ! -e target.html ] || fail "a part is left: $(wc -c target.html)"
    echo old >kept.html
    limited -q -o kept.html -- true
    [ "$(cat kept.html)" = old ] || fail "$(wc -c kept.html)"
    "$PTPROFIL" -q -o stored.pb.gz -- true || skip "no stored profiles"
    limited report -o kept.html stored.pb.gz
    [ "$(cat kept.html)" = old ] || fail "$(wc -c kept.html)"
    ln kept.html second.html # a file with two names is not replaced, but overwritten
    limited -q -o kept.html -- true
    [ ! -s kept.html ] || fail "a part is left: $(wc -c kept.html)"
    [ "$(echo *)" = 'err kept.html link.html out second.html stored.pb.gz' ] || fail "$(ls -l)"
}

case_meant() {
    refused 125 'did you mean --format\?' --formt=flat -- touch ran
    refused 125 "ambiguous: --stacks, --stack-bytes" --st=none -- touch ran
    refused 125 ': --no-follow takes no argument' --no-follow=1 -- touch ran
    refused 125 "is an option of 'ptprofil report'" --diff=x -- touch ran
    refused 125 "is an option of 'ptprofil', 'ptprofil top' and 'ptprofil dump', not of 'ptprofil report'" report --stacks=none file
    refused 125 "unknown option '--zzzzzz'; 'ptprofil --help=all'" --zzzzzz -- touch ran
    refused 125 "'-F' is an option of 'ptprofil' and 'ptprofil top', not" report -F 99 file
    refused 125 "no option '-g': stacks are always recorded" -g -- touch ran
    refused 125 "no option '--wall': use --clock=wall" --wall touch ran
    refused 125 "cannot tell the format from the name 'x.png'; .*formats are flat, tree" -o x.png touch ran
    refused 125 "'attach' is not a command of ptprofil: use 'ptprofil -p PID'" attach 123
    refused 125 "'diff' is not .* use 'ptprofil report --diff=OLD NEW'.* write 'ptprofil -- diff'" diff a b
    refused 127 "annotate-it: command not found$" annotate-it
    refused 127 "merge: command not found; use 'ptprofil report -o SUM.pb.gz FILE" merge a b
    refused 127 "repot: command not found; did you mean 'ptprofil report'\?" repot file
    refused 127 "report: command not found; did you mean 'ptprofil report'\?" -q report file
    refused 127 "4711: command not found; did you mean 'ptprofil -p 4711'\?" 4711
    refused 127 "repot: command not found$" -- repot file
    refused 127 "no-such-command: command not found$" no-such-command -o file.txt
    refused 125 "did you mean folded\?" --format=foldde -o file -- touch ran
    refused 125 "did you mean illumos\?" --semantics=ilumos touch ran
    [ ! -e file.txt ] || fail "took an option of the command"
}

# A set-user-ID copy of ptprofil, which would give other users root's rights, refuses to run.
case_set_user_id() {
    [ "$(id -u)" = 0 ] || skip "not root"
    need setpriv
    local status=0
    chmod 755 . ..
    cp "$(command -v id)" who && chmod 4755 who
    [ "$(setpriv --reuid=65534 --clear-groups ./who -u 2>&1)" = 0 ] || skip "set-user-ID does not work here"
    cp "$PTPROFIL" copy && chmod 4755 copy
    setpriv --reuid=65534 --clear-groups ./copy -o file.folded -- touch ran >out 2>err || status=$?
    [ $status = 125 ] || fail "status $status" "$(cat err)"
    grep -q 'set-user-ID' err || fail "$(cat err)"
    [ ! -e ran ] && [ ! -e file.folded ] || fail "$(ls)"
}

# A program with the name of another profiler's command runs if nothing else can be meant.
case_named_like_a_command() {
    local words
    printf '#!/bin/sh\ntouch ran\n' >diff
    chmod +x diff
    for words in '-- diff' 'record diff' '-q diff' './diff'; do
        PATH=$PWD:$PATH "$PTPROFIL" $words x >out 2>&1 || fail "$words: status $?:" "$(cat out)"
        rm ran || fail "'$words' did not run it:" "$(cat out)"
    done
    ! PATH=$PWD:$PATH "$PTPROFIL" diff x >out 2>&1 || fail "ran it"
    [ ! -e ran ] || fail "ran it, and said:" "$(cat out)"
}

# ptprofil works with a small limit for its stack, and the command inherits this limit.
case_small_stack() {
    local size status
    ! is_sanitized || skip "a sanitized ptprofil keeps the small stack"
    for size in 64 300; do
        status=0
        # shellcheck disable=SC2016
        (ulimit -s $size && within 30 "$PTPROFIL" -q -F 1000 -o small.txt -o small.pb.gz -- sh -c 'ulimit -s >limit; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; exit 7' &&
            true) || status=$?
        [ $status = 7 ] && [ "$(cat limit)" = $size ] && grep -q 'samples' small.txt || fail "$size KiB: status $status" "$(cat small.txt)"
        (ulimit -s $size && within 30 "$PTPROFIL" report small.pb.gz >report.txt) || fail "$size KiB: report: status $?"
    done
}

case_help() {
    "$PTPROFIL" --help >out 2>err || fail "status $?"
    [ ! -s err ] && grep -q -- '--rate' out || fail "$(cat out err)"
    local word line
    for word in -h help 'help help'; do
        "$PTPROFIL" $word | cmp - out || fail "$word is another text than --help"
    done
    "$PTPROFIL" help doctor | grep -q -- '--pid' || fail "no help on doctor"
    "$PTPROFIL" --help=all | grep -q -- '--stack-bytes' || fail "not all options"
    # Without arguments, it prints the help on standard error, and fails.
    ! "$PTPROFIL" >nothing 2>err || fail "status 0"
    cmp err out && [ ! -s nothing ] || fail "$(cat nothing err)"
    "$PTPROFIL" --version >out 2>err || fail "status $?"
    [ ! -s err ] && grep -q '^ptprofil ' out || fail "$(cat out err)"
    for word in -V version; do
        "$PTPROFIL" $word | cmp - out || fail "$word is another text than --version"
    done
    for line in libunwind elfutils debuginfod liblzma zlib; do
        grep -qE "^  $line +([0-9][0-9.]+|left out|(not )?installed) +[a-z]" out || fail "$line:" "$(cat out)"
    done
    [ -e /dev/full ] || return 0
    if "$PTPROFIL" --help >/dev/full 2>err; then fail "status 0 with a full disk"; fi
}

# A topic is a page of the manual, which man shows.
case_manual() {
    local topic section status=0
    mkdir empty nothing
    for section in 1 3 5 7; do
        mkdir -p share/man$section
        cp "$source_dir"/man/*.$section share/man$section
    done
    PATH=$PWD/nothing "$PTPROFIL" help limits >out 2>err || status=$?
    [ $status = 125 ] && [ ! -s out ] && grep -qF 'cannot run man, which shows ptprofil-limits(7)' err ||
        fail "without man: status $status" "$(cat out err)"
    need man
    export MANPATH=$PWD/share MANPAGER=cat LC_ALL=C.UTF-8
    for topic in $("$PTPROFIL" --help=list | awk -F'\t' '$1 == "help" { sub("words:", "", $4); print $4 }'); do
        within 20 "$PTPROFIL" help "$topic" >page 2>err || fail "$topic: status $?" "$(cat err)"
        case $topic in
        doctor | schema | help | version) grep -q '^Usage:' page || fail "$topic shows no help:" "$(cat page)" ;;
        record) grep -q '^PTPROFIL(1)' page || fail "another page:" "$(head -n 3 page)" ;;
        *) head -n 1 page | grep -qiE "^(ptprofil-)?$topic\([1-7]\)" || fail "$topic shows another page:" "$(head -n 3 page)" ;;
        esac
    done
    within 20 "$PTPROFIL" help limits | grep -q '^WHAT A PROGRAM CAN NOTICE' || fail "no page about the limits"
    export MANPATH=$PWD/empty
    refused 125 "the manual page ptprofil-limits\(7\) is not installed; a package or 'make install'" help limits
    refused 125 "no topic 'limit'; did you mean" help limit
}

# Under another tracer: if ptprofil cannot trace the command, it does not run it.
case_traced_already() {
    need strace
    ! is_sanitized || skip "LeakSanitizer does not work under strace"
    local status=0
    within 20 strace -f -o /dev/null "$PTPROFIL" -o profile.folded -- touch ran >out 2>err || status=$?
    if [ $status = 0 ]; then
        [ -e ran ] || fail "status 0, but CMD has not run"
        return 0
    fi
    [ $status = 125 ] || fail "status $status" "$(cat err)"
    grep -qi 'trace' err || fail "$(cat err)"
}

run_cases "$@"
