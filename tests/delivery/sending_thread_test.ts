// The thread that sends, as it is started in earnest: over real connections, signed, guarded, and mended when it breaks.
import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { createAddressPolicy } from "../../src/delivery/guard.ts";
import { Sender } from "../../src/delivery/sender.ts";
import type { Said } from "../../src/delivery/sending_thread.ts";
import type { RunningThread, ThreadProgram } from "../../src/domain/ports.ts";
import { Stopper } from "../../src/domain/stop.ts";
import { createClock } from "../../src/platform/clock.ts";
import { createHttpClient } from "../../src/platform/http.ts";
import { createResolver } from "../../src/platform/resolver.ts";
import { createThreadProgram } from "../../src/platform/thread_program.ts";
import { FakeLog } from "./stand_ins.ts";

const SECRET = "0123456789abcdef".repeat(4);
const MANY = 250;

/** The program in earnest, and what comes of the threads that are begun. */
function watched(): {
  program: ThreadProgram;
  threads: { running: RunningThread; outcomes: number; ready: Promise<void> }[];
} {
  const threads: { running: RunningThread; outcomes: number; ready: Promise<void> }[] = [];
  const real = createThreadProgram(new URL("../../src/sender.ts", import.meta.url));
  const program: ThreadProgram = {
    begin({ hear, broke }) {
      const { promise: ready, resolve } = Promise.withResolvers<void>();
      const running = real.begin({
        broke,
        hear(said) {
          hear(said);
          const { kind, ...rest } = said as Said;
          if (kind === "ready") resolve();
          else threads[0]!.outcomes += (rest as { outcomes: unknown[] }).outcomes.length;
        },
      });
      threads.push({ running, outcomes: 0, ready });
      return running;
    },
  };
  return { program, threads };
}

Deno.test("a thread begun in earnest sends what is signed and permitted, and its break loses nothing", async () => {
  const arrived: string[] = [];
  const verifier = new Webhook(SECRET);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const body = await request.text();
    verifier.verify(body, Object.fromEntries(request.headers));
    arrived.push(request.headers.get("webhook-id") ?? "");
    return new Response(null, { status: new URL(request.url).pathname === "/busy" ? 503 : 204 });
  });
  const http = createHttpClient();
  const log = new FakeLog();
  const { program, threads } = watched();
  const settings = {
    policy: { allowHttp: true, allowNetworks: ["127.0.0.1/32"], allowPorts: [] },
    timeoutMs: 60_000,
    userAgent: "Regfeed/test",
  };
  const sending = {
    ...{ ...settings, http, resolver: createResolver(), clock: createClock() },
    policy: createAddressPolicy(settings.policy),
  };
  const sender = new Sender({ sending, settings, program, log });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const send = (id: string, url = `${origin}/hook`) => {
    const body = new TextEncoder().encode(`{"title":"Grüße an ${id}"}`);
    return sender.send({ id, webhookUrl: url, webhookSecrets: [SECRET], body }, new Stopper());
  };
  const sendAll = (prefix: string) =>
    Promise.all(Array.from({ length: MANY }, (_, at) => send(`${prefix}_${at}`)));
  try {
    await sendAll("here");
    sender.look();
    const thread = threads[0]!;
    await thread.ready;

    const results = await sendAll("there");
    assert.ok(results.every(({ statusCode, problem }) => statusCode === 204 && problem === null));
    assert.equal(thread.outcomes, MANY);
    assert.equal(new Set(arrived).size, 2 * MANY);
    assert.equal(arrived.length, 2 * MANY);

    const busy = await send("busy", `${origin}/busy`);
    assert.deepEqual([busy.statusCode, busy.problem], [503, "the endpoint answered 503"]);
    for (const refused of [`http://127.0.0.2:${server.addr.port}/`, "http://localhost:1/", "http://[::1]/"]) {
      const { statusCode, problem } = await send("refused", refused);
      assert.notEqual(problem, null, refused);
      assert.equal(statusCode, null, refused);
    }
    assert.equal(arrived.length, 2 * MANY + 1);

    const lost = sendAll("lost");
    await Promise.resolve(); // what starts together is on its way
    thread.running.tell({ kind: "send" }); // what it does not know how to take
    const outcomes = await lost;
    const brokeOff = outcomes.filter(({ problem }) =>
      problem === "the attempt broke off on the sender's side"
    );
    assert.ok(brokeOff.length > 0);
    assert.equal(brokeOff.length + outcomes.filter(({ statusCode }) => statusCode === 204).length, MANY);
    assert.equal(log.lines.filter(({ level }) => level === "error").length, 1);
    assert.equal((await send("after")).statusCode, 204);
    assert.ok(arrived.includes("after"));
  } finally {
    sender.end();
    for (const { running } of threads) running.end();
    await http.close();
    await server.shutdown();
  }
});
