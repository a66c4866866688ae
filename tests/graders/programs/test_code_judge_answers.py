import json

import pytest

from agentevals.graders.programs import code_judge_answers
from agentevals.graders.programs.judge_program import JudgeProgram
from agentevals.model.cases import Status
from agentevals.model.errors import EvaluatorError
from agentevals.model.results import Result
from agentevals.sandbox.isolation import Finished


def finished(stdout="", exit_code=0, stderr=""):
    return Finished(
        stdout=stdout if isinstance(stdout, bytes) else stdout.encode(),
        stderr=stderr,
        exit_code=exit_code,
        isolation="strict",
        seconds=0.1,
    )


def grade(answer, **how):
    text = answer if isinstance(answer, str | bytes) else json.dumps(answer)
    return code_judge_answers.read_grade(finished(text), name="j", **how)


def test_a_score_with_what_was_hit_and_missed():
    said = grade(
        {"score": 0.85, "hits": ["a"], "misses": ["b"], "reasoning": "r", "details": {"n": 1}}
    )

    assert (said.score, said.hits, said.misses, said.reasoning) == (0.85, ("a",), ("b",), "r")
    assert (said.details, said.status, said.isolation) == ({"n": 1}, None, "strict")


@pytest.mark.parametrize(("given", "score"), [(1.7, 1), (-3, 0), (1, 1), (0, 0), (0.6, 0.6)])
def test_a_score_beyond_the_bounds_is_brought_to_them(given, score):
    assert grade({"score": given}).score == score


def test_hits_and_misses_are_texts_that_say_something():
    said = grade({"score": 1, "hits": ["ok", "", " ", 5, None], "misses": "nope"})

    assert (said.hits, said.misses) == (("ok",), ())


@pytest.mark.parametrize("odd", [{"reasoning": 42}, {"details": [1]}, {"hits": 7}, {"other": 1}])
def test_what_is_of_another_kind_beside_the_score_is_left_out(odd):
    said = grade({"score": 1, **odd})

    assert (said.score, said.reasoning, said.details, said.hits) == (1, "", {}, ())


@pytest.mark.parametrize("around", [b"  %s\n\n", b"\xef\xbb\xbf%s", b"\r\n%s"])
def test_white_space_and_a_byte_order_mark_around_the_object_do_no_harm(around):
    assert grade(around % b'{"score": 0.9}').score == 0.9


CHECKS = [
    {"text": "a", "passed": True},
    {"text": "b", "passed": 1, "evidence": "seen"},
    {"text": "c"},
    {"passed": True},
    "x",
]


def test_the_assertions_of_release_4_are_hits_misses_and_where_none_is_given_the_score():
    said = grade({"assertions": CHECKS})

    assert (said.score, said.hits, said.misses) == (2 / 3, ("a", "b"), ("c",))
    assert said.details["assertions"][1]["evidence"] == "seen"
    assert grade({"score": 0.1, "assertions": CHECKS}).score == 0.1


def test_hits_that_are_given_win_over_assertions():
    assert grade({"score": 1, "hits": ["mine"], "assertions": CHECKS}).hits == ("mine",)


def test_the_result_of_release_5_decides_by_itself_whether_it_passed():
    said = grade(
        {"pass": False, "score": 0.9, "reason": "why", "checks": [{"text": "a", "pass": True}]}
    )

    assert (said.status, said.score, said.reasoning, said.hits) == (
        *(Status.FAILED, 0.9, "why", ("a",)),
    )
    assert (grade({"pass": True}).score, grade({"pass": True}).status) == (1, Status.PASSED)


@pytest.mark.parametrize(
    ("stdout", "said"),
    [
        ("", "printed nothing"),
        ("looks good", "which is not JSON"),
        ('log line\n{"score": 1}', "printed more than its result"),
        ("0.5", "printed 0.5; one JSON object was expected"),
        ('[{"score": 1}]', "one JSON object was expected"),
        ("{}", "gave no 'score'"),
        ('{"score": null}', "gave no 'score'"),
        ('{"score": "1"}', 'gave the score "1"; a number from 0 to 1 was expected'),
        ('{"score": "1", "assertions": [{"text": "a", "passed": true}]}', 'gave the score "1"'),
        ('{"score": true}', "gave the score true"),
        ('{"score": [1]}', "gave the score"),
        ('{"score": NaN}', "NaN and Infinity are not JSON"),
        ('{"score": 1e999}', "not JSON"),
        (f'{{"score": 1{"0" * 400}}}', "gave the score 1000"),
        ('{"score": 1', "which is not JSON"),
        (b'{"score": "\xff"}', "bytes that are not UTF-8"),
        ("[" * 100_000, "not JSON"),
        ('{"pass": "yes"}', "gave no 'score'"),
    ],
)
def test_whatever_else_is_printed_is_an_error_and_never_a_score(stdout, said):
    with pytest.raises(EvaluatorError, match="evaluator 'j'") as refused:
        grade(stdout)

    assert said in str(refused.value)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    ("stdout", "stderr", "told"),
    [
        ("", "", "evaluator 'j' exited with code 3"),
        ("", "boom\n", "evaluator 'j' exited with code 3: boom"),
        ("no JSON", "", "evaluator 'j' exited with code 3"),
        (
            '{"score": 0.0, "misses": ["Evaluator error: x"], "reasoning": "Evaluator error: x"}',
            "",
            "evaluator 'j' exited with code 3: Evaluator error: x",
        ),
        ('{"score": 1}', "", "evaluator 'j' exited with code 3: {\"score\": 1}"),
    ],
)
def test_a_program_that_fails_is_an_error_with_what_it_said(stdout, stderr, told):
    with pytest.raises(EvaluatorError) as refused:
        code_judge_answers.read_grade(finished(stdout, 3, stderr), name="j")

    assert str(refused.value) == told


def test_a_package_that_is_missing_is_said_how_to_get():
    with pytest.raises(EvaluatorError, match=r"List it in a requirements\.txt"):
        code_judge_answers.read_grade(
            finished("", 1, "ModuleNotFoundError: No module named 'numpy'"), name="j"
        )


def test_a_flood_of_words_is_cut():
    with pytest.raises(EvaluatorError) as refused:
        code_judge_answers.read_grade(
            finished(json.dumps({"reasoning": "x" * 10**6}), 1, "y" * 10**6), name="j"
        )

    assert len(str(refused.value)) < 3000


def test_only_a_program_that_sums_up_others_may_give_a_verdict():
    assert grade({"score": 0.2, "verdict": "pass"}).status is None
    assert grade({"score": 0.2, "verdict": "pass"}, verdicts=True).status is Status.PASSED
    with pytest.raises(EvaluatorError, match="gave the verdict"):
        grade({"score": 0.2, "verdict": "good"}, verdicts=True)


def test_a_program_makes_one_grade_of_several_results(tmp_path):
    (tmp_path / "least.py").write_text(
        "import json, sys\n"
        "results = json.load(sys.stdin)['results']\n"
        "print(json.dumps({'score': min(r['score'] for r in results.values())}))\n"
    )
    results = {
        name: Result(name=name, type="contains", status=Status.PASSED, score=score)
        for name, score in (("a", 1.0), ("b", 0.4))
    }

    program = JudgeProgram(command="python least.py", cwd=tmp_path)
    assert code_judge_answers.run_aggregator(program, results, name="c").score == 0.4
