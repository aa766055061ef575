#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ./quickstart: what it prints for a user who may not install packages, and the program that it profiles first.

. "$(dirname "$0")/lib.sh"

# quickstart_as SUDO: an ordinary user runs quickstart on a machine without packages. SUDO is the script of sudo (empty:
# no sudo). The file asked has the arguments of apt-get.
quickstart_as() {
    local tool user=()
    if [ "$(id -u)" = 0 ]; then
        need setpriv
        user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
        chmod 777 . && chmod a+x ..
        "${user[@]}" test -w . || skip "another user cannot come here"
    fi
    mkdir -p bin tree/tests/e2e
    cp "$source_dir/quickstart" tree
    echo strace >tree/tests/e2e/PACKAGES
    chmod -R a+rwX bin tree
    for tool in sh env dirname id cat head tail tr cut mktemp rm mkdir grep sleep kill printf; do
        ln -sf "$(type -P $tool)" bin
    done
    printf '#!/bin/sh\nexit 1\n' >bin/dpkg-query
    printf '#!/bin/sh\necho "$*" >>asked\n' >bin/apt-get
    [ -z "$1" ] || printf '#!/bin/sh\n%s\n' "$1" >bin/sudo
    chmod a+rx bin/dpkg-query bin/apt-get
    [ -z "$1" ] || chmod a+rx bin/sudo
    : >asked && chmod a+w asked
    status=0
    within 30 "${user[@]}" env PATH="$PWD/bin" TMPDIR="$PWD" sh tree/quickstart build >out 2>err </dev/null || status=$?
}

by_hand='^    apt-get update && apt-get install --no-install-recommends gcc .*libunwind-dev'

case_sudo_refuses() {
    quickstart_as 'echo "sorry, you may not" >&2; exit 1'
    [ $status = 1 ] && [ ! -s asked ] || fail "status $status" "$(cat err asked)"
    grep -q 'sudo refuses.*As root, run:$' err && grep -qE "$by_hand" err || fail "$(cat err)"
}

case_no_sudo() {
    quickstart_as ''
    [ $status = 1 ] && [ ! -s asked ] || fail "status $status" "$(cat err asked)"
    grep -q 'there is no sudo.*As root, run:$' err && grep -qE "$by_hand" err || fail "$(cat err)"
}

case_sudo_allows() {
    quickstart_as '[ "$1" = -v ] || exec "$@"'
    [ $status = 1 ] || fail "status $status" "$(cat err)" # there is nothing to build
    grep -q '^quickstart: installing gcc ' err && grep -q '^quickstart: making configure' err || fail "$(cat err)"
    grep -q ' update$' asked && grep -q ' install -y --no-install-recommends gcc ' asked || fail "$(cat asked)"
    ! grep -q $'\e' err || fail "escapes, and no terminal:" "$(cat err)"
}

case_apt_fails() {
    quickstart_as '[ "$1" = -v ] || { echo "no such package"; exit 100; }'
    [ $status = 1 ] || fail "status $status"
    grep -q '^no such package$' err && grep -q 'could not install.*As root, run:$' err && grep -qE "$by_hand" err || fail "$(cat err)"
}

# The profile of the first program has the names of zlib's functions.
case_demo() {
    need gcc
    gcc -g -O2 -o demo "$source_dir/data/demo.c" -l:libz.a 2>log || skip "no archive of zlib here"
    head -c 3000000 "$PTPROFIL" >input
    within 60 "$PTPROFIL" -F 1000 -o profile.folded -- ./demo input >out 2>err || fail "status $?" "$(cat out err)"
    [ "$(grep -c '^level [19]: [0-9]* bytes of [0-9]*$' out)" = 2 ] || fail "$(cat out)"
    [ "$(matching_weight profile.folded ';(deflate|deflate_fast|deflate_slow|longest_match|inflate|inflate_fast)(;|$)')" -gt 1000 ] ||
        off "$(cat profile.folded)"
}

run_cases "$@"
