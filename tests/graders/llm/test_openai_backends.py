import pytest

from agentevals.graders.grader import Services
from agentevals.graders.llm.openai_backends import grade_labels, run_hosted
from agentevals.model.cases import Case, Status
from agentevals.model.errors import EvaluatorError, InputError
from tests.graders.llm.questions.scripted import USELESS, ScriptedJudge
from tests.hosted_evals import FakeClock, Hosted, deeds, environ, item
from tests.servers import serve
from tests.support import case, conversation, paired, turn

LABELS = {
    "type": "label_model",
    "name": "quality",
    "model": "gpt-4o-mini",
    "input": [
        {"role": "system", "content": "Be strict."},
        {"role": "user", "content": "Rate: {{item.actual_response}}"},
    ],
    "labels": ["good", "bad"],
    "passing_labels": ["good"],
}
SIMILAR = {
    "type": "text_similarity",
    "name": "sim",
    "input": "{{ item.actual_response }}",
    "reference": "{{ item.expected_response }}",
    "evaluation_metric": "fuzzy_match",
    "pass_threshold": 0.8,
}
TOLD = paired([turn("done: 4"), turn("you are welcome")], [turn("done: 4"), turn("welcome")])
PAIR = (item(0, 0.9), item(1, 0.3))


def said(name):
    return {"reasoning": f"it is {name}", "label": name}


def labelled(case, *answers, **changes):
    judge = ScriptedJudge(*answers)
    return grade_labels(case, judge, criterion=LABELS | changes), judge


def hosted(case, api, criterion=SIMILAR, timeout=120):
    with serve(api) as server:
        terms = {"environ": environ(server), "clock": FakeClock().clock}
        grade = run_hosted(case, Services(), criterion=criterion, timeout=timeout, **terms)
    return grade, server


def test_every_turn_gets_a_label_and_all_have_to_pass():
    grade, judge = labelled(TOLD, said("good"), said("bad"))

    assert (grade.score, grade.per_turn, grade.status) == (0.5, (1.0, 0.0), Status.FAILED)
    assert grade.misses == ("turn 2: labelled 'bad': it is bad",)
    assert grade.details == {
        "model": "gpt-4o-mini",
        "passing_labels": ["good"],
        "labels": [said("good"), said("bad")],
        "result_counts": {"passed": 1, "failed": 1, "total": 2},
    }
    assert judge.variants == [{"model": "gpt-4o-mini"}]


def test_a_pass_needs_no_threshold():
    assert labelled(TOLD, said("good"))[0].status is Status.PASSED


def test_the_judge_can_only_choose_from_the_labels():
    _, judge = labelled(TOLD, said("good"), labels=["good", "bad", "good"])

    assert judge.schemas[0]["properties"]["label"]["enum"] == ["good", "bad"]


def test_the_prompt_is_the_users_with_the_answer_marked_as_material():
    _, judge = labelled(TOLD, said("good"))

    prompt = judge.prompts[1]
    assert "[system]\nBe strict." in prompt
    assert "[user]\nRate: \n<<<ACTUAL_RESPONSE " in prompt
    assert ">>>\nyou are welcome\n<<<END" in prompt


def test_what_an_agent_says_is_no_template():
    _, judge = labelled(case("{{ item.expected_response }}"), said("good"))

    assert "{{ item.expected_response }}" in judge.prompts[0]


def test_the_expected_answer_can_be_shown_too():
    with_reference = [{"role": "user", "content": "{{ item.expected_response }}?"}]
    longer = paired([turn("a"), turn("b")], [turn("golden")])

    _, judge = labelled(longer, said("good"), input=with_reference)
    assert ">>>\ngolden\n" in judge.prompts[0]
    assert ">>>\n\n<<<END" in judge.prompts[1]

    grade, _ = labelled(
        case("a", unpaired="no matching eval case"), said("x"), input=with_reference
    )
    assert grade.status is Status.NOT_EVALUATED
    assert grade.details["reason"] == "no matching eval case"


def test_an_unknown_place_in_the_prompt_is_the_users_mistake():
    wrong = [{"role": "user", "content": "{{ item.actual }}"}]

    with pytest.raises(InputError, match=r"quality: nothing is called '{{ item\.actual }}' here"):
        labelled(TOLD, said("good"), input=wrong)


def test_a_judge_that_cannot_be_used_is_an_error():
    with pytest.raises(EvaluatorError):
        labelled(TOLD, USELESS)


def test_no_turn_no_label():
    grade, _ = labelled(Case(conversation=conversation()), said("good"))

    assert grade.status is Status.NOT_EVALUATED


def test_a_hosted_similarity_is_asked_for_as_documented():
    _, server = hosted(TOLD, Hosted(*PAIR))

    assert server.seen[0].document == {
        "name": "agentevals-openai-sim",
        "data_source_config": {
            "type": "custom",
            "item_schema": {
                "type": "object",
                "properties": {
                    "actual_response": {"type": "string"},
                    "expected_response": {"type": "string"},
                },
                "required": ["actual_response", "expected_response"],
            },
            "include_sample_schema": False,
        },
        "testing_criteria": [SIMILAR],
    }
    rows = [
        {"item": {"actual_response": "done: 4", "expected_response": "done: 4"}},
        {"item": {"actual_response": "you are welcome", "expected_response": "welcome"}},
    ]
    assert server.seen[1].document == {
        "name": "agentevals-openai-run-sim",
        "data_source": {"type": "jsonl", "source": {"type": "file_content", "content": rows}},
    }


def test_the_threshold_decides_about_a_hosted_similarity():
    grade, _ = hosted(TOLD, Hosted(*PAIR))

    assert grade.score == pytest.approx(0.6)
    assert (grade.per_turn, grade.status) == ((0.9, 0.3), None)
    assert grade.misses == ("turn 2: not passed, with a score of 0.3",)
    assert grade.details == {
        "openai_eval_id": "eval_1",
        "openai_run_id": "run_1",
        "result_counts": {"passed": 1, "failed": 1, "total": 2},
        "evaluation_metric": "fuzzy_match",
        "per_testing_criteria": [{"name": "sim", "passed": 1, "failed": 1}],
    }


def test_hosted_labels_are_asked_for_as_documented_and_decide_themselves():
    grade, server = hosted(TOLD, Hosted(*PAIR), LABELS)

    schema = server.seen[0].document["data_source_config"]["item_schema"]
    assert schema["required"] == ["actual_response"]
    assert server.seen[0].document["testing_criteria"] == [LABELS]
    assert grade.status is Status.FAILED
    assert grade.details["passing_labels"] == ["good"]
    assert hosted(TOLD, Hosted(item(0, 0.9), item(1, 0.9)), LABELS)[0].status is Status.PASSED


def test_a_label_may_come_without_a_score():
    only_passed = [{"name": "quality", "passed": True}]

    grade, _ = hosted(case("a"), Hosted(item(0, 1.0, results=only_passed)), LABELS)

    assert (grade.score, grade.status) == (1.0, Status.PASSED)


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        ({"sample": {"error": {"code": "x", "message": "no answer"}}}, "no answer"),
        ({"status": "error"}, "no reason given"),
        ({"results": []}, "it has no score"),
        ({"results": [{"name": "sim", "score": 7}]}, "its score 7 is not from 0 to 1"),
    ],
)
def test_an_item_that_went_wrong_is_an_error_and_no_pass(second, reason):
    with pytest.raises(EvaluatorError, match=f"turn 2 could not be graded: {reason}"):
        hosted(TOLD, Hosted(item(0, 0.9), item(1, 0.9, **second)))


@pytest.mark.parametrize("items", [[], [item(0, 0.9)], [*PAIR, item(2, 0.9)]])
def test_every_turn_has_to_come_back(items):
    with pytest.raises(EvaluatorError, match=f"2 turns were sent and {len(items)} graded"):
        hosted(TOLD, Hosted(*items))


def test_the_eval_is_deleted_even_when_items_are_wrong():
    api = Hosted(item(0, 0.9, status="error"), item(1, 0.9))
    with serve(api) as server:
        terms = {"environ": environ(server), "clock": FakeClock().clock}
        with pytest.raises(EvaluatorError):
            run_hosted(TOLD, Services(), criterion=SIMILAR, timeout=120, **terms)

    assert deeds(server)[-1] == "DELETE /eval_1"


def test_a_hosted_similarity_without_expectation_is_not_sent():
    grade, server = hosted(case("a"), Hosted())

    assert grade.status is Status.NOT_EVALUATED
    assert server.seen == []


def test_no_turn_nothing_sent():
    grade, server = hosted(Case(conversation=conversation()), Hosted(), LABELS)

    assert grade.status is Status.NOT_EVALUATED
    assert server.seen == []
