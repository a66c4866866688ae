// The conversation costs no more than it may: what was recorded, or tokens times prices.

const { readFileSync } = require("node:fs");

interface Performance {
  cost?: { total?: number };
  tokens?: { total_prompt?: number; total_output?: number };
}
interface Input { config?: Config; invocations?: { performance_metrics?: Performance | null }[] }
interface Result { score: number; status?: string; details?: Record<string, unknown> }
interface Config { max_cost?: unknown; input_per_million?: unknown; output_per_million?: unknown }

const KNOWN = ["max_cost", "input_per_million", "output_per_million"];
const MILLION = 1_000_000;

function evaluate({ config, invocations }: Input): Result {
  const settings = config ?? {};
  const wrong = mistake(settings);
  if (wrong) return notEvaluated(wrong);
  const told = (invocations ?? []).flatMap(({ performance_metrics: figures }) => figures ?? []);
  const recorded = first(told.map((figures) => figures.cost?.total));
  const found = recorded ?? first(told.map((figures) => computeCost(figures, settings)));
  if (found === undefined) {
    return notEvaluated("no cost was recorded; give input_per_million and output_per_million");
  }

  const limit = settings.max_cost as number;
  const fits = found <= limit;
  return {
    score: fits ? 1 : limit / found,
    status: fits ? "PASSED" : "FAILED", // over the budget, whatever the threshold
    details: { cost: found, issues: fits ? [] : [`cost ${found}, at most ${limit} is allowed`] },
  };
}

function mistake(settings: Config): string | null {
  const unknown = Object.keys(settings).find((key) => !KNOWN.includes(key));
  if (unknown) return `config.${unknown}: unknown; known are ${KNOWN.join(", ")}`;
  const broken = Object.entries(settings).find(([, value]) => !isAmount(value));
  if (broken) return `config.${broken[0]}: must be a number from 0`;
  return "max_cost" in settings ? null : "config.max_cost: is missing";
}

function isAmount(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) >= 0;
}

function first(figures: unknown[]): number | undefined {
  return figures.find(isAmount);
}

function computeCost({ tokens }: Performance, settings: Config): number | undefined {
  const { input_per_million: input, output_per_million: output } = settings;
  const { total_prompt: read = 0, total_output: written = 0 } = tokens ?? {};
  if (input === undefined || output === undefined || !(read || written)) return undefined;
  return (read * (input as number) + written * (output as number)) / MILLION;
}

function notEvaluated(reason: string): Result {
  return { score: 0, status: "NOT_EVALUATED", details: { reason } };
}

// A text that was cut may end with half a letter, which is not JSON.
function whole(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

console.log(JSON.stringify(evaluate(JSON.parse(readFileSync("/dev/stdin", "utf8"))), whole));
