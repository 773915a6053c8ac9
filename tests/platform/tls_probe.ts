// A process of its own, because what a process trusts is settled when it starts (`--cert`): asks each address of its
// arguments, under a name at 127.0.0.1, and prints one line for each, the answer's body or the reason. The first argument
// is the kind of client; a file of certificates may follow it.
import { createEndpointClient } from "../../src/platform/endpoint_client.ts";
import { createHttpClient } from "../../src/platform/http.ts";

const [kind, ...args] = Deno.args;
const client = kind === "endpoint" ? createEndpointClient() : createHttpClient();
const [first = "", ...others] = args;
const authorities = first.startsWith("https:") ? undefined : Deno.readTextFileSync(first);
for (const url of authorities === undefined ? args : others) {
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
