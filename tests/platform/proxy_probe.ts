// Sends a request to 127.0.0.1. This is a separate process because a runtime may read the proxy variables at startup.
import { createHttpClient } from "../../src/platform/http/http.ts";

const client = createHttpClient({ forWebhooks: true });
const response = await client.request({
  method: "POST",
  url: new URL(Deno.args[0] ?? ""),
  headers: {},
  body: "{}",
  addresses: ["127.0.0.1"],
  maxBodyBytes: 1_000,
  signal: new AbortController().signal,
});
console.log(response.status, new TextDecoder().decode(response.body));
await client.close();
