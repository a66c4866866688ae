"""GitHub's API: typed answers, all pages, retries within its limits, nothing posted twice."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec

from agentevals import web
from agentevals.github.api_calls import (
    LARGEST,
    Again,
    Call,
    LostAnswerError,
    NotFoundError,
    Purpose,
    Query,
    make_error,
    make_graphql_error,
)
from agentevals.github.api_retries import (
    CLOCK,
    RETRY_POLICY,
    Clock,
    Pace,
    RetryPolicy,
    Trouble,
    find_trouble,
)
from agentevals.model.errors import UnavailableError

VERSION = "2022-11-28"  # known to github.com and to every supported Enterprise Server
PER_PAGE = 100
_MOST_PAGES = 100
_DOWNLOAD_TIMEOUT = 120.0
_JSON = "application/vnd.github+json"
_REFUSED = 400  # where HTTP's refusals begin

Shape = TypeVar("Shape")


@dataclass(frozen=True, kw_only=True)
class Api:
    """GitHub at the addresses that the environment gives."""

    url: str
    graphql_url: str
    token: str = field(repr=False)
    retry_policy: RetryPolicy = RETRY_POLICY
    clock: Clock = CLOCK
    pace: Pace = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pace", Pace(self.retry_policy, self.clock))

    @property
    def is_dry_run(self) -> bool:
        """Return whether writing requests are shown instead of sent."""
        return False

    def ready_to_write(self) -> None:
        """Wait for the pause before the next write, so that the write can follow a read at once."""
        self.pace.wait_to_write()

    def get(
        self, place: str, shape: type[Shape], *, to: Purpose, query: Query | None = None
    ) -> Shape:
        """Return one document."""
        response = self._answer(Call(method="GET", url=self._build_url(place, query), purpose=to))
        return _decode(response.body, shape)

    def list_pages(
        self,
        place: str,
        shape: type[Shape],
        *,
        to: Purpose,
        query: Query | None = None,
        key: str = "",
    ) -> Iterator[Shape]:
        """Yield all items of a listing. `key` names the list if it is a part of a document."""
        for number in range(1, _MOST_PAGES + 1):
            wanted = {**(query or {}), "per_page": PER_PAGE, "page": number}
            empty = {key: []} if key else []
            call = Call(method="GET", url=self._build_url(place, wanted), purpose=to, empty=empty)
            response = self._answer(call)
            items = _decode_items(response.body, shape, key)
            yield from items
            links = response.headers.get("link")
            if not (len(items) == PER_PAGE if links is None else 'rel="next"' in links):
                return
        msg = f"GitHub has more than {_MOST_PAGES * PER_PAGE} entries to {to.deed}; it ends here"
        raise UnavailableError(msg)

    def download(self, place: str, *, to: Purpose, max_bytes: int = LARGEST) -> bytes:
        """Return bytes. A redirect to another host is followed without the token."""
        call = Call(
            method="GET",
            url=self._build_url(place),
            purpose=to,
            timeout=_DOWNLOAD_TIMEOUT,
            max_bytes=max_bytes,
        )
        return self._answer(call).body

    def post(
        self,
        place: str,
        document: Any,
        shape: type[Shape],
        *,
        to: Purpose,
        again: Again = Again.IF_REFUSED,
    ) -> Shape:
        """Create something once. Raise a LostAnswerError if it is unknown whether GitHub did."""
        url = self._build_url(place)
        call = Call(method="POST", url=url, purpose=to, document=document, writes=True, again=again)
        return _decode(self._answer(call).body, shape)

    def patch(
        self,
        place: str,
        document: Any,
        shape: type[Shape],
        *,
        to: Purpose,
        again: Again = Again.ANYWAY,
    ) -> Shape:
        """Change something. Give another `again` if the change adds to existing content."""
        url = self._build_url(place)
        call = Call(
            method="PATCH", url=url, purpose=to, document=document, writes=True, again=again
        )
        return _decode(self._answer(call).body, shape)

    def delete(self, place: str, *, to: Purpose) -> None:
        """Remove something. Something that is gone already is no error."""
        try:
            self._answer(Call(method="DELETE", url=self._build_url(place), purpose=to, writes=True))
        except NotFoundError:
            return

    def graphql(
        self, query: str, variables: Mapping[str, Any], shape: type[Shape], *, to: Purpose
    ) -> Shape:
        """Return the answer to a query, or to a mutation that may be repeated."""
        document = {"query": query, "variables": variables}
        writes = query.lstrip().startswith("mutation")
        call = Call(
            method="POST", url=self.graphql_url, purpose=to, document=document, writes=writes
        )
        said = _decode(self._answer(call).body, _Said)
        if said.errors:
            raise make_graphql_error(said.errors, to)
        return _decode(bytes(said.data), shape)

    def _build_url(self, place: str, query: Query | None = None) -> str:
        return f"{self.url.rstrip('/')}{place}" + (f"?{urlencode(query)}" if query else "")

    def _answer(self, call: Call) -> web.Response:
        """Send a request until there is an answer that waiting would not change."""
        tries, attempt, failing = self.pace.count_tries(call.purpose.deed), 0, 0.0
        while True:
            attempt, began = attempt + 1, self.clock.now()
            found = self._try(call, attempt)
            if isinstance(found, web.Response):
                self.pace.recover()
                return _check_status(found, call.purpose)
            if call.again is Again.IF_REFUSED and not found.refused:
                raise _make_lost_error(call, found.problem)
            failing += self.clock.now() - began
            if attempt == tries or failing > self.pace.policy.in_trouble:
                break
            self.pace.wait(found.pause, found.problem)
            if call.again is Again.NEVER:
                raise _make_lost_error(call, found.problem)
        self.pace.give_up(found)
        msg = f"GitHub does not manage to {call.purpose.deed}: {found.problem} ({attempt} tries)"
        raise UnavailableError(msg)

    def _try(self, call: Call, attempt: int) -> web.Response | Trouble:
        try:
            response = self._send(call)
        except web.NoAnswerError as error:
            return Trouble(str(error), self.pace.policy.compute_backoff(attempt), silent=True)
        return find_trouble(response, self.clock.now(), self.pace.policy, attempt) or response

    def _send(self, call: Call) -> web.Response:
        if not call.writes:
            return self._exchange(call)
        with self.pace.writing:
            self.pace.wait_to_write()
            try:
                return self._exchange(call)
            finally:
                self.pace.note_write()

    def _exchange(self, call: Call) -> web.Response:
        headers = {"accept": _JSON, "x-github-api-version": VERSION}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        terms = web.Terms(
            retries=0,
            passing=frozenset(),
            max_bytes=call.max_bytes,
            redirects=3 if call.method == "GET" else 0,
        )
        timeout = min(call.timeout, self.pace.policy.one_try)
        if call.method == "GET":
            return web.get(call.url, headers=headers, timeout=timeout, terms=terms)
        document = b"" if call.document is None else call.document
        return web.send(
            call.method, call.url, document, headers=headers, timeout=timeout, terms=terms
        )


def _make_lost_error(call: Call, problem: str) -> LostAnswerError:
    msg = f"whether GitHub managed to {call.purpose.deed} is not known: {problem}"
    return LostAnswerError(msg)


class _Said(msgspec.Struct):
    data: msgspec.Raw = msgspec.Raw(b"null")
    errors: list[dict[str, Any]] = []


def _check_status(response: web.Response, purpose: Purpose) -> web.Response:
    if response.status >= _REFUSED:
        raise make_error(response, purpose)
    return response


def _decode(body: bytes, shape: type[Shape]) -> Shape:
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.DecodeError, RecursionError):
        msg = "the answer is not from GitHub's API; check GITHUB_API_URL and GITHUB_GRAPHQL_URL"
        raise UnavailableError(msg) from None


def _decode_items(body: bytes, shape: type[Shape], key: str) -> list[Shape]:
    inner = bytes(_decode(body, dict[str, msgspec.Raw]).get(key, b"[]")) if key else body
    items: list[Shape] = _decode(inner, list[shape])  # type: ignore[valid-type]  # a type as a value
    return items
