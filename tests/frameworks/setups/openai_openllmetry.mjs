import { OpenAIInstrumentation } from "@traceloop/instrumentation-openai";
import { NodeSDK } from "@opentelemetry/sdk-node";
import OpenAI from "openai";

const instrumentation = new OpenAIInstrumentation();
const sdk = new NodeSDK({ instrumentations: [instrumentation] });
sdk.start();
instrumentation.manuallyInstrument(OpenAI);
process.once("beforeExit", () => sdk.shutdown());
