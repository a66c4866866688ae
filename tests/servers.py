"""A loopback HTTP server that plays a script, for tests of whatever speaks HTTP."""

import json
import random
import socket
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path


@dataclass(frozen=True)
class Seen:
    """One request that arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def document(self):
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0
    stall: bool = False
    drip: bool = False


def reply(status=200, body=b"", headers=None, **misbehaviour):
    """`cut` bytes are promised and not sent, `stall` never answers, `drip` never ends."""
    return Reply(status, body, headers or {}, **misbehaviour)


def as_json(document, status=200):
    return reply(status, json.dumps(document).encode(), {"content-type": "application/json"})


def find_port() -> int:
    """Return a port that is free, for a program that has to be told one.

    Nobody else is given it meanwhile: the system hands out higher ones.
    """
    while True:
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", random.SystemRandom().randrange(20_000, 30_000)))
            port: int = tried.getsockname()[1]
            return port


class Script:
    """The replies in order; the last one again and again."""

    def __init__(self, *replies):
        self._replies = list(replies)

    def __call__(self, seen: Seen) -> Reply:
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


@dataclass
class Server:
    port: int
    seen: list[Seen] = field(default_factory=list)

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    @property
    def url(self):
        return f"http://{self.host}"


@contextmanager
def serve(answer: Callable[[Seen], Reply], certificate: Path | None = None) -> Iterator[Server]:
    """Run `answer` for every request until the block ends; what arrived is in `seen`.

    With a certificate it is asked over TLS.
    """
    server = Server(port=0)
    lock, over = threading.Lock(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self):
            length = int(self.headers.get("content-length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen = Seen(self.command, self.path, headers, self.rfile.read(length))
            with lock:
                server.seen.append(seen)
                chosen = answer(seen)
            self.close_connection = True
            if chosen.stall:
                over.wait(10)
                return
            self.send_response(chosen.status)
            for name, value in chosen.headers.items():
                self.send_header(name, value)
            promised = 10**6 if chosen.drip else len(chosen.body) + chosen.cut
            self.send_header("content-length", str(promised))
            self.send_header("connection", "close")
            self.end_headers()
            self.wfile.write(chosen.body)
            while chosen.drip and not over.wait(0.01):
                self.wfile.write(b"x")
                self.wfile.flush()

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

        def log_message(self, *args):
            pass

    class Quiet(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

        def handle_error(self, request, client_address):
            pass

    with Quiet(("127.0.0.1", 0), Handler) as listening:
        if certificate:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate)
            listening.socket = tls.wrap_socket(listening.socket, server_side=True)
        server.port = listening.server_address[1]
        thread = threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            over.set()
            listening.shutdown()
            thread.join()
