"""The HTTP side of sharers that are not ours: WHEP in a few lines, for whatever Python runs them."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

MAXIMUM_BODY = 64 * 1024


class Refused(Exception):
    """The offer has nothing we can send."""


def serve(listen, join, leave):
    """In the background: `join(offer)` gives a session's number and an answer, or raises Refused; `leave(number)` says
    whether there was such a session."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            """A small page, so that a browser can watch too."""
            page = (Path(__file__).parent / "minimal.html").read_bytes()
            self.reply(200, page, {"Content-Type": "text/html; charset=utf-8"})

        def do_POST(self):
            length = int(self.headers.get("Content-Length", 0))
            if length > MAXIMUM_BODY:
                return self.reply(413)
            try:
                number, answer = join(self.rfile.read(length).decode())
            except Refused as reason:
                return self.reply(406, str(reason).encode())
            where = {"Content-Type": "application/sdp", "Location": f"/v1/sessions/{number}"}
            return self.reply(201, answer.encode(), where)

        def do_DELETE(self):
            self.reply(200 if leave(self.path.rsplit("/", 1)[-1]) else 404)

        def reply(self, status, body=b"", headers=()):
            self.send_response(status)
            for name, value in dict(headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    host, port = listen.rsplit(":", 1)
    server = ThreadingHTTPServer((host, int(port)), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
