// The bakery that every agent works for: its tools, and the conversations it is asked for.

export const MODEL = process.env.MODEL_URL;
export const INSTRUCTIONS = "You work for a bakery. Use the tools.";

export const TOOLS = {
  find_order: ({ order_id }) => JSON.stringify({ order_id, status: "shipped" }),
  find_price: ({ item }) => `${item}: 4 €`,
  cancel_order: ({ order_id }) => {
    throw new Error(`order ${order_id} does not exist`);
  },
  remember: () => null,
};
export const refund = ({ order_id }) => `order ${order_id}: 12 € refunded`;

// What a loop of your own tells the model of a tool.
export function use(name, args) {
  try {
    return TOOLS[name](args) ?? "";
  } catch (error) {
    return `Error: ${error.message}`;
  }
}

const form = (given) => ({
  type: "object",
  properties: Object.fromEntries(
    Object.entries(given).map(([name, type]) => [name, { type }]),
  ),
  required: Object.keys(given),
  additionalProperties: false,
});
export const FORMS = {
  find_order: form({ order_id: "integer" }),
  find_price: form({ item: "string" }),
  cancel_order: form({ order_id: "integer" }),
  remember: form({ note: "string" }),
  refund: form({ order_id: "integer" }),
  ask_returns: form({ request: "string" }),
};
export const STATUS = form({ order_id: "integer", status: "string" });

// Has every scenario: `open(scenario)` returns what asks a question.
export async function play(open) {
  for (const scenario of JSON.parse(process.env.SCENARIOS)) {
    await pause();
    const began = Date.now() * 1e6;
    await pause(); // clocks of spans may differ by a millisecond
    let failed = "";
    try {
      const ask = await open(scenario.name);
      for (const question of scenario.questions) await ask(question);
    } catch (error) {
      console.error(error);
      failed = String(error);
    }
    console.log("#" + JSON.stringify({ scenario: scenario.name, began, failed }));

  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
