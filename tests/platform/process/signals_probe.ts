// Replaces the command line of main.ts in the tests of src/platform/process/signals.ts: sends every signal while this
// file is being loaded.
import type { Host } from "../../../src/platform/process/process.ts";

for (const signal of ["SIGHUP", "SIGUSR1", "SIGUSR2", "SIGTERM"] as const) Deno.kill(Deno.pid, signal);

export async function runCli(host: Host): Promise<number> {
  const stop = await host.stopSignal();
  const heard: string[] = [];
  host.onReload(() => heard.push("reload"));
  await new Promise((later) => setTimeout(later, 100)); // signals may arrive late and in any order
  host.out(JSON.stringify([stop, ...heard.sort()]));
  return 0;
}
