// The other side of the delivery row, a process of its own: undici posts a body, again and again.
import { Pool } from "undici";
import { answerLines } from "./lines.ts";

/** What a line on stdin asks for. */
export interface BareSending {
  port: number;
  body: string;
  count: number;
  /** Requests under way at once, each on a connection of its own. */
  concurrency: number;
}

if (import.meta.main) await answerLines(send);

async function send({ port, body, count, concurrency }: BareSending): Promise<{ ms: number }> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: concurrency, pipelining: 1 });
  const headers = { "content-type": "application/json", "user-agent": "bench" };
  let left = count;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await pool.request({ method: "POST", path: "/hook", headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 204) throw new Error(`the receiver answered ${answer.statusCode}`);
    }
  };
  const startMs = performance.now();
  await Promise.all(Array.from({ length: concurrency }, work));
  const ms = performance.now() - startMs;
  await pool.close();
  return { ms };
}
