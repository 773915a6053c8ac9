// Records the items that are languages of one publication, after all documents have been read.
import type { RecordDecision } from "../../domain/ports/store/store.ts";
import type { DocumentRun } from "../document_run.ts";
import type { IdentifiedItem } from "../identify/identify.ts";
import { recordGroups } from "./record_batches.ts";
import { suppressesNotification } from "../revise/revise.ts";
import { Group, shareFormerKeys, type WaitingItem } from "../revise/merge_languages.ts";

/** Records what has waited, all languages of a publication in one transaction. */
export async function recordMergedLanguages(run: DocumentRun): Promise<void> {
  const { together, result } = run;
  if (together === null) return;
  const groups = together.groups();
  const decisions = new Map<WaitingItem, RecordDecision>();
  const byItem = new Map<IdentifiedItem, { item: WaitingItem; group: Group }>();
  for (const items of groups) {
    shareFormerKeys(items);
    const group = new Group(items, together);
    for (const item of items) byItem.set(item.one, { item, group });
  }
  await recordGroups(groups.map((items) => items.map(({ one }) => one)), run, (one, stored) => {
    const found = byItem.get(one);
    if (found === undefined) throw new Error(`nobody waits for ${one.key}`);
    const decision = found.group.decide(found.item, stored);
    decisions.set(found.item, decision);
    if (decision.kind === "record") result.seen.add(decision.event.external_id);
    return decision;
  });
  for (const [item, decision] of decisions) {
    const told = together.decidedOf(item);
    if (told === null) continue;
    told.decision = decision.kind === "redated" ? { kind: "unchanged" } : decision;
    told.suppressNotification = suppressesNotification(item.one, decision, item.context);
  }
  together.tellRecorded();
}
