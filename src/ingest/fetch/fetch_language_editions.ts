// Fetches a source with a URL for each language, each like a source of its own.
import type { SourceSettings } from "../../domain/source/source.ts";
import { type Fetched, FetchError, type Known, type PlannedDocument } from "./fetch_types.ts";
import type { PermanentRedirects } from "./permanent_redirects.ts";

/** The cursor of each language. */
type LanguageCursors = Record<string, string | null>;

/** Fetches a source with one URL. */
type FetchOne = (source: SourceSettings, known: Known) => Promise<Fetched>;

/**
 * Fetches each URL, the main language first. A URL that fails is refused; throws the first `FetchError` if all fail.
 */
export async function fetchLanguages(
  source: SourceSettings,
  urls: Readonly<Record<string, string>>,
  known: Known,
  fetchOne: FetchOne,
): Promise<Fetched> {
  const cursors: LanguageCursors = known.cursor === null ? {} : JSON.parse(known.cursor);
  const merged = new MergedFetch(cursors);
  let failure: FetchError | null = null;
  for (const [language, location] of Object.entries(urls)) {
    const cursor = cursors[language] ?? null;
    try {
      const one = { ...source, location, languages: [language] };
      merged.add(
        language,
        await fetchOne(one, {
          ...known,
          cursor,
          fingerprintOf: (name) => known.fingerprintOf(nameIn(language, name)),
        }),
      );
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      failure ??= error;
      merged.addFailure(language, { address: location, error });
    }
  }
  if (failure !== null && !merged.hasAny) throw failure;
  return merged.fetched();
}

/** Merges the fetches of several languages into one, and remembers the language of each planned document. */
class MergedFetch {
  readonly #fetches = new Map<string, Fetched>();
  readonly #owners = new Map<PlannedDocument, { language: string; own: PlannedDocument }>();
  readonly #documents: PlannedDocument[] = [];
  readonly #failed: PermanentRedirects[] = [];

  constructor(readonly before: LanguageCursors) {}

  get hasAny(): boolean {
    return this.#fetches.size > 0;
  }

  add(language: string, fetched: Fetched): void {
    this.#fetches.set(language, fetched);
    for (const own of fetched.documents) this.#documents.push(this.#plan(language, own));
  }

  addFailure(language: string, { address, error }: { address: string; error: FetchError }): void {
    this.#failed.push({ address, kind: "failed" });
    this.#documents.push({
      name: nameIn(language, address),
      reading: null,
      language,
      onFailure: "refuse",
      read: () => Promise.reject(error),
    });
  }

  fetched(): Fetched {
    const fetches = [...this.#fetches.values()];
    const fresh = fetches.map(({ freshUntilMs }) => freshUntilMs);
    const isUnchanged = this.#documents.length === 0 && fetches.every((one) => one.isUnchanged);
    return {
      documents: isUnchanged ? [] : [...this.#documents, ...this.#unchanged()],
      following: (read, planned) => this.#following(read, planned),
      leftOut: () =>
        [...this.#fetches].flatMap(([language, one]) =>
          (one.leftOut?.() ?? []).map(({ part, reason }) => ({ part: nameIn(language, part), reason }))
        ),
      unreadable: [...this.#fetches].flatMap(([language, one]) =>
        one.unreadable.map((unread) => ({ ...unread, name: nameIn(language, unread.name) }))
      ),
      isUnchanged,
      repeated: [...this.#fetches].flatMap(([language, { repeated = [] }]) =>
        repeated.map(({ name, fingerprint }) => ({ name: nameIn(language, name), fingerprint }))
      ),
      freshUntilMs: fresh.includes(null) ? null : Math.min(...fresh.filter((ms) => ms !== null)),
      redirects: (refused) => this.#redirects(refused),
      cursor: (outcome) => JSON.stringify(this.#cursors(outcome)),
    };
  }

  #plan(language: string, own: PlannedDocument): PlannedDocument {
    const planned: PlannedDocument = {
      ...own,
      name: nameIn(language, own.name),
      language,
      onFailure: "refuse",
    };
    this.#owners.set(planned, { language, own });
    return planned;
  }

  /** A placeholder for each unchanged language, whose items are not read. */
  #unchanged(): PlannedDocument[] {
    return [...this.#fetches].filter(([, { isUnchanged }]) => isUnchanged).map(([language]) => ({
      name: nameIn(language, "unchanged"),
      reading: null,
      language,
      onFailure: "refuse",
      read: () => Promise.resolve(null),
    }));
  }

  #following(read: Parameters<NonNullable<Fetched["following"]>>[0], planned: PlannedDocument) {
    const owner = this.#owners.get(planned);
    if (owner === undefined) return [];
    const following = this.#fetches.get(owner.language)?.following?.(read, owner.own) ?? [];
    return following.map((own) => this.#plan(owner.language, own));
  }

  #redirects(refused: ReadonlySet<string>): PermanentRedirects[] {
    const found = [...this.#fetches].flatMap(([language, fetched]) => {
      const own = this.#refusedOf(language, refused);
      const itsOwn = fetched.redirects(new Set(own.map(({ name }) => name)));
      return own.some(hasFailed)
        ? itsOwn.map(({ address }) => ({ address, kind: "failed" as const }))
        : itsOwn;
    });
    return [...found, ...this.#failed];
  }

  #refusedOf(language: string, refused: ReadonlySet<string>): PlannedDocument[] {
    return [...this.#owners]
      .filter(([{ name }, owner]) => owner.language === language && refused.has(name))
      .map(([, { own }]) => own);
  }

  #cursors(outcome: Parameters<Fetched["cursor"]>[0]): LanguageCursors {
    // A language that failed keeps its cursor, unless everything is to be read again.
    const next: LanguageCursors = outcome.isWhole ? { ...this.before } : {};
    for (const [language, fetched] of this.#fetches) {
      const refused = this.#refusedOf(language, outcome.refused);
      if (refused.some(hasFailed)) continue;
      // With its cursor an unchanged language would be skipped again although everything is to be read.
      if (fetched.isUnchanged && !outcome.isWhole) continue;
      next[language] = fetched.cursor({ ...outcome, refused: new Set(refused.map(({ name }) => name)) });
    }
    return next;
  }
}

/** Whether the failure of the document would have failed its language's fetch. */
function hasFailed({ onFailure }: PlannedDocument): boolean {
  return onFailure === "fail";
}

function nameIn(language: string, name: string): string {
  return `${language}: ${name}`;
}
