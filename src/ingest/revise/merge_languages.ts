// What one fetch brings of a publication in several languages: decided on together, so that one edit is one revision.
import type { LanguageOrigin } from "../../domain/event/provenance.ts";
import type { RecordDecision, StoredPublication } from "../../domain/ports/store/store.ts";
import { editedAt, type IdentifiedItem } from "../identify/identify.ts";
import type { LanguageForms } from "../identify/language_urls.ts";
import type { DecidedItem } from "../model.ts";
import {
  decideRevision,
  hasText,
  repetition,
  type RevisionContext,
  translation,
  withText,
} from "./revise.ts";

/** An item as it was decided on by itself. */
export interface DecidedAlone {
  one: IdentifiedItem;
  stored: StoredPublication | null;
  decision: RecordDecision;
  /** With what it was decided on. */
  context: RevisionContext;
}

/** An item that waits for the other languages of its publication. */
export interface WaitingItem extends Pick<DecidedAlone, "one" | "decision" | "context"> {
  /** The version of its publication that it was decided on with; null where it is of none that is stored. */
  base: { externalId: string; version: number } | null;
}

/** What a fetch has brought in several languages until all of its documents have been read. */
export class LanguageMerge {
  readonly #waiting = new Map<IdentifiedItem, WaitingItem>();
  readonly #decided = new Map<IdentifiedItem, DecidedItem>();
  readonly #unchanged = new Map<string, IdentifiedItem[]>();
  readonly #actions: (() => void)[] = [];

  constructor(readonly languages: LanguageForms) {}

  /** Takes what would be written of a publication, and what other languages may make something of; whether it does. */
  takes({ one, stored, decision, context }: DecidedAlone): boolean {
    const { kind } = decision;
    if (stored !== null && kind === "unchanged") this.#noteUnchanged(one, stored.externalId);
    const isRepeat = isRepeated(decision);
    if ((kind === "unchanged" && !isRepeat) || (kind === "redated" && decision.sighted !== true)) {
      return false;
    }
    const isOfStored = stored !== null && kind !== "passed_over" &&
      (kind !== "record" || decision.event.version > 1);
    const base = isOfStored ? { externalId: stored.externalId, version: stored.version } : null;
    this.#waiting.set(one, { one, decision, context, base });
    // Unless another language makes a version, that is all that becomes of it.
    return !isRepeat;
  }

  #noteUnchanged(one: IdentifiedItem, externalId: string): void {
    const others = this.#unchanged.get(externalId);
    if (others === undefined) this.#unchanged.set(externalId, [one]);
    else others.push(one);
  }

  /** Remembers where what becomes of an item is told, if it waits. */
  expect(one: IdentifiedItem, decided: DecidedItem): void {
    if (this.#waiting.has(one)) this.#decided.set(one, decided);
  }

  /** Where what becomes of an item is told. */
  decidedOf({ one }: WaitingItem): DecidedItem | null {
    return this.#decided.get(one) ?? null;
  }

  /** Acts when all that waits is recorded. */
  onRecorded(action: () => void): void {
    this.#actions.push(action);
  }

  /** All that waited is recorded. */
  tellRecorded(): void {
    for (const action of this.#actions) action();
  }

  /** What came of a publication as it was. */
  unchangedOf(externalId: string): readonly IdentifiedItem[] {
    return this.#unchanged.get(externalId) ?? [];
  }

  /**
   * The items by publication, without those of which nothing becomes anything, and within one in the order in which they
   * are recorded: the record's own language first, then what revises it, the source's main language before the others.
   * Whichever order the documents came in, it is the same.
   */
  groups(): WaitingItem[][] {
    const items = [...this.#waiting.values()];
    const known = new Map(
      items.flatMap(({ one, base }) => base === null ? [] : [[one.key, base.externalId]]),
    );
    const groups = Map.groupBy(items, ({ one, base }) => base?.externalId ?? known.get(one.key) ?? one.key);
    return [...groups.values()]
      .filter((group) =>
        group.some(({ decision }) => decision.kind !== "passed_over" && decision.kind !== "unchanged")
      )
      .flatMap((group) => byIdentity(this.#sorted(group)));
  }

  #sorted(group: readonly WaitingItem[]): WaitingItem[] {
    const { codes } = this.languages;
    const placeOf = ({ one }: WaitingItem) => codes.indexOf(one.language ?? "");
    return group.toSorted((a, b) =>
      rankOf(a) - rankOf(b) || placeOf(a) - placeOf(b) || compareEditions(a.one, b.one)
    );
  }
}

/**
 * Two items of one language that are not one by their identity may be two publications, although both were taken for
 * editions of one: then each identity goes by itself, that by which the publication is known first.
 */
function byIdentity(group: readonly WaitingItem[]): WaitingItem[][] {
  const keys = Map.groupBy(group, ({ one }) => one.key);
  const languages = [...keys.values()].map((items) => new Set(items.map(({ one }) => one.language)));
  const isOne = languages.every((own, at) =>
    languages.every((other, place) => place === at || own.isDisjointFrom(other))
  );
  if (isOne) return [[...group]];
  const isFirst = ([key, items]: [string, WaitingItem[]]) =>
    items.some(({ base }) => base?.externalId === key) ? 0 : 1;
  return [...keys].sort((a, b) => isFirst(a) - isFirst(b) || (a[0] < b[0] ? -1 : 1)).map(([, items]) =>
    items
  );
}

/** What revises a record in its own language comes before what does so in another, and that before the rest. */
function rankOf({ one, decision }: WaitingItem): number {
  // Nothing but the date of a record's own language counts.
  if (decision.kind === "redated") return 0;
  if (decision.kind !== "record") return 2;
  return decision.event.language === one.language ? 0 : 1;
}

/** The newest edition first; of two that say nothing of that always the same one. */
function compareEditions(a: IdentifiedItem, b: IdentifiedItem): number {
  const [aMs, bMs] = [editedAt(a.item), editedAt(b.item)];
  if (aMs !== bMs) return aMs < bMs ? 1 : -1;
  return a.contentHash < b.contentHash ? -1 : 1;
}

/** What one language's item is known by, all are. */
export function shareFormerKeys(items: readonly WaitingItem[]): void {
  const keys = new Set(items.flatMap(({ one }) => [...one.formerKeys ?? [], one.key]));
  for (const { one } of items) {
    const formerKeys = [...keys].filter((key) => key !== one.key);
    if (formerKeys.length > 0) one.formerKeys = formerKeys;
  }
}

/** The items of one publication while they are recorded one after the other. */
export class Group {
  #plan: { externalId: string | null; decisions: ReadonlyMap<WaitingItem, RecordDecision> } | null = null;

  constructor(readonly items: readonly WaitingItem[], readonly together: LanguageMerge) {}

  decide(item: WaitingItem, stored: StoredPublication | null): RecordDecision {
    const isFirst = this.#plan === null;
    const { externalId, decisions } = this.#plan ??= this.#planWith(stored);
    const decision = isFirst || stored?.externalId === externalId ? decisions.get(item) : undefined;
    // It has turned out to be of another publication than the first one is.
    return decision ?? decideRevision(item.one, stored, item.context);
  }

  #planWith(stored: StoredPublication | null) {
    const unchanged = stored === null ? [] : this.together.unchangedOf(stored.externalId);
    const decisions = decideTogether(this.items, stored, unchanged);
    const version = [...decisions.values()].find((decision) => isVersion(decision, stored));
    const externalId = version?.kind === "record" ? version.event.external_id : stored?.externalId ?? null;
    return { externalId, decisions };
  }
}

/**
 * Decides on the items of one publication that a fetch has brought, in the order in which they are recorded; `stored` is
 * what is stored of it, `unchanged` what else the fetch has brought of it, as it was.
 *
 * - What is new becomes one record, in the first language that is to be recorded, and has the others.
 * - What revises it becomes one version, made of the first item, with the changed words of the others.
 * - A language that a stored record did not have is no revision: it comes to the version that the fetch makes, else to
 *   the newest.
 * - Words that another language had, in place of a language's own, come to the version in which that has others.
 * - A date that moved together with the words of another language is part of that edit, and need not be seen again.
 * - Of a language that the fetch has brought in two editions the newer one counts, and that which is stored if none is.
 */
export function decideTogether(
  items: readonly WaitingItem[],
  stored: StoredPublication | null,
  unchanged: readonly IdentifiedItem[] = [],
): Map<WaitingItem, RecordDecision> {
  const decisions = new Map<WaitingItem, RecordDecision>();
  const met = new Set<string | undefined>();
  for (const item of items) {
    const isStale = met.has(item.one.language) || isOutdatedBy(item.one, { stored, unchanged });
    decisions.set(item, isStale ? { kind: "unchanged" } : decideAlone(item, stored));
    met.add(item.one.language);
  }
  if (stored !== null && [...decisions.values()].some((decision) => isVersion(decision, stored))) {
    for (const [item, { kind }] of decisions) {
      if (kind !== "redated") continue;
      decisions.set(item, decideRevision(item.one, stored, { ...item.context, movedDates: "now" }));
    }
  }
  const carrier = items.find((item) => isVersion(decisions.get(item), stored));
  mergeTexts(decisions, { carrier, stored });
  return decisions;
}

/** Lets the version of the carrier have the words of the others, or be followed by them. */
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
  // What a page is compared with: the version as it will be served.
  let shown = event ?? (stored as StoredPublication).event;
  let isRecorded = false;
  for (const [item, decision] of decisions) {
    if (item === carrier) isRecorded = true;
    const { one: { item: words, language }, context } = item;
    if (item === carrier || language === undefined || !bringsText(decision, stored)) continue;
    if (hasText(shown, words)) {
      decisions.set(item, repetition(shown, language));
      continue;
    }
    const { title, summary } = words;
    shown = withText(shown, language, { title, summary });
    // What is recorded before the version would come to the one before it, and be missing in this.
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
  const isAsItWas = base?.externalId === stored?.externalId && base?.version === stored?.version;
  return isAsItWas ? decision : decideRevision(one, stored, context);
}

/** Whether a decision makes a version of the publication: its first one, where nothing is stored of it. */
function isVersion(decision: RecordDecision | undefined, stored: StoredPublication | null): boolean {
  return decision?.kind === "record" && (stored === null || decision.event.version > 1);
}

/** Whether an item's words are to be in the record. What is new in one language is in all, whatever it is about. */
function bringsText(decision: RecordDecision, stored: StoredPublication | null): boolean {
  const { kind } = decision;
  return kind === "translated" || isVersion(decision, stored) || isRepeated(decision) ||
    (stored === null && kind === "passed_over");
}

/** Whether an item says what another language says in the stored version: in the next one that may say something else. */
function isRepeated(decision: RecordDecision): boolean {
  return decision.kind === "unchanged" && decision.repeats === true;
}

/** Whether the fetch has brought the stored edition of the item's language, too, and that is no older. */
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
