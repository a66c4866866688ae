import pytest

from agentevals.graders.llm.hallucinations_v1 import Hallucinations, split_sentences
from agentevals.model.cases import Case, Status
from agentevals.model.conversations import ToolCall
from agentevals.model.errors import EvaluatorError
from tests.graders.llm.questions.scripted import USELESS, judged
from tests.support import case, conversation, turn


def labels(*given, start=1):
    rows = enumerate(given, start=start)
    return {"sentences": [{"number": n, "rationale": f"is {x}", "label": x} for n, x in rows]}


def graded(case, *answers, **settings):
    return judged(Hallucinations(name="h", **settings), case, *answers)


@pytest.mark.parametrize(
    ("second", "score"),
    [
        ("supported", 1.0),
        ("not_applicable", 1.0),
        ("unsupported", 0.5),
        ("contradictory", 0.5),
        ("disputed", 0.5),
    ],
)
def test_the_score_is_the_share_of_sentences_that_are_grounded(second, score):
    grade, judge = graded(case("Paris is sunny. It is 30C."), labels("supported", second))

    assert grade.score == score
    assert len(judge.prompts) == 1


def test_what_is_not_grounded_is_quoted():
    grade, _ = graded(case("Paris is sunny. It is 30C."), labels("supported", "unsupported"))

    assert grade.misses == ("turn 1: unsupported: It is 30C.",)
    assert grade.details["sentences"][0][1] == {
        "sentence": "It is 30C.",
        "label": "unsupported",
        "supported": False,
        "rationale": "is unsupported",
    }


def test_a_sentence_that_the_judge_leaves_out_is_not_supported():
    grade, _ = graded(case("One. Two."), labels("supported"))

    assert grade.score == 0.5
    assert grade.details["sentences"][0][1]["rationale"] == "the judge left it out"


def test_a_sentence_with_two_labels_has_the_worse_one():
    both = {"sentences": [*labels("supported")["sentences"], *labels("disputed")["sentences"]]}

    assert graded(case("One."), both)[0].score == 0


def test_numbers_that_were_never_asked_about_do_not_count():
    assert graded(case("One."), labels("disputed", "supported", start=0))[0].score == 1


def test_with_several_samples_the_majority_decides():
    said = [labels("supported"), labels("unsupported"), labels("supported")]

    grade, judge = graded(case("One."), *said, num_samples=3)

    assert grade.score == 1
    assert len(judge.prompts) == 3


def test_evidence_is_what_came_before_the_answer():
    call = ToolCall(name="weather", args={}, response="sunny", answered=True)
    told = conversation(
        turn("Hello.", user="hi"),
        turn("It is sunny.", user="weather?", tool_calls=(call,), intermediate=("Let me guess.",)),
    )
    grade, judge = graded(Case(conversation=told), labels("supported"))

    evidence = judge.prompts[1].split("<<<SENTENCES")[0]
    assert '"returned": "sunny"' in evidence
    assert "It is sunny." not in evidence
    assert "Let me guess." not in evidence
    assert grade.per_turn == (1.0, 1.0)


def test_what_was_said_on_the_way_is_judged_when_asked_for():
    told = Case(conversation=conversation(turn("Done.", intermediate=("I looked.",))))

    grade, _ = graded(
        told, labels("unsupported", "supported"), evaluate_intermediate_nl_responses=True
    )

    assert grade.score == 0.5
    assert grade.misses == ("turn 1: unsupported: I looked.",)


def test_silence_is_not_judged():
    told = Case(conversation=conversation(turn("Hi."), turn(None)))

    assert graded(told, labels("supported"))[0].per_turn == (1.0, None)
    assert graded(case("..."), labels())[0].status is Status.NOT_EVALUATED


def test_an_endless_answer_is_an_error_that_says_so():
    with pytest.raises(EvaluatorError, match="201 sentences; at most 200"):
        graded(case("Yes. " * 201), labels())


def test_a_judge_that_cannot_be_used_is_an_error():
    with pytest.raises(EvaluatorError):
        graded(case("Hi."), USELESS)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("...", []),
        ("Paris is sunny. It is 30C.", ["Paris is sunny.", "It is 30C."]),
        ("Pi is 3.14! Really? Yes", ["Pi is 3.14!", "Really?", "Yes"]),
        ("42", ["42"]),
        ("one\ntwo\n\nthree", ["one", "two", "three"]),
        ("1. First\n2) Second\n- Third\n# Fourth", ["First", "Second", "Third", "Fourth"]),
        ("パリは晴れ。三十度です。", ["パリは晴れ。", "三十度です。"]),
        ("Run:\n```py\na = 1. \nb\n```\nDone.", ["Run:", "```py\na = 1. \nb\n```", "Done."]),
        ("```\nnever closed. x", ["```\nnever closed. x"]),
    ],
)
def test_sentences_lines_and_blocks(text, found):
    assert split_sentences(text) == found


def test_a_hostile_text_takes_no_time():
    assert len(split_sentences("``" * 20_000 + ". " * 20_000 + "a " * 20_000)) == 1
