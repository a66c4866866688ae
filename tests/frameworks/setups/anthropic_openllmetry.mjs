import { AnthropicInstrumentation } from "@traceloop/instrumentation-anthropic";
import { NodeSDK } from "@opentelemetry/sdk-node";
import * as anthropic from "@anthropic-ai/sdk";

const instrumentation = new AnthropicInstrumentation();
const sdk = new NodeSDK({ instrumentations: [instrumentation] });
sdk.start();
instrumentation.manuallyInstrument(anthropic);
process.once("beforeExit", () => sdk.shutdown());
