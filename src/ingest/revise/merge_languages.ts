// Merges the language versions of a publication in one fetch, so that one edit results in one revision.
import type { LanguageOrigin } from "../../domain/event/provenance.ts";
import type { RecordDecision, StoredPublication } from "../../domain/ports/store/publications.ts";
import { editedAt, type IdentifiedItem } from "../identify/identify.ts";
import type { LanguageForms } from "../identify/language_urls.ts";
import {
  decideRevision,
  hasText,
  repetition,
  type RevisionContext,
  translation,
  withText,
} from "./decide_revision.ts";

interface DecidedAlone {
  one: IdentifiedItem;
  stored: StoredPublication | null;
  decision: RecordDecision;
  context: RevisionContext;
}

export interface WaitingItem extends Pick<DecidedAlone, "one" | "decision" | "context"> {
  /** The stored version that the decision is based on, or null if the publication is not stored. */
  base: { externalId: string; version: number } | null;
}

/** Collects the items of a fetch in several languages until all documents have been read. */
export class LanguageMerge {
  readonly #waiting: WaitingItem[] = [];
  readonly #unchanged: { one: IdentifiedItem; externalId: string }[] = [];

  constructor(readonly languages: LanguageForms) {}

  /** Holds an item back if the decision may depend on other languages. Returns whether recording it must wait. */
  takes({ one, stored, decision, context }: DecidedAlone): boolean {
    const { kind } = decision;
    if (stored !== null && kind === "unchanged") {
      this.#unchanged.push({ one, externalId: stored.externalId });
    }
    const isRepeat = isRepeated(decision);
    if ((kind === "unchanged" && !isRepeat) || (kind === "date_changed" && decision.isPending !== true)) {
      return false;
    }
    const isOfStored = stored !== null && kind !== "irrelevant" &&
      (kind !== "record" || decision.event.version > 1);
    const base = isOfStored ? { externalId: stored.externalId, version: stored.version } : null;
    this.#waiting.push({ one, decision, context, base });
    // A repetition is recorded at once, and decided again if another language creates a version.
    return !isRepeat;
  }

  /** Returns the unchanged items by the external id of their publication. */
  unchanged(): ReadonlyMap<string, readonly IdentifiedItem[]> {
    const groups = Map.groupBy(this.#unchanged, ({ externalId }) => externalId);
    return new Map([...groups].map(([externalId, items]) => [externalId, items.map(({ one }) => one)]));
  }

  /** Returns the items by publication, sorted by rank, then in the source's order of languages, then newest first. */
  groups(): WaitingItem[][] {
    const orderOf = ({ one }: WaitingItem) => this.languages.codes.indexOf(one.language ?? "");
    const known = new Map(
      this.#waiting.flatMap(({ one, base }) => base === null ? [] : [[one.key, base.externalId]]),
    );
    const groups = Map.groupBy(
      this.#waiting,
      ({ one, base }) => base?.externalId ?? known.get(one.key) ?? one.key,
    );
    return [...groups.values()]
      .filter((group) =>
        group.some(({ decision }) => decision.kind !== "irrelevant" && decision.kind !== "unchanged")
      )
      .flatMap((group) =>
        byIdentity(
          group.toSorted((a, b) =>
            rankOf(a) - rankOf(b) || orderOf(a) - orderOf(b) || compareEditions(a.one, b.one)
          ),
        )
      );
  }
}

/** Splits a group by identity if two identities have an item in the same language. The known identity comes first. */
function byIdentity(group: readonly WaitingItem[]): WaitingItem[][] {
  const keys = Map.groupBy(group, ({ one }) => one.key);
  const languages = [...keys.values()].map((items) => new Set(items.map(({ one }) => one.language)));
  const isOne = languages.every((own, at) =>
    languages.every((other, index) => index === at || own.isDisjointFrom(other))
  );
  if (isOne) return [[...group]];
  const isFirst = ([key, items]: [string, WaitingItem[]]) =>
    items.some(({ base }) => base?.externalId === key) ? 0 : 1;
  return [...keys].sort((a, b) => isFirst(a) - isFirst(b) || (a[0] < b[0] ? -1 : 1)).map(([, items]) =>
    items
  );
}

/** Ranks revisions in the record's own language first, then revisions in other languages, then all other items. */
function rankOf({ one, decision }: WaitingItem): number {
  // A changed date is considered only in the record's own language.
  if (decision.kind === "date_changed") return 0;
  if (decision.kind !== "record") return 2;
  return decision.event.language === one.language ? 0 : 1;
}

/** Sorts the newest edition first, and editions with the same date in a fixed order. */
function compareEditions(a: IdentifiedItem, b: IdentifiedItem): number {
  const [aMs, bMs] = [editedAt(a.item), editedAt(b.item)];
  if (aMs !== bMs) return aMs < bMs ? 1 : -1;
  return a.contentHash < b.contentHash ? -1 : 1;
}

/**
 * Returns a function that decides what to do with each item of a publication, according to a plan made when the first
 * item is recorded.
 */
export function createGroupDecider(
  items: readonly WaitingItem[],
  unchangedItems: ReadonlyMap<string, readonly IdentifiedItem[]>,
): (item: WaitingItem, stored: StoredPublication | null) => RecordDecision {
  let plan: { externalId: string | null; decisions: ReadonlyMap<WaitingItem, RecordDecision> } | null = null;
  const planFor = (stored: StoredPublication | null) => {
    const unchanged = stored === null ? [] : unchangedItems.get(stored.externalId) ?? [];
    const decisions = decideGroup(items, stored, unchanged);
    const version = [...decisions.values()].find((decision) => isVersion(decision, stored));
    const externalId = version?.kind === "record" ? version.event.external_id : stored?.externalId ?? null;
    return { externalId, decisions };
  };
  return (item, stored) => {
    const isFirst = plan === null;
    const { externalId, decisions } = plan ??= planFor(stored);
    const planned = isFirst || stored?.externalId === externalId ? decisions.get(item) : undefined;
    // The plan does not apply to an item that turns out to belong to another publication.
    return planned ?? decideRevision(item.one, stored, item.context);
  };
}

/**
 * Decides what to do with the items of one publication, given in recording order. `unchanged` has its unchanged items.
 *
 * - A new publication becomes one record in the language recorded first, with the texts of the other languages.
 * - A revision becomes one version, made from the first item, with the changed texts of the other items.
 * - A new language is not a revision. Its text is added to the version that the fetch creates, or else to the newest.
 * - A text that repeats that of another language is added to the first version in which the two texts differ.
 * - A date that changed together with a text of another language is part of that edit and needs no confirmation.
 * - Of two editions in one language, the newer one is used, or the stored one if neither is newer.
 */
export function decideGroup(
  items: readonly WaitingItem[],
  stored: StoredPublication | null,
  unchanged: readonly IdentifiedItem[] = [],
): Map<WaitingItem, RecordDecision> {
  const decisions = new Map<WaitingItem, RecordDecision>();
  const languages = new Set<string | undefined>();
  for (const item of items) {
    const isStale = languages.has(item.one.language) || isOutdatedBy(item.one, { stored, unchanged });
    decisions.set(item, isStale ? { kind: "unchanged" } : decideAlone(item, stored));
    languages.add(item.one.language);
  }
  if (stored !== null && [...decisions.values()].some((decision) => isVersion(decision, stored))) {
    for (const [item, { kind }] of decisions) {
      if (kind !== "date_changed") continue;
      decisions.set(item, decideRevision(item.one, stored, { ...item.context, movedDates: "now" }));
    }
  }
  const carrier = items.find((item) => isVersion(decisions.get(item), stored));
  mergeTexts(decisions, { carrier, stored });
  return decisions;
}

/** Adds the other items' texts to the version that `carrier` creates, or records them as translations after it. */
function mergeTexts(
  decisions: Map<WaitingItem, RecordDecision>,
  { carrier, stored }: { carrier: WaitingItem | undefined; stored: StoredPublication | null },
): void {
  const carried = carrier === undefined ? undefined : decisions.get(carrier);
  const version = carried?.kind === "record" ? carried : null;
  if (version === null && stored === null) return;
  let event = version?.event ?? null;
  let notify = version?.notify ?? false;
  const origins: Record<string, LanguageOrigin> = {};
  // The version as it will be served.
  let shown = event ?? (stored as StoredPublication).event;
  let isRecorded = false;
  for (const [item, decision] of decisions) {
    if (item === carrier) isRecorded = true;
    const { one: { item: text, language }, context } = item;
    if (item === carrier || language === undefined || !bringsText(decision, stored)) continue;
    if (hasText(shown, text)) {
      decisions.set(item, repetition(shown, language));
      continue;
    }
    const { title, summary } = text;
    shown = withText(shown, language, { title, summary });
    // A text that is recorded before the version would be added to the previous version.
    if (event !== null && (!isRecorded || stored === null || decision.kind !== "translated")) {
      event = withText(event, language, { title, summary });
      if (stored !== null && decision.kind === "record" && decision.notify !== false) {
        notify = decision.notify;
      }
      if (decision.kind !== "translated") origins[language] = originIn(item);
      decisions.set(item, { kind: "joined" });
    } else {
      decisions.set(item, translation(item.one, context));
    }
  }
  if (carrier !== undefined && version !== null && event !== null) {
    const provenance = Object.keys(origins).length === 0
      ? version.provenance
      : { ...version.provenance, other_languages: origins };
    decisions.set(carrier, { ...version, event, provenance, notify });
  }
}

function originIn({ one, context }: WaitingItem): LanguageOrigin {
  const { document, document_sha256, http_status, fetched_at } = context.provenance(one);
  return { document, document_sha256, http_status, fetched_at, url: one.item.link };
}

function decideAlone({ one, decision, context, base }: WaitingItem, stored: StoredPublication | null) {
  const isSameBase = base?.externalId === stored?.externalId && base?.version === stored?.version;
  return isSameBase ? decision : decideRevision(one, stored, context);
}

/** Whether a decision creates a version of this publication: its first one, or a later one if it is stored. */
function isVersion(decision: RecordDecision | undefined, stored: StoredPublication | null): boolean {
  return decision?.kind === "record" && (stored === null || decision.event.version > 1);
}

/** Whether an item's text belongs in the record, which has the texts of all languages. */
function bringsText(decision: RecordDecision, stored: StoredPublication | null): boolean {
  const { kind } = decision;
  return kind === "translated" || isVersion(decision, stored) || isRepeated(decision) ||
    (stored === null && kind === "irrelevant");
}

function isRepeated(decision: RecordDecision): boolean {
  return decision.kind === "unchanged" && decision.repeats === true;
}

/** Whether the fetch also has the stored edition in the item's language, and that edition is not older. */
function isOutdatedBy(
  one: IdentifiedItem,
  { stored, unchanged }: { stored: StoredPublication | null; unchanged: readonly IdentifiedItem[] },
): boolean {
  const others = unchanged.filter(({ key, language }) => key === one.key && language === one.language);
  if (stored === null || others.length === 0) return false;
  const textHash = one.language === undefined ? undefined : stored.languages.get(one.language);
  return others.some((other) =>
    (other.contentHash === stored.contentHash || other.textHash === textHash) &&
    editedAt(other.item) >= editedAt(one.item)
  );
}
