"""`batch: true`: one start of a program judges several cases, and each as if it stood alone."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from agentevals.configs.plan import Plan
from agentevals.graders.grader import Grader, Services
from agentevals.graders.programs.code import Code
from agentevals.graders.programs.code_judge import CodeJudge
from agentevals.model.cases import Case, Status
from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.errors import EvaluatorError
from agentevals.model.results import Result
from agentevals.run.engine import Grading
from agentevals.sandbox.kept_program_outputs import KeptRuns
from tests.support import case, conversation, turn

SDK = """
import os
from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator

@evaluator
def judge(input: EvalInput) -> EvalResult:
    said = input.invocations[0].final_response
    print("a word for people")
    if said == "raise":
        raise ValueError("boom")
    if said == "leave":
        os._exit(3)
    return EvalResult(score=1 / len(said), details={"said": said, "by": os.getpid()})

if __name__ == "__main__":
    judge.run()
"""
NODE = """
const lines = require("fs").readFileSync("/dev/stdin", "utf8").trim().split("\\n");
for (const line of lines) {
  const input = JSON.parse(line);
  const said = input.invocations[0].final_response;
  const answer = { score: 1 / said.length, details: { said, by: process.pid } };
  console.log(JSON.stringify(input.id ? { id: input.id, ...answer } : answer));
}
"""
JUDGE = """
import json, os, sys
for line in sys.stdin:
    told = json.loads(line)
    said = told["answer"]
    answer = {"score": 1 / len(said), "reasoning": said, "details": {"by": os.getpid()}}
    print(json.dumps(({"id": told["id"]} if "id" in told else {}) | answer))
"""
MAKERS: dict[str, tuple[str, str, Callable[..., Grader]]] = {
    "sdk": ("ev.py", SDK, Code),
    "node": ("ev.js", NODE, Code),
    "code_judge": ("ev.py", JUDGE, CodeJudge),
}


def make(folder: Path, kind: str, **settings: Any) -> Grader:
    name, text, make_grader = MAKERS[kind]
    place = folder / "evaluators"
    place.mkdir(exist_ok=True)
    (place / name).write_text(text)
    if make_grader is CodeJudge:
        settings |= {"command": ["python3", name], "cwd": place}
    else:
        settings |= {"path": place / name}
    return make_grader(name="ev", **settings)


def write(folder: Path, text: str, **settings: Any) -> Code:
    """A program that is given its requests as `asked`, and its own `say`."""
    place = folder / "evaluators"
    place.mkdir(exist_ok=True)
    head = "import json, os, sys, time\nasked = [json.loads(line) for line in sys.stdin]\n"
    head += "say = lambda one, **more: print(json.dumps("
    head += "{'id': one['id'], 'score': 0.5, **more}), flush=True)\n"
    (place / "ev.py").write_text(head + text)
    return Code(name="ev", path=place / "ev.py", **{"batch": True, **settings})


def make_cases(*answers: str) -> list[Case]:
    return [case(answer) for answer in answers]


def run(
    grader: Grader, cases: Sequence[Case], services: Services | None = None, jobs: int = 2
) -> list[Result]:
    plan = Plan(title="t", graders=(grader,))
    graded = Grading(plan, cases, services or Services(), jobs=jobs)
    return [result for _, (result,) in graded]


def tell(result: Result) -> tuple[Any, ...]:
    """All that a result says, apart from who said it and how long that took."""
    details = {key: value for key, value in result.details.items() if key != "by"}
    told = (result.status, result.score, result.error, result.misses, result.reasoning)
    return (*told, result.isolation, details)


TWENTY = make_cases(*("x" * number for number in range(1, 21)))


@pytest.mark.parametrize("kind", MAKERS)
def test_cases_of_a_batch_come_to_what_they_come_to_alone(tmp_path: Path, kind: str) -> None:
    alone = run(make(tmp_path, kind), TWENTY)
    together = run(make(tmp_path, kind, batch=True), TWENTY)

    assert [tell(one) for one in together] == [tell(one) for one in alone]
    assert len({one.details["by"] for one in alone}) == 20 or kind == "node"
    assert len({one.details["by"] for one in together}) <= math.ceil(20 / 8)


@pytest.mark.parametrize("kind", MAKERS)
def test_a_case_alone_is_a_batch_of_one(tmp_path: Path, kind: str) -> None:
    """As inside of a composite, which asks for one case at a time."""
    (one,) = make_cases("abcd")

    assert make(tmp_path, kind, batch=True).grade(one, Services()).score == 0.25


def test_what_keeps_a_case_alone_from_a_grade_is_raised(tmp_path: Path) -> None:
    (one,) = make_cases("raise")

    with pytest.raises(EvaluatorError, match="could not judge this case"):
        make(tmp_path, "sdk", batch=True).grade(one, Services())


def test_an_exception_costs_one_case_and_says_what_was_raised(tmp_path: Path) -> None:
    grader = make(tmp_path, "sdk", batch=True)

    first, broken, last = run(grader, make_cases("a", "raise", "b"))

    assert (first.status, last.status) == (Status.PASSED, Status.PASSED)
    assert broken.error.startswith("evaluator 'ev' could not judge this case: Traceback")
    assert broken.error.endswith("ValueError: boom")


def test_a_crash_costs_the_cases_that_were_not_answered(tmp_path: Path) -> None:
    grader = make(tmp_path, "sdk", batch=True)

    results = run(grader, make_cases("a", "b", "leave", "c"))

    assert [one.status is Status.ERROR for one in results] == [False, False, True, True]
    told = "exited with code 3 after it had answered 2 of the 4 cases of its batch, not this one"
    assert results[2].error == results[3].error
    assert told in results[2].error


def test_the_time_is_that_of_all_cases_and_ends_them(tmp_path: Path) -> None:
    grader = write(tmp_path, "say(asked[0])\ntime.sleep(60)", timeout=0.5)

    results = run(grader, make_cases("a", "b", "c", "d"))

    told = "took longer than 2 s and was ended after it had answered 1 of the 4 cases of its batch"
    assert results[0].status is Status.PASSED
    assert all(told in one.error for one in results[1:])


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("say(a); say(c)", {1: "answered 2 of the 3 cases of its batch, not this one"}),
        ("say(a); say(b); say(b); say(c)", {1: "answered this case twice"}),
        ("say(b); say(a); say(c)", {0: "answered a later case before this one"}),
        ("say(a); say(b); say(c, score=2)", {2: "gave the score 2"}),
        ("say(a); say(b, score=float('nan')); say(c)", {1: "NaN and Infinity are not JSON"}),
        ("say(a); say(b, score=None, error='no'); say(c)", {1: "could not judge this case: no"}),
        ("print('hm'); say(a); say(b); say(c)", dict.fromkeys(range(3), 'printed "hm", which has')),
        ("say(a); say(b); say(c); say({'id': '4'})", dict.fromkeys(range(3), "none of its re")),
        ("say(a); say(b); print('{\"score\": 1}')", dict.fromkeys(range(3), "which has no 'id'")),
        ("say(a); say(b); print('{\"id\": 3}')", dict.fromkeys(range(3), "which has no 'id'")),
        ("say(a); say(b); say(c); sys.exit(4)", {2: "exited with code 4 after its answer"}),
        ("say(a); say(b); os.write(1, b'{\"id\"'); os._exit(4)", {2: "had answered 2 of the 3"}),
        ("say(a); say(b); print('x' * 17_000_000)", dict.fromkeys(range(3), "more than 16 MiB")),
        ("", dict.fromkeys(range(3), "answered 0 of the 3 cases of its batch, not this one")),
    ],
)  # fmt: skip
def test_a_wrong_answer_is_never_that_of_another_case(
    tmp_path: Path, text: str, errors: dict[int, str]
) -> None:
    results = run(write(tmp_path, f"a, b, c = asked\n{text}"), make_cases("a", "b", "c"))

    assert {at for at, one in enumerate(results) if one.status is Status.ERROR} == errors.keys()
    for at, told in errors.items():
        assert results[at].error.startswith("evaluator 'ev' ")
        assert told in results[at].error


def test_an_id_is_not_found_by_counting(tmp_path: Path) -> None:
    counting = "for at, one in enumerate(asked, 1): say({'id': str(at)})"

    results = run(write(tmp_path, counting), make_cases("a", "b"))

    assert all("answers none of its requests" in one.error for one in results)


def test_a_batch_has_no_more_than_eight_cases_and_four_mebibytes(tmp_path: Path) -> None:
    grader = write(tmp_path, "for one in asked: say(one, details={'of': len(asked)})")
    large = make_cases(*("x" * 3_000_000 for _ in range(3)))

    assert [one.details["of"] for one in run(grader, TWENTY)] == [8] * 16 + [4] * 4
    assert [one.details["of"] for one in run(grader, large)] == [1, 1, 1]


def test_a_case_that_is_not_judged_does_not_get_to_the_program(tmp_path: Path) -> None:
    text = "for one in asked: say(one, details={'of': len(asked)})"
    gap = Gap(Fact.ANSWER, Presence.WITHHELD, "capture is off")
    hidden = Case(conversation=conversation(turn("x", gaps=(gap,))))

    first, second, third = run(
        write(tmp_path, text, needs=["answer"]), [*make_cases("a"), hidden, *make_cases("b")]
    )

    assert (first.details, third.details) == ({"of": 2}, {"of": 2})
    assert second.status is Status.NOT_EVALUATED


def test_the_opposite_is_that_of_each_case(tmp_path: Path) -> None:
    text = "say(asked[0], score=0.25)\nsay(asked[1], score=1)"

    results = run(write(tmp_path, text, negate=True), make_cases("a", "b"))

    assert [one.score for one in results] == [0.75, 0.0]


def test_what_was_answered_is_kept_for_each_case(tmp_path: Path) -> None:
    text = "for one in asked: say(one, details={'drawn': time.time_ns(), 'of': len(asked)})"
    grader, kept = write(tmp_path, text), Services(kept=KeptRuns(tmp_path / "kept"))

    before = run(grader, make_cases("a", "b", "c"), kept)
    after = run(grader, make_cases("c", "new", "a"), kept)

    assert [after[0].details, after[2].details] == [before[2].details, before[0].details]
    assert after[1].details["of"] == 1


def test_an_error_is_not_kept(tmp_path: Path) -> None:
    text = "for one in asked: say(one, score=time.time_ns())"
    grader, kept = write(tmp_path, text), Services(kept=KeptRuns(tmp_path / "kept"))

    first, second = (run(grader, make_cases("a"), kept)[0].error for _ in range(2))

    assert "gave the score" in first
    assert first != second


def test_an_error_does_not_tell_the_value_of_a_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "correct horse battery")
    text = "say(asked[0])\nfor one in asked[1:]: say(one, error=os.environ['MY_KEY'])"

    _, second = run(write(tmp_path, text, env=["MY_KEY"]), make_cases("a", "b"))

    assert "could not judge this case: " in second.error
    assert "horse" not in second.error


def test_a_judge_is_asked_for_single_cases_only(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="'batch' cannot go with a judge"):
        write(tmp_path, "", judge=True)


def test_a_number_does_not_say_that_a_program_reads_lines(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="batch"):
        write(tmp_path, "", batch=8)
