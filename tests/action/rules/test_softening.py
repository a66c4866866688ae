"""Ways in which a pull request that breaks the agent can lower its own bar: none is quiet."""

import json

import pytest

from tests.action.job import TRAJECTORY, agent, config, eval_set

MINE = {"name": "mine", "type": "code", "path": "evaluators/mine.py", "threshold": 0.9}
PROGRAM = """import json, sys
from words import NEEDED
called = [call["name"] for turn in json.load(sys.stdin)["invocations"]
          for call in turn["intermediate_steps"]["tool_calls"]]
print(json.dumps({"score": 1.0 if NEEDED in called else 0.0}))
"""
PASSING = 'import json\nprint(json.dumps({"score": 1}))\n'
EVALUATORS = {
    "evaluators/mine.py": PROGRAM,
    "evaluators/words.py": 'NEEDED = "geocode"\n',
}
WORKFLOW = """on: pull_request
jobs:
  evals:
    steps:
      - uses: somebody/agentevals-action@v1
        with: {config: eval_config.yaml, fail-on: failed}
"""


def files(*evaluators, failing=(), **keys):
    """An agent's repository that is judged by the path and by a program of its own."""
    return (
        agent(failing=failing)
        | EVALUATORS
        | {"eval_config.yaml": config(*(evaluators or (TRAJECTORY, MINE)), **keys)}
        | {".github/workflows/agentevals.yml": WORKFLOW}
    )


BASE = files()
BROKEN = files(failing=["paris"])
STRICT = {"gate": {"pass_rate": {"at_least": 1.0}}}


def without(tree, *names):
    return {name: text for name, text in tree.items() if name not in names}


def soft(*evaluators, **keys):
    return BROKEN | {"eval_config.yaml": config(*(evaluators or (TRAJECTORY, MINE)), **keys)}


BLESSED = json.loads(BROKEN["eval_set.json"])
BLESSED["eval_cases"][1]["conversation"][0]["intermediate_data"]["tool_uses"] = [
    {"name": "forecast", "args": {}}
]
LENIENT = TRAJECTORY | {"threshold": 0.0}
ALWAYS = MINE | {"threshold": 0.0}

SOFTER = {
    "thresholds lowered": soft(LENIENT, ALWAYS),
    "evaluators removed": soft({"name": "any", "type": "code", "path": "any.py"})
    | {"any.py": PASSING},
    "evaluator negated": soft(LENIENT | {"negate": True, "threshold": 0.0}, ALWAYS),
    "program replaced": soft(LENIENT, MINE) | {"evaluators/mine.py": PASSING},
    "imported file changed": soft(LENIENT, MINE) | {"evaluators/words.py": 'NEEDED = "forecast"\n'},
    "match made loose": soft(TRAJECTORY | {"trajectory_match_type": "ANY_ORDER"}, ALWAYS)
    | {"eval_set.json": json.dumps(BLESSED)},
    "expectation rewritten": soft(TRAJECTORY, ALWAYS) | {"eval_set.json": json.dumps(BLESSED)},
    "case deleted": without(soft(), "traces/paris.json")
    | {"eval_set.json": eval_set("oslo", "quito", "rome")},
    "case deleted and not its trace": soft(TRAJECTORY, ALWAYS, gate={"on_not_evaluated": "warn"})
    | {"eval_set.json": eval_set("oslo", "quito", "rome")},
    "trace deleted": without(soft(gate={"allow_missing": True}), "traces/paris.json"),
    "traces narrowed": soft(traces="traces/[!p]*", gate={"allow_missing": True}),
    "failure accepted": soft(
        gate={"accept": [{"case": "paris", "reason": "later", "until": "2027-01-31"}]}
    ),
    "failures tolerated": soft(gate={"pass_rate": {"at_least": 0.5}}),
    "config renamed and softer": without(soft(LENIENT, ALWAYS), "eval_config.yaml")
    | {"evals/eval_config.yaml": config(LENIENT, ALWAYS, traces="../traces/*",
                                       eval_set="../eval_set.json")},
    "config deleted, another kept": without(BROKEN, "eval_config.yaml")
    | {"evals/eval_config.yaml": config(LENIENT, traces="../traces/o*",
                                       eval_set="../eval_set.json",
                                       gate={"allow_missing": True})},
    "eval set switched": soft(LENIENT | {"threshold": 1.0}, ALWAYS, eval_set="other.json")
    | {"other.json": json.dumps(BLESSED)},
    "grouping changed": soft(LENIENT, ALWAYS, group_by="trace"),
    "cases added to dilute": soft(LENIENT, ALWAYS, gate={"pass_rate": {"at_least": 0.75}}),
}  # fmt: skip


@pytest.mark.parametrize("head", SOFTER.values(), ids=SOFTER)
def test_what_only_the_rules_of_the_base_fail_needs_approval(job, head):
    assert job.pull_request(BASE, BROKEN).run().code == 1

    done = job.pull_request(BASE, head).run()

    assert done.code == 1
    assert done.report["verdict"] == "fail"
    assert "Rule change needs approval" in job.comments[0].split("\n")[2]
    assert "/agentevals approve " in job.comments[0]
    assert {one["case_id"] for one in done.report["rules"]["turned"]} & {"paris", ""}
    (check,) = [c for c in job.place.checks.values() if c["head_sha"] == job.head]
    assert check["conclusion"] == "failure"
    assert check["output"]["title"].startswith("Rule change needs approval")
