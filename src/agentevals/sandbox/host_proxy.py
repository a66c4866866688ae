"""The proxy that every connection of a program with granted hosts leads to.

It speaks HTTP: `CONNECT`, the absolute form, and the plain form of a client that knows of no
proxy, whose `Host` header says whom it wants. It resolves names itself, once for each program, and
connects to an address that it has looked at.

Where this machine has to use a proxy itself, as `HTTPS_PROXY` and `HTTP_PROXY` name it, ours
connects to granted hosts through that one, but for those that `NO_PROXY` names and for this
machine. That proxy resolves their names: whoever runs it decides which addresses they stand for.
"""

import base64
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Self
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from agentevals.sandbox.allowed_hosts import Granted, Host, RefusedHostError, read_address
from agentevals.sandbox.program_rights import Rights
from agentevals.sandbox.proxied_requests import END, Request

_CHUNK = 1 << 16
_LARGEST = 1 << 16  # of a request without its body
_SILENCE = 30.0  # seconds that a request may take to be sent
_TO_CONNECT = 10.0
_NAMED = 20  # refused hosts that are told
_ESTABLISHED = b"HTTP/1.1 200 Connection established" + END
_TLS = 0x16  # the first byte of a client that asked for no tunnel
_DIRECT = "a host that was asked for without the proxy; use a client that heeds HTTPS_PROXY"
_NOT_HTTP = "a host that was asked for by another protocol than HTTP; only HTTP reaches one"
_USUAL_PORT = 80
_OK = "200"


class Proxy:
    """Serves the connections of one program. `refused` has what it asked for in vain, and why."""

    def __init__(self, granted: Granted) -> None:
        self.refused: dict[str, str] = {}
        self._granted = granted
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._pinned: dict[Host, tuple[str, ...]] = {}
        self._closed = False

    @property
    def connections(self) -> int:
        """The number of sockets that are open now."""
        return len(self._open)

    def connect(self) -> socket.socket:
        """Return the other end of a connection to it."""
        ours, theirs = socket.socketpair()
        self.begin(ours)
        return theirs

    def begin(self, caller: socket.socket) -> None:
        """Serve a connection in a thread of its own, which closes it in the end."""
        try:
            threading.Thread(target=self._serve, args=(caller,), daemon=True).start()
        except RuntimeError:  # there are as many threads as there may be
            caller.close()

    def close(self) -> None:
        """End every connection, and refuse new ones."""
        with self._lock:
            self._closed = True
            for one in self._open:
                _shut_down(one)

    def _serve(self, caller: socket.socket) -> None:
        with suppress(OSError), self._hold(caller):
            _hurry(caller)
            caller.settimeout(_SILENCE)
            head, rest = _read_head(caller)
            if not head:
                return
            try:
                request = Request.parse(head)
            except ValueError as error:
                what = _DIRECT if head[0] == _TLS else _NOT_HTTP
                self._note(what.partition(";")[0], what)
                _answer(caller, 400, f"{error}")
                return
            self._forward(caller, request, rest)

    def _note(self, asked: str, why: str) -> None:
        if len(self.refused) < _NAMED:
            self.refused.setdefault(asked, why)

    @contextmanager
    def _hold(self, one: socket.socket) -> Iterator[None]:
        with self._lock:
            self._open.add(one)
            if self._closed:
                _shut_down(one)
        try:
            with one:
                yield
        finally:
            with self._lock:
                self._open.discard(one)

    def _forward(self, caller: socket.socket, request: Request, rest: bytes) -> None:
        try:
            server, head = self._reach(request)
        except RefusedHostError as error:
            self._note(str(request.host), str(error))
            _answer(caller, 403, str(error))
            return
        except OSError as error:
            _answer(caller, 502, f"{request.host} cannot be reached: {error.strerror or error}")
            return
        with self._hold(server):
            _hurry(server)
            if request.is_tunnel:
                caller.sendall(_ESTABLISHED)
            server.sendall(head + rest)
            _relay(caller, server)

    def _reach(self, request: Request) -> tuple[socket.socket, bytes]:
        """Connect to the host of a request, and return what it is to be sent first."""
        host = request.host
        upstream = Upstream.find(host, is_tunnel=request.is_tunnel)
        if upstream is None:
            return self._connect(host), request.head
        self._granted.check(host)
        if request.is_tunnel:
            return upstream.open_tunnel(host, _TO_CONNECT), b""
        return upstream.connect(_TO_CONNECT), upstream.address_to_it(request.head, host)

    def _connect(self, host: Host) -> socket.socket:
        """Connect to an address of the host: the same ones for as long as the program runs."""
        if host not in self._pinned:
            self._pinned[host] = self._granted.find_addresses(host)
        failed = OSError("it has no address")
        for address in self._pinned[host]:
            try:
                return socket.create_connection((address, host.port), timeout=_TO_CONNECT)
            except OSError as error:
                failed = error
        raise failed


@contextmanager
def serve(rights: Rights) -> Iterator[Proxy]:
    """Serve a program that has these rights, and note in them what it asked for in vain."""
    granted = Proxy(Granted(rights.reachable))
    try:
        yield granted
    finally:
        granted.close()
        rights.refused.update(granted.refused)


def _read_head(caller: socket.socket) -> tuple[bytes, bytes]:
    """Read a request up to its body; what is no request, up to where that is seen."""
    read = b""
    while END not in read and len(read) < _LARGEST:
        received = caller.recv(_CHUNK)
        read += received
        if not received or not Request.may_begin(read):
            return read, b""
    head, end, rest = read.partition(END)
    return head + end, rest


def _answer(caller: socket.socket, status: int, why: str) -> None:
    """Say it in the first line too: clients show nothing else of a tunnel that is refused."""
    line = why.encode("ascii", "replace").replace(b"\r", b" ").replace(b"\n", b" ")
    head = b"HTTP/1.1 %d %s\r\ncontent-type: text/plain\r\nconnection: close\r\n" % (status, line)
    caller.sendall(head + b"content-length: %d%s%s" % (len(line), END, line))


def _relay(one: socket.socket, other: socket.socket) -> None:
    """Pass on what each sends until both have ended."""
    ends = {one.fileno(): (one, other), other.fileno(): (other, one)}
    poll = select.poll()
    for side in (one, other):
        side.settimeout(None)
        poll.register(side, select.POLLIN)
    while ends:
        for file, _ in poll.poll():
            source, goal = ends[file]
            received = source.recv(_CHUNK)
            if received:
                goal.sendall(received)
                continue
            poll.unregister(file)
            del ends[file]
            with suppress(OSError):
                goal.shutdown(socket.SHUT_WR)


def _hurry(one: socket.socket) -> None:
    """Have what is passed on sent at once, and not held until there is more."""
    if one.family != socket.AF_UNIX:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _shut_down(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


@dataclass(frozen=True)
class Upstream:
    """An HTTP proxy, and what proves to it who asks."""

    name: str
    port: int
    credentials: str = ""

    @classmethod
    def find(cls, host: Host, *, is_tunnel: bool) -> Self | None:
        """Return the one for a host; None for a host that is reached without."""
        address = read_address(host.name)
        own = address.is_loopback if address else host.name == "localhost"
        named = getproxies_environment().get("https" if is_tunnel else "http", "")
        if own or not named or proxy_bypass(str(host)):
            return None
        found = urlsplit(named if "://" in named else f"http://{named}")
        if found.scheme != "http" or not found.hostname:
            msg = "the proxy of this machine cannot be used; name one as http://host:port"
            raise OSError(msg)
        who = ":".join(unquote(part) for part in (found.username, found.password) if part)
        return cls(found.hostname, found.port or _USUAL_PORT, who)

    def connect(self, timeout: float) -> socket.socket:
        """Return a connection to it."""
        return socket.create_connection((self.name, self.port), timeout=timeout)

    def open_tunnel(self, host: Host, timeout: float) -> socket.socket:
        """Return a connection through it to a host, or raise OSError with its reason."""
        asked = f"CONNECT {host} HTTP/1.1\r\nHost: {host}".encode()
        made = self.connect(timeout)
        try:
            made.sendall(asked + self._prove() + END)
            _check(_read_answer(made))
        except BaseException:
            made.close()
            raise
        return made

    def address_to_it(self, head: bytes, host: Host) -> bytes:
        """Return the lines of a request in the form that a proxy takes."""
        method, _, rest = head.partition(b" ")
        line, _, headers = rest.partition(b"\r\n")
        return b"%b http://%b%b%b\r\n%b" % (
            method,
            str(host).encode(),
            line,
            self._prove(),
            headers,
        )

    def _prove(self) -> bytes:
        if not self.credentials:
            return b""
        spelt = base64.b64encode(self.credentials.encode())
        return b"\r\nProxy-Authorization: Basic " + spelt


def _read_answer(made: socket.socket) -> bytes:
    """Read its answer, and not a byte of what the host sends after it."""
    head = b""
    while not head.endswith(END) and len(head) < _LARGEST and (read := made.recv(1)):
        head += read
    return head


def _check(answer: bytes) -> None:
    _, _, said = answer.partition(b"\r")[0].decode("latin-1").partition(" ")
    if not said.startswith(_OK):
        msg = f"the proxy of this machine refuses it: {said}"
        raise OSError(msg)
