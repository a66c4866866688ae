import { LegacyOpenTelemetry } from "@ai-sdk/otel";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { registerTelemetry } from "ai";

const sdk = new NodeSDK();
sdk.start();
process.once("beforeExit", () => sdk.shutdown());
registerTelemetry(new LegacyOpenTelemetry());
