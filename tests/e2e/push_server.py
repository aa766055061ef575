# SPDX-License-Identifier: MIT
#
# A server for profiles: push_server.py PORT-FILE FOLDER [PORT|SOCKET]. Stores each request as
# FOLDER/N.PATH-WITHOUT-SLASHES and its headers as N.headers. The file "mode" determines the answers: ok; partial (OTLP:
# 2 profiles of each request are rejected); a status, or a status and seconds for Retry-After; slow (no answer), half
# (ends within its answer), garbage, endless; file (the contents of the file "answer"), or file and a status.
import http.server
import itertools
import os
import socketserver
import sys
import time

folder = sys.argv[2]
numbers = itertools.count(1)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def keep(self, mode, body):
        number = next(numbers)
        name = "%04d.%s" % (number, self.path.strip("/").replace("/", "-"))
        with open(os.path.join(folder, "%04d.headers" % number), "w") as file:
            file.write("mode %s\ntime %f\n%s" % (mode, time.monotonic(), self.headers))
        with open(os.path.join(folder, name + ".part"), "wb") as file:
            file.write(body)
        os.rename(os.path.join(folder, name + ".part"), os.path.join(folder, name))

    def do_POST(self):
        with open("mode") as file:
            mode = file.read().split()
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.keep("_".join(mode), body)
        if mode[0] == "slow":
            while open("mode").read().split()[0] == "slow":
                time.sleep(0.05)
        elif mode[0] == "half":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc")
        elif mode[0] == "garbage":
            self.wfile.write(b"\x00\x01\x02 hello\r\n\r\n")
        elif mode[0] == "endless":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            try:
                while True:
                    self.wfile.write(b"x" * 65536)
            except OSError:
                pass
        elif mode[0] == "file":
            with open("answer", "rb") as file:
                self.put(int(mode[1]) if mode[1:] else 200, [], file.read())
            return
        else:
            self.answer(200 if mode[0] in ("ok", "partial") else int(mode[0]), mode[1:], mode[0] == "partial")
            return
        self.close_connection = True

    def answer(self, status, retry, partial):
        text = b"{}" if status == 200 else b"no \x1b[31mred"
        if "development" in self.path:  # ExportProfilesServiceResponse; google.rpc.Status
            text = (b"\x0a\x0b\x08\x02\x12\x07too \x1b[m" if partial else b"") if status == 200 else b"\x12\x0b" + text
        self.put(status, retry, text)

    def put(self, status, retry, text):
        self.send_response(status)
        for seconds in retry:
            self.send_header("Retry-After", seconds)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 64


where = sys.argv[3] if len(sys.argv) > 3 else "0"
server = Server(("127.0.0.1", int(where)), Handler) if where.isdigit() else UnixServer(where, Handler)
with open(sys.argv[1] + ".part", "w") as file:
    file.write(str(server.server_address[1]))
os.rename(sys.argv[1] + ".part", sys.argv[1])
server.serve_forever()
