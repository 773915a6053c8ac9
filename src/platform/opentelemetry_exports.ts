// Re-exports parts of OpenTelemetry, because a dynamic import of the bundled package has no named exports.
export { SpanStatusCode, trace } from "@opentelemetry/api";
