// The supervisor that started the process: systemd's notification protocol (sd_notify(3)).
import { join } from "node:path";
import type { LogFields } from "../../domain/ports/ports.ts";

/** Asked for while something takes long: so much more time, microseconds, each time. */
const MORE_TIME_US = 60_000_000;
/** How often it is asked for, ms. */
const ASK_EVERY_MS = 15_000;

/** What the supervisor hears. Without one, every method does nothing. A message that gets lost is not sent again. */
export interface Supervisor {
  /** The service answers; from now on it says so as often as the supervisor's watchdog wants it. */
  ready(status: string): Promise<void>;
  /** The service ends. */
  stopping(): Promise<void>;
  /** Asks for more time to start as long as the work takes. */
  whileStarting<T>(status: string, work: () => Promise<T>): Promise<T>;
  /** Nothing more is said. */
  close(): Promise<void>;
}

/**
 * The supervisor that the environment names (`NOTIFY_SOCKET`, `WATCHDOG_USEC`). `warn` hears why one that is named cannot
 * be told anything: the service works all the same, and whoever waits to hear of it ends it.
 */
export async function createSupervisor(
  env: (name: string) => string | undefined,
  warn: (text: string, fields: LogFields) => void,
): Promise<Supervisor> {
  const path = env("NOTIFY_SOCKET") ?? "";
  if (path === "" || Deno.build.os === "windows") return NOBODY;
  if (!path.startsWith("/")) {
    // Names that begin with @ are abstract sockets, vsock: is another machine's.
    warn(
      `${UNTOLD}: only sockets with a path are supported; use Type=exec, or unset NOTIFY_SOCKET`,
      {
        socket: path,
      },
    );
    return NOBODY;
  }
  const opened = await openSocket().catch((error: Error) => {
    warn(
      `${UNTOLD}: no socket can be created in the temporary folder; set TMPDIR to another folder, or free some space`,
      {
        cause: error.message,
      },
    );
    return null;
  });
  if (opened === null) return NOBODY;
  const { socket, folder } = opened;
  const timers = new Set<ReturnType<typeof setInterval>>();
  const say = async (text: string): Promise<void> => {
    try {
      await socket.send(new TextEncoder().encode(text), { transport: "unixpacket", path });
    } catch {
      // The supervisor has gone: then nobody waits for the message.
    }
  };
  const repeat = (text: string, everyMs: number): () => void => {
    const timer = setInterval(() => void say(text), everyMs);
    timers.add(timer);
    return () => {
      clearInterval(timer);
      timers.delete(timer);
    };
  };
  const watchdogUs = Number(env("WATCHDOG_USEC") ?? "0");

  return {
    async ready(status) {
      await say(`READY=1\nSTATUS=${status}`);
      // Twice as often as it is wanted, as sd_watchdog_enabled(3) advises.
      if (watchdogUs > 0) repeat("WATCHDOG=1", watchdogUs / 1_000 / 2);
    },
    stopping: () => say("STOPPING=1"),
    async whileStarting(status, work) {
      const ask = `STATUS=${status}\nEXTEND_TIMEOUT_USEC=${MORE_TIME_US}`;
      await say(ask);
      const stop = repeat(ask, ASK_EVERY_MS);
      try {
        return await work();
      } finally {
        stop();
      }
    },
    async close() {
      for (const timer of timers) clearInterval(timer);
      timers.clear();
      socket.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const UNTOLD = "the supervisor (NOTIFY_SOCKET) cannot be notified and may stop the service";

/** A socket of our own to send from, in a folder of its own. */
async function openSocket(): Promise<{ socket: Deno.DatagramConn; folder: string }> {
  const folder = await Deno.makeTempDir({ prefix: "regfeed-notify-" });
  try {
    const socket = Deno.listenDatagram({ transport: "unixpacket", path: join(folder, "socket") });
    return { socket, folder };
  } catch (error) {
    await Deno.remove(folder, { recursive: true });
    throw error;
  }
}

/** No supervisor listens. */
const NOBODY: Supervisor = {
  ready: () => Promise.resolve(),
  stopping: () => Promise.resolve(),
  whileStarting: (_status, work) => work(),
  close: () => Promise.resolve(),
};
