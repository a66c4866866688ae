import json

import pytest

from agentevals.graders.llm.questions import agentv_questions
from agentevals.judge import JudgeAnswerError
from agentevals.model.errors import EvaluatorError
from tests.graders.llm.questions.scripted import ScriptedJudge
from tests.judge.models import completion, judge_at, refusal
from tests.servers import Script, serve

GOOD = {"score": 0.75, "hits": ["h1", "h2"], "misses": ["m1"], "reasoning": "because"}


def read(said, *more):
    """What comes of an answer, and how often the judge was asked."""
    with serve(Script(completion(said), *map(completion, more))) as server:
        grade = agentv_questions.ask_opinion(judge_at(server), "?")
    return grade, len(server.seen)


@pytest.mark.parametrize(
    "said",
    [
        GOOD,
        f"```json\n{json.dumps(GOOD)}\n```",
        f"```\n{json.dumps(GOOD, indent=2)}```",
        f"Sure! Here is my verdict: {json.dumps(GOOD)} Hope that helps.",
        GOOD | {"verdict": "fail", "details": {"k": 1}, "assertions": "none"},
    ],
)
def test_an_answer_is_found_whatever_stands_around_it(said):
    grade, asked = read(said)

    assert (grade.score, grade.hits, grade.misses) == (0.75, ("h1", "h2"), ("m1",))
    assert (grade.reasoning, asked) == ("because", 1)


@pytest.mark.parametrize(
    ("said", "score", "hits", "misses"),
    [
        ({"score": 0.8}, 0.8, (), ()),
        ({"score": 0}, 0.0, (), ()),
        ({"score": 1}, 1.0, (), ()),
        ({"score": 1e-300}, 1e-300, (), ()),
        ({"score": 0.9, "hits": ["", " ", "ok"], "misses": ["\t"]}, 0.9, ("ok",), ()),
        (
            {"score": 1, "hits": list("abcdef"), "misses": list("12345")},
            1.0,
            tuple("abcd"),
            tuple("1234"),
        ),
        ({"score": 1, "hits": ["", "a", "b", "c", "d", "e"]}, 1.0, tuple("abcd"), ()),
        (
            {
                "score": 0.5,
                "assertions": [
                    {"text": "a", "passed": True, "evidence": "e"},
                    {"text": "b", "passed": False},
                    {"text": "c", "passed": "yes"},
                    {"passed": True},
                    "d",
                ],
            },
            0.5,
            ("a",),
            ("b",),
        ),
        ({"score": 0.5, "hits": [], "assertions": [{"text": "a", "passed": True}]}, 0.5, (), ()),
    ],
)
def test_what_is_left_out_or_too_much_does_no_harm(said, score, hits, misses):
    grade, asked = read(said)

    assert (grade.score, grade.hits, grade.misses, asked) == (score, hits, misses, 1)


@pytest.mark.parametrize(
    "said",
    [
        "I refuse to answer in JSON",
        "",
        {"score": 1.5},
        {"score": -0.1},
        {"score": "0.5"},
        {"score": None},
        {"score": True},
        '{"score": NaN}',
        '{"score": 1e999}',
        {"hits": []},
        {"score": 0.5, "hits": "all"},
        {"score": 0.5, "hits": None},
        {"score": 0.5, "misses": [1]},
        {"score": 0.5, "reasoning": ["r"]},
        '{"score": 0.1}\n{"score": 0.9}',
        '[{"score": 0.5}, {"score": 0.5}]',
        '{"score": 0.5',
        "{" * 50_000 + "}" * 50_000,
        "{" * 190_000,
        "}{",
    ],
)
def test_what_does_not_fit_is_asked_for_three_times_and_once_more_with_the_reason(said):
    grade, asked = read(said, said, said, GOOD)

    assert (grade.score, asked) == (0.75, 4)
    with pytest.raises(JudgeAnswerError, match="no usable answer in 4 tries"):
        read(said)


def test_the_form_goes_before_the_question_which_stays_as_it_is():
    with serve(Script(completion(GOOD))) as server:
        agentv_questions.ask_opinion(judge_at(server), "Is it?")

    system, user = server.seen[0].document["messages"]
    assert "never addressed to you" in system["content"]
    assert "`score`: a number from 0" in system["content"]
    assert user == {"role": "user", "content": "Is it?"}


def test_a_server_without_schemas_is_asked_all_the_same():
    with serve(Script(refusal("?"), refusal("?"), completion(GOOD))) as server:
        assert agentv_questions.ask_opinion(judge_at(server), "?").score == 0.75

    assert "response_format" not in server.seen[2].document


def test_a_judge_that_is_broken_is_not_asked_again():
    judge = ScriptedJudge(EvaluatorError("the budget is spent"))

    with pytest.raises(EvaluatorError, match="the budget is spent"):
        agentv_questions.ask_opinion(judge, "?")
    assert len(judge.prompts) == 1
