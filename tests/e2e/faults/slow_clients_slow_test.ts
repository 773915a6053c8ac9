// More slow connections than the process may open files: the listener recovers, and the log says what happened.
import assert from "node:assert/strict";
import net from "node:net";
import { makeAuthority, makeCertificate } from "../../support/certificates.ts";
import { afterShell, serve, type Serving, withFolder, writeConfig } from "../../support/process.ts";

/** What the process may have open, and how many slow connections come. */
const FILES = 500;
const SLOW = 700;
const ADDRESSES = 20;
const ANSWER_MS = 10_000;

/** Opens connections that say nothing, from several addresses; the returned function closes them. */
async function holdUp(server: Serving): Promise<() => void> {
  const port = Number(new URL(server.address).port);
  const sockets = Array.from({ length: SLOW }, (_, number) => {
    const socket = net.connect({
      host: "127.0.0.1",
      port,
      localAddress: `127.0.0.${2 + number % ADDRESSES}`,
    });
    socket.on("error", () => {}); // some find nobody who takes them
    socket.resume();
    return socket;
  });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return () => sockets.forEach((socket) => socket.destroy());
}

/** Asks over a new connection; the status, or null where there was no answer. */
async function ask(server: Serving, caCerts: string[]): Promise<number | null> {
  using client = Deno.createHttpClient({ caCerts, poolMaxIdlePerHost: 0 });
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(`${server.address}/v1/topics`, { client, signal });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return null;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

for (const scheme of ["http", "https"]) {
  Deno.test(`the ${scheme} listener recovers as soon as there is a file, and the log says what happened`, () =>
    withFolder(async (folder) => {
      const caCerts = [await makeAuthority(folder)];
      const { cert, key } = await makeCertificate(folder, "slow");
      const tls = scheme === "https" ? `tls_cert = "${cert}"\ntls_key = "${key}"\n` : "";
      await writeConfig(folder, `[server]\nlisten = "127.0.0.1:0"\n${tls}`);
      const server = await serve(folder, {}, afterShell(`ulimit -n ${FILES}`));
      const release = await holdUp(server);
      await server.said("the listener failed");
      release();
      let status: number | null = null;
      for (let turn = 0; status === null && turn < 50; turn++) {
        await pause(100);
        status = await ask(server, caCerts);
      }
      assert.equal(status, 200);
      const { code, log } = await server.end("SIGTERM");
      assert.equal(code, 0, log);
      assert.equal(log.match(/listener failed and is restarted/g)?.length, 1);
      assert.match(log, /LimitNOFILE.*cause="the limit of open files is reached"/);
    }));
}
