"""Questions as AgentV asks them: a score with reasons, or a verdict or points on each criterion."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from agentevals.graders.javascript import format_number
from agentevals.graders.llm.questions import prompt_placeholders
from agentevals.graders.llm.questions.judge_prompts import (
    TEXT,
    build_enum,
    build_list,
    build_object,
    to_json,
)
from agentevals.graders.llm.questions.rubric_criteria import BEST, Criterion, are_scored
from agentevals.judge import Judge, Patience
from agentevals.model.cases import MISSED_GATES, Case, Grade, Status
from agentevals.text.wording import add_reason
from agentevals_evaluator_sdk.judge import RULES

_GOOD = 7  # points from which a criterion counts as met where it says nothing about that
_LEFT_OUT = "the judge left it out"
_VERDICTS = """
Answer with one JSON object that has a check for every one of the rubrics:
- `checks`: for each its `id`, a short `reasoning`, and whether it is `satisfied`: only if you are
  shown that it is; not if it is so in part, or if you cannot tell
- `overall_reasoning`: one or two sentences
"""
_POINTS = """
Answer with one JSON object that has a check for every one of the criteria:
- `checks`: for each its `id`, a short `reasoning`, and its `score`: a whole number from 0 to 10, by
  the ranges of the criterion where it has some
- `overall_reasoning`: one or two sentences
"""
_TASK = "Hold the answer against each of the criteria below, one by one and on its own."
_YES_OR_NO = {"type": "boolean"}
# a recorded answer is cut to as many of each
_MOST = 4
_FORM = """
Answer with one JSON object:
- `hits`: at most four short sentences on what was achieved
- `misses`: at most four short sentences on what was not
- `reasoning`: one or two sentences on what decided
- `score`: a number from 0 (nothing was achieved) to 1 (all of it was)
"""
SYSTEM = RULES + _FORM
TEMPLATE = """\
Judge how far the answer does what the criteria ask for, as an answer to the question. A reference
answer, where there is one, shows how a very good answer reads: the same content in other words is
as good. Keep what you say short, and let it be about this answer.

[[ ## criteria ## ]]
{{criteria}}

[[ ## question ## ]]
{{question}}

[[ ## reference_answer ## ]]
{{reference_answer}}

[[ ## answer ## ]]
{{answer}}"""
_TEXTS = {"type": "array", "items": TEXT}
_SCHEMA = build_object(hits=_TEXTS, misses=_TEXTS, reasoning=TEXT, score={"type": "number"})
_PROPERTIES = _SCHEMA["properties"] | {"score": {"type": "number", "minimum": 0, "maximum": 1}}
# the form of later releases has `assertions` in place of hits and misses
_ACCEPTED = {"type": "object", "properties": _PROPERTIES, "required": ["score"]}
_FREE_PATIENCE = Patience(tries=3, accepts=_ACCEPTED)


def _build_accepted(verdict: dict[str, Any], *, words: bool) -> dict[str, Any]:
    """Build the schema of answers that are accepted: with more keys, and points without words."""
    check = {"id": TEXT, "reasoning": TEXT, **verdict}
    checks = {
        "type": "array",
        "items": {
            "type": "object",
            "properties": check,
            "required": [*check] if words else ["id", *verdict],
        },
    }
    return {
        "type": "object",
        "properties": {"checks": checks, "overall_reasoning": TEXT},
        "required": ["checks", "overall_reasoning"] if words else ["checks"],
    }


_PATIENCE = {
    False: Patience(tries=3, accepts=_build_accepted({"satisfied": _YES_OR_NO}, words=True)),
    True: Patience(
        tries=3,
        accepts=_build_accepted(
            {"score": {"type": "integer", "minimum": 0, "maximum": BEST}}, words=False
        ),
    ),
}
_SECTIONS = ("question", "criteria", "reference_answer", "answer")
_OPTIONAL = ("reference_answer",)


def grade(judge: Judge, case: Case, criteria: tuple[Criterion, ...], template: str = "") -> Grade:
    """Ask the judge for a verdict by these criteria, in the given prompt or in our own."""
    points = are_scored(criteria)
    said = judge.ask(
        write_prompt(case, criteria, template),
        schema=_build_schema(criteria, points=points),
        system=RULES + (_POINTS if points else _VERDICTS),
        patience=_PATIENCE[points],
    )
    checks = [*_read_checks(said["checks"], criteria, points=points)]
    seen = {check.criterion.id for check in checks}
    checks += [_Check(one, None, _LEFT_OUT) for one in criteria if one.id not in seen]
    return _build_grade(checks, said.get("overall_reasoning", ""), points=points)


def write_prompt(case: Case, criteria: tuple[Criterion, ...], template: str = "") -> str:
    """Write the prompt. The criteria follow it if it has no place for them."""
    name = "scoring_criteria" if are_scored(criteria) else "rubrics"
    listed = (
        "\n\n".join(map(_describe_ranges, criteria))
        if are_scored(criteria)
        else _list_criteria(criteria)
    )
    dumped = to_json([one.model_dump(exclude_defaults=True) for one in criteria], 2)
    rubrics = {"rubrics": listed, "rubrics_json": dumped, "rubricsJson": dumped}
    shown = prompt_placeholders.fill(template or _build_template(case), case, rubrics)
    if set(prompt_placeholders.list_names(template)) & set(rubrics):
        return shown
    return f"{shown}\n\n[[ ## {name} ## ]]\n{listed}"


def _build_template(case: Case) -> str:
    wanted = [
        name
        for name in _SECTIONS
        if name not in _OPTIONAL or prompt_placeholders.read_place(name, case)
    ]
    return "\n\n".join([_TASK, *(f"[[ ## {name} ## ]]\n{{{{{name}}}}}" for name in wanted)])


def _list_criteria(criteria: Sequence[Criterion]) -> str:
    return "\n".join(map(_write_line, criteria))


def _write_line(one: Criterion) -> str:
    required = " (REQUIRED)" if one.needed else ""
    weight = format_number(one.weight)
    return f"- [{one.id}]{required} (weight: {weight}): {one.outcome}{_write_hint(one)}"


def _describe_ranges(one: Criterion) -> str:
    least = (
        f" [REQUIRED: min score {format_number(round(one.needed * BEST, 6))}]" if one.needed else ""
    )
    lines = [f"### Criterion: {one.id} (weight: {format_number(one.weight)}){least}"]
    if one.outcome:
        lines.append(f"Description: {one.outcome}{_write_hint(one)}")
    if one.score_ranges:
        lines.append("Score ranges:")
        lines += [f"- {'-'.join(map(str, r.score_range))}: {r.outcome}" for r in one.score_ranges]
    return "\n".join(lines)


def _write_hint(one: Criterion) -> str:
    return " (met unless the answer contradicts it)" if one.operator == "contradiction" else ""


class _Check(NamedTuple):
    """The judge's word on a criterion: its share of the points, None if the judge left it out."""

    criterion: Criterion
    share: float | None
    reasoning: str
    points: int = 0

    @property
    def weighted(self) -> float:
        return (self.share or 0.0) * self.criterion.weight

    @property
    def vetoes(self) -> bool:
        needed = self.criterion.needed
        return needed is not None and needed > 0 and (self.share or 0.0) < needed

    @property
    def gate(self) -> str:
        """The requirement of the criterion that was missed."""
        name = f"criterion {self.criterion.id!r} is required"
        if self.share is None:
            return f"{name}, and {_LEFT_OUT}"
        if not self.criterion.score_ranges and self.share == 0:
            return f"{name} and was not met"
        least = format_number(round((self.criterion.needed or 0.0) * BEST, 6))
        return f"{name} to get {least} of {BEST} points, and got {self.points}"

    @property
    def met(self) -> bool:
        return self.share is not None and self.share >= _GOOD / BEST and not self.vetoes

    def describe(self, *, points: bool) -> str:
        one = self.criterion
        if not points:
            return add_reason(f"[{one.id}] {one.outcome}", self.reasoning)
        worth = f"Score: {self.points}/{BEST} ({one.describe_score(self.points)})"
        return add_reason(f"[{one.id}] {one.label} - {worth}", self.reasoning)


def _read_checks(
    given: Sequence[Mapping[str, Any]], criteria: Sequence[Criterion], *, points: bool
) -> Iterator[_Check]:
    """Read the checks in the judge's order; unknown criteria are ignored."""
    known = {one.id: one for one in criteria}
    for said in given:
        one, reasoning = known.get(said["id"]), said.get("reasoning", "")
        if one is not None and points:
            score = int(said["score"])
            yield _Check(one, score / BEST, reasoning, score)
        elif one is not None:
            yield _Check(one, float(said["satisfied"]), reasoning)


def _build_grade(checks: Sequence[_Check], reasoning: str, *, points: bool) -> Grade:
    total = sum(check.criterion.weight for check in checks)
    gates = [check.gate for check in checks if check.vetoes]
    details = _list_details(checks) if points else {}
    return Grade(
        score=sum(check.weighted for check in checks) / total if total else 0.0,
        status=Status.FAILED if gates else None,
        vetoes=bool(gates),
        hits=tuple(check.describe(points=points) for check in checks if check.met),
        misses=tuple(check.describe(points=points) for check in checks if not check.met),
        reasoning=reasoning,
        details=details | ({MISSED_GATES: gates} if gates else {}),
    )


def _list_details(checks: Sequence[_Check]) -> dict[str, Any]:
    return {
        "raw_scores": {c.criterion.id: c.points for c in checks if c.share is not None},
        "normalization": f"score / {BEST}",
        "aggregation": "weighted_average",
    }


def _build_schema(criteria: Sequence[Criterion], *, points: bool) -> dict[str, Any]:
    score = {"type": "integer", "enum": [*range(BEST + 1)]}
    verdict = {"score": score} if points else {"satisfied": _YES_OR_NO}
    ids = build_enum(one.id for one in criteria)
    checks = build_list(id=ids, reasoning=TEXT, **verdict)
    return build_object(checks=checks, overall_reasoning=TEXT)


def ask_opinion(judge: Judge, prompt: str) -> Grade:
    """Ask the judge for a score with reasons; an error if it gives no usable answer."""
    said = judge.ask(prompt, schema=_SCHEMA, system=SYSTEM, patience=_FREE_PATIENCE)
    stated = "hits" in said or "misses" in said
    hits, misses = (
        (said.get("hits", ()), said.get("misses", ())) if stated else _read_assertions(said)
    )
    return Grade(
        score=float(said["score"]),
        hits=_limit(hits),
        misses=_limit(misses),
        reasoning=said.get("reasoning", ""),
    )


def _read_assertions(said: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    given = said.get("assertions")
    read: dict[Any, list[str]] = {True: [], False: []}
    for one in given if isinstance(given, list) else ():
        if isinstance(one, dict) and isinstance(one.get("text"), str):
            passed = one.get("passed")
            if isinstance(passed, bool):
                read[passed].append(one["text"])
    return read[True], read[False]


def _limit(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(text for text in texts if text.strip())[:_MOST]
