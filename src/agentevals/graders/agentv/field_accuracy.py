"""`field_accuracy`: the fields of a structured answer have the expected values."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Literal

from pydantic import Field

from agentevals.graders import messages
from agentevals.graders.agentv.fields.comparing import Compared, FieldCheck, compared
from agentevals.graders.agentv.fields.documents import document_in, expected_in
from agentevals.graders.assertions import Assertion
from agentevals.graders.grader import Services
from agentevals.graders.javascript import UNDEFINED
from agentevals.model.cases import Case, Grade
from agentevals.text.json_ import encode

_SHOWN = 4  # hits, and misses, that a result names; `details` has all of them
_SHOWN_VALUE = 200  # characters


class FieldAccuracy(Assertion):
    """The share of the fields of the answer that agree with what was expected."""

    type = "field_accuracy"

    fields: tuple[FieldCheck, ...] = Field(min_length=1, description="The fields that are compared")
    aggregation: Literal["weighted_average", "all_or_nothing", "minimum"] = Field(
        default="weighted_average",
        description="`weighted_average`: by weight; `all_or_nothing`: 1 if no field is missed; "
        "`minimum`: the score of the worst field",
    )

    def grade(self, case: Case, services: Services) -> Grade:
        if case.expected is None and case.task is None:
            return Grade.not_evaluated(case.unpaired or "nothing says what was expected")
        try:
            answer = document_in(case.answer)
        except ValueError:
            return _nothing(
                "Failed to parse candidate answer as JSON", "Candidate answer is not valid JSON"
            )
        expected = expected_in(messages.wanted(case))
        if expected is UNDEFINED:
            return _nothing(
                "No expected data found in expected_output",
                "Could not extract expected data from expected_output",
            )
        return self._grade([compared(check, answer, expected) for check in self.fields])

    def _grade(self, results: Sequence[Compared]) -> Grade:
        hits = tuple(one.said for one in results if one.met)
        misses = tuple(one.said for one in results if not one.met)
        return Grade(
            score=_weighted(results)
            if self.aggregation == "weighted_average"
            else float(not misses),
            hits=hits[:_SHOWN],
            misses=misses[:_SHOWN],
            reasoning=f"{len(hits)}/{len(results)} fields matched",
            details={"fields": [_told(one) for one in results]},
        )


def _nothing(miss: str, reasoning: str) -> Grade:
    return Grade(score=0.0, misses=(miss,), reasoning=reasoning)


def _weighted(results: Sequence[Compared]) -> float:
    total = sum(one.weight for one in results)
    score = sum(one.weight for one in results if one.met) / total if total else 0.0
    return max(0.0, min(1.0, score)) if isfinite(score) else 0.0


def _told(one: Compared) -> dict[str, Any]:
    told = {"path": one.path, "met": one.met, "weight": one.weight, "said": one.said}
    values = {"found": one.found, "expected": one.wanted}
    return told | {name: _shown(value) for name, value in values.items() if value is not UNDEFINED}


def _shown(value: Any) -> str:
    text = encode(value).decode()
    return text if len(text) <= _SHOWN_VALUE else f"{text[: _SHOWN_VALUE - 1]}…"
