"""`field_accuracy`: the fields of a structured answer have the expected values."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Literal

from pydantic import Field

from agentevals.graders import judged_messages
from agentevals.graders.agentv.answer_fields import (
    FieldCheck,
    FieldResult,
    compare_field,
    read_document,
    read_expected,
)
from agentevals.graders.agentv.assertions import Assertion
from agentevals.graders.grader import NO_EXPECTATION, Services
from agentevals.graders.javascript import UNDEFINED
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact
from agentevals.text.json_text import shorten

_SHOWN = 4  # hits, and misses, that a result names; `details` has all of them
_SHOWN_VALUE = 200  # characters
_LARGEST_WHOLE = 2**53  # above it a double tells no whole number from the next one


class FieldAccuracy(Assertion):
    """The share of the fields of the answer that agree with what was expected."""

    type = "field_accuracy"
    judges_by = frozenset({Fact.ANSWER})
    judges_last_turn_only = True

    fields: tuple[FieldCheck, ...] = Field(min_length=1, description="The fields that are compared")
    aggregation: Literal["weighted_average", "all_or_nothing", "minimum"] = Field(
        default="weighted_average",
        description="`weighted_average`: by weight; `all_or_nothing`: 1 if no field is missed; "
        "`minimum`: the score of the worst field",
    )

    def grade(self, case: Case, services: Services) -> Grade:
        if case.expected is None and case.task is None:
            return Grade.not_evaluated(case.unpaired or NO_EXPECTATION)
        try:
            answer = read_document(case.answer)
        except ValueError:
            return _grade_unreadable(
                "Failed to parse candidate answer as JSON", "Candidate answer is not valid JSON"
            )
        expected = read_expected(judged_messages.list_expected_messages(case))
        if expected is UNDEFINED:
            return _grade_unreadable(
                "No expected data found in expected_output",
                "Could not extract expected data from expected_output",
            )
        return self._grade([compare_field(check, answer, expected) for check in self.fields])

    def _grade(self, results: Sequence[FieldResult]) -> Grade:
        hits = tuple(one.said for one in results if one.met)
        misses = tuple(one.said for one in results if not one.met)
        return Grade(
            score=_weigh(results) if self.aggregation == "weighted_average" else float(not misses),
            hits=hits[:_SHOWN],
            misses=misses[:_SHOWN],
            reasoning=f"{len(hits)}/{len(results)} fields matched",
            details={"fields": [_describe_field(one) for one in results]},
        )


def _grade_unreadable(miss: str, reasoning: str) -> Grade:
    return Grade(score=0.0, misses=(miss,), reasoning=reasoning)


def _weigh(results: Sequence[FieldResult]) -> float:
    total = sum(one.weight for one in results)
    score = sum(one.weight for one in results if one.met) / total if total else 0.0
    return max(0.0, min(1.0, score)) if isfinite(score) else 0.0


def _describe_field(one: FieldResult) -> dict[str, Any]:
    told = {"path": one.path, "met": one.met, "weight": one.weight, "said": one.said}
    values = {"found": one.found, "expected": one.wanted}
    return told | {
        name: shorten(_restore_integers(value), _SHOWN_VALUE)
        for name, value in values.items()
        if value is not UNDEFINED
    }


def _restore_integers(value: Any) -> Any:
    """JSON has one kind of number: what an answer wrote as 100 was read as 100.0."""
    if isinstance(value, dict):
        return {key: _restore_integers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_restore_integers(inner) for inner in value]
    whole = isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE
    return int(value) if whole else value
