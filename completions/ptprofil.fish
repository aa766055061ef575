# SPDX-License-Identifier: MIT
#
# fish completion for ptprofil. The options, their arguments and their descriptions come from
# `ptprofil COMMAND --help=list`.

command -q ptprofil; or exit

# The options that use the next word as their argument if they have no '='.
set -g __ptprofil_takers

# True if the first word after ptprofil is one of these commands.
function __ptprofil_is
    set -l line (commandline -opc)
    set -q line[2]; and contains -- $line[2] $argv
end

# True if the profiled command has begun: after --, or after the first word that is neither an option nor its argument.
function __ptprofil_has_command
    set -l line (commandline -opc)
    set -e line[1]
    contains -- "$line[1]" record top; and set -e line[1]
    while set -q line[1]
        switch $line[1]
            case --
                return 0
            case '-*'
                contains -- $line[1] $__ptprofil_takers; and set -e line[1]
            case '*'
                return 0
        end
        set -e line[1]
    end
    return 1
end

# Prints the completions for a kind of argument, see --help=list.
function __ptprofil_propose
    switch $argv[1]
        case 'words:*'
            string split ' ' -- (string replace words: '' -- $argv[1])
        case folders
            __fish_complete_directories (commandline -ct | string replace -r '^--[a-z-]*=' '')
        case pids
            __fish_complete_pids
        case names
            cat /proc/[0-9]*/comm 2>/dev/null | sort -u
        case cgroups
            string replace -rf '^[0-9]*:[^:]*:' '' -- (cat /proc/[0-9]*/cgroup 2>/dev/null) | sort -u
        case containers
            string match -rg '([0-9a-f]{12})[0-9a-f]{52}' -- (cat /proc/[0-9]*/cgroup 2>/dev/null) | sort -u
    end
end

# __ptprofil_options COMMAND CONDITION: adds the options of COMMAND, if CONDITION is true.
function __ptprofil_options
    for line in (ptprofil $argv[1] --help=list 2>/dev/null | string match -r '^-.*')
        set -l fields (string split \t -- $line)
        set -l more -l (string sub -s 3 -- $fields[1]) -d $fields[5]
        test $fields[2] != -; and set -a more -s (string sub -s 2 -- $fields[2])
        if not string match -qr '^[-[]' -- $fields[3]
            test $fields[4] = files; and set -a more -rF; or set -a more -x -a "(__ptprofil_propose '$fields[4]')"
            set -a __ptprofil_takers $fields[1]
            test $fields[2] != -; and set -a __ptprofil_takers $fields[2]
        end
        complete -c ptprofil -n $argv[2] $more
    end
end

# The commands, and the kinds of their arguments.
for line in (ptprofil --help=list 2>/dev/null | string match -r '^[a-z].*')
    set -l fields (string split \t -- $line)
    complete -c ptprofil -n __fish_is_first_arg -a $fields[1] -d $fields[5]
    test $fields[4] = files; and complete -c ptprofil -n "__ptprofil_is $fields[1]" -F
    string match -q 'words:*' -- $fields[4]; and complete -c ptprofil -n "__ptprofil_is $fields[1]" -a "(__ptprofil_propose '$fields[4]')"
end

complete -c ptprofil -f
__ptprofil_options record 'not __ptprofil_is report top dump semantics schema doctor help version; and not __ptprofil_has_command'
__ptprofil_options top '__ptprofil_is top; and not __ptprofil_has_command'
for command in report dump semantics schema doctor help version
    __ptprofil_options $command "__ptprofil_is $command"
end
complete -c ptprofil -n 'not __ptprofil_is report dump semantics schema doctor help version' \
    -a '(__fish_complete_subcommand $__ptprofil_takers)'
