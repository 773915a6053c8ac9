// Starts the processes of a benchmark, and ends them so that none is left behind.
import { fileURLToPath } from "node:url";
import { linesOf } from "./companions/lines.ts";

/** Time limit for a process's response, ms; longer than any limit on its own work. */
const ANSWER_MS = 120_000;

/** Clock tick of /proc, ms: there are 100 per second on every Linux that Deno supports. */
const CLOCK_TICK_MS = 10;

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
/** The permissions of the executable, with the network limited to loopback. */
const PERMISSIONS = [
  "--no-prompt",
  "--allow-net=127.0.0.0/8",
  "--allow-env",
  "--allow-read",
  "--allow-write",
  "--allow-sys",
];

const running = new Set<Deno.ChildProcess>();

/** A process that responds to lines of JSON. */
export interface Companion {
  pid: number;
  /** Sends a line and resolves with the next line of output. Rejects if the process ends first or takes too long. */
  ask<Answer>(job: unknown): Promise<Answer>;
  /** Resolves with the next line of output, without sending a line. */
  hear<Answer>(): Promise<Answer>;
  end(): Promise<void>;
}

/** Starts a script of this folder. */
export function startCompanion(script: string, args: readonly string[] = []): Companion {
  const child = spawn([fileURLToPath(new URL(`companions/${script}`, import.meta.url)), ...args], "inherit");
  const lines = linesOf(child.stdout);
  const stdin = child.stdin.getWriter();
  const hear = async <Answer>(): Promise<Answer> => {
    const timer = setTimeout(() => child.kill("SIGKILL"), ANSWER_MS);
    const { done, value } = await lines.next();
    clearTimeout(timer);
    if (done) throw new Error(`${script} ended before it responded`);
    return JSON.parse(value) as Answer;
  };
  return {
    pid: child.pid,
    hear,
    ask: async (job) => {
      await stdin.write(new TextEncoder().encode(JSON.stringify(job) + "\n"));
      return await hear();
    },
    end: () => end(child),
  };
}

export interface Regfeed {
  pid: number;
  port: number;
  /** `http://127.0.0.1:PORT`, or https if the config names a certificate. */
  address: string;
  end(): Promise<void>;
}

/** Starts `serve` with the config and the V8 flags, and waits until it listens. */
export async function startRegfeed(config: string, v8: readonly string[] = []): Promise<Regfeed> {
  const child = spawn([...v8Flags(v8), MAIN, "serve", "--config", config], "piped");
  child.stdin.close();
  let heard: (address: string) => void = () => {};
  let failed: (error: Error) => void = () => {};
  const listening = new Promise<string>((resolve, reject) => [heard, failed] = [resolve, reject]);
  let log = "";
  const reading = (async () => {
    for await (const line of linesOf(child.stderr)) {
      log += `${line}\n`;
      const address = /listening.*?(https?:\/\/[\d.]+:\d+)/.exec(line)?.[1];
      if (address !== undefined) heard(address);
    }
    failed(new Error(`serve ended: ${log}`));
  })();
  const stdout = child.stdout.cancel();
  const address = await listening;
  return {
    pid: child.pid,
    port: Number(new URL(address).port),
    address,
    end: async () => {
      await end(child);
      await Promise.all([reading, stdout]);
    },
  };
}

function v8Flags(settings: readonly string[]): string[] {
  return settings.length === 0 ? [] : [`--v8-flags=${settings.join(",")}`];
}

export function endAll(): void {
  for (const child of running) child.kill("SIGKILL");
}

function spawn(args: readonly string[], stderr: "inherit" | "piped"): Deno.ChildProcess {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...PERMISSIONS, ...args],
    stdin: "piped",
    stdout: "piped",
    stderr,
    env: { NO_COLOR: "1" },
  }).spawn();
  running.add(child);
  child.status.then(() => running.delete(child));
  return child;
}

async function end(child: Deno.ChildProcess): Promise<void> {
  if (running.has(child)) child.kill("SIGTERM");
  await child.status;
}

/** Returns the CPU time that a process has used, in ms, or NaN if the system does not show it. */
export async function cpuMsOf(pid: number): Promise<number> {
  const text = await readProcess(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? NaN) + Number(fields[12] ?? NaN)) * CLOCK_TICK_MS;
}

/** Reads a file with `cat`, because Deno needs all permissions to read /proc. Returns "" if it cannot be read. */
async function readProcess(path: string): Promise<string> {
  try {
    const { stdout } = await new Deno.Command("cat", { args: [path], stderr: "null" }).output();
    return new TextDecoder().decode(stdout);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return "";
  }
}

/** Returns the resident memory of a process, in MB. */
export async function residentMegabytes(pid: number): Promise<number> {
  // Uses `ps`, because Deno denies access to /proc unless it has all permissions.
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "rss=", "-p", String(pid)] }).output();
  return Number(new TextDecoder().decode(stdout)) / 1024;
}
