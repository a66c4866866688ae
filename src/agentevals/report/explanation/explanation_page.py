"""An explanation as people read it: the verdict, what was judged, by whom, what is unknown."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from agentevals.model.cases import Status
from agentevals.model.completeness import Fact, TurnGap
from agentevals.model.results import Result
from agentevals.report import baseline_changes
from agentevals.report.explanation import Explained, Explanation, Judgement
from agentevals.report.outputs.table.table_failures import compare_calls, describe_misses
from agentevals.text import wording
from agentevals.text.terminal import WIDTH, Ink, Pen, block, clip, line, plain, wrap

_NARROWEST, _WIDEST = 60, 140
_LABEL = 10  # columns of a label
_LINES = 6  # of one fact
_TURNS = 5  # with calls that are shown
_CALLS = 20
_INKS = {"pass": Ink.GOOD, "borderline": Ink.WARN, "fail": Ink.BAD, "error": Ink.WARN}
_STATUS_INKS = {
    Status.PASSED: Ink.GOOD,
    Status.FAILED: Ink.BAD,
    Status.ERROR: Ink.BAD,
    Status.NOT_EVALUATED: Ink.WARN,
}
_UNKNOWN = "not recorded"


def render(
    explained: Sequence[Explained], *, colour: bool = False, width: int = WIDTH
) -> Iterator[str]:
    """One case after the other, with an empty line between two parts."""
    pen, columns = Pen(colour), min(max(width, _NARROWEST), _WIDEST)
    for at, (explanation, case) in enumerate(explained):
        yield "\n" if at else ""
        yield from map(line, _headline(explanation, pen, columns))
        parts = [
            _facts(explanation, pen, columns),
            *(
                _judgement(judgement, result, explanation.turns, pen, columns)
                for judgement, result in zip(explanation.judgements, case.results, strict=True)
            ),
            _unknown(explanation.unknown, pen, columns),
        ]
        for part in parts:
            gap = "\n"
            for text in part:
                yield gap + line(text)
                gap = ""


def _headline(one: Explanation, pen: Pen, columns: int) -> Iterator[str]:
    word = one.verdict.replace("-", " ").upper()
    shown = pen(f" {word} " if pen.colour else word, _ink(one), Ink.STRONG, Ink.BADGE)
    facts = [f"score {wording.score(one.score)}", wording.plural(one.turns, "turn")]
    if one.repeats > 1:
        facts.append(f"attempt {one.repeat} of {one.repeats}")
    if one.before:
        facts.append(f"was {one.before} in the baseline")
    told = f" · {' · '.join(facts)}"
    name = clip(plain(one.case_id), max(20, columns - len(word) - len(told) - 4))
    yield f"{shown}  {pen(name, Ink.STRONG)}{pen(told, Ink.QUIET)}"
    for reason in (*one.because, *filter(None, [one.accepted])):
        yield from _label("because", plain(reason), pen, columns)
    yield from _label("config", plain(one.config), pen, columns)
    if one.sources:
        yield from _label("recording", plain(", ".join(one.sources)), pen, columns)


def _ink(one: Explanation) -> Ink:
    return _INKS.get(one.verdict, Ink.WARN)


def _label(label: str, text: str, pen: Pen, columns: int) -> Iterator[str]:
    first, *rest = wrap(text, columns - _LABEL - 1, _LINES)
    yield f"{pen(f'{label:<{_LABEL}}', Ink.QUIET)} {first}"
    yield from (f"{'':<{_LABEL}} {more}" for more in rest)


def _facts(one: Explanation, pen: Pen, columns: int) -> Iterator[str]:
    """Yield the inputs of the evaluators, as far as a report keeps them."""
    asked = _UNKNOWN if one.question is None else f"“{plain(one.question)}”" if one.question else ""
    yield from _label("question", asked or "empty", pen, columns)
    unknown = any(gap.fact is Fact.ANSWER for gap in one.unknown)
    kept = _UNKNOWN if unknown else "a report does not keep answers; see the recording"
    yield from _label("answer", kept, pen, columns)
    if one.calls is None:
        yield from _label("calls", _UNKNOWN, pen, columns)
    elif not one.calls:
        yield from _label("calls", "none", pen, columns)
    else:
        for at, call in enumerate(one.calls[:_CALLS]):
            yield from _label("" if at else "calls", plain(call), pen, columns)
        if (more := len(one.calls) - _CALLS) > 0:
            yield from _label("", f"and {wording.plural(more, 'more call')}", pen, columns)
    yield from _base(one, pen, columns)


def _base(one: Explanation, pen: Pen, columns: int) -> Iterator[str]:
    """Yield how the case ended on the base, and the calls that were others there."""
    if one.base is None:
        return
    yield from _label("base", baseline_changes.write_standing(one.base), pen, columns)
    for call in one.path[:_CALLS]:
        yield clip(f"{'':<{_LABEL}} {baseline_changes.write_call(call)}", columns)
    if (more := len(one.path) - _CALLS) > 0:
        yield from _label("", f"and {wording.plural(more, 'more line')}", pen, columns)


def _judgement(one: Judgement, result: Result, turns: int, pen: Pen, columns: int) -> Iterator[str]:
    sign = pen(wording.SIGNS[one.status], _STATUS_INKS[one.status])
    name = pen(clip(plain(one.evaluator), columns - 20), Ink.STRONG)
    decides = pen(" · decides", Ink.QUIET) if one.decides else ""
    yield f"{sign} {name}  {_write_status(one, result, pen)}{decides}"
    yield from (f"    {text}" for text in wrap(_write_rules(one, result), columns - 4, 3))
    if one.judges_by:
        facts = ", ".join(fact.subject for fact in one.judges_by)
        yield from (f"    {text}" for text in wrap(f"judges by {facts}", columns - 4, 2))
    if one.gap:
        yield f"    {plain(one.gap.missing)}"
    elif one.status is Status.PASSED:
        yield from _describe_pass(one, result, turns, pen, columns)
    elif one.status is Status.ERROR:
        yield from (f"    {text}" for text in block(result.error, columns - 4, _LINES))
    else:
        yield from describe_misses(result, turns, pen, columns)


def _write_status(one: Judgement, result: Result, pen: Pen) -> str:
    ink = _STATUS_INKS[one.status]
    if one.status is Status.ERROR:
        return pen("error", ink)
    if one.score is None:
        return pen("not evaluated", ink)
    return pen(wording.write_score(result), ink)


def _write_rules(one: Judgement, result: Result) -> str:
    """Write what the score must reach, and what it counts."""
    rules = [f"needs {wording.write_needed(result)}"] if one.threshold is not None else []
    rules.append(f"weight {one.weight:g}")
    if one.required is not None:
        least = wording.exact_score(wording.scale_score(one.required, result.scale))
        rules.append(f"required to score {least}")
    kind = [f"type {plain(one.type)}"] if one.type and one.type != one.evaluator else []
    return " · ".join((*kind, *rules))


def _describe_pass(
    one: Judgement, result: Result, turns: int, pen: Pen, columns: int
) -> Iterator[str]:
    for turn, compared in list(enumerate(one.comparisons, start=1))[:_TURNS]:
        if compared.expected or compared.actual:
            where = f" in turn {turn} of {turns}" if turns > 1 else ""
            yield from compare_calls(where, compared, pen, columns)
    for said in (*result.hits[:_LINES], one.reasoning):
        yield from (f"    {text}" for text in block(said, columns - 4, 3))


def _unknown(gaps: Sequence[TurnGap], pen: Pen, columns: int) -> Iterator[str]:
    """Yield the facts that were not recorded, by what records them."""
    if not gaps:
        return
    yield pen("not recorded", Ink.STRONG)
    ranked = sorted(gaps, key=lambda gap: gap.remedy)
    for remedy, group in groupby(ranked, key=lambda gap: gap.remedy):
        told = dict.fromkeys((gap.turn, gap.subject, gap.evidence) for gap in group)
        for turn, subject, evidence in list(told)[:_CALLS]:
            said = plain(f"{subject}, because {evidence}")
            yield from _label(f"  turn {turn}", said, pen, columns)
        if remedy:
            yield from _label("  to do", plain(remedy), pen, columns)
