"""`run` and `validate` say the same of the same mistake, with the same exit code."""

import json

import pytest

from tests.support import agentevals

ROW = {
    "test_id": "a",
    "timestamp": "2026-01-01T00:00:00Z",
    "score": 1,
    "input": [{"role": "user", "content": "hi"}],
    "answer": "hello",
    "output": [{"role": "assistant", "content": "hello"}],
}
TEST = "tests:\n- id: a\n  input: hi\n  assert:\n  - {type: code_judge, name: p, script: %s}\n"


@pytest.fixture
def both(tmp_path):
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW))
    (tmp_path / "judge.py").write_text("")

    def run(config):
        (tmp_path / "EVAL.yaml").write_text(config)
        validated = agentevals("validate", "EVAL.yaml", cwd=tmp_path)
        return validated, agentevals("run", "rows.jsonl", "-c", "EVAL.yaml", cwd=tmp_path)

    return run


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("[python3, ./jugde.py]", "cannot be started: there is no file './jugde.py' in"),
        ("[no-such-program]", "cannot be started: 'no-such-program' was not found; install it"),
        ("[uv, run, pytest]", "'uv run' without a .py file cannot be done here"),
    ],
)
def test_a_program_that_cannot_be_started(both, script, told):
    validated, run = both(TEST % script)

    assert f"EVAL.yaml:5:5: evaluator 'p': {told}" in validated.stdout
    assert told in " ".join(run.stdout.split())
    assert (validated.returncode, run.returncode) == (2, 2)


def test_a_judge_that_is_missing_is_a_warning_before_it_is_an_error(both):
    validated, run = both("tests:\n- {id: a, input: hi, assert: [{type: llm-grader, name: j}]}\n")

    assert "warning: EVAL.yaml: evaluator 'j': no judge is configured; give --judge-model" in (
        validated.stdout
    )
    assert "no judge is configured; give --judge-model" in " ".join(run.stdout.split())
    assert (validated.returncode, run.returncode) == (0, 2)
