// Notifies the supervisor through systemd's protocol (sd_notify(3)).
import { join } from "node:path";
import type { LogFields } from "../../domain/ports/ports.ts";

/** The additional start time that each message requests, microseconds. */
const MORE_TIME_US = 60_000_000;
/** Interval between requests for more start time, ms. */
const ASK_EVERY_MS = 15_000;

/** Sends messages to the supervisor. Without one, sends nothing. Lost messages are not repeated. */
interface Supervisor {
  /** Reports readiness, and starts watchdog messages if the supervisor wants them. */
  ready(status: string): Promise<void>;
  stopping(): Promise<void>;
  /** Requests more start time for as long as the work runs. */
  whileStarting<T>(status: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Creates the supervisor from `NOTIFY_SOCKET` and `WATCHDOG_USEC`. `warn` reports why it cannot be notified. */
export async function createSupervisor(
  env: (name: string) => string | undefined,
  warn: (text: string, fields: LogFields) => void,
): Promise<Supervisor> {
  const path = env("NOTIFY_SOCKET") ?? "";
  if (path === "" || Deno.build.os === "windows") return NOBODY;
  if (!path.startsWith("/")) {
    // Names that start with @ are abstract sockets, and `vsock:` refers to another machine.
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
      // The supervisor is gone.
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
      // Twice as often as required, as sd_watchdog_enabled(3) recommends.
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

/** Opens a socket to send from, in a new temporary folder. */
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

const NOBODY: Supervisor = {
  ready: () => Promise.resolve(),
  stopping: () => Promise.resolve(),
  whileStarting: (_status, work) => work(),
  close: () => Promise.resolve(),
};
