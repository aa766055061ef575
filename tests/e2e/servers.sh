#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Common servers and test runners for interpreted languages: one command shows the user's slow function in the first
# row.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_interpreters.sh"

write_app() {
    cat >app.py <<'END'
import json

def render_price(n):
    total = 0
    for i in range(n):
        total += i % 7
    return total

def load_cart(n):
    return [json.dumps({"id": i, "price": render_price(200)}) for i in range(n)]

def application(environ, start_response):
    body = "\n".join(load_cart(60)).encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
END
}

# Asks the server on the socket SOCKET for pages until it is killed.
write_load() {
    cat >load.py <<'END'
import socket, struct, sys

def record(kind, body):
    return struct.pack("!BBHHBB", 1, kind, 1, len(body), 0, 0) + body

def pair(name, value):
    return struct.pack("!II", len(name) | 1 << 31, len(value) | 1 << 31) + name.encode() + value.encode()

fields = {"SCRIPT_FILENAME": sys.argv[2], "REQUEST_METHOD": "GET", "SCRIPT_NAME": "/app.php", "SERVER_PROTOCOL": "HTTP/1.1"}
fastcgi = record(1, struct.pack("!HB5x", 1, 0)) + record(4, b"".join(pair(*field) for field in fields.items())) + \
    record(4, b"") + record(5, b"")
request = fastcgi if sys.argv[2] else b"GET / HTTP/1.0\r\nHost: shop\r\n\r\n"
answered = 0
while True:
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(sys.argv[1])
        server.sendall(request)
        size = 0
        while part := server.recv(65536):
            size += len(part)
    answered += size > 60
    if answered == 3:
        print("answered", flush=True)
END
}

expect_first() { # expect_first FILE FUNCTION LANGUAGE: FUNCTION is in the first row of the table in FILE
    awk '/^samples/ { getline; print; exit }' "$1" | grep -q " $2  *\[$3\]\$" || off "$2 is not the first:" "$(cat "$1")"
}

# check_server LANGUAGE FUNCTION SCRIPT COMMAND...: COMMAND starts a server that listens on ./socket. Profiles it under
# load; FUNCTION must be the first one.
check_server() {
    local language=$1 function=$2 script=$3 server load status=0
    shift 3
    write_load
    "$@" >server.txt 2>&1 &
    server=$!
    poll_until 20 test -S socket || fail "the server does not begin: $(cat server.txt)"
    : >load.txt
    python3 load.py "$PWD/socket" "$script" >load.txt 2>&1 &
    load=$!
    poll_until 20 grep -q answered load.txt || fail "no answer: $(cat load.txt server.txt)"
    within 60 "$PTPROFIL" -F 500 -d 2 -p "$server" 2>table.txt || status=$?
    kill "$load" "$server"
    wait "$load" "$server" 2>/dev/null || true
    [ $status = 0 ] || fail "status $status"
    expect_first table.txt "$function" "$language"
}

need_python() {
    [ -n "$(pythons | grep -x /usr/bin/python3)" ] || skip "the system's Python is not one that is known"
}

long_gunicorn() {
    need gunicorn
    need_python
    write_app
    check_server python render_price '' gunicorn -w 2 -b "unix:$PWD/socket" app
}

long_uwsgi() {
    need uwsgi
    need_python
    write_app
    uwsgi --plugin python3 --version >version.txt 2>&1 || skip "uwsgi has no plugin for Python: $(tail -n 1 version.txt)"
    check_server python render_price '' uwsgi --plugin python3 --http-socket "$PWD/socket" --wsgi-file app.py --processes 2 --master --die-on-term
}

long_puma() {
    need puma python3
    is_known_ruby || skip "this is not Ruby 3.1"
    cat >config.ru <<'END'
def price_of(n)
  total = 0
  i = 0
  while i < n
    total += i % 7
    i += 1
  end
  total
end
def cart(n) (1..n).map { |i| price_of(300) } end
run lambda { |env| [200, {"Content-Type" => "text/plain"}, [cart(60).join("\n")]] }
END
    check_server ruby price_of '' puma -w 2 -b "unix://$PWD/socket" config.ru
}

long_php_fpm() {
    need php php-fpm8.2 python3
    is_known_php || skip "this is not PHP 8.2 without threads"
    cat >app.php <<'END'
<?php
function price_of($n) { $total = 0; for ($i = 0; $i < $n; $i++) $total += $i % 7; return $total; }
function cart($n) { $prices = []; for ($i = 1; $i <= $n; $i++) $prices[] = price_of(2000); return $prices; }
echo implode("\n", cart(60));
END
    printf '%s\n' '[global]' "error_log = $PWD/fpm.log" '[www]' "listen = $PWD/socket" 'pm = static' 'pm.max_children = 2' >fpm.conf
    check_server php price_of "$PWD/app.php" php-fpm8.2 -n -y fpm.conf -R -F
}

long_pytest() {
    need pytest-3
    need_python
    cat >test_shop.py <<'END'
import pytest

def slow_discount(prices):
    best = 0
    for a in prices:
        for b in prices:
            best = max(best, a * b % 97)
    return best

@pytest.mark.parametrize("n", range(20))
def test_discount(n):
    assert slow_discount(range(300)) <= 97
END
    within 60 "$PTPROFIL" pytest-3 -q -p no:cacheprovider >out.txt 2>table.txt || fail "status $?" "$(cat out.txt table.txt)"
    grep -q '20 passed' out.txt || fail "$(cat out.txt)"
    expect_first table.txt slow_discount python
}

run_cases "$@"
