"""The hosts that a program may reach, as a config names them, and the addresses they stand for."""

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

USUAL_PORT = 443
_MOST = (1 << 16) - 1
_LABEL = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(\.{_LABEL})*", re.ASCII)
_ITSELF = ("localhost",)  # the one name that says what it stands for
# of providers, relays and sites, which not every version of `ipaddress` takes for such
_INNER = tuple(
    map(
        ipaddress.ip_network,
        (
            *("168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4"),
            *("64:ff9b:1::/48", "100::/64", "2001::/23", "3fff::/20", "5f00::/16", "fec0::/10"),
        ),
    )
)
_FORM = "write host:port, such as api.example.com:443"

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# the addresses of a name; an OSError says that it has none
Resolve = Callable[[str, int], Sequence[str]]


class RefusedHostError(Exception):
    """A host that a program may not reach, and why."""


@dataclass(frozen=True)
class Host:
    """A host and its port. `*.example.com` stands for every name below that one."""

    name: str
    port: int = USUAL_PORT

    @classmethod
    def parse(cls, text: str, *, port: int = USUAL_PORT) -> Self:
        """Parse `host`, `host:port` or `[::1]:port`, or raise a ValueError that says what to do."""
        name, separator, number = _split(text.strip())
        if separator and not (number.isascii() and number.isdigit() and 0 < int(number) <= _MOST):
            msg = f"{text!r} has no port from 1 to {_MOST}; {_FORM}"
            raise ValueError(msg)
        return cls(_normalize(name, text), int(number) if separator else port)

    def covers(self, other: "Host") -> bool:
        """Return whether a grant of this host is one of the other as well."""
        if self.port != other.port:
            return False
        below = self.name.removeprefix("*")
        if below == self.name or read_address(other.name):  # no part of an address is one
            return self.name == other.name
        return self.name == other.name or other.name.endswith(below)

    def __str__(self) -> str:
        return f"{f'[{self.name}]' if ':' in self.name else self.name}:{self.port}"


def _split(text: str) -> tuple[str, str, str]:
    if text.startswith("["):
        name, _, rest = text[1:].partition("]")
        return name, rest[:1], rest[1:]
    if text.count(":") > 1:  # an IPv6 address without a port
        return text, "", ""
    return text.partition(":")


def _normalize(name: str, text: str) -> str:
    """Return the one spelling of a name or an address: `127.1` is 127.0.0.1."""
    if address := read_address(name):
        return str(address)
    bare = name.lower().removesuffix(".")
    if not bare.isascii():
        try:
            bare = bare.encode("idna").decode()
        except UnicodeError:
            bare = ""
    if not _NAME.fullmatch(bare.removeprefix("*.")):
        msg = f"{text!r} is no host; {_FORM}"
        raise ValueError(msg)
    return bare


def read_address(text: str) -> Address | None:
    """Return the address that a text spells, in whatever form a resolver takes it."""
    try:
        return _unwrap(ipaddress.ip_address(text.partition("%")[0]))
    except ValueError:
        pass
    try:
        return ipaddress.ip_address(socket.inet_aton(text)) if text.strip() == text else None
    except (OSError, ValueError):
        return None


def _unwrap(address: Address) -> Address:
    """Return the IPv4 address inside of an IPv6 one that stands for it."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    translated = address in ipaddress.ip_network("64:ff9b::/96")
    compatible = int(address) >> 32 == 0 and int(address) > 1
    last = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return (
        address.ipv4_mapped or address.sixtofour or (last if translated or compatible else address)
    )


def is_public(address: Address) -> bool:
    """Return whether an address is anybody's: not of this machine, its network or its provider."""
    inner = address.is_multicast or any(address in network for network in _INNER)
    return address.is_global and not inner


def resolve(name: str, port: int) -> list[str]:
    """Ask the machine's own resolver."""
    found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True)
class Granted:
    """The hosts that a program may reach, and how names are resolved."""

    hosts: tuple[Host, ...]
    resolve: Resolve = resolve

    def find_addresses(self, asked: Host) -> tuple[str, ...]:
        """Return the addresses of a granted host, or raise RefusedHostError.

        An address that is not public must be granted itself.
        """
        self.check(asked)
        if read_address(asked.name):
            return (asked.name,)
        try:
            texts = self.resolve(asked.name, asked.port)
        except (OSError, UnicodeError) as error:
            msg = f"{asked} is granted, but its name has no address"
            raise RefusedHostError(msg) from error
        addresses = [address for text in texts if (address := read_address(text))]
        kept = tuple(str(address) for address in addresses if self._may_reach(asked, address))
        if not kept:
            raise RefusedHostError(_explain_private(asked, addresses))
        return kept

    def check(self, asked: Host) -> None:
        """Raise RefusedHostError unless a host is granted."""
        if not self._covers(asked):
            msg = f"{asked} is not granted to this evaluator; add `network: [{asked}]` to it"
            raise RefusedHostError(msg)

    def _covers(self, asked: Host) -> bool:
        return any(host.covers(asked) for host in self.hosts)

    def _may_reach(self, asked: Host, address: Address) -> bool:
        own = asked.name in _ITSELF and address.is_loopback
        return own or is_public(address) or self._covers(Host(str(address), asked.port))


def _explain_private(asked: Host, addresses: Iterable[Address]) -> str:
    literal = next((Host(str(address), asked.port) for address in addresses), None)
    if literal is None:
        return f"{asked} is granted, but its name has no address"
    return (
        f"{asked} is granted, but stands for {literal.name}, which is not a public address; "
        f"add `network: [{literal}]` to this evaluator"
    )
