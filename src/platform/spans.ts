// Re-exports what is used of OpenTelemetry: once bundled, a dynamic import of the package has no names.
export { SpanStatusCode, trace } from "@opentelemetry/api";
