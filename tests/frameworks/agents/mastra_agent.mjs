// An agent of Mastra, with a model of the AI SDK.
import * as shop from "./shop.mjs";
import { SETTINGS } from "./recording.mjs";
import { createOpenAI } from "@ai-sdk/openai";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";

const model = createOpenAI({ baseURL: `${shop.MODEL}/v1`, apiKey: "x" }).chat("gpt-4o-mini");
const KINDS = { integer: z.number().int(), string: z.string() };
const read = ({ properties }) =>
  z.object(Object.fromEntries(Object.entries(properties).map(([k, v]) => [k, KINDS[v.type]])));
const build = (name, execute) =>
  createTool({
    id: name,
    description: name,
    inputSchema: read(shop.FORMS[name]),
    execute: async (given, told = given) =>
      execute(given.context ?? given, { tracingContext: told.tracingContext }),
  });

const given = { instructions: shop.INSTRUCTIONS, model };
const tools = Object.fromEntries(
  Object.entries(shop.TOOLS).map(([name, execute]) => [name, build(name, execute)]),
);
const returns = new Agent({
  ...given,
  id: "returns",
  name: "returns",
  description: "refunds orders",
  tools: { refund: build("refund", shop.refund) },
});
const askReturns = async ({ request }, traced) =>
  (await mastra.getAgent("returns").generate(request, traced)).text;
const bakery = new Agent({ ...given, id: "bakery", name: "bakery", tools });
const desk = new Agent({
  ...given,
  id: "desk",
  name: "bakery",
  tools: { ask_returns: build("ask_returns", askReturns) },
});
const mastra = new Mastra({ agents: { bakery, desk, returns }, logger: false, ...SETTINGS });
const MORE = { structured: { structuredOutput: { schema: read(shop.STATUS) } } };

await shop.play((scenario) => {
  const agent = mastra.getAgent(scenario === "handover" ? "desk" : "bakery");
  const messages = [];
  return async (question) => {
    messages.push({ role: "user", content: question });
    const options = { maxSteps: 5, ...MORE[scenario] };
    if (scenario === "stream") {
      const said = await agent.stream(messages, options);
      for await (const _ of said.textStream);
      return;
    }
    const { response, text } = await agent.generate(messages, options);
    messages.push(...(response?.messages ?? [{ role: "assistant", content: text }]));
  };
});
await mastra.shutdown?.();
