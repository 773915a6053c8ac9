// Decides on each item of a document, and records it, in several passes, because some decisions depend on all items.
import type { DocumentOrigin } from "../../domain/event/provenance.ts";
import { PATTERN_RULE } from "../../domain/source/source.ts";
import type { StoredPublication } from "../../domain/ports/store/publications.ts";
import { type ClassifyRequest, classifyRequest } from "./classifier_input.ts";
import { type IdentifiedItem, identifyItems, isOther, preferStoredEdition } from "../identify/identify.ts";
import { baseOf, type Identity, movedOn, nextRule } from "../identify/identity_rule.ts";
import type { NormalisedItem } from "../normalise/item.ts";
import { cleanUrl } from "../normalise/links.ts";
import type { DocumentRun } from "../run_context.ts";
import type { DocumentDecisions, ItemDecision } from "../model.ts";
import { ChangedQueries, MovedUrls } from "../identify/url_changes.ts";
import { recordBatches } from "../record/record_batches.ts";
import {
  findInLanguages,
  findRequeried,
  type KnownPublication,
  rematchRenamed,
} from "../identify/rematch_renamed.ts";
import {
  type Classified,
  decideRevision,
  type RevisionContext,
  suppressesNotification,
} from "./decide_revision.ts";
import { wasIrrelevantBefore } from "./relevance_scope.ts";

/** If at least this many dates have changed and none has stayed the same, the source generates its dates. */
const CHURNING_DATES = 3;
/** If a publication has had at least this many additional ids, the source generates its ids. */
const CHURNING_IDS = 3;

/** Number of most recent publications with which unknown items are compared. */
const RECENT = 500;

interface SharedOrigin {
  /** The languages stated by the document and the source's settings, most specific first. */
  statedLanguages: readonly string[];
  origin: DocumentOrigin;
  notes: ReadonlyMap<NormalisedItem, readonly string[]>;
  classified: ReadonlyMap<NormalisedItem, Classified>;
  /** Whether the same bytes were ingested before, under other settings of the source. */
  isReread: boolean;
  /** The language of the document if the source has a URL per language; otherwise null. */
  language: string | null;
}

interface DocumentContext {
  items: readonly IdentifiedItem[];
  shared: SharedOrigin;
  run: DocumentRun;
  context: RevisionContext;
}

interface Pass {
  decisions: ReadonlyMap<NormalisedItem, ItemDecision>;
  /** The external ids of the items' publications. */
  seen: ReadonlySet<string>;
  /** Items whose date alone has changed. They are left to {@link decideChangedDates}. */
  dateChanged: readonly IdentifiedItem[];
  /** Whether at least one item still has its stored date. */
  hasSameDate: boolean;
  needsConfirmation: boolean;
}

/** The result of the first pass, with the items that it leaves to later passes. */
interface FirstPass extends Pass {
  /** Items to record that match no known publication. */
  fresh: readonly IdentifiedItem[];
  /** Items whose id belonged to another publication, with that publication's external id. */
  reusedIds: ReadonlyMap<IdentifiedItem, string>;
  queries: ChangedQueries;
  urls: MovedUrls;
  /** Whether no id in the document was known and known publications keep getting new ids. */
  hasChurningIds: boolean;
}

export async function decideDocument(
  items: readonly IdentifiedItem[],
  shared: SharedOrigin,
  run: DocumentRun,
): Promise<DocumentDecisions> {
  const document: DocumentContext = { items, shared, run, context: revisionContext(items, shared, run) };
  const first = await decideFirst(document);
  const rematched = await rematchFresh(first, document);
  const queries = await decideChangedQueries(first, rematched, document);
  const fresh = await decideEach(
    rematched.fresh,
    document,
    (one, stored) => !first.urls.isMoved(one, stored),
  );
  const urls = await decideMovedUrls(first, document);
  const reused = await decideReusedIds(first, document);
  const dates = await decideChangedDates(mergePasses([first, queries, fresh, urls]), document);
  const identity = await replaceChurningIds(first, reused.identity, document);
  const { decisions, seen, needsConfirmation } = mergePasses([first, queries, fresh, urls, reused, dates]);
  return {
    decided: items.map((one) => decidedItem(one, decisions.get(one.item), document)),
    ...{ identity, seen, needsConfirmation },
    notes: first.urls.hasMoved ? [first.urls.note] : [],
  };
}

/** Decides what to do with each item that does not depend on others, and sets the rest aside for later passes. */
async function decideFirst(document: DocumentContext): Promise<FirstPass> {
  const { items, run, context } = document;
  const { identity, state } = run;
  const fresh: IdentifiedItem[] = [];
  const reusedIds = new Map<IdentifiedItem, string>();
  const queries = new ChangedQueries();
  const urls = new MovedUrls();
  let knownIds = 0;
  let churningIds = 0;
  const isAlone = items.length === 1;
  const mayBeRenamed = !identity.isFixed && state.lastSuccessAtMs !== null;
  const pass = await decideEach(items, document, (one, stored) => {
    if (stored !== null && one.twins !== undefined) preferStoredEdition(one, stored);
    if (stored !== null && one.item.guid !== null) {
      if (stored.foundBy === "key") knownIds++;
      else if (stored.foundBy !== "alias" && stored.renamings + 1 >= CHURNING_IDS) churningIds++;
    }
    const mayReuseId = stored?.foundBy === "key" && stored.contentHash !== one.contentHash;
    if (mayReuseId && isOther(one.item, stored.event, { ...identity, isAlone })) {
      reusedIds.set(one, stored.externalId);
    } else if (stored === null && mayBeRenamed && isWanted(one, context)) fresh.push(one);
    else return !queries.isMoved(one, stored) && !urls.isMoved(one, stored);
    return false;
  });
  const isAutomatic = !identity.isFixed && baseOf(identity.rule) === "guid";
  return {
    ...pass,
    ...{ fresh, reusedIds, queries, urls },
    hasChurningIds: isAutomatic && knownIds === 0 && churningIds > 0,
  };
}

/**
 * Decides on the items that `isDue` accepts, and records them, except changed dates if `movedDates` is `ask` and items
 * that wait for other languages.
 */
async function decideEach(
  items: readonly IdentifiedItem[],
  { run, context }: DocumentContext,
  isDue: (one: IdentifiedItem, stored: StoredPublication | null) => boolean = () => true,
): Promise<Pass> {
  const decisions = new Map<NormalisedItem, ItemDecision>();
  const seen = new Set<string>();
  const dateChanged: IdentifiedItem[] = [];
  let hasSameDate = false;
  let needsConfirmation = false;
  await recordBatches(items, run, (one, stored) => {
    if (!isDue(one, stored)) return null;
    const decision = decideRevision(one, stored, context);
    if (decision.kind !== "irrelevant" && stored !== null) seen.add(stored.externalId);
    if (decision.kind === "record") seen.add(decision.event.external_id);
    if (decision.kind !== "date_changed") decisions.set(one.item, decision);
    else if (context.movedDates === "ask") {
      dateChanged.push(one);
      return null;
    } else {
      decisions.set(one.item, { kind: "unchanged" });
      needsConfirmation ||= decision.isPending === true;
    }
    hasSameDate ||= stored?.contentHash === one.contentHash;
    // The item may have to wait for the other languages of its publication.
    return run.languageMerge?.takes({ one, stored, decision, context }) === true ? null : decision;
  });
  return { decisions, seen, dateChanged, hasSameDate, needsConfirmation };
}

function isWanted(one: IdentifiedItem, { keepAll, classify }: RevisionContext): boolean {
  return keepAll || classify(one).relevant;
}

interface Rematched {
  /** Items whose URL differs only in its query, with the external ids of their publications. */
  requeried: ReadonlyMap<IdentifiedItem, string>;
  /** Whether the source generates the queries of its URLs, in which case they are ignored. */
  hasGeneratedQueries: boolean;
  /** The fresh items to record. Those that match a known publication have its external id as an alias. */
  fresh: readonly IdentifiedItem[];
}

/** Finds the fresh items that are known publications: with a changed query, or with a new id and a new URL or text. */
async function rematchFresh(
  { fresh, queries }: FirstPass,
  { items: all, run }: DocumentContext,
): Promise<Rematched> {
  const known = fresh.length === 0 ? [] : await listKnown(run);
  const bareUrls = fresh.length === 0 ? null : await withoutLanguages(all, known, run);
  const compared = { known, bareUrls, pause: run.pause };
  const requeried = await findInLanguages(findRequeried, { all, fresh }, compared);
  const hasGeneratedQueries = queries.areGenerated(requeried.size);
  const rest = hasGeneratedQueries ? fresh.filter((one) => !requeried.has(one)) : fresh;
  const isAll = run.source.fetchStrategy === "feed";
  const renamed = await findInLanguages(rematchRenamed, { all, fresh: rest, isAll }, compared);
  return {
    ...{ requeried, hasGeneratedQueries },
    fresh: rest.map((one) => withAliases(one, [requeried.get(one), renamed.get(one)])),
  };
}

function withAliases(one: IdentifiedItem, found: readonly (string | undefined)[]): IdentifiedItem {
  const externalIds = found.filter((id) => id !== undefined);
  const replaces = externalIds.at(-1);
  if (replaces === undefined) return one;
  return { ...one, formerKeys: [...one.formerKeys ?? [], ...externalIds], replaces };
}

async function listKnown({ source, options, pause }: DocumentRun): Promise<KnownPublication[]> {
  const recent = await options.store.listEvents({ sources: [source.id], latest: true, limit: RECENT });
  const known: KnownPublication[] = [];
  for (const { json } of recent) {
    known.push(JSON.parse(json));
    await pause();
  }
  return known;
}

/** Maps each URL to its cleaned form without a language. Returns null if publications have only one language. */
async function withoutLanguages(
  items: readonly IdentifiedItem[],
  known: readonly KnownPublication[],
  { parser, identity: { languages } }: DocumentRun,
): Promise<ReadonlyMap<string, string> | null> {
  if (languages === null) return null;
  const urls = [...items.map(({ item }) => item.link), ...known.map(({ url_official }) => url_official)];
  const bare = await parser.bareAddresses(urls.map(cleanUrl), languages);
  return new Map(urls.map((url, at) => [url, bare[at] as string]));
}

/** Decides on the items with a changed query. They are revisions unless the source generates its queries. */
async function decideChangedQueries(
  { queries }: FirstPass,
  { hasGeneratedQueries, requeried }: Rematched,
  document: DocumentContext,
): Promise<Pass> {
  if (!hasGeneratedQueries) return await decideEach([...queries.moved.keys()], document);
  return unchangedPass(new Map([...queries.moved, ...requeried]));
}

/** Decides on items with a changed URL. An alternating URL is not a revision; a moved site causes no notifications. */
async function decideMovedUrls({ urls }: FirstPass, document: DocumentContext): Promise<Pass> {
  const reverted = await urls.takeReverted(document.run.options.store.findEvent);
  const returned = await decideEach(urls.returned, document);
  const context = urls.hasMoved ? { ...document.context, notify: false } : document.context;
  const moved = await decideEach(urls.moved, { ...document, context });
  return mergePasses([unchangedPass(reverted), returned, moved]);
}

/** Identifies the items with reused ids by the next rule, which uses the URL, and decides what to do with them. */
async function decideReusedIds(
  { reusedIds }: FirstPass,
  document: DocumentContext,
): Promise<Pass & { identity: Identity }> {
  const { run, context } = document;
  if (reusedIds.size === 0) return { ...mergePasses([]), identity: run.identity };
  const { identity, items } = await moveOn(run.identity, document);
  const reused = new Set([...reusedIds.keys()].map(({ item }) => item));
  const again: RevisionContext = {
    ...context,
    movedDates: "again",
    keys: new Set(items.map(({ key }) => key)),
  };
  const decided = await decideEach(
    items.filter(({ item }) => reused.has(item)),
    { ...document, context: again },
  );
  // An item that the new rule omits is a copy of another item of the document, so it counts as unchanged.
  return { ...mergePasses([unchangedPass(reusedIds), decided]), identity };
}

/** Decides on the items with a changed date. A date seen twice is a revision unless the source generates its dates. */
async function decideChangedDates(
  { dateChanged, hasSameDate }: Pass,
  document: DocumentContext,
): Promise<Pass> {
  const { source, state } = document.run;
  const isChurn = dateChanged.length >= CHURNING_DATES && !hasSameDate;
  // Dates without a time zone change when the configured time zone changes.
  const isZoneEdited = state.timezone !== null && state.timezone !== source.timezone;
  // A file is not read again until it changes, so a new date in the file would not be seen twice.
  const counted = source.fetchStrategy === "files" ? "now" : "again";
  const movedDates = isChurn || isZoneEdited ? "keep" : counted;
  return await decideEach(dateChanged, { ...document, context: { ...document.context, movedDates } });
}

/** Moves on to the next identity rule if the source generates its ids. Publications are then known by their URLs. */
async function replaceChurningIds(
  { hasChurningIds }: FirstPass,
  identity: Identity,
  document: DocumentContext,
): Promise<Identity> {
  if (!hasChurningIds || nextRule(identity) === null) return identity;
  return (await moveOn(identity, document)).identity;
}

/** Stores the unchanged items under the next rule. Omits aliases by pattern, which only the parse worker computes. */
async function moveOn(
  before: Identity,
  { items: all, run, shared }: DocumentContext,
): Promise<{ identity: Identity; items: readonly IdentifiedItem[] }> {
  const next = nextRule(before);
  if (next === null) throw new Error("a fixed identity rule has no next rule");
  const moved = movedOn(before, next);
  const { patterns = [], others = [] } = Object.groupBy(
    moved.former,
    (rule) => rule.startsWith(PATTERN_RULE) ? "patterns" : "others",
  );
  const byItem = new Map(all.map((one) => [one.item, one]));
  const { identity, items } = identifyItems(
    [...byItem.keys()],
    { ...moved, former: others },
    shared.language,
    (item) => byItem.get(item) as IdentifiedItem,
  );
  await recordBatches(
    items,
    run,
    (one, stored) => stored?.contentHash === one.contentHash ? { kind: "unchanged" } : null,
  );
  return { identity: { ...identity, former: [...identity.former, ...patterns] }, items };
}

/** Returns a pass in which the items are unchanged. The map has the external ids of their publications. */
function unchangedPass(items: ReadonlyMap<IdentifiedItem, string>): Pass {
  return {
    decisions: new Map([...items.keys()].map(({ item }) => [item, { kind: "unchanged" }])),
    seen: new Set(items.values()),
    ...{ dateChanged: [], hasSameDate: false, needsConfirmation: false },
  };
}

/** Merges several passes. If two passes decide on the same item, the later decision is used. */
function mergePasses(passes: readonly Pass[]): Pass {
  return {
    decisions: new Map(passes.flatMap(({ decisions }) => [...decisions])),
    seen: new Set(passes.flatMap(({ seen }) => [...seen])),
    dateChanged: passes.flatMap(({ dateChanged }) => dateChanged),
    hasSameDate: passes.some(({ hasSameDate }) => hasSameDate),
    needsConfirmation: passes.some(({ needsConfirmation }) => needsConfirmation),
  };
}

function decidedItem(
  one: IdentifiedItem,
  decision: ItemDecision | undefined,
  { shared, run, context }: DocumentContext,
): DocumentDecisions["decided"][number] {
  if (decision === undefined) throw new Error(`the store made no decision on ${one.key}`);
  return {
    ...{ item: one.item, key: one.key, decision },
    language: shared.language,
    notes: shared.notes.get(one.item) ?? [],
    request: () => requestOf(one, shared, run),
    suppressNotification: suppressesNotification(one, decision, context),
  };
}

function requestOf(
  { item, language }: IdentifiedItem,
  { statedLanguages }: Pick<SharedOrigin, "statedLanguages">,
  { source }: Pick<DocumentRun, "source">,
): ClassifyRequest {
  return classifyRequest(item, { language, statedLanguages, sourceId: source.id });
}

function revisionContext(
  items: readonly IdentifiedItem[],
  shared: SharedOrigin,
  { source, state, options }: DocumentRun,
): RevisionContext {
  return {
    source: { id: source.id, name: source.nameEn },
    keepAll: source.relevance === "all",
    notify: state.firstSuccessAtMs !== null || source.notifyFirstFetch,
    nowMs: options.clock.nowMs(),
    keys: new Set(items.map(({ key }) => key)),
    movedDates: "ask",
    isReread: shared.isReread,
    wasIrrelevant: wasIrrelevantBefore(source, state),
    newEventId: () => options.newId("event"),
    classify: ({ item, key }) => {
      const classified = shared.classified.get(item);
      if (classified === undefined) throw new Error(`${key} was not classified`);
      return classified;
    },
    provenance: (one) => {
      const request = requestOf(one, shared, { source });
      return {
        rules_version: options.rulesVersion,
        categories: [...request.categories],
        stated_languages: [...request.statedLanguages],
        ...shared.origin,
        other_languages: null,
      };
    },
  };
}
