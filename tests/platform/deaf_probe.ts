// A server in a process with few file descriptors. Prints its port, and ends when stdin closes.
import { listen } from "../../src/platform/http/http_server.ts";

const server = await listen({
  hostname: "127.0.0.1",
  port: 0,
  handler: () => new Response("hello"),
  onLost: (reason) => console.log(reason),
});
console.log(server.port);
await new Response(Deno.stdin.readable).text();
Deno.exit(0);
