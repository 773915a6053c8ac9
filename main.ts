// Entry point: arguments to a command.
import { runCli } from "./src/cli/cli.ts";
import { createHost } from "./src/platform/process.ts";

if (import.meta.main) {
  const host = createHost();
  host.exit(await runCli(host));
}
