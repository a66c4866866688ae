// The agent keeps its hands off certain tools, or calls none but certain ones.
"use strict";

const { readFileSync } = require("node:fs");

const MOST_ISSUES = 20;
const LONGEST_NAME = 80;
const KNOWN = ["forbidden", "allowed"];

function evaluate({ config, invocations }) {
  const settings = config ?? {};
  const turns = invocations ?? [];
  const wrong = mistake(settings);
  if (wrong) return notEvaluated(wrong);
  if (!turns.length) return notEvaluated("there are no turns");

  const isForbidden = makeTest(settings);
  const misses = turns.map((turn) => listCalls(turn).filter(isForbidden));
  const scores = misses.map(({ length }) => (length ? 0 : 1));
  const issues = misses.flatMap((names, at) =>
    names.map((name) => `turn ${at + 1}: called ${name.slice(0, LONGEST_NAME)}`),
  );
  return {
    score: scores.reduce((sum, score) => sum + score, 0) / scores.length,
    status: issues.length ? "FAILED" : "PASSED", // one call is one too many, whatever the threshold
    per_invocation_scores: scores,
    details: { forbidden_calls: issues.length, issues: issues.slice(0, MOST_ISSUES) },
  };
}

function mistake(settings) {
  const unknown = Object.keys(settings).find((key) => !KNOWN.includes(key));
  if (unknown) return `config.${unknown}: unknown; known are ${KNOWN.join(", ")}`;
  const broken = KNOWN.find((key) => key in settings && !isListOfNames(settings[key]));
  if (broken) return `config.${broken}: must be a list of names, in which * stands for anything`;
  return settings.forbidden?.length || settings.allowed ? null : "config: give forbidden or allowed";
}

function isListOfNames(value) {
  return Array.isArray(value) && value.every((name) => typeof name === "string" && name);
}

function makeTest({ forbidden = [], allowed }) {
  const isOneOf = (patterns) => {
    const expressions = patterns.map(compilePattern);
    return (name) => expressions.some((expression) => expression.test(name));
  };
  const isBad = isOneOf(forbidden);
  const isGood = allowed ? isOneOf(allowed) : () => true;
  return (name) => isBad(name) || !isGood(name);
}

// `delete_*` as a regular expression
function compilePattern(pattern) {
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}$`);
}

function listCalls(turn) {
  return (turn.intermediate_steps?.tool_calls ?? []).map((call) => String(call.name ?? ""));
}

function notEvaluated(reason) {
  return { score: 0, status: "NOT_EVALUATED", details: { reason } };
}

// A text that was cut may end with half a letter, which is not JSON.
function whole(_key, value) {
  return typeof value === "string" ? value.toWellFormed() : value;
}

console.log(JSON.stringify(evaluate(JSON.parse(readFileSync("/dev/stdin", "utf8"))), whole));
