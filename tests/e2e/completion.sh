#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The completions, each asked in its shell.

. "$(dirname "$0")/lib.sh"

completions=$(cd "$source_dir/completions" && pwd)
PATH=$(dirname "$PTPROFIL"):$PATH

# Lines, and what each must offer, in every shell. The command of another program is none of ours.
rows='ptprofil --clo|--clock=
ptprofil --no-fo|--no-follow
ptprofil -F 100 --conta|--container=
ptprofil record --wa|--wait
ptprofil --clock=w|wall
ptprofil --format fol|folded
ptprofil --semantics illu|illumos
ptprofil rep|report
ptprofil report --foc|--focus=
ptprofil report sto|stored.pb.gz
ptprofil help doc|doctor
ptprofil semantics illu|illumos
ptprofil doctor --p|--pid=
ptprofil some-comm|some-command
ptprofil -q -F 100 some-comm|some-command
ptprofil -- some-comm|some-command
ptprofil -q some-command sto|stored.pb.gz'

begin() {
    touch stored.pb.gz
    printf '#!/bin/sh\n' >some-command
    chmod +x some-command
    PATH=$PATH:$PWD
}

# Long options of `ptprofil help COMMAND`, as they stand before what is said of them, with = where they take something.
listed() {
    "$PTPROFIL" help "$1" | awk '/^ +-/ { sub(/^ +/, ""); sub(/  .*/, ""); print }' | grep -oE -- '--[a-z][a-z-]*=?'
}

# asked_bash LINE: what bash offers at its end.
asked_bash() {
    bash --norc --noprofile -c '
        . "$1"
        eval "$(complete -p ptprofil)" # that it is there
        words=${2//=/ = }
        [[ $2 != *" " ]] || words+=" \"\""
        eval "COMP_WORDS=($words)"
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _ptprofil ptprofil
        printf "%s\n" "${COMPREPLY[@]}"' bash "$completions/ptprofil" "$1" 2>err
}

asked_fish() {
    fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$completions/ptprofil.fish" "$1" 2>err | cut -f 1
}

# offers SHELL LINE WANTED
offers() {
    "asked_$1" "$2" | sed 's/ $//; s/^--[a-z-]*=\(.\)/\1/' | grep -qx -e "$3" -e "${3%=}" || fail "$1 does not offer '$3' for '$2':" "$("asked_$1" "$2")" "$(cat err)"
}

all_rows() { # all_rows SHELL
    local line wanted option command
    begin
    while IFS='|' read -r line wanted; do
        offers "$1" "$line" "$wanted"
    done <<<"$rows"
    for command in record report; do
        "asked_$1" "ptprofil $command --" | sed 's/=$//' | sort -u >offered
        for option in $(listed $command); do
            grep -qxe "${option%=}" offered || fail "$1 does not offer $option of $command:" "$(cat offered)"
        done
    done
    ! "asked_$1" 'ptprofil some-command --clo' | grep clock || fail "an option of ours for another program"
}

case_bash() {
    all_rows bash
}

case_fish() {
    need fish
    export HOME=$PWD
    all_rows fish
}

keys() {
    tmux -L "$socket" send-keys -t shell "$@"
}

screen_has() {
    tmux -L "$socket" capture-pane -p -J -t shell | grep -qxE -- "$1"
}

# It offers only to a person: what Tab makes of a line that can mean one thing is looked at.
case_zsh() {
    need zsh tmux
    local line wanted
    begin
    export HOME=$PWD
    socket=$PWD/tmux
    tmux -L "${socket//\//-}" -V >/dev/null || skip "tmux does not work"
    socket=completion-$$
    trap 'tmux -L "$socket" kill-server' EXIT
    tmux -f /dev/null -L "$socket" new-session -d -s shell -x 200 -y 50 'exec zsh -f' || skip "tmux does not work"
    keys "PROMPT='> '; fpath=($completions \$fpath); autoload -Uz compinit; compinit -u -D; clear; echo re''ady" Enter
    poll_until 20 screen_has ready || fail "zsh does not begin"
    while IFS='|' read -r line wanted; do
        [[ $line != *=* ]] || wanted=${line%=*}=$wanted
        [[ $line == *=* ]] || wanted="${line% *} $wanted"
        keys C-u C-l
        keys -l "$line"
        keys Tab
        poll_until 10 screen_has "> $wanted ?" || fail "zsh does not make '$wanted' of '$line':" \
            "$(tmux -L "$socket" capture-pane -p -t shell)"
    done <<<"$rows"
}

run_cases "$@"
