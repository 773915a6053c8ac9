// The commands `source list`, `source test` and `source parse`.
import { resolve } from "node:path";
import { formatCount } from "../../domain/format_count.ts";
import { createApp } from "../../app.ts";
import { createClassifier } from "../../classify/classify.ts";
import type { Config } from "../../config/config.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import { NO_ADDITIONS } from "../../classify/configured_rules.ts";
import { FetchError } from "../../ingest/fetch/fetch_types.ts";
import type { DescribeOptions, DocumentDescription } from "../../ingest/normalise/describe_document.ts";
import { inflateFile } from "../../ingest/parse/inflate.ts";
import { DocumentError } from "../../ingest/parse/document.ts";
import { MAX_ITEMS } from "../../ingest/parse/parse_pipeline.ts";
import { GUESSED } from "../../ingest/parse/preview_document.ts";
import { createParser } from "../../ingest/parse/parse_worker_client.ts";
import { describePreview } from "../../operate/source_preview.ts";
import { previewSource, unknownSource } from "../../operate/sources.ts";
import { createParseWorker } from "../../platform/platform.ts";
import { VERSION } from "../../version.ts";
import type { Command } from "../command.ts";
import { printTable } from "../print.ts";
import { cut } from "../table.ts";
import { progressOf } from "../progress.ts";
import { type CommandCall, CommandError, EXIT } from "../../server/command_context.ts";
import { loadConfig, withStore } from "../../server/open_store.ts";
import { readHeld } from "./held_events.ts";
import { listSources } from "../../domain/source/listed_source.ts";
import { heldSourcesTable, listTable } from "./source_list.ts";
import { previewTable } from "./source_preview.ts";
import { saveDocuments } from "./save_documents.ts";
import { releaseCommand } from "./source_release.ts";
import { itemsTable, suggestedSource } from "./suggested_source.ts";

/** Maximum size of a saved document after decompression, bytes. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;
/** Default time limit for parsing without a source, ms. */
const PARSE_TIMEOUT_MS = 5_000;

/** Maximum number of problems that `source parse` prints, and maximum length of the item's name. */
const MAX_PROBLEMS = 20;
const PROBLEM_WIDTH = 60;

export const sourceCommands: Command[] = [
  {
    name: "source list",
    usage: "[--held] [--utc] [--json]",
    summary: "lists the sources with their states and their numbers of events",
    example: "regfeed source list",
    options: { held: { kind: "flag", help: "list only sources with held events, and these events" } },
    run: (call) =>
      withStore(call, async ({ config, platform, store }) => {
        const sources = listSources(config, await store.listSources(), platform.clock.nowMs());
        if (!call.flags.has("held")) return printTable(call, { sources }, () => listTable(sources, call));
        const held = await Promise.all(
          sources.filter(({ held_back }) => held_back > 0).map(async (source) => ({
            ...source,
            held_events: await readHeld(store, source.id),
          })),
        );
        printTable(call, { sources: held }, () => heldSourcesTable(held, call));
      }, { withoutStore: "do without" }),
  },
  {
    name: "source test",
    usage: "ID [--why] [--save[=FILE]] [--json]",
    summary: "fetches a source and shows what would be stored; stores nothing",
    example: "regfeed source test eu-edpb-news --why",
    options: {
      why: { kind: "flag", help: "explain the values of each item: words, rules, articles" },
      save: {
        kind: "flag",
        mayHaveValue: true,
        value: "FILE",
        help: "save the raw documents as FILE, or in the current folder under the source's id",
      },
    },
    run: (call) =>
      withStore(call, async ({ config, platform, store }) => {
        const [source] = requireSources({ sources: config.sources, anyState: true }, call.positionals);
        if (source === undefined) throw new CommandError("name one source", EXIT.usage);
        const { ingest } = createApp({ config, platform, store, version: VERSION });
        progressOf(call)(`fetching ${source.id} …`);
        const preview = await previewSource({ ingest, store }, source);
        const wantsSaved = call.flags.has("save") || call.texts.has("save");
        const saved = wantsSaved ? await saveDocuments(call, source.id, preview.documents) : null;
        const described = describePreview(preview, {
          classifier: createClassifier(config.classification),
          configuredLanguages: source.languages,
          withReasons: call.flags.has("why"),
        });
        printTable(call, { ...described, ...(saved === null ? {} : { saved }) }, () => {
          const { table, notes } = previewTable(described, call);
          return { table, notes: notes + savedLines(saved) };
        });
        return preview.report.ok ? EXIT.done : EXIT.failed;
      }, { log: { format: "text", level: "error" }, withoutStore: "do without" }),
  },
  releaseCommand,
  {
    name: "source parse",
    usage: "FILE [--url URL] [--source ID] [--content-type TYPE] [--utc] [--json]",
    summary: "suggests a source for a saved document, or shows what the rules of a source find in it",
    details:
      "The suggestion is a [[sources]] table for the config, followed by a sample of the items as comments.",
    example: "regfeed source parse news.html --url https://www.example.org/news",
    options: {
      url: { kind: "text", value: "URL", help: "the URL from which the document was saved" },
      source: { kind: "text", value: "ID", help: "use the rules of this source in the config" },
      "content-type": { kind: "text", value: "TYPE", help: "the document's Content-Type" },
    },
    async run(call) {
      const { host, positionals, texts } = call;
      const url = statedUrl(call);
      const source = await sourceToParse(call);
      const file = resolve(host.cwd, positionals[0] ?? "");
      let bytes: Uint8Array;
      try {
        bytes = await host.readBytes(file);
      } catch (error) {
        throw new CommandError((error as Error).message);
      }
      try {
        const { timeoutMs = PARSE_TIMEOUT_MS, ...reading } = source;
        const contentType = texts.get("content-type") ?? null;
        const isPlain = call.flags.has("json") || texts.has("source");
        const options = {
          ...reading,
          ...(url === null ? {} : { baseUrl: url }),
          ...{ contentType, maxItems: MAX_ITEMS, suggests: !isPlain },
        };
        const description = await describe(bytes, options, timeoutMs);
        printDescription(call, description, url);
      } catch (error) {
        if (error instanceof DocumentError || error instanceof FetchError) {
          throw new CommandError(`${file}: ${error.message}`);
        }
        throw error;
      }
    },
  },
];

/** Returns the value of `--url`, or null. */
function statedUrl({ texts }: CommandCall): string | null {
  const text = texts.get("url");
  if (text === undefined) return null;
  if (!/^https?:/i.test(text) || !URL.canParse(text)) {
    throw new CommandError(
      `--url must be a URL that begins with https:// or http://, not ${text}`,
      EXIT.usage,
    );
  }
  return text;
}

function printDescription(call: CommandCall, description: DocumentDescription, url: string | null): void {
  const { items, suggestion } = description;
  printTable(call, description, () => ({
    table: suggestion === undefined ? itemsTable(items, call) : suggestedSource(description, suggestion, url),
    notes: suggestion === undefined ? `${formatCount(items.length, "item")}\n` : "",
  }));
  if (call.flags.has("json")) return;
  // The problem that states guessed rules repeats the suggestion.
  const problems = description.problems.filter(({ reason }) => !reason.startsWith(GUESSED));
  const byReason = [...Map.groupBy(problems, ({ reason }) => reason)];
  for (const [reason, [first, ...others]] of byReason.slice(0, MAX_PROBLEMS)) {
    const items = others.length === 0 ? cut(first?.item ?? "", PROBLEM_WIDTH) : `${others.length + 1} items`;
    const told = others.length === 0 ? reason : reason.replace(/^it has /, "they have ");
    call.host.err(`problem  ${items}: ${told}\n`);
  }
  const rest = byReason.length - MAX_PROBLEMS;
  if (rest > 0) call.host.err(`… and ${formatCount(rest, "more problem")}; --json lists all\n`);
}

async function describe(
  bytes: Uint8Array,
  options: DescribeOptions,
  timeoutMs: number,
): Promise<DocumentDescription> {
  const worker = createParseWorker();
  try {
    const parser = createParser(worker, NO_ADDITIONS, { timeoutMs });
    return await parser.describe(await inflateFile(bytes, MAX_DOCUMENT_BYTES), options);
  } finally {
    worker.end();
  }
}

/** Returns the parsing rules of the source that `--source` names. Without `--source`, reads no config. */
async function sourceToParse(
  call: CommandCall,
): Promise<Partial<DescribeOptions> & { timeoutMs?: number }> {
  const id = call.texts.get("source");
  if (id === undefined) return {};
  const { config } = await loadConfig(call);
  const [source] = requireSources({ sources: config.sources, anyState: true }, [id]);
  if (source === undefined) return {};
  const { rules, timezone, fetchStrategy, location, baseUrl, parseTimeoutMs } = source;
  return {
    timeoutMs: parseTimeoutMs,
    reading: rules?.reading ?? null,
    timezone,
    baseUrl: fetchStrategy === "files" ? baseUrl : location,
  };
}

/** Finds the sources. Throws a {@link CommandError} for an unknown id and, unless `anyState`, for a disabled source. */
export function requireSources(
  { sources, anyState = false }: { sources: Config["sources"]; anyState?: boolean },
  ids: readonly string[],
): SourceSettings[] {
  return ids.map((id) => {
    const source = sources.find((candidate) => candidate.id === id);
    if (source === undefined) {
      throw unknownSource(id, sources);
    }
    if (!source.enabled && !anyState) {
      throw new CommandError(
        `the source ${id} is disabled; set enabled = true, or try \`regfeed source test ${id}\``,
      );
    }
    return source;
  });
}

function savedLines(saved: readonly string[] | null): string {
  return (saved ?? []).map((path) => `saved  ${path}\n`).join("");
}
