// The agent gets there without too many steps, and does not go round in circles.
"use strict";

const { readFileSync } = require("node:fs");

const COUNTED = {
  max_tool_calls: { what: "tool calls", of: (turns) => listCalls(turns).length },
  max_llm_calls: { what: "model calls", of: countModelCalls },
  max_turns: { what: "turns", of: (turns) => turns.length },
  max_repeats: { what: "repeated calls", of: countRepeatedCalls },
};
const KNOWN = Object.keys(COUNTED);

function evaluate({ config, invocations }) {
  const settings = config ?? {};
  const turns = invocations ?? [];
  const wrong = mistake(settings);
  if (wrong) return notEvaluated(wrong);
  if (!turns.length) return notEvaluated("there are no turns");

  const found = KNOWN.filter((key) => key in settings).map((key) => ({
    limit: settings[key],
    count: COUNTED[key].of(turns),
    what: COUNTED[key].what,
  }));
  const unknown = found.find(({ count }) => count === null);
  if (unknown) return notEvaluated(`the number of ${unknown.what} was not recorded`);
  const over = found.filter(({ limit, count }) => count > limit);
  return {
    score: over.reduce((least, { limit, count }) => Math.min(least, limit / count), 1),
    status: over.length ? "FAILED" : "PASSED", // over the budget, whatever the threshold
    details: {
      counts: Object.fromEntries(found.map(({ what, count }) => [what, count])),
      issues: over.map(({ limit, count, what }) => `${count} ${what}, allowed are ${limit}`),
    },
  };
}

function mistake(settings) {
  const unknown = Object.keys(settings).find((key) => !KNOWN.includes(key));
  if (unknown) return `config.${unknown}: unknown; known are ${KNOWN.join(", ")}`;
  const broken = Object.keys(settings).find((key) => !isCount(settings[key]));
  if (broken) return `config.${broken}: must be a whole number from 0`;
  return Object.keys(settings).length ? null : `config: give one of ${KNOWN.join(", ")}`;
}

function isCount(value) {
  return Number.isInteger(value) && value >= 0;
}

function listCalls(turns) {
  return turns.flatMap((turn) => turn.intermediate_steps?.tool_calls ?? []);
}

// The figures of the conversation are the same on every turn.
function countModelCalls(turns) {
  const told = turns.map((turn) => turn.performance_metrics?.counts?.llm_calls);
  return told.find((count) => Number.isFinite(count)) ?? null;
}

function countRepeatedCalls(turns) {
  const calls = listCalls(turns).map(({ name, args }) => JSON.stringify([name, sortKeys(args ?? {})]));
  return calls.length - new Set(calls).size;
}

function sortKeys(value) {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== "object") return value;
  return Object.keys(value).sort().map((key) => [key, sortKeys(value[key])]);
}

function notEvaluated(reason) {
  return { score: 0, status: "NOT_EVALUATED", details: { reason } };
}

// A text that was cut may end with half a letter, which is not JSON.
function whole(_key, value) {
  return typeof value === "string" ? value.toWellFormed() : value;
}

console.log(JSON.stringify(evaluate(JSON.parse(readFileSync("/dev/stdin", "utf8"))), whole));
