// The answer names its sources as links: enough of them, to hosts that are trusted, and none that
// the agent has made up. No link is opened.
"use strict";

const { readFileSync } = require("node:fs");

const MOST_ISSUES = 20;
const LONGEST_QUOTE = 120;
const LINK = /\bhttps?:\/\/[^\s<>"'`{}|\\^]{1,2000}/gi;
const TRAILING = /[.,;:!?*_\]]+$/;
const CHECKS = {
  min_links: (value) => (Number.isInteger(value) && value >= 0 ? null : "must be a whole number from 0"),
  hosts: (value) => (isListOfTexts(value) ? null : "must be a list of hosts, such as example.com"),
  from_tools: (value) => (typeof value === "boolean" ? null : "must be true or false"),
  https_only: (value) => (typeof value === "boolean" ? null : "must be true or false"),
};

function evaluate({ config, invocations }) {
  const settings = { min_links: 1, ...config };
  const wrong = mistake(settings);
  if (wrong) return notEvaluated(wrong);
  const turns = invocations ?? [];
  if (!turns.some((turn) => turn.final_response)) return notEvaluated("there is no answer");

  let known = "";
  const judged = turns.map((turn) => {
    known += settings.from_tools ? `\n${toldTo(turn)}` : "";
    return turn.final_response ? judge(linksOf(turn.final_response), settings, known) : null;
  });
  const scores = judged.map((one) => one && one.score);
  const counted = scores.filter((score) => score !== null);
  const issues = judged.flatMap((one, at) => (one?.misses ?? []).map((miss) => `turn ${at + 1}: ${miss}`));
  return {
    score: counted.reduce((sum, score) => sum + score, 0) / counted.length,
    per_invocation_scores: scores,
    details: { issues: issues.slice(0, MOST_ISSUES) },
  };
}

function mistake(settings) {
  for (const [key, value] of Object.entries(settings)) {
    if (!Object.hasOwn(CHECKS, key)) return `config.${key}: unknown; known are ${Object.keys(CHECKS).join(", ")}`;
    const wrong = CHECKS[key](value);
    if (wrong) return `config.${key}: ${wrong}`;
  }
  return null;
}

function isListOfTexts(value) {
  return Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === "string" && text);
}

// What the user and the tools have said: only from there can a link be known.
function toldTo(turn) {
  const responses = turn.intermediate_steps?.tool_responses ?? [];
  return [turn.user_content ?? "", ...responses.map(({ output }) => output ?? "")].join("\n");
}

// A link in Markdown ends with a bracket that is not its own.
function linksOf(answer) {
  const found = (answer.match(LINK) ?? []).map((link) => {
    const cut = link.includes("(") ? link : link.split(")")[0];
    return cut.replace(TRAILING, "");
  });
  return [...new Set(found)];
}

// The share of good links, or of those that are asked for if that is less.
function judge(links, settings, known) {
  const misses = links.flatMap((link) => {
    const why = rejected(link, settings, known);
    return why ? [`${link.slice(0, LONGEST_QUOTE)} ${why}`] : [];
  });
  const good = links.length - misses.length;
  if (good < settings.min_links) misses.push(`${good} good links, at least ${settings.min_links} are asked for`);
  const enough = settings.min_links ? Math.min(1, good / settings.min_links) : 1;
  return { score: Math.min(enough, links.length ? good / links.length : 1), misses };
}

function rejected(link, { hosts, from_tools: fromTools, https_only: httpsOnly }, known) {
  if (!URL.canParse(link)) return "is not a link";
  const { hostname, protocol } = new URL(link);
  if (httpsOnly && protocol !== "https:") return "is not https";
  const isAt = (host) => hostname === host.toLowerCase() || hostname.endsWith(`.${host.toLowerCase()}`);
  if (hosts && !hosts.some(isAt)) return "leads to a host that is not listed";
  return fromTools && !known.includes(link) ? "comes from no tool" : null;
}

function notEvaluated(reason) {
  return { score: 0, status: "NOT_EVALUATED", details: { reason } };
}

// A text that was cut may end with half a letter, which is not JSON.
function whole(_key, value) {
  return typeof value === "string" ? value.toWellFormed() : value;
}

console.log(JSON.stringify(evaluate(JSON.parse(readFileSync("/dev/stdin", "utf8"))), whole));
