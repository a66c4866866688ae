"""The cases of a report as a list: chosen, in an order, one line each."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

import msgspec

from agentevals.compare import comparison
from agentevals.compare.case_summaries import keep_case
from agentevals.model.cases import Status
from agentevals.model.completeness import Unknown
from agentevals.model.errors import InputError
from agentevals.model.noun import Noun
from agentevals.model.outcome import Counts, Highlight, Kind, Outcome, Standing
from agentevals.model.plugins import suggestion
from agentevals.model.policy import Policy
from agentevals.model.results import CaseReport, Report, Result, Verdict
from agentevals.model.review import Review
from agentevals.report import report_tests
from agentevals.report.explanation import list_grounds
from agentevals.run.attempts import describe_attempts
from agentevals.text import wording
from agentevals.text.terminal import plain


class End(StrEnum):
    """The end of a case, or of an evaluator on it; `regressed` is a fall, whatever the end."""

    FAILED = "failed"
    PASSED = "passed"
    BORDERLINE = "borderline"
    REGRESSED = "regressed"
    ERROR = "error"
    NOT_EVALUATED = "not-evaluated"


class Order(StrEnum):
    """The order of a list: by name, with the lowest score first, or the longest time."""

    NAME = "name"
    SCORE = "score"
    TIME = "time"


class Choice(NamedTuple):
    """The cases that are wanted. With an `evaluator`, a line is about it and not about the case."""

    end: End | None = None
    evaluator: str = ""
    text: str = ""
    order: Order | None = None

    @property
    def narrows(self) -> bool:
        """True if it may leave cases out."""
        return bool(self.end or self.evaluator or self.text)


class Line(Noun, frozen=True, omit_defaults=False):
    """One case. `because` is what decided; `changes` and `base` are those of the comparison.

    `latency` is the typical time of a turn in milliseconds, where it is known.
    """

    case_id: str
    status: End
    score: float | None
    latency: float | None
    attempts: str
    changes: tuple[Kind, ...]
    base: Standing | None
    accepted: str
    because: tuple[str, ...]


class Listing(Noun, frozen=True, omit_defaults=False):
    """One config of a report: its verdict in words, and those of its `cases` that are wanted.

    The report itself may name fewer than all: it then knows `named` of them.
    """

    config: str
    verdict: str
    summary: str
    exit_code: int
    score: float | None
    cases: int
    named: int
    lines: tuple[Line, ...]


class Listed(NamedTuple):
    """A listing, and the config as the report holds it."""

    listing: Listing
    outcome: Outcome
    report: Report


_ENDS = {
    Verdict.PASS: End.PASSED,
    Verdict.BORDERLINE: End.BORDERLINE,
    Verdict.FAIL: End.FAILED,
    Verdict.ERROR: End.ERROR,
}
_ENDS_OF_RESULTS = {
    Status.PASSED: End.PASSED,
    Status.FAILED: End.FAILED,
    Status.ERROR: End.ERROR,
    Status.NOT_EVALUATED: End.NOT_EVALUATED,
}


def list_cases(found: Review | Report, choice: Choice) -> list[Listed]:
    """List the cases of each config. An InputError says why there are none."""
    outcomes = [_settle(found)] if isinstance(found, Report) else found.sections
    _check_evaluator(outcomes, choice.evaluator)
    listed = [_list(outcome, choice) for outcome in outcomes]
    named = sum(one.listing.named for one in listed)
    if not named:
        msg = "it has no cases, because nothing was evaluated; show the report of another run"
        raise InputError(msg)
    if not any(one.listing.lines for one in listed):
        cases = wording.plural(named, "case")
        msg = f"none of its {cases} is one of those you ask for; leave out one of the options"
        raise InputError(msg)
    return listed


def _settle(report: Report) -> Outcome:
    """Return a report without a comparison as what it stands for: its verdict is not made again."""
    counts = report.counts
    return Outcome(
        config=report.title,
        title=report.title,
        verdict=report.verdict,
        exit_code=report.exit_code,
        score=report.score,
        counts=Counts(cases=counts.get("cases", 0)),
        findings=report.findings,
        report=report,
        unknown=Unknown(cases=counts.get("cases_lacking_evidence", 0)),
    )


def _check_evaluator(outcomes: Iterable[Outcome], name: str) -> None:
    cases = (case for outcome in outcomes for case in _walk(outcome))
    known = dict.fromkeys(result.name for case in cases for result in case.results) if name else {}
    if name not in known and known:
        near = plain(suggestion(name, list(known)))
        msg = f"it has no evaluator {plain(name, 200)!r} {near}"
        raise InputError(msg)


def _walk(outcome: Outcome) -> Iterator[CaseReport]:
    """A report without its run has the cases that somebody should look at, and no others."""
    if outcome.report is not None:
        yield from outcome.report.cases
    else:
        yield from (shown.case for shown in report_tests.cases(outcome))


def _list(outcome: Outcome, choice: Choice) -> Listed:
    shown: dict[str, list[Highlight]] = {}
    for one in outcome.highlights:
        shown.setdefault(one.case_id, []).append(one)
    policy = outcome.report.policy if outcome.report else Policy()
    lines, named = [], 0
    for case in _walk(outcome):
        named += 1
        line = _describe(case, shown.get(case.case_id, []), policy, choice.evaluator)
        if line and _is_wanted(line, case, choice):
            lines.append(line)
    report = _count(outcome)
    listing = Listing(
        config=outcome.key,
        verdict=wording.name_verdict(outcome).lower().replace(" ", "-"),
        summary=wording.headline(report, outcome.unknown),
        exit_code=outcome.exit_code,
        score=outcome.score,
        cases=max(outcome.counts.cases, named),
        named=named,
        lines=tuple(_sort(lines, choice.order)),
    )
    return Listed(listing, outcome, report)


def _count(outcome: Outcome) -> Report:
    """Return the report with its counts, also where the cases themselves were not kept."""
    report, counted = comparison.report_of(outcome), outcome.counts
    if outcome.report is not None:
        return report
    counts = {
        "cases": counted.cases,
        "cases_pass": counted.passed,
        "cases_borderline": counted.borderline,
        "cases_fail": counted.failed,
        "cases_error": counted.errors,
        "cases_unscored": counted.unscored,
        "cases_lacking_evidence": counted.not_evaluated,
        "cases_accepted": counted.accepted,
        "results_passed": counted.passed,
        "results_failed": counted.failed,
    }
    return msgspec.structs.replace(report, counts=counts, score=outcome.score)


def _describe(
    case: CaseReport, shown: list[Highlight], policy: Policy, evaluator: str
) -> Line | None:
    result = next((one for one in case.results if one.name == evaluator), None)
    if evaluator and result is None:
        return None
    end = End.NOT_EVALUATED if case.is_undecided else _ENDS[case.verdict]
    grounds = list_grounds(case, policy)
    return Line(
        case_id=case.case_id,
        status=_ENDS_OF_RESULTS[result.case_status] if result else end,
        score=wording.read_score(result) if result else case.score,
        latency=keep_case(case).amounts.get("latency"),
        attempts=describe_attempts(case),
        changes=tuple(dict.fromkeys(one.kind for one in shown)),
        base=next((one.was for one in shown if one.was), None),
        accepted=next(filter(None, map(report_tests.acceptance, shown)), ""),
        because=tuple(_list_reasons(result) if result else grounds),
    )


def _list_reasons(result: Result) -> Iterator[str]:
    """Yield why one evaluator ended as it did: its score, and the first that it missed."""
    first = report_tests.explain(result).partition("\n")[0] or result.reasoning
    yield from dict.fromkeys(filter(None, (first, *result.misses[:1])))


def _is_wanted(line: Line, case: CaseReport, choice: Choice) -> bool:
    if choice.end is End.REGRESSED:
        ends_so = Kind.REGRESSED in line.changes
    else:
        ends_so = choice.end in {None, line.status}
    texts = (case.case_id, case.user, *case.sources, *case.trace_ids, *line.because, line.accepted)
    sought = choice.text.casefold()
    return ends_so and (not sought or any(sought in text.casefold() for text in texts))


def _sort(lines: list[Line], order: Order | None) -> list[Line]:
    """Sort them; what has no score or no time stands last."""
    if order is Order.NAME:
        return sorted(lines, key=lambda line: line.case_id)
    if order is Order.SCORE:
        return sorted(lines, key=lambda line: (line.score is None, line.score or 0.0))
    if order is Order.TIME:
        return sorted(lines, key=lambda line: (line.latency is None, -(line.latency or 0.0)))
    return lines
