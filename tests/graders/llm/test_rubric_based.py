import pytest

from agentevals.graders.llm.rubric_based import ResponseRubrics, ToolUseRubrics, TrajectoryRubrics
from agentevals.model.cases import Case, Rubric, Status
from agentevals.model.conversations import ToolCall, Turn
from agentevals.model.errors import EvaluatorError
from tests.graders.llm.questions.scripted import USELESS, judged, verdicts
from tests.support import case, conversation, turn

POLITE = {"id": "polite", "text": "Is polite"}
SHORT = {"id": "short", "text": "Is short"}


def graded(case, *answers, rubrics=(POLITE, SHORT), **settings):
    grader = ResponseRubrics(name="quality", rubrics=list(rubrics), **settings)
    return judged(grader, case, *answers)


def test_the_score_is_the_share_of_rubrics_that_are_met():
    grade, _ = graded(case("hello"), verdicts(polite="yes", short="no"))

    assert (grade.score, grade.per_turn) == (0.5, (0.5,))
    assert grade.hits == ("Is polite",)
    assert grade.misses == ("Is short: short is no",)
    assert grade.details["rubrics"][1] == {
        "id": "short",
        "text": "Is short",
        "score": 0.0,
        "votes": {"yes": 0, "no": 1},
        "rationale": "short is no",
    }


def test_the_details_have_the_keys_of_agentevals_cli():
    recorded = conversation(
        *(Turn(turn_id=name, user="hi", response="hi") for name in ("t1", "t2"))
    )
    expected = (turn("hello"),)

    grade, _ = graded(
        Case(conversation=recorded, expected=expected),
        verdicts(polite="yes"),
        verdicts(polite="no"),
        rubrics=[POLITE],
        num_samples=1,
    )

    told = [
        {"rubric_id": "polite", "score": 1.0, "rationale": "polite is yes"},
        {"rubric_id": "polite", "score": 0.0, "rationale": "polite is no"},
    ]
    assert grade.details["per_invocation"] == [
        {"invocation_id": "t1", "rubric_scores": told[:1]},
        {"invocation_id": "t2", "rubric_scores": told[1:]},
    ]
    assert grade.details["overall_rubric_scores"] == [
        {"rubric_id": "polite", "score": 0.5, "rationale": None}
    ]
    assert grade.details["unexpected_turns"] == 1


def test_each_rubric_has_its_own_majority():
    grade, _ = graded(
        case(),
        verdicts(polite="yes", short="no"),
        verdicts(polite="no", short="yes"),
        verdicts(polite="yes", short="yes"),
        num_samples=3,
    )

    assert grade.score == 1
    assert [row["votes"] for row in grade.details["rubrics"]] == [{"yes": 2, "no": 1}] * 2


def test_a_tie_is_not_met():
    grade, _ = graded(
        case(), verdicts(polite="yes"), verdicts(polite="no"), rubrics=[POLITE], num_samples=2
    )

    assert grade.score == 0


def test_a_rubric_that_the_judge_leaves_out_is_not_met():
    grade, _ = graded(case(), verdicts(polite="yes"))

    assert grade.score == 0.5
    assert grade.misses == ("Is short: the judge left it out",)


def test_a_judge_that_contradicts_itself_is_taken_at_its_worst():
    both = {"verdicts": verdicts(polite="yes")["verdicts"] + verdicts(polite="no")["verdicts"]}

    assert graded(case(), both, rubrics=[POLITE])[0].score == 0


def test_every_turn_is_judged_by_the_rubrics_that_are_for_it():
    rubrics = (
        Rubric(rubric_id="first", text="Greets", kind="FINAL_RESPONSE_QUALITY", turn=0),
        Rubric(rubric_id="last", text="Says bye", kind="FINAL_RESPONSE_QUALITY", turn=2),
        Rubric(rubric_id="tools", text="Uses tools", kind="TOOL_USE_QUALITY"),
    )
    told = conversation(turn("hello"), turn("hm"), turn("bye"))
    grade, judge = graded(
        Case(conversation=told, rubrics=rubrics),
        verdicts(first="yes"),
        verdicts(last="no"),
        rubrics=(),
    )

    assert grade.per_turn == (1.0, None, 0.0)
    assert grade.score == 0.5
    assert grade.misses == ("turn 3: Says bye: last is no",)
    assert [row["where"] for row in grade.details["rubrics"]] == ["turn 1", "turn 3"]
    assert "Uses tools" not in "".join(judge.prompts)


def test_rubrics_count_the_same_wherever_they_were_asked_about():
    rubrics = (Rubric(rubric_id="extra", text="Extra", turn=1),)
    told = conversation(turn("a"), turn("b"))
    grade, _ = graded(
        Case(conversation=told, rubrics=rubrics),
        verdicts(polite="yes"),
        verdicts(polite="no", extra="no"),
        rubrics=[POLITE],
    )

    assert grade.per_turn == (1.0, 0.0)
    assert grade.score == pytest.approx(1 / 3)


def test_the_answer_is_material_and_the_rubrics_are_not():
    _, judge = graded(case("my answer"), verdicts(polite="yes", short="yes"))

    prompt = judge.prompts[0]
    assert ">>>\nmy answer\n<<<END" in prompt
    assert prompt.endswith("- polite: Is polite\n- short: Is short")
    ids = judge.schemas[0]["properties"]["verdicts"]["items"]["properties"]["id"]
    assert ids["enum"] == ["polite", "short"]


def test_without_rubrics_there_is_nothing_to_go_by():
    with pytest.raises(EvaluatorError, match="no rubrics; give the evaluator 'rubrics'"):
        graded(case(), verdicts(), rubrics=())


def test_without_turns_there_is_nothing_to_judge():
    grade, _ = graded(Case(conversation=conversation()), verdicts())

    assert grade.status is Status.NOT_EVALUATED


def test_a_judge_that_cannot_be_used_is_an_error():
    with pytest.raises(EvaluatorError):
        graded(case(), USELESS)


def test_the_calls_of_each_turn_are_shown_with_all_that_came_before():
    first = turn("a", tool_calls=(ToolCall(name="search", args={"q": "x"}),))
    second = turn("b", tool_calls=(ToolCall(name="buy", args={}),))
    grader = ToolUseRubrics(name="t", rubrics=["Searches before it buys"])

    grade, judge = judged(
        grader,
        Case(conversation=conversation(first, second)),
        verdicts(rubric_0="no"),
        verdicts(rubric_0="yes"),
    )

    assert grade.per_turn == (0.0, 1.0)
    assert '"tool": "buy"' not in judge.prompts[0]
    assert '"tool": "search", "arguments": {"q": "x"}' in judge.prompts[1]


def test_rubrics_about_answers_are_not_about_tools():
    about_answers = Rubric(rubric_id="a", text="t", kind="FINAL_RESPONSE_QUALITY")

    with pytest.raises(EvaluatorError, match="TOOL_USE_QUALITY"):
        judged(ToolUseRubrics(name="t"), case(rubrics=(about_answers,)), verdicts())


def test_the_whole_conversation_is_judged_once():
    told = Case(
        conversation=conversation(turn("a"), turn("b"), turn("c")),
        rubrics=(
            Rubric(rubric_id="early", text="t", kind="TRAJECTORY_QUALITY", turn=0),
            Rubric(rubric_id="other", text="t", kind="TOOL_USE_QUALITY"),
        ),
    )
    grader = TrajectoryRubrics(name="t", rubrics=["Gets to the point"])

    grade, judge = judged(grader, told, verdicts(rubric_0="yes", early="no"))

    assert grade.score == 0.5
    assert grade.per_turn == (None, None, 0.5)
    assert len(judge.prompts) == 1
    assert '"turn": 3' in judge.prompts[0]


def test_without_rubrics_no_conversation_is_judged():
    with pytest.raises(EvaluatorError, match="TRAJECTORY_QUALITY"):
        judged(TrajectoryRubrics(name="t"), case(), verdicts())
