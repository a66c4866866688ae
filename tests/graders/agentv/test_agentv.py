from typing import Any

import pytest

from agentevals.graders.agentv import Composition, blend, compute_weighted_mean
from agentevals.graders.grader import Grader, Services
from agentevals.graders.grading import grade_case
from agentevals.graders.text.text_checks import Contains
from agentevals.model.cases import Grade, Status
from agentevals.model.errors import EvaluatorError, InputError, UnavailableError
from agentevals.model.results import Blame
from agentevals.text import wording
from tests.support import case


class Said(Grader):
    """Says what it is told to."""

    type = "said"

    grades: Any = None
    raises: Any = None
    is_judged: bool = False

    @property
    def judged(self):
        return self.is_judged

    def grade(self, case, services):
        if self.raises:
            raise self.raises
        return self.grades

    def problems(self):
        return ["it is wrong"] if self.raises else []


class Mean(Composition):
    """The weighted mean."""

    type = "mean"

    def combine(self, parts, services):
        return blend(parts, compute_weighted_mean(parts))


def said(name, score, **fields):
    settings = {key: fields.pop(key) for key in ("weight", "required", "negate") if key in fields}
    return Said(name=name, grades=Grade(score=score, **fields), **settings)


def judged(*children, **settings):
    return grade_case(Mean(name="m", evaluators=children, **settings), case(), Services())


def test_weights_and_opposites_of_the_evaluators_count():
    result = judged(said("a", 1.0, weight=3), said("b", 1.0, negate=True))

    assert result.score == 0.75


def test_the_opposite_of_what_fails_a_case_at_any_score_fails_none():
    result = judged(said("a", 0.0, status=Status.FAILED, vetoes=True, negate=True))

    assert (result.score, result.vetoes) == (1.0, False)
    assert result.details["children"][0]["status"] == "PASSED"


def test_everything_that_was_said_has_a_name_in_front():
    inner = Mean(name="inner", evaluators=[said("x", 1.0, hits=("yes",), reasoning="r")])

    result = judged(inner, said("b", 0.0, misses=("no",), reasoning="s"))

    assert result.hits == ("[inner] [x] yes",)
    assert result.misses == ("[b] no",)
    assert result.reasoning == "inner: x: r; b: s"


def test_what_was_not_evaluated_does_not_count_and_is_told():
    result = judged(said("a", 0.5), Said(name="b", grades=Grade.not_evaluated("nothing there")))

    assert result.score == 0.5
    assert [child["status"] for child in result.details["children"]] == ["PASSED", "NOT_EVALUATED"]


def test_where_nothing_was_evaluated_there_is_no_judgement():
    result = judged(Said(name="b", grades=Grade.not_evaluated("nothing there")))

    assert result.status is Status.NOT_EVALUATED
    assert result.misses == ("none of its evaluators could judge this: b: nothing there",)


@pytest.mark.parametrize(
    ("error", "blame"),
    [
        (EvaluatorError("no"), Blame.EVALUATOR),
        (UnavailableError("no"), Blame.OUTSIDE),
        (InputError("no"), Blame.INPUT),
        (ZeroDivisionError("no"), Blame.BUG),
    ],
)
def test_an_error_of_one_is_an_error_of_the_whole_and_stays_whose_it_is(error, blame):
    result = judged(said("a", 1.0), Said(name="b", raises=error))

    assert result.status is Status.ERROR
    assert result.blame is blame
    assert "its evaluator 'b' could not judge:" in result.error


def test_an_error_is_no_pass_for_being_negated():
    assert judged(Said(name="b", raises=EvaluatorError("no")), negate=True).score is None


@pytest.mark.parametrize(
    ("child", "vetoes"),
    [
        (said("a", 0.7, required=0.8), True),
        (said("a", 0.8, required=0.8), False),
        (said("a", 1.0, vetoes=True), True),
        (Said(name="a", grades=Grade.not_evaluated("x"), required=0.1), True),
    ],
)
def test_a_gate_that_is_missed_inside_is_missed_outside(child, vetoes):
    assert judged(child, said("b", 1.0)).vetoes is vetoes


def test_a_gate_that_is_missed_inside_is_named_outside():
    named = {"missed_gates": ["criterion 'x' is required and was not met"]}

    result = judged(
        said("a", 0.7, required=0.8),
        said("b", 1.0, vetoes=True, details=named),
        Said(name="c", grades=Grade.not_evaluated("x"), required=0.1),
        said("d", 0.0),
    )

    assert wording.list_missed_gates(result) == (
        "[a] required to score 0.80",
        "[b] criterion 'x' is required and was not met",
        "[c] required, and was not evaluated",
    )


def test_nothing_with_any_weight_is_0():
    assert judged(said("a", 1.0, weight=0)).score == 0


def test_names_are_told_apart():
    with pytest.raises(ValueError, match="'a' is in it twice"):
        Mean(name="m", evaluators=[said("a", 1.0), said("a", 0.0)])


def test_an_evaluator_is_made_of_some():
    with pytest.raises(ValueError, match="evaluators"):
        Mean(name="m", evaluators=[])


def test_what_others_ask_is_passed_on():
    plain = Contains(name="c", value="x")
    model = Said(name="s", is_judged=True, raises=EvaluatorError("no"))

    assert not Mean(name="m", evaluators=[plain]).judged
    assert Mean(name="m", evaluators=[plain, model]).judged
    assert Mean(name="m", evaluators=[plain, model]).problems() == [
        "its evaluator 's': it is wrong"
    ]
    assert not Mean(name="m", evaluators=[plain]).waits
