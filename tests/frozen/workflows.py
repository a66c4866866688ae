"""The frozen workflows: pull requests, pushes and a registry, as the action meets them."""

from pathlib import Path

from tests.frozen import configs, registries
from tests.frozen.inputs import expected, said
from tests.frozen.place import Content, Files
from tests.frozen.steps import Step, Workflow

_CITIES = ("oslo", "paris")
_CONFIG = """\
traces: traces/*
eval_set: eval_set.json
evaluators:
  - name: tool_trajectory_avg_score
    type: builtin
    threshold: 1.0
"""
_ANSWERS = """\
traces: traces/*
eval_set: eval_set.json
gate: {pass_rate: {at_least: 0.5, max_drop: 0.1}, on_inconclusive: fail}
evaluators:
  - {name: response_match_score, type: builtin, threshold: 0.7}
"""


def agent(*failing: str, config: str = _CONFIG, **more: Content) -> Files:
    """All files of an agent's repository. The `failing` cases forget to look for the place."""
    recorded = {
        f"traces/{city}.json": said(
            city, *(("forecast",) if city in failing else ("geocode", "forecast"))
        )
        for city in _CITIES
    }
    files: dict[str, Content] = {"eval_config.yaml": config, "eval_set.json": expected(*_CITIES)}
    return {**files, **recorded, **more}


# the demo's pull request: `make demo` records these two on its head
_DEMO_CONFIG = """\
evaluators:
  - {name: tool_trajectory_avg_score, type: builtin, threshold: 1.0}
  - {name: response_match_score, type: builtin, threshold: 0.7}
  - {name: token_usage_v1, type: builtin, max: 700}
  - {name: units, type: code, path: ./evaluators/units.py, threshold: 1.0}
  - {name: geocode_first, type: code, path: ./evaluators/geocode_first.js, threshold: 1.0}
  - {name: numbers_agree, type: remote, ref: numbers_agree@^1.0}
"""
_DEMO: Files = {
    "eval_config.yaml": _DEMO_CONFIG,
    "eval_set.json": Path("examples/eval_set.json"),
    "traces": Path("examples/traces"),
    "evaluators": Path("examples/evaluators"),
}
_RECORDED = Path("tests/frozen/files")
_PROPOSED: Files = {
    **_DEMO,
    "traces/phoenix.jsonl": _RECORDED / "phoenix.jsonl",
    "traces/umbrella.jsonl": _RECORDED / "umbrella.jsonl",
}
_DEMO_INPUTS = {
    "config": "eval_config.yaml",
    "traces": "traces/*.jsonl",
    "eval-set": "eval_set.json",
    "jobs": "1",
    "status": "on",
}
_REGISTRY: Files = {"evaluators/numbers_agree": Path("evaluators/numbers_agree")}
_READ_ONLY = {
    "pull-requests": "read",
    "issues": "read",
    "checks": "read",
    "statuses": "read",
    "contents": "read",
}
_POLITE = registries.entry("politeness")
_WRONG = registries.entry("politeness", evaluator__yaml=registries.MANIFEST.replace("tags", "tag"))

WORKFLOWS = (
    Workflow(
        "action-demo",
        (
            Step(_PROPOSED, _DEMO, inputs=_DEMO_INPUTS, artifacts=True),
            Step(_DEMO, inputs=_DEMO_INPUTS, artifacts=True),
        ),
        _REGISTRY,
    ),
    Workflow(
        "action-again",
        (
            Step(agent("paris"), agent("oslo"), inputs={"jobs": "1"}),
            Step(agent("paris"), inputs={"jobs": "1"}),
            Step(agent(), inputs={"jobs": "1", "comment": "recreate"}),
        ),
    ),
    Workflow(
        "action-push",
        (
            Step(agent("oslo"), event="push", inputs={"jobs": "1"}, artifacts=True),
            Step(agent(), event="push", inputs={"jobs": "1"}),
            Step(agent("oslo"), inputs={"jobs": "1", "baseline": "artifact"}),
            Step(
                agent("paris", "oslo"), inputs={"jobs": "1", "baseline": "check", "summary": "off"}
            ),
        ),
    ),
    Workflow(
        "action-fork",
        (
            Step(
                agent("paris"),
                agent(),
                recorded="pull_request_fork",
                inputs={"jobs": "1"},
                permissions=_READ_ONLY,
            ),
        ),
    ),
    Workflow(
        "action-several-configs",
        (
            Step(
                agent("paris", **{"answers.yaml": _ANSWERS}),
                agent(**{"answers.yaml": _ANSWERS}),
                inputs={"jobs": "1", "config": "*.yaml", "fail-on": "never", "dry-run": "true"},
            ),
        ),
    ),
    Workflow(
        "action-refused",
        (
            Step(agent(config=configs.WRONG), agent(), inputs={"jobs": "1"}),
            Step(agent(), agent(), inputs={"jobs": "many", "fail-on": "somtimes", "check": "on"}),
        ),
    ),
    Workflow(
        "action-registry-validate",
        (
            Step(_WRONG, _POLITE, inputs={"command": "registry-validate"}),
            Step(
                {**_POLITE, "evaluators/politeness/notes.md": "Why.\n"},
                inputs={"command": "registry-validate"},
            ),
        ),
    ),
    Workflow(
        "action-registry-index",
        (Step(_POLITE, event="push", inputs={"command": "registry-index"}),),
    ),
)
