"""Why a case of a report ended as it did, for people and for programs."""

from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import NamedTuple

from agentevals.model.cases import Status
from agentevals.model.completeness import Fact, Gap, TurnGap
from agentevals.model.errors import InputError
from agentevals.model.noun import Noun
from agentevals.model.outcome import Highlight, Outcome, Standing
from agentevals.model.policy import Policy
from agentevals.model.results import CaseReport, Report, Result, Verdict
from agentevals.model.review import Review
from agentevals.report import report_tests
from agentevals.report.pages.page_cases import path_difference
from agentevals.run.attempts import list_all, list_attempts
from agentevals.text import wording
from agentevals.text.aligned_calls import Comparison, comparisons
from agentevals.text.terminal import plain
from agentevals.text.tracebacks import shorten_error

Facts = Callable[[str], tuple[Fact, ...]]  # the facts that an evaluator type judges by

_NEAR = 3  # names that are suggested
_LISTED = 10  # names where none is near
_REPEATS = 10  # of one case
_WHY = 300  # characters of a reason


class Judgement(Noun, frozen=True, omit_defaults=False):
    """One evaluator on the case: what it judged by, and how. `decides` if it fails the case."""

    evaluator: str
    type: str
    status: Status
    decides: bool
    score: float | None
    threshold: float | None
    weight: float
    required: float | None
    judges_by: tuple[Fact, ...]
    problems: tuple[str, ...]
    reasoning: str
    comparisons: tuple[Comparison, ...]
    gap: Gap | None


class Explanation(Noun, frozen=True, omit_defaults=False):
    """One case in one config. `because` is what decided its verdict; `unknown` was not recorded.

    `verdict` is `not-evaluated` where nothing decided. `question` and `calls` are None if they
    are unknown. `before` is the verdict of the baseline, `base` has its score as well, `path` says
    how the calls differ from those there, `change` what became of it.
    """

    config: str
    case_id: str
    repeat: int
    repeats: int
    verdict: str
    because: tuple[str, ...]
    score: float | None
    question: str | None
    calls: tuple[str, ...] | None
    turns: int
    sources: tuple[str, ...]
    judgements: tuple[Judgement, ...]
    unknown: tuple[TurnGap, ...]
    before: str | None
    base: Standing | None
    path: tuple[str, ...]
    change: str | None
    accepted: str


class Explained(NamedTuple):
    """An explanation, and the case as the report holds it."""

    explanation: Explanation
    case: CaseReport


class _Run(NamedTuple):
    """One config of a report, with its cases and what the comparison says of them."""

    config: str
    cases: Sequence[CaseReport]
    policy: Policy
    highlights: tuple[Highlight, ...] = ()


def explain(
    found: Review | Report, case_id: str, *, config: str = "", judges_by: Facts = lambda _: ()
) -> list[Explained]:
    """Explain a case in each config that has it. An InputError names the nearest there is."""
    runs = _choose_runs(found, config)
    explained = [
        Explained(_explain_case(run, case, at, repeats, judges_by), case)
        for run in runs
        for at, case, repeats in _find_attempts(run.cases, case_id)
    ]
    if not explained:
        raise InputError(_describe_unknown(runs, case_id))
    return explained


def make_explainer(outcome: Outcome) -> Callable[[CaseReport], list[Explanation]]:
    """Return what explains each attempt of a case of this config."""
    run = _read_run(outcome)

    def judge(case: CaseReport) -> list[Explanation]:
        attempts = list_attempts(case)[:_REPEATS]
        return [
            _explain_case(run, one, at, len(attempts), lambda _: ())
            for at, one in enumerate(attempts, start=1)
        ]

    return judge


def _choose_runs(found: Review | Report, config: str) -> list[_Run]:
    if isinstance(found, Report):
        runs = [_Run(found.title, found.cases, found.policy)]
    else:
        runs = [_read_run(outcome) for outcome in found.sections]
    if not runs:
        msg = "it has no cases, because nothing was evaluated; explain the report of another run"
        raise InputError(msg)
    chosen = [run for run in runs if config in {"", run.config}]
    if not chosen:
        names = [run.config for run in runs]
        near = get_close_matches(config, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(names)}"
        msg = f"it has no config {plain(config)!r} ({plain(hint)})"
        raise InputError(msg)
    return chosen


def _read_run(outcome: Outcome) -> _Run:
    """A report without its run has the cases that somebody should look at, and no others."""
    report = outcome.report
    if report is not None:
        return _Run(outcome.key, report.cases, report.policy, outcome.highlights)
    cases = [shown.case for shown in report_tests.cases(outcome)]
    return _Run(outcome.key, cases, Policy(), outcome.highlights)


def _find_attempts(
    cases: Sequence[CaseReport], case_id: str
) -> Iterator[tuple[int, CaseReport, int]]:
    """Find a case by its id, else by that of its conversation or of one of its traces.

    Each attempt of a case is explained for itself.
    """
    same = [one for one in list_all(cases) if case_id == one.case_id]
    same = same or [
        one for one in list_all(cases) if case_id in {one.conversation_id, *one.trace_ids}
    ]
    for at, case in enumerate(islice(same, _REPEATS), start=1):
        yield at, case, len(same)


def _describe_unknown(runs: Sequence[_Run], case_id: str) -> str:
    names = list(dict.fromkeys(case.case_id for run in runs for case in run.cases))
    near = get_close_matches(case_id, names, n=_NEAR)
    missing = f"it has no case {plain(case_id, 200)!r}"
    if near:
        return f"{missing} (did you mean {' or '.join(repr(plain(n, 200)) for n in near)}?)"
    listed = ", ".join(plain(name, 200) for name in names[:_LISTED])
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return f"{missing}; its cases are {listed}{more}" if names else f"{missing}: it has none"


def _explain_case(
    run: _Run, case: CaseReport, at: int, repeats: int, judges_by: Facts
) -> Explanation:
    shown = next((one for one in run.highlights if one.case_id == case.case_id), None)
    unknown = case.gaps or ()
    missing = {gap.fact for gap in unknown}
    calls_known = case.calls or Fact.TOOL_CALLS not in missing
    return Explanation(
        config=run.config,
        case_id=case.case_id,
        repeat=at,
        repeats=repeats,
        verdict="not-evaluated" if case.is_undecided else case.verdict.value,
        because=tuple(list_grounds(case, run.policy)),
        score=case.score,
        question=case.user if case.user or Fact.QUESTION not in missing else None,
        calls=case.calls if calls_known else None,
        turns=case.turns,
        sources=case.sources,
        judgements=tuple(_judge(case, result, run.policy, judges_by) for result in case.results),
        unknown=unknown,
        before=shown.was.verdict.value if shown and shown.was else None,
        base=shown.was if shown else None,
        path=tuple(_compare_paths(shown)) if shown else (),
        change=shown.kind.value if shown else None,
        accepted=report_tests.acceptance(shown) if shown else "",
    )


def _compare_paths(shown: Highlight) -> Iterator[str]:
    if shown.calls_before != shown.calls_now and not shown.expected_calls:
        yield from path_difference(shown.calls_before, shown.calls_now)


def _judge(case: CaseReport, result: Result, policy: Policy, judges_by: Facts) -> Judgement:
    return Judgement(
        evaluator=result.name,
        type=result.type,
        status=result.case_status,
        decides=case.verdict.is_bad and _decides(case, result, policy),
        score=result.score,
        threshold=result.threshold,
        weight=result.weight,
        required=result.required,
        judges_by=judges_by(result.type),
        problems=(*wording.list_missed_gates(result), *result.problems),
        reasoning=result.reasoning,
        comparisons=comparisons(result),
        gap=result.gap,
    )


def _decides(case: CaseReport, result: Result, policy: Policy) -> bool:
    """Return whether a result fails its case by itself."""
    if result.gap:
        return bool(case.lacks_evidence) and policy.fail_on_not_evaluated
    if result.status is Status.NOT_EVALUATED:
        return policy.fail_on_not_evaluated or result.misses_gate
    if result.status is Status.ERROR or result.misses_gate:
        return True
    return policy.pass_at is None and result.status is Status.FAILED


def list_grounds(case: CaseReport, policy: Policy) -> Iterator[str]:
    """Yield what decided the verdict, in sentences."""
    if case.error:
        yield f"no evaluator could run: {case.error}"
    elif case.lacks_evidence:
        names = [result.name for result in case.results if result.gap]
        yield f"evidence is missing for {', '.join(names)}, and nothing else fails it"
    elif case.is_unscored:
        yield "no evaluator could judge it"
    elif case.verdict.is_bad:
        yield from _list_failures(case, policy)
    elif case.verdict is Verdict.BORDERLINE:
        yield f"its score, {wording.exact_score(case.score)}, is enough to be borderline only"
    else:
        yield _explain_pass(case)


def _list_failures(case: CaseReport, policy: Policy) -> Iterator[str]:
    deciding = [result for result in case.results if _decides(case, result, policy)]
    for result in deciding:
        gates = "; ".join(wording.list_missed_gates(result))
        why = "; ".join(filter(None, (gates, *result.problems[:1])))[:_WHY]
        if result.status is Status.ERROR:
            told = shorten_error(result.error)
            yield f"{result.name} ended in an error" + (f": {told}" if told else "")
        elif result.status is Status.NOT_EVALUATED:
            yield f"{result.name} could not judge it" + (f": {why}" if why else "")
        else:
            said = "; ".join(filter(None, (f"scored {wording.write_judgement(result)}", gates)))
            yield f"{result.name} {said}"
    if not deciding and policy.pass_at is not None:
        needed = wording.exact_score(policy.pass_at)
        yield f"its score is {wording.exact_score(case.score)}, and {needed} is needed"
    elif not deciding:
        yield report_tests.explain_verdict(case)


def _explain_pass(case: CaseReport) -> str:
    passed = sum(result.case_status is Status.PASSED for result in case.results)
    every = wording.plural(len(case.results), "evaluator")
    if not case.results:
        return "it passed; the report does not keep by which evaluators"
    if passed == len(case.results):
        return f"{passed} of {every} passed"
    if any(result.status is Status.FAILED for result in case.results):
        return f"its score, {wording.exact_score(case.score)}, is enough"
    return f"{passed} of {every} passed, and the others had nothing to judge, which is allowed"
