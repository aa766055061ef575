# SPDX-License-Identifier: MIT
#
# fish completion for ptprofil. The options, what they take, and what is said of them, are those that
# `ptprofil COMMAND --help=list` prints.

command -q ptprofil; or exit

# The options that take the next word for their argument, where they stand without a '='.
set -g __ptprofil_takers

# The command of ptprofil's own that the line begins with.
function __ptprofil_is
    set -l line (commandline -opc)
    set -q line[2]; and contains -- $line[2] $argv
end

# One of another program has begun: the first word that is no option, or what follows --.
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

# What the kind of an argument says, see --help=list.
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

# __ptprofil_options COMMAND CONDITION: the options of COMMAND, where CONDITION holds.
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

# The commands, each with what its arguments are.
for line in (ptprofil --help=list 2>/dev/null | string match -r '^[a-z].*')
    set -l fields (string split \t -- $line)
    complete -c ptprofil -n __fish_is_first_arg -a $fields[1] -d $fields[5]
    test $fields[4] = files; and complete -c ptprofil -n "__ptprofil_is $fields[1]" -F
    string match -q 'words:*' -- $fields[4]; and complete -c ptprofil -n "__ptprofil_is $fields[1]" -a "(__ptprofil_propose '$fields[4]')"
end

complete -c ptprofil -f
__ptprofil_options record 'not __ptprofil_is report top semantics schema doctor help version; and not __ptprofil_has_command'
__ptprofil_options top '__ptprofil_is top; and not __ptprofil_has_command'
for command in report semantics schema doctor help version
    __ptprofil_options $command "__ptprofil_is $command"
end
complete -c ptprofil -n 'not __ptprofil_is report semantics schema doctor help version' \
    -a '(__fish_complete_subcommand $__ptprofil_takers)'
