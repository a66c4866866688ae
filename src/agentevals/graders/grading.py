"""Grading one case with one grader: its judgement, or what kept it from judging.

The judgement is bounded: an evaluator may print megabytes about a case.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import msgspec

from agentevals.graders.grader import Grader, Services
from agentevals.graders.javascript import to_fixed
from agentevals.model.cases import Case, Grade, Status
from agentevals.model.completeness import Gap
from agentevals.model.errors import EvaluatorError, InputError, UnavailableError
from agentevals.model.results import Blame, Finding, Result, Severity
from agentevals.sandbox import kept_program_outputs

log = logging.getLogger(__name__)
_LONGEST_TEXT = 64 << 10  # characters
_MOST_ITEMS = 1000
_LARGEST_DETAILS = 512 << 10  # bytes of JSON
_KIB = 1024
_encode = msgspec.json.Encoder().encode


def grade_case(grader: Grader, case: Case, services: Services) -> Result:
    """A grader's judgement on a case, or what kept it from judging. Never raises."""
    return _settle(grader, partial(_judge, grader, case, services), services, perf_counter())


def _judge(grader: Grader, case: Case, services: Services) -> Grade:
    obstacle = _find_obstacle(grader, case, services)
    if obstacle:
        return obstacle
    if services.kept is None:
        grade = grader.grade(case, services)
        return invert_grade(grade) if grader.negate else grade
    with kept_program_outputs.attempt(services.kept if grader.is_repeatable else None):
        return _turn(grader, grader.grade(case, services))


def grade_cases(grader: Grader, cases: Sequence[Case], services: Services) -> list[Result]:
    """Its judgements on cases that it judges together. Each is as if it stood alone."""
    started = perf_counter()
    known = [_find_outcome(grader, case, services) for case in cases]
    asked = [case for case, outcome in zip(cases, known, strict=True) if outcome is None]
    judged = iter(_grade_together(grader, asked, services) if asked else ())
    outcomes = [next(judged) if outcome is None else outcome for outcome in known]
    each = (perf_counter() - started) / len(cases)
    return [
        _settle(grader, partial(_take, outcome), services, perf_counter() - each)
        for outcome in outcomes
    ]


def _find_outcome(grader: Grader, case: Case, services: Services) -> Grade | Exception | None:
    try:
        return _find_obstacle(grader, case, services)
    except Exception as error:  # noqa: BLE001 -- `_settle` tells them apart
        return error


def _grade_together(
    grader: Grader, cases: Sequence[Case], services: Services
) -> Iterable[Grade | Exception]:
    try:
        outcomes = grader.grade_batch(cases, services)
    except Exception as error:  # noqa: BLE001 -- `_settle` tells them apart
        return [error] * len(cases)
    return [one if isinstance(one, Exception) else _turn(grader, one) for one in outcomes]


def _take(outcome: Grade | Exception) -> Grade:
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _settle(
    grader: Grader, judge: Callable[[], Grade], services: Services, started: float
) -> Result:
    try:
        grade, cut = judge(), list[str]()
        if not _is_small(grade):
            grade, cut = cut_grade(grade)
    except EvaluatorError as error:
        return _build_failure(grader, str(error), Blame.EVALUATOR, started)
    except UnavailableError as error:
        return _build_failure(grader, str(error), Blame.OUTSIDE, started)
    except InputError as error:
        return _build_failure(grader, str(error), Blame.INPUT, started)
    except Exception as error:
        log.debug("%s failed", grader.name, exc_info=True)
        return _build_failure(grader, f"bug in {grader.type}: {error!r}", Blame.BUG, started)
    if cut:
        _warn_of_size(grader, cut, services)
    return Result(
        name=grader.name,
        type=grader.type,
        status=_decide_status(grade, grader.threshold),
        score=grade.score,
        threshold=grader.threshold,
        weight=grader.weight,
        required=grader.required,
        vetoes=grade.vetoes,
        hits=grade.hits,
        misses=grade.misses,
        reasoning=grade.reasoning,
        per_turn=grade.per_turn,
        details=grade.details,
        isolation=grade.isolation,
        scale=grade.scale,
        raw=grade.raw or msgspec.UNSET,
        duration_ms=(perf_counter() - started) * 1000,
    )


def _warn_of_size(grader: Grader, cut: Sequence[str], services: Services) -> None:
    named = ", ".join(f"'{name}'" for name in cut)
    said = f"evaluator {grader.name!r}: its {named} were too long for the report and were cut"
    services.findings[said] = Finding(severity=Severity.WARNING, rule="result-cut", message=said)


def _find_obstacle(grader: Grader, case: Case, services: Services) -> Grade | None:
    """Return why a case is not judged by a grader, if it is not."""
    if grader.needs_expectation and case.expected is None:
        return Grade.not_evaluated(case.unpaired)
    if (case.equal_turns or grader.needs_equal_turns) and case.uneven:
        return Grade.not_evaluated(case.uneven)
    gap = grader.find_gap(case)
    if gap is not None:
        return _grade_gap(gap)
    if services.unjudged and grader.judged:
        return Grade.not_evaluated(services.unjudged)
    return None


def _turn(grader: Grader, grade: Grade) -> Grade:
    return invert_grade(grade) if grader.negate else grade


def _grade_gap(gap: Gap) -> Grade:
    """Not evaluated, for want of evidence: the same sentence in every case with this gap."""
    grade = Grade.not_evaluated(gap.reason)
    return msgspec.structs.replace(grade, details={"reason": gap.reason, "gap": gap})


def invert_grade(grade: Grade) -> Grade:
    """The opposite. What was not evaluated is no more evaluated for being negated."""
    if grade.score is None:
        return grade
    original = f"riginal score: {to_fixed(grade.score, 2)}"
    said = f"{grade.reasoning} (o{original})" if grade.reasoning else f"O{original}"
    opposite = {Status.PASSED: Status.FAILED, Status.FAILED: Status.PASSED}
    return msgspec.structs.replace(
        grade,
        score=max(0.0, min(1.0, 1 - grade.score)),
        status=opposite.get(grade.status) if grade.status else None,
        vetoes=False,
        hits=grade.misses,
        misses=grade.hits,
        reasoning=f"[Negated] {said}",
        scale=(0.0, 1.0),
        raw=None,
        per_turn=tuple(None if score is None else 1 - score for score in grade.per_turn),
    )


def _decide_status(grade: Grade, threshold: float) -> Status:
    if grade.status is not None:
        return grade.status
    if grade.score is None:
        return Status.NOT_EVALUATED
    return Status.PASSED if grade.score >= threshold else Status.FAILED


def _build_failure(grader: Grader, error: str, blame: Blame, started: float) -> Result:
    return Result(
        name=grader.name,
        type=grader.type,
        status=Status.ERROR,
        threshold=grader.threshold,
        weight=grader.weight,
        required=grader.required,
        error=error,
        blame=blame,
        duration_ms=(perf_counter() - started) * 1000,
    )


def cut_grade(grade: Grade) -> tuple[Grade, list[str]]:
    """Return the grade, cut to what a report may hold of it, and the names of what was cut."""
    bounded: dict[str, Any] = {
        "reasoning": _cut_text(grade.reasoning),
        "hits": _cut_texts(grade.hits),
        "misses": _cut_texts(grade.misses),
        "per_turn": grade.per_turn[:_MOST_ITEMS],
        "details": _cut_details(grade.details),
    }
    changed = {name: value for name, value in bounded.items() if value is not getattr(grade, name)}
    cut = [name for name, value in changed.items() if value != getattr(grade, name)]
    return (msgspec.structs.replace(grade, **changed) if cut else grade), cut


def _is_small(grade: Grade) -> bool:
    """Return whether nothing of a grade can be too long. That is known at a glance of most."""
    if len(grade.per_turn) > _MOST_ITEMS or len(grade.reasoning) > _LONGEST_TEXT:
        return False
    if (grade.hits and _are_long(grade.hits)) or (grade.misses and _are_long(grade.misses)):
        return False
    details = grade.details
    if not details:
        return True
    try:
        size = len(_encode(details))
    except (TypeError, ValueError, RecursionError):  # each member is then measured for itself
        return False
    if size <= _KIB:
        return True
    is_long = len(details) > _MOST_ITEMS or max(len(str(key)) for key in details) > _KIB
    return size < _LARGEST_DETAILS and not is_long


def _are_long(texts: tuple[str, ...]) -> bool:
    return len(texts) > _MOST_ITEMS or sum(map(len, texts)) >= _LONGEST_TEXT


def _cut_text(text: str) -> str:
    if len(text) <= _LONGEST_TEXT:
        return text
    half = _LONGEST_TEXT // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters omitted …\n{text[-half:]}"


def _cut_texts(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Cut a list where its texts together become too long."""
    kept: list[str] = []
    left = _LONGEST_TEXT
    for text in texts[:_MOST_ITEMS]:
        if left <= 0:
            break
        kept.append(text if len(text) <= left else f"{text[:left]}…")
        left -= len(text)
    omitted = len(texts) - len(kept)
    return (*kept, f"… {omitted} more omitted …") if omitted else tuple(kept)


def _cut_details(details: dict[str, Any]) -> dict[str, Any]:
    """Keep the members in their order, as far as there is room; name the size of the others."""
    left, kept = _LARGEST_DETAILS, dict[str, Any]()
    for key, value in details.items():
        size = len(key) + _measure(value)
        fits = size <= left
        kept[_cut_key(key)] = value if fits else f"… {size // _KIB} KiB omitted …"
        left -= size if fits else len(key)
        if left <= 0 or len(kept) >= _MOST_ITEMS:
            break
    return kept if kept != details else details


def _cut_key(key: str) -> str:
    return key if len(key) <= _KIB else f"{key[:_KIB]}…"


def _measure(value: Any) -> int:
    try:
        return len(msgspec.json.encode(value, enc_hook=str))
    except (TypeError, ValueError, RecursionError):  # the report says what is wrong with it
        return 0
