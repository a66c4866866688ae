"""Wrong evaluators of UiPath, each of which a kept project must show to be wrong."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agentevals.graders import grading
from agentevals.graders.uipath import (
    uipath_calls,
    uipath_grader,
    uipath_legacy,
    uipath_outputs,
    uipath_tool_calls,
)
from agentevals.graders.uipath.uipath_legacy import LegacyCsvExactMatch, LegacyEvaluator
from agentevals.graders.uipath.uipath_output_checks import Contains, ExactMatch
from agentevals.graders.uipath.uipath_tool_calls import ToolCallArgs, ToolCallCount, ToolCallOrder
from agentevals.model.cases import Status
from agentevals_evaluator_sdk.standins.uipath import standin_confusion, standin_similarity
from tests.conformance import uipath_projects
from tests.differential.kept import list_kept

Patch = pytest.MonkeyPatch


def confuse_ids(patch: Patch) -> None:
    """Two calls that have ids are the same."""
    own = uipath_calls.is_meant

    def is_meant(name: str, known: str | None, call: uipath_calls.Called) -> bool:
        both = known is not None and call.call_id is not None
        return both or own(name, known, call)

    patch.setattr(uipath_calls, "is_meant", is_meant)


def empty_both_sides(patch: Patch) -> None:
    """Where one side lacks the path, nothing is compared with nothing, as in UiPath."""
    own = LegacyEvaluator._find_parts

    def find(self: Any, *both: Any) -> Any:
        found = own(self, *both)
        return [uipath_legacy._MISSING] * len(found) if uipath_legacy._MISSING in found else found

    patch.setattr(LegacyEvaluator, "_find_parts", find)


def take_little_for_zero(patch: Patch) -> None:
    """A thousandth is zero."""
    patch.setattr(standin_similarity, "_NOTHING", 1e-3)


def take_calls_as_they_began(patch: Patch) -> None:
    """Calls are in the order in which they began."""
    own = uipath_calls.read_calls
    patch.setattr(uipath_calls, "read_calls", lambda case: own(case)[::-1])


def ask_for_more_than_the_threshold(patch: Patch) -> None:
    """A score at the threshold fails."""
    own = grading._decide_status

    def decide(grade: Any, threshold: float) -> Status:
        return Status.FAILED if grade.score == threshold else own(grade, threshold)

    patch.setattr(grading, "_decide_status", decide)


def leave_numbers_unclamped(patch: Patch) -> None:
    """A number that is far off takes something away."""
    patch.setattr(
        standin_similarity,
        "_compare_numbers",
        lambda wanted, found: 1 - abs(wanted - found) / abs(wanted),
    )


def ignore(patch: Patch, kind: type, setting: str, value: Any) -> None:
    """A setting makes no difference."""
    patch.setattr(kind, setting, property(lambda _: value), raising=False)


def drop_lines_without_a_partner(patch: Patch) -> None:
    """Only as many lines are compared as the shorter side has."""
    patch.setattr(uipath_grader, "_pad", lambda lines, count: lines[: min(len(lines), count)])


def take_the_best_line(patch: Patch) -> None:
    """The score of lines is that of the best."""
    patch.setattr(uipath_grader, "mean", max)


def compare_one_row(patch: Patch) -> None:
    """Only the first row of a table counts, as in UiPath."""
    own = LegacyCsvExactMatch._read_rows
    patch.setattr(LegacyCsvExactMatch, "_read_rows", lambda *given: own(*given)[:1])


def count_nothing_as_enough(patch: Patch) -> None:
    """Where there is no call, all is well."""
    own = uipath_outputs.grade_missing_calls

    def grade(expected: object, actual: object, /, **details: Any) -> Any:
        return own((), (), **details) if not expected or not actual else None

    patch.setattr(uipath_tool_calls, "grade_missing_calls", grade)


def ignore_the_order(patch: Patch) -> None:
    """Every expected call counts, in whatever order it came."""

    def find(expected: tuple[str, ...], actual: list[Any]) -> list[int]:
        names = [call.name for call in actual]
        return [at for at, name in enumerate(expected) if name in names]

    patch.setattr(uipath_tool_calls, "_find_longest_run", find)


def want_exactly_these_arguments(patch: Patch) -> None:
    """An argument that is not expected is a miss."""
    patch.setattr(uipath_tool_calls, "_has_arguments", _has_same_arguments)


def _has_same_arguments(wanted: Any, call: Any) -> bool:
    return uipath_calls.is_meant(wanted.name, wanted.id, call) and wanted.args == call.args


def let_a_call_count_twice(patch: Patch) -> None:
    """A call may be the match of several expected ones."""

    class Forever(dict[int, Any]):
        def __delitem__(self, _: int) -> None:
            return

    patch.setattr(uipath_tool_calls, "dict", Forever, raising=False)


def average_over_cases(patch: Patch) -> None:
    """Classes do not count alike."""
    own = standin_confusion.Confusion.measure
    patch.setattr(
        standin_confusion.Confusion,
        "measure",
        lambda self, metric, _, beta: own(self, metric, "micro", beta),
    )


def forget_the_power_of_beta(patch: Patch) -> None:
    """The F-score favours neither side."""
    own = standin_confusion.Counts.f_score
    patch.setattr(standin_confusion.Counts, "f_score", lambda self, _: own(self, 1.0))


def go_on_after_a_failure(patch: Patch) -> None:
    """A run that failed is judged like any other."""
    patch.setattr(uipath_outputs, "find_failure", lambda _: "")


def keep_integers(patch: Patch) -> None:
    """A number is searched for and shown as it was written."""
    patch.setattr(uipath_grader.standin_paths, "convert_numbers", lambda value: value)


def round_more(patch: Patch) -> None:
    """The score of a judge has one digit."""
    patch.setattr("agentevals.graders.uipath.uipath_llm_judges._DIGITS", 1)


MUTATIONS: dict[str, Callable[[Patch], None]] = {
    "ids confused": confuse_ids,
    "both sides emptied": empty_both_sides,
    "a thousandth is zero": take_little_for_zero,
    "order reversed": take_calls_as_they_began,
    "more than the threshold": ask_for_more_than_the_threshold,
    "numbers unclamped": leave_numbers_unclamped,
    "strict count ignored": partial(ignore, kind=ToolCallCount, setting="strict", value=False),
    "strict order ignored": partial(ignore, kind=ToolCallOrder, setting="strict", value=False),
    "strict arguments ignored": partial(ignore, kind=ToolCallArgs, setting="strict", value=False),
    "negated ignored": partial(ignore, kind=ExactMatch, setting="negated", value=False),
    "letter case ignored": partial(ignore, kind=Contains, setting="case_sensitive", value=False),
    "lines not padded": drop_lines_without_a_partner,
    "best line taken": take_the_best_line,
    "one row compared": compare_one_row,
    "no call is enough": count_nothing_as_enough,
    "order ignored": ignore_the_order,
    "arguments exact": want_exactly_these_arguments,
    "a call counts twice": let_a_call_count_twice,
    "macro as micro": average_over_cases,
    "beta ignored": forget_the_power_of_beta,
    "failure ignored": go_on_after_a_failure,
    "integers kept": keep_integers,
    "judge rounded": round_more,
}


def list_wrong(folders: list[Path]) -> list[str]:
    """The kept projects that ours does not judge as it has to."""
    rows = [row for folder in folders for row in uipath_projects.rows(folder)]
    return [row.name for row in rows if row.unexplained]


def test_the_kept_projects_are_judged_as_they_have_to_be():
    assert list_wrong(list_kept("uipath")) == []


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_wrong_evaluator_is_seen(name, monkeypatch):
    MUTATIONS[name](monkeypatch)

    assert list_wrong(list_kept("uipath"))
