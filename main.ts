// Entry point: arguments to a command.
import { listenForSignals } from "./src/platform/process/signals.ts";

if (import.meta.main) {
  // Before anything else is loaded: a service may be told to reload or to end as soon as it is there. Other commands
  // end by every signal, as programs do.
  const signals = Deno.args[0] === "serve" ? listenForSignals() : undefined;
  const [{ runCli }, { createHost }, { loadEngine }] = await Promise.all([
    import("./src/cli/cli.ts"),
    import("./src/platform/process/process.ts"),
    import("./src/server/store_engine.ts"),
  ]);
  const host = createHost(signals);
  host.exit(await runCli(host, loadEngine));
}
