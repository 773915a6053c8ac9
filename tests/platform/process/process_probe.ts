// A separate process for the tests of src/platform/process/process.ts. Its first argument selects what it does.
import { createHost } from "../../../src/platform/process/process.ts";

const host = createHost();
switch (host.args[0]) {
  case "describe":
    host.out(JSON.stringify({
      args: host.args,
      cwd: host.cwd,
      set: host.env("REGFEED_PROBE"),
      unset: host.env("REGFEED_PROBE_UNSET") ?? null,
      isTerminal: host.isTerminal,
      isErrTerminal: host.isErrTerminal,
      columns: host.columns(),
    }));
    host.err("to stderr");
    host.exit(3);
    break;
  case "wait": {
    const first = host.stopSignal();
    host.out("ready\n");
    host.out(`${await first}\n`);
    // Hangs, as a shutdown may, so that only a kill ends the process.
    setInterval(() => {}, 60_000);
    break;
  }
  case "pour":
    for (;;) host.out("y\n".repeat(10_000));
}
