// The versions of one publication, as JSON.
import * as z from "zod";
import { diffEvents } from "../domain/event/diff.ts";
import { DISCLAIMER } from "../domain/event/disclaimer.ts";
import type { RegEvent } from "../domain/event/event.ts";
import { eventDiff } from "./delivery.ts";
import { eventRecord } from "./event.ts";
import { EXAMPLE_DIFF, EXAMPLE_EVENT, EXAMPLE_REVISION } from "./examples.ts";
import { disclaimer } from "./fields.ts";

/** The response of `GET /v1/events/{id}/versions`, oldest version first. */
export const eventVersions = z.strictObject({
  versions: z.array(
    z.strictObject({
      event: eventRecord,
      diff_to_previous: eventDiff.nullable().meta({ description: "Null for the first version" }),
    }).meta({ id: "EventVersion", description: "A version and its changes" }),
  ).meta({ description: "Oldest version first" }),
  count: z.int().min(1).meta({ description: "Number of versions in this response" }),
  disclaimer,
}).meta({
  id: "EventVersions",
  description: "The versions of one publication",
  examples: [{
    versions: [
      { event: EXAMPLE_EVENT, diff_to_previous: null },
      { event: EXAMPLE_REVISION, diff_to_previous: EXAMPLE_DIFF },
    ],
    count: 2,
    disclaimer: DISCLAIMER,
  }],
});

/** Returns the newest `most` of `events` (oldest first). The event before these is only used for the first diff. */
export function toEventVersions(events: readonly RegEvent[], most: number): z.infer<typeof eventVersions> {
  const first = Math.max(0, events.length - most);
  const versions = events.slice(first).map((event, index) => {
    const previous = events[first + index - 1];
    return { event, diff_to_previous: previous === undefined ? null : diffEvents(previous, event) };
  });
  return { versions, count: versions.length, disclaimer: DISCLAIMER };
}
