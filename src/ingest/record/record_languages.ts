// Records the items of publications in several languages once all documents have been read.
import type { DocumentRun } from "../run_context.ts";
import type { IdentifiedItem } from "../identify/identify.ts";
import type { DecidedItem } from "../model.ts";
import type { NormalisedItem } from "../normalise/item.ts";
import { recordGroups } from "./record_batches.ts";
import { suppressesNotification } from "../revise/decide_revision.ts";
import { createGroupDecider, type WaitingItem } from "../revise/merge_languages.ts";

interface MergedLanguages {
  decisions: Map<NormalisedItem, Pick<DecidedItem, "decision" | "suppressNotification">>;
  /** The external ids of the publications that were recorded. */
  seen: Set<string>;
}

/** Records the items that waited, with all languages of a publication in one transaction. */
export async function recordMergedLanguages(run: DocumentRun): Promise<MergedLanguages> {
  const { languageMerge } = run;
  const result: MergedLanguages = { decisions: new Map(), seen: new Set() };
  if (languageMerge === null) return result;
  const unchanged = languageMerge.unchanged();
  const groups = languageMerge.groups().map(withSharedAliases);
  const waiting = new Map(groups.flatMap((items) => {
    const decide = createGroupDecider(items, unchanged);
    return items.map((item): [IdentifiedItem, { item: WaitingItem; decide: typeof decide }] => [
      item.one,
      { item, decide },
    ]);
  }));
  await recordGroups(groups.map((items) => items.map(({ one }) => one)), run, (one, stored) => {
    const found = waiting.get(one);
    if (found === undefined) throw new Error(`${one.key} was not held back`);
    const decision = found.decide(found.item, stored);
    if (decision.kind === "record") result.seen.add(decision.event.external_id);
    result.decisions.set(one.item, {
      decision: decision.kind === "date_changed" ? { kind: "unchanged" } : decision,
      suppressNotification: suppressesNotification(one, decision, found.item.context),
    });
    return decision;
  });
  return result;
}

/** Gives each item of a publication the identities of all others as aliases. */
function withSharedAliases(items: readonly WaitingItem[]): WaitingItem[] {
  const keys = new Set(items.flatMap(({ one }) => [...one.formerKeys ?? [], one.key]));
  if (keys.size === 1) return [...items];
  return items.map((item) => {
    const formerKeys = [...keys].filter((key) => key !== item.one.key);
    return { ...item, one: { ...item.one, formerKeys } };
  });
}
