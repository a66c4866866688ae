import { OpenAIInstrumentation } from "@opentelemetry/instrumentation-openai";
import { NodeSDK } from "@opentelemetry/sdk-node";

const sdk = new NodeSDK({ instrumentations: [new OpenAIInstrumentation()] });
sdk.start();
process.once("beforeExit", () => sdk.shutdown());
