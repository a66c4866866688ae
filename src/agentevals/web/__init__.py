"""The only module that opens connections as a client: time limits, retries, no token for strangers.

Loaded only by what needs it, because importing requests costs more than most runs take.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any

import msgspec
import requests
from urllib3.exceptions import HTTPError
from urllib3.exceptions import TimeoutError as PoolTimeoutError

from agentevals.model.errors import InputError, UnavailableError
from agentevals.web.web_request import NOT_A_URL, Request

_TRY_AGAIN = frozenset({408, 429, 500, 502, 503, 504, 529})
_MOVED = frozenset({301, 302, 303, 307, 308})
_PLAIN = {"accept-encoding": "identity", "user-agent": "agentevals"}
_COMPRESSED = {"accept-encoding": "gzip"}
_FIRST_PAUSE = 0.5
_CONNECT_TIMEOUT = 10.0
_CHUNK = 65_536
_HOPS = 5  # redirects of a stream


@dataclass(frozen=True, kw_only=True)
class Response:
    """The response of a server. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class NoAnswerError(UnavailableError):
    """Nothing came back, or not all of it. What was asked for may have been done nevertheless."""


class BusyError(UnavailableError):
    """The server asks to come back later, or says that it is broken now."""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """Limits of one exchange: further tries, seconds between them, bytes, redirects.

    After `patience` seconds there is no further try; `silence` is how long no byte may come.

    `max_bytes` are those of the body as it is used: a `compressed` one is shorter on the way.
    An answer with a status in `passing` is asked for again. Redirects are followed only where
    the caller allows some; secrets stay with the first host.
    """

    retries: int = 3
    passing: frozenset[int] = _TRY_AGAIN
    longest_pause: float = 60.0
    max_bytes: int = 16 * 1024 * 1024
    compressed: bool = False
    patience: float = math.inf
    silence: float = math.inf
    redirects: int = 0
    sleep: Callable[[float], None] = time.sleep


TERMS = Terms()


def get(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    timeout: float = 15.0,
    terms: Terms = TERMS,
) -> Response:
    """Return the response, or raise UnavailableError. The caller handles a status such as 404."""
    return _exchange(Request(method="GET", url=url, headers=headers or {}), timeout, terms)


def post(
    url: str,
    document: Any = b"",
    *,
    headers: Mapping[str, str] | None = None,
    timeout: float = 15.0,
    terms: Terms = TERMS,
) -> Response:
    """Send bytes as they are, anything else as a JSON document, or nothing."""
    return send("POST", url, document, headers=headers, timeout=timeout, terms=terms)


def delete(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    timeout: float = 15.0,
    terms: Terms = TERMS,
) -> Response:
    """Have something removed."""
    return _exchange(Request(method="DELETE", url=url, headers=headers or {}), timeout, terms)


def send(  # noqa: PLR0913 -- those of `post`, and which
    method: str,
    url: str,
    document: Any = b"",
    *,
    headers: Mapping[str, str] | None = None,
    timeout: float = 15.0,
    terms: Terms = TERMS,
) -> Response:
    """Any method, PUT and PATCH among them, with what is to be sent as for `post`."""
    body = document if isinstance(document, bytes) else msgspec.json.encode(document)
    sent = {"content-type": "application/json", **(headers or {})}
    request = Request(method=method, url=url, headers=sent, body=body)
    return _exchange(request, timeout, terms)


@dataclass(frozen=True, kw_only=True)
class Stream:
    """An answer whose body is still to come, piece by piece, and the address it came from."""

    url: str
    status: int
    headers: Mapping[str, str]
    pieces: Iterator[bytes]


@contextmanager
def stream(
    url: str, headers: Mapping[str, str], *, silence: float, verify: bool | str = True
) -> Iterator[Stream]:
    """Give an answer that is asked for once. `silence` is how long no byte may come."""
    request = Request(method="GET", url=url, headers=headers)
    with _Session() as session:
        for hops in range(_HOPS, -1, -1):
            try:
                raw = _send(session, request, (_CONNECT_TIMEOUT, silence), verify=verify)
            except (requests.RequestException, HTTPError, OSError) as error:
                msg = f"{request.host}: cannot be reached ({type(error).__name__})"
                raise UnavailableError(msg) from None
            with raw:
                found = {name.lower(): value for name, value in raw.headers.items()}
                target = request.follow(found["location"]) if "location" in found else None
                if not hops or target is None or raw.status_code not in _MOVED:
                    yield Stream(
                        url=request.url,
                        status=raw.status_code,
                        headers=found,
                        pieces=iter(partial(raw.raw.read1, _CHUNK), b""),
                    )
                    return
            request = target


class _Session(requests.Session):
    """Leaves redirects alone: requests would take in all of their bodies, however large."""

    def get_redirect_target(self, _: requests.Response) -> None:
        return None


class _TransientError(Exception):
    """Something that may be over when it is tried again."""


def _exchange(request: Request, timeout: float, terms: Terms) -> Response:
    for hops in range(terms.redirects + 1):
        response = _insist(request, timeout, terms)
        location = response.headers.get("location", "")
        if response.status not in _MOVED or not location:
            return response
        target = request.follow(location) if hops < terms.redirects else None
        if target is None:
            break
        request = target
    msg = f"{request.host}: answered {response.status}, a redirect that is not followed; "
    raise UnavailableError(msg + "give the address it leads to")


def _insist(request: Request, timeout: float, terms: Terms) -> Response:
    """Try until there is an answer that another try would not change."""
    failure, over = UnavailableError, time.monotonic() + terms.patience
    with _Session() as session:
        for attempt in range(terms.retries + 1):
            pause = _FIRST_PAUSE * 2**attempt
            try:
                response = _send_once(session, request, timeout, terms)
            except _TransientError as trouble:
                problem, failure = str(trouble), NoAnswerError
            else:
                if response.status not in terms.passing:
                    return response
                problem, failure = f"answered {response.status}", BusyError
                pause = _read_pause(response.headers.get("retry-after", ""), pause)
            pause = min(pause, terms.longest_pause)
            if attempt == terms.retries or pause > over - time.monotonic():
                break
            terms.sleep(pause)
    tries = f" ({attempt + 1} tries)" if attempt else ""
    msg = f"{request.host}: {problem}{tries}; check that it is up and reachable, then run again"
    raise failure(msg)


def _send_once(
    session: requests.Session, request: Request, timeout: float, terms: Terms
) -> Response:
    deadline = time.monotonic() + timeout
    try:
        waits = (min(timeout, _CONNECT_TIMEOUT), min(timeout, terms.silence))
        with _send(session, request, waits, compressed=terms.compressed) as raw:
            body = _read_body(raw, request, deadline, terms)
            headers = {name.lower(): value for name, value in raw.headers.items()}
            return Response(status=raw.status_code, headers=headers, body=body)
    except requests.exceptions.SSLError:
        msg = f"{request.host}: its certificate was not accepted; check the host name, or name "
        raise UnavailableError(msg + "your own authority in REQUESTS_CA_BUNDLE") from None
    except (requests.Timeout, PoolTimeoutError, TimeoutError):
        msg = f"did not answer within {min(timeout, terms.silence):g} s"
        raise _TransientError(msg) from None
    except requests.exceptions.InvalidURL:
        raise InputError(NOT_A_URL) from None
    except (requests.RequestException, HTTPError, OSError):
        msg = "cannot be reached, or broke the connection off"
        raise _TransientError(msg) from None


def _send(
    session: requests.Session,
    request: Request,
    timeout: tuple[float, float],
    *,
    compressed: bool = False,
    verify: bool | str = True,
) -> requests.Response:
    return session.request(
        request.method,
        request.url,
        data=request.body or None,
        headers={**_PLAIN, **(_COMPRESSED if compressed else {}), **request.headers},
        timeout=timeout,
        allow_redirects=False,
        stream=True,
        auth=_keep_headers,
        verify=verify,
    )


def _read_body(raw: requests.Response, request: Request, deadline: float, terms: Terms) -> bytes:
    """All that is sent, taken as it arrives, so that size and time stay in bounds."""
    received = bytearray()
    while chunk := raw.raw.read1(_CHUNK, decode_content=terms.compressed):
        received += chunk
        if len(received) > terms.max_bytes:
            msg = f"{request.host}: sends more than {terms.max_bytes} bytes, which is refused; "
            raise UnavailableError(msg + "check that the address is the right one")
        if time.monotonic() > deadline:
            raise TimeoutError
    return bytes(received)


def _keep_headers(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Keeps requests from putting a password out of ~/.netrc in place of our own header."""
    return request


def _read_pause(retry_after: str, otherwise: float) -> float:
    """Seconds to wait, from a number or from a date, or what we would do anyway."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return otherwise
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
