"""Our end of the connection to the first process of a container: messages, and what it relays."""

import json
import select
import socket
import struct
import time
from collections.abc import Callable, Iterator
from typing import Any

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox.container.relay import Relay

_LENGTH, _FRAME = struct.Struct(">I"), struct.Struct(">BxxxI")
_STDOUT = 1
_CHUNK = 1 << 18
_MOST_SAID = 4096  # bytes of what it prints when it fails

Message = dict[str, Any]
Connect = Callable[[], socket.socket]


class LostError(EvaluatorError):
    """The container ended, or does not answer."""


class Stream:
    """A connection that is never waited for in one direction alone: both may be full."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._connection = connection
        self._unsent, self._received, self._unread = bytearray(), bytearray(), bytearray()
        self._said = b""

    def close(self) -> None:
        self._connection.close()

    def send(self, message: dict[str, object], content: bytes = b"") -> None:
        """Have a message sent, with the bytes that belong to it."""
        written = json.dumps({**message, "size": len(content)}).encode()
        for piece in (_LENGTH.pack(len(written)), written, content):
            self._unsent += piece

    def receive(self, patience: float, connect: Connect | None = None) -> tuple[Message, bytes]:
        """Return the next message, and relay connections until it comes; LostError without one.

        `connect` returns our end of a connection that a program opens.
        """
        deadline = time.monotonic() + patience
        poll = select.poll()
        relay = Relay(poll, self.send, connect)
        try:
            while True:
                for message, content in self._list_messages():
                    if "link" not in message:
                        return message, content
                    if connect:
                        relay.receive(message["link"], message["what"], content)
                self._wait(poll, relay, deadline - time.monotonic())
        finally:
            relay.close()

    def _wait(self, poll: select.poll, relay: Relay, left: float) -> None:
        own = self._connection.fileno()
        poll.register(own, select.POLLIN | (select.POLLOUT if self._unsent else 0))
        ready = poll.poll(max(left, 0) * 1000)
        if not ready:
            msg = "it does not answer"
            raise LostError(msg)
        for file, event in ready:
            if file != own:
                relay.serve(file)
                continue
            if event & select.POLLOUT:
                del self._unsent[: self._connection.send(self._unsent[:_CHUNK])]
            if event & ~select.POLLOUT:
                self._take(self._connection.recv(_CHUNK))

    def _take(self, piece: bytes) -> None:
        """Take in frames of the engine, which tell the streams of the process apart."""
        if not piece:
            raise LostError(
                self._said.decode(errors="replace").strip()[-500:] or "without a reason"
            )
        self._unread += piece
        while len(self._unread) >= _FRAME.size:
            stream, length = _FRAME.unpack_from(self._unread)
            end = _FRAME.size + length
            if len(self._unread) < end:
                break
            content = self._unread[_FRAME.size : end]
            del self._unread[:end]
            if stream == _STDOUT:
                self._received += content
            else:
                self._said = (self._said + content)[-_MOST_SAID:]

    def _list_messages(self) -> Iterator[tuple[Message, bytes]]:
        """Yield the messages that have come as a whole."""
        while len(self._received) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._received)[0]
            if len(self._received) < end:
                return
            message = json.loads(self._received[_LENGTH.size : end])
            whole = end + message["size"]
            if len(self._received) < whole:
                return
            content = bytes(self._received[end:whole])
            del self._received[:whole]
            yield message, content
