// `source release`: delivers or keeps the events of a change spike. Also saves documents for `source test --save`.
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { FetchedDocument } from "../../ingest/fetch/fetch_types.ts";
import type { Command } from "../command.ts";
import { print } from "../print.ts";
import { type CommandCall, CommandError } from "../../server/command_context.ts";
import { withStore } from "../../server/open_store.ts";

/** Only the user can read saved documents, because they may be confidential. */
const MODE = 0o600;

export const releaseCommand: Command = {
  name: "source release",
  usage: "ID [--discard] [--json]",
  summary: "delivers the events held by a change spike, or keeps them undelivered",
  example: "regfeed source release eu-edpb-news --discard",
  options: {
    discard: { kind: "flag", help: "keep the events in the store without delivering them" },
  },
  run: (call) =>
    withStore(call, async ({ store }) => {
      const id = call.positionals[0] ?? "";
      if (!await store.isKnownSource(id)) {
        throw new CommandError(`there is no source ${id}; \`source list\` shows all sources`);
      }
      const end = call.flags.has("discard") ? "discard" : "deliver";
      const events = await store.releaseEvents(id, end);
      print(call, { source: id, events, delivered: end === "deliver" }, () => describe(id, events, end));
    }),
};

function describe(id: string, events: number, end: "deliver" | "discard"): string {
  if (events === 0) return `no events of ${id} are held\n`;
  const what = `${events} ${events === 1 ? "event" : "events"} of ${id}`;
  return end === "deliver"
    ? `${what} released for delivery to the matching subscriptions\n`
    : `${what} kept in the store and not delivered\n`;
}

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
