"""Documents of the web with a memory: asked for again only where they may have changed.

What never changes (its address holds a commit) is asked for once. Of the rest the last good copy
is used when the server is not reached, and said to be one.
"""

import hashlib
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from agentevals import web
from agentevals.files import atomic
from agentevals.model.errors import UnavailableError
from agentevals.model.noun import Noun

log = logging.getLogger(__name__)

FOUND, UNCHANGED, REFUSED, MISSING = 200, 304, (401, 403), (404, 410, 422)
_TIMEOUT = 30.0
_REDIRECTS = 3


class Copy(Noun, frozen=True):
    """The answer of a server, and the mark by which it knows that answer."""

    status: int
    body: bytes = b""
    etag: str = ""


class NotHereError(UnavailableError):
    """It would have to be asked for, and this run is offline."""


@dataclass(frozen=True, kw_only=True)
class Copies:
    """The memory, in a folder of its own."""

    root: Path
    terms: web.Terms = web.TERMS
    _silent: set[tuple[str, str]] = field(default_factory=set, repr=False)

    def get(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        what: str,
        lasting: bool = False,
        kept: bool = True,
    ) -> bytes | None:
        """Return the document, None where there is none.

        `lasting` where that cannot change; not `kept` where somebody else remembers it.
        """
        held = self._read_copy(url, headers) if kept else None
        if held and (lasting or is_offline()):
            return _read_body(held)
        if is_offline():
            msg = f"{what} is not in the cache and this run is offline"
            raise NotHereError(msg)
        try:
            copy = self._request(url, headers, held, what)
        except UnavailableError as error:
            if held is None:
                raise
            log.warning("%s; the copy of %s that was fetched before is used", error, what)
            return _read_body(held)
        if kept and copy is not held:
            self._keep(url, headers, copy)
        return _read_body(copy)

    def _request(self, url: str, headers: Mapping[str, str], held: Copy | None, what: str) -> Copy:
        terms = self._choose_terms(url, held)
        if held:
            headers = {**headers, "if-none-match": held.etag} if held.etag else headers
        try:
            response = web.get(url, headers=headers, timeout=_TIMEOUT, terms=terms)
        except web.NoAnswerError:
            self._silent.add(read_origin(url))
            raise
        if response.status == UNCHANGED and held:
            return held
        if response.status == FOUND and not _is_a_page(response.body):
            etag = response.headers.get("etag", "")
            return Copy(status=FOUND, body=response.body, etag=etag)
        if response.status in MISSING:
            return Copy(status=response.status)
        msg = f"{what} {_describe_trouble(response)}"
        raise UnavailableError(msg)

    def _choose_terms(self, url: str, held: Copy | None) -> web.Terms:
        """Less patience where there is a copy, and none with who has not answered before."""
        patience = 0 if read_origin(url) in self._silent else 1 if held else self.terms.retries
        retries = min(patience, self.terms.retries)
        return replace(self.terms, redirects=_REDIRECTS, retries=retries)

    def _read_copy(self, url: str, headers: Mapping[str, str]) -> Copy | None:
        try:
            copy = msgspec.msgpack.decode(self._find_path(url, headers).read_bytes(), type=Copy)
        except (OSError, msgspec.DecodeError):
            return None
        return copy

    def _keep(self, url: str, headers: Mapping[str, str], copy: Copy) -> None:
        path = self._find_path(url, headers)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic.write(path, msgspec.msgpack.encode(copy))
        except OSError as error:
            log.debug("%s: is not kept: %s", path, error)

    def _find_path(self, url: str, headers: Mapping[str, str]) -> Path:
        """Return the file of a copy; with a token a server shows more than without."""
        key = f"{url}\0{headers.get('accept', '')}\0{'authorization' in headers}"
        return self.root / hashlib.sha256(key.encode()).hexdigest()


def read_origin(url: str) -> tuple[str, str]:
    """Return the scheme and host, which are equal for addresses of one server."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def is_offline() -> bool:
    """Return whether this run may not use the network."""
    return bool(os.environ.get("AGENTEVALS_OFFLINE"))


def _read_body(copy: Copy) -> bytes | None:
    return copy.body if copy.status == FOUND else None


def _is_a_page(body: bytes) -> bool:
    return body.lstrip()[:15].lower().startswith((b"<!doctype", b"<html"))


def _describe_trouble(response: web.Response) -> str:
    status = response.status
    if status == FOUND:
        return "was answered with a web page"
    if status in REFUSED and response.headers.get("x-ratelimit-remaining") == "0":
        return "was refused: too many requests; a token in AGENTEVALS_GITHUB_TOKEN allows more"
    if status in REFUSED:
        return f"was refused ({status}); check AGENTEVALS_GITHUB_TOKEN"
    return f"was answered with {status}"
