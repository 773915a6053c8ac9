// Ninety days of coverage and past incidents for the sample service.
import { NO_COUNTS } from "../../src/domain/source/fetch_record.ts";
import type { Problem } from "../../src/domain/source/incident.ts";
import type { FetchEnd } from "../../src/domain/ports/store/sources.ts";
import type { World } from "../support/world.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 89;
/** Shorter than an interruption that is an incident. */
const REVIEW_MS = 50 * MINUTE_MS;

/** Records incidents of the last nine days: a source that failed for four hours, and a stop of three hours. */
export async function addPastIncidents({ app, store, config, platform, newId }: World): Promise<void> {
  await app.prepare();
  const nowMs = platform.clock.nowMs();
  const sinceMs = nowMs - 8 * DAY_MS;
  const [source] = config.sources;
  const failing: Problem = { kind: "failing", sourceId: source?.id ?? "", cause: "timeout", sinceMs };
  for (let ms = nowMs - 9 * DAY_MS; ms < nowMs; ms += REVIEW_MS) {
    const isStopped = ms > nowMs - 3 * DAY_MS && ms < nowMs - 3 * DAY_MS + 3 * HOUR_MS;
    if (isStopped) continue;
    const problems = ms > sinceMs && ms < sinceMs + 4 * HOUR_MS ? [failing] : [];
    await store.reviewIncidents({ problems, recoveries: new Map(), nowMs: ms }, () => newId("incident"));
  }
  await store.reviewIncidents({ problems: [], recoveries: new Map(), nowMs }, () => newId("incident"));
}

/** Records a fetch on each of the last days. Some days have gaps. Afterwards, every source is due. */
export async function addPastFetches({ store, config, platform }: World): Promise<void> {
  const nowMs = platform.clock.nowMs();
  const claimed = await store.claimSources({
    nowMs,
    leaseMs: 1,
    holder: "history",
    limit: config.sources.length,
    ids: config.sources.map(({ id }) => id),
    due: "any",
    perHost: config.sources.length,
    spacingOf: () => 0,
  });
  const states = new Map(claimed.map((state) => [state.id, state]));
  for (const [at, { id, schedule, timezone }] of config.sources.entries()) {
    const state = states.get(id);
    if (state === undefined) continue;
    const common = {
      sourceId: id,
      holder: "history",
      schedule: `${schedule} ${timezone} 0`,
      isItsFault: true,
      kept: null,
      cadence: state.cadence,
      moves: [],
      partialFailures: [],
      narrowUntilMs: state.narrowUntilMs,
      hosts: [],
    };
    const finish = (atMs: number, change: Pick<FetchEnd, "outcome" | "outcomeSinceMs">) =>
      store.finishFetch({
        ...common,
        ...change,
        atMs,
        nextDueAtMs: Math.min(atMs + HOUR_MS / 2, nowMs),
        notBeforeMs: 0,
        error: change.outcome === "ok" ? null : "responded with 503",
        record: {
          startedAtMs: atMs - 1_200,
          cause: change.outcome === "ok" ? null : "http_error",
          counts: NO_COUNTS,
          documentHash: null,
        },
      });
    for (let day = DAYS - 17 * (at % 3); day > 0; day--) {
      const atMs = nowMs - day * DAY_MS;
      const pattern = (day * 7 + at * 13) % 61;
      if (pattern === 0) continue;
      if (pattern < 4) await finish(atMs, { outcome: "failing", outcomeSinceMs: atMs });
      if (pattern !== 2) await finish(atMs + HOUR_MS, { outcome: "ok", outcomeSinceMs: atMs });
    }
    if (state.outcome === null || state.outcome === "ok") continue;
    await finish(nowMs - 1, { outcome: state.outcome, outcomeSinceMs: state.outcomeSinceMs ?? nowMs });
  }
}
