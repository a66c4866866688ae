"""Everything about one case that its page shows."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from agentevals.compare.case_summaries import BaseCase
from agentevals.model.outcome import Highlight
from agentevals.model.results import CaseReport, Result
from agentevals.model.review import Scene
from agentevals.model.transcripts import KeptCase
from agentevals.report import report_tests
from agentevals.report.explanation import Explanation, Judgement
from agentevals.report.outputs.html.html_data import cut, list_members, round_number
from agentevals.report.pages import page_cases as pages
from agentevals.report.pages import page_links
from agentevals.run.attempts import list_attempts
from agentevals.text import aligned_calls, text_differences, wording

_TEXT = 4_000  # characters of a reason
_NAME = 300
_REASONS = 50
_ARGUMENT = 400  # characters of an argument that differs
_ATTEMPTS = 20
_FULL = "this file is full: the conversation is in the recording only"


@dataclass(frozen=True)
class Known:
    """One case, why each of its attempts ended as it did, and what the base knows of it."""

    case: CaseReport
    explanations: Sequence[Explanation]
    highlights: tuple[Highlight, ...] = ()
    base: Sequence[BaseCase] = ()
    history: str = ""
    strip: str = ""

    @property
    def verdict(self) -> str:
        """The verdict of all attempts together."""
        return "not-evaluated" if self.case.is_undecided else self.case.verdict.value

    @property
    def is_open(self) -> bool:
        """True if somebody should look at it."""
        return self.verdict != "pass" or bool(self.highlights)

    @property
    def accepted(self) -> str:
        """Until when and why somebody answers for it; empty if nobody does."""
        return next(filter(None, map(report_tests.acceptance, self.highlights)), "")


def describe_case(known: Known, scene: Scene, *, transcribed: bool) -> dict[str, Any]:
    """Return the details of a case, each attempt for itself."""
    attempts = list_attempts(known.case)
    pairs = list(zip(attempts, known.explanations, strict=False))[:_ATTEMPTS]
    place = next((one.trace for one in known.highlights if one.trace), None)
    return {
        "attempts": [_describe_attempt(*pair, transcribed=transcribed) for pair in pairs],
        "more": len(attempts) - len(pairs),
        "url": page_links.find_url(place, scene) if place else "",
        "line": place.line if place else None,
        "base": _describe_base(known),
        "path": _compare_paths(known),
        "now": _describe_now(known.highlights),
        "strip": known.strip,
    }


def _describe_attempt(case: CaseReport, why: Explanation, *, transcribed: bool) -> dict[str, Any]:
    results = zip(why.judgements, case.results, strict=True)
    return {
        "verdict": why.verdict,
        "score": wording.score(case.score),
        "because": [cut(said, _TEXT) for said in why.because],
        "sources": [cut(path, _NAME) for path in case.sources[:_REASONS]],
        "traces": [cut(name, _NAME) for name in case.trace_ids[:_REASONS]],
        "question": cut(case.user, _TEXT),
        "calls": None if why.calls is None else [cut(call, _NAME) for call in why.calls],
        "judgements": [_describe_judgement(*pair) for pair in results],
        "unknown": [
            list_members(gap, "turn", "subject", "evidence", "remedy") for gap in why.unknown
        ],
        "warnings": [cut(said, _TEXT) for said in case.warnings[:_REASONS]],
        "transcript": _read_transcript(case, transcribed=transcribed),
    }


def _read_transcript(case: CaseReport, *, transcribed: bool) -> object:
    """Return the JSON as it is kept; None if the run kept nothing."""
    if not isinstance(case, KeptCase) or not isinstance(case.transcript, bytes):
        return None
    return msgspec.Raw(zlib.decompress(case.transcript)) if transcribed else {"left_out": [_FULL]}


def _describe_judgement(one: Judgement, result: Result) -> dict[str, Any]:
    needed = wording.write_needed(result) if result.threshold is not None else ""
    return {
        "name": cut(one.evaluator, _NAME),
        "type": cut(one.type, _NAME),
        "status": one.status.value,
        "score": wording.write_score(result),
        "share": round_number(one.score),
        "needs": needed,
        "threshold": round_number(one.threshold),
        "weight": one.weight,
        "decides": one.decides,
        "problems": [cut(said, _TEXT) for said in one.problems[:_REASONS]],
        "hits": [cut(said, _TEXT) for said in result.hits[:_REASONS]],
        "reasoning": cut(one.reasoning, _TEXT),
        "turns": list(_describe_turns(one)),
    }


def _describe_turns(one: Judgement) -> Iterator[dict[str, Any]]:
    """Yield the expected and actual calls of each turn, side by side."""
    for turn, compared in enumerate(one.comparisons, start=1):
        found, before, left_out = aligned_calls.align(compared)
        if compared.expected or compared.actual:
            rows_ = [_describe_row(row) for row in found]
            yield {"turn": turn, "before": before, "after": left_out, "rows": rows_}


def _describe_row(row: aligned_calls.Row) -> dict[str, Any]:
    expected, actual = aligned_calls.write_row(row)
    differing: list[dict[str, str]] = []
    if row.kind is aligned_calls.Kind.CHANGED and row.expected and row.actual:
        found, _ = text_differences.compare_arguments(row.expected.args, row.actual.args, _ARGUMENT)
        differing = [list_members(one, "name", "expected", "actual") for one in found]
    name = (row.expected or row.actual or aligned_calls.Call("")).name
    return {
        "kind": row.kind.name.lower(),
        "name": cut(name, _NAME),
        "expected": expected,
        "actual": actual,
        "arguments": differing,
        "elsewhere": row.elsewhere,
    }


def _describe_base(known: Known) -> dict[str, Any] | None:
    if not known.base:
        return None
    first = known.base[0]
    return {
        "passed": sum(not one.verdict.is_bad and one.is_decided for one in known.base),
        "attempts": len(known.base),
        "verdict": "not-evaluated" if first.lacks_evidence else first.verdict.value,
        "score": wording.score(first.score),
        "scores": {
            name: {"status": judged.status.value, "score": wording.score(judged.score)}
            for name, judged in first.outcomes.items()
        },
    }


def _compare_paths(known: Known) -> dict[str, Any] | None:
    """Return the calls that differ from those of the base, or of the eval set."""
    for one in known.highlights:
        if one.calls_before and one.calls_before != one.calls_now:
            told = pages.path_difference(one.calls_before, one.calls_now)
            lines = [cut(line, _NAME) for line in told]
            return {"expected": one.expected_calls, "lines": lines}
    return None


def _describe_now(highlights: Sequence[Highlight]) -> list[str]:
    """Return the kinds of a case in words."""
    return [one.kind.value.replace("-", " ") for one in highlights]
