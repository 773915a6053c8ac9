// What the page of an event shows, as read from the API.
import type * as z from "zod";
import type { RegEvent } from "../../../domain/event/event.ts";
import type { Explanation } from "../../../domain/event/explanation.ts";
import type { Provenance } from "../../../domain/event/provenance.ts";
import type { ApiAnswer } from "../../../http/api_call.ts";
import type { deliveryList } from "../../../wire/delivery_log.ts";
import type { eventVersions } from "../../../wire/versions.ts";
import type { CustomerCall } from "../../page_route.ts";
import type { Vocabulary } from "../vocabulary.ts";

export type DeliveryRecord = z.infer<typeof deliveryList>["deliveries"][number];
type VersionRecord = z.infer<typeof eventVersions>["versions"][number];

/** The newest versions of a publication. */
export interface Versions {
  /** Oldest first. */
  all: RegEvent[];
  records: VersionRecord[];
  hasEarlier: boolean;
  newest: RegEvent | null;
}

export interface Deliveries {
  all: DeliveryRecord[];
  next: ApiAnswer["next"];
}

export interface EventContent {
  call: CustomerCall;
  vocabulary: Vocabulary;
  event: RegEvent;
  provenance: Provenance;
  versions: Versions;
  /** The version to compare with; null if there is none. */
  before: RegEvent | null;
  newest: RegEvent | null;
  explanation: Explanation;
  deliveries: Deliveries;
  subscriptionNames: ReadonlyMap<string, string>;
}
