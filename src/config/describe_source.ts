// What a config puts in force for one source, without its secrets.
import { nextRunAfter } from "../domain/schedule.ts";
import { PATTERN_RULE, type SourceSettings } from "../domain/source.ts";
import { formatDuration } from "./parse_values.ts";

/** A source as a summary shows it. Its addresses may hold secrets: they are not shown. */
export interface SourceSummary {
  id: string;
  enabled: boolean;
  fetch_strategy: string;
  relevance: string;
  schedule: string;
  timezone: string;
  /** Unix ms; null for a source that is disabled. */
  next_due_at: number | null;
  notify_first_fetch: boolean;
  languages: string[];
  /** The languages that have an address of their own. */
  urls: string[];
  language_pattern: string | null;
  /** Null where the strategy, its history or the service decides. */
  identity: string | null;
  removals: boolean;
  min_items: number | null;
  silent_after_ms: number | null;
  crawl_delay_ms: number | null;
  parse_timeout_ms: number;
  ca_file: string | null;
  reuse: string | null;
  /** Whether its requests carry an `Authorization` header; the header itself is a secret. */
  authorization: boolean;
  /** The names of its further headers; what they hold is as secret. */
  headers: string[];
}

/** What is in force for a source; its next time is counted from the moment (Unix ms). */
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

/** Under its row: what it is told beyond what every source is; no line when that is nothing. */
export function sourceDetails(source: SourceSummary): string[] {
  const secrets = [...(source.authorization ? ["authorization"] : []), ...source.headers];
  const details = [
    source.relevance === "all" ? "everything is stored" : null,
    source.notify_first_fetch ? "notifies from the first fetch on" : null,
    source.urls.length === 0 ? null : `addresses for ${source.urls.join(", ")}`,
    source.language_pattern === null ? null : `languages told by ${source.language_pattern}`,
    source.identity === null ? null : `identity by ${source.identity.replace(PATTERN_RULE, "the pattern ")}`,
    source.removals ? "what is missing is withdrawn" : null,
    source.min_items === null || source.min_items === 1 ? null : `at least ${source.min_items} items`,
    source.silent_after_ms === null ? null : `silent after ${formatDuration(source.silent_after_ms)}`,
    source.crawl_delay_ms === null ? null : `${formatDuration(source.crawl_delay_ms)} between two requests`,
    source.ca_file === null ? null : `trusts ${source.ca_file}`,
    secrets.length === 0 ? null : `sends ${secrets.join(", ")}`,
  ].filter((detail) => detail !== null);
  return details.length === 0 ? [] : [`    ${details.join("; ")}`];
}
