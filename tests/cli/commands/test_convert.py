import json

import pytest
import yaml

from agentevals.configs.dialects import compile_plan
from agentevals.run.identity import identify as identity
from tests.support import agentevals

EVAL = """\
name: desk
traces: traces/*.jsonl
gate: {allow_missing: true}
assert:
  - {type: contains, value: order, weight: 2, required: 0.6}
tests:
  - id: status
    input: Where is order 7?
    expected_output:
      - role: assistant
        tool_calls: [{tool: lookup, input: {id: 7}, output: shipped}]
      - {role: assistant, content: Order 7 is on its way.}
  - id: hello
    input: Hello.
"""
CONFIG = """\
eval_set: cases.json
jobs: 2
evaluators:
  - {name: response_match_score, type: builtin, threshold: 0.7}
  - {name: seven, type: contains, value: "7", required: 0.9}
  - {name: mine, type: code, path: evaluators/mine.py, config: {least: 3}}
"""
CASES = {
    "eval_set_id": "desk",
    "eval_cases": [
        {
            "eval_id": "one",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": "Where is order 7?"}]},
                    "final_response": {"parts": [{"text": "On its way."}]},
                    "intermediate_data": {
                        "tool_uses": [{"name": "lookup", "args": {"id": 7}}],
                        "tool_responses": [],
                    },
                }
            ],
        },
        {
            "eval_id": "two",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": "Hello."}]},
                    "final_response": {"parts": [{"text": "Hi!"}]},
                },
                {
                    "user_content": {"parts": [{"text": "And bye."}]},
                    "final_response": {"parts": [{"text": "Bye!"}]},
                },
            ],
        },
    ],
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def convert(*words, cwd):
    return agentevals("convert", *words, cwd=cwd)


def expected(plan):
    return [
        (wanted.case_id, [(t.user, t.response, t.tool_calls) for t in wanted.turns or ()])
        for wanted in plan.expectations
    ]


def test_an_eval_file_becomes_a_config_and_an_eval_set(here):
    (here / "EVAL.yaml").write_text(EVAL)

    done = convert("EVAL.yaml", "-o", "out", cwd=here)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "wrote out/eval_config.yaml and out/eval_set.json\n"
    plan, before = compile_plan(here / "out/eval_config.yaml"), compile_plan(here / "EVAL.yaml")
    assert identity(plan).evaluators == identity(before).evaluators
    assert plan.policy.fail_on_missing is False
    assert [trace.replace("out/../", "") for trace in plan.traces] == list(before.traces)
    assert expected(plan)[0][1][0][:2] == ("Where is order 7?", "Order 7 is on its way.")
    assert expected(plan)[0][1][0][2][0].args == {"id": 7}


def test_a_config_becomes_an_eval_file_that_says_the_same(here):
    (here / "eval_config.yaml").write_text(CONFIG)
    (here / "cases.json").write_text(json.dumps(CASES))
    (here / "evaluators").mkdir()
    (here / "evaluators/mine.py").write_text("")

    done = convert("eval_config.yaml", "-o", "tests/desk.eval.yaml", cwd=here)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "wrote tests/desk.eval.yaml\n"
    plan = compile_plan(here / "tests/desk.eval.yaml")
    before = compile_plan(here / "eval_config.yaml")
    assert [(g.name, g.type, g.threshold) for g in plan.graders] == [
        (g.name, g.type, g.threshold) for g in before.graders
    ]
    assert [g.required for g in plan.graders] == [0.7, 0.9, 0.5]
    assert plan.policy.pass_at == 0
    assert plan.graders[2].path.resolve() == before.graders[2].path
    assert expected(plan) == expected(before)


def test_what_a_config_becomes_is_read_back_as_it_was(here):
    (here / "eval_config.yaml").write_text(CONFIG)
    (here / "cases.json").write_text(json.dumps(CASES))

    convert("eval_config.yaml", "-o", "EVAL.yaml", cwd=here)
    done = convert("EVAL.yaml", "-o", "again", cwd=here)

    plan = compile_plan(here / "again/eval_config.yaml")
    before = compile_plan(here / "eval_config.yaml")
    assert done.returncode == 1
    assert "a mean score of 0" in done.stderr
    assert expected(plan) == expected(before)
    assert [(g.name, g.type, g.threshold) for g in plan.graders] == [
        (g.name, g.type, g.threshold) for g in before.graders
    ]


OWN = """\
assert: [{type: contains, value: a}, {type: contains, value: b}]
tests:
  - {id: one, criteria: says a, input: q, assert: [{type: contains, value: c}]}
  - {id: two, input: r, metadata: {k: 1}, execution: {skip_defaults: true, assert: [{type: contains, value: d}]}}
  - {id: three, input: [{role: system, content: s}, {role: user, content: t}], expected_output: {a: 1}}
"""  # noqa: E501


def test_what_cannot_be_converted_is_said_and_the_rest_is_written(here):
    (here / "EVAL.yaml").write_text(OWN)

    done = convert("EVAL.yaml", cwd=here)

    assert done.returncode == 1
    said = [line.removeprefix("agentevals: not converted: ") for line in done.stderr.splitlines()]
    assert said[:-1] == [
        "evaluators that only one test has: 'one', 'two'",
        "'skip_defaults': the evaluators of the file judge these as well: 'two'",
        "criteria: 'one'",
        "metadata: 'two'",
        "input beside the user's words: 'three'",
        "expected output that is no text: 'three'",
    ]
    assert said[-1].startswith("that a test passes at a mean score of 0.8: by a config, every ")
    assert len(compile_plan(here / "eval_config.yaml").graders) == 2


def test_evaluators_that_every_test_has_judge_every_case(here):
    one = "{id: %s, input: %s, assert: [{type: contains, value: c}]}"
    (here / "EVAL.yaml").write_text(f"tests: [{one % ('a', 'q')}, {one % ('b', 'r')}]")

    done = convert("EVAL.yaml", cwd=here)

    assert (done.returncode, done.stderr) == (0, "")
    written = yaml.safe_load((here / "eval_config.yaml").read_text())
    assert written["evaluators"] == [{"name": "contains-c", "type": "contains", "value": "c"}]


def test_nothing_is_written_through_a_link_that_leads_nowhere(here):
    (here / "EVAL.yaml").write_text(
        "tests: [{id: a, input: q, assert: [{type: contains, value: b}]}]"
    )
    (here / "out").mkdir()
    (here / "out/eval_config.yaml").symlink_to(here / "elsewhere")

    done = convert("EVAL.yaml", "-o", "out", cwd=here)

    assert done.returncode == 2
    assert "out/eval_config.yaml: already there" in done.stderr
    assert not (here / "elsewhere").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["EVAL.yaml"], "eval_config.yaml: already there; give --force"),
        (["EVAL.yaml", "-o", "EVAL.yaml", "--force"], "would be overwritten by its own conversion"),
        (["EVAL.yaml", "--to", "eval-file"], "EVAL.yaml: this is an eval-file already"),
        (["EVAL.yaml", "--to", "eval-fil"], "no such kind of config (did you mean 'eval-file'?)"),
        (["eval_config.yaml", "-o", "x.yaml"], "names no eval set with cases; give one with"),
        (["nothing.yaml"], "there is no such file"),
        (["other.yaml"], "this is no config"),
        (["wrong.yaml"], "wrong.yaml:1:1: 'tests' is missing"),
    ],
)
def test_what_cannot_be_done_at_all(here, words, message):
    (here / "EVAL.yaml").write_text(EVAL)
    (here / "eval_config.yaml").write_text("evaluators: [{name: safety_v1, type: builtin}]")
    (here / "other.yaml").write_text("services: {}")
    (here / "wrong.yaml").write_text("assert: []")

    done = convert(*words, cwd=here)

    assert done.returncode == 2
    assert message in done.stderr
    assert (here / "EVAL.yaml").read_text() == EVAL


def test_with_force_what_is_there_is_replaced(here):
    (here / "EVAL.yaml").write_text(EVAL)
    (here / "eval_config.yaml").write_text("evaluators: []")

    done = convert("EVAL.yaml", "--force", cwd=here)

    assert done.returncode == 0
    assert compile_plan(here / "eval_config.yaml").eval_set_id == "desk"
