// An agent of LangChain 0.3 for JavaScript, which LangGraph builds.
import "./recording.mjs";
import * as shop from "./shop.mjs";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";

const llm = new ChatOpenAI({
  model: "gpt-4o-mini",
  apiKey: "x",
  configuration: { baseURL: `${shop.MODEL}/v1` },
  maxRetries: 0,
});

const build = (name, execute) =>
  tool(async (args) => execute(args), { name, description: name, schema: shop.FORMS[name] });

const tools = Object.entries(shop.TOOLS).map(([name, execute]) => build(name, execute));
const returns = createReactAgent({ llm, name: "returns", tools: [build("refund", shop.refund)] });

async function askReturns({ request }) {
  const done = await returns.invoke({ messages: [{ role: "user", content: request }] });
  return done.messages.at(-1).content;
}

const given = { llm, name: "bakery", prompt: shop.INSTRUCTIONS, tools };
const MORE = { handover: { tools: [build("ask_returns", askReturns)] } };

await shop.play((scenario) => {
  const agent = createReactAgent({
    ...given,
    ...MORE[scenario],
    checkpointSaver: new MemorySaver(),
  });
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
