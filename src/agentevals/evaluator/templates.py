"""The texts of a new evaluator, in each language: a program, and what lies beside it."""

PYTHON = '''"""TODO: describe what {name} evaluates.

Try it:     echo '{sample}' | python {file}
Test it:    {identifier}(EvalInput(metric_name="{name}")).score
"""

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator


@evaluator
def {identifier}(input: EvalInput) -> EvalResult:
    """Replace this: every turn whose response is long enough scores 1."""
    shortest = input.config.get("min_length", 1)
    if not isinstance(shortest, int):
        return not_evaluated("config.min_length must be a whole number")
    if not input.invocations:
        return not_evaluated("there are no turns")
    lengths = [len(turn.final_response or "") for turn in input.invocations]
    scores = [1.0 if length >= shortest else 0.0 for length in lengths]
    issues = [f"turn {{n}}: too short" for n, score in enumerate(scores, 1) if not score]
    return EvalResult(
        score=sum(scores) / len(scores),
        per_invocation_scores=scores,
        details={{"issues": issues}},
    )


def not_evaluated(reason: str) -> EvalResult:
    """Nothing was judged, and why."""
    return EvalResult(score=0, status=EvalStatus.NOT_EVALUATED, details={{"reason": reason}})


if __name__ == "__main__":
    {identifier}.run()
'''

JAVASCRIPT = """// TODO: describe what {name} evaluates.
//
// Try it: echo '{sample}' | node {file}
// Write to stderr (console.error) what is meant for people: stdout belongs to the result.

const {{ readFileSync }} = require("node:fs");

// Replace this: every turn whose response is long enough scores 1.
function {identifier}(input) {{
  const {{ min_length: shortest = 1 }} = input.config ?? {{}};
  const turns = input.invocations ?? [];
  if (!Number.isInteger(shortest)) return notEvaluated("config.min_length must be a whole number");
  if (!turns.length) return notEvaluated("there are no turns");
  const scores = turns.map((turn) => ((turn.final_response ?? "").length >= shortest ? 1 : 0));
  const sum = scores.reduce((total, score) => total + score, 0);
  const issues = scores.flatMap((score, at) => (score ? [] : [`turn ${{at + 1}}: too short`]));
  return {{ score: sum / scores.length, per_invocation_scores: scores, details: {{ issues }} }};
}}

function notEvaluated(reason) {{
  return {{ score: 0, status: "NOT_EVALUATED", details: {{ reason }} }};
}}

const input = JSON.parse(readFileSync("/dev/stdin", "utf8"));
console.log(JSON.stringify({identifier}(input)));
"""

TYPESCRIPT = """// TODO: describe what {name} evaluates.
//
// Try it: echo '{sample}' | node {file}    (Node 22.18 or newer)
// Write to stderr (console.error) what is meant for people: stdout belongs to the result.

const {{ readFileSync }} = require("node:fs");

interface Input {{
  config?: {{ min_length?: unknown }};
  invocations?: {{ user_content?: string; final_response?: string | null }}[];
}}

interface Result {{
  score: number;
  status?: "PASSED" | "FAILED" | "NOT_EVALUATED";
  per_invocation_scores?: (number | null)[];
  details?: Record<string, unknown>;
}}

// Replace this: every turn whose response is long enough scores 1.
function {identifier}(input: Input): Result {{
  const {{ min_length: shortest = 1 }} = input.config ?? {{}};
  const turns = input.invocations ?? [];
  if (typeof shortest !== "number") return notEvaluated("config.min_length must be a number");
  if (!turns.length) return notEvaluated("there are no turns");
  const scores = turns.map((turn) => ((turn.final_response ?? "").length >= shortest ? 1 : 0));
  const sum = scores.reduce((total: number, score) => total + score, 0);
  const issues = scores.flatMap((score, at) => (score ? [] : [`turn ${{at + 1}}: too short`]));
  return {{ score: sum / scores.length, per_invocation_scores: scores, details: {{ issues }} }};
}}

function notEvaluated(reason: string): Result {{
  return {{ score: 0, status: "NOT_EVALUATED", details: {{ reason }} }};
}}

const input: Input = JSON.parse(readFileSync("/dev/stdin", "utf8"));
console.log(JSON.stringify({identifier}(input)));
"""

SAMPLE = '{{"metric_name": "{name}", "invocations": [{{"final_response": "Hello"}}]}}'

MANIFEST = """\
name: {written_name}
description: Every turn has an answer; replace this with what yours judges.
language: {language}
entrypoint: {written_file}
tags: [text]
author: ""
version: 0.1.0
license: Apache-2.0
# you: your login, and what `gh api users/LOGIN --jq .id` says
maintainers:
  - {{login: ghost, id: 10137}}
runtime: {{{runtime}}}
capabilities: {{}}
fixtures: fixtures.yaml
deterministic: true
config_schema:
  type: object
  additionalProperties: false
  properties:
    min_length:
      type: integer
      description: how many characters an answer must have
      default: 1
"""

FIXTURES = """\
# What goes in, and what must come out: `agentevals registry validate` runs each of them twice.
fixtures:
  - name: an_answer_in_every_turn
    input:
      invocations:
        - user_content: What is the capital of France?
          final_response: Paris
    expect: {score: 1.0, status: PASSED}
  - name: one_of_two_is_too_short
    config: {min_length: 10}
    input:
      invocations:
        - final_response: Paris
        - final_response: Paris is the capital of France.
          tool_calls:
            - {name: search, args: {query: capital of France}, response: Paris}
    expect: {score: 0.5}
  - name: nobody_said_anything
    input: {invocations: []}
    expect: {score: 0.0, status: NOT_EVALUATED}
"""

README = """\
# {name}

Every turn has an answer; replace this with what yours judges.

| config | | default | |
|---|---|---|---|
| `min_length` | a whole number | `1` | how many characters an answer must have |

```yaml
# eval_config.yaml
evaluators:
  - name: {written_name}
    type: code
    path: {written_path}
    threshold: 0.5
    config: {{min_length: 10}}
```
"""
