// The effective settings of one source, without secrets.
import { nextRunAfter } from "../../domain/source/schedule.ts";
import { PATTERN_RULE, type SourceSettings } from "../../domain/source/source.ts";
import { formatDuration } from "../parse_values.ts";

/** The summary of a source. URLs may contain secrets and are left out. */
export interface SourceSummary {
  id: string;
  enabled: boolean;
  fetch_strategy: string;
  relevance: string;
  schedule: string;
  timezone: string;
  /** Unix ms; null for a disabled source. */
  next_due_at: number | null;
  notify_first_fetch: boolean;
  languages: string[];
  /** The languages with separate URLs. */
  urls: string[];
  language_pattern: string | null;
  /** Null: the default. */
  identity: string | null;
  removals: boolean;
  min_items: number | null;
  silent_after_ms: number | null;
  crawl_delay_ms: number | null;
  parse_timeout_ms: number;
  ca_file: string | null;
  reuse: string | null;
  /** Whether requests have an `Authorization` header. */
  authorization: boolean;
  /** The names of further headers. */
  headers: string[];
}

/** Summarises a source. `nowMs` (Unix ms) is the time from which the next run is computed. */
export function summariseSource(source: SourceSettings & { enabled: boolean }, nowMs: number): SourceSummary {
  return {
    id: source.id,
    enabled: source.enabled,
    fetch_strategy: source.fetchStrategy,
    relevance: source.relevance,
    schedule: source.schedule,
    timezone: source.timezone,
    next_due_at: source.enabled ? nextRunAfter(source, nowMs) : null,
    notify_first_fetch: source.notifyFirstFetch,
    languages: source.languages,
    urls: Object.keys(source.urls ?? {}),
    language_pattern: source.languagePattern ?? null,
    identity: source.identity ?? null,
    removals: source.removals ?? false,
    min_items: source.minItems ?? null,
    silent_after_ms: source.silentAfterMs ?? null,
    crawl_delay_ms: source.crawlDelayMs ?? null,
    parse_timeout_ms: source.parseTimeoutMs,
    ca_file: source.caFile ?? null,
    reuse: source.reuse ?? null,
    authorization: source.authorization !== undefined,
    headers: Object.keys(source.headers ?? {}),
  };
}

/** The cells of a source's row. */
export function sourceRow(source: SourceSummary): string[] {
  const next = source.next_due_at === null ? "never" : new Date(source.next_due_at).toISOString();
  const due = source.enabled ? `next ${next}` : "disabled";
  return [`  ${source.id}`, source.fetch_strategy, source.schedule, source.timezone, due];
}

/** A line with the settings that differ from the defaults, if any. */
export function sourceDetails(source: SourceSummary): string[] {
  const secrets = [...(source.authorization ? ["authorization"] : []), ...source.headers];
  const details = [
    source.relevance === "all" ? "stores everything" : null,
    source.notify_first_fetch ? "notifies from the first fetch" : null,
    source.urls.length === 0 ? null : `URLs for ${source.urls.join(", ")}`,
    source.language_pattern === null ? null : `language by pattern ${source.language_pattern}`,
    source.identity === null ? null : `identity by ${source.identity.replace(PATTERN_RULE, "pattern ")}`,
    source.removals ? "withdraws missing items" : null,
    source.min_items === null || source.min_items === 1 ? null : `at least ${source.min_items} items`,
    source.silent_after_ms === null ? null : `silent after ${formatDuration(source.silent_after_ms)}`,
    source.crawl_delay_ms === null ? null : `${formatDuration(source.crawl_delay_ms)} between requests`,
    source.ca_file === null ? null : `trusts ${source.ca_file}`,
    secrets.length === 0 ? null : `sends ${secrets.join(", ")}`,
  ].filter((detail) => detail !== null);
  return details.length === 0 ? [] : [`    ${details.join("; ")}`];
}
