// The status pages over HTTP: sources, coverage, incidents, the feed, and who may see them.
import assert from "node:assert/strict";
import { createSessions } from "../../../src/accounts/sessions.ts";
import { coverageDays, dayOf } from "../../../src/domain/source/coverage_days.ts";
import { type FetchDay, NO_COUNTS } from "../../../src/domain/source/fetch_record.ts";
import { Body } from "../../../src/http/response_cache.ts";
import type { FetchEnd } from "../../../src/domain/ports/store/sources.ts";
import { coverageBars } from "../../../src/web/status/coverage_bars.ts";
import { stateText } from "../../../src/web/status/state_line.ts";
import { statusPage } from "../../../src/web/status/status_page.ts";
import {
  CONDITION_ORDER,
  type SourceStatus,
  type StateSummary,
} from "../../../src/web/status/status_report.ts";
import { formatFor } from "../../../src/web/texts/format.ts";
import { TEXTS } from "../../../src/web/texts/texts.ts";
import { aFetchEnd } from "../../store/contract/given.ts";
import { START_MS, withWorld, type World } from "../../support/world.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const HOSTILE = `<img src=x onerror=alert(1)>"'&`;
const NO_FETCHES = { ok: 0, partial: 0, failing: 0, blocked: 0, empty: 0 };
const SECRET = "https://board.example/feed?key=hunter2";

function config(ids: readonly string[], rest = ""): string {
  return rest + ids.map((id) => `
[[sources]]
id = "${id}"
name_en = '''Body ${id} ${HOSTILE}'''
name_de = "Behörde ${id}"
base_url = "https://${id}.example"
url = "https://${id}.example/feed"
schedule = "*/30 * * * *"
`).join("");
}

/** Ends a fetch `ago` ms before now. */
async function fetched(world: World, id: string, ago: number, change: Partial<FetchEnd> = {}): Promise<void> {
  const atMs = START_MS - ago;
  const failure = change.outcome === undefined || change.outcome === "ok"
    ? {}
    : { kept: null, error: `responded with 503: ${SECRET}` };
  const cause = change.outcome === "blocked" ? "refused" as const : "timeout" as const;
  await world.store.finishFetch(aFetchEnd(id, atMs, {
    nextDueAtMs: atMs + HOUR,
    record: {
      startedAtMs: atMs,
      cause: "error" in failure ? cause : null,
      counts: NO_COUNTS,
      documentHash: null,
    },
    ...failure,
    ...change,
  }));
}

/** A world with sources in several states, and the incidents that follow from them. */
function withSources(work: (world: World) => Promise<void>): Promise<void> {
  return withWorld(config(["calm", "down", "shut", "young"]), async (world) => {
    await world.app.ingest.register();
    for (const id of ["calm", "down", "shut"]) {
      for (let day = 89; day >= 1; day--) {
        await fetched(world, id, day * DAY, { nextDueAtMs: START_MS - (day - 1) * DAY });
      }
    }
    await fetched(world, "calm", 0, { cadence: { lastAtMs: START_MS - DAY, days: [], seen: "" } });
    for (let hours = 3; hours >= 0; hours--) {
      await fetched(world, "down", hours * HOUR, { outcome: "failing" });
    }
    await fetched(world, "shut", 2 * HOUR, { outcome: "blocked" });
    await fetched(world, "shut", HOUR, { outcome: "blocked" });
    const { store, newId } = world;
    const down = {
      kind: "failing",
      sourceId: "down",
      cause: "timeout",
      sinceMs: START_MS - 3 * HOUR,
    } as const;
    const shut = {
      kind: "blocked",
      sourceId: "shut",
      cause: "refused",
      sinceMs: START_MS - 9 * DAY,
    } as const;
    const review = (nowMs: number, problems: Parameters<typeof store.reviewIncidents>[0]["problems"]) =>
      store.reviewIncidents({ nowMs, problems, recoveries: new Map() }, () => newId("incident"));
    await review(START_MS - 8 * DAY, [shut]);
    await review(START_MS - 8 * DAY + 1, []);
    await review(START_MS, [down]);
    await work(world);
  });
}

Deno.test("/status shows each source with its state, problems first, and incidents with start, end and cause", () =>
  withSources(async ({ visit }) => {
    const { status, text } = await visit("/status");
    assert.equal(status, 200);
    const headings = [...text.matchAll(/<h2 id="(\w+)"/g)].map(([, id]) => id);
    assert.deepEqual(headings, ["failing", "blocked", "new", "ok"]);
    assert.match(
      text,
      /1 of 4 sources is up to date\. 2 sources need attention\. 1 source has not been fetched yet\./,
    );
    assert.match(text, /90 of 90 days complete/);
    assert.match(text, /89 of 90 days complete/);
    assert.match(
      text,
      /aria-label="89 of 90 days complete. Every fetch succeeded: 89. Every fetch failed: 1"/,
    );
    assert.match(text, /<th [^>]*><div><time datetime="2026-08-01">1 August 2026<\/time><\/div><\/th>/);
    assert.match(text, /0 of 4/);
    const [current = "", past = ""] = text.split(/<h2>Past incidents/);
    assert.match(current, /fetches fail<\/h3><p>The publisher’s site did not respond in time\.<\/p>/);
    assert.match(past, /access is blocked<\/h3>.*refuses or limits requests.*Ended .*Duration 1 day/s);
    // The service was not reviewed for a week.
    assert.match(past, /The service was not running/);
  }));

Deno.test("the status pages show hostile names as text, and no error text or configured URL", () =>
  withSources(async ({ visit }) => {
    for (const path of ["/", "/status", "/status/incidents.atom"]) {
      const { text } = await visit(path);
      for (const leak of ["hunter2", "<img", "503", ".example/feed", "onerror=alert(1)>"]) {
        assert.ok(!text.includes(leak), `${path}: ${leak}`);
      }
      assert.doesNotMatch(text, /style="|<script>/);
    }
    assert.match(
      (await visit("/status")).text,
      /Body down &lt;img src=x onerror=alert\(1\)&gt;&quot;&#39;&amp;/,
    );
  }));

Deno.test("the status pages are in three languages", () =>
  withSources(async ({ visit }) => {
    const rows: [language: string, page: RegExp, feed: RegExp][] = [
      ["en", /Past incidents.*Body shut/s, /<title>Body down [^<]*: fetches fail<\/title>/],
      ["de", /Frühere Störungen.*Behörde shut/s, /<title>Behörde down: Abrufe schlagen fehl<\/title>/],
      ["fr", /Incidents passés.*Body shut/s, /<title>Body down [^<]*\s: échec des collectes<\/title>/],
    ];
    for (const [language, page, feed] of rows) {
      const headers = { "accept-language": language };
      assert.match((await visit("/status", { headers })).text, page);
      const { text } = await visit("/status/incidents.atom", { headers });
      assert.match(text, feed);
      assert.match(text, new RegExp(`xml:lang="${language}"`));
    }
  }));

Deno.test("the feed's ids do not change, and an entry is updated when its incident ends", () =>
  withSources(async (world) => {
    const read = async () => {
      const { text, headers } = await world.visit("/status/incidents.atom");
      assert.equal(headers.get("content-type"), "application/atom+xml; charset=utf-8");
      const entries = text.split("<entry>").map((entry) => ({
        id: /<id>(.*)<\/id>/.exec(entry)?.[1] ?? "",
        updated: /<updated>(.*)<\/updated>/.exec(entry)?.[1] ?? "",
        text: entry,
      }));
      return { feed: entries[0], entries: entries.slice(1) };
    };
    const before = await read();
    assert.match(before.feed?.id ?? "", /^tag:regfeed,2026:incidents\/inc_[0-9A-Z]{26}$/);
    assert.equal(before.entries.length, 3);
    const [down] = before.entries;
    assert.match(down?.id ?? "", /^tag:regfeed,2026:incident\/inc_[0-9A-Z]{26}$/);
    assert.match(down?.text ?? "", /It has not ended yet/);

    await world.platform.clock.advance(HOUR / 2);
    world.config.server.publicUrl = "https://elsewhere.example";
    await fetched(world, "down", -HOUR / 2);
    await world.store.reviewIncidents(
      { nowMs: START_MS + HOUR / 2, problems: [], recoveries: new Map() },
      () => world.newId("incident"),
    );
    const after = await read();
    assert.equal(after.feed?.id, before.feed?.id);
    assert.deepEqual(after.entries.map(({ id }) => id).sort(), before.entries.map(({ id }) => id).sort());
    const ended = after.entries.find(({ id }) => id === down?.id);
    assert.equal(ended?.updated, "2026-08-01T10:30:00.000Z");
    assert.match(ended?.text ?? "", /Ended 1 Aug 2026, 10:30 UTC\./);
    assert.equal(after.feed?.updated, ended?.updated);
  }));

Deno.test("[console] status decides who may see the status pages", async () => {
  const paths = ["/status", "/status/incidents.atom"];
  const statuses = async ({ visit }: World, headers = {}) =>
    await Promise.all(paths.map(async (path) => (await visit(path, { headers })).status));
  await withWorld(config(["calm"]), async (world) => {
    assert.deepEqual(await statuses(world), [200, 200]);
    assert.match((await world.visit("/")).text, /has not been fetched yet/);
  });
  await withWorld(config(["calm"], '[console]\nstatus = "off"\n'), async (world) => {
    assert.deepEqual(await statuses(world), [404, 404]);
    assert.doesNotMatch((await world.visit("/")).text, /has not been fetched yet|href="\/status"/);
  });
  await withWorld(config(["calm"], '[console]\nstatus = "signed-in"\n'), async (world) => {
    const { visit, platform, store, newId } = world;
    const { headers } = await visit("/status");
    assert.equal(headers.get("location"), "/sign-in?return_to=%2Fstatus");
    assert.doesNotMatch((await visit("/")).text, /has not been fetched yet|href="\/status"/);
    const sessions = createSessions({ ...platform, store, newId });
    const { customer } = await world.addCustomer();
    const client = { ipAddress: "127.0.0.1", userAgent: "" };
    for (
      const viewer of [
        { kind: "customer", customerId: customer.id },
        { kind: "operator", name: "root" },
      ] as const
    ) {
      const started = await sessions.start(viewer, { method: "link", client });
      assert.ok(started !== null);
      const cookie = `regfeed=${started.token}`;
      assert.deepEqual(await statuses(world, { cookie }), [200, 200]);
      assert.match((await visit("/", { headers: { cookie } })).text, /has not been fetched yet/);
    }
  });
});

Deno.test("/status is smaller than 60 kB with 500 sources, of which many have gaps", () => {
  const nowMs = START_MS;
  const outcomes: Partial<FetchDay["fetches"]>[] = [{ ok: 47, failing: 1 }, { failing: 9 }, { partial: 48 }];
  const sources = Array.from({ length: 500 }, (_, at): SourceStatus => ({
    source: {
      id: `source-${at}`,
      nameEn: `Federal Commission for Data Protection and Freedom of Information, chamber ${at}`,
      nameDe: "",
      baseUrl: `https://www.authority-${(at * 7_919) % 10_007}.example/en/`,
    },
    condition: CONDITION_ORDER[at % 50] ?? "ok",
    sinceMs: nowMs - at * 61_007,
    lastSuccessAtMs: nowMs - at * 7_919,
    lastNewAtMs: nowMs - at * 1_234_567,
  }));
  const days = sources.map(({ source }, at) => {
    const rows = Array.from({ length: 90 }, (_, back): FetchDay => {
      const isGap = (at * 7_919 + back * 104_729) % 40 === 0;
      return {
        day: dayOf(nowMs) - 89 + back,
        fetches: { ...NO_FETCHES, ...(isGap ? outcomes[(at + back) % 3] : { ok: 48 }) },
        longestGapMs: isGap ? at * 300_000 : HOUR,
        nextDueAtMs: nowMs,
      };
    });
    return [source.id, coverageDays(rows, { nowMs, count: 90, addedAtMs: null })] as const;
  });
  const call = { texts: TEXTS.de, format: formatFor("de"), language: "en", nowMs } as const;
  const { body } = statusPage({ sources, incidents: [], days: new Map(days) }, call);
  const gaps = body.text.match(/<details>/g)?.length ?? 0;
  assert.ok(gaps > 400, `${gaps} sources with gaps`);
  const { length } = new Body(body.text).gzip() ?? [];
  assert.ok(length > 0 && length < 60_000, `${length} bytes`);
});

Deno.test("stateText() describes the state in one line", () => {
  const rows: [Partial<StateSummary>, string][] = [
    [{ total: 0, upToDate: 0 }, "No sources are configured yet."],
    [{ total: 1, upToDate: 1 }, "The only source is up to date."],
    [{}, "All 34 sources are up to date."],
    [{ upToDate: 33, troubled: 1 }, "33 of 34 sources are up to date. 1 source needs attention."],
    [{ upToDate: 30, waiting: 4 }, "30 of 34 sources are up to date. 4 sources have not been fetched yet."],
    [{ areDeliveriesLate: true }, "All 34 sources are up to date. Deliveries are late."],
  ];
  for (const [change, text] of rows) {
    const summary = { total: 34, upToDate: 34, waiting: 0, troubled: 0, areDeliveriesLate: false, ...change };
    assert.equal(stateText({ ...summary, level: "good" }, TEXTS.en), text);
  }
});

Deno.test("coverageBars() draws one line for each coverage, and nothing for days before the source", () => {
  const run = (coverage: "before" | "complete" | "failed", length: number) => ({
    coverage,
    days: Array.from({ length }, () => ({ day: 0, coverage, fetches: 0, successes: 0, longestGapMs: 0 })),
  });
  const { text } = coverageBars(
    [run("before", 2), run("complete", 3), run("failed", 1), run("complete", 1)],
    "<3",
  );
  assert.equal(
    text,
    '<svg class="days" viewBox="0 0 28 24" preserveAspectRatio="none" role="img" aria-label="&lt;3">' +
      '<path class="complete" d="M8 12h12M24 12h4"/><path class="failed" d="M20 20h4"/></svg>',
  );
});
