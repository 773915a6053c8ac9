// Fictional examples for the API description.
import type { EventDiff } from "../domain/event/diff.ts";
import { DISCLAIMER } from "../domain/event/disclaimer.ts";
import type { EventType, RegEvent } from "../domain/event/event.ts";
import type { Provenance } from "../domain/event/provenance.ts";

export const EXAMPLE_EVENT: RegEvent = {
  id: "evt_01KYPEWD40C1BAYPTZMVD7V4WY",
  source_id: "example-board",
  source: { id: "example-board", name: "Example Board" },
  external_id: "https://board.example/guidelines/7",
  version: 1,
  supersedes: null,
  event_type: "guidance",
  topics: ["transparency", "gpai"],
  severity: "medium",
  title_en: "Draft guidelines on the marking of generated content",
  summary_en: "How providers mark text, images and sound that a model has made.",
  url_official: "https://board.example/guidelines/7",
  ai_act_articles: ["Art. 50(2)", "Art. 53(1)(d)"],
  published_at: 1_785_312_720_000,
  published_at_precision: "time",
  published_on: "2026-07-29",
  published_at_estimated: false,
  ingested_at: 1_785_313_800_000,
  language: "en",
  language_versions: ["de", "en"],
  translations: {
    de: {
      title: "Entwurf von Leitlinien zur Kennzeichnung erzeugter Inhalte",
      summary: "Wie Anbieter Texte, Bilder und Töne kennzeichnen, die ein Modell hergestellt hat.",
    },
    en: {
      title: "Draft guidelines on the marking of generated content",
      summary: "How providers mark text, images and sound that a model has made.",
    },
  },
  status: null,
};

export const EXAMPLE_PROVENANCE: Provenance = {
  rules_version: "2",
  categories: ["Guidelines"],
  stated_languages: ["en"],
  document: "https://board.example/feed",
  document_sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  http_status: 200,
  fetched_at: 1_785_313_800_000,
  other_languages: null,
};

const REVISED_TITLE = "Guidelines on the marking of generated content";

export const EXAMPLE_REVISION: RegEvent = {
  ...EXAMPLE_EVENT,
  id: "evt_01KYWDAKRR5WRWT5EF8803K206",
  version: 2,
  supersedes: EXAMPLE_EVENT.id,
  severity: "high",
  title_en: REVISED_TITLE,
  published_at: 1_785_512_415_000,
  published_on: "2026-07-31",
  ingested_at: 1_785_513_600_000,
  translations: {
    de: {
      title: "Leitlinien zur Kennzeichnung erzeugter Inhalte",
      summary: EXAMPLE_EVENT.translations["de"]?.summary ?? "",
    },
    en: { title: REVISED_TITLE, summary: EXAMPLE_EVENT.summary_en },
  },
};

/** What the revision changed. A literal, because computing it would delay the start; a test verifies it. */
export const EXAMPLE_DIFF: EventDiff = {
  previous_id: EXAMPLE_EVENT.id,
  previous_version: EXAMPLE_EVENT.version,
  summary:
    "Title changed; severity raised from medium to high; publication date changed; title changed (German)",
  changes: [
    { field: "title_en", before: EXAMPLE_EVENT.title_en, after: REVISED_TITLE },
    { field: "severity", before: EXAMPLE_EVENT.severity, after: EXAMPLE_REVISION.severity },
    { field: "published_at", before: EXAMPLE_EVENT.published_at, after: EXAMPLE_REVISION.published_at },
    {
      field: "translations.de.title",
      before: EXAMPLE_EVENT.translations["de"]?.title ?? "",
      after: EXAMPLE_REVISION.translations["de"]?.title ?? "",
    },
  ],
};

export const EXAMPLE_SUBSCRIPTION = {
  id: "sub_01KYWDAKRR5WRWT5EF8803K207",
  webhook_url: "https://hooks.example.org/ai",
  header_names: ["authorization"],
  name: "GPAI team channel",
  note: null,
  topics: ["gpai", "transparency"],
  source_filter: [] as string[],
  severity_min: "medium" as const,
  event_type: [] as EventType[],
  article: [] as string[],
  event_language: [] as string[],
  q: null,
  exclude: {
    topics: [] as string[],
    source: [] as string[],
    event_type: ["speech" as const],
    article: [] as string[],
    q: null,
  },
  language: "de",
  enabled: true,
  disabled_by: null,
  created_at: 1_785_400_000_000,
  last_success_at: 1_785_513_600_000,
  failing_since: null,
  pending: 1,
  held: 0,
  catch_up: null,
};

export const EXAMPLE_DELIVERY = {
  type: "event.revised" as const,
  timestamp: 1_785_513_605_000,
  delivery_id: "dlv_01KYWDAKRR5WRWT5EF8803K208",
  subscription_id: EXAMPLE_SUBSCRIPTION.id,
  sequence: 42,
  source: EXAMPLE_REVISION.source_id,
  severity: EXAMPLE_REVISION.severity,
  language: "de",
  title: EXAMPLE_REVISION.translations["de"]?.title ?? "",
  summary: EXAMPLE_REVISION.translations["de"]?.summary ?? "",
  event: EXAMPLE_REVISION,
  diff_to_previous: {
    ...EXAMPLE_DIFF,
    summary:
      "Titel geändert (Deutsch); Titel geändert (Englisch); Schweregrad angehoben von mittel auf hoch; Veröffentlichungsdatum geändert",
  },
  disclaimer: DISCLAIMER,
};
