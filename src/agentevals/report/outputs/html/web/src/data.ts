// The data that `top.py`, `lines.py` and `details.py` write into the page.

export type Verdict = "pass" | "borderline" | "fail" | "error" | "not-evaluated";
export type Tone = "bad" | "warn" | "good" | "plain";

export interface Finding {
  severity: "error" | "warning" | "note";
  where: string;
  url: string;
  message: string;
  help: string;
}

export interface Figure {
  name: string;
  cases: string;
  base: string;
  head: string;
  difference: string;
  moved: string;
  limit: string;
  verdict: string;
  tone: Tone;
  notable: boolean;
  picture: { at: number; ends: [number, number]; nought: number; margin: number | null } | null;
}

export interface Point {
  commit: string;
  made_at: string;
  figures: { name: string; value: number | null; text: string }[];
}

/** The runs of the base branch, and this run at the end. A strip has a letter for each of them. */
export interface Trend {
  points: Point[];
  strips: { id: string; letters: string }[];
  more: number;
  even: number;
}

export interface Config {
  name: string;
  verdict: string;
  headline: string;
  base: string;
  uncompared: string;
  figures: Figure[];
  told: string[];
  findings: Finding[];
  trend: Trend;
  used: [string, string][];
  reproduce: string;
  evaluators: string[];
  complete: boolean;
}

export interface Top {
  tone: Tone;
  sentence: string;
  facts: string[];
  step: { text: string; url: string } | null;
  about: string[];
  run: string;
  help: string;
  findings: Finding[];
  configs: Config[];
}

type Written = [
  config: number,
  id: string,
  verdict: Verdict,
  kinds: string[],
  score: number | null,
  question: string,
  why: string,
  marks: string,
  scores: (number | null)[],
  before: (number | null)[],
  attempts: [passed: number, of: number],
  amounts: [latency: number | null, tokens: number | null, cost: number | null],
  history: string,
  accepted: string,
];

/** One case in the list. `block` and `place` say where its details are. */
export interface Line {
  config: number;
  id: string;
  verdict: Verdict;
  kinds: string[];
  score: number | null;
  question: string;
  why: string;
  marks: string;
  scores: (number | null)[];
  before: (number | null)[];
  passed: number;
  attempts: number;
  latency: number | null;
  tokens: number | null;
  cost: number | null;
  history: string;
  accepted: string;
  at: number;
  block: number;
  place: number;
  text: string;
}

export interface Row {
  kind: "same" | "changed" | "missing" | "extra" | "moved";
  name: string;
  expected: string;
  actual: string;
  arguments: { name: string; expected: string; actual: string }[];
  elsewhere: boolean;
}

export interface Judgement {
  name: string;
  type: string;
  status: "PASSED" | "FAILED" | "NOT_EVALUATED" | "ERROR";
  score: string;
  share: number | null;
  needs: string;
  threshold: number | null;
  weight: number;
  decides: boolean;
  problems: string[];
  hits: string[];
  reasoning: string;
  turns: { turn: number; before: number; after: number; rows: Row[] }[];
}

export interface Call {
  name: string;
  args?: string;
  response?: string;
  error?: string;
  agent?: string;
}

export interface Exchange {
  user?: string;
  intermediate?: string[];
  answer?: string;
  calls?: Call[];
  tokens?: [number | null, number | null];
  milliseconds?: number;
}

export interface Bar {
  name: string;
  depth?: number;
  start_ms?: number;
  milliseconds?: number;
  failed?: boolean;
}

export interface Transcript {
  turns?: Exchange[];
  expected?: Exchange[];
  unpaired?: string;
  spans?: Bar[];
  left_out?: string[];
}

export interface Attempt {
  verdict: Verdict;
  score: string;
  because: string[];
  sources: string[];
  traces: string[];
  question: string;
  calls: string[] | null;
  judgements: Judgement[];
  unknown: { turn: number; subject: string; evidence: string; remedy: string }[];
  warnings: string[];
  transcript: Transcript | null;
}

export interface Base {
  passed: number;
  attempts: number;
  verdict: Verdict;
  score: string;
  scores: Record<string, { status: string; score: string }>;
}

export interface Details {
  attempts: Attempt[];
  more: number;
  url: string;
  line: number | null;
  base: Base | null;
  path: { expected: boolean; lines: string[] } | null;
  now: string[];
  strip: string;
}

/** Make the lines of one block. */
export function readBlock(text: string, block: number, first: number): Line[] {
  return (JSON.parse(text) as Written[]).map((written, place) => {
    const [config, id, verdict, kinds, score, question, why, marks, scores, before] = written;
    const [passed, attempts] = written[10];
    const [latency, tokens, cost] = written[11];
    return {
      ...{ config, id, verdict, kinds, score, question, why, marks, scores, before },
      ...{ passed, attempts, latency, tokens, cost, history: written[12], accepted: written[13] },
      ...{ at: first + place, block, place, text: `${id} ${question} ${why}`.toLowerCase() },
    };
  });
}

export function readLines(texts: Iterable<string>): Line[] {
  const lines: Line[] = [];
  let block = 0;
  for (const text of texts) lines.push(...readBlock(text, block++, lines.length));
  return lines;
}

/** Decompress the details of a block; null stands for a case that had no room. */
export async function readDetails(packed: string): Promise<(Details | null)[]> {
  const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text()) as (Details | null)[];
}
