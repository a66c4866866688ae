"""Words for a report: its headline, scores, durations and what a run used."""

from collections.abc import Iterator, Mapping, Sequence
from math import floor, log10
from typing import Any, Protocol

import msgspec

from agentevals.model.cases import MISSED_GATES, Raw, Status
from agentevals.model.completeness import Unknown
from agentevals.model.conversations import RecordingCost
from agentevals.model.outcome import Outcome
from agentevals.model.results import EVALUATOR_ERROR, Partial, Report, Result, Severity, Verdict

_SECOND, _MINUTE = 1_000, 60_000  # milliseconds
_PRECISE = 1e-9
_SHARES = (0.0, 1.0)
_NAMED = 5  # models in a sentence
NOTHING = "–"  # noqa: RUF001 -- what stands where a score would

SIGNS = {Status.PASSED: "✓", Status.FAILED: "✗", Status.ERROR: "!", Status.NOT_EVALUATED: NOTHING}


def plural(count: int, noun: str) -> str:
    """`1 case`, `2,000 cases`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def join_names(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def add_reason(told: str, reason: str) -> str:
    """`told: reason`, or what was told alone if nobody gave a reason."""
    return f"{told}: {reason}" if reason.strip() else told


def score(number: float | None) -> str:
    """Write a score with two digits; what is not quite 1 never looks like 1."""
    if number is None:
        return NOTHING
    text = f"{number:.2f}"
    return "0.99" if text == "1.00" and number < 1 else text


def exact_score(number: float | None) -> str:
    """Write a score with as many digits, up to four, as a comparison with a threshold takes."""
    if number is None or abs(number - round(number, 2)) < _PRECISE:
        return score(number)
    return f"{min(number, 0.9999) if number < 1 else number:.4f}"


class Scored(Protocol):
    """A score, what it needs, and what 0 and 1 are called on the scale of the evaluator."""

    @property
    def score(self) -> float | None: ...
    @property
    def threshold(self) -> float | None: ...
    @property
    def scale(self) -> tuple[float, float]: ...
    @property
    def raw(self) -> Raw | msgspec.UnsetType: ...


def scale_score(number: float | None, scale: tuple[float, float]) -> float | None:
    """Return a score or a threshold on the evaluator's own scale."""
    low, high = scale
    return number if number is None or scale == _SHARES else low + number * (high - low)


def read_score(judged: Scored) -> float | None:
    """Return the score in the evaluator's own numbers."""
    return judged.raw.score if judged.raw else scale_score(judged.score, judged.scale)


def read_turns(result: Result) -> Sequence[float | None]:
    """Return the scores of the turns in the evaluator's own numbers."""
    if result.raw:
        return result.raw.per_turn
    return [scale_score(one, result.scale) for one in result.per_turn]


def write_score(judged: Scored) -> str:
    """Write the score, with the digits that matter."""
    return exact_score(read_score(judged))


def write_judgement(one: Scored) -> str:
    """Return the score, and what it needs where it is below that."""
    score, least = (one.raw.score, one.raw.threshold) if one.raw else (one.score, one.threshold)
    if score is None or least is None or score >= least:
        return write_score(one)
    if exact_score(score) == exact_score(least):  # the last binary digit is missing
        return f"just below {write_needed(one)}"
    return f"{write_score(one)}, needs {write_needed(one)}"


def list_missed_gates(result: Result) -> tuple[str, ...]:
    """Return what fails the case at any score: a sentence for each gate that was missed."""
    if result.status is Status.ERROR or result.gap:
        return ()
    gates: list[str] = []
    if result.misses_required and result.evaluated:
        least = exact_score(scale_score(result.required, result.scale))
        gates.append(f"required to score {least}")
    elif result.misses_required:
        gates.append("required, and was not evaluated")
    if result.vetoes:
        told = result.details.get(MISSED_GATES)
        named = [gate for gate in told if isinstance(gate, str)] if isinstance(told, list) else []
        gates += named or ["something in it is required and was missed"]
    return tuple(gates)


def write_needed(judged: Scored) -> str:
    """Write what the score must reach, and its range where that is not 0 to 1."""
    if judged.raw:
        return exact_score(judged.raw.threshold)
    text = exact_score(scale_score(judged.threshold, judged.scale))
    if judged.scale == _SHARES:
        return text
    low, high = judged.scale
    return f"{text} (from {low:g} to {high:g})"


def duration(milliseconds: float) -> str:
    if milliseconds < _SECOND:
        return f"{milliseconds:.0f} ms"
    if milliseconds < _MINUTE:
        return f"{milliseconds / _SECOND:.1f} s"
    minutes, rest = divmod(milliseconds / _SECOND, 60)
    return f"{minutes:.0f} min {rest:.0f} s"


def write_p(p_value: float) -> str:
    """`p = 0.004`; what is tiny is not claimed to be nought."""
    if p_value < 0.001:  # noqa: PLR2004
        return "p < 0.001"
    return f"p = {p_value:.2f}" if p_value >= 0.1 else f"p = {p_value:.3f}"  # noqa: PLR2004


def write_progress(done: int, of: int | None) -> str:
    """`after 3 of 10 cases`: how far a run had come when it was cancelled."""
    if of:
        return f"after {done:,} of {plural(of, 'case')}"
    return f"after {plural(done, 'case')}" if done else "without a result"


def write_attempts(passed: int, attempts: int) -> str:
    """`2 of 3 attempts passed`; nothing where a case was recorded once."""
    return f"{passed:,} of {attempts:,} attempts passed" if attempts > 1 else ""


def name_verdict(outcome: Outcome) -> str:
    """Return the verdict in capitals.

    There is none if the run was cancelled, or if it would rest on missing evidence.
    """
    if outcome.report and outcome.report.partial:
        return "CANCELLED"
    unknown = outcome.unknown or Unknown()
    rests = unknown.decides or 0 < unknown.cases == outcome.counts.cases
    return "NOT EVALUATED" if rests else outcome.verdict.upper()


def write_lacking(lacking: int, cases: int) -> str:
    """`3 of 10 cases lack evidence`."""
    verb = "lacks" if lacking == 1 else "lack"
    return f"{_write_share(lacking, cases)} {verb} evidence"


def headline(report: Report, unknown: Unknown | msgspec.UnsetType = msgspec.UNSET) -> str:
    """Return in one phrase what happened to the cases. `unknown` are those without a verdict."""
    counts = report.counts
    cases = counts.get("cases", 0)
    if report.partial:
        return _write_partial(report.partial, counts)
    lacking = counts.get("cases_lacking_evidence", 0)
    if lacking and (lacking == cases or (unknown and unknown.decides)):
        others = [f"{counts['cases_pass']:,} passed"] if counts.get("cases_pass") else []
        return ", ".join((write_lacking(lacking, cases), *others))
    if not any(counts.get(kind, 0) for kind in ("results_passed", "results_failed", "cases_error")):
        return f"nothing was evaluated ({plural(cases, 'case')})" if cases else "no case was found"
    failed, borderline = counts.get("cases_fail", 0), counts.get("cases_borderline", 0)
    errors = counts.get("cases_error", 0)
    accepted = counts.get("cases_accepted", 0)
    tolerated = 0 if report.verdict.is_bad else failed - accepted
    if errors and report.verdict is Verdict.ERROR:
        known = ((failed - accepted, "failed"), (counts.get("cases_pass", 0), "passed"))
        others = [f"{count:,} {verb}" for count, verb in known if count]
        phrase = ", ".join((f"{_write_share(errors, cases)} in error", *others))
    elif failed > accepted + tolerated:
        phrase = f"{_write_share(failed - accepted, cases)} failed"
    elif borderline:
        phrase = f"{_write_share(borderline, cases)} borderline"
    else:
        passed = cases - failed - errors - counts.get("cases_unscored", 0) - lacking
        phrase = f"{_write_share(passed, cases)} passed"
    excused = ((accepted, "accepted"), (tolerated, "tolerated"))
    told = [f"{plural(count, 'failure')} {how}" for count, how in excused if count]
    told += [write_lacking(lacking, cases)] if lacking else []
    return ", ".join((phrase, *told, *_list_other_failures(report)))


def _write_partial(partial: Partial, counts: Mapping[str, int]) -> str:
    told = ((counts.get("cases_pass", 0), "passed"), (counts.get("cases_fail", 0), "failed"))
    known = (f"{count:,} {verb}" for count, verb in told if count)
    return ", ".join((write_progress(partial.done, partial.of), *known))


def _write_share(some: int, cases: int) -> str:
    return plural(cases, "case") if some == cases else f"{some:,} of {plural(cases, 'case')}"


def _list_other_failures(report: Report) -> Iterator[str]:
    errors = report.counts.get("results_error", 0)
    if errors and report.verdict is not Verdict.ERROR:
        yield plural(errors, "evaluator error")
    unevaluated = report.counts.get("results_not_evaluated", 0)
    if unevaluated and not report.counts.get("cases_lacking_evidence"):
        yield f"{plural(unevaluated, 'result')} not evaluated"
    # what kept evaluators from judging is counted above
    others = (found for found in report.findings if found.rule != EVALUATOR_ERROR)
    if serious := sum(found.severity is Severity.ERROR for found in others):
        yield plural(serious, "problem")


def performance(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what the agent used, as pairs of a subject and a sentence; only what was recorded."""
    measured = report.performance
    counts = measured.get("counts") or {}
    spread = (measured.get("latency") or {}).get("overall_per_trace") or {}
    if any(spread.values()):
        parts = (f"{name} {duration(value)}" for name, value in spread.items())
        yield "latency", " · ".join(parts)
    tokens = measured.get("tokens") or {}
    if tokens.get("total"):
        yield "tokens", _write_tokens(tokens)
    calls = [(counts.get("total_llm_calls"), "model"), (counts.get("total_tool_calls"), "tool")]
    if any(number for number, _ in calls):
        yield "calls", " · ".join(plural(number or 0, f"{noun} call") for number, noun in calls)
    if measured.get("models"):
        yield "models", ", ".join(measured["models"])
    if report.recording_cost:
        yield "cost", describe_cost(report.recording_cost)


def describe_cost(found: RecordingCost) -> str:
    """Return what model calls cost. What nobody knows is said; it is not nought."""
    calls = plural(found.calls, "model call")
    known = "" if found.cost is None else f"{money(found.cost)} for {calls}"
    if not found.unpriced:
        return known
    names = [one.model or "(no name)" for one in found.models if one.unpriced]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    unknown = f"of {', '.join(names[:_NAMED])}{more}"
    if not known:
        return f"unknown for {calls} {unknown}"
    return f"at least {known}: unknown for {found.unpriced:,} {unknown}"


def money(dollars: float) -> str:
    """Return an amount with two significant digits, and never less than the cents."""
    if dollars == 0 or abs(dollars) >= 1:
        return f"${dollars:,.2f}" if dollars else "$0"
    digits = max(2, 1 - floor(log10(abs(dollars))))
    return f"${dollars:.{min(digits, 9)}f}"


def _write_tokens(tokens: dict[str, Any]) -> str:
    parts = [f"{tokens.get('total_prompt', 0):,} in", f"{tokens.get('total_output', 0):,} out"]
    if cached := tokens.get("cache_read_tokens"):
        parts.append(f"{cached:,} from cache")
    return f"{tokens['total']:,} ({', '.join(parts)})"
