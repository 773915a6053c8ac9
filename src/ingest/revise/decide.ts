// The items of one document: each with its outcome, and what the document as a whole shows of its source.
import type { DocumentOrigin } from "../../domain/event/provenance.ts";
import { PATTERN_RULE } from "../../domain/source/source.ts";
import type { RecordDecision, StoredPublication } from "../../domain/ports/store/store.ts";
import { type ClassifyRequest, classifyRequest } from "./classify_request.ts";
import { type IdentifiedItem, identifyItems, isOther, standAsStored } from "../identify/identify.ts";
import { baseOf, movedOn, nextRule } from "../identify/identity_rule.ts";
import type { LanguageForms } from "../identify/language_urls.ts";
import type { NormalisedItem } from "../normalise/item.ts";
import { cleanUrl } from "../normalise/links.ts";
import type { DocumentRun } from "../document_run.ts";
import type { DecidedItem } from "../model.ts";
import { ChangedQueries, MovedUrls } from "../identify/url_changes.ts";
import { recordBatches } from "../record/record_batches.ts";
import {
  findInLanguages,
  findRequeried,
  type KnownPublication,
  rematchRenamed,
  type Steps,
} from "../identify/rematch_renamed.ts";
import { type Classified, decideRevision, type RevisionContext, suppressesNotification } from "./revise.ts";
import type { DecidedAlone } from "./merge_languages.ts";
import { wasIrrelevantBefore } from "./relevance_scope.ts";

/** So many dates that move at once, while none stands still, say nothing of the publications. */
const CHURNING_DATES = 3;
/** A publication that has been given so many further ids says that its source makes up new ones. */
const CHURNING_IDS = 3;

/** So many of a source's latest publications are looked through for one that was given a new id and new words. */
const RECENT = 500;

/** So many steps of long work are done before the next look at the clock. */
const STEPS = 20;

/** What the items of one document share. */
export interface SharedOrigin {
  /** What the document and the source's settings state, the more specific first. */
  statedLanguages: readonly string[];
  origin: DocumentOrigin;
  /** What was odd about an item, where something was. */
  notes: ReadonlyMap<NormalisedItem, readonly string[]>;
  classified: ReadonlyMap<NormalisedItem, Classified>;
  /** Whether the document was read before with the same bytes. */
  isReread: boolean;
  /** The language of the whole document, where the source has an address for each. */
  language: string | null;
}

/** A document's items while they are decided on. */
interface Deciding {
  run: DocumentRun;
  shared: SharedOrigin;
  context: RevisionContext;
  decisions: Map<IdentifiedItem, DecidedItem["decision"]>;
}

/**
 * Decides on the items of one document. Dates that moved wait until all of it has been seen: where at least
 * {@link CHURNING_DATES} moved and no stored item is as it was (the feed dates everything "now"), they are no revisions,
 * whatever else has changed. Elsewhere a moved date counts once it was seen twice.
 */
export async function decideAll(
  identified: readonly IdentifiedItem[],
  shared: SharedOrigin,
  run: DocumentRun,
): Promise<void> {
  const deciding: Deciding = {
    run,
    shared,
    context: revisionContext(identified, shared, run),
    decisions: new Map(),
  };
  const first = await decideFirst(identified, deciding);
  const isChurn = first.dateChanged.length >= CHURNING_DATES && !first.hasSameDate;
  await decideMovedDates(first.dateChanged, isChurn, deciding);
  for (const one of identified) {
    const decision = deciding.decisions.get(one);
    if (decision === undefined) throw new Error(`the store decided nothing on ${one.key}`);
    const decided: DecidedItem = {
      item: one.item,
      key: one.key,
      language: shared.language,
      notes: shared.notes.get(one.item) ?? [],
      request: () => requestOf(one, shared, run),
      decision,
      suppressNotification: suppressesNotification(one, decision, deciding.context),
    };
    run.result.decided.push(decided);
    run.together?.expect(one, decided);
  }
  // The source makes up new ids: its publications are known by their addresses from now on.
  if (first.hasChurningIds && nextRule(run.result.identity) !== null) await moveOn(identified, deciding);
}

/** What the first look at a document's items shows. */
interface FirstPass {
  /** Items of which nothing but the date has changed; they are not decided on yet. */
  dateChanged: IdentifiedItem[];
  /** Whether the date of a stored item is what it was. */
  hasSameDate: boolean;
  /** Whether no id of the document was known, and publications have been given new ones again and again. */
  hasChurningIds: boolean;
}

async function decideFirst(
  identified: readonly IdentifiedItem[],
  { run, shared, context, decisions }: Deciding,
): Promise<FirstPass> {
  const { result } = run;
  const redated: IdentifiedItem[] = [];
  const fresh: IdentifiedItem[] = [];
  const recorded = new Set<string>();
  let standsStill = false;
  let knownIds = 0;
  let churningIds = 0;
  const moved = { queries: new ChangedQueries(), site: new MovedUrls() };
  const others: IdentifiedItem[] = [];
  const isAlone = identified.length === 1;
  const isAutomatic = !result.identity.isFixed && baseOf(result.identity.rule) === "guid";
  const decideOne: DecideOne = (one, stored, how = context) => {
    const decision = decideRevision(one, stored, how);
    if (decision.kind !== "passed_over" && stored !== null) result.seen.add(stored.externalId);
    if (decision.kind === "redated") {
      redated.push(one);
      return { kind: "passed_over" };
    }
    if (decision.kind === "record") {
      recorded.add(decision.event.external_id);
      result.seen.add(decision.event.external_id);
    }
    // An item that repeats a new one under another id does not show that a date stands still.
    const isAsItWas = stored?.contentHash === one.contentHash;
    if (isAsItWas && !recorded.has(stored?.externalId ?? "")) standsStill = true;
    decisions.set(one, decision);
    return run.together === null ? decision : recordedNow({ one, stored, decision, context: how }, run);
  };
  const isLookedUp = !result.identity.isFixed && run.state.lastSuccessAtMs !== null;
  await recordBatches(identified, run, (one, stored) => {
    if (stored !== null && one.twins !== undefined) standAsStored(one, stored);
    if (stored !== null && one.item.guid !== null) {
      if (stored.foundBy === "key") knownIds++;
      else if (stored.foundBy !== "former key" && stored.renamings + 1 >= CHURNING_IDS) churningIds++;
    }
    if (isOtherThan(one, stored, { ...result.identity, isAlone })) {
      others.push(one);
      return { kind: "passed_over" };
    }
    if (stored === null && isLookedUp && isTaken(one, context)) {
      fresh.push(one);
      return { kind: "passed_over" };
    }
    if (moved.queries.isMoved(one, stored)) {
      if (stored !== null) result.seen.add(stored.externalId);
      return { kind: "passed_over" };
    }
    return moved.site.isMoved(one, stored) ? { kind: "passed_over" } : decideOne(one, stored);
  });
  await decideWaiting({ all: identified, fresh, ...moved, decideOne }, { run, context, decisions });
  if (others.length > 0) await decideOthers({ all: identified, others }, { run, shared, context, decisions });
  return {
    dateChanged: redated,
    hasSameDate: standsStill,
    hasChurningIds: isAutomatic && knownIds === 0 && churningIds > 0,
  };
}

/** By each URL, that URL cleaned and without its language. */
async function withoutLanguages(
  parser: DocumentRun["parser"],
  languages: LanguageForms,
  urls: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const bare = await parser.bareAddresses(urls.map(cleanUrl), languages);
  return new Map(urls.map((url, at) => [url, bare[at] as string]));
}

/** Whether an item of which nothing is known becomes a record. */
function isTaken(one: IdentifiedItem, { keepAll, classify }: RevisionContext): boolean {
  return keepAll || classify(one).relevant;
}

/** Decides on an item; `how` where that is not as for the whole document. */
type DecideOne = (
  one: IdentifiedItem,
  stored: StoredPublication | null,
  how?: RevisionContext,
) => RecordDecision;

/** What of a document is not decided on by itself. */
interface WaitingItems {
  all: readonly IdentifiedItem[];
  /** Those that become records, and of which nothing is known by any name. */
  fresh: readonly IdentifiedItem[];
  queries: ChangedQueries;
  site: MovedUrls;
  decideOne: DecideOne;
}

/** Decides on what waited for the whole document to be seen: what has moved with others, and what is like something known. */
async function decideWaiting(
  { all, fresh, queries, site, decideOne }: WaitingItems,
  { run, context, decisions }: Pick<Deciding, "run" | "context" | "decisions">,
): Promise<void> {
  const { source, options, result } = run;
  const recent = fresh.length === 0
    ? []
    : await options.store.listEvents({ source: source.id, latest: true, limit: RECENT });
  const known: KnownPublication[] = [];
  for (const { json } of recent) {
    known.push(JSON.parse(json));
    await run.pause();
  }
  const { languages } = result.identity;
  const bare = languages === null || fresh.length === 0
    ? null
    : await withoutLanguages(run.parser, languages, [
      ...all.map(({ item }) => item.link),
      ...known.map(({ url_official }) => url_official),
    ]);
  const requeried = await inSteps(findInLanguages(findRequeried, { all, fresh }, known, bare), run.pause);
  if (queries.areMadeUp(requeried.size)) {
    for (const one of [...queries.moved, ...requeried.keys()]) decisions.set(one, { kind: "unchanged" });
    for (const externalId of requeried.values()) result.seen.add(externalId);
    requeried.clear();
  } else {
    await recordBatches(queries.moved, run, (one, stored) => decideOne(one, stored));
  }
  const isAll = source.fetchStrategy === "feed";
  const rest = fresh.filter((one) => !decisions.has(one));
  const replaced = await inSteps(
    findInLanguages(rematchRenamed, { all, fresh: rest, isAll }, known, bare),
    run.pause,
  );
  for (const [one, externalId] of [...requeried, ...replaced]) {
    one.formerKeys = [...one.formerKeys ?? [], externalId];
    one.replaces = externalId;
  }
  await recordBatches(
    rest,
    run,
    (one, stored) => site.isMoved(one, stored) ? { kind: "passed_over" } : decideOne(one, stored),
  );
  for (const [one, externalId] of await site.takeReverted(options.store.findEvent)) {
    decisions.set(one, { kind: "unchanged" });
    result.seen.add(externalId);
  }
  await recordBatches(site.returned, run, (one, stored) => decideOne(one, stored));
  const quietly = site.hasMoved ? { ...context, notify: false } : context;
  await recordBatches(site.moved, run, (one, stored) => decideOne(one, stored, quietly));
  if (site.hasMoved) result.notes.push(site.words);
}

/** Does long work, and lets other work run meanwhile. */
async function inSteps<T>(steps: Steps<T>, pause: () => Promise<void>): Promise<T> {
  for (let count = 1;; count++) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (count % STEPS === 0) await pause();
  }
}

function isOtherThan(
  one: IdentifiedItem,
  stored: StoredPublication | null,
  how: Parameters<typeof isOther>[2],
): boolean {
  return stored?.foundBy === "key" && stored.contentHash !== one.contentHash &&
    isOther(one.item, stored.event, how);
}

/** One id stands for different publications, one document after the other: from now on the address tells them apart. */
async function decideOthers(
  { all, others }: { all: readonly IdentifiedItem[]; others: readonly IdentifiedItem[] },
  { run, shared, context, decisions }: Deciding,
): Promise<void> {
  const items = await moveOn(all, { run, shared });
  const again = { ...context, movedDates: "again" as const, keys: new Set(items.map(({ key }) => key)) };
  const byItem = new Map(others.map((one) => [one.item, one]));
  // One that is left out now repeats another of the document.
  for (const one of others) decisions.set(one, { kind: "unchanged" });
  await recordBatches(items.filter(({ item }) => byItem.has(item)), run, (renamed, stored) => {
    const decision = decideRevision(renamed, stored, again);
    const one = byItem.get(renamed.item);
    if (one !== undefined) {
      decisions.set(one, decision.kind === "redated" ? { kind: "unchanged" } : decision);
    }
    if (stored !== null) run.result.seen.add(stored.externalId);
    if (decision.kind === "record") run.result.seen.add(decision.event.external_id);
    return decision;
  });
}

async function decideMovedDates(
  redated: readonly IdentifiedItem[],
  isChurn: boolean,
  { run, context, decisions }: Deciding,
): Promise<void> {
  const { source, state, result } = run;
  // Dates without a zone move together with the zone in which they are read.
  const isZoneEdited = state.timezone !== null && state.timezone !== source.timezone;
  // A file is read once for each content: it would not be seen again.
  const counted = source.fetchStrategy === "files" ? "now" : "again";
  const movedDates = isChurn || isZoneEdited ? "keep" : counted;
  await recordBatches(redated, run, (one, stored) => {
    const how: RevisionContext = { ...context, movedDates };
    const decision = decideRevision(one, stored, how);
    decisions.set(one, decision.kind === "redated" ? { kind: "unchanged" } : decision);
    if (decision.kind === "redated" && decision.sighted) result.needsConfirmation = true;
    return recordedNow({ one, stored, decision, context: how }, run);
  });
}

/** What is recorded of a decision at once: nothing, where it waits for the other languages of its publication. */
function recordedNow(decided: DecidedAlone, { together }: DocumentRun): RecordDecision {
  return together?.takes(decided) === true ? { kind: "passed_over" } : decided.decision;
}

/**
 * Moves on to the rule after the source's own, under which the document's items are then known. Returns them as they are
 * identified by it. Only a source with one language moves on, and not to a rule with a pattern: the operator's regular
 * expressions run in the parse worker alone.
 */
async function moveOn(
  all: readonly IdentifiedItem[],
  { run, shared }: Pick<Deciding, "run" | "shared">,
): Promise<IdentifiedItem[]> {
  const next = nextRule(run.result.identity);
  if (next === null) throw new Error("a fixed rule was to be moved on from");
  const moved = movedOn(run.result.identity, next);
  const [patterns = [], former = []] = [true, false].map((isPattern) =>
    moved.former.filter((rule) => rule.startsWith(PATTERN_RULE) === isPattern)
  );
  const byItem = new Map(all.map((one) => [one.item, one]));
  const { identity, items } = identifyItems(
    [...byItem.keys()],
    { ...moved, former },
    shared.language,
    (item) => byItem.get(item) as IdentifiedItem,
  );
  run.result.identity = { ...identity, former: [...identity.former, ...patterns] };
  await recordBatches(
    items,
    run,
    (one, stored) => ({ kind: stored?.contentHash === one.contentHash ? "unchanged" : "passed_over" }),
  );
  return items;
}

function requestOf(
  { item, language }: IdentifiedItem,
  { statedLanguages }: Pick<SharedOrigin, "statedLanguages">,
  { source }: Pick<DocumentRun, "source">,
): ClassifyRequest {
  return classifyRequest(item, { language, statedLanguages, sourceId: source.id });
}

function revisionContext(
  identified: readonly IdentifiedItem[],
  shared: SharedOrigin,
  { source, state, options }: DocumentRun,
): RevisionContext {
  return {
    sourceId: source.id,
    keepAll: source.relevance === "all",
    notify: state.firstSuccessAtMs !== null || source.notifyFirstFetch,
    nowMs: options.clock.nowMs(),
    keys: new Set(identified.map(({ key }) => key)),
    movedDates: "ask",
    isReread: shared.isReread,
    wasIrrelevant: wasIrrelevantBefore(source, state),
    newEventId: () => options.newId("event"),
    classify: ({ item, key }) => {
      const classified = shared.classified.get(item);
      if (classified === undefined) throw new Error(`nothing classified ${key}`);
      return classified;
    },
    provenance: (one) => {
      const request = requestOf(one, shared, { source });
      return {
        rules_version: options.rulesVersion,
        categories: [...request.categories],
        stated_languages: [...request.statedLanguages],
        ...shared.origin,
      };
    },
  };
}
