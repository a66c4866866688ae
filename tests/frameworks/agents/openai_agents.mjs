// An agent of OpenAI's Agents SDK, which asks by responses.
import "./recording.mjs";
import * as shop from "./shop.mjs";
import { Agent, MemorySession, run, setDefaultOpenAIClient, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";

setDefaultOpenAIClient(new OpenAI({ baseURL: `${shop.MODEL}/v1`, apiKey: "x" }));

const build = (name, execute) =>
  tool({ name, description: name, parameters: shop.FORMS[name], strict: true, execute });
const tools = Object.entries(shop.TOOLS).map(([name, execute]) => build(name, execute));
const returns = new Agent({
  name: "returns",
  model: "gpt-4o-mini",
  tools: [build("refund", shop.refund)],
});
const given = { name: "bakery", instructions: shop.INSTRUCTIONS, model: "gpt-4o-mini" };
const AGENTS = {
  structured: new Agent({
    ...given,
    tools,
    outputType: z.object({ order_id: z.number(), status: z.string() }),
  }),
  handover: Agent.create({ ...given, handoffs: [returns] }),
};

await shop.play((scenario) => {
  const agent = AGENTS[scenario] ?? new Agent({ ...given, tools });
  const session = new MemorySession();
  return async (question) => {
    const stream = scenario === "stream";
    const done = await run(agent, question, { session, stream });
    await done.completed;
  };
});
