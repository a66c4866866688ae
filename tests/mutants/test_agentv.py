"""Wrong scorers of AgentV's types: each is seen by the recordings that are kept."""

from dataclasses import replace

import msgspec
import pytest

from agentevals.graders import agentv, grading
from agentevals.graders.agentv import (
    aggregators,
    answer_fields,
    assertions,
    composite,
    field_accuracy,
    written_dates,
)
from agentevals.graders.budgets import execution_metrics
from agentevals.graders.llm.questions import agentv_questions
from agentevals.graders.programs import code_judge_answers
from agentevals.graders.text import regex, text_checks
from agentevals.graders.tools import expected_tool_calls, skill_checks, tool_trajectory
from agentevals.model.cases import Status
from agentevals.model.results import Result
from agentevals.run import verdict
from tests.conformance import agentv as comparison
from tests.differential.kept import FOLDER

RECORDINGS = FOLDER / "agentv" / "mutants"


def is_wrong():
    return any(row.unexplained or row.incomparable for row in comparison.rows(RECORDINGS))


def a_safety_gate_has_no_gate(patch):
    patch.setitem(aggregators._COMPUTED, "safety_gate", aggregators._take_weighted_mean)


def the_minimum_is_the_maximum(patch):
    patch.setitem(aggregators._COMPUTED, "minimum", aggregators._take_maximum)


def all_or_nothing_is_always_all(patch):
    patch.setitem(
        aggregators._COMPUTED, "all_or_nothing", lambda _, parts: agentv.blend(parts, 1.0)
    )


def weights_of_children_are_ignored(patch):
    patch.setattr(composite.Composite, "weight_of", lambda *_: 1.0)


def only_weights_of_the_aggregator_count(patch):
    patch.setattr(
        composite.Composite,
        "weight_of",
        lambda self, child: self.aggregator.weights.get(child.name, 1.0),
    )


def weights_of_evaluators_are_ignored(patch):
    whole = verdict.score_of
    patch.setattr(verdict, "score_of", lambda rs: whole([even(r) for r in rs]))


def even(result):
    return msgspec.structs.replace(result, weight=1.0)


def what_is_borderline_does_not_pass_in_a_threshold(patch):
    patch.setattr(aggregators, "_is_borderline", lambda _: False)


def what_is_borderline_begins_lower(patch):
    patch.setattr(aggregators, "BORDERLINE", 0.5)


def lists_always_contain(patch):
    patch.setitem(answer_fields._WAYS, "contains", lambda *_: answer_fields.Agreement(True))


def fields_without_a_weight_of_their_own(patch):
    whole = field_accuracy._weigh
    patch.setattr(field_accuracy, "_weigh", lambda rs: whole([r._replace(weight=1.0) for r in rs]))


def a_missing_field_costs_nothing(patch):
    patch.setitem(answer_fields._WAYS, "exact", lambda *_: answer_fields.Agreement(True))


def numbers_at_the_tolerance_are_apart(patch):
    near = answer_fields._compare_numbers

    def compare(found, wanted, check):
        tolerance = check.tolerance - 1e-12
        return near(found, wanted, check.model_copy(update={"tolerance": tolerance}))

    patch.setitem(answer_fields._WAYS, "numeric_tolerance", compare)


def the_month_always_comes_first(patch):
    read = written_dates.read_day
    patch.setattr(written_dates, "read_day", lambda text, _formats: read(text, ("MM/DD/YYYY",)))


def days_are_equal_whatever_they_are(patch):
    patch.setitem(answer_fields._WAYS, "date", lambda *_: answer_fields.Agreement(True))


def minimum_of_fields_is_their_mean(patch):
    def grade(self, results):
        mean = self.model_copy(update={"aggregation": "weighted_average"})
        return whole(mean, results)

    whole = field_accuracy.FieldAccuracy._grade
    patch.setattr(field_accuracy.FieldAccuracy, "_grade", grade)


def calls_too_many_cost_nothing(patch):
    exactly = tool_trajectory.match_exactly
    patch.setitem(
        tool_trajectory._IN_TURN,
        "exact",
        lambda wanted, calls, how: exactly(wanted, calls[: len(wanted)], how),
    )


def calls_too_many_count_four_times(patch):
    exactly = tool_trajectory.match_exactly

    def match(wanted, calls, how):
        tally = exactly(wanted, calls, how)
        tally.checks += 3 * max(0, len(calls) - len(wanted))
        return tally

    patch.setitem(tool_trajectory._IN_TURN, "exact", match)


def the_order_is_ignored(patch):
    patch.setitem(tool_trajectory._IN_TURN, "in_order", tool_trajectory.match_superset)


def a_subset_is_a_superset(patch):
    patch.setitem(tool_trajectory._IN_TURN, "subset", tool_trajectory.match_superset)


def arguments_are_ignored(patch):
    patch.setattr(expected_tool_calls, "accepts_args", lambda *_: True)


def time_limits_of_calls_are_ignored(patch):
    patch.setattr(tool_trajectory, "measure_call_ms", lambda _: None)


def a_skill_may_come_at_any_time(patch):
    def grade(self, case, services):
        calls = skill_checks.list_tool_calls(case.turns)
        found = next((said for call in calls if (said := self._find_evidence(call))), "")
        return assertions.grade_binary(met=bool(found) == self.should_trigger, hit=found)

    patch.setattr(skill_checks.SkillTrigger, "grade", grade)


def limits_must_not_be_reached(patch):
    check = execution_metrics._Measure.check_limit

    def check_limit(self, limit):
        found = check(self, limit)
        return replace(found, met=found.met and self.number < limit)

    patch.setattr(execution_metrics._Measure, "check_limit", check_limit)


def scores_of_programs_are_not_clamped(patch):
    patch.setattr(code_judge_answers, "_read_score", lambda answer, *_: float(answer["score"]))


def a_threshold_must_be_exceeded(patch):
    decide = grading._decide_status

    def decide_status(grade, threshold):
        at = grade.status is None and grade.score == threshold
        return Status.FAILED if at else decide(grade, threshold)

    patch.setattr(grading, "_decide_status", decide_status)


def a_gate_must_be_exceeded(patch):
    patch.setattr(
        Result,
        "misses_required",
        property(lambda self: self.required is not None and (self.score or 0) <= self.required),
    )


def gates_are_ignored(patch):
    patch.setattr(Result, "misses_required", property(lambda _: False))


def the_opposite_keeps_its_hits(patch):
    invert = grading.invert_grade

    def keep(grade):
        opposite = invert(grade)
        return msgspec.structs.replace(opposite, hits=grade.hits, misses=grade.misses)

    patch.setattr(grading, "invert_grade", keep)


def criteria_that_were_left_out_do_not_count(patch):
    build = agentv_questions._build_grade

    def grade(given, *rest, **more):
        return build([one for one in given if one.share is not None], *rest, **more)

    patch.setattr(agentv_questions, "_build_grade", grade)


def no_criterion_vetoes(patch):
    patch.setattr(agentv_questions._Check, "vetoes", False)


def every_criterion_weighs_the_same(patch):
    build = agentv_questions._build_grade

    def grade(given, *rest, **more):
        even = [
            one._replace(criterion=one.criterion.model_copy(update={"weight": 1.0}))
            for one in given
        ]
        return build(even, *rest, **more)

    patch.setattr(agentv_questions, "_build_grade", grade)


def points_are_good_from_six(patch):
    patch.setattr(agentv_questions, "_GOOD", 6)


def a_judge_may_say_more_than_four_things(patch):
    patch.setattr(agentv_questions, "_MOST", 9)


def case_counts_where_it_should_not(patch):
    patch.setattr(text_checks.ContainsInAnyCase, "grade", text_checks.Contains.grade)


def flags_are_ignored(patch):
    patch.setattr(regex.Regex, "_compile_pattern", lambda self: regex.pattern(self.value))


def white_space_counts(patch):
    patch.setattr(text_checks, "trim", lambda text: text)


def one_of_several_is_enough(patch):
    def check(self, missing, remark=""):
        return assertions.grade_binary(met=len(missing) < len(self.value), hit="h", miss="m")

    patch.setattr(text_checks.ContainsAll, "check", check)


MUTANTS = (
    a_safety_gate_has_no_gate,
    the_minimum_is_the_maximum,
    all_or_nothing_is_always_all,
    weights_of_children_are_ignored,
    only_weights_of_the_aggregator_count,
    weights_of_evaluators_are_ignored,
    what_is_borderline_does_not_pass_in_a_threshold,
    what_is_borderline_begins_lower,
    lists_always_contain,
    fields_without_a_weight_of_their_own,
    a_missing_field_costs_nothing,
    numbers_at_the_tolerance_are_apart,
    the_month_always_comes_first,
    days_are_equal_whatever_they_are,
    minimum_of_fields_is_their_mean,
    calls_too_many_cost_nothing,
    calls_too_many_count_four_times,
    the_order_is_ignored,
    a_subset_is_a_superset,
    arguments_are_ignored,
    time_limits_of_calls_are_ignored,
    a_skill_may_come_at_any_time,
    limits_must_not_be_reached,
    scores_of_programs_are_not_clamped,
    a_threshold_must_be_exceeded,
    a_gate_must_be_exceeded,
    gates_are_ignored,
    the_opposite_keeps_its_hits,
    criteria_that_were_left_out_do_not_count,
    no_criterion_vetoes,
    every_criterion_weighs_the_same,
    points_are_good_from_six,
    a_judge_may_say_more_than_four_things,
    case_counts_where_it_should_not,
    flags_are_ignored,
    white_space_counts,
    one_of_several_is_enough,
)


def test_the_recordings_are_right():
    assert not is_wrong()


@pytest.mark.parametrize("break_it", MUTANTS)
def test_a_wrong_scorer_is_seen(monkeypatch, break_it):
    break_it(monkeypatch)

    assert is_wrong()
