import { NodeSDK } from "@opentelemetry/sdk-node";

const sdk = new NodeSDK();
sdk.start();
process.once("beforeExit", () => sdk.shutdown());
globalThis.___MASTRA_TELEMETRY___ = true;
export const SETTINGS = { telemetry: { serviceName: "agent", enabled: true } };
