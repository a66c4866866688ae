"""A UiPath project from a class to a verdict: registered, referred to, run; and its own tests."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.support import DATA, agentevals

CUSTOM = DATA / "foreign/uipath/evals/evaluators/custom"
RECORDED = "traces/shop.jsonl"
OWN_TEST = """\
import asyncio

from uipath.eval.models import AgentExecution

from shipped_items import ShippedCriteria, ShippedItems


def test_nothing_is_shipped_where_nothing_was_asked_for():
    execution = AgentExecution(agent_input={"q": "q"}, agent_output={"ok": 1}, agent_trace=[])
    evaluator = ShippedItems(id="t", config={"name": "ShippedItems", "threshold": 0.8})

    result = asyncio.run(evaluator.evaluate(execution, ShippedCriteria(items=["lamp"])))

    assert "no tool call named 'ship'" in result.error
"""


def conversation(query, *items, answered=True):
    calls = [
        {"id": f"c{at}", "function": {"name": "ship", "arguments": json.dumps({"item": item})}}
        for at, item in enumerate(items)
    ]
    back = [
        {"role": "tool", "tool_call_id": call["id"], "content": "sent" if answered else ""}
        for call in calls
    ]
    asked = {"role": "assistant", "content": "", "tool_calls": calls}
    said = [{"role": "user", "content": query}, *([asked, *back] if calls else [])]
    return {"messages": [*said, {"role": "assistant", "content": "done"}]}


def item(name, query, *items):
    criteria = {"evaluatorId": "ShippedItems", "evaluationCriteria": {"items": list(items)}}
    return {"id": name, "agentInput": {"query": query}, "evaluations": [criteria]}


@pytest.fixture
def project(tmp_path):
    """The class, and an eval set in the layout of the documentation."""
    custom, sets = tmp_path / "evals/evaluators/custom", tmp_path / "evals/eval_sets"
    for folder in (custom, sets, tmp_path / "traces"):
        folder.mkdir(parents=True)
    shutil.copy(CUSTOM / "shipped_items.py", custom)
    eval_set = {
        "version": "1.0",
        "id": "shop",
        "evaluatorRefs": ["ShippedItems"],
        "evaluationItems": [item("lamp", "a lamp", "lamp"), item("both", "both", "lamp", "vase")],
    }
    (sets / "shop.json").write_text(json.dumps(eval_set))
    return tmp_path


def run(project, *conversations):
    lines = "".join(json.dumps(each) + "\n" for each in conversations)
    (project / RECORDED).write_text(lines)
    words = ("run", RECORDED, "--config", "evals/eval_sets/shop.json", "-o", "json")
    done = agentevals(*words, cwd=project)
    metrics = [trace["metrics"][0] for trace in json.loads(done.stdout)["traces"]]
    return done.returncode, metrics


def registered(project):
    return agentevals("evaluator", "register", "shipped_items.py", cwd=project)


def test_a_class_is_registered_and_judges_the_cases_of_an_eval_set(project):
    assert registered(project).returncode == 0

    code, metrics = run(
        project, conversation("a lamp", "lamp"), conversation("both", "vase", "rug")
    )

    assert code == 0
    assert [metric["score"] for metric in metrics] == [1.0, 0.5]
    assert metrics[1]["details"]["missing"] == ["lamp"]


def test_what_the_class_calls_an_error_is_one_with_its_words(project):
    registered(project)

    code, metrics = run(project, conversation("a lamp"), conversation("both", "lamp", "vase"))

    assert code == 1
    assert "Evaluation failed: no tool call named 'ship'" in metrics[0]["error"]
    assert metrics[1]["score"] == 1.0


def test_a_setting_in_the_written_file_is_what_the_class_is_told(project):
    registered(project)
    path = project / "evals/evaluators/shipped-items.json"
    document = json.loads(path.read_text())
    document["evaluatorConfig"]["strict"] = True
    path.write_text(json.dumps(document))

    _, metrics = run(
        project,
        conversation("a lamp", "lamp", answered=False),
        conversation("both", "lamp", "vase"),
    )

    assert [metric["score"] for metric in metrics] == [0.0, 1.0]


def test_tests_of_its_own_need_nothing_of_uipath(project):
    custom = project / "evals/evaluators/custom"
    (custom / "test_shipped_items.py").write_text(OWN_TEST)
    offered = "from agentevals_evaluator_sdk import standins\n\nstandins.offer()\n"
    (custom / "conftest.py").write_text(offered)

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", custom],
        cwd=custom,
        env={**os.environ, "PYTHONPATH": str(custom)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout
