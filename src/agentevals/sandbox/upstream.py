"""The proxy that this machine has to use itself, as `HTTPS_PROXY` and `HTTP_PROXY` name it.

Ours connects to granted hosts through it, but for those that `NO_PROXY` names and for this machine.
It resolves their names, so that whoever runs it decides which addresses they stand for.
"""

import base64
import socket
from dataclasses import dataclass
from typing import Self
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from agentevals.sandbox.hosts import Host, read_address
from agentevals.sandbox.http_requests import END

_USUAL_PORT = 80
_LARGEST = 1 << 16  # of its answer
_OK = "200"


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
