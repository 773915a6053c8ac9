// Records publications in batches, so that other work can run in between.
import type { RecordDecision, StoredPublication } from "../../domain/ports/store/publications.ts";
import type { IdentifiedItem } from "../identify/identify.ts";
import type { DocumentRun } from "../document_run.ts";

/** Publications recorded in one transaction, which blocks the main thread. */
const RECORD_BATCH = 100;
/** Characters of their texts in one transaction; one publication may be longer. */
const RECORD_CHARACTERS = 100_000;

/** Decides an item with the stored publication; null leaves it to a later call. */
export type Decide = (one: IdentifiedItem, stored: StoredPublication | null) => RecordDecision | null;

/** Records items one after the other, each batch in one transaction. */
export async function recordBatches(
  identified: readonly IdentifiedItem[],
  run: DocumentRun,
  decide: Decide,
): Promise<void> {
  await recordAll(slices(identified), run, decide);
}

/** Records groups of items; no group is split between two transactions. */
export async function recordGroups(
  groups: readonly (readonly IdentifiedItem[])[],
  run: DocumentRun,
  decide: Decide,
): Promise<void> {
  await recordAll(wholeGroups(groups), run, decide);
}

function* slices(identified: readonly IdentifiedItem[]): Generator<readonly IdentifiedItem[]> {
  let start = 0;
  let characters = 0;
  for (const [at, { item }] of identified.entries()) {
    characters += item.title.length + item.summary.length;
    if (at === start || at - start < RECORD_BATCH && characters <= RECORD_CHARACTERS) continue;
    yield identified.slice(start, at);
    start = at;
    characters = item.title.length + item.summary.length;
  }
  if (start < identified.length) yield identified.slice(start);
}

function* wholeGroups(groups: readonly (readonly IdentifiedItem[])[]): Generator<readonly IdentifiedItem[]> {
  let batch: IdentifiedItem[] = [];
  for (const group of groups) {
    if (batch.length > 0 && batch.length + group.length > RECORD_BATCH) {
      yield batch;
      batch = [];
    }
    batch.push(...group);
  }
  if (batch.length > 0) yield batch;
}

async function recordAll(
  batches: Iterable<readonly IdentifiedItem[]>,
  { source, mode, options: { store, holder }, pause }: DocumentRun,
  decide: Decide,
): Promise<void> {
  const record = mode === "record" ? store.recordPublications : store.previewPublications;
  for (const batch of batches) {
    await record(source.id, batch, (one, stored) => decide(one, stored) ?? { kind: "irrelevant" }, holder);
    await pause();
  }
}
