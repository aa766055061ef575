# SPDX-License-Identifier: MIT
#
# fish completion for ptprofil. The options, and what is said of them, are those that `ptprofil help` lists.

command -q ptprofil; or exit

set -l words record report top semantics doctor help version

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

function __ptprofil_values
    switch $argv[1]
        case format
            printf '%s\n' flat tree folded pprof html speedscope firefox callgrind json csv perf-script annotate gmon
        case by
            if __ptprofil_is top
                printf '%s\n' function thread process waiting
            else
                printf '%s\n' function module process program command thread line syscall
            end
        case interval
            printf '%s\n' 1 2 5 10 20 30 60
        case names
            printf '%s\n' short full
        case sort
            printf '%s\n' self total
        case rows
            printf '%s\n' 20 100 all
        case clock
            printf '%s\n' cpu wall
        case toggle
            printf '%s\n' USR1 USR2 RTMIN
        case delay
            printf '%s\n' 1s 10s 1m forever
        case stacks
            printf '%s\n' dwarf fp none
        case calls
            printf '%s\n' auto on off
        case semantics
            printf '%s\n' linux freebsd freebsd:built irix darwin darwin:classic illumos
        case impose
            printf '%s\n' profil pcsample:1000
        case rate
            printf '%s\n' auto 100 1000 5000
        case max-overhead
            printf '%s\n' 5 10 25 50 off
        case max-memory
            printf '%s\n' 64M 256M 1G off
        case sysroot
            __fish_complete_directories (commandline -ct | string replace -r '^--sysroot=' '')
        case pid
            __fish_complete_pids
        case name comm
            cat /proc/[0-9]*/comm 2>/dev/null | sort -u
        case cgroup
            string replace -rf '^[0-9]*:[^:]*:' '' -- (cat /proc/[0-9]*/cgroup 2>/dev/null) | sort -u
        case container
            string match -rg '([0-9a-f]{12})[0-9a-f]{52}' -- (cat /proc/[0-9]*/cgroup 2>/dev/null) | sort -u
    end
end

# __ptprofil_options COMMAND CONDITION: those that `ptprofil help COMMAND` lists, where CONDITION holds.
function __ptprofil_options
    for line in (ptprofil help $argv[1] 2>/dev/null | string match -r '^ +-.*')
        set -l parts (string split -m 1 '  ' -- (string trim -- $line))
        set -l short (string match -rg '^-([A-Za-z])' -- $parts[1])
        for option in (string match -arg -- '--([a-z-]+=?)' $parts[1])
            set -l name (string trim -r -c = -- $option)
            set -l more -d (string trim -- "$parts[2]")
            test -n "$short"; and set -a more -s $short
            if test $name != $option
                contains -- $name output impose-output diff control command-output; and set -a more -rF; or set -a more -x -a "(__ptprofil_values $name)"
                set -a __ptprofil_takers --$name
                test -n "$short"; and set -a __ptprofil_takers -$short
            end
            complete -c ptprofil -n $argv[2] -l $name $more
        end
    end
end

complete -c ptprofil -f
__ptprofil_options record 'not __ptprofil_is report top semantics doctor help version; and not __ptprofil_has_command'
__ptprofil_options top '__ptprofil_is top; and not __ptprofil_has_command'
__ptprofil_options report '__ptprofil_is report'
complete -c ptprofil -n __fish_is_first_arg -a "$words"
complete -c ptprofil -n '__ptprofil_is report' -F
complete -c ptprofil -n '__ptprofil_is help' -a "$words"
complete -c ptprofil -n '__ptprofil_is semantics' -a '(__ptprofil_values semantics) pcsample'
complete -c ptprofil -n '__ptprofil_is doctor' -s p -l pid -x -a '(__fish_complete_pids)' -d 'look at this process, too'
complete -c ptprofil -n 'not __ptprofil_is report semantics doctor help version' \
    -a '(__fish_complete_subcommand $__ptprofil_takers)'
