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
ptprofil help lim|limits
ptprofil semantics illu|illumos
ptprofil schema cli|clickhouse
ptprofil doctor --p|--pid=
ptprofil some-comm|some-command
ptprofil -q -F 100 some-comm|some-command
ptprofil -- some-comm|some-command
ptprofil report --annotate=x --sysroot=some-f|some-folder
ptprofil -q some-command sto|stored.pb.gz'

begin() {
    touch stored.pb.gz
    printf '#!/bin/sh\n' >some-command
    chmod +x some-command
    mkdir some-folder
    PATH=$PATH:$PWD
}

# Long options of COMMAND, with = where they take something.
listed() {
    "$PTPROFIL" "$1" --help=list | awk -F'\t' '/^-/ { print $1 ($3 ~ /^[-[]/ ? "" : "=") }'
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

# few_words_of COMMAND OPTION: what OPTION takes, if that is one of a few words, which the program lists where it gets another.
few_words_of() {
    "$PTPROFIL" "$1" "$2=no-such-word" 2>&1 </dev/null | sed -nE "s/.*('no-such-word' is not one of|there is no [a-z]+ 'no-such-word'; [a-z]+ are) ([a-z:, -]*)$/\\2/p" |
        tr -d ,
}

asked_fish() {
    fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$completions/ptprofil.fish" "$1" 2>err | cut -f 1
}

# What stands behind the option that it is for.
bare() {
    sed 's/ $//; s/^--[a-z-]*=\(.\)/\1/'
}

# offers SHELL LINE WANTED
offers() {
    "asked_$1" "$2" | bare | grep -qx -e "$3" -e "${3%=}" -e "$3/" || fail "$1 does not offer '$3' for '$2':" "$("asked_$1" "$2")" "$(cat err)"
}

all_rows() { # all_rows SHELL
    local line wanted option command word words
    begin
    while IFS='|' read -r line wanted; do
        offers "$1" "$line" "$wanted"
    done <<<"$rows"
    for command in record report top; do
        "asked_$1" "ptprofil $command --" | sed 's/=$//' | sort -u >offered
        for option in $(listed $command); do
            grep -qxe "${option%=}" offered || fail "$1 does not offer $option of $command:" "$(cat offered)"
            [[ $option == *= ]] || continue
            words=$(few_words_of $command "${option%=}")
            [ -z "$words" ] || "asked_$1" "ptprofil $command $option" | bare | sort -u >offered.words
            for word in $words; do
                grep -qxF "$word" offered.words || fail "$1 does not offer $word for $option of $command:" "$(cat offered.words)"
            done
        done
    done
    ! "asked_$1" 'ptprofil some-command --clo' | grep clock || fail "an option of ours for another program"
}

case_bash() {
    all_rows bash
}

long_fish() {
    need fish
    export HOME=$PWD
    all_rows fish
}

keys() {
    tmux -L "$socket" send-keys -t shell "$@"
}

# lists WORD: among what is offered, which is below the line
lists() {
    tmux -L "$socket" capture-pane -p -J -t shell | sed 1d | tr -s ' ' '\n' | grep -qxF -e "$1" -e "$1="
}

# all_of_zsh COMMAND: each option, and what those take that take one of a few words, is in the list for what stands before.
all_of_zsh() {
    local option word words
    keys C-u C-l
    keys -l "ptprofil $1 --"
    keys C-d
    for option in $(listed "$1"); do
        poll_until 10 lists "${option%=}" || fail "zsh does not offer $option of $1:" "$(tmux -L "$socket" capture-pane -p -t shell)"
    done
    for option in $(listed "$1" | grep =); do
        words=$(few_words_of "$1" "${option%=}")
        [ -n "$words" ] || continue
        keys C-u C-l
        keys -l "ptprofil $1 $option"
        keys C-d
        for word in $words; do
            poll_until 10 lists "$word" || fail "zsh does not offer $word for $option of $1:" "$(tmux -L "$socket" capture-pane -p -t shell)"
        done
    done
}

screen_has() {
    tmux -L "$socket" capture-pane -p -J -t shell | grep -qxE -- "$1"
}

# It offers only to a person: what Tab makes of a line that can mean one thing is looked at.
long_zsh() {
    need zsh tmux
    local line wanted command few
    begin
    export HOME=$PWD
    few=$PWD/few
    mkdir few
    ln -s "$PTPROFIL" "$(command -v ps)" "$PWD/some-command" few
    socket=$PWD/tmux
    tmux -L "${socket//\//-}" -V >/dev/null || skip "tmux does not work"
    socket=completion-$$
    trap 'tmux -L "$socket" kill-server' EXIT
    tmux -f /dev/null -L "$socket" new-session -d -s shell -x 250 -y 300 'exec zsh -f' || skip "tmux does not work"
    # Commands that this machine has may begin as those of ptprofil.
    keys "PROMPT='> '; fpath=($completions \$fpath); autoload -Uz compinit; compinit -u -D; clear; path=($few); echo re''ady" Enter
    poll_until 20 screen_has ready || fail "zsh does not begin"
    while IFS='|' read -r line wanted; do
        [[ $line != *=* ]] || wanted=${line%=*}=$wanted
        [[ $line == *=* ]] || wanted="${line% *} $wanted"
        keys C-u C-l
        keys -l "$line"
        keys Tab
        poll_until 10 screen_has "> $wanted[ /]?" || fail "zsh does not make '$wanted' of '$line':" \
            "$(tmux -L "$socket" capture-pane -p -t shell)"
    done <<<"$rows"
    keys C-u C-l
    keys -l 'LISTMAX=1000' # asks nobody whether to list that many
    keys Enter
    for command in record report top; do
        all_of_zsh $command
    done
}

run_cases "$@"
