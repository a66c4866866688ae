"""Documents of the web with a memory: asked for again only where they may have changed.

What never changes (its address holds a commit) is asked for once. Of the rest the last good copy
is used when the server is not reached, and said to be one.
"""

import hashlib
import logging
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Required, TypedDict, Unpack
from urllib.parse import urlsplit

import msgspec

from agentevals import web
from agentevals.evaluator.registry_head import hash_bytes
from agentevals.evaluator.registry_index import LARGEST
from agentevals.files import atomic_files
from agentevals.model.errors import UnavailableError
from agentevals.model.noun import Noun

log = logging.getLogger(__name__)

FOUND, UNCHANGED, UNKNOWN, REFUSED, MISSING = 200, 304, 401, (401, 403), (404, 410, 422)
_TIMEOUT = 60.0  # for one document
_PATIENCE, _LEAST = 10.0, 2.0  # to wait for all servers together, and for one more
_REDIRECTS = 3


class Copy(Noun, frozen=True):
    """The answer of a server, and the mark by which it knows that answer."""

    status: int
    body: bytes = b""
    etag: str = ""


class NotHereError(UnavailableError):
    """It would have to be asked for, and this run is offline."""


class TokenRefusedError(UnavailableError):
    """The server does not take the token."""


class How(TypedDict, total=False):
    """The facts about a document that are known before it is asked for."""

    what: Required[str]  # how people name it
    lasting: bool  # it cannot change
    kept: bool  # False where somebody else remembers it
    digest: str  # its sha256: a copy that has it is as good


@dataclass(frozen=True, kw_only=True)
class Copies:
    """The memory, in a folder of its own.

    A run waits once: whoever did not answer, or asked to come back later, is not asked again.
    `token` is the variable that the token came from.
    """

    root: Path
    terms: web.Terms = web.TERMS
    token: str = ""
    _failed: dict[tuple[str, ...], UnavailableError] = field(default_factory=dict, repr=False)
    _waited: list[float] = field(default_factory=list, repr=False)
    _said: set[str] = field(default_factory=set, repr=False)

    def get(self, url: str, headers: Mapping[str, str], **how: Unpack[How]) -> bytes | None:
        """Return the document, None where there is none."""
        what, kept, digest = how["what"], how.get("kept", True), how.get("digest", "")
        held = self._read_copy(url, headers) if kept else None
        is_same = held is not None and bool(digest) and hash_bytes(held.body) == digest
        if held and (how.get("lasting") or is_same or is_offline()):
            return _read_body(held)
        if is_offline():
            msg = f"{what} is not in the cache and this run is offline"
            raise NotHereError(msg)
        try:
            copy = self._request(url, headers, held, how)
        except UnavailableError as error:
            if held is None:
                raise
            level = logging.DEBUG if str(error) in self._said else logging.WARNING
            log.log(level, "%s; the copy of %s that was fetched before is used", error, what)
            self._said.add(str(error))
            return _read_body(held)
        if kept and copy is not held:
            self._keep(url, headers, copy)
        return _read_body(copy)

    def _request(self, url: str, headers: Mapping[str, str], held: Copy | None, how: How) -> Copy:
        if held:
            headers = {**headers, "if-none-match": held.etag} if held.etag else headers
        response = self._ask(url, headers, self._choose_terms(held, how))
        if response.status == UNCHANGED and held:
            return held
        if response.status == FOUND and not _is_a_page(response.body):
            etag = response.headers.get("etag", "")
            return Copy(status=FOUND, body=response.body, etag=etag)
        if response.status in MISSING:
            return Copy(status=response.status)
        if response.status == UNKNOWN and "authorization" in headers:
            msg = f"the token in {self.token} was refused ({UNKNOWN}): it is wrong, or has expired"
            raise TokenRefusedError(msg)
        msg = f"{how['what']} {_describe_trouble(response)}"
        raise UnavailableError(msg)

    def _ask(self, url: str, headers: Mapping[str, str], terms: web.Terms) -> web.Response:
        # one host may have an API that is down beside files that are not
        place, began = (*read_origin(url), _read_first(url)), time.monotonic()
        if place in self._failed:
            raise self._failed[place]
        try:
            return web.get(url, headers=headers, timeout=_TIMEOUT, terms=terms)
        except (web.NoAnswerError, web.BusyError) as error:
            self._failed[place] = error
            self._waited.append(time.monotonic() - began)
            raise

    def _choose_terms(self, held: Copy | None, how: How) -> web.Terms:
        """Less patience where there is a copy, and with each server that was waited for."""
        retries = min(1, self.terms.retries) if held else self.terms.retries
        terms = replace(
            self.terms,
            redirects=_REDIRECTS,
            retries=retries,
            patience=max(0, _PATIENCE - sum(self._waited)),
            silence=max(_LEAST, _PATIENCE - sum(self._waited)),
        )
        is_part = how.get("kept", True)  # of an index, and not a program
        return replace(terms, max_bytes=LARGEST, compressed=True) if is_part else terms

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
            atomic_files.write(path, msgspec.msgpack.encode(copy))
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


def _read_first(url: str) -> str:
    """Return the first folder of an address."""
    return urlsplit(url).path[1:].partition("/")[0]


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
