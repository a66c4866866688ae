// An agent of LangChain for JavaScript, which is a graph of LangGraph.
import "./recording.mjs";
import * as shop from "./shop.mjs";
import { createAgent, providerStrategy, tool } from "langchain";
import { ChatOpenAI } from "@langchain/openai";
import { MemorySaver } from "@langchain/langgraph";

const model = new ChatOpenAI({
  model: "gpt-4o-mini",
  apiKey: "x",
  configuration: { baseURL: `${shop.MODEL}/v1` },
  maxRetries: 0,
});

const build = (name, execute) =>
  tool(async (args) => execute(args), { name, description: name, schema: shop.FORMS[name] });

const tools = Object.entries(shop.TOOLS).map(([name, execute]) => build(name, execute));
const returns = createAgent({ model, name: "returns", tools: [build("refund", shop.refund)] });

async function askReturns({ request }) {
  const done = await returns.invoke({ messages: [{ role: "user", content: request }] });
  return done.messages.at(-1).content;
}

const given = { model, name: "bakery", systemPrompt: shop.INSTRUCTIONS, tools };
const MORE = {
  structured: { responseFormat: providerStrategy({ title: "OrderStatus", ...shop.STATUS }) },
  handover: { tools: [build("ask_returns", askReturns)] },
};

await shop.play((scenario) => {
  const agent = createAgent({ ...given, ...MORE[scenario], checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: crypto.randomUUID() } };
  return async (question) => {
    const asked = { messages: [{ role: "user", content: question }] };
    if (scenario === "stream") {
      for await (const _ of await agent.stream(asked, { ...config, streamMode: "messages" }));
      return;
    }
    await agent.invoke(asked, config);
  };
});
