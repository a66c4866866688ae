"""A server on loopback for one program in the sandbox: it hands on what the program may have."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_POLL = 0.02


class LoopbackHandler(BaseHTTPRequestHandler):
    """Answers the requests of a program, and logs none of them."""

    timeout = 30.0  # seconds after which a connection that says nothing is closed
    server_version, sys_version = "agentevals", ""

    def log_message(self, *_: Any) -> None:
        """Requests of a program are not logged."""


@contextmanager
def serve(handler: Callable[..., LoopbackHandler], *, at_a_time: int) -> Iterator[int]:
    """Serve until the block ends; yield the port. Connections beyond the limit are closed."""
    with _Server(handler, at_a_time) as server:
        thread = threading.Thread(target=server.serve_forever, args=(_POLL,), daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a request that is still under way must not hold us up

    def __init__(self, handler: Callable[..., LoopbackHandler], at_a_time: int) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self._room = threading.BoundedSemaphore(at_a_time)

    def verify_request(self, *_: Any) -> bool:
        return self._room.acquire(blocking=False)

    def process_request_thread(self, *connection: Any) -> None:
        try:
            super().process_request_thread(*connection)
        finally:
            self._room.release()

    def handle_error(self, *_: Any) -> None:
        """A program that hangs up is its own business."""
