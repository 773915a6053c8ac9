// Entry point: runs the command given by the arguments.
import { listenForSignals } from "./src/platform/process/signals.ts";

if (import.meta.main) {
  // `serve` handles signals before anything else is loaded, because the process may be told to reload or stop at any
  // time. For other commands, every signal keeps its default effect.
  const signals = Deno.args[0] === "serve" ? listenForSignals() : undefined;
  const [{ runCli }, { createHost }, { loadEngine }] = await Promise.all([
    import("./src/cli/cli.ts"),
    import("./src/platform/process/process.ts"),
    import("./src/server/store_engine.ts"),
  ]);
  const host = createHost(signals);
  host.exit(await runCli(host, loadEngine));
}
