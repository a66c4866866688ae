// A loop of your own around OpenAI's SDK, with one span around each turn.
import "./recording.mjs";
import * as shop from "./shop.mjs";
import { trace } from "@opentelemetry/api";
import OpenAI from "openai";

const client = new OpenAI({ baseURL: `${shop.MODEL}/v1`, apiKey: "x" });
const tracer = trace.getTracer("bakery");
const tools = Object.keys(shop.TOOLS).map((name) => ({
  type: "function",
  function: { name, description: name, parameters: shop.FORMS[name] },
}));
const STATUS = { name: "OrderStatus", schema: shop.STATUS, strict: true };
const MORE = {
  structured: { response_format: { type: "json_schema", json_schema: STATUS } },
  stream: { stream: true, stream_options: { include_usage: true } },
};

async function askModel(messages, scenario) {
  const given = { model: "gpt-4o-mini", messages, tools, ...MORE[scenario] };
  const said = await client.chat.completions.create(given);
  return scenario === "stream" ? join(said) : said.choices[0].message;
}

async function join(stream) {
  const message = { role: "assistant", content: "", tool_calls: [] };
  for await (const { choices } of stream) {
    const { content, tool_calls = [] } = choices[0]?.delta ?? {};
    message.content += content ?? "";
    for (const { index, id, function: given } of tool_calls) {
      const none = { id, type: "function", function: { name: given.name, arguments: "" } };
      message.tool_calls[index] ??= none;
      message.tool_calls[index].function.arguments += given.arguments;
    }
  }
  return message.tool_calls.length ? message : { role: "assistant", content: message.content };
}

async function answer(messages, scenario) {
  for (;;) {
    const message = await askModel(messages, scenario);
    messages.push(message);
    if (!message.tool_calls?.length) return;
    for (const { id, function: call } of message.tool_calls) {
      const content = shop.use(call.name, JSON.parse(call.arguments));
      messages.push({ role: "tool", tool_call_id: id, content });
    }
  }
}

await shop.play((scenario) => {
  const messages = [{ role: "system", content: shop.INSTRUCTIONS }];
  return (question) => {
    messages.push({ role: "user", content: question });
    return tracer.startActiveSpan("turn", (span) =>
      answer(messages, scenario).finally(() => span.end()),
    );
  };
});
