"""GitHub's API: typed answers, all pages, patience with its limits, nothing posted twice."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec

from agentevals import web
from agentevals.github.calls import JSON, LARGEST, RAW, Again, Call, Query
from agentevals.github.refusals import LostAnswerError, NotFoundError, Purpose, of_graphql, refusal
from agentevals.github.retries import CLOCK, PATIENCE, Clock, Pace, Patience, Trouble, trouble
from agentevals.model.errors import UnavailableError

VERSION = "2022-11-28"  # known to github.com and to every supported Enterprise Server
PER_PAGE = 100
_MOST_PAGES = 100
_DOWNLOAD_TIMEOUT = 120.0
_REFUSED = 400  # where HTTP's refusals begin

Shape = TypeVar("Shape")


@dataclass(frozen=True, kw_only=True)
class Api:
    """GitHub at the addresses that the environment gives."""

    url: str
    graphql_url: str
    token: str = field(repr=False)
    patience: Patience = PATIENCE
    clock: Clock = CLOCK
    pace: Pace = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pace", Pace(self.patience, self.clock))

    @property
    def rehearses(self) -> bool:
        """Whether what is written is not to be found afterwards."""
        return False

    def ready_to_write(self) -> None:
        """Have the pause before the next write behind us, so that it follows a reading at once."""
        self.pace.before_write()

    def get(
        self, place: str, shape: type[Shape], *, to: Purpose, query: Query | None = None
    ) -> Shape:
        """One document."""
        response = self._answer(Call(method="GET", url=self._at(place, query), purpose=to))
        return _decoded(response.body, shape)

    def pages(
        self,
        place: str,
        shape: type[Shape],
        *,
        to: Purpose,
        query: Query | None = None,
        key: str = "",
    ) -> Iterator[Shape]:
        """All items of a listing; `key` names the list where it is a part of a document."""
        for number in range(1, _MOST_PAGES + 1):
            wanted = {**(query or {}), "per_page": PER_PAGE, "page": number}
            empty = {key: []} if key else []
            call = Call(method="GET", url=self._at(place, wanted), purpose=to, empty=empty)
            response = self._answer(call)
            items = _listed(response.body, shape, key)
            yield from items
            links = response.headers.get("link")
            if not (len(items) == PER_PAGE if links is None else 'rel="next"' in links):
                return
        msg = f"GitHub has more than {_MOST_PAGES * PER_PAGE} entries to {to.deed}; it ends here"
        raise UnavailableError(msg)

    def download(
        self,
        place: str,
        *,
        to: Purpose,
        query: Query | None = None,
        raw: bool = False,
        max_bytes: int = LARGEST,
    ) -> bytes:
        """Bytes. A redirect to another host is followed without the token."""
        call = Call(
            method="GET",
            url=self._at(place, query),
            purpose=to,
            accept=RAW if raw else JSON,
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
        """Have something made, once: LostAnswerError where nobody knows whether it was."""
        return self._written("POST", place, document, shape, to, again)

    def patch(
        self,
        place: str,
        document: Any,
        shape: type[Shape],
        *,
        to: Purpose,
        again: Again = Again.ANYWAY,
    ) -> Shape:
        """Have something changed; not anyway where the change adds to what is there."""
        return self._written("PATCH", place, document, shape, to, again)

    def delete(self, place: str, *, to: Purpose) -> None:
        """Have something removed. That it is gone already is as good."""
        try:
            self._answer(Call(method="DELETE", url=self._at(place), purpose=to, writes=True))
        except NotFoundError:
            return

    def graphql(
        self, query: str, variables: Mapping[str, Any], shape: type[Shape], *, to: Purpose
    ) -> Shape:
        """What a query finds, or what a mutation that may be repeated leaves."""
        document = {"query": query, "variables": variables}
        writes = query.lstrip().startswith("mutation")
        call = Call(
            method="POST", url=self.graphql_url, purpose=to, document=document, writes=writes
        )
        said = _decoded(self._answer(call).body, _Said)
        if said.errors:
            raise of_graphql(said.errors, to)
        return _decoded(bytes(said.data), shape)

    def _at(self, place: str, query: Query | None = None) -> str:
        return f"{self.url.rstrip('/')}{place}" + (f"?{urlencode(query)}" if query else "")

    def _written(  # noqa: PLR0913, PLR0917 -- those of `post`, and which
        self,
        method: str,
        place: str,
        document: Any,
        shape: type[Shape],
        purpose: Purpose,
        again: Again,
    ) -> Shape:
        call = Call(
            method=method,
            url=self._at(place),
            purpose=purpose,
            document=document,
            writes=True,
            again=again,
        )
        return _decoded(self._answer(call).body, shape)

    def _answer(self, call: Call) -> web.Response:
        """Ask until there is an answer that waiting would not change."""
        tries, attempt, failing = self.pace.tries(call.purpose.deed), 0, 0.0
        while True:
            attempt, began = attempt + 1, self.clock.now()
            found = self._tried(call, attempt)
            if isinstance(found, web.Response):
                self.pace.is_well()
                return _accepted(found, call.purpose)
            if call.again is Again.IF_REFUSED and not found.refused:
                raise _lost(call, found.problem)
            failing += self.clock.now() - began
            if attempt == tries or failing > self.pace.patience.in_trouble:
                break
            self.pace.wait(found.pause, found.problem)
            if call.again is Again.NEVER:
                raise _lost(call, found.problem)
        self.pace.give_up(found)
        msg = f"GitHub does not manage to {call.purpose.deed}: {found.problem} ({attempt} tries)"
        raise UnavailableError(msg)

    def _tried(self, call: Call, attempt: int) -> web.Response | Trouble:
        try:
            response = self._paced(call)
        except web.NoAnswerError as error:
            return Trouble(str(error), self.pace.patience.backoff(attempt), silent=True)
        return trouble(response, self.clock.now(), self.pace.patience, attempt) or response

    def _paced(self, call: Call) -> web.Response:
        if not call.writes:
            return self._exchange(call)
        with self.pace.writing:
            self.pace.before_write()
            try:
                return self._exchange(call)
            finally:
                self.pace.after_write()

    def _exchange(self, call: Call) -> web.Response:
        headers = {"accept": call.accept, "x-github-api-version": VERSION}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        terms = web.Terms(
            retries=0,
            passing=frozenset(),
            max_bytes=call.max_bytes,
            redirects=3 if call.method == "GET" else 0,
        )
        timeout = min(call.timeout, self.pace.patience.one_try)
        if call.method == "GET":
            return web.get(call.url, headers=headers, timeout=timeout, terms=terms)
        document = b"" if call.document is None else call.document
        return web.send(
            call.method, call.url, document, headers=headers, timeout=timeout, terms=terms
        )


def _lost(call: Call, problem: str) -> LostAnswerError:
    msg = f"whether GitHub managed to {call.purpose.deed} is not known: {problem}"
    return LostAnswerError(msg)


class _Said(msgspec.Struct):
    data: msgspec.Raw = msgspec.Raw(b"null")
    errors: list[dict[str, Any]] = []


def _accepted(response: web.Response, purpose: Purpose) -> web.Response:
    if response.status >= _REFUSED:
        raise refusal(response, purpose)
    return response


def _decoded(body: bytes, shape: type[Shape]) -> Shape:
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.DecodeError, RecursionError):
        msg = "what came back is not of GitHub's API; check GITHUB_API_URL and GITHUB_GRAPHQL_URL"
        raise UnavailableError(msg) from None


def _listed(body: bytes, shape: type[Shape], key: str) -> list[Shape]:
    inner = bytes(_decoded(body, dict[str, msgspec.Raw]).get(key, b"[]")) if key else body
    items: list[Shape] = _decoded(inner, list[shape])  # type: ignore[valid-type]  # a type as a value
    return items
