import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.graders.llm.rubric import Rubric
from agentevals.judge import JudgeAnswerError
from agentevals.model.cases import Case, Status, Task
from agentevals.model.conversations import Conversation
from agentevals.model.errors import InputError
from tests.graders.llm.questions.scripted import ScriptedJudge, judged
from tests.support import case

ACC_CLR = (
    {"id": "acc", "outcome": "accurate", "weight": 3, "required": True},
    {"id": "clr", "outcome": "clear"},
)
RANGES = {0: "bad", 5: "mid", 8: "good", 10: "perfect"}


def checks(*given, overall="all in all"):
    rows = [{"id": name, "satisfied": met, "reasoning": why} for name, met, why in given]
    return {"checks": rows, "overall_reasoning": overall}


def points(**given):
    return {"checks": [{"id": name, "score": score} for name, score in given.items()]}


def graded(rubrics, *answers, about="the answer", **settings):
    return judged(Rubric(name="r", rubrics=rubrics, **settings), case(about), *answers)[0]


def refused(**settings):
    with pytest.raises(ValidationError) as caught:
        Rubric(name="r", **settings)
    return str(caught.value)


@pytest.mark.parametrize(
    ("acc", "clr", "score", "vetoes"),
    [
        (True, True, 1.0, False),
        (True, False, 0.75, False),
        (False, True, 0.25, True),
        (False, False, 0.0, True),
    ],
)
def test_the_score_is_the_weight_of_what_is_met_and_a_required_miss_vetoes(acc, clr, score, vetoes):
    grade = graded(ACC_CLR, checks(("acc", acc, "a"), ("clr", clr, "c")))

    assert (grade.score, grade.vetoes) == (score, vetoes)
    assert grade.status == (Status.FAILED if vetoes else None)


@pytest.mark.parametrize(
    ("written", "score", "status"),
    [
        ({}, 2 / 3, Status.FAILED),
        ({"threshold": 0.6}, 2 / 3, Status.PASSED),
        ({"threshold": 0.6, "required": 0.6}, 2 / 3, Status.PASSED),
    ],
)
def test_without_required_a_miss_only_costs_its_share(written, score, status):
    said = checks(("rubric-1", True, "a"), ("rubric-2", True, "b"), ("rubric-3", False, "c"))
    judge = ScriptedJudge(said)

    result = grade_case(
        Rubric(name="r", rubrics=["x", "y", "z"], **written), case(), Services(judge=judge)
    )

    assert result.score == pytest.approx(score)
    assert (result.status, result.misses_gate) == (status, False)


def test_a_miss_of_little_weight_fails_nothing():
    rubrics = [{"id": "acc", "outcome": "right", "weight": 9}, {"id": "clr", "outcome": "clear"}]

    grade = graded(rubrics, checks(("acc", True, "a"), ("clr", False, "b")))

    assert (grade.score, grade.status, grade.vetoes) == (0.9, None, False)


def test_a_gate_that_was_missed_is_named():
    rubrics = [
        {"id": "acc", "outcome": "accurate", "required": True},
        {"id": "clr", "outcome": "clear", "required": 0.6},
        {"id": "fun", "outcome": "funny", "required": True},
        {"id": "sad", "outcome": "sad"},
    ]

    grade = graded(rubrics, checks(("acc", False, "no"), ("clr", False, "no"), ("sad", False, "")))

    assert grade.details == {
        "missed_gates": [
            "criterion 'acc' is required and was not met",
            "criterion 'clr' is required and was not met",
            "criterion 'fun' is required, and the judge left it out",
        ]
    }


def test_points_that_are_too_few_are_named():
    rubrics = [
        {"id": "acc", "score_ranges": RANGES, "required": 0.6},
        {"id": "clr", "score_ranges": RANGES, "required_min_score": 4},
    ]

    grade = graded(rubrics, points(acc=5, clr=4))

    assert grade.details["missed_gates"] == [
        "criterion 'acc' is required to get 6 of 10 points, and got 5"
    ]


@pytest.mark.parametrize("wrong", ["yes", 1.5, -1, [1]])
def test_what_required_cannot_mean_is_refused(wrong):
    assert "required" in refused(rubrics=[{"outcome": "x", "required": wrong}])


def test_texts_name_the_criterion_and_the_reason():
    grade = graded(ACC_CLR, checks(("acc", True, "yes"), ("clr", False, "no")))

    assert grade.hits == ("[acc] accurate: yes",)
    assert grade.misses == ("[clr] clear: no",)
    assert (grade.reasoning, grade.details) == ("all in all", {})


def test_without_a_reason_the_criterion_is_named_alone():
    assert graded(ACC_CLR, checks(("acc", True, ""), ("clr", False, ""))).misses == ("[clr] clear",)


def test_what_the_judge_leaves_out_is_not_met():
    grade = graded(ACC_CLR, checks(("clr", True, "ok")))

    assert (grade.score, grade.vetoes) == (0.25, True)
    assert grade.misses == ("[acc] accurate: the judge left it out",)


def test_what_nobody_asked_about_is_left_aside():
    grade = graded(["short"], checks(("zzz", True, "x"), ("rubric-1", True, "y")))

    assert (grade.score, grade.hits) == (1.0, ("[rubric-1] short: y",))


def test_what_is_said_twice_counts_twice():
    said = checks(("acc", True, "1"), ("acc", False, "2"), ("clr", True, "3"))

    grade = graded(ACC_CLR, said)

    assert grade.score == 4 / 7
    assert grade.vetoes
    assert len(grade.hits) + len(grade.misses) == 3


def test_texts_are_numbered_and_not_required():
    grade = graded(["one", "two"], checks(("rubric-1", True, "a"), ("rubric-2", False, "b")))

    assert (grade.score, grade.vetoes) == (0.5, False)


def test_criteria_without_weight_are_worth_nothing():
    grade = graded([{"outcome": "x", "weight": 0}], checks(("rubric-1", True, "a")))

    assert grade.score == 0.0


@pytest.mark.parametrize("key", ["outcome", "expected_outcome", "description", "criteria"], ids=str)
def test_every_spelling_of_what_a_criterion_says(key):
    grade = graded([{key: "polite"}], checks(("rubric-1", True, "a")))

    assert grade.hits == ("[rubric-1] polite: a",)


def test_points_are_tenths():
    rubrics = [
        {"id": "acc", "outcome": "accurate", "weight": 3, "score_ranges": RANGES},
        {"id": "clr", "score_ranges": RANGES},
    ]
    said = {
        "checks": [{"id": "acc", "score": 8, "reasoning": "good"}, {"id": "clr", "score": 4}],
        "overall_reasoning": "s",
    }

    grade = graded(rubrics, said)

    assert grade.score == pytest.approx(0.7)
    assert grade.hits == ("[acc] accurate - Score: 8/10 (good): good",)
    assert grade.misses == ("[clr] clr - Score: 4/10 (bad)",)
    assert grade.details == {
        "raw_scores": {"acc": 8, "clr": 4},
        "normalization": "score / 10",
        "aggregation": "weighted_average",
    }


@pytest.mark.parametrize(
    ("gate", "score", "vetoes", "met"),
    [
        ({}, 7, False, True),
        ({}, 6, False, False),
        ({"required": True}, 9, True, False),
        ({"required": True}, 10, False, True),
        ({"required": 0.8}, 7, True, False),
        ({"required": 0.8}, 8, False, True),
        ({"required_min_score": 8}, 7, True, False),
        ({"required_min_score": 7}, 7, False, True),
        ({"required_min_score": 5}, 6, False, False),
        ({"required_min_score": 0}, 0, False, False),
        ({"min_score": 0.7}, 7, False, True),
        ({"min_score": 0.71}, 7, True, False),
        ({"required": False, "min_score": 0.9}, 8, True, False),
    ],
)
def test_points_that_are_too_few_veto(gate, score, vetoes, met):
    grade = graded([{"id": "acc", "score_ranges": RANGES, **gate}], points(acc=score))

    assert (grade.vetoes, bool(grade.hits)) == (vetoes, met)


def test_one_criterion_with_ranges_gives_points_to_all_of_them():
    rubrics = [{"id": "acc", "score_ranges": RANGES}, {"id": "clr", "outcome": "clear"}]

    grade = graded(rubrics, points(acc=8, clr=9))

    assert grade.score == pytest.approx(0.85)
    assert grade.hits[1] == "[clr] clear - Score: 9/10 ()"
    assert not grade.vetoes


def test_points_that_are_left_out_are_none():
    grade = graded([{"id": "acc", "score_ranges": RANGES}, "x"], points(acc=10))

    assert grade.score == 0.5
    assert grade.details["raw_scores"] == {"acc": 10}


@pytest.mark.parametrize(
    "ranges",
    [
        RANGES,
        {"0": "bad", "5": "mid", "8": "good", "10": "perfect"},
        [
            {"score_range": [8, 9], "outcome": "good"},
            {"score_range": [0, 4], "outcome": "bad"},
            {"score_range": [5, 7], "expected_outcome": "mid"},
            {"score_range": [10, 10], "description": "perfect"},
        ],
    ],
)
def test_ranges_are_written_by_their_lower_bound_or_by_both(ranges):
    (criterion,) = Rubric(name="r", rubrics=[{"id": "a", "score_ranges": ranges}]).rubrics

    assert [criterion.describe_score(score) for score in (0, 4, 5, 7, 8, 9, 10)] == [
        *("bad", "bad", "mid", "mid", "good", "good", "perfect")
    ]


@pytest.mark.parametrize(
    ("ranges", "why"),
    [
        ({1: "x", 5: "y"}, "the lowest range must begin at 0, not at 1"),
        ({0: "x", 11: "y"}, "11 is no score"),
        ({0: "x", "-1": "y"}, "'-1' is no score"),
        ({0: "x", 2.5: "y"}, "2.5 is no score"),
        ({0: "x", True: "y"}, "True is no score"),
        ({0: "x", "٣": "y"}, "is no score"),
        ({0: "x", "0": "y"}, "the same score begins two ranges"),
        ({0: ""}, "at least 1 character"),
        ([{"score_range": [0, 4], "outcome": "x"}], "the last range ends at 4"),
        (
            [{"score_range": [0, 4], "outcome": "x"}, {"score_range": [6, 10], "outcome": "y"}],
            "the range 6 to 10 should begin at 5",
        ),
        (
            [{"score_range": [0, 6], "outcome": "x"}, {"score_range": [5, 10], "outcome": "y"}],
            "the range 5 to 10 should begin at 7",
        ),
        ([{"score_range": [0, 12], "outcome": "x"}], "less than or equal to 10"),
        ([{"score_range": [0, 10.0], "outcome": "x"}], "valid integer"),
        ("high", "valid tuple"),
    ],
)
def test_ranges_that_leave_a_score_without_a_meaning_are_refused(ranges, why):
    assert why in refused(rubrics=[{"id": "a", "score_ranges": ranges}])


@pytest.mark.parametrize(
    ("rubrics", "why"),
    [
        ([], "at least 1 item"),
        ([{}], "give it an 'outcome', or 'score_ranges'"),
        ([{"id": "a"}], "give it an 'outcome', or 'score_ranges'"),
        ([" "], "give it an 'outcome', or 'score_ranges'"),
        ([{"id": "a", "outcome": "x"}, {"id": "a", "outcome": "y"}], "two rubrics have the id 'a'"),
        ([{"outcome": "x", "weight": -1}], "greater than or equal to 0"),
        ([{"outcome": "x", "weight": float("nan")}], "finite number"),
        ([{"outcome": "x", "required_min_score": 11}], "less than or equal to 10"),
        ([{"outcome": "x", "min_score": 0}], "greater than 0"),
        ([{"outcome": "x", "operator": "maybe"}], "'correctness' or 'contradiction'"),
        ([{"outcome": "x", "wieght": 1}], "Extra inputs are not permitted"),
        ([5], "valid dictionary"),
        ("accurate", "valid tuple"),
    ],
)
def test_criteria_that_say_nothing_or_the_wrong_thing_are_refused(rubrics, why):
    assert why in refused(rubrics=rubrics)


def test_without_a_name_it_is_called_as_in_agentv():
    assert Rubric.usual_name({}) == "rubrics"


def test_criteria_is_another_name_for_rubrics():
    assert Rubric(name="r", criteria=["short"]) == Rubric(name="r", rubrics=["short"])


def test_the_judge_is_shown_the_case_in_sections_and_then_the_criteria():
    asked = Case(
        conversation=Conversation(conversation_id="c", turns=case("42").turns),
        criteria="be right",
        task=Task(question="6*7?", reference="forty-two"),
    )
    rubrics = [
        {"id": "acc", "outcome": "accurate", "weight": 3, "required": True},
        {"id": "clr", "outcome": "clear", "operator": "contradiction"},
    ]

    _, judge = judged(Rubric(name="r", rubrics=rubrics), asked, checks(("acc", True, "x")))

    (prompt,) = judge.prompts
    order = ["question", "criteria", "reference_answer", "answer", "rubrics"]
    places = [prompt.index(f"[[ ## {name} ## ]]\n") for name in order]
    assert places == sorted(places)
    assert prompt.endswith(
        "- [acc] (REQUIRED) (weight: 3): accurate\n"
        "- [clr] (weight: 1): clear (met unless the answer contradicts it)"
    )
    assert "\nforty-two\n" in prompt


def test_ranges_are_shown_with_what_they_mean():
    rubrics = [{"id": "acc", "outcome": "accurate", "min_score": 0.8, "score_ranges": RANGES}]

    _, judge = judged(Rubric(name="r", rubrics=rubrics), case(), points(acc=9))

    assert judge.prompts[0].endswith(
        "[[ ## scoring_criteria ## ]]\n"
        "### Criterion: acc (weight: 1) [REQUIRED: min score 8]\n"
        "Description: accurate\n"
        "Score ranges:\n- 0-4: bad\n- 5-7: mid\n- 8-9: good\n- 10-10: perfect"
    )
    assert "reference_answer" not in judge.prompts[0]


def test_a_judge_that_gives_no_usable_answer_is_an_error_and_its_opposite_too():
    services = Services(judge=ScriptedJudge(JudgeAnswerError("no usable answer in 4 tries")))

    result = grade_case(Rubric(name="r", rubrics=["x"], negate=True), case(), services)

    assert (result.status, result.score) == (Status.ERROR, None)
    assert result.error == "no usable answer in 4 tries"


def test_without_a_judge_it_is_an_error_that_says_what_to_do():
    with pytest.raises(InputError, match="no judge is configured; give --judge-model"):
        Rubric(name="r", rubrics=["x"]).grade(case(), Services())


def test_without_a_turn_there_is_nothing_to_judge():
    empty = Case(conversation=Conversation(conversation_id="c"))

    grade, judge = judged(Rubric(name="r", rubrics=["x"]), empty, checks())

    assert grade.status == Status.NOT_EVALUATED
    assert judge.prompts == []


def test_it_asks_whom_it_names():
    settings = {"target": "strict", "temperature": 0.5, "judge_model": "m"}

    _, judge = judged(Rubric(name="r", rubrics=["x"], **settings), case(), checks())

    assert judge.variants == [
        {
            "model": "m",
            "base_url": None,
            "api_key_env": None,
            "target": "strict",
            "temperature": 0.5,
        }
    ]


def test_settings_that_change_nothing_are_said():
    grade = graded(["x"], checks(), max_steps=3)

    assert grade.details["without_effect"] == ["max_steps"]
