// The receiver of the delivery row, a process of its own: takes every POST and answers 204.
import { answerLines } from "./lines.ts";

/** What a line on stdout says: how many were taken since the line before. */
export interface Taken {
  taken: number;
}

if (import.meta.main) {
  let taken = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    await request.arrayBuffer();
    taken++;
    return new Response(null, { status: 204 });
  });
  console.log(JSON.stringify({ port: server.addr.port }));
  await answerLines(() => {
    const answer: Taken = { taken };
    taken = 0;
    return Promise.resolve(answer);
  });
  await server.shutdown();
}
