"""Configs, eval sets and programs that frozen runs are made of."""

import json
from pathlib import Path
from typing import Any

from tests.frozen.inputs import DATA, said
from tests.frozen.place import ROOT, Content, Files

_HERE = Path("tests/frozen/files")
PROTOBUF = _HERE / "export.pb"

# what needs neither a program nor a model
OFFLINE = """\
evaluators:
  - {name: tool_trajectory_avg_score, type: builtin, threshold: 1.0}
  - {name: response_match_score, type: builtin, threshold: 0.7, weight: 2}
  - {name: sunny, type: contains, value: sunny}
  - {name: token_usage_v1, type: builtin, max: 700}
gate: {on_not_evaluated: warn}
"""
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

_SDK = """\
from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator


@evaluator
def judge(given: EvalInput) -> EvalResult:
    steps = [turn.intermediate_steps for turn in given.invocations]
    calls = [call.name for step in steps for call in step.tool_calls]
    return EvalResult(score=0.25 * len(calls), details={"calls": calls, "config": given.config})


if __name__ == "__main__":
    judge.run()
"""
PROGRAMS: Files = {
    "sdk.py": _SDK,
    "plain.js": "let text='';process.stdin.on('data',d=>text+=d).on('end',()=>"
    "console.log(JSON.stringify({score:JSON.parse(text).invocations.length/2})))\n",
    "crash.py": "import sys\nsys.stderr.write('it went wrong\\n')\nsys.exit(7)\n",
    "slow.py": "import time\ntime.sleep(20)\n",
    "silent.py": "",
    "babble.py": "print('hello')\n",
    "high.py": "print('{\"score\": 1.5}')\n",
    "judge.py": 'print(\'{"score": 0.5, "hits": ["polite"], "misses": ["short"]}\')\n',
    "programs.yaml": """\
evaluators:
  - {name: sdk, type: code, path: sdk.py, config: {words: [a, b]}}
  - {name: plain, type: code, path: plain.js}
  - {name: crash, type: code, path: crash.py}
  - {name: slow, type: code, path: slow.py, timeout: 0.5}
  - {name: silent, type: code, path: silent.py}
  - {name: babble, type: code, path: babble.py}
  - {name: high, type: code, path: high.py}
  - {name: judge, type: code_judge, command: [python3, judge.py]}
""",
}

JUDGED: Files = {
    "traces/oslo.json": said("oslo", "geocode", "forecast"),
    "judged.yaml": """\
judge: {model: gpt-5-mini, samples: 3, prices: {input: 1, output: 2}, budget: {max_calls: 40}}
evaluators:
  - {name: final_response_match_v2, type: builtin}
  - {name: hallucinations_v1, type: builtin}
  - {name: safety_v1, type: builtin}
  - {name: response_evaluation_score, type: builtin, threshold: 0.6}
  - name: rubric_based_final_response_quality_v1
    type: builtin
    rubrics: [names the city, {id: short, text: is one sentence}]
  - {name: polite, type: llm_judge, prompt: "Is this polite? {{ answer }}"}
  - {name: rubric, type: rubric, rubrics: [is short, {id: kind, outcome: is kind, weight: 2}]}
  - name: friendly
    type: openai_eval
    grader:
      type: label_model
      model: gpt-5-mini
      input: [{role: user, content: "Is this friendly? {{ item.actual_response }}"}]
      labels: [friendly, rude]
      passing_labels: [friendly]
""",
    "claude.yaml": """\
eval_set: eval_set.json
judge: {model: claude-haiku-4-5, samples: 1}
evaluators:
  - {name: final_response_match_v2, type: builtin}
  - {name: rubric, type: rubric, rubrics: [is short]}
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


# ---- a registry


def legacy() -> Files:
    """Entries from before manifests had versions."""
    folder = DATA / "registries/legacy/evaluators"
    return {f"evaluators/{name}": folder / name for name in ("contains", "is_json", "bertscore")}


MANIFEST = """\
name: politeness
description: Whether the answer is fine
language: python
entrypoint: politeness.py
tags: [answer, text]
author: octocat
version: 1.0.0
license: Apache-2.0
maintainers:
  - login: octocat
    id: 583231
config_schema:
  type: object
  properties:
    words: {type: array, items: {type: string}}
  additionalProperties: false
fixtures: fixtures.yaml
"""
_JUDGE = """\
from agentevals_evaluator_sdk import EvalInput, EvalResult, evaluator


@evaluator
def judge(given: EvalInput) -> EvalResult:
    return EvalResult(score=1.0)


if __name__ == "__main__":
    judge.run()
"""
_FIXTURES = """\
fixtures:
  - name: polite
    input: {invocations: [{user_content: Hi, final_response: Good day!}]}
    expect: {score: 1.0}
"""


def entry(name: str, **changed: str | None) -> dict[str, Content]:
    """An evaluator of a registry; `__` in the name of a file is its dot."""
    files = {"evaluator.yaml": MANIFEST, "politeness.py": _JUDGE, "fixtures.yaml": _FIXTURES}
    changed = {key.replace("__", "."): text for key, text in changed.items()}
    return {
        f"evaluators/{name}/{file.replace('politeness', name)}": text.replace("politeness", name)
        for file, text in {**files, **changed}.items()
        if text is not None
    }


REMOTE = """\
evaluators:
  - {name: politeness, type: remote, ref: politeness@^1.0, config: {words: [please]}}
"""
REGISTRY: Files = {**entry("politeness"), **entry("rude")}
BETTER: Files = {
    **entry("politeness", evaluator__yaml=MANIFEST.replace("fine", "better")),
    **entry("kind", evaluator__yaml=MANIFEST.replace("1.0.0", "0.1.0")),
}
BAD_ENTRIES: Files = {
    **entry("politeness", fixtures__yaml=_FIXTURES.replace("score: 1.0", "score: 0.5")),
    **entry("unpolite", evaluator__yaml=MANIFEST.replace("language", "langauge")),
    **entry("shouting", politeness__py="def judge(:\n"),
    **entry("lost", politeness__py=None),
    **entry("tabs", evaluator__yaml="name: tabs\n\tdescription: x\n"),
    **entry(
        "loose",
        evaluator__yaml=MANIFEST.replace("1.0.0", "1").replace("Apache-2.0", "Apache2")
        + "capabilities: {network: maybe}\nname: twice\n",
    ),
}
