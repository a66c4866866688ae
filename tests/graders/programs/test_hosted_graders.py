import json
import re
import zipfile

import pytest

from agentevals.graders.programs import hosted_graders
from agentevals.graders.programs.hosted_graders import ThirdPartyCode
from agentevals.model.errors import EvaluatorError
from tests.support import DATA, EXAMPLES, agentevals

PARIS = str(EXAMPLES / "traces/paris.jsonl")
QUESTION = {
    "task": "evaluate",
    "function": "own.f",
    "tried": [],
    "packages": [],
    "metric_name": "m",
    "criterion": {"threshold": 0.5},
    "actual": [{"user_content": {"parts": [{"text": "hi"}]}}],
    "expected": None,
    "scenario": None,
}
METRIC = """
import tiny
from google.adk.evaluation.eval_metrics import EvalStatus
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult


def f(metric, actual, expected, scenario):
    return EvaluationResult(
        overall_score=tiny.SCORE,
        overall_eval_status=EvalStatus.PASSED,
        per_invocation_results=[PerInvocationResult(actual_invocation=one) for one in actual],
    )
"""

UNSPEAKABLE = """
class Unspeakable(Exception):
    def __str__(self):
        raise ValueError
    __repr__ = __str__


class Result:
    overall_eval_status, overall_rubric_scores, per_invocation_results = "PASSED", None, []
    def __init__(self, score):
        self.overall_score = score
"""


def asked(folder, **permissions):
    question = {**QUESTION, "roots": [str(folder)]}
    return hosted_graders.run_host(ThirdPartyCode("adk_metric", folder), question, **permissions)


def reason(folder):
    try:
        asked(folder, timeout=10)
    except EvaluatorError as error:
        return str(error)
    return ""


def wheel(folder):
    folder.mkdir()
    path = folder / "tiny-1.0-py3-none-any.whl"
    info = {
        "METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("tiny/__init__.py", "SCORE = 0.75\n")
        for name, text in info.items():
            file.writestr(f"tiny-1.0.dist-info/{name}", text)


def test_packages_that_are_listed_beside_the_code_are_there_and_the_stand_ins_too(tmp_path):
    (tmp_path / "own.py").write_text(METRIC)
    wheel(tmp_path / "wheels")
    listed = "--no-index\n--find-links wheels\ntiny==1.0\n"
    (tmp_path / "requirements.txt").write_text(listed)

    answer, walls = asked(tmp_path, timeout=60)

    assert (answer["score"], answer["status"]) == (0.75, "PASSED")
    assert walls


def test_packages_that_are_not_listed_are_missing(tmp_path):
    (tmp_path / "own.py").write_text(METRIC)

    with pytest.raises(EvaluatorError, match=r"No module named 'tiny' \(own.py:2\); list it in"):
        asked(tmp_path)


def test_the_modules_of_the_host_are_not_in_the_way(tmp_path):
    (tmp_path / "loading.py").write_text("")
    (tmp_path / "own.py").write_text(f"import channel\n{METRIC}")

    with pytest.raises(EvaluatorError, match="No module named 'channel'"):
        asked(tmp_path)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("import os; os.kill(os.getpid(), 9)", "exited with code -9"),
        ("open('/etc/shadow')", "PermissionError"),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "PermissionError"),
        ("x = 'x' * (2 << 30)", "MemoryError"),
        ("f = lambda: f(); f()", "RecursionError"),
    ],
)
def test_foreign_code_reaches_nothing_that_is_none_of_its_business(tmp_path, body, why):
    (tmp_path / "own.py").write_text(f"def f(m, a, e, s):\n    {body}\n")

    with pytest.raises(EvaluatorError, match=why):
        asked(tmp_path, timeout=10)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("raise KeyboardInterrupt", "^raised KeyboardInterrupt"),
        ("raise GeneratorExit", "^raised GeneratorExit"),
        ("raise type('Mine', (BaseException,), {})('stop')", "^raised Mine: stop"),
        ("raise Unspeakable", r"^raised Unspeakable: \(which cannot be shown\)"),
        ("raise SystemExit(Unspeakable())", r"^called sys.exit\(\(which cannot be shown\)\)"),
        ("return Result(10**5000)", r"^\Z"),
    ],
)
def test_whatever_foreign_code_raises_or_returns_becomes_one_sentence(tmp_path, body, why):
    (tmp_path / "own.py").write_text(f"{UNSPEAKABLE}\n\ndef f(m, a, e, s):\n    {body}\n")

    said = reason(tmp_path)

    assert re.match(why, said)
    assert "Traceback" not in said


def test_an_answer_is_whole_where_the_streams_were_taken_away(tmp_path):
    (tmp_path / "own.py").write_text(
        f"{UNSPEAKABLE}\nimport sys\nsys.stdout = sys.stderr = None\n"
        "def f(m, a, e, s):\n    return Result(0.5)\n"
    )

    answer, _ = asked(tmp_path, timeout=10)

    assert answer["score"] == 0.5


def test_a_reason_is_not_longer_than_anybody_reads(tmp_path):
    (tmp_path / "own.py").write_text("def f(m, a, e, s):\n    raise ValueError('x' * 1_000_000)\n")

    assert len(reason(tmp_path)) < 5000


def test_an_agent_is_judged_by_its_own_eval_config_with_nothing_installed_and_no_path_set():
    config = DATA / "foreign/adk/my_agent/eval_config.json"
    words = ("--eval-set", str(EXAMPLES / "eval_set.json"), "--allow-missing", "-o", "json")

    run = agentevals("run", PARIS, "--config", str(config), *words)

    (trace,) = json.loads(run.stdout)["traces"]
    assert {m["metric_name"]: (m["score"], m["outcome"]) for m in trace["metrics"]} == {
        "my_check_final_response_exact_match": (1.0, "PASSED"),
        "tool_trajectory_avg_score": (1.0, "PASSED"),
    }


def test_a_class_is_named_in_a_config_with_what_it_judges_by(tmp_path):
    config = tmp_path / "eval_config.yaml"
    config.write_text(
        "evaluators:\n  - name: words\n    type: uipath-class\n    class: MyCustomEvaluator\n"
        f"    path: {DATA}/foreign/uipath/evals/evaluators/custom/my_custom_evaluator.py\n"
        "    criteria: {expectedValues: [Paris, Rome]}\n    threshold: 0.5\n"
    )

    run = agentevals("run", PARIS, "--config", str(config), "-o", "json")

    (trace,) = json.loads(run.stdout)["traces"]
    assert [(m["score"], m["outcome"]) for m in trace["metrics"]] == [(0.5, "PASSED")]
