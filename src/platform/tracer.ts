// Records OpenTelemetry traces, which the runtime exports (OTLP). If OTEL_DENO does not enable them, loads nothing.
import type { Attributes, Span as OpenSpan } from "@opentelemetry/api";
import { NO_TRACER, type Span, type SpanAttributes, type Tracer } from "../domain/ports/tracer.ts";

/** OpenTelemetry requires a prefix for attributes that it does not define. */
const PREFIX = "regfeed.";

/** Creates a tracer for the runtime's traces, or one that does nothing if they are disabled. */
export async function createTracer(env: (name: string) => string | undefined): Promise<Tracer> {
  if (!["true", "1"].includes(env("OTEL_DENO") ?? "")) return NO_TRACER;
  const { SpanStatusCode, trace } = await import("./opentelemetry_exports.ts");
  const tracer = trace.getTracer("regfeed");
  const follow = async <T>(open: OpenSpan, work: (span: Span) => Promise<T>): Promise<T> => {
    let isDropped = false;
    const span: Span = {
      set: (more) => void open.setAttributes(prefix(more)),
      fail: (message) => void open.setStatus({ code: SpanStatusCode.ERROR, message }),
      drop: () => isDropped = true,
    };
    try {
      return await work(span);
    } catch (error) {
      span.fail(error instanceof Error ? error.name : "a thrown value that is not an Error");
      throw error;
    } finally {
      // A span that is not ended is not exported.
      if (!isDropped) open.end();
    }
  };
  return {
    isOn: true,
    act(name, given, work, { isOutlived = false } = {}) {
      const attributes = prefix(given);
      if (isOutlived) return follow(tracer.startSpan(name, { attributes }), work);
      return tracer.startActiveSpan(name, { attributes }, (open) => follow(open, work));
    },
    note: (attributes) => void trace.getActiveSpan()?.setAttributes(prefix(attributes)),
  };
}

function prefix(attributes: SpanAttributes): Attributes {
  const named: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) named[`${PREFIX}${name}`] = value;
  }
  return named;
}
