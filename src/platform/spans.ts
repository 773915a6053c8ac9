// What is used of OpenTelemetry, by its names: a bundler gives them to who imports them so, and to no late import.
export { SpanStatusCode, trace } from "@opentelemetry/api";
