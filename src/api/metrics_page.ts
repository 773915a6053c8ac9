// `GET /metrics`: the metrics as text, for whoever may read them.
import { METRICS_TYPE, type MetricsRegistry } from "../domain/metrics.ts";
import { addressOf, pathOf } from "./address.ts";

/**
 * The answer to a request for the metrics: 200 with the text; 404 for another path, 405 for another method.
 */
export async function answerMetrics(
  request: Request,
  metrics: MetricsRegistry,
): Promise<Response> {
  if (pathOf(addressOf(request)) !== "/metrics") return plain(404, "The metrics are at /metrics.\n");
  if (request.method !== "GET" && request.method !== "HEAD") {
    return plain(405, "The metrics are read with GET.\n", { allow: "GET, HEAD" });
  }
  return new Response(await metrics.render(), {
    headers: { "content-type": METRICS_TYPE, "cache-control": "no-store" },
  });
}

function plain(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...headers },
  });
}
