// Fetches a source with a URL per language, treating each URL like a source of its own.
import type { FailedPart } from "../partial_failures.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import type { Fetched, FetchOutcome, Known, PlannedDocument, ReadDocument } from "./fetch_types.ts";
import { FetchError } from "./fetch_types.ts";
import type { PermanentRedirects } from "./permanent_redirects.ts";

type LanguageCursors = Record<string, string | null>;

/** Fetches each URL with `fetchOne`, in the configured order. Throws the first `FetchError` if all fail. */
export async function fetchLanguages(
  source: SourceSettings,
  urls: Readonly<Record<string, string>>,
  known: Known,
  fetchOne: (source: SourceSettings, known: Known) => Promise<Fetched>,
): Promise<Fetched> {
  const cursors: LanguageCursors = known.cursor === null ? {} : JSON.parse(known.cursor);
  const merged = new MergedFetch(cursors);
  const failures: FetchError[] = [];
  for (const [language, location] of Object.entries(urls)) {
    const ownKnown: Known = {
      ...known,
      cursor: cursors[language] ?? null,
      fingerprintOf: (name) => known.fingerprintOf(nameIn(language, name)),
    };
    try {
      merged.add(language, await fetchOne({ ...source, location, languages: [language] }, ownKnown));
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      failures.push(error);
      merged.addFailure(language, location, error);
    }
  }
  const [first] = failures;
  if (first !== undefined && failures.length === Object.keys(urls).length) throw first;
  merged.finish();
  return merged;
}

class MergedFetch implements Fetched {
  documents: PlannedDocument[] = [];
  readonly unreadable: Fetched["unreadable"] = [];
  isUnchanged = false;
  readonly repeated: {
    name: string;
    fingerprint: NonNullable<Fetched["repeated"]>[number]["fingerprint"];
  }[] = [];
  freshUntilMs: number | null = Infinity;
  readonly #fetches = new Map<string, Fetched>();
  readonly #failed: PermanentRedirects[] = [];
  /** The names of the documents whose failure makes the fetch of their language fail. */
  readonly #required = new Set<string>();

  constructor(readonly before: LanguageCursors) {}

  add(language: string, fetched: Fetched): void {
    this.#fetches.set(language, fetched);
    const named = <T extends { name: string }>(one: T): T => ({ ...one, name: nameIn(language, one.name) });
    this.unreadable.push(...fetched.unreadable.map(named));
    this.repeated.push(...(fetched.repeated ?? []).map(named));
    if (fetched.freshUntilMs === null) this.freshUntilMs = null;
    else if (this.freshUntilMs !== null) {
      this.freshUntilMs = Math.min(this.freshUntilMs, fetched.freshUntilMs);
    }
    for (const own of fetched.documents) this.documents.push(this.#plan(language, own));
  }

  addFailure(language: string, address: string, error: FetchError): void {
    this.#failed.push({ address, kind: "failed" });
    this.documents.push(placeholder(language, address, () => Promise.reject(error)));
  }

  /** Adds a placeholder for each unchanged language, unless all languages are unchanged. */
  finish(): void {
    const unchanged = [...this.#fetches].filter(([, { isUnchanged }]) => isUnchanged);
    this.isUnchanged = this.documents.length === 0 && unchanged.length === this.#fetches.size;
    if (this.isUnchanged) return;
    for (const [language] of unchanged) {
      this.documents.push(placeholder(language, "unchanged", () => Promise.resolve(null)));
    }
  }

  #plan(language: string, own: PlannedDocument): PlannedDocument {
    const name = nameIn(language, own.name);
    if (own.onFailure === "fail") this.#required.add(name);
    return { ...own, name, language, onFailure: "refuse" };
  }

  following(read: ReadDocument, { language = "" }: Partial<PlannedDocument> = {}): PlannedDocument[] {
    const following = this.#fetches.get(language)?.following?.(read) ?? [];
    return following.map((own) => this.#plan(language, own));
  }

  leftOut(): FailedPart[] {
    return [...this.#fetches].flatMap(([language, one]) =>
      (one.leftOut?.() ?? []).map(({ part, reason }) => ({ part: nameIn(language, part), reason }))
    );
  }

  redirects(refused: ReadonlySet<string>): PermanentRedirects[] {
    const found = [...this.#fetches].flatMap(([language, fetched]): PermanentRedirects[] => {
      const own = fetched.redirects(refusedIn(language, refused));
      return this.#hasFailed(language, refused)
        ? own.map(({ address }) => ({ address, kind: "failed" }))
        : [...own];
    });
    return [...found, ...this.#failed];
  }

  cursor(outcome: FetchOutcome): string {
    const { isWhole, refused } = outcome;
    // A language that failed keeps its cursor, unless everything must be read again.
    const next: LanguageCursors = isWhole ? { ...this.before } : {};
    for (const [language, fetched] of this.#fetches) {
      // If everything must be read again, an unchanged language loses its cursor, or it would be skipped.
      if (this.#hasFailed(language, refused) || (fetched.isUnchanged && !isWhole)) continue;
      next[language] = fetched.cursor({ ...outcome, refused: refusedIn(language, refused) });
    }
    return JSON.stringify(next);
  }

  #hasFailed(language: string, refused: ReadonlySet<string>): boolean {
    return [...refused].some((name) => name.startsWith(nameIn(language, "")) && this.#required.has(name));
  }
}

function placeholder(language: string, name: string, read: PlannedDocument["read"]): PlannedDocument {
  return { name: nameIn(language, name), reading: null, language, onFailure: "refuse", read };
}

function nameIn(language: string, name: string): string {
  return `${language}: ${name}`;
}

function refusedIn(language: string, refused: ReadonlySet<string>): Set<string> {
  const prefix = nameIn(language, "");
  return new Set(
    [...refused].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)),
  );
}
