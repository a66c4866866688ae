"""Connections that are passed on between a program in a container and the proxy outside of it.

Both ends run this, the one in the container in that image's Python, so that it imports nothing of
ours. After a piece of a connection an end sends no other until the first one was delivered: so
neither end holds more than one piece of each.
"""

import select
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress

# an end says of a connection: that it is new, a piece of it, its end, that a piece was delivered,
# or its loss
_OPEN, _PIECE, _END, _TAKEN, _LOST = "open", "piece", "end", "taken", "lost"
_CHUNK = 1 << 16
_MOST = 64  # connections at a time
_ADDRESS = "127.0.0.1"

Send = Callable[["dict[str, object]", bytes], None]


class _Link:
    """One connection: what is still to be written to it, and which directions have ended."""

    def __init__(self, number: int, end: socket.socket) -> None:
        end.setblocking(False)
        self.number, self.end, self.file = number, end, end.fileno()
        self.unwritten = b""
        self.is_delivered, self.has_read, self.has_written = True, False, False

    @property
    def may_read(self) -> bool:
        return self.is_delivered and not self.has_read

    @property
    def awaited(self) -> int:
        """The events to wait for, if any."""
        reading = select.POLLIN if self.may_read else 0
        return reading | (select.POLLOUT if self.unwritten else 0)


class Relay:
    """The connections of one program, seen from one end. `poll` is told what to wait for.

    `connect` makes our end of a connection that was opened at the other; an OSError refuses it.
    """

    def __init__(
        self, poll: select.poll, send: Send, connect: "Callable[[], socket.socket] | None" = None
    ) -> None:
        self._poll, self._send, self._connect = poll, send, connect
        self._links: dict[int, _Link] = {}
        self._listeners: dict[int, socket.socket] = {}
        self._last = 0

    def listen(self, ports: "Iterable[int]") -> None:
        """Take in connections to these ports of the machine that this runs on."""
        for port in ports:
            listener = socket.socket()
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((_ADDRESS, port))
            listener.listen(_MOST)
            self._listeners[listener.fileno()] = listener
            self._poll.register(listener, select.POLLIN)

    def close(self) -> None:
        """End every connection, and take in no more."""
        for listener in self._listeners.values():
            self._poll.unregister(listener)
            listener.close()
        self._listeners.clear()
        for link in list(self._links.values()):
            self._drop(link)

    def serve(self, file: int) -> None:
        """Do whatever a file is ready for."""
        if file in self._listeners:
            self._take_in(self._listeners[file])
            return
        link = next((one for one in self._links.values() if one.file == file), None)
        if link is None:  # it was lost a moment ago
            return
        if link.unwritten:
            self._write(link)
        if link.may_read:
            self._read(link)
        self._settle(link)

    def receive(self, number: int, what: str, content: bytes) -> None:
        """Do what the other end says of a connection."""
        if what == _OPEN:
            self._open(number)
        elif link := self._links.get(number):
            self._obey(link, what, content)
            self._settle(link)

    def _open(self, number: int) -> None:
        try:
            if self._connect and number not in self._links:
                self._add(number, self._connect())
        except OSError:
            self._tell(number, _LOST)

    def _take_in(self, listener: socket.socket) -> None:
        with suppress(OSError):  # whoever called is gone
            end, _ = listener.accept()
            if len(self._links) >= _MOST:
                end.close()
                return
            self._last += 1
            self._tell(self._last, _OPEN)
            self._add(self._last, end)

    def _add(self, number: int, end: socket.socket) -> None:
        self._links[number] = _Link(number, end)
        self._settle(self._links[number])

    def _obey(self, link: _Link, what: str, content: bytes) -> None:
        if what == _PIECE:
            link.unwritten = content
            self._write(link)
        elif what == _TAKEN:
            link.is_delivered = True
        elif what == _END:
            link.has_written = True
            with suppress(OSError):  # it is gone already
                link.end.shutdown(socket.SHUT_WR)
        else:
            self._drop(link)

    def _write(self, link: _Link) -> None:
        try:
            link.unwritten = link.unwritten[link.end.send(link.unwritten) :]
        except BlockingIOError:
            return
        except OSError:  # nobody reads it any more, and may have answered for all that
            link.unwritten = b""
        if not link.unwritten:
            self._tell(link.number, _TAKEN)

    def _read(self, link: _Link) -> None:
        try:
            piece = link.end.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            self._drop(link)
            self._tell(link.number, _LOST)
            return
        link.is_delivered, link.has_read = False, not piece
        self._tell(link.number, _PIECE if piece else _END, piece)

    def _tell(self, number: int, what: str, content: bytes = b"") -> None:
        self._send({"link": number, "what": what}, content)

    def _settle(self, link: _Link) -> None:
        """Wait for what is next, or forget a connection that has ended in both directions."""
        if link.number not in self._links:
            return
        if link.has_read and link.has_written:
            self._drop(link)
        elif link.awaited:
            self._poll.register(link.file, link.awaited)
        else:  # else the end of a neighbour would be told again and again
            self._forget(link)

    def _drop(self, link: _Link) -> None:
        if self._links.pop(link.number, None):
            self._forget(link)
            link.end.close()

    def _forget(self, link: _Link) -> None:
        with suppress(KeyError):
            self._poll.unregister(link.file)
