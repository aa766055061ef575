# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Sourced by tests that use the installed interpreters.

# Prints the installed Pythons of version 3.8 or later: the system's, and pyenv's.
pythons() {
    local python
    for python in /usr/bin/python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3 \
        /usr/bin/python3.1[2-9]; do
        [ -x "$python" ] && "$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info < (3, 15))' 2>/dev/null &&
            echo "$python"
    done
}

with_each_python() { # with_each_python CHECK: calls the function CHECK with each installed Python
    local python found=''
    for python in $(pythons); do
        echo "  $python"
        "$1" "$python"
        found=yes
    done
    [ -n "$found" ] || skip "no Python from 3.8 to 3.14 here"
}

library_of() { # library_of PYTHON: prints its shared library, if it has one
    "$1" -c 'import os, sysconfig
get = sysconfig.get_config_var
paths = [os.path.join(folder or "/", get("INSTSONAME") or "") for folder in (get("LIBDIR"), os.path.join(get("LIBDIR"), get("MULTIARCH") or ""))]
print(next((path for path in paths if ".so" in path and os.path.isfile(path)), ""))'
}

# The versions of other interpreters that ptprofil supports.
is_known_perl() {
    perl -MConfig -e 'exit !($] >= 5.036 && $] < 5.037 && $Config{usethreads})'
}

is_known_ruby() {
    ruby -e 'exit RUBY_VERSION.start_with?("3.1.")'
}

is_known_php() {
    php -r 'exit(PHP_MAJOR_VERSION == 8 && PHP_MINOR_VERSION == 2 && !PHP_ZTS ? 0 : 1);'
}
