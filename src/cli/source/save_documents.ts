// `source test --save`: writes the fetched documents to files.
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { FetchedDocument } from "../../ingest/fetch/fetch_types.ts";
import { type CommandCall, CommandError } from "../../server/command_context.ts";

/** Only the user can read saved documents, because they may be confidential. */
const MODE = 0o600;

/** Writes each document to a file; returns the paths. Throws a {@link CommandError} if a file cannot be written. */
export async function saveDocuments(
  { host, texts }: CommandCall,
  sourceId: string,
  documents: readonly FetchedDocument[],
): Promise<string[]> {
  const paths: string[] = [];
  for (const [at, document] of documents.entries()) {
    const given = texts.get("save");
    const hash = createHash("sha256").update(document.bytes).digest("hex").slice(0, 8);
    const name = given === undefined ? `${sourceId}-${hash}${endingOf(document)}` : nthName(given, at);
    const path = resolve(host.cwd, name);
    try {
      await host.writeBytes(path, document.bytes, MODE);
    } catch (error) {
      throw new CommandError(`the document cannot be saved: ${(error as Error).message}`);
    }
    paths.push(path);
  }
  return paths;
}

/** Adds a number to the name, except for the first document. */
function nthName(name: string, at: number): string {
  return at === 0 ? name : name.replace(/(\.[^./]*)?$/, (ending) => `-${at + 1}${ending}`);
}

function endingOf({ contentType, name }: FetchedDocument): string {
  const type = contentType ?? name;
  if (/json/i.test(type)) return ".json";
  return /html/i.test(type) ? ".html" : ".xml";
}
