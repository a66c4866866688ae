"""The first lines of a request over HTTP/1: which host it wants, and what that host is sent."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from agentevals.sandbox.allowed_hosts import Host

END = b"\r\n\r\n"
_BEGINS = re.compile(rb"[A-Z]{1,20}( |$)")
_LINE = re.compile(rb"([A-Z]{1,20}) ([!-~]+) (HTTP/1\.[01])")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*)")
_ABSOLUTE = re.compile(rb"http://([^/?#@]+)([/?][^#]*)?", re.IGNORECASE)
_PORT = 80
# of the connection to us alone; the host is written anew, so that it is the one that was granted
_DROPPED = {b"connection", b"proxy-connection", b"proxy-authorization", b"keep-alive", b"host"}


@dataclass(frozen=True)
class Request:
    """The host that is wanted, as a tunnel or else with the lines that it is sent."""

    host: Host
    is_tunnel: bool
    head: bytes = b""

    @staticmethod
    def may_begin(content: bytes) -> bool:
        """Return whether these may be the first bytes of a request."""
        return bool(_BEGINS.match(content))

    @classmethod
    def parse(cls, head: bytes) -> Self:
        """Parse the lines up to the body, or raise a ValueError."""
        first, *lines = head.removesuffix(END).split(b"\r\n")
        line = _LINE.fullmatch(first)
        headers = [found for text in lines if (found := _HEADER.fullmatch(text))]
        if not line or not head.endswith(END) or len(headers) < len(lines):
            msg = "only requests of HTTP/1 are understood here"
            raise ValueError(msg)
        method, target, version = line.groups()
        if method == b"CONNECT":
            return cls(Host.parse(target.decode()), is_tunnel=True)
        place, path = _find_place(target, headers)
        host = Host.parse(place.decode("latin-1"), port=_PORT)
        kept = _keep(headers, host)
        return cls(
            host,
            is_tunnel=False,
            head=b"\r\n".join([b" ".join((method, path, version)), *kept]) + END,
        )


def _find_place(target: bytes, headers: Sequence[re.Match[bytes]]) -> tuple[bytes, bytes]:
    """Return the host that is wanted and the path there: a client may know of no proxy."""
    if found := _ABSOLUTE.fullmatch(target):
        path = found[2] or b"/"
        return found[1], path if path.startswith(b"/") else b"/" + path
    named = [header[2].strip() for header in headers if header[1].lower() == b"host"]
    if len(named) != 1 or not target.startswith(b"/"):
        msg = "a request must name one host"
        raise ValueError(msg)
    return named[0], target


def _keep(headers: Sequence[re.Match[bytes]], host: Host) -> Iterator[bytes]:
    """Yield the headers that the host is sent: after its answer the connection ends."""
    yield b"Host: " + (str(host).removesuffix(f":{_PORT}")).encode()
    yield from (header[0] for header in headers if header[1].lower() not in _DROPPED)
    yield b"Connection: close"
