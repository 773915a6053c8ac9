// An OpenTelemetry collector that receives spans as JSON.

export interface ExportedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  attributes: Record<string, string | number | boolean>;
  isFailed: boolean;
  message: string;
}

export interface Collector {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  address: string;
  spans(): ExportedSpan[];
  /** Returns everything received (spans, logs and metrics) as it was sent. */
  text(): string;
  close(): Promise<void>;
}

interface Value {
  stringValue?: string;
  intValue?: string | number;
  boolValue?: boolean;
  doubleValue?: number;
}

interface SentSpan extends Omit<ExportedSpan, "attributes" | "isFailed" | "message"> {
  attributes: { key: string; value: Value }[];
  status?: { code?: number; message?: string };
}

/** The status code of a failed span (OpenTelemetry's trace.proto). */
const STATUS_ERROR = 2;

export function startCollector(): Collector {
  const sent: { path: string; text: string }[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    sent.push({ path: new URL(request.url).pathname, text: await request.text() });
    return Response.json({});
  });
  return {
    address: `http://127.0.0.1:${server.addr.port}`,
    spans: () =>
      sent.filter(({ path }) => path === "/v1/traces").flatMap(({ text }) => spansOf(JSON.parse(text))),
    text: () => sent.map(({ text }) => text).join("\n"),
    close: () => server.shutdown(),
  };
}

function spansOf(message: { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }): ExportedSpan[] {
  const spans = message.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  return spans.map(({ name, traceId, spanId, parentSpanId, attributes, status }) => ({
    name,
    traceId,
    spanId,
    parentSpanId,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)])),
    isFailed: status?.code === STATUS_ERROR,
    message: status?.message ?? "",
  }));
}

function plain({ stringValue, intValue, boolValue, doubleValue }: Value): string | number | boolean {
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue);
}
