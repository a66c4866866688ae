// A loop of your own around Anthropic's SDK, with one span around each turn.
import "./recording.mjs";
import * as shop from "./shop.mjs";
import Anthropic from "@anthropic-ai/sdk";
import { trace } from "@opentelemetry/api";

const client = new Anthropic({ baseURL: shop.MODEL, apiKey: "x" });
const tracer = trace.getTracer("bakery");
const tools = Object.keys(shop.TOOLS).map((name) => ({
  name,
  description: name,
  input_schema: shop.FORMS[name],
}));
const MORE = {
  structured: { output_config: { format: { type: "json_schema", schema: shop.STATUS } } },
};

async function askModel(messages, scenario) {
  const given = {
    model: "claude-sonnet-4-5",
    max_tokens: 1000,
    system: shop.INSTRUCTIONS,
    messages,
    tools,
    ...MORE[scenario],
  };
  if (scenario !== "stream") return (await client.messages.create(given)).content;
  return join(await client.messages.create({ ...given, stream: true }));
}

async function join(stream) {
  const said = [];
  const inputs = [];
  for await (const event of stream) {
    const { index, delta } = event;
    if (event.type === "content_block_start") said[index] = event.content_block;
    if (delta?.type === "text_delta") said[index].text += delta.text;
    if (delta?.type === "input_json_delta")
      inputs[index] = (inputs[index] ?? "") + delta.partial_json;
  }
  inputs.forEach((given, index) => (said[index].input = JSON.parse(given)));
  return said;
}

async function answer(messages, scenario) {
  for (;;) {
    const said = await askModel(messages, scenario);
    messages.push({ role: "assistant", content: said });
    const calls = said.filter((part) => part.type === "tool_use");
    if (!calls.length) return;
    const told = calls.map(({ id, name, input }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: shop.use(name, input),
    }));
    messages.push({ role: "user", content: told });
  }
}

await shop.play((scenario) => {
  const messages = [];
  return (question) => {
    messages.push({ role: "user", content: question });
    return tracer.startActiveSpan("turn", (span) =>
      answer(messages, scenario).finally(() => span.end()),
    );
  };
});
