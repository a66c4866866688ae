// The answer names its sources as links: enough of them, to hosts that are trusted, and none that
// the agent has made up. No link is opened.
"use strict";

const { readFileSync } = require("node:fs");

const MOST_ISSUES = 20;
const LONGEST_QUOTE = 120;
const LINK = /\bhttps?:\/\/[^\s<>"'`{}|\\^]{1,2000}/gi;
const TRAILING = /[.,;:!?*_\]]+$/;
const SETTINGS = {
  min_links: [isCount, "a whole number from 0"],
  hosts: [isListOfTexts, "a list of hosts, such as example.com"],
  from_tools: [isBoolean, "true or false"],
  https_only: [isBoolean, "true or false"],
};

function evaluate({ config, invocations }) {
  const settings = { min_links: 1, ...config };
  const wrong = mistake(settings);
  if (wrong) return notEvaluated(wrong);
  const turns = invocations ?? [];
  if (!turns.some((turn) => turn.final_response)) return notEvaluated("there is no answer");

  let known = "";
  const judged = turns.map((turn) => {
    known += settings.from_tools ? `\n${collectSources(turn)}` : "";
    return turn.final_response ? judge(findLinks(turn.final_response), settings, known) : null;
  });
  const scores = judged.map((one) => one && one.score);
  const counted = scores.filter((score) => score !== null);
  const issues = judged.flatMap((one, at) =>
    (one?.misses ?? []).map((miss) => `turn ${at + 1}: ${miss}`),
  );
  return {
    score: counted.reduce((sum, score) => sum + score, 0) / counted.length,
    per_invocation_scores: scores,
    details: { issues: issues.slice(0, MOST_ISSUES) },
  };
}

function mistake(settings) {
  const known = Object.keys(SETTINGS);
  const unknown = Object.keys(settings).find((key) => !known.includes(key));
  if (unknown) return `config.${unknown}: unknown; known are ${known.join(", ")}`;
  const broken = Object.keys(settings).find((key) => !SETTINGS[key][0](settings[key]));
  return broken ? `config.${broken}: must be ${SETTINGS[broken][1]}` : null;
}

function isCount(value) {
  return Number.isInteger(value) && value >= 0;
}

function isBoolean(value) {
  return typeof value === "boolean";
}

function isListOfTexts(value) {
  const isText = (one) => typeof one === "string" && one !== "";
  return Array.isArray(value) && value.length > 0 && value.every(isText);
}

// What the user and the tools have said: only from there can a link be known.
function collectSources(turn) {
  const responses = turn.intermediate_steps?.tool_responses ?? [];
  return [turn.user_content ?? "", ...responses.map(({ output }) => output ?? "")].join("\n");
}

// A link in Markdown ends with a bracket that is not its own.
function findLinks(answer) {
  const found = (answer.match(LINK) ?? []).map((link) => {
    const cut = link.includes("(") ? link : link.split(")")[0];
    return cut.replace(TRAILING, "");
  });
  return [...new Set(found)];
}

// The share of good links, or of those that are asked for if that is less.
function judge(links, settings, known) {
  const misses = links.flatMap((link) => {
    const why = findObjection(link, settings, known);
    return why ? [`${link.slice(0, LONGEST_QUOTE)} ${why}`] : [];
  });
  const good = links.length - misses.length;
  const wanted = settings.min_links;
  if (good < wanted) misses.push(`${good} good links, at least ${wanted} are asked for`);
  const enough = wanted ? Math.min(1, good / wanted) : 1;
  return { score: Math.min(enough, links.length ? good / links.length : 1), misses };
}

function findObjection(link, { hosts, from_tools: fromTools, https_only: httpsOnly }, known) {
  if (!URL.canParse(link)) return "is not a link";
  const { hostname, protocol } = new URL(link);
  if (httpsOnly && protocol !== "https:") return "is not https";
  const isAt = (host) => `.${hostname}`.endsWith(`.${host.toLowerCase()}`);
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
