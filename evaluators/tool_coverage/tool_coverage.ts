// Every tool that is needed was called, and came back if that is asked for.

const { readFileSync } = require("node:fs");

interface Call { name?: string; id?: string | null }
interface Response { name?: string; status?: string | null; output?: string | null; response?: unknown }
interface Turn { intermediate_steps?: { tool_calls?: Call[]; tool_responses?: Response[] } }
interface Input { config?: Config; invocations?: Turn[]; expected_invocations?: Turn[] | null }
interface Result { score: number; status?: string; details?: Record<string, unknown> }
interface Config { expected?: unknown; succeeded?: unknown }

const KNOWN = ["expected", "succeeded"];
const FAILED = ["error", "failed", "failure", "exception", "timeout"];
const MOST_SHOWN = 50;

function evaluate({ config, invocations, expected_invocations: goldens }: Input): Result {
  const settings = config ?? {};
  const wrong = mistake(settings);
  if (wrong) return notEvaluated(wrong);
  const expected = new Set((settings.expected as string[] | undefined) ?? listCalls(goldens ?? []));
  if (!expected.size) {
    return notEvaluated("no tool is expected: set config.expected or use an eval set");
  }

  const turns = invocations ?? [];
  const covered = new Set(settings.succeeded ? listAnswered(turns) : listCalls(turns));
  const missing = [...expected].filter((name) => !covered.has(name));
  const what = settings.succeeded ? "did not succeed" : "was not called";
  return {
    score: 1 - missing.length / expected.size,
    details: {
      called: [...covered].slice(0, MOST_SHOWN),
      issues: missing.slice(0, MOST_SHOWN).map((name) => `${name} ${what}`),
    },
  };
}

function mistake({ expected, succeeded = false, ...others }: Config): string | null {
  const [unknown] = Object.keys(others);
  if (unknown) return `config.${unknown}: unknown; known are ${KNOWN.join(", ")}`;
  const isName = (one: unknown) => typeof one === "string" && one !== "";
  const isList = Array.isArray(expected) && expected.every(isName);
  if (expected !== undefined && !isList) return "config.expected: must be a list of tool names";
  return typeof succeeded === "boolean" ? null : "config.succeeded: must be true or false";
}

function listCalls(turns: Turn[]): string[] {
  const calls = turns.flatMap((turn) => turn.intermediate_steps?.tool_calls ?? []);
  return calls.map(({ name }) => name ?? "");
}

function listAnswered(turns: Turn[]): string[] {
  const responses = turns.flatMap((turn) => turn.intermediate_steps?.tool_responses ?? []);
  return responses.filter((each) => !hasFailed(each)).map(({ name }) => name ?? "");
}

// By the status, or by the keys that tools use for an error.
function hasFailed(answer: Response): boolean {
  const told = readObject(answer);
  if ([answer.status, told.status].some(isFailure)) return true;
  if ([told.status, told.statusCode, told.status_code].some(isErrorCode)) return true;
  if (told.isError === true || told.is_error === true) return true;
  if (Array.isArray(told.errors) ? told.errors.length : told.errors) return true;
  return Boolean(told.error ?? told.exception) || told.success === false || told.ok === false;
}

function isFailure(status: unknown): boolean {
  return typeof status === "string" && FAILED.includes(status.toLowerCase());
}

function isErrorCode(code: unknown): boolean {
  return typeof code === "number" && code >= 400 && code < 600;
}

function readObject({ response, output }: Response): Record<string, unknown> {
  if (response && typeof response === "object") return response as Record<string, unknown>;
  try {
    const found = JSON.parse(output ?? "");
    return found && typeof found === "object" ? found : {};
  } catch {
    return {};
  }
}

function notEvaluated(reason: string): Result {
  return { score: 0, status: "NOT_EVALUATED", details: { reason } };
}

// A text that was cut may end with half a letter, which is not JSON.
function whole(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

console.log(JSON.stringify(evaluate(JSON.parse(readFileSync("/dev/stdin", "utf8"))), whole));
