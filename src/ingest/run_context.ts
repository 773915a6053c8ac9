// The context that the steps of one ingest run share.
import type { NewId } from "../domain/event/ids.ts";
import type { Clock } from "../domain/ports/ports.ts";
import type { SourceSettings, SourceState } from "../domain/source/source.ts";
import type { Store } from "../domain/ports/store/store.ts";
import type { Tracer } from "../domain/ports/tracer.ts";
import type { FetchedDocument, FetchOptions } from "./fetch/fetch_types.ts";
import type { DocumentFingerprints } from "./fetch/document_fingerprints.ts";
import type { Identity } from "./identify/identity_rule.ts";
import type { ParseLimits, Parser } from "./parse/parse_worker_client.ts";
import type { LanguageMerge } from "./revise/merge_languages.ts";

export interface SourceIngestOptions extends Omit<FetchOptions, "noteResponse"> {
  store: Pick<Store, "recordPublications" | "previewPublications" | "listEvents" | "findEvent">;
  clock: Clock;
  newId: NewId;
  holder: string;
  rulesVersion: string;
  fingerprints: DocumentFingerprints;
  createParser(limits: ParseLimits): Parser;
  tracer?: Tracer;
  /** Called with every document before it is parsed. */
  onDocument?(document: FetchedDocument): void;
}

/** `record` stores the decisions. `preview`, a dry run, stores nothing and also reads unchanged documents. */
export type SourceIngestMode = "record" | "preview";

export interface DocumentRun {
  readonly source: SourceSettings;
  readonly state: SourceState;
  readonly mode: SourceIngestMode;
  readonly options: SourceIngestOptions;
  readonly parser: Parser;
  readonly identity: Identity;
  /** Holds items back until all languages have been read; null if publications have only one language. */
  readonly languageMerge: LanguageMerge | null;
  /** Yields to other work if the last yield was long enough ago. */
  pause(): Promise<void>;
}
