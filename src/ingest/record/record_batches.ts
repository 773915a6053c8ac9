// Records publications in batches, so that other work can run in between.
import type { RecordDecision, StoredPublication } from "../../domain/ports/store/publications.ts";
import type { IdentifiedItem } from "../identify/identify.ts";
import type { DocumentRun } from "../run_context.ts";

/** Maximum numbers of publications and of their characters in one transaction, which blocks the main thread. */
const RECORD_BATCH = 100;
const RECORD_CHARACTERS = 100_000;

/** Decides on an item, given its stored publication. Returns null to leave the decision to a later call. */
export type Decide = (one: IdentifiedItem, stored: StoredPublication | null) => RecordDecision | null;

export async function recordBatches(
  identified: readonly IdentifiedItem[],
  run: DocumentRun,
  decide: Decide,
): Promise<void> {
  await recordGroups(identified.map((one) => [one]), run, decide);
}

/** Records groups of items without splitting a group between transactions. */
export async function recordGroups(
  groups: readonly (readonly IdentifiedItem[])[],
  { source, mode, options: { store, holder }, pause }: DocumentRun,
  decide: Decide,
): Promise<void> {
  const record = mode === "record" ? store.recordPublications : store.previewPublications;
  for (const batch of batchesOf(groups)) {
    await record(source.id, batch, (one, stored) => decide(one, stored) ?? { kind: "irrelevant" }, holder);
    await pause();
  }
}

function* batchesOf(groups: readonly (readonly IdentifiedItem[])[]): Generator<readonly IdentifiedItem[]> {
  let batch: IdentifiedItem[] = [];
  let characters = 0;
  for (const group of groups) {
    const more = group.reduce((sum, { item }) => sum + item.title.length + item.summary.length, 0);
    const isFull = batch.length + group.length > RECORD_BATCH || characters + more > RECORD_CHARACTERS;
    if (batch.length > 0 && isFull) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(...group);
    characters += more;
  }
  if (batch.length > 0) yield batch;
}
