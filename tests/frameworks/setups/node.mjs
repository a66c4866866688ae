import { NodeSDK } from "@opentelemetry/sdk-node";

const sdk = new NodeSDK();
sdk.start();
process.once("beforeExit", () => sdk.shutdown());
