"""Configs, eval sets and programs that frozen runs are made of."""

import json
from pathlib import Path
from typing import Any

from tests.frozen.inputs import DATA, said
from tests.frozen.place import ROOT, Files

_HERE = Path("tests/frozen/files")
PROTOBUF = _HERE / "export.pb"

WRONG = """\
evaluators:
  - name: tool_trajectory_avg_scor
    type: builtin
  - name: sunny
    type: contains
    valu: sunny
    threshold: much
gate: {pass_rate: {at_leest: 1}}
"""
FOREIGN = {
    "resourceSpans": [
        {
            "resource": {"attributes": []},
            "scopeSpans": [
                {
                    "scope": {"name": "http"},
                    "spans": [
                        {
                            "traceId": "5b" * 16,
                            "spanId": "2c" * 8,
                            "name": "GET /health",
                            "kind": 2,
                            "startTimeUnixNano": "1750000000000000000",
                            "endTimeUnixNano": "1750000000020000000",
                            "attributes": [{"key": "http.method", "value": {"stringValue": "GET"}}],
                        }
                    ],
                }
            ],
        }
    ]
}

AGENTEVALS: Files = {
    "eval_config.yaml": """\
x-strict: &strict {threshold: 0.9, required: 0.5}
eval_set: eval_set.json
output_format: summary
group_by: conversation
pair: auto
jobs: 1
gate:
  on_not_evaluated: warn
  pass_rate: {at_least: 0.5}
  accept:
    - {case: rome, evaluator: overlap, reason: Rome is renamed, until: "2099-12-31"}
evaluators:
  - {<<: *strict, name: calls, type: tool_trajectory_avg_score, trajectory_match_type: IN_ORDER}
  - {name: overlap, type: response_match_score, threshold: 0.7}
  - {name: similar, type: openai_eval, grader: {type: text_similarity, evaluation_metric: rouge_l}}
  - {name: looked up, type: tool_call_count_v1, min: 2, weight: 3}
  - {name: no rain, type: contains, value: rain, negate: true}
  - {name: words, type: regex, value: "(?i)sunny|no idea", flags: i}
  - {name: number, type: is_json, negate: true}
""",
    "more.yaml": """\
eval_set: eval_set.json
traces: [traces/oslo.json, traces/p*.json]
output_format: markdown
gate: {allow_missing: true}
evaluators:
  - {name: tool_trajectory_avg_score, type: builtin}
""",
}

GATES = {
    "figures": """\
eval_set: eval_set.json
gate:
  pass_rate: {at_least: 0.9, max_drop: 0.02}
  score: {at_least: 0.2}
  evaluators: {overlap: {at_least: 0.75}}
  cost: {at_most: 0.02}
  tokens: {at_most: 4000}
  latency: {at_most: 8000}
  on_no_baseline: fail
evaluators:
  - {name: overlap, type: response_match_score, threshold: 0.7}
""",
    "accepted": """\
eval_set: eval_set.json
gate:
  accept:
    - {case: paris, reason: The provider renames the tool, until: "2099-01-31"}
    - {case: rom, evaluator: overlap, reason: A typing error, until: "2099-01-31"}
    - {case: rome, evaluator: overlap, reason: It was known, until: "2020-01-31"}
    - {case: oslo, reason: It is mended, until: "2099-01-31"}
evaluators:
  - {name: overlap, type: response_match_score, threshold: 0.7}
""",
    "unmeasured": """\
eval_set: eval_set.json
gate: {on_not_evaluated: fail, tokens: {at_most: 10}}
evaluators:
  - {name: tokens, type: token_usage_v1, max: 10}
  - {name: cost, type: cost_v1, max: 0.1, prices: {"gpt-*": {input: 1, output: 2}}, required: true}
""",
}

AGENTV: Files = {
    "EVAL.yaml": """\
name: order-desk
description: What the order desk may say
version: "1.0"
metadata: {author: support, tags: [orders]}
assert:
  - {type: contains, value: order, required: true}
  - {name: politeness, type: icontains, value: please, weight: 2.0}
tests:
  - id: where-is-it
    criteria: Says where the order is
    input: Where is order 7?
    expected_output: Order 7 is on its way.
    assert:
      - {type: regex, value: "order \\\\d+", weight: 2.0}
      - {type: not-contains, value: lost}
  - id: which-one
    input:
      - {role: system, content: You are the order desk.}
      - {role: user, content: Cancel my order.}
    execution: {skip_defaults: true}
    assert:
      - {type: icontains, value: which}
      - {type: tool_trajectory, mode: in_order, expected: [{tool: search}, {tool: cancel}]}
      - type: composite
        name: both
        evaluators:
          - {name: asks, type: ends_with, value: "?"}
          - {name: short, type: regex, value: "^.{0,30}$"}
        aggregator: {type: weighted_average, weights: {asks: 1, short: 3}}
  - id: never-recorded
    input: Is anybody there?
    assert:
      - {type: equals, value: "Yes."}
""",
    "traces/orders.jsonl": said(
        "where-is-it",
        "search",
        user="Where is order 7?",
        answer="Your order 7 is near, please wait.",
    )
    + said("which-one", "search", user="Cancel my order.", answer="Which order do you mean?"),
}
LINES: Files = {
    "EVAL.yaml": "description: Sums\ndataset: sums\nexecution:\n  evaluators:\n"
    '    - {type: contains, value: "7"}\n',
    "EVAL.jsonl": "".join(
        json.dumps(line) + "\n"
        for line in (
            {"id": "a", "criteria": "Says 7", "input": "3 + 4?", "expected_output": "7"},
            {
                "id": "b",
                "criteria": "Says 8",
                "input": "4 + 4?",
                "assert": [{"type": "contains", "value": "8"}],
                "execution": {"skip_defaults": True},
            },
        )
    ),
    "traces/sums.jsonl": said("a", user="3 + 4?", answer="It is 7.")
    + said("b", user="4 + 4?", answer="It is 7."),
}


def _ships(name: str, query: str, *items: str) -> dict[str, Any]:
    criteria = {"evaluatorId": "ShippedItems", "evaluationCriteria": {"items": list(items)}}
    exact = {
        "evaluatorId": "Exact",
        "evaluationCriteria": {"expectedOutput": {"result": "done"}},
    }
    return {"id": name, "agentInput": {"query": query}, "evaluations": [criteria, exact]}


UIPATH: Files = {
    "evals/evaluators/custom/shipped_items.py": DATA
    / "foreign/uipath/evals/evaluators/custom/shipped_items.py",
    "evals/evaluators/exact.json": {
        "version": "1.0",
        "id": "Exact",
        "evaluatorTypeId": "uipath-exact-match",
        "evaluatorConfig": {"name": "Exact", "targetOutputKey": "result"},
    },
    "evals/eval_sets/shop.json": {
        "version": "1.0",
        "id": "shop",
        "evaluatorRefs": ["ShippedItems", "Exact"],
        "evaluationItems": [
            _ships("lamp", "a lamp", "lamp"),
            _ships("both", "both", "lamp", "vase"),
            _ships("none", "none", "lamp"),
        ],
    },
    "traces/shop.jsonl": said("lamp", "ship", user="a lamp", answer='{"result": "done"}')
    + said("both", "ship", "ship", user="both", answer='{"result": "Done"}')
    + said("none", user="none", answer="sorry"),
}

WRONG_SET = {
    "version": "1.0",
    "id": "wrong",
    "evaluatorRefs": ["ShipedItems", "Exact"],
    "evaluationItems": [
        {"id": "lamp", "agentInput": {}, "evaluations": [{"evaluatorId": "Exakt"}]},
        {"id": "lamp", "agentInput": "x", "evaluations": 3},
    ],
}

_REFUSED = {"agentevals": "eval_config.yaml", "agentv": "EVAL.yaml", "adk": "eval_config.json"}


def refused(dialect: str) -> list[str]:
    """The configs of a dialect that nobody may run, each in a folder of its own."""
    name = _REFUSED[dialect]
    folder = ROOT / DATA / "configs" / dialect / "refused"
    return [f"{path.parent.name}/{name}" for path in sorted(folder.glob(f"*/{name}"))]


def conventions() -> Files:
    """One sample of everything that instrumentations write."""
    found = sorted((ROOT / DATA / "conventions").glob("*/*/trace.json"))
    return {
        f"traces/{path.parts[-3]}-{path.parts[-2]}.json": path.relative_to(ROOT) for path in found
    }
