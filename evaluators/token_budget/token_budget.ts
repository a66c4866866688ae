// The conversation stays within a number of tokens, as they were recorded.

const { readFileSync } = require("node:fs");

interface Tokens { total?: number; total_prompt?: number; total_output?: number }
interface Performance { tokens?: Tokens }
interface Turn {
  performance_metrics?: Performance | null;
  turn_performance_metrics?: Performance | null;
}
interface Input { config?: Config; invocations?: Turn[] }
interface Result {
  score: number;
  status?: string;
  per_invocation_scores?: (number | null)[];
  details?: Record<string, unknown>;
}
type Limit = "max_total" | "max_input" | "max_output";
type Config = Partial<Record<Limit, unknown>> & { per?: unknown };

const FIELDS: Record<Limit, keyof Tokens> = {
  max_total: "total",
  max_input: "total_prompt",
  max_output: "total_output",
};
const LIMITS = Object.keys(FIELDS) as Limit[];
const KNOWN = [...LIMITS, "per"];
const SPANS = ["conversation", "turn"];
const MOST_ISSUES = 20;

function evaluate({ config, invocations }: Input): Result {
  const settings = config ?? {};
  const wrong = mistake(settings);
  if (wrong) return notEvaluated(wrong);
  const turns = invocations ?? [];
  const perTurn = settings.per === "turn";
  const each = turns.map((turn) => turn.turn_performance_metrics);
  const spans = perTurn ? each : [findPerformance(turns)];
  const found = spans.map(findTokens);
  const isMeasured = (tokens: Tokens) =>
    listLimits(settings).every((key) => readCount(tokens, key) !== undefined);
  const shares = found.map((tokens) =>
    tokens && isMeasured(tokens) ? computeShare(tokens, settings) : null,
  );
  const judged = shares.filter((share): share is number => share !== null);
  if (!judged.length) return notEvaluated("no tokens were recorded");

  const issues = found.flatMap((tokens, at) =>
    listExceeded(tokens ?? {}, settings).map((miss) => (perTurn ? `turn ${at + 1}: ${miss}` : miss)),
  );
  return {
    score: judged.reduce((least, share) => Math.min(least, share), 1),
    status: issues.length ? "FAILED" : "PASSED", // over the budget, whatever the threshold
    per_invocation_scores: perTurn ? shares : [],
    details: { issues: issues.slice(0, MOST_ISSUES) },
  };
}

function mistake(settings: Config): string | null {
  const unknown = Object.keys(settings).find((key) => !KNOWN.includes(key));
  if (unknown) return `config.${unknown}: unknown; known are ${KNOWN.join(", ")}`;
  const broken = LIMITS.find((key) => key in settings && !isCount(settings[key]));
  if (broken) return `config.${broken}: must be a whole number from 1`;
  if (!SPANS.includes((settings.per ?? "conversation") as string)) {
    return `config.per: must be one of ${SPANS.join(", ")}`;
  }
  return listLimits(settings).length ? null : `config: give one of ${LIMITS.join(", ")}`;
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0;
}

function listLimits(settings: Config): Limit[] {
  return LIMITS.filter((key) => key in settings);
}

// The figures of the conversation are the same on every turn.
function findPerformance(turns: Turn[]): Performance | null | undefined {
  return turns.map((turn) => turn.performance_metrics).find((told) => findTokens(told));
}

// A trace without any token counts says 0, which is no measurement.
function findTokens(told: Performance | null | undefined): Tokens | null {
  const tokens = told?.tokens;
  return tokens && Object.values(FIELDS).some((field) => (tokens[field] ?? 0) > 0) ? tokens : null;
}

// Without a total it is what was read and written.
function readCount(tokens: Tokens, key: Limit): number | undefined {
  const { total_prompt: read, total_output: written } = tokens;
  const isSum = key === "max_total" && read !== undefined && written !== undefined;
  return tokens[FIELDS[key]] ?? (isSum ? read + written : undefined);
}

function computeShare(tokens: Tokens, settings: Config): number {
  const limits = listLimits(settings);
  const shares = limits.map((key) => (settings[key] as number) / (readCount(tokens, key) || 1));
  return Math.min(1, ...shares);
}

function listExceeded(tokens: Tokens, settings: Config): string[] {
  return listLimits(settings).flatMap((key) => {
    const [count, limit] = [readCount(tokens, key) ?? 0, settings[key] as number];
    const what = key.replace("max_", "");
    return count > limit ? [`${count} tokens (${what}), allowed are ${limit}`] : [];
  });
}

function notEvaluated(reason: string): Result {
  return { score: 0, status: "NOT_EVALUATED", details: { reason } };
}

// A text that was cut may end with half a letter, which is not JSON.
function whole(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

console.log(JSON.stringify(evaluate(JSON.parse(readFileSync("/dev/stdin", "utf8"))), whole));
