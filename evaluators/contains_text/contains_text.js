// The answer contains what it should, and nothing that it should not.
"use strict";

const { readFileSync } = require("node:fs");

const MOST_ISSUES = 20;
const LISTS = ["all", "any", "none"];
const TURNS = ["each", "any", "last"];
const KNOWN = [...LISTS, "ignore_case", "turns"];

function evaluate({ config, invocations }) {
  const settings = config ?? {};
  const turns = invocations ?? [];
  const wrong = mistake(settings);
  if (wrong) return notEvaluated(wrong);
  if (!turns.length) return notEvaluated("there are no turns");

  const judged = turns.map((turn) => judge(turn.final_response ?? "", settings));
  const scores = judged.map(({ score }) => score);
  const issues = judged.flatMap(({ misses }, at) =>
    misses.map((miss) => `turn ${at + 1}: ${miss}`),
  );
  const score = total(scores, settings.turns ?? "each");
  return {
    score,
    per_invocation_scores: scores,
    details: { issues: score < 1 ? issues.slice(0, MOST_ISSUES) : [] },
  };
}

function mistake(settings) {
  const unknown = Object.keys(settings).find((key) => !KNOWN.includes(key));
  if (unknown) return `config.${unknown}: unknown; known are ${KNOWN.join(", ")}`;
  const broken = LISTS.find((key) => !isListOfTexts(settings[key] ?? []));
  if (broken) return `config.${broken}: must be a list of texts, none of them empty`;
  if (typeof (settings.ignore_case ?? false) !== "boolean") {
    return "config.ignore_case: must be true or false";
  }
  if (!TURNS.includes(settings.turns ?? "each")) {
    return `config.turns: must be one of ${TURNS.join(", ")}`;
  }
  const saysSomething = LISTS.some((key) => settings[key]?.length);
  return saysSomething ? null : `config: give one of ${LISTS.join(", ")}`;
}

function isListOfTexts(value) {
  return Array.isArray(value) && value.every((text) => typeof text === "string" && text);
}

// Every text of `all` and of `none` is one condition, the whole of `any` is one more.
function judge(answer, settings) {
  const fold = (text) => {
    const composed = text.normalize("NFC"); // `é` is one character, or two
    return settings.ignore_case ? composed.toUpperCase().toLowerCase() : composed;
  };
  const folded = fold(answer);
  const has = (text) => folded.includes(fold(text));
  const [all, any, none] = LISTS.map((key) => settings[key] ?? []);
  const misses = [
    ...all.filter((text) => !has(text)).map((text) => `does not contain ${JSON.stringify(text)}`),
    ...none.filter(has).map((text) => `contains ${JSON.stringify(text)}`),
  ];
  if (any.length && !any.some(has)) misses.push(`contains none of ${JSON.stringify(any)}`);
  const conditions = all.length + none.length + (any.length ? 1 : 0);
  return { score: (conditions - misses.length) / conditions, misses };
}

function total(scores, turns) {
  if (turns === "any") return scores.reduce((best, score) => Math.max(best, score), 0);
  if (turns === "last") return scores.at(-1);
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function notEvaluated(reason) {
  return { score: 0, status: "NOT_EVALUATED", details: { reason } };
}

// A text that was cut may end with half a letter, which is not JSON.
function whole(_key, value) {
  return typeof value === "string" ? value.toWellFormed() : value;
}

console.log(JSON.stringify(evaluate(JSON.parse(readFileSync("/dev/stdin", "utf8"))), whole));
