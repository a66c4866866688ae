// A place is looked up before its weather is asked for, once per conversation.
// Any program can be an evaluator: EvalInput comes on stdin, EvalResult goes to stdout.

const input = JSON.parse(require("fs").readFileSync(0, "utf8"));

const known = new Set();
const issues = [];
let forecasts = 0;

for (const turn of input.invocations) {
  for (const call of turn.intermediate_steps.tool_calls) {
    if (call.name === "geocode") known.add(call.args.place);
    if (call.name !== "forecast") continue;
    forecasts += 1;
    if (!known.has(call.args.place)) issues.push(`${call.args.place} was not looked up`);
  }
}

console.log(JSON.stringify({
  score: forecasts ? 1 - issues.length / forecasts : 1,
  details: { issues },
}));
