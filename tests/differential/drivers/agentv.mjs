// Runs cases by AgentV's library: `node agentv.mjs FOLDER-OF-PACKAGES TASK.json`, results on stdout.
import { readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, task] = process.argv.slice(2);
const { createProvider, loadTests, resolveTargetDefinition, runEvaluation } = await import(
  pathToFileURL(join(packages, "node_modules/@agentv/core/dist/index.js")).href
);
const { cases, judges, url } = JSON.parse(readFileSync(task, "utf8"));

for (const level of ["log", "warn", "error", "info"]) {
  console[level] = () => {}; // stdout is for the results
}

// what a target is reached by has to come from variables
const env = { ...process.env, JUDGE_KEY: "none" };
const definitions = judges.map((name, at) => {
  env[`JUDGE_${at}`] = name;
  return {
    name,
    provider: "openai",
    base_url: url,
    api_key: "${{ JUDGE_KEY }}",
    model: `\${{ JUDGE_${at} }}`,
    max_retries: 0,
  };
});

const spell = (call) => ({
  ...call,
  durationMs: call.duration_ms,
  startTime: call.start_time,
  endTime: call.end_time,
});
const say = (message) => ({
  ...message,
  ...(message.tool_calls ? { toolCalls: message.tool_calls.map(spell) } : {}),
});

function play(agent) {
  return {
    id: "cli:agent",
    kind: "cli", // as the command has it
    targetName: "agent",
    invoke: async () => ({
      output: agent.output.map(say),
      tokenUsage: agent.token_usage,
      costUsd: agent.cost_usd,
      durationMs: agent.duration_ms,
    }),
  };
}

const show = (one) => ({
  name: one.name,
  type: one.type,
  score: one.score,
  weight: one.weight,
  verdict: one.verdict,
  hits: one.assertions.filter((each) => each.passed).map((each) => each.text),
  misses: one.assertions.filter((each) => !each.passed).map((each) => each.text),
  ...(one.details?.stdin ? { details: { stdin: one.details.stdin } } : {}),
  ...(one.scores ? { children: one.scores.map(show) } : {}),
});

async function run({ file, agent }) {
  const tests = await loadTests(file, dirname(file));
  if (tests.length === 0) return { test_skipped_at_load: true };
  const target = resolveTargetDefinition(
    { name: "agent", provider: "mock", grader_target: judges[0] },
    env,
  );
  const [result] = await runEvaluation({
    testFilePath: file,
    repoRoot: dirname(file),
    evalCases: tests,
    target,
    targets: definitions,
    env,
    providerFactory: (each) => (each.name === "agent" ? play(agent) : createProvider(each)),
    maxRetries: 0,
  });
  return {
    score: result.score,
    execution_status: result.executionStatus,
    ...(result.error ? { error: result.error } : {}),
    ...(result.scores ? {} : { ran_default_llm_grader: true }),
    evaluators: (result.scores ?? []).map(show),
  };
}

for (const each of cases) {
  let found;
  try {
    found = await run(each);
  } catch {
    found = { test_skipped_at_load: true };
  }
  writeSync(1, `${JSON.stringify(found)}\n`);
}
process.exit(0);
