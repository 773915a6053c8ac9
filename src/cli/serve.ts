// `serve`: listens at once, and loads behind the listener what there is to answer with.
import { createClock } from "../platform/clock.ts";
import type { Command } from "./command.ts";
import { listenEarly, makeDoor } from "./early_listener.ts";
import type { Opened } from "./open.ts";

/**
 * What the service is made of, in parts that are loaded one after the other: each holds the thread while it is, and
 * between them who has asked is answered.
 */
const PARTS: readonly (() => Promise<unknown>)[] = [
  () => import("../store/sqlite/store.ts"),
  () => import("../platform/platform.ts"),
  // With zod, which by its own name would come with every language that it speaks.
  () => import("../api/parameters.ts"),
  () => import("../config/config.ts"),
  () => import("./open.ts"),
  () => import("../wire/event.ts"),
  () => import("../app.ts"),
];

/** The command. */
export const serveCommand: Command = {
  name: "serve",
  usage: "",
  summary: "runs the API, the collecting and the deliveries",
  example: "regfeed serve --config /etc/regfeed/regfeed.toml",
  positionals: [0, 0],
  options: {},
  async run(call) {
    const readings = new Map<string, string>();
    const clock = createClock();
    const door = makeDoor();
    const early = await listenEarly(call.host, call.texts.get("config"), door);
    try {
      for (const load of PARTS) {
        await clock.sleep(0); // who has asked meanwhile
        await load();
      }
      const [{ withPlatform }, { serve }] = await Promise.all([import("./open.ts"), import("./serving.ts")]);
      const work = (opened: Omit<Opened, "store">) => serve(call, { ...opened, readings, door, early });
      return await withPlatform(call, work, { readings });
    } finally {
      await early?.server.shutdown(0);
    }
  },
};
