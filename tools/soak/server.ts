// The server in a soak test: starts, stops and measures it from outside, as an operator would.
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PERMISSIONS = ["--no-prompt", "--allow-net", "--allow-env", "--allow-read", "--allow-write"];
const START_MS = 60_000;

/** Returns how to start Regfeed: the executable if it was compiled, otherwise the source. */
export async function findProgram(): Promise<{ command: string; args: string[]; name: string }> {
  const executable = join(ROOT, "dist", "regfeed");
  try {
    await Deno.stat(executable);
    return { command: executable, args: [], name: "dist/regfeed" };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const args = [
      "run",
      ...PERMISSIONS,
      "--allow-sys=hostname,statfs,uid",
      join(ROOT, "main.ts"),
    ];
    return { command: Deno.execPath(), args, name: "main.ts" };
  }
}

export interface Life {
  /** Ends the process with a signal; resolves with its exit code. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number>;
  reload(): void;
  residentBytes(): Promise<number>;
}

export class Regfeed {
  constructor(
    readonly folder: string,
    readonly program: { command: string; args: string[] },
    readonly address: string,
  ) {}

  async run(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const { code, stdout, stderr } = await this.#command(args).output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  /** Starts the server and waits until it is ready. */
  async start(): Promise<Life> {
    const log = await Deno.open(join(this.folder, "log"), { create: true, append: true });
    const child = this.#command(["serve"]).spawn();
    const reading = child.stderr.pipeTo(log.writable);
    const silence = child.stdout.cancel();
    const endMs = performance.now() + START_MS;
    while (!await isReady(this.address)) {
      if (performance.now() > endMs) {
        throw new Error(`not ready after ${START_MS / 1_000} s; see ${this.folder}/log`);
      }
      await new Promise((again) => setTimeout(again, 50));
    }
    return {
      async end(signal) {
        child.kill(signal);
        const { code } = await child.status;
        await Promise.all([reading, silence]);
        return code;
      },
      reload: () => child.kill("SIGHUP"),
      async residentBytes() {
        // Uses `ps`, because Deno denies access to /proc unless it has all permissions.
        const args = ["-o", "rss=", "-p", String(child.pid)];
        const { stdout } = await new Deno.Command("ps", { args }).output();
        return Number(new TextDecoder().decode(stdout)) * 1024;
      },
    };
  }

  #command(args: readonly string[]): Deno.Command {
    return new Deno.Command(this.program.command, {
      args: [...this.program.args, ...args],
      cwd: this.folder,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      env: { NO_COLOR: "1" },
    });
  }
}

async function isReady(address: string): Promise<boolean> {
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(1_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false; // not listening yet
  }
}
