// An agent on Vercel's AI SDK, the same for its versions 4 to 7.
import "./recording.mjs";
import * as shop from "./shop.mjs";
import { createOpenAI } from "@ai-sdk/openai";
import * as ai from "ai";

const model = createOpenAI({ baseURL: `${shop.MODEL}/v1`, apiKey: "x" }).chat("gpt-4o-mini");
const telemetry = (functionId, metadata = {}) => ({ isEnabled: true, functionId, metadata });

function build(name, execute) {
  const form = ai.jsonSchema(shop.FORMS[name]);
  const run = async (args) => execute(args);
  return ai.tool({ description: name, inputSchema: form, parameters: form, execute: run });
}

const tools = Object.fromEntries(
  Object.entries(shop.TOOLS).map(([name, execute]) => [name, build(name, execute)]),
);
const given = {
  model,
  system: shop.INSTRUCTIONS,
  tools,
  maxSteps: 5,
  stopWhen: (ai.stepCountIs ?? ai.isStepCount)?.(5),
};
const recorded = (name, metadata) => ({
  experimental_telemetry: telemetry(name, metadata),
  ...(ai.registerTelemetry && { telemetry: telemetry(name, metadata) }),
});

async function askReturns({ request }) {
  const own = { ...given, tools: { refund: build("refund", shop.refund) } };
  return (await ai.generateText({ ...own, prompt: request, ...recorded("returns") })).text;
}

const output = ai.Output.object({ schema: ai.jsonSchema(shop.STATUS) });
const MORE = {
  structured: { output, experimental_output: output },
  handover: { tools: { ask_returns: build("ask_returns", askReturns) } },
};

await shop.play((scenario) => {
  const messages = [];
  const sessionId = crypto.randomUUID();
  return async (question) => {
    messages.push({ role: "user", content: question });
    const asked = { ...given, ...MORE[scenario], ...recorded("bakery", { sessionId }), messages };
    if (scenario === "stream") {
      for await (const _ of ai.streamText(asked).textStream);
      return;
    }
    const { response } = await ai.generateText(asked);
    messages.push(...response.messages);
  };
});
