import { AnthropicInstrumentation } from "@arizeai/openinference-instrumentation-anthropic";
import { NodeSDK } from "@opentelemetry/sdk-node";
import Anthropic from "@anthropic-ai/sdk";

const instrumentation = new AnthropicInstrumentation();
const sdk = new NodeSDK({ instrumentations: [instrumentation] });
sdk.start();
instrumentation.manuallyInstrument(Anthropic);
process.once("beforeExit", () => sdk.shutdown());
