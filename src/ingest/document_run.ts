// The state of one ingest run that its steps share.
import type { NewId } from "../domain/event/ids.ts";
import type { Clock } from "../domain/ports/ports.ts";
import type { SourceSettings, SourceState } from "../domain/source/source.ts";
import type { Store } from "../domain/ports/store/store.ts";
import type { Tracer } from "../domain/ports/tracer.ts";
import type { FetchedDocument, FetchOptions } from "./fetch/fetch_types.ts";
import type { DocumentFingerprints } from "./fetch/document_fingerprints.ts";
import type { IngestResult } from "./model.ts";
import type { ParseLimits, Parser } from "./parse/parse_worker_client.ts";
import type { LanguageMerge } from "./revise/merge_languages.ts";

/** What processing a source needs. */
export interface SourceIngestOptions extends Omit<FetchOptions, "noteResponse"> {
  store: Pick<Store, "recordPublications" | "previewPublications" | "listEvents" | "findEvent">;
  clock: Clock;
  newId: NewId;
  /** Who holds the leases. */
  holder: string;
  /** The version of the classifier's rules. */
  rulesVersion: string;
  fingerprints: DocumentFingerprints;
  createParser(limits: ParseLimits): Parser;
  tracer?: Tracer;
  /** Is told of every document before it is read. */
  onDocument?(document: FetchedDocument): void;
}

/** How much of the work is kept: all of it, or nothing (a dry run, which also reads what has not changed). */
export type SourceIngestMode = "record" | "preview";

/** A fetch while its documents are dealt with. */
export interface DocumentRun {
  source: SourceSettings;
  state: SourceState;
  mode: SourceIngestMode;
  options: SourceIngestOptions;
  parser: Parser;
  result: IngestResult;
  /** What waits for the other languages of its publication; null where a publication has one. */
  together: LanguageMerge | null;
  /** Lets other work run when it is time. */
  pause(): Promise<void>;
}
