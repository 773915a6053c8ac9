// The baseline of the read rows, in a separate process: `Deno.serve` returns one response from memory.
import { answerLines } from "./lines.ts";

/** The response to return from now on, as a line on stdin. */
export interface BareAnswer {
  headers: Record<string, string>;
  body: string;
}

if (import.meta.main) {
  let body = new Uint8Array();
  let init: ResponseInit = {};
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(body, init),
  );
  console.log(JSON.stringify({ port: server.addr.port }));
  await answerLines((answer: BareAnswer) => {
    body = new TextEncoder().encode(answer.body);
    init = { headers: answer.headers };
    return Promise.resolve({});
  });
  await server.shutdown();
}
