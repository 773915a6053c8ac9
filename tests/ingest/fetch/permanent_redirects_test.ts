// When permanent redirects are adopted, and when they stop being followed.
import assert from "node:assert/strict";
import { fillWindow } from "../../../src/domain/source/extraction_rules.ts";
import type { SourceMove } from "../../../src/domain/source/source.ts";
import {
  ADOPTED_AFTER_MS,
  adoptedAddress,
  decideMoves,
  movedTemplate,
  type PermanentRedirects,
} from "../../../src/ingest/fetch/permanent_redirects.ts";
import { ingestBoard, storedEvents, withSources } from "../../support/collecting.ts";
import { boardConfig } from "../../support/samples.ts";

const OLD = "https://old.example/feed";
const NEW = "https://new.example/feed";
const DAY_MS = 86_400_000;
const T0 = Date.UTC(2026, 7, 1);

const toNew = { kind: "moved", to: NEW } as const;
const none = { kind: "none" } as const;
type Found = typeof none | { kind: "moved"; to: string } | { kind: "unknown" | "failed" };

const seen = (before: readonly SourceMove[], found: Found, nowMs: number) =>
  decideMoves(before, [{ address: OLD, ...found } as PermanentRedirects], nowMs);

Deno.test("decideMoves() adopts a permanent redirect after it has been the same for days", () => {
  const first = seen([], toNew, T0);
  assert.deepEqual(first, [{ from: OLD, url: NEW, sinceMs: T0, adoptedAtMs: null }]);
  assert.equal(adoptedAddress(first, OLD), null);
  const later = seen(first, toNew, T0 + ADOPTED_AFTER_MS - 1);
  assert.deepEqual(later, first);
  const adopted = seen(later, toNew, T0 + ADOPTED_AFTER_MS);
  assert.equal(adoptedAddress(adopted, OLD), NEW);
  const last = seen(adopted, none, T0 + 9 * ADOPTED_AFTER_MS);
  assert.deepEqual(last, adopted, "the new URL does not redirect");
});

Deno.test("decideMoves() starts again if the redirect changes or ends, or the clock was set back", () => {
  const first = seen([], toNew, T0);
  const [other] = seen(first, { kind: "moved", to: "https://other.example/" }, T0 + ADOPTED_AFTER_MS);
  assert.deepEqual([other?.sinceMs, other?.adoptedAtMs], [T0 + ADOPTED_AFTER_MS, null]);
  assert.deepEqual(seen(first, none, T0 + 1), []);
  assert.equal(seen(first, toNew, T0 - 1)[0]?.sinceMs, T0 - 1);
});

Deno.test("decideMoves() ignores temporary redirects and failures", () => {
  const first = seen([], toNew, T0);
  for (const kind of ["unknown", "failed"] as const) {
    const between = seen(first, { kind }, T0 + 1);
    assert.deepEqual(between, first, kind);
    const adopted = seen(between, toNew, T0 + ADOPTED_AFTER_MS);
    assert.equal(adoptedAddress(adopted, OLD), NEW, kind);
  }
});

Deno.test("an adopted redirect applies to its configured URL only, and ends with the first failure", () => {
  const adopted: SourceMove = { from: OLD, url: NEW, sinceMs: T0, adoptedAtMs: T0 + ADOPTED_AFTER_MS };
  assert.equal(adoptedAddress([adopted], NEW), null);
  assert.deepEqual(decideMoves([adopted], [{ address: NEW, kind: "none" }], T0), []);
  assert.deepEqual(seen([adopted], { kind: "failed" }, T0), []);
});

Deno.test("each URL of a source has its own redirect", () => {
  const french = "https://old.example/fr";
  const first = decideMoves([], [{ address: OLD, ...toNew }, { address: french, kind: "none" }], T0);
  const later = decideMoves(first, [
    { address: OLD, ...toNew },
    { address: french, kind: "moved", to: "https://new.example/fr" },
  ], T0 + ADOPTED_AFTER_MS);
  assert.deepEqual([adoptedAddress(later, OLD), adoptedAddress(later, french)], [NEW, null]);
});

Deno.test("movedTemplate() moves a URL template, unless the redirect is specific to one request", () => {
  const day = "https://old.example/api/day/{since:yyyyMMdd}";
  const query = "https://old.example/api?from={since}&text=a b&to={until}";
  const encoded = "https://old.example/api?from=%7Bsince%7D";
  const rows: [template: string, to: string, expected: string | null][] = [
    ["https://old.example/api", "https://new.example/x", "https://new.example/x"],
    [day, "https://new.example/v2/day/20260801", "https://new.example/v2/day/{since:yyyyMMdd}"],
    [day, "https://old.example/api/day/20260801", day],
    [day, "https://new.example/v2/today", null],
    [day, "https://new.example/v2/x20260801", null],
    [query, "https://new.example/api?from=2026-08-01&text=a%20b&to=2026-08-02", query.replace("old", "new")],
    [query, "https://new.example/api", null],
    [encoded, "https://new.example/api?from=2026-08-01", "https://new.example/api?from=%7Bsince%7D"],
  ];
  const window = { sinceMs: Date.UTC(2026, 7, 1), untilMs: Date.UTC(2026, 7, 2) };
  for (const [template, to, expected] of rows) {
    const standing = movedTemplate({ kind: "moved", to }, template, (text) => fillWindow(text, window));
    assert.deepEqual(standing, expected === null ? { kind: "unknown" } : { kind: "moved", to: expected }, to);
  }
  for (const kind of ["none", "unknown", "failed"] as const) {
    assert.deepEqual(movedTemplate({ kind }, day, (text) => text), { kind });
  }
});

/** Strategies that build URLs from a template. The site redirects them permanently to another host. */
const TEMPLATED: Record<string, { source: string; at: string; item(url: URL): unknown }> = {
  "json by days": {
    source: `fetch_strategy = "json"\n[sources.json]\nitems = ""\nid = "id"\ntitle = "title"\n` +
      `link = "https://board.example/{id}"\nfirst_days = 1\nwindow_days = 1\noverlap_days = 1`,
    at: "https://board.example/day/{since}",
    item: (url) => ({ id: url.pathname.slice(-10), title: "Act" }),
  },
  sparql: {
    source:
      `fetch_strategy = "sparql"\n[sources.sparql]\nquery = "select ?id ?title { {since} {until} }"\nid = "id"\n` +
      `title = "title"\nlink = "https://board.example/{id}"\nfirst_days = 1\noverlap_days = 1`,
    at: "https://board.example/sparql",
    item: (url) => ({
      head: { vars: ["id", "title"] },
      results: {
        bindings: [{ id: { value: /\d{4}-\d\d-\d\d/.exec(url.search)?.[0] }, title: { value: "Act" } }],
      },
    }),
  },
};

for (const [what, { source, at, item }] of Object.entries(TEMPLATED)) {
  Deno.test(`${what}: a permanent redirect is adopted after three days, and its days change`, () =>
    withSources(
      boardConfig({ source: `relevance = "all"\n${source}` }).replace("https://board.example/feed", at),
      async (world) => {
        const { http, clock } = world.platform;
        http.serve("https://board.example", ({ url }) => ({
          status: 308,
          headers: { location: `https://new.example${url.pathname}${url.search}` },
        }));
        http.serve("https://new.example", ({ url }) => ({ body: JSON.stringify(item(url)) }));
        const requestedHosts = async (): Promise<string[]> => {
          http.requests.length = 0;
          const report = await ingestBoard(world);
          assert.equal(report.ok, true, report.error);
          await clock.advance(DAY_MS);
          return [...new Set(http.requests.map(({ url }) => new URL(url).hostname))];
        };
        const both = ["board.example", "new.example"];
        for (let days = 0; days < 4; days++) assert.deepEqual(await requestedHosts(), both);
        assert.deepEqual(await requestedHosts(), ["new.example"]);
        const stored = await storedEvents(world);
        assert.ok(stored.some((event) => event.external_id >= "2026-08-03"), "later days are requested");
        http.serve("https://new.example", () => ({ status: 500 }));
        http.serve("https://board.example", ({ url }) => ({ body: JSON.stringify(item(url)) }));
        assert.equal((await ingestBoard(world)).ok, false);
        assert.deepEqual(await requestedHosts(), ["board.example"], "the first failure ends the redirect");
      },
    ));
}
