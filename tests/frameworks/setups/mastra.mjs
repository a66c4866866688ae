import { Observability } from "@mastra/observability";
import { OtelExporter } from "@mastra/otel-exporter";

const endpoint = `${process.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`;
const exporter = new OtelExporter({ provider: { custom: { endpoint, protocol: "http/protobuf" } } });
const observability = new Observability({
  configs: { default: { serviceName: "agent", exporters: [exporter] } },
});
export const SETTINGS = { observability };
