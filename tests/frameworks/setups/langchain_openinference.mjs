import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as CallbackManager from "@langchain/core/callbacks/manager";
import { NodeSDK } from "@opentelemetry/sdk-node";

const instrumentation = new LangChainInstrumentation();
const sdk = new NodeSDK({ instrumentations: [instrumentation] });
sdk.start();
instrumentation.manuallyInstrument(CallbackManager);
process.once("beforeExit", () => sdk.shutdown());
