"""Nothing that decides about a case may differ without being a changed rule."""

from dataclasses import fields, replace
from pathlib import Path

import pytest

from agentevals.action.rules.rule_differences import Side, find_changes, leaves_results
from agentevals.configs.plan import Expectation, Plan
from agentevals.files.agent_files import AgentFiles
from agentevals.graders import GRADERS
from agentevals.judge import JudgeSettings
from agentevals.model.cases import Rubric, Scenario, Task
from agentevals.model.conversations import Turn
from agentevals.model.policy import Policy

PATHS = GRADERS["tool_trajectory_avg_score"](name="path")
OSLO = Expectation(case_id="oslo", opening="How is it?")
PLAN = Plan(title="weather", graders=(PATHS,), expectations=(OSLO,))

OF_A_CASE = {
    "turns": (Turn(user="How is it?"),),
    "opening": "How was it?",
    "openings": ("Well?",),
    "rubrics": (Rubric(rubric_id="kind", text="is kind"),),
    "criteria": "is kind",
    "scenario": Scenario(opening="Hello", plan="ask"),
    "task": Task(),
    "graders": (PATHS.model_copy(update={"name": "own"}),),
    "own_only": True,
    "pass_at": 0.1,
    "equal_turns": True,
}
OF_ALL = {
    "graders": (PATHS.model_copy(update={"threshold": 0.1}),),
    "expectations": (),
    "policy": Policy(pass_at=0.1),
    "judge": JudgeSettings(model="gpt-5"),
    "traces": ("traces/[!p]*",),
    "trace_format": "otlp",
    "group_by": "trace",
    "agent": AgentFiles(folder=Path("/repository"), patterns=("src/*",)),
    "pair": "position",
}
# what is shown, how fast it goes, and where it was read from
DECIDES_NOTHING = {
    *("title", "eval_set_id", "output_format", "jobs", "findings", "sources", "prices", "tree")
}


def compare(head):
    sides = (Side(plan, Path("/repository")) for plan in (PLAN, head))
    return [change.rule for change in find_changes("c.yaml", *sides, {})]


def test_all_that_decides_is_listed_here():
    assert OF_A_CASE.keys() == {f.name for f in fields(Expectation)} - {"case_id", "labels"}
    assert OF_ALL.keys() == {f.name for f in fields(Plan)} - DECIDES_NOTHING


@pytest.mark.parametrize("name", OF_A_CASE)
def test_each_part_of_an_expectation_is_a_rule(name):
    other = replace(OSLO, **{name: OF_A_CASE[name]})

    assert "case 'oslo'" in compare(replace(PLAN, expectations=(other,)))


@pytest.mark.parametrize("name", OF_ALL)
def test_each_part_of_a_plan_is_a_rule(name):
    assert compare(replace(PLAN, **{name: OF_ALL[name]}))


def test_the_same_plan_has_no_changed_rule():
    assert compare(replace(PLAN, title="Weather", jobs=3)) == []


# ---- families of cases


def clustered(topic, cluster="topic"):
    """The plan whose gate names a key, and the value of `topic` in its case."""
    labelled = replace(OSLO, labels={"topic": topic, "note": "new"})
    return replace(PLAN, policy=Policy(cluster=cluster), expectations=(labelled,))


def describe(base, head):
    sides = (Side(plan, Path("/repository")) for plan in (base, head))
    return [f"{change.rule}: {change.what}" for change in find_changes("c.yaml", *sides, {})]


def test_a_label_decides_only_where_a_gate_names_it():
    assert compare(replace(PLAN, expectations=(replace(OSLO, labels={"topic": "a"}),))) == []


def test_a_case_that_is_of_another_family_is_a_changed_rule():
    base = clustered("refunds")

    assert describe(base, clustered("orders")) == ["gate.cluster: refunds → orders of oslo"]
    assert describe(base, clustered("")) == ["gate.cluster: refunds → none of oslo"]
    assert describe(base, clustered("refunds")) == []


def test_another_key_is_one_changed_rule_whatever_its_values_are():
    head = clustered("refunds", cluster="note")

    assert describe(PLAN, head) == ["gate.cluster: none → note"]
    assert describe(clustered("refunds"), head) == ["gate.cluster: topic → note"]


def test_what_changes_families_is_judged_anew_by_the_base():
    sides = (Side(plan, Path("/repository")) for plan in (clustered("a"), clustered("b")))

    assert not any(map(leaves_results, find_changes("c.yaml", *sides, {})))
