// An agent of the Claude Agent SDK, whose tools are in a server of its own process.
import "./recording.mjs";
import * as shop from "./shop.mjs";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";

const KINDS = { integer: z.number().int(), string: z.string() };

function build(name, execute) {
  const given = Object.entries(shop.FORMS[name].properties);
  const form = Object.fromEntries(given.map(([key, { type }]) => [key, KINDS[type]]));
  return tool(name, name, form, async (args) => {
    const said = execute(args);
    return { content: said ? [{ type: "text", text: said }] : [] };
  });
}

const own = Object.entries({ ...shop.TOOLS, refund: shop.refund });
const bakery = createSdkMcpServer({
  name: "bakery",
  tools: own.map(([name, execute]) => build(name, execute)),
});
const REFUND = "mcp__bakery__refund";
const returns = { description: "Refunds orders.", prompt: "You refund orders.", tools: [REFUND] };
const MORE = {
  stream: { includePartialMessages: true },
  structured: { outputFormat: { type: "json_schema", schema: shop.STATUS } },
  handover: {
    tools: ["Agent"],
    allowedTools: ["Agent", "Task", REFUND],
    agents: { returns },
  },
};
const given = {
  model: "claude-sonnet-4-5",
  systemPrompt: shop.INSTRUCTIONS,
  mcpServers: { bakery },
  tools: [],
  allowedTools: Object.keys(shop.TOOLS).map((name) => `mcp__bakery__${name}`),
  maxTurns: 6,
  env: {
    ...process.env,
    ANTHROPIC_BASE_URL: shop.MODEL,
    ANTHROPIC_API_KEY: "x",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  },
};

await shop.play((scenario) => {
  let resume;
  return async (prompt) => {
    const options = { ...given, ...MORE[scenario], ...(resume && { resume }) };
    for await (const message of query({ prompt, options })) {
      resume = message.session_id ?? resume;
      if (message.type === "result" && message.is_error) throw new Error(message.result);
    }
  };
});
