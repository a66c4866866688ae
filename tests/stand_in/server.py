"""The two hosts of the stand-in: the API, and the storage that its redirects lead to."""

import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote, urlsplit

from tests.stand_in.answers import find, graphql
from tests.stand_in.exchange import Answer, Exchange, Request, refusal
from tests.stand_in.faults import Fault
from tests.stand_in.world import World

TOKEN = "ghs_" + "standin0" * 4
VERSION = "2022-11-28"
_LEVELS = {"none": 0, "read": 1, "write": 2}
_LIMITS = {"X-RateLimit-Limit": "1000", "X-RateLimit-Remaining": "990", "X-RateLimit-Used": "10"}


@dataclass
class StandIn:
    """GitHub, as far as we use it. `permissions` are those of the token that are not `write`, and
    `slow` is how many seconds each answer takes."""

    prefix: str = ""
    token: str = TOKEN
    world: World = field(default_factory=World)
    permissions: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    stored: list[Exchange] = field(default_factory=list)
    root: str = ""
    storage: str = ""
    slow: float = 0.0

    @property
    def url(self) -> str:
        return self.root + self.prefix

    @property
    def graphql_url(self) -> str:
        """Enterprise Server has it beside the REST API, github.com below it."""
        return f"{self.root}/api/graphql" if self.prefix else f"{self.root}/graphql"

    @property
    def environ(self) -> dict[str, str]:
        """What the runner sets for it."""
        return {
            "GITHUB_API_URL": self.url,
            "GITHUB_GRAPHQL_URL": self.graphql_url,
            "GITHUB_SERVER_URL": self.root,
        }

    def requests(self, method: str = "", holding: str = "") -> list[Request]:
        """What arrived, in order, or that part of it."""
        return [
            e.request
            for e in self.exchanges
            if method in ("", e.request.method) and holding in e.request.target
        ]

    def answer(self, request: Request) -> Answer:
        with self.world.lock:
            request = replace(request, root=self.root, storage=self.storage)
            fault = next((f for f in self.faults if f.strikes(request)), None)
            answer = self._with(fault, request) if fault else self._as_usual(request)
            self.exchanges.append(Exchange(request, answer, faulty=fault is not None))
            return answer

    def _with(self, fault: Fault, request: Request) -> Answer:
        if fault.meanwhile:
            fault.meanwhile(self.world)
            return self._as_usual(request)
        if fault.after_effect:
            self._as_usual(request)
        return fault.answer

    def _as_usual(self, request: Request) -> Answer:
        found = find(request)
        if found is None:
            return refusal(404, "Not Found")
        route, names = found
        if not request.path.startswith("/twirp/"):
            trouble = self._token_trouble(request) or self._forbidden(
                request, route.needs, route.level
            )
            if trouble:
                return trouble
        return route.answer(self.world, request, **names)

    def _token_trouble(self, request: Request) -> Answer | None:
        given = request.headers.get("authorization", "")
        if given in (f"Bearer {self.token}", f"token {self.token}"):
            version = request.headers.get("x-github-api-version", VERSION)
            return None if version == VERSION else refusal(400, "Unsupported version")
        if given:
            return refusal(401, "Bad credentials")
        public = request.method == "GET"
        return None if public else refusal(401, "Requires authentication")

    def _forbidden(self, request: Request, needs: tuple[str, ...], level: str) -> Answer | None:
        if request.path.endswith("/graphql"):
            needs, level = ("pull-requests",), graphql.level(request)
        held = [_LEVELS[self.permissions.get(need, "write")] for need in needs]
        if not held or max(held) >= _LEVELS[level]:
            return None
        accepted = "; ".join(f"{need.replace('-', '_')}={level}" for need in needs)
        answer = refusal(403, "Resource not accessible by integration")
        answer.headers["X-Accepted-GitHub-Permissions"] = accepted
        return answer

    def store(self, request: Request) -> Answer:
        """The other host: it knows signatures and refuses tokens."""
        with self.world.lock:
            answer = self._stored(request)
            self.stored.append(Exchange(request, answer))
            return answer

    def _stored(self, request: Request) -> Answer:
        if "authorization" in request.headers:
            return _storage_error(400, "InvalidAuthenticationInfo")
        if request.query.get("sig") != "abc":
            return _storage_error(403, "AuthenticationFailed")
        fault = next((f for f in self.faults if f.strikes(request)), None)
        if fault:
            return fault.answer
        return self._taken(request) if request.method == "PUT" else self._handed_out(request)

    def _handed_out(self, request: Request) -> Answer:
        data = self.world.signed.get(request.path)
        return _storage_error(404, "BlobNotFound") if data is None else Answer(200, body=data)

    def _taken(self, request: Request) -> Answer:
        upload = self.world.uploads.get(unquote(request.path.removeprefix("/upload/")))
        if upload is None or request.headers.get("x-ms-blob-type") != "BlockBlob":
            return _storage_error(400, "MissingRequiredHeader")
        upload.content = request.body
        return Answer(201)


def _storage_error(status: int, code: str) -> Answer:
    return Answer(status, body=f"<Error><Code>{code}</Code></Error>".encode())


@contextmanager
def running(stand_in: StandIn | None = None, *, port: int = 0) -> Iterator[StandIn]:
    """The stand-in, listening until the block ends."""
    stand_in = stand_in or StandIn()
    with (
        _listening(stand_in.answer, stand_in, port) as api,
        _listening(stand_in.store, stand_in, 0) as storage,
    ):
        stand_in.root = f"http://127.0.0.1:{api}"
        stand_in.storage = f"http://127.0.0.1:{storage}"
        yield stand_in


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away early is no news."""


@contextmanager
def _listening(
    answering: Callable[[Request], Answer], stand_in: StandIn, port: int
) -> Iterator[int]:
    class Handler(_Handler):
        answer = staticmethod(answering)
        place = stand_in

    with _Server(("127.0.0.1", port), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answer: Callable[[Request], Answer]
    place: StandIn

    def handle_any(self) -> None:
        self.close_connection = True
        length = int(self.headers.get("content-length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        path = urlsplit(self.path).path
        prefix = next((p for p in (self.place.prefix, "/api") if p and path.startswith(p)), "")
        body = self.rfile.read(length)
        time.sleep(self.place.slow)
        answer = self.answer(Request(self.command, self.path, headers, body, prefix=prefix))
        if answer.cut:
            return
        self.send_response(answer.status)
        sent = {**_LIMITS, "Content-Type": "application/json; charset=utf-8", **answer.headers}
        for name, value in sent.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        if answer.status != 204:
            self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    def log_message(self, *args: object) -> None:
        """The exchanges are the log."""
