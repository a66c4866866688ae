// TODO: describe what counter evaluates.
//
// Try it: echo '{"metric_name": "counter", "invocations": [{"final_response": "Hello"}]}' | node counter.js
// Write to stderr (console.error) what is meant for people: stdout belongs to the result.

const { readFileSync } = require("node:fs");

// Replace this: every turn whose response is long enough scores 1.
function evaluate_counter(input) {
  const { min_length: shortest = 1 } = input.config ?? {};
  const turns = input.invocations ?? [];
  if (!Number.isInteger(shortest)) return notEvaluated("config.min_length must be a whole number");
  if (!turns.length) return notEvaluated("there are no turns");
  const scores = turns.map((turn) => ((turn.final_response ?? "").length >= shortest ? 1 : 0));
  const sum = scores.reduce((total, score) => total + score, 0);
  const issues = scores.flatMap((score, at) => (score ? [] : [`turn ${at + 1}: too short`]));
  return { score: sum / scores.length, per_invocation_scores: scores, details: { issues } };
}

function notEvaluated(reason) {
  return { score: 0, status: "NOT_EVALUATED", details: { reason } };
}

const input = JSON.parse(readFileSync("/dev/stdin", "utf8"));
console.log(JSON.stringify(evaluate_counter(input)));
