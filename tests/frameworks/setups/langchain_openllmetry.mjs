import * as CallbackManager from "@langchain/core/callbacks/manager";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { LangChainInstrumentation } from "@traceloop/instrumentation-langchain";

const instrumentation = new LangChainInstrumentation();
const sdk = new NodeSDK({ instrumentations: [instrumentation] });
sdk.start();
instrumentation.manuallyInstrument({ callbackManagerModule: CallbackManager });
process.once("beforeExit", () => sdk.shutdown());
