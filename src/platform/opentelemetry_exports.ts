// Re-exports parts of OpenTelemetry: a dynamic import of the bundled package itself would have no names.
export { SpanStatusCode, trace } from "@opentelemetry/api";
