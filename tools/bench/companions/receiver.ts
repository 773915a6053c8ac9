// The receiver of the delivery rows, in a separate process: responds to each POST with 204.
import { answerLines } from "./lines.ts";

/** A line on stdout: the number of deliveries received since the previous line. */
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
