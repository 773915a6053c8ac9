// `source release`: lists the events that a change spike holds, delivers them, or keeps them undelivered.
import { formatCount } from "../../domain/format_count.ts";
import type { Command } from "../command.ts";
import { releaseHeld, requireSource } from "../../operate/sources.ts";
import { print, printTable } from "../print.ts";
import { CommandError, EXIT } from "../../server/command_context.ts";
import { actOf } from "../customer/named_customer.ts";
import { withStore } from "../../server/open_store.ts";
import { heldTable, readHeld } from "./held_events.ts";

export const releaseCommand: Command = {
  name: "source release",
  usage: "ID [--deliver | --discard] [--utc] [--json]",
  summary: "lists the events held by a change spike, delivers them, or keeps them undelivered",
  example: "regfeed source release eu-edpb-news --deliver",
  options: {
    deliver: { kind: "flag", help: "deliver the events to the matching subscriptions" },
    discard: { kind: "flag", help: "keep the events in the store without delivering them" },
  },
  run(call) {
    const [deliver, discard] = [call.flags.has("deliver"), call.flags.has("discard")];
    if (deliver && discard) throw new CommandError("use either --deliver or --discard", EXIT.usage);
    return withStore(call, async ({ config, platform, store }) => {
      const id = call.positionals[0] ?? "";
      await requireSource({ config, store }, id);
      if (!deliver && !discard) {
        const events = await readHeld(store, id);
        return printTable(call, { source: id, events }, () => ({
          table: events.length === 0 ? "" : heldTable(call, events),
          notes: events.length === 0
            ? noneHeld(id)
            : whatToDo(`${call.host.program} source release ${id}`, events.length),
        }));
      }
      const release = { end: deliver ? "deliver" : "discard" } as const;
      const events = await releaseHeld({ config, store }, id, release, actOf(call, platform));
      print(call, { source: id, events, delivered: deliver }, () => describe(id, events, deliver));
    });
  },
};

function noneHeld(id: string): string {
  return `no events of ${id} are held\n`;
}

function whatToDo(command: string, events: number): string {
  return `${formatCount(events, "event")} held by a change spike\n` +
    `deliver:           ${command} --deliver\n` +
    `keep undelivered:  ${command} --discard\n`;
}

function describe(id: string, events: number, isDelivered: boolean): string {
  if (events === 0) return noneHeld(id);
  const what = `${formatCount(events, "event")} of ${id}`;
  return isDelivered
    ? `${what} released for delivery to the matching subscriptions that are older than the events or have a backfill\n`
    : `${what} kept in the store and not delivered\n`;
}
