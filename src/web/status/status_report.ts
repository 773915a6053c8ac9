// What the status pages show, read from the store: public data only.
import type { Clock } from "../../domain/ports/ports.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { type CoverageDay, coverageDays, dayOf, DAYS_BEFORE } from "../../domain/source/coverage_days.ts";
import type { FetchDay } from "../../domain/source/fetch_record.ts";
import type { Incident } from "../../domain/source/incident.ts";
import type { SourceSettings, SourceState } from "../../domain/source/source.ts";
import { type SourceCondition, sourceHealth } from "../../domain/source/source_health.ts";

export const DAYS_SHOWN = 90;
export const MAX_INCIDENTS = 50;
const DAY_MS = 86_400_000;
/** How long a report is used again, ms. It is public, and takes time for hundreds of sources. */
const CACHED_MS = 1_000;

export interface SourceStatus {
  source: Pick<SourceSettings, "id" | "nameEn" | "nameDe" | "baseUrl">;
  condition: SourceCondition;
  /** Since when the source has had this condition, Unix ms; null for `new`. */
  sinceMs: number | null;
  lastSuccessAtMs: number | null;
  /** When something new was last found, Unix ms, or null. */
  lastNewAtMs: number | null;
}

export interface ServiceState {
  sources: readonly SourceStatus[];
  /** The incidents of the last {@link DAYS_SHOWN} days, those that began last first; at most {@link MAX_INCIDENTS}. */
  incidents: readonly Incident[];
}

export interface StatusReport extends ServiceState {
  /** The last {@link DAYS_SHOWN} days of each source, oldest first, by the source's id. */
  days: ReadonlyMap<string, readonly CoverageDay[]>;
}

export interface StatusReader {
  state(): Promise<ServiceState>;
  report(): Promise<StatusReport>;
}

export interface StatusOptions {
  store: Pick<Store, "listSources" | "listFetchDays" | "listIncidents">;
  /** The enabled sources. */
  sources: readonly SourceSettings[];
  clock: Pick<Clock, "nowMs">;
}

export function createStatusReader({ store, sources, clock }: StatusOptions): StatusReader {
  /** The days before today. They do not change any more, and reading them takes longer than everything else. */
  let history: { today: number; days: Map<string, FetchDay[]> } | null = null;

  const recordedDays = async (nowMs: number): Promise<(id: string) => FetchDay[]> => {
    const today = dayOf(nowMs);
    if (history?.today !== today) {
      const days = await store.listFetchDays(today - DAYS_SHOWN - DAYS_BEFORE, today - 1);
      history = { today, days };
    }
    const before = history.days;
    const now = await store.listFetchDays(today, today);
    return (id) => [...before.get(id) ?? [], ...now.get(id) ?? []];
  };

  const readState = async (nowMs: number) => {
    const states = new Map((await store.listSources()).map((state) => [state.id, state]));
    const incidents = await store.listIncidents({
      sinceMs: nowMs - DAYS_SHOWN * DAY_MS,
      limit: MAX_INCIDENTS,
    });
    return {
      states,
      sources: sources.map((one) => statusOf(one, states.get(one.id) ?? null, nowMs)),
      incidents,
    };
  };

  return {
    state: cached(clock, readState),
    report: cached(clock, async (nowMs) => {
      const { states, ...state } = await readState(nowMs);
      const recorded = await recordedDays(nowMs);
      const days = sources.map(({ id }) => {
        const addedAtMs = states.get(id)?.firstSuccessAtMs ?? null;
        return [id, coverageDays(recorded(id), { nowMs, count: DAYS_SHOWN, addedAtMs })] as const;
      });
      return { ...state, days: new Map(days) };
    }),
  };
}

function statusOf(source: SourceSettings, state: SourceState | null, nowMs: number): SourceStatus {
  const { condition, sinceMs } = sourceHealth(source, state, nowMs);
  const { lastSuccessAtMs = null, cadence } = state ?? {};
  return { source, condition, sinceMs, lastSuccessAtMs, lastNewAtMs: cadence?.lastAtMs ?? null };
}

/** Returns a function that reads again only when the last result is old. Calls at the same time share one reading. */
function cached<T>(clock: Pick<Clock, "nowMs">, read: (nowMs: number) => Promise<T>): () => Promise<T> {
  let last: { atMs: number; result: Promise<T> } | null = null;
  return () => {
    const nowMs = clock.nowMs();
    if (last === null || Math.abs(nowMs - last.atMs) >= CACHED_MS) {
      const result = read(nowMs);
      const current = { atMs: nowMs, result };
      last = current;
      result.catch(() => {
        if (last === current) last = null;
      });
    }
    return last.result;
  };
}

/** The order in which conditions are shown: those that need attention first. */
export const CONDITION_ORDER: readonly SourceCondition[] = [
  "failing",
  "blocked",
  "empty",
  "partial",
  "silent",
  "new",
  "ok",
];

export interface StateSummary {
  total: number;
  upToDate: number;
  /** Sources that were never fetched. */
  waiting: number;
  /** Sources that need attention. */
  troubled: number;
  areDeliveriesLate: boolean;
  /** `bad`: most sources need attention, or deliveries are late. */
  level: "good" | "warn" | "bad";
}

export function summarise({ sources, incidents }: ServiceState): StateSummary {
  const count = (condition: SourceCondition) => sources.filter((one) => one.condition === condition).length;
  const [total, upToDate, waiting] = [sources.length, count("ok"), count("new")];
  const troubled = total - upToDate - waiting;
  const areDeliveriesLate = incidents.some(({ kind, endedAtMs }) =>
    kind === "deliveries_late" && endedAtMs === null
  );
  const isBad = areDeliveriesLate || troubled > total / 2;
  const level = isBad ? "bad" : troubled > 0 ? "warn" : "good";
  return { total, upToDate, waiting, troubled, areDeliveriesLate, level };
}
