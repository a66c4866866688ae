"""A request to the web, and the one that a redirect makes of it: no token for strangers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import SplitResult, urljoin, urlsplit

from agentevals.model.errors import InputError

NOT_A_URL = "not a web address; give one that begins with https:// or http:// and a host"
_SECRET = frozenset({"authorization", "cookie", "proxy-authorization", "x-api-key", "api-key"})


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request, and where a redirect of it may lead. A secret stays with the first host."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        host = self.host
        for name, value in self.headers.items():
            if not (value.isascii() and value.isprintable()):
                msg = f"{host}: the header {name!r} has a value that cannot be sent; "
                raise InputError(msg + "look for line breaks and foreign letters in it")

    @property
    def place(self) -> SplitResult:
        """The parts of the address."""
        try:
            place = urlsplit(self.url)
        except ValueError:
            raise InputError(NOT_A_URL) from None
        if place.scheme not in {"http", "https"} or not place.hostname:
            raise InputError(NOT_A_URL)
        return place

    @property
    def host(self) -> str:
        """For messages: the host alone, because paths, queries and user names can be secret."""
        return self.place.netloc.rpartition("@")[2]

    def follow(self, location: str) -> "Request | None":
        """The request to make instead, or None where it must not be made."""
        try:
            there = Request(method="GET", url=urljoin(self.url, location), headers={})
            downgraded = (self.place.scheme, there.place.scheme) == ("https", "http")
        except (ValueError, InputError):  # it leads nowhere, which is not the user's mistake
            return None
        if self.method != "GET" or downgraded:
            return None
        same = (there.place.scheme, there.place.netloc) == (self.place.scheme, self.place.netloc)
        kept = {k: v for k, v in self.headers.items() if same or k.lower() not in _SECRET}
        return replace(there, headers=kept)
