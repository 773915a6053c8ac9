// Tries, fetches and releases sources.
import { findNearest } from "../domain/did_you_mean.ts";
import type { Act } from "../domain/customer/audit.ts";
import { Refusal } from "../domain/operator/refusal.ts";
import { type SourceSettings, untouchedSource } from "../domain/source/source.ts";
import type { Store } from "../domain/ports/store/store.ts";
import type { Ingest, IngestPreview } from "../ingest/ingest.ts";
import type { Operation } from "./operation.ts";

/** Predicts the result of a fetch without storing anything. */
export async function previewSource(
  { ingest, store }: { ingest: Pick<Ingest, "preview">; store: Pick<Store, "listSources"> },
  source: SourceSettings,
): Promise<IngestPreview> {
  const known = (await store.listSources()).find(({ id }) => id === source.id);
  return await ingest.preview(source, known ?? untouchedSource(source.id, 0));
}

/** Makes a source due now. A running server fetches it as soon as its host allows. */
export async function requestFetch({ config, store }: Operation, id: string, by: Act): Promise<void> {
  const source = config.sources.find((one) => one.id === id);
  if (source === undefined) throw unknownSource(id, config.sources);
  if (!source.enabled || !await store.requestFetch(id, by)) {
    throw new Refusal("source_disabled", { source: id });
  }
}

interface Release {
  end: "deliver" | "discard";
  /** The number of events that the operator has seen; if another number is held, nothing is released. */
  seen?: number;
}

/** Delivers or discards the events that a change spike holds. Returns how many. */
export async function releaseHeld(
  { config, store }: Pick<Operation, "config" | "store">,
  id: string,
  { end, seen }: Release,
  by: Act,
): Promise<number> {
  await requireSource({ config, store }, id);
  if (seen !== undefined && (await store.listHeldEvents(id)).length !== seen) {
    throw new Refusal("held_events_changed", { source: id });
  }
  return await store.releaseEvents(id, end, by);
}

/** Throws a {@link Refusal} unless the source is or was in the config. */
export async function requireSource(
  { config, store }: Pick<Operation, "config" | "store">,
  id: string,
): Promise<void> {
  const isKnown = config.sources.some((source) => source.id === id) || await store.isKnownSource(id);
  if (!isKnown) throw unknownSource(id, config.sources);
}

/** Returns the refusal of an unknown id, with the configured id that was probably meant. */
export function unknownSource(id: string, sources: readonly Pick<SourceSettings, "id">[]): Refusal {
  const nearest = findNearest(id, sources.map((source) => source.id));
  return new Refusal("source_unknown", { source: id, ...(nearest === null ? {} : { nearest }) });
}
