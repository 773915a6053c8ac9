// `serve`: starts the server.
import type { Command } from "./command.ts";

export const serveCommand: Command = {
  name: "serve",
  usage: "",
  summary: "runs the API and the loops that ingest, deliver and send emails",
  example: "regfeed serve --config /etc/regfeed/regfeed.toml",
  async run(call) {
    // Loaded on demand, because the help loads this file too.
    const [{ withPlatform }, { serve }] = await Promise.all([
      import("../server/open_store.ts"),
      import("../server/server_process.ts"),
    ]);
    const readings = new Map<string, string>();
    return await withPlatform(call, (opened) => serve(call, { ...opened, readings }), { readings });
  },
};
