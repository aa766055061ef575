#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The completions of bash, fish and zsh.

. "$(dirname "$0")/lib.sh"

completions=$(cd "$source_dir/completions" && pwd)
PATH=$(dirname "$PTPROFIL"):$PATH

# LINE|WANTED: each shell must offer WANTED as a completion of LINE. Options of the profiled command are not completed.
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

# Prints the long options of COMMAND, with = after each that takes an argument.
listed() {
    "$PTPROFIL" "$1" --help=list | awk -F'\t' '/^-/ { print $1 ($3 ~ /^[-[]/ ? "" : "=") }'
}

# asked_bash LINE: prints the completions that bash offers at the end of LINE.
asked_bash() {
    bash --norc --noprofile -c '
        . "$1"
        eval "$(complete -p ptprofil)" # fails without a completion for ptprofil
        words=${2//=/ = }
        [[ $2 != *" " ]] || words+=" \"\""
        eval "COMP_WORDS=($words)"
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _ptprofil ptprofil
        printf "%s\n" "${COMPREPLY[@]}"' bash "$completions/ptprofil" "$1" 2>err
}

# few_words_of COMMAND OPTION: prints the words that OPTION accepts, if it accepts only certain words. The program lists
# them in the error for another word.
few_words_of() {
    "$PTPROFIL" "$1" "$2=no-such-word" 2>&1 </dev/null | sed -nE "s/.*('no-such-word' is not one of|there is no [a-z]+ 'no-such-word'; [a-z]+ are) ([a-z:, -]*)$/\\2/p" |
        tr -d ,
}

asked_fish() {
    fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$completions/ptprofil.fish" "$1" 2>err | cut -f 1
}

# Removes the option before an offered argument.
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
    ! "asked_$1" 'ptprofil some-command --clo' | grep clock || fail "an option of ptprofil is offered for another program"
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

# lists WORD: WORD is in the list of completions, which zsh prints below the command line.
lists() {
    tmux -L "$socket" capture-pane -p -J -t shell | sed 1d | tr -s ' ' '\n' | grep -qxF -e "$1" -e "$1="
}

# all_of_zsh COMMAND: zsh lists each option of COMMAND, and the words of each option that accepts only certain words.
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

# zsh completes only in a terminal, so the keys are typed there: Tab must complete each line to the only possible word.
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
    # A short PATH, because programs of this machine may have names that begin like ptprofil's commands.
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
    keys -l 'LISTMAX=1000' # lists so many completions without asking first
    keys Enter
    for command in record report top; do
        all_of_zsh $command
    done
}

run_cases "$@"
