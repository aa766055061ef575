# SPDX-License-Identifier: MIT
#
# Makes a C file with the text of the page: awk -v folder=data -f embed.awk data/page.html >page.c. A line "@FILE name@"
# in the page is replaced by this file of the folder. The line "@DATA@" is the place for the data of a profile.

# Returns the text with a backslash before each CHARACTER.
function escaped(line, character,    parts, count, i, whole) {
    count = split(line, parts, character)
    whole = parts[1]
    for (i = 2; i <= count; i++)
        whole = whole "\\" character parts[i]
    return whole
}

# Prints a line as a C string. Question marks are escaped, because two of them can begin a trigraph.
function put(line) {
    print "    \"" escaped(escaped(escaped(line, "\\"), "\""), "?") "\\n\""
}

function put_file(name,    line, path, known, lines) {
    path = folder "/" name
    while ((known = (getline line < path)) > 0) {
        put(line)
        lines++
    }
    close(path)
    if (known < 0 || !lines)
        fail("cannot read " path)
}

function fail(text) {
    print "embed.awk: " text > "/dev/stderr"
    failed = 1
    exit 1
}

BEGIN {
    print "/* Made by data/embed.awk: change the files in data/. */"
    print "#include \"profile/report/page.h\"\n"
    print "const char page_head[] ="
}

/^@FILE .*@$/ {
    put_file(substr($0, 7, length($0) - 7))
    next
}

/^@DATA@$/ {
    halves++
    print "    ;\n\nconst char page_tail[] ="
    next
}

{ put($0) }

END {
    if (!failed && halves != 1)
        fail("not one @DATA@ line")
    if (failed)
        exit 1
    print "    ;"
}
