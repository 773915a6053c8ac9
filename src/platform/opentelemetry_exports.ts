// Re-exports parts of OpenTelemetry, because a dynamic import of the bundled package itself would have no names.
export { SpanStatusCode, trace } from "@opentelemetry/api";
