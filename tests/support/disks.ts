// Servers on disks that tests fill, break or make read-only, and a client for these servers.
import assert from "node:assert/strict";
import { join } from "node:path";
import { condition, type Need, POSIX } from "./needs.ts";
import { type Board, type Hook, openBoard, openHook } from "./loopback.ts";
import { regfeedJson, type Serving, withFolder, writeConfig } from "./process.ts";
import { pause } from "./pause.ts";

/** A config with the store in `disk`. */
export const SETTINGS = `
[server]
listen = "127.0.0.1:0"

[store]
path = "disk/regfeed.db"

[delivery]
allow_http = true
allow_networks = ["127.0.0.0/8"]
`;

const PATIENCE_MS = 30_000;

/** Waits until the condition is true. Fails with the log if that takes too long. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  log: () => string,
): Promise<void> {
  for (const endMs = Date.now() + PATIENCE_MS; !await isTrue();) {
    assert.ok(Date.now() < endMs, `${what} within ${PATIENCE_MS / 1_000} s\n${log()}`);
    await pause(100);
  }
}

export async function works(program: string, args: string[]): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "null" }).output())
      .success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

export class Client {
  constructor(readonly server: Serving, readonly key: string) {}

  async ask(path: string, body?: unknown): Promise<{ status: number; json: Record<string, unknown> }> {
    const answer = await fetch(`${this.server.address}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: await answer.json() };
  }

  async health(): Promise<[status: unknown, database: unknown]> {
    const { json } = await this.ask("/v1/health");
    return [json.status, json.database];
  }

  /** Waits until health reports this state of the database. */
  async sees(database: string): Promise<void> {
    await until(`database ${database}`, async () => (await this.health())[1] === database, this.server.log);
  }

  async titles(): Promise<unknown[]> {
    const { status, json } = await this.ask("/v1/events?limit=200");
    assert.equal(status, 200, this.server.log());
    return (json.events as { title_en: string }[]).map(({ title_en }) => title_en).sort();
  }
}

export const FIRST = "Guidelines on general-purpose AI models";

/** Ingests an event and adds a customer. Returns the customer's key. */
export async function fill(folder: string, board: Board): Promise<string> {
  board.publish(FIRST);
  await regfeedJson(folder, ["ingest"]);
  return await addCustomer(folder);
}

export async function addCustomer(folder: string, email = "ana@example.org"): Promise<string> {
  const who = ["--email", email, "--tier", "team"];
  return (await regfeedJson<{ key: string }>(folder, ["customer", "add", ...who])).key;
}

export async function withPeers(
  work: (folder: string, board: Board, hook: Hook) => Promise<void>,
): Promise<void> {
  const board = openBoard();
  const hook = openHook();
  try {
    await withFolder(async (folder) => {
      await writeConfig(folder, SETTINGS + board.source);
      await Deno.mkdir(join(folder, "disk"));
      await work(folder, board, hook);
    });
  } finally {
    await board.close();
    await hook.close();
  }
}

/** Returns a wrapper for programs that need to see the files as the server does. */
export function inside(server: Serving, folder: string): string[] {
  return ["nsenter", "--preserve-credentials", "-U", "-m", `--wdns=${folder}`, "-t", String(server.pid)];
}

/** Returns a wrapper that mounts a separate disk of this size at the path. */
export function withDisk(path: string, bytes: number): string[] {
  const script = `mount -t tmpfs -o size=${bytes} tmpfs "${path}" && exec "$@"`;
  return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"];
}

/** The permission to mount a disk in a namespace. */
export const MAY_MOUNT: Need = condition(
  await works("unshare", ["--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]),
  "this machine does not let tests mount a disk",
);

/** A wrapper that applies file permissions to a program even if root runs it. */
export const HELD_TO_RIGHTS = Deno.uid() === 0
  ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]
  : [];

export const MAY_HOLD: Need = POSIX ?? condition(
  HELD_TO_RIGHTS.length === 0 || await works("setpriv", [...HELD_TO_RIGHTS.slice(1), "true"]),
  "root without setpriv",
);
