// The answer is JSON and nothing else, so that a program can read it.
"use strict";

const { readFileSync } = require("node:fs");

const MOST_ISSUES = 20;
const KINDS = ["any", "object", "array"];
const KNOWN = ["kind", "fenced"];
const FENCED = /^\s*```(?:json)?[ \t]*\n([^]*?)\n?```\s*$/;

function evaluate({ config, invocations }) {
  const settings = config ?? {};
  const turns = invocations ?? [];
  const wrong = mistake(settings);
  if (wrong) return notEvaluated(wrong);
  if (!turns.length) return notEvaluated("there are no turns");

  const misses = turns.map((turn) => findMiss(turn.final_response, settings));
  const scores = misses.map((miss) => (miss ? 0 : 1));
  const issues = misses.flatMap((miss, at) => (miss ? [`turn ${at + 1}: ${miss}`] : []));
  return {
    score: scores.reduce((sum, score) => sum + score, 0) / scores.length,
    per_invocation_scores: scores,
    details: { issues: issues.slice(0, MOST_ISSUES) },
  };
}

function mistake({ kind = "any", fenced = false, ...others }) {
  const [unknown] = Object.keys(others);
  if (unknown) return `config.${unknown}: unknown; known are ${KNOWN.join(", ")}`;
  if (!KINDS.includes(kind)) return `config.kind: must be one of ${KINDS.join(", ")}`;
  return typeof fenced === "boolean" ? null : "config.fenced: must be true or false";
}

function findMiss(answer, { kind = "any", fenced = false }) {
  if (!answer) return "there is no answer";
  const inside = fenced ? FENCED.exec(answer)?.[1] : undefined;
  try {
    const found = kindOf(JSON.parse(inside ?? answer));
    return kind === "any" || kind === found ? null : `is of kind ${found} and not ${kind}`;
  } catch (error) {
    return `is not JSON: ${String(error.message).slice(0, 200)}`;
  }
}

function kindOf(value) {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function notEvaluated(reason) {
  return { score: 0, status: "NOT_EVALUATED", details: { reason } };
}

// A text that was cut may end with half a letter, which is not JSON.
function whole(_key, value) {
  return typeof value === "string" ? value.toWellFormed() : value;
}

console.log(JSON.stringify(evaluate(JSON.parse(readFileSync("/dev/stdin", "utf8"))), whole));
