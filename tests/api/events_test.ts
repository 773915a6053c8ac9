// Events in the API: filters, paging, versions, and invalid parameters.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import type { RegEvent } from "../../src/domain/event/event.ts";
import type { Severity } from "../../src/domain/event/severity.ts";
import { eventList, eventResponse } from "../../src/wire/event.ts";
import { eventVersions } from "../../src/wire/versions.ts";
import { boardConfig, SAMPLE_PROVENANCE, sampleEvent } from "../support/samples.ts";
import { type Reply, START_MS, withCustomer, type World } from "../support/world.ts";
import { assertFields, type Json, nextPath } from "./given.ts";

const FIRST = "evt_00000000000000000000000000";

const withWorld = (work: (world: World, key: string) => Promise<void>) =>
  withCustomer(`[tiers.team]\napi_requests_per_day = 1_000_000\n${boardConfig()}`, async (world, key) => {
    const sources = ["board", "other"].map((id) => ({ id, host: null, schedule: "", nextRunAtMs: START_MS }));
    await world.store.registerSources(sources, START_MS);
    await work(world, key);
  });

async function store(world: World, changes: readonly Partial<RegEvent>[]): Promise<RegEvent[]> {
  const events = changes.map((change) => sampleEvent({ id: world.newId("event"), ...change }));
  for (const event of events) {
    const publication = { key: event.external_id, contentHash: event.id };
    await world.store.recordPublications(event.source_id, [publication], () => ({
      kind: "record",
      event,
      provenance: SAMPLE_PROVENANCE,
      notify: false,
    }));
  }
  return events;
}

const idsOf = ({ json }: Reply): string[] => json.events.map((event: RegEvent) => event.id);

/** Stores versions of one publication. Returns their ids. */
async function storeVersions(
  world: World,
  count: number,
  change: (at: number) => Partial<RegEvent>,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => world.newId("event"));
  const link = (at: number) => at === 0 ? {} : { supersedes: ids[at - 1] as string };
  await store(
    world,
    ids.map((id, at) => ({ id, external_id: "a", version: at + 1, ...link(at), ...change(at) })),
  );
  return ids;
}

async function pagesFrom(world: World, key: string, path: string): Promise<Json[]> {
  const pages: Json[] = [];
  for (let next: string | null = path; next !== null;) {
    const reply: Reply = await world.ask(next, { key });
    assert.equal(reply.status, 200, reply.text);
    pages.push(reply.json);
    next = nextPath(reply);
  }
  return pages;
}

Deno.test("GET /v1/events lists the newest first, with count and disclaimer", () =>
  withWorld(async (world, key) => {
    const [a, b, c] = await store(world, [
      { published_at: START_MS - 2_000 },
      { published_at: START_MS },
      { published_at: START_MS - 2_000 },
    ]);
    const reply = await world.ask("/v1/events", { key });
    assert.equal(reply.status, 200);
    assert.deepEqual(idsOf(reply), [b?.id, c?.id, a?.id], "equal times by descending id");
    assert.equal(reply.json.count, 3);
    assert.match(reply.json.disclaimer, /not legal advice/);
    eventList.parse(reply.json);
    assert.deepEqual(reply.json.events[0], b);
  }));

Deno.test("GET /v1/events applies every filter, alone and together", () =>
  withWorld(async (world, key) => {
    const severities: Severity[] = ["info", "low", "medium", "high", "critical"];
    const events = await store(
      world,
      severities.map((severity, index) => ({
        severity,
        published_at: START_MS + index,
        topics: [index % 2 === 0 ? "gpai" : "transparency"],
        source_id: index < 3 ? "board" : "other",
        event_type: index === 1 ? "consultation" : "guidance",
        ai_act_articles: index === 0 ? ["Art. 50(2)"] : ["Art. 5"],
        language_versions: index === 4 ? ["de"] : ["en"],
        title_en: index === 2 ? "Les d\u00e9cisions" : index === 3 ? "Les de\u0301cisions" : "Notice",
      })),
    );
    const rows: [query: string, expected: number[]][] = [
      ["", [4, 3, 2, 1, 0]],
      ["limit=2", [4, 3]],
      [`since=${START_MS + 2}`, [4, 3, 2]],
      [`until=${START_MS + 1}`, [1, 0]],
      [`since=${new Date(START_MS + 2).toISOString()}`, [4, 3, 2]],
      [`since=${new Date(START_MS).toISOString().slice(0, 10)}`, [4, 3, 2, 1, 0]],
      [`until=${new Date(START_MS).toISOString().slice(0, 10)}`, [4, 3, 2, 1, 0]],
      [`since=${START_MS + 2}&until=${START_MS + 2}`, [2]],
      // Valid times before all events.
      ["since=0", [4, 3, 2, 1, 0]],
      ["since=-1", [4, 3, 2, 1, 0]],
      ["since=999999999", [4, 3, 2, 1, 0]],
      ["source=board", [2, 1, 0]],
      ["source=other,board", [4, 3, 2, 1, 0]],
      ["severity_min=high", [4, 3]],
      ["topics=gpai", [4, 2, 0]],
      ["topics=gpai,transparency", [4, 3, 2, 1, 0]],
      ["topics=gpai&topics=transparency", [4, 3, 2, 1, 0]],
      ["topics=gpai,education&topics=gpai,education&limit=2", [4, 2]],
      ["topics=gpai-family", [4, 2, 0]],
      ["topics=education", []],
      ["event_type=consultation", [1]],
      ["event_type=consultation,guidance", [4, 3, 2, 1, 0]],
      ["article=50", [0]],
      ["article=Art. 50,Art. 5", [4, 3, 2, 1, 0]],
      ["language=de", [4]],
      ["language=de,en", [4, 3, 2, 1, 0]],
      ["q=d\u00e9cisions", [3, 2]],
      ["q=DE\u0301CISIONS les", [3, 2]],
      ["q=decision", []],
      ["q=NEAR(notice)", []],
      ["q=-notice*", [4, 1, 0]],
      ["q=deci*", [3, 2]],
      ['q="les decisions"', [3, 2]],
      ['q="decisions les"', []],
      [`since=${START_MS + 1}&source=board&severity_min=low&topics=gpai`, [2]],
    ];
    for (const [query, expected] of rows) {
      const reply = await world.ask(`/v1/events?${query}`, { key });
      assert.equal(reply.status, 200, `${query} ${reply.text}`);
      assert.deepEqual(idsOf(reply), expected.map((index) => events[index]?.id), query);
    }
  }));

Deno.test("GET /v1/events names every invalid parameter", () =>
  withWorld(async (world, key) => {
    const [event] = await store(world, [{}]);
    const cursors = [world.newId("event"), `evt_7${"Z".repeat(25)}`, (event?.id ?? "").toLowerCase()];
    const values: [name: string, ...values: string[]][] = [
      ["limit", ..."0 201 ten 1e2 05 +5 %2B5 %205 5%20 5.0 0x5 -5 \u0665".split(" "), "", "5&limit=6"],
      ["since", ..."-0 00 --1 yesterday 99999999999999999 1785542400 2026-02-30".split(" "), ""],
      ["until", "x", "1_000"],
      ["severity_min", "HIGH"],
      ["topics", "nonsense", "", "gpai,,transparency", "%00"],
      ["source", "nobody"],
      ["sorce", "board"],
      ["q", ..."a%00b a%0ab %zz 100% a%ED%A0%80 %22*%22 %22a a* no*".split(" "), "", "a ".repeat(11)],
      ["event_type", "news", "guidance,news"],
      ["article", "GDPR", "Art. 50 GDPR", "Art. 200", "Annex XV", "Recital 181", "Art. 50,Art. 114(1)"],
      ["language", "english", "xx", "EN", "eng", "en,xx"],
      ["latest", "yes"],
      ["before", "evt_x", FIRST, ...cursors],
      ["as_of", "7", FIRST, ...cursors],
      ["after", ...cursors],
    ];
    const rows: [query: string, fields: string[]][] = [
      ...values.flatMap(([name, ...values]) =>
        values.map((value): [string, string[]] => [`${name}=${value}`, [name]])
      ),
      ["limit=0&since=x&foo=1", ["foo", "limit", "since"]],
      ["since=2026-08-02&until=2026-08-01", ["since"]],
      ["q=%ff&limit=0", ["limit", "q"]],
      ["%zz=1", ["%zz"]],
      ["=5", ["query"]],
      ["=5&=6", ["query"]],
      [
        "latest=true&latest=true&source=board&source=&topics=gpai&topics=&event_type=guidance&event_type=news",
        [
          "latest",
          "source",
          "topics",
          "event_type",
        ],
      ],
      [`topics=gpai&topics=${"education,".repeat(50)}${Array.from({ length: 51 }, (_, at) => at)}`, [
        "topics",
      ]],
      ["language=en&language=%ff", ["language"]],
      ["sorce=a&sorce=b", ["sorce"]],
      ["__proto__=1&constructor=2", ["__proto__", "constructor"]],
      [`before=${event?.id}&after=${event?.id}`, ["after"]],
      [
        "severity_min=urgent&topics=foo&article=zzz&language=DE&foo=1&before=x&q=%22",
        ["severity_min", "foo", "topics", "article", "language", "q", "before"],
      ],
    ];
    for (const [query, fields] of rows) {
      const reply = await world.ask(`/v1/events?${query}`, { key });
      assertFields(reply, 400, fields, query);
      assert.equal(reply.json.code, "invalid_input", query);
    }
  }));

Deno.test("an error quotes an unknown value, and suggests the known one that was probably meant", () =>
  withWorld(async (world, key) => {
    const long = "x".repeat(200);
    const rows: [path: string, detail: string | RegExp][] = [
      [
        "events?topics=gpia",
        'topics: "gpia" is not a topic; did you mean "gpai"? GET /v1/topics lists all topics',
      ],
      ["events?topics=sports", 'topics: "sports" is not a topic; GET /v1/topics lists all topics'],
      [
        "events?source=borad",
        'source: "borad" is not a source; did you mean "board"? GET /v1/sources lists the sources',
      ],
      [
        "events?severity_min=HIGH",
        'severity_min: must be one of info, low, medium, high, critical, not "HIGH"; did you mean "high"?',
      ],
      [
        "events?event_type=guidance,guideance",
        /^event_type: must be one or more of legislation, .*, other, separated by commas, not "guideance"; did you mean "guidance"\?$/,
      ],
      ["events?sorce=board", /^sorce: is not a known parameter; did you mean source\? known: limit, since, /],
      ["events?language=xx", 'language: "xx" is not an ISO 639-1 code in lower case, such as en'],
      [
        `events?topics=${long}`,
        `topics: "${"x".repeat(100)}…" is not a topic; GET /v1/topics lists all topics`,
      ],
      [
        "deliveries?status=faild",
        "status: must be one or more of pending, delivered, failed, held, cancelled, separated by commas, not " +
        '"faild"; did you mean "failed"?',
      ],
      ["deliveries?subscription=sub_1", 'subscription: "sub_1" is not the id of a subscription of yours'],
    ];
    for (const [path, detail] of rows) {
      const reply = await world.ask(`/v1/${path}`, { key });
      assert.equal(reply.status, 400, path);
      if (typeof detail === "string") assert.equal(reply.json.detail, detail);
      else assert.match(reply.json.detail, detail);
    }
  }));

Deno.test("a response names at most fifty invalid fields, and the number of others", () =>
  withWorld(async (world, key) => {
    const query = Array.from({ length: 1_000 }, (_, index) => `x${index}`).join("&");
    const reply = await world.ask(`/v1/events?${query}`, { key });
    assert.equal(reply.status, 400);
    assert.equal(reply.json.errors.length, 50);
    assert.match(reply.json.detail, /; and 950 more$/);
  }));

Deno.test("GET /v1/events/{id} returns the event, and 404 for any other id", () =>
  withWorld(async (world, key) => {
    const [event] = await store(world, [{}]);
    const reply = await world.ask(`/v1/events/${event?.id}`, { key });
    assert.equal(reply.status, 200);
    eventResponse.parse(reply.json);
    assert.deepEqual(reply.json.event, event);
    assert.deepEqual(reply.json.provenance, SAMPLE_PROVENANCE);
    for (const id of [world.newId("event"), "evt_", "x", "%2e%2e", "evt_%00"]) {
      const missing = await world.ask(`/v1/events/${id}`, { key });
      assert.equal(missing.status, 404, id);
      assert.equal(missing.json.code, "not_found", id);
    }
  }));

Deno.test("GET /v1/events can be paged as the specification says, with the smallest published_at minus 1 as since", () =>
  withWorld(async (world, key) => {
    await store(world, Array.from({ length: 5 }, (_, index) => ({ published_at: START_MS + index })));
    const page = await world.ask("/v1/events?limit=3", { key });
    const smallest = Math.min(...page.json.events.map((event: RegEvent) => event.published_at));
    const next = await world.ask(`/v1/events?limit=200&since=${smallest - 1}`, { key });
    assert.equal(next.status, 200);
    assert.deepEqual(idsOf(next).slice(0, 3), idsOf(page), "no event of the page is lost");
  }));

const someEvent = fc.record({
  // Few distinct values, so that many events have the same time.
  published_at: fc.integer({ min: START_MS, max: START_MS + 3 }),
  source_id: fc.constantFrom("board", "other"),
});

const someHappening = fc.record({ event: someEvent, revises: fc.option(fc.nat(), { nil: null }) });

async function storeHappenings(
  world: World,
  known: RegEvent[],
  happenings: readonly { event: Partial<RegEvent>; revises: number | null }[],
): Promise<void> {
  for (const { event, revises } of happenings) {
    const revised = revises === null ? undefined : known[revises % known.length];
    const change = revised === undefined ? event : {
      ...event,
      source_id: revised.source_id,
      external_id: revised.external_id,
      version: 1 + known.filter((other) => other.external_id === revised.external_id).length,
    };
    known.push(...await store(world, [change]));
  }
}

const newestFirst = (events: readonly RegEvent[]): RegEvent[] =>
  [...events].sort((a, b) => b.published_at - a.published_at || (a.id < b.id ? 1 : -1));

/** Returns the events of "board" in list order. With `latest`, only the newest version of each publication. */
function listed(events: readonly RegEvent[], latest: boolean): RegEvent[] {
  const own = events.filter(({ source_id }) => source_id === "board");
  return newestFirst(latest ? [...new Map(own.map((event) => [event.external_id, event])).values()] : own);
}

/** What is published before the first page and after each page, and the size of a page. */
const someWalk = fc.tuple(
  fc.array(someHappening, { minLength: 1, maxLength: 20 }),
  fc.array(fc.array(someHappening, { maxLength: 3 }), { maxLength: 12 }),
  fc.integer({ min: 1, max: 4 }),
);

/** Follows `Link` from a path, and stores more events after each page. Returns the events of all pages. */
async function walk(
  world: World,
  { key, path: first, stored, meanwhile }: {
    key: string;
    path: string;
    stored: RegEvent[];
    meanwhile: readonly (readonly { event: Partial<RegEvent>; revises: number | null }[])[];
  },
): Promise<RegEvent[]> {
  const rest = [...meanwhile];
  const walked: RegEvent[] = [];
  for (let path: string | null = first; path !== null;) {
    const page = await world.ask(path, { key });
    assert.equal(page.status, 200, page.text);
    walked.push(...page.json.events);
    path = nextPath(page);
    await storeHappenings(world, stored, rest.shift() ?? []);
  }
  return walked;
}

for (const latest of [false, true]) {
  Deno.test(`Link neither loses nor repeats an event while events are stored and revised (latest=${latest})`, () =>
    fc.assert(
      fc.asyncProperty(someWalk, ([before, meanwhile, limit]) =>
        withWorld(async (world, key) => {
          const stored: RegEvent[] = [];
          await storeHappenings(world, stored, before);
          const expected = listed(stored, latest);
          const path = `/v1/events?limit=${limit}&source=board&latest=${latest}`;
          const walked = await walk(world, { key, path, stored, meanwhile });
          assert.deepEqual(walked, newestFirst(walked), "in order");
          assert.equal(new Set(walked.map(({ id }) => id)).size, walked.length, "no event twice");
          // Without `latest`, events that were stored in the meantime may be included.
          const ids = new Set(expected.map(({ id }) => id));
          assert.deepEqual(latest ? walked : walked.filter(({ id }) => ids.has(id)), expected);
          const now = await world.ask(`/v1/events?latest=${latest}&limit=200&source=board`, { key });
          assert.deepEqual(now.json.events, listed(stored, latest), "a new walk has the new versions");
        })),
      { numRuns: 50 },
    ));
}

Deno.test("`after` returns every event once, in the order in which they were stored", () =>
  withWorld(async (world, key) => {
    const stored: RegEvent[] = [];
    const polled: string[] = [];
    let after = FIRST;
    const poll = async (): Promise<number> => {
      const ids = idsOf(await world.ask(`/v1/events?limit=3&after=${after}`, { key }));
      polled.push(...ids);
      after = ids.at(-1) ?? after;
      return ids.length;
    };
    for (const count of [2, 0, 5, 1, 4]) {
      const dates = Array.from({ length: count }, (_, at) => ({ published_at: START_MS - 1_000 * at }));
      stored.push(...await store(world, dates));
      await poll();
    }
    while (await poll() > 0);
    assert.deepEqual(polled, stored.map(({ id }) => id));
  }));

Deno.test("latest=true lists only the newest version of each publication", () =>
  withWorld(async (world, key) => {
    const [one, two, three] = [1, 2, 3].map(() => world.newId("event"));
    assert.ok(one && two && three);
    await store(world, [
      { id: one, external_id: "a", title_en: "First" },
      { id: three, external_id: "b" },
      { id: two, external_id: "a", version: 2, supersedes: one, title_en: "Second" },
    ]);
    const ids = async (query: string) => idsOf(await world.ask(`/v1/events?${query}`, { key }));
    assert.deepEqual(await ids("latest=true"), [three, two]);
    assert.deepEqual(await ids("latest=false"), [three, two, one]);
    assert.deepEqual(await ids(`latest=true&after=${one}`), [three, two]);

    for (const id of [one, two]) {
      const reply = await world.ask(`/v1/events/${id}/versions`, { key });
      assert.equal(reply.status, 200);
      eventVersions.parse(reply.json);
      assert.deepEqual(reply.json.versions.map((row: { event: RegEvent }) => row.event.id), [one, two]);
      assert.equal(reply.json.versions[0].diff_to_previous, null);
      assert.deepEqual(reply.json.versions[1].diff_to_previous.changes, [
        { field: "title_en", before: "First", after: "Second" },
      ]);
    }
    assert.equal((await world.ask(`/v1/events/${world.newId("event")}/versions`, { key })).status, 404);
  }));

Deno.test("the versions of a publication are listed in pages of 100, the latest first, each with the diff to the previous one", () =>
  withWorld(async (world, key) => {
    const ids = await storeVersions(world, 203, (at) => ({ title_en: `Version ${at + 1}` }));
    const pages = await pagesFrom(world, key, `/v1/events/${ids[0]}/versions`);
    assert.equal(pages.length, 3);
    for (const [at, [from, to]] of [[103, 203], [3, 103], [0, 3]].entries()) {
      const { count, versions } = eventVersions.parse(pages[at]);
      assert.equal(count, versions.length);
      assert.deepEqual(versions.map(({ event }) => event.id), ids.slice(from, to));
      assert.equal(versions[0]?.diff_to_previous?.previous_id, ids[from! - 1]);
    }
    for (const before of [ids[0], world.newId("event"), FIRST, (ids[1] ?? "").toLowerCase(), "x"]) {
      const versions = (id = "") => world.ask(`/v1/events/${id}/versions?before=${before}`, { key });
      assertFields(await versions(ids[1]), 400, ["before"]);
      assert.equal((await versions(world.newId("event"))).status, 404);
    }
  }));

Deno.test("a page with long versions contains fewer of them, and the others are on the next pages", () =>
  withWorld(async (world, key) => {
    const ids = await storeVersions(world, 5, (at) => ({ summary_en: `${at} `.repeat(200_000) }));
    const pages = await pagesFrom(world, key, `/v1/events/${ids[0]}/versions`);
    const sizes = pages.map((page) => eventVersions.parse(page).count);
    assert.ok(sizes.every((size) => size < 5), String(sizes));
    assert.equal(sizes.reduce((sum, size) => sum + size), 5);
  }));

Deno.test("an unknown cursor, as after a restore from a backup, gets 400 and advice on how to continue", () =>
  withWorld(async (world, key) => {
    await store(world, [{}]);
    const rows: [field: string, message: RegExp][] = [
      [
        "after",
        /restored from a backup, continue with an older id that you have, or start with (evt_0{26}) /,
      ],
      ["before", /restored from a backup, start again from the first page$/],
    ];
    for (const [field, said] of rows) {
      const reply = await world.ask(`/v1/events?${field}=${world.newId("event")}`, { key });
      assert.equal(reply.status, 400);
      assert.match(reply.json.errors[0].message, said);
      const [, first] = said.exec(reply.json.errors[0].message) ?? [];
      if (first === undefined) continue;
      const begun = await world.ask(`/v1/events?${field}=${first}`, { key });
      assert.deepEqual([begun.status, begun.json.count], [200, 1]);
    }
    const malformed = await world.ask("/v1/events?after=evt_x", { key });
    assert.equal(malformed.json.errors[0].message, '"evt_x" is not a valid event id');
  }));

Deno.test("GET /v1/events/count counts the matching events, up to 1,000, and takes the filters of the list", async () => {
  await withWorld(async (world, key) => {
    const count = async (query: string) => (await world.ask(`/v1/events/count${query}`, { key })).json;
    assert.deepEqual([(await count("")).count, (await count("")).exact], [0, true]);
    const old = (at: number): Partial<RegEvent> => ({ topics: at < 3 ? ["gpai"] : [], external_id: `${at}` });
    const events = await store(world, Array.from({ length: 1_000 }, (_, at) => old(at)));
    await store(world, [{ external_id: "0", version: 2, topics: ["gpai"], supersedes: events[0]?.id ?? "" }]);
    const rows: [query: string, count: number, exact: boolean][] = [
      ["", 1_000, false],
      ["?latest=true", 1_000, true],
      ["?topics=gpai", 4, true],
      ["?topics=gpai&latest=true", 3, true],
      [`?topics=gpai&after=${events[1]?.id}`, 2, true],
    ];
    for (const [query, expected, exact] of rows) {
      const found = await count(query);
      assert.deepEqual([found.count, found.exact], [expected, exact], query);
    }
    const wrong = await world.ask("/v1/events/count?topics=nope&limit=1", { key });
    assertFields(wrong, 400, ["limit", "topics"]);
  });
});
