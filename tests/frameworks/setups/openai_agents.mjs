import { OpenAIAgentsInstrumentation } from "@arizeai/openinference-instrumentation-openai-agents";
import * as agents from "@openai/agents";
import { NodeSDK } from "@opentelemetry/sdk-node";

const sdk = new NodeSDK();
sdk.start();
new OpenAIAgentsInstrumentation().manuallyInstrument(agents);
process.once("beforeExit", () => sdk.shutdown());
