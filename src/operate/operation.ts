// What the operator's use cases need.
import type { Config } from "../config/config.ts";
import { createIds, type NewId } from "../domain/event/ids.ts";
import type { Clock, Random } from "../domain/ports/ports.ts";
import type { Store } from "../domain/ports/store/store.ts";

export interface Operation {
  config: Pick<Config, "customers" | "sources" | "tiers" | "payment" | "mail">;
  store: Store;
  clock: Pick<Clock, "nowMs">;
  random: Pick<Random, "bytes">;
}

export function newIdOf({ clock, random }: Operation): NewId {
  return createIds(() => clock.nowMs(), (count) => random.bytes(count));
}
