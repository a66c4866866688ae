"""Typical mistakes in configs of each dialect, held against `run` and `validate` alike."""

import json
from pathlib import Path
from textwrap import dedent

import pytest

from tests.support import agentevals

Files = dict[str, str]

CONTENT = {"parts": [{"text": "hi"}], "role": "user"}
TURN = {"invocation_id": "t", "user_content": CONTENT, "final_response": CONTENT}
JUDGED = {"actual_invocation": TURN, "expected_invocation": TURN, "eval_metric_results": []}
CASE = {"eval_id": "c", "final_eval_status": 1, "eval_metric_result_per_invocation": [JUDGED]}
RECORDED = {
    "recording.evalset_result.json": json.dumps(
        {"eval_set_id": "s", "eval_case_results": [CASE | {"session_id": "x", "user_id": "u"}]}
    ),
    "set.json": json.dumps(
        {"eval_set_id": "s", "eval_cases": [{"eval_id": "c", "conversation": [TURN]}]}
    ),
}
ARGUMENTS = ("-e", "set.json")


def in_adk(path: str, source: str = "", **metric: object) -> Files:
    code = {"code_config": {"name": path}, **metric}
    config = {"criteria": {"f": 0.5}, "custom_metrics": {"f": code}}
    return {"c.json": json.dumps(config, indent=1), "my_agent/metrics.py": source}


def by(criterion: object, name: str = "tool_trajectory_avg_score") -> Files:
    return {"c.json": json.dumps({"criteria": {name: criterion}}, indent=1)}


def of_ours(entry: str, **files: str) -> Files:
    text = f"eval_set: set.json\nevaluators:\n- {{name: x, {entry}}}\n"
    return {"c.yaml": text, **{name.replace("__", "."): said for name, said in files.items()}}


def of_agentv(entry: str, **files: str) -> Files:
    text = f"tests:\n- id: c\n  input: hi\n  assert:\n  - {{name: x, {entry}}}\n"
    return {"c.yaml": text, **{name.replace("__", "."): said for name, said in files.items()}}


EXACT = {"version": "1.0", "id": "e", "evaluatorTypeId": "uipath-exact-match"}
CLASS = {"version": "1.0", "id": "e", "evaluatorSchema": "file://own.py:Own"}
OWN = dedent("""
    from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig
    class Criteria(BaseEvaluationCriteria):
        word: str
    class Config(BaseEvaluatorConfig[Criteria]):
        name: str = "Own"
        least: int = 1
    class Own(BaseEvaluator[Criteria, Config, str]):
        @classmethod
        def get_evaluator_id(cls): return "own"
        async def evaluate(self, execution, criteria): ...
    """)


def in_uipath(evaluator: dict[str, object], criteria: object, source: str = OWN) -> Files:
    item = {"id": "c", "name": "c", "inputs": {}, "evaluationCriterias": {"e": criteria}}
    whole = {"version": "1.0", "id": "s", "name": "s", "evaluatorRefs": ["e"]}
    return {
        "evaluations/eval-sets/c.json": json.dumps({**whole, "evaluations": [item]}, indent=1),
        "evaluations/evaluators/e.json": json.dumps(evaluator, indent=1),
        "evaluations/evaluators/custom/own.py": source,
    }


WANTED = {"expectedOutput": {"a": 1}}
MANY = {"metric_name": "f", "metric_value_info": {"interval": {"min_value": 1, "max_value": 0}}}
MISTAKES = {
    "adk-module": in_adk("my_agent.metric.f"),
    "adk-package": in_adk("your_agent.metrics.f"),
    "adk-function": in_adk("my_agent.metrics.g", "def f(a, b, c, d): ..."),
    "adk-parameters": in_adk("my_agent.metrics.f", "def f(eval_metric, actual, expected): ..."),
    "adk-callable": in_adk("my_agent.metrics.f", "f = 3"),
    "adk-path": in_adk("f"),
    "adk-syntax": in_adk("my_agent.metrics.f", "def f(:"),
    "adk-import": in_adk("my_agent.metrics.f", "import nothing_of_this_name"),
    "adk-exit": in_adk("my_agent.metrics.f", "raise SystemExit(3)"),
    "adk-interval": in_adk("my_agent.metrics.f", metric_info=MANY),
    "adk-metric": by(1.0, name="tool_trajectory_avg_scor"),
    "adk-order": by({"threshold": 1, "match_type": "UNORDERED"}),
    "adk-threshold": by({"match_type": "EXACT"}),
    "ours-type": of_ours("type: custom"),
    "ours-extension": of_ours("type: code, path: a.rb", a__rb="puts 1"),
    "ours-file": of_ours("type: code, path: a.py"),
    "ours-executor": of_ours("type: code, path: a.py, executor: podman", a__py="1"),
    "ours-quotes": of_ours("type: code, path: a.py, memory_mb: '512'", a__py="1"),
    "ours-jobs": {"c.yaml": "jobs: '2'\nevaluators: [{name: x, type: contains, value: a}]\n"},
    "ours-function": of_ours("type: adk_function, function: nowhere.f"),
    "ours-class": of_ours("type: uipath_class, path: a.py, class: A", a__py="class B: ..."),
    "ours-class-file": of_ours("type: uipath_class, path: a.py, class: A"),
    "ours-pattern": of_ours("type: regex, value: '('"),
    "agentv-type": of_agentv("type: containz, value: a"),
    "agentv-key": of_agentv("type: contains, valeu: a"),
    "agentv-required": of_agentv("type: contains, value: a, required: 'yes'"),
    "agentv-mode": of_agentv("type: tool_trajectory, mode: in-order, expected: [{tool: a}]"),
    "agentv-script": of_agentv("type: code_judge, script: [python3, ./nope.py]"),
    "agentv-program": of_agentv("type: code_judge, script: [no_such_program, x]"),
    "agentv-folder": of_agentv("type: code_judge, script: [python3, -c, '1'], cwd: nowhere"),
    "agentv-place": of_agentv("type: llm_judge, prompt: '{{answr}}'"),
    "agentv-prompt": of_agentv("type: llm_judge, prompt: 'file://nope.md'"),
    "uipath-type": in_uipath({**EXACT, "evaluatorTypeId": "uipath-exact-mach"}, WANTED),
    "uipath-version": in_uipath({**EXACT, "version": 1.0}, WANTED),
    "uipath-criteria": in_uipath(EXACT, {"expectdOutput": {}}),
    "uipath-class": in_uipath({**CLASS, "evaluatorSchema": "file://own.py:Other"}, {"word": ""}),
    "uipath-file": in_uipath({**CLASS, "evaluatorSchema": "file://other.py:Own"}, {"word": ""}),
    "uipath-word": in_uipath(CLASS, {"word": 3}),
    "uipath-config": in_uipath({**CLASS, "evaluatorConfig": {"least": "many"}}, {"word": ""}),
    "uipath-import": in_uipath(CLASS, {"word": ""}, "import nothing_of_this_name"),
}


@pytest.mark.parametrize("files", MISTAKES.values(), ids=MISTAKES)
def test_run_says_what_validate_says(tmp_path: Path, files: Files) -> None:
    for name, text in {**RECORDED, **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    config = next(iter(files))
    arguments = () if "eval-sets" in config or "tests:" in files[config] else ARGUMENTS
    wide = {"COLUMNS": "2000"}

    checked = agentevals("validate", config, *arguments, "--json", cwd=tmp_path, **wide)
    ran = agentevals(
        "run", "recording.evalset_result.json", "-c", config, *arguments, cwd=tmp_path, **wide
    )

    problems = json.loads(checked.stdout)["problems"]
    told = " ".join((ran.stdout + ran.stderr).split())
    assert (checked.returncode, ran.returncode) == (2, 2), told
    assert problems
    for problem in problems:
        assert problem["line"]
        assert " ".join(problem["message"].split()) in told
