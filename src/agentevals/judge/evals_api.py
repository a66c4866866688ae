"""The OpenAI Evals API: create an eval, run it, wait, read its items, and leave nothing behind."""

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from agentevals import web
from agentevals.judge.judge_question import make_printable, read_error
from agentevals.model.errors import AgentEvalsError, EvaluatorError, InputError, UnavailableError

log = logging.getLogger(__name__)

HOME = "https://api.openai.com/v1"
_EVERY = 2.0
_REQUEST_TIMEOUT = 30.0
_RETRIES = 2
_MOST_PAGES = 1_000
_ENDED = frozenset({"failed", "canceled", "cancelled"})

Shape = TypeVar("Shape", bound=msgspec.Struct)


class Counts(msgspec.Struct):
    """The numbers of items of a run by outcome."""

    passed: int = 0
    failed: int = 0
    errored: int = 0
    total: int = 0


class CriterionCounts(msgspec.Struct):
    """The numbers of items by outcome of one testing criterion."""

    testing_criteria: str = ""
    passed: int = 0
    failed: int = 0


class Trouble(msgspec.Struct):
    """Why a run, or an item of it, came to nothing."""

    code: str | None = None
    message: str | None = None

    def __str__(self) -> str:
        return make_printable(self.message or self.code or "no reason given", 300)


class Run(msgspec.Struct):
    """One run of an eval."""

    id: str
    status: str = ""
    result_counts: Counts = msgspec.field(default_factory=Counts)
    per_testing_criteria_results: list[CriterionCounts] | None = None
    error: Trouble | None = None


class Outcome(msgspec.Struct):
    """The result of one testing criterion for one item."""

    name: str = ""
    passed: bool | None = None
    score: float | None = None


class Sample(msgspec.Struct):
    """A question to a model and its answer; only an error is read."""

    error: Trouble | None = None


class Item(msgspec.Struct):
    """The result of one row of the data."""

    id: str = ""
    status: str = ""
    datasource_item_id: int | None = None
    results: list[Outcome] = []
    sample: Sample | None = None


class _Made(msgspec.Struct):
    id: str


class _Page(msgspec.Struct):
    data: list[Item]
    has_more: bool = False
    last_id: str | None = None


@dataclass(frozen=True)
class Clock:
    """A source of time, and a way to wait."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


CLOCK = Clock()


class EvalsAPI:
    """The API at one address, for as long as one evaluation may take."""

    def __init__(
        self, timeout: float, environ: Mapping[str, str] = os.environ, clock: Clock = CLOCK
    ) -> None:
        self._base = environ.get("OPENAI_BASE_URL", "").strip().rstrip("/") or HOME
        self._key = environ.get("OPENAI_API_KEY", "").strip()
        self._timeout, self._clock = timeout, clock
        self._deadline = clock.now() + timeout
        if not self._key:
            msg = "'backend: api' needs a key; put it into the environment variable OPENAI_API_KEY"
            raise InputError(msg)

    @property
    def host(self) -> str:
        return urlsplit(self._base).netloc.rpartition("@")[2]

    @contextmanager
    def evaluation(self, document: dict[str, Any]) -> Iterator[str]:
        """An eval for as long as it is needed; it is deleted whatever happens meanwhile."""
        made = self._read(self._post("/evals", document), _Made, "create the eval")
        try:
            yield made.id
        finally:
            self._tidy_up(web.delete, _build_path(made.id))

    def run(self, eval_id: str, document: dict[str, Any]) -> Run:
        """Start a run and wait for its end; one that takes too long is cancelled."""
        started = self._read(
            self._post(_build_path(eval_id, "runs"), document), Run, "start the run"
        )
        path = _build_path(eval_id, "runs", started.id)
        while True:
            run = self._read(self._get(path), Run, "report on the run")
            if run.status == "completed":
                return run
            if run.status in _ENDED:
                reason = f": {run.error}" if run.error else ""
                msg = f"{self.host}: the eval run ended as '{run.status}'{reason}"
                raise EvaluatorError(msg)
            if self._clock.now() + _EVERY > self._deadline:
                self._tidy_up(web.post, path)
                msg = f"{self.host}: the eval run did not end within {self._timeout:g} s; "
                raise EvaluatorError(msg + "raise 'timeout'")
            self._clock.sleep(_EVERY)

    def list_items(self, eval_id: str, run_id: str) -> list[Item]:
        """Return the results of all rows, in the order of the data."""
        path = _build_path(eval_id, "runs", run_id, "output_items")
        found: list[Item] = []
        query = ""
        for _ in range(_MOST_PAGES):
            page = self._read(self._get(path + query), _Page, "list the items")
            found += page.data
            last = page.last_id or (page.data[-1].id if page.data else "")
            if not page.has_more or not last:
                break
            query = f"?after={quote(last, safe='')}"
        return sorted(found, key=lambda item: item.datasource_item_id or 0)

    def _post(self, path: str, document: dict[str, Any]) -> web.Response:
        return web.post(self._base + path, document, **self._build_terms())

    def _get(self, path: str) -> web.Response:
        return web.get(self._base + path, **self._build_terms())

    def _build_terms(self, retries: int = _RETRIES) -> dict[str, Any]:
        left = max(1.0, self._deadline - self._clock.now())
        return {
            "headers": {"authorization": f"Bearer {self._key}"},
            "timeout": min(left, _REQUEST_TIMEOUT),
            "terms": web.Terms(retries=retries, longest_pause=left, sleep=self._clock.sleep),
        }

    def _read(self, response: web.Response, shape: type[Shape], deed: str) -> Shape:
        if response.status not in {200, 201}:
            reason = read_error(response.body, key=self._key)
            msg = f"{self.host}: refuses to {deed} ({response.status}): {reason}"
            raise EvaluatorError(msg)
        try:
            return msgspec.json.decode(response.body, type=shape)
        except (msgspec.DecodeError, RecursionError):
            msg = f"{self.host}: what came back is not of the Evals API; check OPENAI_BASE_URL"
            raise UnavailableError(msg) from None

    def _tidy_up(self, send: Callable[..., web.Response], path: str) -> None:
        """Send a clean-up request; a failure is logged, so that it hides no result and no error."""
        try:
            status = send(self._base + path, **self._build_terms(retries=1)).status
        except AgentEvalsError as error:
            log.warning("left behind at the Evals API: %s: %s", path, error)
        else:
            if status not in {200, 204}:
                log.warning("left behind at the Evals API: %s: answered %d", path, status)


def _build_path(eval_id: str, *rest: str) -> str:
    return "/".join(("/evals", *(quote(part, safe="") for part in (eval_id, *rest))))
