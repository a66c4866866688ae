// The tools were called in the right order.

const { readFileSync } = require("node:fs");

interface Call { name?: string }
interface Turn { intermediate_steps?: { tool_calls?: Call[] } }
interface Input { config?: Config; invocations?: Turn[]; expected_invocations?: Turn[] | null }
interface Result { score: number; status?: string; details?: Record<string, unknown> }
interface Config { expected?: unknown; mode?: unknown }
type Mode = "in_order" | "exact" | "any_order";

const MODES: readonly Mode[] = ["in_order", "exact", "any_order"];
const KNOWN = ["expected", "mode"];
const MOST_CALLS = 5000;
const MOST_SHOWN = 50;

function evaluate({ config, invocations, expected_invocations: goldens }: Input): Result {
  const settings = config ?? {};
  const wrong = mistake(settings);
  if (wrong) return notEvaluated(wrong);
  const expected = (settings.expected as string[] | undefined) ?? listNames(goldens ?? []);
  if (!expected.length) {
    return notEvaluated("no call is expected: set config.expected or use an eval set");
  }

  const actual = listNames(invocations ?? []);
  const mode = (settings.mode ?? "in_order") as Mode;
  const common = mode === "any_order" ? countCommon(expected, actual) : countInOrder(expected, actual);
  const longest = mode === "exact" ? Math.max(expected.length, actual.length) : expected.length;
  const issue = `called ${show(actual)}, expected was ${show(expected)} (${mode})`;
  return {
    score: common / longest,
    details: { actual: actual.slice(0, MOST_SHOWN), issues: common < longest ? [issue] : [] },
  };
}

function mistake({ expected, mode, ...others }: Config): string | null {
  const [unknown] = Object.keys(others);
  if (unknown) return `config.${unknown}: unknown; known are ${KNOWN.join(", ")}`;
  const isName = (one: unknown) => typeof one === "string" && one !== "";
  const isList = Array.isArray(expected) && expected.every(isName);
  if (expected !== undefined && !isList) return "config.expected: must be a list of tool names";
  const isKnown = mode === undefined || MODES.includes(mode as Mode);
  return isKnown ? null : `config.mode: must be one of ${MODES.join(", ")}`;
}

function listNames(turns: Turn[]): string[] {
  const calls = turns.flatMap((turn) => turn.intermediate_steps?.tool_calls ?? []);
  return calls.slice(0, MOST_CALLS).map(({ name }) => name ?? "");
}

// How many calls both have, the order aside.
function countCommon(expected: string[], actual: string[]): number {
  const left = new Map<string, number>();
  for (const name of actual) left.set(name, (left.get(name) ?? 0) + 1);
  return expected.filter((name) => {
    const times = left.get(name) ?? 0;
    left.set(name, times - 1);
    return times > 0;
  }).length;
}

// The length of the longest common subsequence, row by row.
function countInOrder(expected: string[], actual: string[]): number {
  let row = new Uint32Array(actual.length + 1);
  for (const name of expected) {
    const next = new Uint32Array(actual.length + 1);
    actual.forEach((other, at) => {
      next[at + 1] = name === other ? row[at] + 1 : Math.max(row[at + 1], next[at]);
    });
    row = next;
  }
  return row[actual.length];
}

function show(names: string[]): string {
  const rest = names.length > MOST_SHOWN ? ", …" : "";
  return names.length ? names.slice(0, MOST_SHOWN).join(", ") + rest : "nothing";
}

function notEvaluated(reason: string): Result {
  return { score: 0, status: "NOT_EVALUATED", details: { reason } };
}

// A text that was cut may end with half a letter, which is not JSON.
function whole(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

console.log(JSON.stringify(evaluate(JSON.parse(readFileSync("/dev/stdin", "utf8"))), whole));
