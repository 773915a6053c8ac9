// Requests each URL in its arguments from 127.0.0.1, and prints one line for each: the body, or the reason for the
// failure. The first argument may be a file with certificates. This is a separate process because trusted
// certificates (`--cert`) are read at startup.
import { createHttpClient } from "../../src/platform/http/http.ts";

const client = createHttpClient({ forWebhooks: true });
const [first = "", ...others] = Deno.args;
const authorities = first.startsWith("https:") ? undefined : Deno.readTextFileSync(first);
for (const url of authorities === undefined ? Deno.args : others) {
  const { signal } = new AbortController();
  try {
    const response = await client.request({
      method: "GET",
      url: new URL(url),
      headers: {},
      addresses: ["127.0.0.1"],
      ...(authorities === undefined ? {} : { authorities }),
      maxBodyBytes: 1_000,
      signal,
    });
    console.log(new TextDecoder().decode(response.body));
  } catch (error) {
    console.log((error as Error).message);
  }
}
await client.close();
