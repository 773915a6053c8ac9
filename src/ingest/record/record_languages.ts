// Records the items in several languages, after all documents have been read.
import type { DocumentRun } from "../document_run.ts";
import type { IdentifiedItem } from "../identify/identify.ts";
import type { DecidedItem } from "../model.ts";
import type { NormalisedItem } from "../normalise/item.ts";
import { recordGroups } from "./record_batches.ts";
import { suppressesNotification } from "../revise/revise.ts";
import { LanguageGroup, type WaitingItem, withSharedAliases } from "../revise/merge_languages.ts";

/** The result of recording the items that waited for other languages. */
export interface MergedLanguages {
  decisions: ReadonlyMap<NormalisedItem, Pick<DecidedItem, "decision" | "suppressNotification">>;
  /** The publications that were recorded, by their external ids. */
  seen: ReadonlySet<string>;
}

/** Records the items that waited, all languages of a publication in one transaction. */
export async function recordMergedLanguages(run: DocumentRun): Promise<MergedLanguages> {
  const { languageMerge } = run;
  const decisions = new Map<NormalisedItem, Pick<DecidedItem, "decision" | "suppressNotification">>();
  const seen = new Set<string>();
  if (languageMerge === null) return { decisions, seen };
  const unchanged = languageMerge.unchanged();
  const groups = languageMerge.groups().map(withSharedAliases);
  const byItem = new Map<IdentifiedItem, { item: WaitingItem; group: LanguageGroup }>();
  for (const items of groups) {
    const group = new LanguageGroup(items, unchanged);
    for (const item of items) byItem.set(item.one, { item, group });
  }
  await recordGroups(groups.map((items) => items.map(({ one }) => one)), run, (one, stored) => {
    const found = byItem.get(one);
    if (found === undefined) throw new Error(`${one.key} was not held back`);
    const decision = found.group.decide(found.item, stored);
    if (decision.kind === "record") seen.add(decision.event.external_id);
    decisions.set(one.item, {
      decision: decision.kind === "date_changed" ? { kind: "unchanged" } : decision,
      suppressNotification: suppressesNotification(one, decision, found.item.context),
    });
    return decision;
  });
  return { decisions, seen };
}
