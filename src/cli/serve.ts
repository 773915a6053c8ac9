// `serve`: the API and the loops, until a signal ends them.
import { createApp } from "../app.ts";
import { listen } from "../platform/server.ts";
import { VERSION } from "../version.ts";
import { type Command, EXIT } from "./command.ts";
import { withStore } from "./open.ts";

/** How long answers under way may take after the signal, ms. */
const DRAIN_MS = 5_000;

/** The command. */
export const serveCommand: Command = {
  name: "serve",
  usage: "",
  summary: "runs the API, the collecting and the deliveries",
  example: "regfeed serve --config /etc/regfeed/regfeed.toml",
  positionals: [0, 0],
  options: {},
  run: (call) =>
    withStore(call, async ({ config, file, platform, store }) => {
      const log = platform.log("serve");
      log.info("starting", {
        version: VERSION,
        config: file,
        store: config.store.path,
        sources: config.sources.filter(({ enabled }) => enabled).length,
      });
      const app = createApp({ config, platform, store, version: VERSION });
      const server = await listen({
        ...config.server.listen,
        handler: (request, { remoteAddress }) => app.fetch(request, remoteAddress),
        refuse: (request) => app.refuse(request),
      });
      await app.start();
      log.info("listening", { address: server.address });
      const signal = await call.host.stopSignal();
      log.info("stopping", { signal });
      await server.shutdown(DRAIN_MS);
      await app.stop();
      log.info("stopped");
      return EXIT.done;
    }),
};
