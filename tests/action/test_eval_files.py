"""EVAL files as the config of a run: tests with evaluators of their own, from commit to comment."""

import json

import pytest

from tests.action.job import transcript

CITIES = ("oslo", "paris", "quito")
JUDGE = """\
import json, sys
told = json.load(sys.stdin)
print(json.dumps({"score": float("sunny" in told["answer"]), "hits": ["sunny"]}))
"""
POLITE = "- {type: not-contains, value: password}\n"


def asked(city):
    return f"How is the weather in {city}?"


def one_test(city, value=""):
    calls = [{"tool": "geocode"}, {"tool": "forecast"}]
    return {
        "id": city,
        "input": asked(city),
        "assert": [
            {"type": "contains", "value": value or city.title()},
            {"name": "calls", "type": "tool_trajectory", "mode": "exact", "expected": calls},
        ],
    }


def desk(failing=(), cities=CITIES, **changed):
    """A repository with an EVAL file. Agents of `failing` cities do not look for the place."""
    whole = {
        "name": "desk",
        "traces": ["../traces/*"],
        "assert": [
            {"name": "sunny", "type": "code_judge", "command": ["python3", "sunny.py"],
             "cwd": "judges"},
            {"include": "polite"},
        ],
        "tests": [one_test(city, changed.get(city, "")) for city in cities],
    }  # fmt: skip
    recorded = {
        f"traces/{city}.json": transcript(
            city,
            *(("forecast",) if city in failing else ("geocode", "forecast")),
            answer=f"It is sunny in {city.title()}.",
            user=asked(city),
        )
        for city in cities
    }
    return {
        "evals/EVAL.yaml": json.dumps(whole, indent=1),
        "evals/judges/sunny.py": JUDGE,
        "evals/.agentv/templates/polite.yaml": POLITE,
        "README.md": "An agent.",
        **recorded,
    }


def gates(done):
    return {gate["name"]: gate for gate in done.report["sections"][0]["gates"]}


def kinds(done):
    return {one["case_id"]: one["kind"] for one in done.report["sections"][0]["highlights"]}


@pytest.mark.recorded
def test_a_test_that_only_nearly_passes_is_told_with_its_reasons(job):
    job.pull_request(desk(), desk(failing=["paris"]))

    done = job.run()

    (comment,) = job.comments
    assert (done.code, done.outputs["verdict"], done.outputs["score"]) == (0, "passed", "0.9167")
    assert "**Can be merged, with care: 1 case borderline.**" in comment
    assert "#### Borderline (1)" in comment
    assert "| `paris` | ✅\xa0pass\xa01.00 → 🟡\xa0borderline\xa00.75 | **calls** (0.00" in comment
    assert "- geocode()\n  forecast()" in comment


def test_evaluators_of_the_tests_are_compared_with_those_of_the_base(job):
    job.pull_request(desk(), desk(failing=["paris"]))

    found = gates(job.run())

    assert found["calls"]["base"]["value"] == 1
    assert found["calls"]["difference"] == pytest.approx(-1 / 3)
    assert list(found) == ["Pass rate", "Mean score", "sunny", "contains-password", "calls"]


def test_what_is_asked_of_one_test_changes_that_test_alone(job):
    head = desk(cities=("oslo", "paris", "lima"), paris="It is sunny in Paris")
    job.pull_request(desk(), head)

    done = job.run()

    assert kinds(done) == {"paris": "changed", "lima": "added", "quito": "removed"}
    assert done.against["paired"] == 1


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("evals/EVAL.yaml", "done"),
        ("evals/judges/sunny.py", "done"),
        ("evals/judges/helper.py", "done"),
        ("evals/.agentv/templates/polite.yaml", "done"),
        ("traces/oslo.json", "done"),
        ("README.md", "unchanged"),
    ],
)
def test_whatever_judges_is_relevant_and_what_lies_elsewhere_is_not(job, name, state):
    base = desk() | {"evals/judges/helper.py": ""}
    job.pull_request(base, base | {name: base[name] + "\n"})

    assert job.run().report["state"] == state


@pytest.mark.parametrize("name", ["junit.xml", "report.sarif", "ctrf.json"])
def test_files_name_the_evaluator_of_the_test(job, name):
    job.pull_request(desk(), desk(failing=["paris"]))

    done = job.run()

    text = (done.folder / name).read_text()
    assert "paris" in text
    assert "calls" in text
    assert "Expected 2 tool calls, got 1" in text
