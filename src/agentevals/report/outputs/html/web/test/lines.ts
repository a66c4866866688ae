import { readLines } from "../src/data.ts";
import type { Line } from "../src/data.ts";

/** Make cases as the page reads them; each is written as `lines.py` does. */
export function make(...cases: Partial<Line>[]): Line[] {
  const written = cases.map((one, at) => [
    ...[one.config ?? 0, one.id ?? `case-${at}`, one.verdict ?? "pass", one.kinds ?? []],
    ...[one.score ?? null, one.question ?? "", one.why ?? "", one.marks ?? "p"],
    ...[one.scores ?? [], one.before ?? [], [one.passed ?? 1, one.attempts ?? 1]],
    ...[[one.latency ?? null, one.tokens ?? null, one.cost ?? null], one.history ?? "", one.accepted ?? ""],
  ]);
  return readLines([JSON.stringify(written)]);
}

export const names = (lines: readonly Line[]) => lines.map((line) => line.id);
