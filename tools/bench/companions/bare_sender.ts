// The baseline of the delivery rows, in a separate process: undici posts the same body repeatedly.
import { Pool } from "undici";
import { answerLines } from "./lines.ts";

/** A job, as a line on stdin. */
export interface BareSending {
  port: number;
  body: string;
  count: number;
  /** Number of concurrent requests, each on a separate connection. */
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
      if (answer.statusCode !== 204) throw new Error(`the receiver responded with ${answer.statusCode}`);
    }
  };
  const startMs = performance.now();
  await Promise.all(Array.from({ length: concurrency }, work));
  const ms = performance.now() - startMs;
  await pool.close();
  return { ms };
}
