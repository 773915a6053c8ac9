// What main.ts gets in place of the command line, for the tests of src/platform/process/signals.ts: every signal is
// sent while this file is only being loaded.
import type { Host } from "../../../src/platform/process/process.ts";

for (const signal of ["SIGHUP", "SIGUSR1", "SIGUSR2", "SIGTERM"] as const) Deno.kill(Deno.pid, signal);

/** Says what was heard, and ends. */
export async function runCli(host: Host): Promise<number> {
  const stop = await host.stopSignal();
  const heard: string[] = [];
  host.onReload(() => heard.push("reload"));
  host.onUnused((signal) => heard.push(signal));
  await new Promise((later) => setTimeout(later, 100)); // the kernel keeps no order among signals
  host.out(JSON.stringify([stop, ...heard.sort()]));
  return 0;
}
