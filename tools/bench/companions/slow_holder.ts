// Slow clients, in a separate process: holds many connections that send nothing, or one byte at a time.
import net from "node:net";
import tls from "node:tls";
import { answerLines } from "./lines.ts";

/** The job, as the first line on stdin. */
export interface HoldJob {
  port: number;
  isTls: boolean;
  connections: number;
  /** `idle` sends nothing, not even a TLS handshake; `dribble` sends one byte of a request at a time. */
  kind: "idle" | "dribble";
  /** Number of IP addresses in 127.0.0.0/8 that the connections come from. */
  addresses: number;
}

/** The state of the connections, as a line on stdout for each line on stdin. */
export interface HoldState {
  /** Number of open connections. */
  open: number;
  /** Number of connections that the server has closed so far; each is opened again. */
  closed: number;
}

/** Pause of a dribbling client between two bytes, ms. */
const BETWEEN_BYTES_MS = 1_000;
/** Number of connections that are opened without a pause. */
const BATCH = 50;
const BETWEEN_BATCHES_MS = 20;
const AGAIN_MS = 500;

const HEAD = `GET /v1/sources HTTP/1.1\r\nhost: x\r\nx-long: ${"a".repeat(2_000)}`;
const open = new Set<net.Socket>();
let closed = 0;
let job: HoldJob | null = null;

if (import.meta.main) {
  await answerLines(async (ask: HoldJob | null) => {
    if (ask !== null) await begin(ask);
    return { open: open.size, closed } satisfies HoldState;
  });
  Deno.exit(0);
}

async function begin(asked: HoldJob): Promise<void> {
  job = asked;
  for (let number = 0; number < asked.connections; number++) {
    hold(asked, number);
    if (number % BATCH === BATCH - 1) await pause(BETWEEN_BATCHES_MS);
  }
}

function hold(asked: HoldJob, number: number): void {
  const where = {
    host: "127.0.0.1",
    port: asked.port,
    localAddress: `127.0.0.${(asked.addresses === 1 ? 1 : 2) + number % asked.addresses}`,
  };
  const socket = asked.isTls && asked.kind === "dribble"
    ? tls.connect({ ...where, rejectUnauthorized: false })
    : net.connect(where);
  let timer: ReturnType<typeof setInterval> | undefined;
  let at = 0;
  const ready = asked.isTls && asked.kind === "dribble" ? "secureConnect" : "connect";
  socket.on(ready, () => {
    open.add(socket);
    if (asked.kind === "idle") return;
    timer = setInterval(() => socket.write(HEAD[at++ % HEAD.length] ?? ""), BETWEEN_BYTES_MS);
  });
  socket.on("error", () => {}); // "close" follows
  socket.on("close", () => {
    clearInterval(timer);
    open.delete(socket);
    closed += 1;
    if (job === asked) setTimeout(() => hold(asked, number), AGAIN_MS);
  });
  socket.resume();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
