// `event list`: lists the stored events with the filters of the API.
import {
  type EventsQuery,
  eventsQuery,
  toEventQuery,
  verifyEventsQuery,
} from "../../api/input/event_query.ts";
import { readQuery } from "../../http/input.ts";
import { createClassifier } from "../../classify/classify.ts";
import { EVENT_TYPES, type RegEvent } from "../../domain/event/event.ts";
import { SEVERITIES } from "../../domain/event/severity.ts";
import type { EventQuery } from "../../domain/ports/store/events.ts";
import { type CommandCall, CommandError, EXIT } from "../../server/command_context.ts";
import { type Opened, withStore } from "../../server/open_store.ts";
import { stateCell } from "../colours.ts";
import type { Command, CommandOption } from "../command.ts";
import { pageOptions, printPage, readPage } from "../list_page.ts";
import { publishedCell } from "../table.ts";
import { readSince } from "../time_argument.ts";

/** `--json` has a default limit here, because there may be a million events. */
const PAGING = { row: "EVENT", jsonRows: 1_000 };

/** The filters, with the names of the API's parameters, in which `_` is `-`. */
const FILTERS: Record<string, CommandOption> = {
  topics: {
    kind: "list",
    value: "TOPIC,…",
    help: "any of these topics; a parent includes its children",
  },
  source: { kind: "list", value: "ID,…", help: "any of these sources" },
  "severity-min": {
    kind: "text",
    value: "SEVERITY",
    values: SEVERITIES,
    help: `minimum severity: ${SEVERITIES.join(", ")}`,
  },
  "event-type": {
    kind: "list",
    value: "TYPE,…",
    values: EVENT_TYPES,
    help: `any of ${EVENT_TYPES.join(", ")}`,
  },
  article: {
    kind: "list",
    value: "ARTICLE,…",
    help: "any of these references, such as 'Art. 50', which includes Art. 50(2)",
  },
  language: {
    kind: "list",
    value: "CODE,…",
    help: "available in any of these languages, such as en,de",
  },
  q: {
    kind: "text",
    value: "WORDS",
    help: "titles and summaries with all of these words; consult* and '\"high risk\"' are accepted",
  },
  since: {
    kind: "text",
    value: "TIME",
    help: 'published since TIME, such as 36h or 7d (ago), 2026-07-31 or "2026-07-31 12:00" (UTC)',
  },
  until: {
    kind: "text",
    value: "TIME",
    help: "published until TIME; a date includes that day",
  },
  latest: { kind: "flag", help: "only the newest version of each publication" },
};

export const eventListCommand: Command = {
  name: "event list",
  usage: "[--topics TOPIC,…] [--source ID,…] [--severity-min SEVERITY] [--event-type TYPE,…] " +
    "[--article ARTICLE,…] [--language CODE,…] [--q WORDS] [--since TIME] [--until TIME] [--latest] [--limit N] [--before EVENT] " +
    "[--utc] [--json]",
  summary: "lists the stored events, newest first",
  details:
    "The filters are those of `GET /v1/events`. They are combined with AND, the values of one filter with OR.",
  example: "regfeed event list --topics gpai --severity-min high --since 30d",
  options: { ...FILTERS, ...pageOptions(PAGING) },
  run: (call) => withStore(call, (opened) => listEvents(call, opened)),
};

async function listEvents(call: CommandCall, opened: Opened): Promise<void> {
  const { store } = opened;
  const query = await readFilters(call, opened);
  const page = await readPage(call, "event list", {
    read: ({ limit }) => store.listEvents({ ...query, limit }),
    nameOf: ({ id }) => id,
    ...PAGING,
  });
  const events = page.rows.map(({ json }) => JSON.parse(json) as RegEvent);
  const isFiltered = parametersIn(call, 0).length > 0;
  printPage(call, page, "events", {
    rows: events,
    none: isFiltered
      ? "no matching events"
      : "no events yet; `regfeed ingest` fetches the sources that are due",
    header: ["PUBLISHED (UTC)", "SEVERITY", "TYPE", "SOURCE", "V", "TITLE", "EVENT"],
    drop: ["TYPE", "V", "SOURCE", "SEVERITY"],
    cut: "TITLE",
    leastCut: 40,
    cells: (event) => [
      publishedCell(event),
      stateCell(event.severity),
      event.event_type,
      event.source_id,
      event.version === 1 ? "" : event.version,
      event.status === "withdrawn" ? `withdrawn: ${event.title_en}` : event.title_en,
      event.id,
    ],
  });
}

/** Reads and checks the filters exactly as the API does. */
async function readFilters(call: CommandCall, { config, store, platform }: Opened): Promise<EventQuery> {
  const { topics } = createClassifier(config.classification);
  const { value, good, errors } = readQuery(parametersIn(call, platform.clock.nowMs()), eventsQuery);
  const configured = new Set(config.sources.map(({ id }) => id));
  const known = {
    store,
    topics,
    sources: config.sources,
    isSource: async (id: string) => configured.has(id) || await store.isKnownSource(id),
    hints: {
      topics: `the topics are ${topics.map(({ id }) => id).join(", ")}`,
      sources: "`regfeed source list` lists the sources",
      until: "--until",
    },
  };
  const problems = [...errors, ...await verifyEventsQuery(good, known)];
  if (problems.length > 0) {
    const lines = problems.map(({ field, message }) => `${optionOf(field)} ${message}`);
    throw new CommandError(lines.join("\n"), EXIT.usage);
  }
  return await toEventQuery(value as EventsQuery, null, known);
}

/** Returns the parameters that a request to the API with these filters would have. */
function parametersIn(
  { flags, texts, lists }: CommandCall,
  nowMs: number,
): { name: string; value: string }[] {
  const given = Object.keys(FILTERS).flatMap((option) => {
    const name = option.replaceAll("-", "_");
    const text = flags.has(option) ? "true" : texts.get(option) ?? lists.get(option)?.join(",");
    if (text === undefined) return [];
    const isTime = name === "since" || name === "until";
    return [{ name, value: isTime ? String(readSince(`--${option}`, text, nowMs, name)) : text }];
  });
  const before = texts.get("before");
  return before === undefined ? given : [...given, { name: "before", value: before }];
}

function optionOf(field: string): string {
  return `--${field.replaceAll("_", "-")}`;
}
