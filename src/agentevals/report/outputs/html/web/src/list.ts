// Which cases the list shows, and in which order.

import type { Line, Verdict } from "./data.ts";

export type SortKey = "worst" | "id" | "score" | "change" | "latency" | "tokens" | "cost";
export interface Sort {
  key: SortKey;
  down: boolean;
}

export interface Query {
  words: string;
  filter: string;
  config: number;
  evaluator: number;
  sort: Sort;
}

const VERDICTS: Verdict[] = ["fail", "error", "not-evaluated", "borderline", "pass"];
const KINDS = ["regressed", "flaky", "fixed", "added", "changed"];

export interface Filter {
  key: string;
  label: string;
  count: number;
}

const LABELS: Record<string, string> = {
  fail: "failed",
  error: "error",
  "not-evaluated": "not evaluated",
  borderline: "borderline",
  pass: "passed",
};

/** Return the filters that some case fits, with how many do. */
export function listFilters(lines: readonly Line[]): Filter[] {
  const counts = new Map<string, number>();
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const line of lines) {
    count(line.verdict);
    if (line.accepted) count("accepted");
    for (const kind of KINDS) if (line.kinds.includes(kind)) count(kind);
  }
  const keys = ["regressed", ...VERDICTS.slice(0, 4), "accepted", ...KINDS.slice(1), "pass"];
  const shown = keys.map((key) => ({
    ...{ key, label: LABELS[key] ?? key, count: counts.get(key) ?? 0 },
  }));
  return [{ key: "", label: "all", count: lines.length }, ...shown.filter((one) => one.count)];
}

function fits(line: Line, filter: string): boolean {
  if (!filter || line.verdict === filter) return true;
  return filter === "accepted" ? line.accepted !== "" : line.kinds.includes(filter);
}

/** Return how much the score has changed since the base, over all evaluators of both. */
export function change(line: Line): number | null {
  let sum = 0;
  let count = 0;
  line.scores.forEach((score, at) => {
    const before = line.before[at] ?? null;
    if (score === null || before === null) return;
    sum += score - before;
    count += 1;
  });
  return count ? sum / count : null;
}

function rank(line: Line): number {
  const at = VERDICTS.indexOf(line.verdict) * 4;
  if (line.kinds.includes("regressed")) return line.verdict === "fail" ? -2 : -1;
  return at + (line.accepted ? 2 : line.kinds.length ? 0 : 1);
}

const VALUES: Record<Exclude<SortKey, "id">, (line: Line) => number | null> = {
  worst: rank,
  score: (line) => line.score,
  change,
  latency: (line) => line.latency,
  tokens: (line) => line.tokens,
  cost: (line) => line.cost,
};

/** Return the cases in order. Unknown values are last, and equal ones as they were recorded. */
export function sortLines(lines: readonly Line[], sort: Sort): Line[] {
  const sign = sort.down ? -1 : 1;
  if (sort.key === "id") {
    const order = new Intl.Collator(undefined, { numeric: true }).compare;
    return [...lines].sort((a, b) => sign * order(a.id, b.id) || a.at - b.at);
  }
  const find = VALUES[sort.key];
  const known = lines.map((line) => ({ line, value: find(line) }));
  known.sort((a, b) => {
    if (a.value === null || b.value === null) {
      return Number(a.value === null) - Number(b.value === null) || a.line.at - b.line.at;
    }
    return sign * (a.value - b.value) || a.line.at - b.line.at;
  });
  return known.map((one) => one.line);
}

/** Return the cases that have all words, fit the filter, and were failed by the evaluator. */
export function selectLines(lines: readonly Line[], query: Query): Line[] {
  const words = query.words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = lines.filter(
    (line) =>
      (query.config < 0 || line.config === query.config) &&
      fits(line, query.filter) &&
      (query.evaluator < 0 || "fe".includes(line.marks[query.evaluator] ?? "-")) &&
      words.every((word) => line.text.includes(word)),
  );
  return sortLines(found, query.sort);
}
