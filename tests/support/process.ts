// Runs commands and servers of Regfeed in a separate folder.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCli } from "../../src/cli/cli.ts";
import type { StoreEngine } from "../../src/domain/ports/store/engine.ts";
import { createSqliteEngine } from "../../src/store/sqlite/engine.ts";
import { createHost } from "../../src/platform/process/process.ts";
import { checkStderr } from "./quiet.ts";
import { TEMPORARY } from "./temporary.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
/** The permissions of `deno task start`. */
const PERMISSIONS = [
  "--no-prompt",
  "--allow-net",
  "--allow-env",
  "--allow-read",
  "--allow-write",
  "--allow-sys=hostname,statfs,uid",
  "--deny-run",
  "--deny-ffi",
];

/** Time limit for an expected message of a server, ms. */
const PATIENCE_MS = 120_000;

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** The arguments of a command: a list, or a string if no argument contains a space. */
type Arguments = readonly string[] | string;

/**
 * Runs a command in the folder, with `input` on stdin. `serve`, `demo` and commands with a wrapper run in a separate
 * process, other commands in the test's process, which is ten times faster and can have another engine.
 */
export async function regfeed(
  folder: string,
  given: Arguments,
  input?: string,
  wrapper: readonly string[] = [],
  engine = createSqliteEngine(),
): Promise<Finished> {
  const args = typeof given === "string" ? given.split(" ") : given;
  const needsProcess = wrapper.length > 0 || args[0] === "serve" || args[0] === "demo";
  const finished = needsProcess
    ? await runProcess(folder, args, input, wrapper)
    : await runHere(folder, args, input, engine);
  checkStderr(finished.stderr);
  return finished;
}

async function runProcess(
  folder: string,
  args: readonly string[],
  input: string | undefined,
  wrapper: readonly string[],
): Promise<Finished> {
  const child = command(folder, args, { stdin: input === undefined ? "null" : "piped", wrapper }).spawn();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    // A command that has read enough closes the pipe.
    await writer.write(new TextEncoder().encode(input)).catch(() => {});
    await writer.close().catch(() => {});
  }
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

async function runHere(
  folder: string,
  args: readonly string[],
  input = "",
  engine: StoreEngine,
): Promise<Finished> {
  let [stdout, stderr] = ["", ""];
  const code = await runCli({
    ...createHost(),
    args,
    cwd: folder,
    program: "regfeed",
    out: (text) => void (stdout += text),
    err: (text) => void (stderr += text),
    input: () => Promise.resolve(input),
    isTerminal: false,
    hasColours: false,
    isErrTerminal: false,
    // The developer's config must not affect a test.
    env: (name) => name === "REGFEED_CONFIG" ? undefined : Deno.env.get(name),
    columns: () => 80,
  }, () => Promise.resolve(engine));
  return { code, stdout, stderr };
}

/** Returns the JSON output of a command. Fails if the command fails. */
export async function regfeedJson<T>(folder: string, given: Arguments): Promise<T> {
  const args = [...(typeof given === "string" ? given.split(" ") : given), "--json"];
  const { code, stdout, stderr } = await regfeed(folder, args);
  assert.equal(code, 0, `${args.join(" ")}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as T;
}

export async function assertFails(
  folder: string,
  args: Arguments,
  code: number,
  message: RegExp,
): Promise<Finished> {
  const finished = await regfeed(folder, args);
  assert.equal(finished.code, code, `${args}: ${finished.stderr}`);
  assert.match(finished.stderr, message, `${args}`);
  return finished;
}

export function callApi(
  server: { address: string },
  key: string,
  path: string,
  body?: unknown,
  method = body === undefined ? "GET" : "POST",
): Promise<Response> {
  return fetch(server.address + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

export function addCustomer(
  folder: string,
  email = "ana@b.example",
): Promise<{ customer: { id: string }; key: string }> {
  return regfeedJson(folder, `customer add --tier team --email ${email}`);
}

export interface Beginning {
  pid: number;
  log(): string;
  signal(signal: "SIGHUP" | "SIGTERM" | "SIGINT" | "SIGKILL" | "SIGUSR1" | "SIGUSR2"): void;
  said(text: string): Promise<void>;
  kill(): void;
  /** Resolves with the exit code and the log when the process has ended. */
  over: Promise<{ code: number; log: string }>;
}

/** Starts `serve` without waiting. For the parameters see {@link serve}. */
export function begin(
  folder: string,
  env: Record<string, string> = {},
  wrapper: readonly string[] = [],
  main?: string,
): Beginning {
  const child = command(folder, ["serve"], { env, wrapper, ...(main && { main }) }).spawn();
  const stdout = child.stdout.cancel();
  let log = "";
  const reading = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) log += text;
  })();
  const finish = async () => {
    const { code } = await child.status;
    await reading;
    await stdout;
    checkStderr(log);
    return { code, log };
  };
  const over = finish();
  over.catch(() => {}); // a caller that awaits it still gets the error
  let isOver = false;
  void child.status.then(() => isOver = true);
  return {
    pid: child.pid,
    log: () => log,
    signal: (signal) => child.kill(signal),
    async said(text) {
      for (const endMs = Date.now() + PATIENCE_MS; !log.includes(text);) {
        assert.ok(Date.now() < endMs, `did not print ${text} in time: ${log}`);
        if (isOver) assert.ok((await over).log.includes(text), `ended without printing ${text}: ${log}`);
        else await new Promise((again) => setTimeout(again, 20));
      }
    },
    kill: () => isOver ? undefined : child.kill("SIGKILL"),
    over,
  };
}

export interface Serving extends Omit<Beginning, "over"> {
  /** `http://127.0.0.1:PORT` */
  address: string;
  /** Sends a signal and waits until the process has ended. Returns the exit code and the log. */
  end(signal: "SIGTERM" | "SIGINT" | "SIGKILL"): Promise<{ code: number; log: string }>;
}

/**
 * Starts `serve` and waits until it listens. The config must set port 0 or a free port. `wrapper` is a program with its
 * first arguments; the program must then become the server (see {@link afterShell}). `main` replaces main.ts.
 */
export async function serve(
  folder: string,
  env: Record<string, string> = {},
  wrapper: readonly string[] = [],
  main?: string,
): Promise<Serving> {
  const { over, ...server } = begin(folder, env, wrapper, main);
  const listening = /listening.*?(https?:\/\/[\d.]+:\d+)/;
  const early = over.then(({ code, log }) => {
    throw new Error(`serve ended with ${code} before it listened: ${log}`);
  });
  early.catch(() => {}); // the process may end once it has listened
  const heard = async () => {
    for (;;) {
      const found = listening.exec(server.log())?.[1];
      if (found !== undefined) return found;
      await Promise.race([early, new Promise((again) => setTimeout(again, 10))]);
    }
  };
  return {
    ...server,
    address: await heard(),
    async end(signal) {
      server.signal(signal);
      return await over;
    },
  };
}

/** Returns a wrapper that first runs a shell script, such as `ulimit -n 300`. */
export function afterShell(script: string): string[] {
  return ["sh", "-c", `${script}; exec "$@"`, "sh"];
}

export async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-test-" });
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

export function withConfig(config: string, work: (folder: string) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    await writeConfig(folder, config);
    await work(folder);
  });
}

export async function writeConfig(folder: string, text: string): Promise<void> {
  await Deno.writeTextFile(join(folder, "regfeed.toml"), text);
}

function command(
  folder: string,
  args: readonly string[],
  { env = {}, stdin = "null", wrapper = [], main = MAIN }: {
    env?: Record<string, string>;
    stdin?: "null" | "piped";
    wrapper?: readonly string[];
    main?: string;
  },
): Deno.Command {
  const [program = "", ...rest] = [...wrapper, Deno.execPath(), "run", ...PERMISSIONS, main, ...args];
  return new Deno.Command(program, {
    args: rest,
    cwd: folder,
    stdin,
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1", REGFEED_CONFIG: "", ...env },
  });
}
