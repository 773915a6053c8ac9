// Parses documents in the parse worker, within the limits of their source.
import type { Additions } from "../../domain/event/classification.ts";
import { WorkerLimitError, type WorkerThread } from "../../domain/ports/ports.ts";
import { FetchError } from "../fetch/fetch_types.ts";
import type { LanguageForms } from "../identify/language_urls.ts";
import type { DescribeOptions, DocumentDescription } from "../normalise/describe_document.ts";
import { DocumentError } from "./parsed.ts";
import { type DocumentParts, joinContents } from "./split_document.ts";
import type { DocumentContents, ParseRequest } from "./parse_pipeline.ts";
import type { SitemapContents, SitemapRequest } from "./sitemap_pages.ts";

/** A request with its bytes in an ArrayBuffer, because Deno's Node workers receive large typed arrays slowly. */
type Sent<T extends { bytes: Uint8Array }> = Omit<T, "bytes"> & { buffer: ArrayBuffer };

/** The arguments and results of the parse worker's tasks. The elements of a list arrive in several messages. */
export interface ParseTasks {
  parse: { given: Sent<ParseRequest> & { additions: Additions }; yields: DocumentParts };
  sitemap: { given: Sent<SitemapRequest>; yields: [object, ...object[]] };
  bareAddresses: { given: { addresses: readonly string[]; languages: LanguageForms }; yields: string[] };
  describe: { given: { buffer: ArrayBuffer; options: DescribeOptions }; yields: DocumentDescription };
}

export interface ParseLimits {
  timeoutMs: number;
  /** Aborts the task. The call then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Processes the bytes of documents and runs the operator's regular expressions. Every method throws {@link
 * DocumentError} if the document cannot be read, and {@link FetchError} if a limit is reached.
 */
export interface Parser {
  parse(request: ParseRequest): Promise<DocumentContents>;
  readSitemap(request: SitemapRequest): Promise<SitemapContents>;
  /** Returns the URLs with `*` in place of their language. */
  bareAddresses(addresses: readonly string[], languages: LanguageForms): Promise<string[]>;
  describe(bytes: Uint8Array, options: DescribeOptions): Promise<DocumentDescription>;
}

export function createParser(
  worker: WorkerThread,
  additions: Additions,
  limits: ParseLimits,
): Parser {
  const run = async <T extends keyof ParseTasks>(task: T, given: ParseTasks[T]["given"]) => {
    try {
      return await worker.call(task, given, limits) as ParseTasks[T]["yields"];
    } catch (error) {
      throw translate(error);
    }
  };
  return {
    parse: async ({ bytes, ...request }) =>
      joinContents(await run("parse", { ...request, additions, buffer: bytes.slice().buffer })),
    readSitemap: async ({ bytes, ...request }) => {
      const [rest, ...entries] = await run("sitemap", { ...request, buffer: bytes.slice().buffer });
      return { ...rest, entries } as SitemapContents;
    },
    bareAddresses: (addresses, languages) => run("bareAddresses", { addresses, languages }),
    describe: (bytes, options) => run("describe", { buffer: bytes.slice().buffer, options }),
  };
}

function translate(error: unknown): unknown {
  if (error instanceof WorkerLimitError) {
    return new FetchError(
      error.kind === "time"
        ? `parsing took longer than ${error.limit / 1_000} s (parse_timeout)`
        : `parsing needed more than ${Math.round(error.limit / 1024 / 1024)} MB of memory`,
    );
  }
  if (error instanceof Error && error.name === "DocumentError") return new DocumentError(error.message);
  return error;
}
