"""A loopback server through which an installer reaches the package indexes of this machine.

What is installed is built by code of its own. So the installer gets neither the network nor a
password: it asks us for pages and files, and we ask the index. Nothing else can be asked for than
the pages of an index by the name of a package, and the files that these pages link to.
"""

import json
import re
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from html import escape, unescape
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urldefrag, urljoin, urlsplit

from agentevals import web
from agentevals.model.errors import AgentEvalsError, UnavailableError
from agentevals.sandbox import loopback_server
from agentevals.sandbox.allowed_hosts import Host
from agentevals.sandbox.loopback_server import LoopbackHandler
from agentevals.sandbox.package_indexes import Place

_AT_A_TIME = 64
_SILENCE = 60.0  # seconds
_LARGEST_PAGE = 64 << 20
_LINK = re.compile(r"""(<a\b[^>]*?\bhref\s*=\s*)("[^"]*"|'[^']*')""", re.IGNORECASE)
_BASE = re.compile(r"""<base\b[^>]*?\bhref\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_JSON = "application/vnd.pypi.simple.v1+json"
_RANGE = re.compile(r"bytes=\d{0,15}-\d{0,15}")
_TOLD = ("content-type", "content-length", "content-range", "accept-ranges", "last-modified")
_METADATA = ".metadata"


@dataclass(frozen=True)
class _File:
    """A file that a page links to, and the place whose page it was."""

    url: str
    place: Place


class Relay:
    """The addresses of the places for an installer, and the files that it has been told of."""

    def __init__(self, places: list[Place]) -> None:
        self.port = 0
        self.failures: list[str] = []
        self.places = places
        self._token = secrets.token_urlsafe(12)
        self._files: dict[str, _File] = {}
        self._lock = threading.Lock()

    @property
    def hosts(self) -> tuple[Host, ...]:
        """The server itself, for the rights of an installer; none where nothing is remote."""
        return (Host("127.0.0.1", self.port),) if self.port else ()

    def list_indexes(self) -> list[str]:
        """Return the addresses of the indexes; what lies on this machine is read from there."""
        return [self._name(place) for place in self.places if not place.is_page]

    def list_links(self) -> list[str]:
        """Return the addresses of pages and folders with links to files."""
        return [self._name(place) for place in self.places if place.is_page]

    def find(self, path: str) -> tuple[str, Place, bool]:
        """Return what a path stands for, whose it is, and whether it is a page; or KeyError."""
        _, token, kind, *rest = path.split("/")
        if not secrets.compare_digest(token.encode(), self._token.encode()):
            raise KeyError(path)
        if kind == "file":
            number, name = rest
            file = self._files[number]
            return file.url + (_METADATA if name.endswith(_METADATA) else ""), file.place, False
        place = self.places[int(kind)]
        if place.is_page:
            return place.url, place, True
        name, last = rest
        if last or not _NAME.fullmatch(name):
            raise KeyError(path)
        return f"{place.url.rstrip('/')}/{name}/", place, True

    def rewrite(self, page: bytes, kind: str, url: str, place: Place) -> bytes:
        """Return a page whose links lead to us."""
        if "json" in kind:
            document = json.loads(page)
            for file in document.get("files", ()):
                file["url"] = self._lend(urljoin(url, file["url"]), place)
            return json.dumps(document).encode()
        text = page.decode(errors="replace")
        top = urljoin(url, unescape(found[1])) if (found := _BASE.search(text)) else url

        def change(link: re.Match[str]) -> str:
            goal = urljoin(top, unescape(link[2][1:-1]).strip())
            return f'{link[1]}"{escape(self._lend(goal, place))}"'

        return _LINK.sub(change, _BASE.sub("<base", text)).encode()

    def _lend(self, url: str, place: Place) -> str:
        bare, fragment = urldefrag(url)
        parts = urlsplit(bare)
        if parts.scheme not in {"http", "https"}:
            return url
        with self._lock:
            number = str(len(self._files))
            self._files[number] = _File(bare, place)
        name = quote(parts.path.rpartition("/")[2], safe="%")
        lent = f"{self._address}/file/{number}/{name}"
        return f"{lent}#{fragment}" if fragment else lent

    @property
    def _address(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self._token}"

    def _name(self, place: Place) -> str:
        number = self.places.index(place)
        return place.url if place.path else f"{self._address}/{number}/"


@contextmanager
def serve(places: list[Place]) -> Iterator[Relay]:
    """Serve one installer, until the block ends."""
    relay = Relay(places)
    if all(place.path for place in places):
        yield relay
        return
    with loopback_server.serve(partial(_Handler, relay), at_a_time=_AT_A_TIME) as port:
        relay.port = port
        yield relay


class _Handler(LoopbackHandler):
    timeout = _SILENCE

    def __init__(self, relay: Relay, *connection: Any) -> None:
        self._relay = relay
        super().__init__(*connection)

    def do_GET(self) -> None:
        relay = self._relay
        try:
            url, place, is_page = relay.find(self.path.partition("?")[0])
        except (KeyError, ValueError, IndexError):
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        try:
            self._pass_on(url, place, is_page=is_page)
        except AgentEvalsError as error:
            relay.failures.append(str(error))
            with suppress(OSError):  # no status that has it ask again
                self.send_error(HTTPStatus.FAILED_DEPENDENCY, str(error))

    def do_HEAD(self) -> None:
        """Nothing: uv takes the whole file where it cannot ask how large it is."""
        self.send_error(HTTPStatus.METHOD_NOT_ALLOWED)

    def _pass_on(self, url: str, place: Place, *, is_page: bool) -> None:
        asked = {**self._choose_headers(is_page=is_page), **place.prove(url)}
        verify = place.verify or not place.owns(url)
        with web.stream(url, asked, silence=_SILENCE, verify=verify) as answer:
            if answer.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
                self._relay.failures.append(_explain_refusal(place, answer.status))
            if is_page and answer.status == HTTPStatus.OK:
                self._tell_page(answer, place)
                return
            self._begin(answer.status, answer.headers)
            for piece in answer.pieces:
                self.wfile.write(piece)

    def _choose_headers(self, *, is_page: bool) -> dict[str, str]:
        """Return what an installer wants, in words of ours: its own could tell the index more."""
        wanted = self.headers.get("range", "")
        if not is_page:
            return {"range": wanted} if _RANGE.fullmatch(wanted) else {}
        knows_json = _JSON in self.headers.get("accept", "")
        return {"accept": f"{_JSON}, text/html;q=0.1" if knows_json else "text/html"}

    def _tell_page(self, answer: web.Stream, place: Place) -> None:
        kind = answer.headers.get("content-type", "text/html")
        body = self._relay.rewrite(_read_page(answer.pieces), kind, answer.url, place)
        self._begin(HTTPStatus.OK, {"content-type": kind, "content-length": str(len(body))})
        self.wfile.write(body)

    def _begin(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name in _TOLD:
            if name in headers:
                self.send_header(name, headers[name])
        self.end_headers()


def _read_page(pieces: Iterator[bytes]) -> bytes:
    page = bytearray()
    for piece in pieces:
        page += piece
        if len(page) > _LARGEST_PAGE:
            msg = "a page of an index is larger than 64 MiB"
            raise UnavailableError(msg)
    return bytes(page)


def _explain_refusal(place: Place, status: int) -> str:
    host = urlsplit(place.url).netloc
    return f"the index {host} answered {status}" + (
        "" if place.prove(place.url) or not place.user else "; here it is not told your password"
    )
