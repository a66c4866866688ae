"""Every evaluator of ours scores what its fixtures say, in the sandbox and by what users run."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agentevals.custom_evaluators import Permissions, SubprocessBackend
from agentevals.graders.programs.judge_proxy import serve
from agentevals.model.cases import Grade
from agentevals.sandbox import wire_protocol
from agentevals.sandbox.allowed_hosts import Host
from agentevals.sandbox.program_rights import Rights
from agentevals_evaluator_sdk import EvalInput
from tests.graders.llm.questions.scripted import ScriptedJudge
from tests.our_evaluators.evaluators import (
    EVALUATORS,
    FOLDERS,
    JUDGED,
    NAMES,
    fixtures,
    publish,
    usual,
    written,
)
from tests.support import agentevals

FIXTURES = [
    pytest.param(folder, fixture, id=f"{folder.name}-{fixture.name}")
    for folder in FOLDERS
    for fixture in fixtures(folder)
]


def judged(folder: Path, message: EvalInput) -> Grade:
    backend = SubprocessBackend(folder / written(folder)["entrypoint"])
    with permit(folder) as permissions:
        answer = backend.exchange(message.model_dump_json().encode(), folder.name, permissions)
    return wire_protocol.read_grade(answer.stdout, name=folder.name)


@contextmanager
def permit(folder: Path) -> Iterator[Permissions]:
    """Nothing, or a judge for those that ask one."""
    if folder not in JUDGED:
        yield Permissions()
        return
    with serve(ScriptedJudge('{"reason": "so so", "score": 0.5}'), 10) as access:
        rights = Rights(served=(Host("127.0.0.1", access.port),))
        yield Permissions(rights=rights, env=access.env)


@pytest.mark.parametrize(("folder", "fixture"), FIXTURES)
def test_a_fixture_scores_what_it_says(folder, fixture):
    grade = judged(folder, fixture.build_input(folder.name))

    wanted = fixture.expect
    assert grade.score == pytest.approx(wanted.score, abs=wanted.tolerance), grade
    assert (grade.status or None) == wanted.status, grade
    assert grade.reasoning or grade.misses or grade.score > 0.5, "it says what is missing"


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_an_unknown_setting_is_refused(folder):
    grade = judged(folder, usual(folder, no_such_setting=1))

    assert grade.status == "NOT_EVALUATED"
    assert "no_such_setting" in grade.reasoning


SETTINGS = [
    pytest.param(folder, setting, id=f"{folder.name}-{setting}")
    for folder in FOLDERS
    for setting in written(folder)["config_schema"]["properties"]
]


@pytest.mark.parametrize(("folder", "setting"), SETTINGS)
def test_a_setting_of_the_wrong_kind_is_refused(folder, setting):
    grade = judged(folder, usual(folder, **{setting: {"no": ["such", "thing"]}}))

    assert grade.status == "NOT_EVALUATED"
    assert f"config.{setting}" in grade.reasoning


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_its_page_says_how_well_it_judges(folder):
    done = agentevals("registry", "evidence", str(folder))

    assert (done.returncode, done.stderr) == (0, ""), done.stdout


HUGE = "a1 é. " * 200_000
UNICODE = "\u0000 \u202e \ufeff \U0001d538 e\u0301 " + "\U0001f600" * 500
CALL = {"name": UNICODE, "args": {UNICODE: [None, True, {"": 1e308}]}}
HOSTILE: dict[str, dict[str, Any]] = {
    "nothing": {},
    "an_empty_turn": {"invocations": [{}], "expected_invocations": None},
    "unicode": {
        "invocations": [
            {"final_response": UNICODE, "intermediate_steps": {"tool_calls": [CALL]}},
        ],
        "expected_invocations": [{"final_response": UNICODE}] * 3,
    },
    "huge": {
        "invocations": [{"user_content": HUGE, "final_response": HUGE}],
        "expected_invocations": [{"final_response": HUGE[1:]}],
    },
    "one_word": {"invocations": [{"final_response": "a" * 1_000_000}]},
    "many_turns": {
        "invocations": [{"final_response": "Hi", "intermediate_steps": {"tool_calls": [CALL]}}]
        * 2_000
    },
    "odd_figures": {
        "invocations": [
            {
                "performance_metrics": {"latency": [], "tokens": {"total": "x"}, "cost": {}},
                "turn_performance_metrics": {"latency": {"overall": {"max": None}}},
            }
        ]
    },
}


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_nothing_makes_it_fall_over(folder, what):
    given = {"metric_name": folder.name, "config": usual(folder).config, **HOSTILE[what]}

    grade = judged(folder, EvalInput.model_validate(given))

    assert 0 <= grade.score <= 1


def test_a_leak_is_not_leaked_once_more():
    leaks = ["ada.lovelace@example.org", "4111 1111 1111 1111", "ghp_" + "a1" * 18]
    turns = [{"final_response": leak} for leak in leaks]

    grade = judged(EVALUATORS / "pii_leak", EvalInput(metric_name="pii", invocations=turns))

    assert grade.per_turn == (0, 0, 0)
    assert not any(leak[4:] in str(grade) for leak in leaks)


def test_the_command_finds_nothing_to_say(tmp_path):
    published = publish(tmp_path)
    words = ("registry", "validate", "--level", "complete")
    done = agentevals(*words, cwd=published, XDG_CACHE_HOME=str(published / ".cache"))

    assert done.stdout == f"{len(FOLDERS)} evaluators checked: nothing to say\n", done.stderr
