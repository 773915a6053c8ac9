// `GET /metrics`: the metrics as text.
import { createHash, timingSafeEqual } from "node:crypto";
import { METRICS_TYPE, type MetricsRegistry } from "../../domain/ports/metrics.ts";
import { addressOf, pathOf } from "../../http/request_url.ts";

const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** Responds with the metrics, or with 401 (`token` is set, but was not sent), 404 (wrong path) or 405 (wrong method). */
export async function respondWithMetrics(
  request: Request,
  metrics: MetricsRegistry,
  token: string | null,
): Promise<Response> {
  if (token !== null && !holdsToken(request.headers.get("authorization"), token)) {
    const challenge = { "www-authenticate": 'Bearer realm="metrics"' };
    return plain(
      401,
      "Send the metrics.token of the config as Authorization: Bearer TOKEN.\n",
      challenge,
    );
  }
  if (pathOf(addressOf(request)) !== "/metrics") return plain(404, "The metrics are at /metrics.\n");
  if (request.method !== "GET" && request.method !== "HEAD") {
    return plain(405, "/metrics supports only GET and HEAD.\n", { allow: "GET, HEAD" });
  }
  return new Response(await metrics.render(), { headers: { "content-type": METRICS_TYPE, ...HEADERS } });
}

function holdsToken(authorization: string | null, token: string): boolean {
  const given = /^bearer +(\S.*)$/i.exec(authorization ?? "")?.[1] ?? "";
  const digestOf = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digestOf(given), digestOf(token));
}

function plain(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...HEADERS, ...headers },
  });
}
