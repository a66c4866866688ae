"""Where in the repository a case was recorded and a rule is written, for links and annotations."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import msgspec

from agentevals.configs import dialects
from agentevals.files.reading import exists
from agentevals.model.errors import AgentEvalsError
from agentevals.model.results import CaseReport, Report
from agentevals.model.review import Highlight, Outcome, Place, Reason

_READ = 64 * 2**20  # bytes of a trace file that are searched
_SITED = 60  # highlights that get places; no page shows more
_COMPRESSED = {".gz"}


def sited(
    section: Outcome, config: Path, root: Path, head: Path, is_committed: Callable[[Path], bool]
) -> Outcome:
    """The section with the places of what it shows, as they are in the head of the repository.

    Configs come from the tree at `root`, traces from that at `head`. A file that is not committed
    as it was judged has no place: a link to it would lead nowhere, or to another line.
    """
    rules = _Rules(config, root, head, is_committed)
    recorded = partial(_recorded, head=head, is_committed=is_committed)
    cases = _cases(section.report, {shown.case_id for shown in section.highlights[:_SITED]})
    return msgspec.structs.replace(
        section,
        highlights=tuple(
            _sited(shown, cases.get(shown.case_id), rules, recorded) if at < _SITED else shown
            for at, shown in enumerate(section.highlights)
        ),
    )


def _cases(report: Report | None, wanted: set[str]) -> dict[str, CaseReport]:
    """The one of several repeats that failed worst, which is the one that is shown."""
    found: dict[str, CaseReport] = {}
    for case in report.cases if report else ():
        if case.case_id in wanted:
            known = found.setdefault(case.case_id, case)
            if (case.score or 0.0) < (known.score or 0.0):
                found[case.case_id] = case
    return found


def _sited(
    shown: Highlight,
    case: CaseReport | None,
    rules: Callable[[str], Place | None],
    recorded: Callable[[CaseReport], Place | None],
) -> Highlight:
    return msgspec.structs.replace(
        shown,
        trace=recorded(case) if case else None,
        reasons=tuple(_ruled(reason, rules) for reason in shown.reasons),
    )


def _ruled(reason: Reason, rules: Callable[[str], Place | None]) -> Reason:
    return msgspec.structs.replace(reason, rule=rules(reason.evaluator))


class _Rules:
    """The lines of evaluators in a config, each looked up once.

    A config that the head has changed, and that does not judge it, has no lines there.
    """

    def __init__(
        self, config: Path, root: Path, head: Path, is_committed: Callable[[Path], bool]
    ) -> None:
        self._config, self._path = config, relative(config, root)
        shown = head / self._path
        self._is_shown = is_committed(config) if root == head else _same(config, shown)
        self._known: dict[str, Place | None] = {}

    def __call__(self, evaluator: str) -> Place | None:
        if evaluator not in self._known:
            self._known[evaluator] = self._place(evaluator)
        return self._known[evaluator]

    def _place(self, evaluator: str) -> Place | None:
        if not self._path or not evaluator or not self._is_shown:
            return None
        try:
            return Place(path=self._path, line=dialects.find_line(self._config, evaluator))
        except AgentEvalsError:
            return Place(path=self._path)


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def _recorded(case: CaseReport, head: Path, is_committed: Callable[[Path], bool]) -> Place | None:
    """The line where a trace begins: the first that names one of its spans."""
    for source in case.sources:
        file = head / source
        path = relative(file, head)
        if path and exists(file) and is_committed(file):
            return Place(path=path, line=_line(file, _names(case)))
    return None


def _names(case: CaseReport) -> Iterable[str]:
    for ref in case.turn_refs:
        yield ref.span_id
    yield from case.trace_ids
    yield case.conversation_id


def _line(file: Path, names: Iterable[str]) -> int | None:
    if file.suffix in _COMPRESSED:
        return None
    with file.open("rb") as opened:
        text = opened.read(_READ)
    for name in names:
        at = text.find(f'"{name}"'.encode(errors="replace")) if name else -1
        if at >= 0:
            return text.count(b"\n", 0, at) + 1
    return None


def relative(path: Path, root: Path) -> str:
    """The path as the repository knows it; empty for what lies elsewhere."""
    absolute = Path(path).resolve()
    return absolute.relative_to(root).as_posix() if absolute.is_relative_to(root) else ""
