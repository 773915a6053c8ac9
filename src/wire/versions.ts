// The versions of one publication, as JSON.
import { z } from "zod";
import { diffEvents } from "../domain/diff.ts";
import { DISCLAIMER } from "../domain/disclaimer.ts";
import type { RegEvent } from "../domain/event.ts";
import { eventDiff } from "./delivery.ts";
import { disclaimer, eventRecord } from "./event.ts";

/** The answer of `GET /v1/events/{id}/versions`, the first version first. */
export const eventVersions = z.strictObject({
  versions: z.array(z.strictObject({
    event: eventRecord,
    diff_to_previous: eventDiff.nullable().meta({ description: "Null for the first version" }),
  })),
  count: z.int().min(1),
  disclaimer,
}).meta({ id: "EventVersions" });

/** The answer, from the versions in order. */
export function toEventVersions(events: readonly RegEvent[]): z.infer<typeof eventVersions> {
  const versions = events.map((event, index) => {
    const previous = events[index - 1];
    return { event, diff_to_previous: previous === undefined ? null : diffEvents(previous, event) };
  });
  return { versions, count: versions.length, disclaimer: DISCLAIMER };
}
