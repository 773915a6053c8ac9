// Builders of feeds and events.
import type { RegEvent } from "../../src/domain/event/event.ts";
import type { Provenance } from "../../src/domain/event/provenance.ts";
import { LOCAL_CONFIG } from "./loopback.ts";
import { START_MS } from "./world.ts";

export interface SampleItem {
  id: string;
  title?: string;
  summary?: string;
  /** The date in the format of the feed, or false to omit it. */
  date?: string | false;
}

export function rss(items: readonly SampleItem[]): string {
  const rows = items.map(({ id, title, summary, date }) =>
    `<item><guid isPermaLink="false">${id}</guid><link>https://board.example/${id}</link>` +
    `<title>${title ?? `Guidelines on the AI Act ${id}`}</title>` +
    `<description>${summary ?? "They concern Article 50 of the AI Act."}</description>` +
    (date === false ? "" : `<pubDate>${date ?? "Fri, 31 Jul 2026 12:00:00 GMT"}</pubDate>`) + "</item>"
  );
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>Board</title><language>en</language>${
    rows.join("")
  }</channel></rss>`;
}

/** Returns a config with the source "board" at https://board.example/feed. `lines` are added to it. */
export function boardConfig(lines: { source?: string; rest?: string } = {}): string {
  return `${lines.rest ?? ""}
[[sources]]
id = "board"
name_en = "Board"
name_de = "Ausschuss"
base_url = "https://board.example"
url = "https://board.example/feed"
schedule = "*/30 * * * *"
notify_first_fetch = true
${lines.source ?? ""}
`;
}

export const SAMPLE_PROVENANCE: Provenance = {
  rules_version: "1",
  categories: ["News"],
  stated_languages: ["en"],
  document: "https://board.example/feed",
  document_sha256: "5a".repeat(32),
  http_status: 200,
  fetched_at: START_MS,
  other_languages: null,
};

export function sampleEvent(change: Partial<RegEvent> & Pick<RegEvent, "id">): RegEvent {
  return {
    source_id: "board",
    source: { id: "board", name: "Board" },
    external_id: change.id,
    version: 1,
    supersedes: null,
    event_type: "guidance",
    topics: ["transparency"],
    severity: "medium",
    title_en: "Guidelines",
    summary_en: "They concern Article 50.",
    url_official: "https://board.example/guidelines",
    ai_act_articles: ["Art. 50"],
    published_at: START_MS,
    published_at_precision: "time",
    published_on: new Date(START_MS).toISOString().slice(0, 10),
    published_at_estimated: false,
    ingested_at: START_MS,
    language: "en",
    language_versions: ["en"],
    translations: { en: { title: "Guidelines", summary: "They concern Article 50." } },
    status: null,
    ...change,
  };
}

export const STRIPE_SECRET = "whsec_5f1c0a7de9b24466a3d1c8e0b7f2a915";

/** The config of a source that reads the watched folder "inbox". */
export const INBOX_SOURCE = `[[sources]]
id = "inbox"
name_en = "Inbox"
base_url = "https://inbox.example"
fetch_strategy = "files"
path = "inbox"
`;

export const INBOX_CONFIG = LOCAL_CONFIG + INBOX_SOURCE;

export const PAYMENT_CONFIG = `
[payment]
webhook_secret = "${STRIPE_SECRET}"
livemode = false
prices = { "price_indie" = "indie", "price_team" = "team", "price_gpai" = "gpai" }
[mail]
support = "support@feed.example"
`;
