import json

import pytest
import typer
from typer.testing import CliRunner

from agentevals.cli.commands.validate import validate
from agentevals.model.errors import InputError

GOOD = "eval_set: e.json\nevaluators:\n- {name: tool_trajectory_avg_score, type: builtin}\n"
EVAL_SET = """{"eval_set_id": "e", "eval_cases": [
 {"eval_id": "a", "conversation": [{"user_content": {"parts": [{"text": "hi"}]}}]}]}"""


NO_CASE = (
    "expected an eval case or an eval set "
    "(with 'eval_set_id' and 'eval_cases', 'eval_id', or 'query'), found 'x'"
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = typer.Typer()
    app.command()(validate)

    def with_files(*arguments, **files):
        for name, text in files.items():
            (tmp_path / name.replace("__", ".")).write_text(text)
        result = CliRunner().invoke(app, arguments)
        if isinstance(result.exception, InputError):
            raise result.exception
        return result.exit_code, result.stdout

    return with_files


def test_nothing_wrong(run):
    assert run("c.yaml", c__yaml=GOOD, e__json=EVAL_SET) == (
        0,
        "1 file, 1 evaluator, 1 eval case: no problems\n",
    )


def test_every_problem_with_its_place_and_their_number(run):
    bad = "eval_set: e.json\nevaluators:\n- {name: a, type: cod}\n- {name: b, type: code}\n"

    exit_code, text = run("c.yaml", "d.yaml", c__yaml=bad, d__yaml=GOOD, e__json='["x"]')

    assert exit_code == 2
    assert text.splitlines() == [
        "c.yaml:3:19: evaluator 'a': unknown type 'cod' (did you mean 'code'?)",
        "c.yaml:4:3: evaluator 'b': 'path' is missing",
        f"e.json:1:2: {NO_CASE}",
        "3 problems in 2 files",
    ]


def test_evaluators_that_could_not_run(run):
    exit_code, text = run("c.yaml", c__yaml="evaluators:\n- {name: a, type: code, path: no.py}\n")

    assert exit_code == 2
    assert text.startswith("c.yaml:2:3: evaluator 'a': ")
    assert text.endswith("1 problem in 1 file\n")


def test_what_should_be_written_differently_is_said_but_not_wrong(run):
    exit_code, text = run("c.yaml", c__yaml="metrics: [response_match_score]\n")

    assert exit_code == 0
    assert text.startswith("note: c.yaml:1:1: 'metrics' is the old spelling of 'evaluators'")


def test_what_may_be_wrong_is_counted(run):
    accepted = "gate: {accept: [{case: aa, reason: known, until: 2099-01-01}]}\n"

    exit_code, text = run("c.yaml", c__yaml=GOOD + accepted, e__json=EVAL_SET)

    assert exit_code == 0
    assert text.splitlines() == [
        "warning: c.yaml:4:24: 'gate.accept': no eval case is called 'aa' (did you mean 'a'?)",
        "1 file, 1 evaluator, 1 eval case: 1 warning",
    ]


def test_an_eval_set_alone(run):
    assert run("--eval-set", "e.json", e__json=EVAL_SET) == (
        0,
        "1 file, 0 evaluators, 1 eval case: no problems\n",
    )
    assert run("--eval-set", "e.json", e__json="{}")[0] == 2


def test_the_eval_set_of_the_command_line_instead_of_the_config_s(run):
    exit_code, text = run("c.yaml", "-e", "f.json", c__yaml=GOOD, f__json="3")

    assert exit_code == 2
    assert text.startswith("f.json:1:1: ")


def test_a_missing_file(run):
    assert run("c.yml", c__yaml=GOOD) == (
        2,
        "c.yml: there is no such file (did you mean 'c.yaml'?)\n1 problem in 1 file\n",
    )


def test_an_option_of_the_config_that_cannot_be(run):
    wrong = "judge: {model: someone}\nevaluators: [response_match_score]\n"

    assert run("c.yaml", c__yaml=wrong)[0] == 2


def test_nothing_named(run):
    with pytest.raises(InputError, match="nothing to validate; name a config"):
        run()


def test_as_json(run):
    exit_code, text = run(
        "c.yaml", "d.yaml", "--json", c__yaml=GOOD, d__yaml="a: b: c", e__json=EVAL_SET
    )

    assert exit_code == 2
    assert json.loads(text) == {
        "ok": False,
        "problems": [
            {
                "message": "not valid YAML: mapping values are not allowed in this context",
                "path": "d.yaml",
                "line": 1,
                "column": 5,
            }
        ],
        "findings": [],
        "files": [
            {"path": "c.yaml", "evaluators": ["tool_trajectory_avg_score"], "eval_cases": 1},
            {"path": "d.yaml", "evaluators": [], "eval_cases": 0},
        ],
    }


def test_nothing_that_a_terminal_obeys_is_printed(run):
    _, text = run("\x1b[31m.yaml")

    assert "\x1b" not in text


def test_the_schema_for_editors(run):
    exit_code, text = run("--schema")

    assert exit_code == 0
    assert json.loads(text)["properties"]["evaluators"]["type"] == "array"


def test_what_agentv_leaves_out_is_noted_and_no_problem(run):
    text = "assert: [{type: tool_trajectory, minimums: {a: 1}}]\ntests: [{id: a, input: q}]\n"

    exit_code, printed = run("EVAL.yaml", EVAL__yaml=text)

    assert exit_code == 0
    assert printed == (
        "note: EVAL.yaml:1:10: evaluator 'tool-trajectory': AgentV ignores this evaluator, because "
        "it has no 'mode'; it runs here\n1 file, 1 evaluator, 1 eval case: no problems\n"
    )
