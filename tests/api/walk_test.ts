// Tests of src/api/walk.ts.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { EVENT_TYPES, type RegEvent } from "../../src/domain/event/event.ts";
import { SEVERITIES, severityRank } from "../../src/domain/event/severity.ts";
import { eventVersions } from "../../src/wire/versions.ts";
import { boardConfig, SAMPLE_PROVENANCE, sampleEvent } from "../support/samples.ts";
import { START_MS, withCustomer, type World } from "../support/world.ts";

const BIG_TIER = "[tiers.team]\napi_requests_per_day = 1_000_000\n";
const FIRST = "evt_00000000000000000000000000";
const TOPICS = ["gpai", "transparency", "education"];

const withWorld = (work: (world: World, key: string) => Promise<void>) =>
  withCustomer(BIG_TIER + boardConfig(), async (world, key) => {
    await world.store.registerSources(
      ["board", "other"].map((id) => ({ id, host: null, schedule: "", nextRunAtMs: START_MS })),
      START_MS,
    );
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

/** The path of the next page, null on the last one. */
function nextPath(headers: Headers): string | null {
  const link = /^<http:\/\/127\.0\.0\.1:8080(.*)>; rel="next"$/.exec(headers.get("link") ?? "");
  return link?.[1] ?? null;
}

const someEvent = fc.record({
  // Few values, so that many events share one moment.
  published_at: fc.integer({ min: START_MS, max: START_MS + 3 }),
  severity: fc.constantFrom(...SEVERITIES),
  event_type: fc.constantFrom(...EVENT_TYPES.slice(0, 3)),
  topics: fc.uniqueArray(fc.constantFrom(...TOPICS), { maxLength: 2 }),
  source_id: fc.constantFrom("board", "other"),
  ai_act_articles: fc.uniqueArray(fc.constantFrom("Art. 5(1)(f)", "Art. 5", "Art. 50(2)", "Annex III"), {
    maxLength: 2,
  }),
  language_versions: fc.constantFrom<string[]>(["en"], ["de"], ["en", "fr"]),
  title_en: fc.constantFrom("Règles for models", "Notice on models", "Notice"),
});

const someFilter = fc.record({
  since: fc.integer({ min: START_MS - 1, max: START_MS + 4 }),
  until: fc.integer({ min: START_MS - 1, max: START_MS + 4 }),
  severity_min: fc.constantFrom(...SEVERITIES),
  topics: fc.uniqueArray(fc.constantFrom(...TOPICS), { minLength: 1, maxLength: 2 }),
  event_type: fc.uniqueArray(fc.constantFrom(...EVENT_TYPES.slice(0, 3)), { minLength: 1, maxLength: 2 }),
  source: fc.constantFrom("board", "other"),
  article: fc.uniqueArray(fc.constantFrom("Art. 5", "Art. 5(1)", "Art. 50", "Annex III"), {
    minLength: 1,
    maxLength: 2,
  }),
  language: fc.uniqueArray(fc.constantFrom("en", "de", "fr"), { minLength: 1, maxLength: 2 }),
  q: fc.constantFrom("regles", "NOTICE models", "models"),
}, { requiredKeys: [] });
type Filter = typeof someFilter extends fc.Arbitrary<infer Value> ? Value : never;

/** Most leave enough for several pages. */
const someWalk = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Filter>({}) },
  { weight: 2, arbitrary: someFilter.map(({ q, source, since }): Filter => defined({ q, source, since })) },
  { weight: 1, arbitrary: someFilter },
);

const defined = (filter: { [Name in keyof Filter]?: Filter[Name] | undefined }): Filter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));

/** What the filters mean, said plainly. */
function passes(event: RegEvent, filter: Filter): boolean {
  const words = event.title_en.toLowerCase().replace("è", "e").split(" ");
  return (filter.since === undefined || event.published_at >= filter.since) &&
    (filter.until === undefined || event.published_at <= filter.until) &&
    (filter.source === undefined || event.source_id === filter.source) &&
    (filter.severity_min === undefined ||
      severityRank(event.severity) >= severityRank(filter.severity_min)) &&
    (filter.topics === undefined || filter.topics.some((topic) => event.topics.includes(topic))) &&
    (filter.event_type === undefined || filter.event_type.includes(event.event_type)) &&
    (filter.language === undefined ||
      filter.language.some((code) => event.language_versions.includes(code))) &&
    (filter.article === undefined ||
      filter.article.some((article) =>
        event.ai_act_articles.some((reference) =>
          reference === article || reference.startsWith(`${article}(`)
        )
      )) &&
    (filter.q === undefined || filter.q.toLowerCase().split(" ").every((word) => words.includes(word)));
}

const toSearch = (filter: Filter): string =>
  new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)])).toString();

const newestFirst = (events: readonly RegEvent[]): RegEvent[] =>
  [...events].sort((a, b) => b.published_at - a.published_at || (a.id < b.id ? 1 : -1));

Deno.test("every combination of filters gives what it says, in both orders", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(someEvent, { maxLength: 25 }),
      fc.array(someFilter, { minLength: 5, maxLength: 8 }),
      (changes, filters) =>
        withWorld(async (world, key) => {
          const events = await store(world, changes);
          for (const filter of filters) {
            const wanted = events.filter((event) => passes(event, filter));
            const listed = await world.ask(`/v1/events?limit=200&${toSearch(filter)}`, { key });
            assert.equal(listed.status, 200, listed.text);
            assert.deepEqual(listed.json.events, newestFirst(wanted), toSearch(filter));
            const stored = await world.ask(`/v1/events?limit=200&after=${FIRST}&${toSearch(filter)}`, {
              key,
            });
            assert.deepEqual(stored.json.events, wanted, toSearch(filter));
          }
        }),
    ),
    { numRuns: 60 },
  ));

Deno.test("Link rel=next loses and repeats nothing while events arrive, however many share one moment", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(someEvent, { minLength: 1, maxLength: 20 }),
      fc.array(fc.array(someEvent, { maxLength: 2 }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      someWalk,
      (changes, arrivals, limit, filter) =>
        withWorld(async (world, key) => {
          const before = await store(world, changes);
          const arriving = [...arrivals];
          const walked: RegEvent[] = [];
          let path: string | null = `/v1/events?limit=${limit}&${toSearch(filter)}`;
          while (path !== null) {
            const page = await world.ask(path, { key });
            assert.equal(page.status, 200, page.text);
            walked.push(...page.json.events);
            path = nextPath(page.headers);
            if (path !== null) assert.equal(page.json.count, limit, "a page with a next one is full");
            await store(world, arriving.shift() ?? []);
          }
          const ids = walked.map(({ id }) => id);
          assert.equal(new Set(ids).size, ids.length, "nothing twice");
          const wanted = newestFirst(before.filter((event) => passes(event, filter)));
          assert.deepEqual(walked.filter((event) => wanted.some(({ id }) => id === event.id)), wanted);
          assert.deepEqual(walked, newestFirst(walked), "in order");
        }),
    ),
    { numRuns: 60 },
  ));

/** Something that happens between two pages: a publication appears, or one of those before is revised. */
const someHappening = fc.record({ event: someEvent, revises: fc.option(fc.nat(), { nil: null }) });

/** The events as they are stored; a revision is the next version of the publication that it revises. */
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

/** The newest version of each publication. */
const newestVersions = (events: readonly RegEvent[]): RegEvent[] => [
  ...new Map(events.map((event) => [event.external_id, event])).values(),
];

Deno.test("a walk by Link with latest=true gives the list as it was at its first page, whatever is revised meanwhile", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(someHappening, { minLength: 1, maxLength: 20 }),
      fc.array(fc.array(someHappening, { maxLength: 3 }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      someWalk,
      (before, meanwhile, limit, filter) =>
        withWorld(async (world, key) => {
          const stored: RegEvent[] = [];
          await storeHappenings(world, stored, before);
          const wanted = newestFirst(newestVersions(stored).filter((event) => passes(event, filter)));
          const happening = [...meanwhile];
          const walked: RegEvent[] = [];
          let path: string | null = `/v1/events?latest=true&limit=${limit}&${toSearch(filter)}`;
          while (path !== null) {
            const page = await world.ask(path, { key });
            assert.equal(page.status, 200, page.text);
            walked.push(...page.json.events);
            path = nextPath(page.headers);
            await storeHappenings(world, stored, happening.shift() ?? []);
          }
          assert.deepEqual(walked, wanted);
          const now = await world.ask(`/v1/events?latest=true&limit=200&${toSearch(filter)}`, { key });
          const newest = newestVersions(stored).filter((event) => passes(event, filter));
          assert.deepEqual(now.json.events, newestFirst(newest), "a new walk begins with what is new");
        }),
    ),
    { numRuns: 80 },
  ));

Deno.test("after gives a poller every event once, in the order of storing, whatever their dates", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(someEvent, { maxLength: 4 }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      someFilter,
      (arrivals, limit, filter) =>
        withWorld(async (world, key) => {
          const stored: RegEvent[] = [];
          const polled: RegEvent[] = [];
          let after = FIRST;
          const poll = async (): Promise<number> => {
            const page = await world.ask(`/v1/events?limit=${limit}&after=${after}&${toSearch(filter)}`, {
              key,
            });
            assert.equal(page.status, 200, page.text);
            polled.push(...page.json.events);
            after = page.json.events.at(-1)?.id ?? after;
            return page.json.count;
          };
          for (const changes of arrivals) {
            stored.push(...await store(world, changes));
            await poll();
          }
          while (await poll() > 0);
          assert.deepEqual(polled, stored.filter((event) => passes(event, filter)));
        }),
    ),
    { numRuns: 60 },
  ));

Deno.test("latest=true lists only the newest version of each publication", () =>
  withWorld(async (world, key) => {
    const [one, two, three] = [1, 2, 3].map(() => world.newId("event"));
    assert.ok(one && two && three);
    await store(world, [
      { id: one, external_id: "a", title_en: "First" },
      { id: three, external_id: "b" },
      { id: two, external_id: "a", version: 2, supersedes: one, title_en: "Second" },
    ]);
    const ids = async (query: string): Promise<string[]> => {
      const { json } = await world.ask(`/v1/events?${query}`, { key });
      return json.events.map((event: RegEvent) => event.id);
    };
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

Deno.test("The versions of a publication are pages of 100, the latest first, each compared with the one before", () =>
  withWorld(async (world, key) => {
    const ids = Array.from({ length: 203 }, () => world.newId("event"));
    await store(
      world,
      ids.map((id, at) => ({
        ...{ id, external_id: "a", version: at + 1, title_en: `Version ${at + 1}` },
        ...(at === 0 ? {} : { supersedes: ids[at - 1] as string }),
      })),
    );
    let path: string | null = `/v1/events/${ids[0]}/versions`;
    for (const [from, to] of [[103, 203], [3, 103], [0, 3]] as const) {
      assert(path !== null);
      const { json, headers } = await world.ask(path, { key });
      eventVersions.parse(json);
      assert.equal(json.count, to - from);
      assert.deepEqual(json.versions.map((row: { event: RegEvent }) => row.event.id), ids.slice(from, to));
      assert.equal(json.versions[0].diff_to_previous?.previous_id, ids[from - 1]);
      const next = /^<(.*)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
      path = next === undefined ? null : next.slice(new URL(next).origin.length);
    }
    assert.equal(path, null);
    for (const before of [ids[0], world.newId("event"), "x"]) {
      const refused = await world.ask(`/v1/events/${ids[1]}/versions?before=${before}`, { key });
      assert.deepEqual([refused.status, refused.json.errors[0].field], [400, "before"]);
      const unknown = await world.ask(`/v1/events/${world.newId("event")}/versions?before=${before}`, {
        key,
      });
      assert.equal(unknown.status, 404);
    }
  }));

Deno.test("A page of long versions is short, and the others are on the next pages", () =>
  withWorld(async (world, key) => {
    const ids = Array.from({ length: 5 }, () => world.newId("event"));
    await store(
      world,
      ids.map((id, at) => ({
        ...{ id, external_id: "a", version: at + 1, summary_en: `${at} `.repeat(200_000) },
        ...(at === 0 ? {} : { supersedes: ids[at - 1] as string }),
      })),
    );
    const sizes: number[] = [];
    for (let path: string | null = `/v1/events/${ids[0]}/versions`; path !== null;) {
      const { json, headers } = await world.ask(path, { key });
      eventVersions.parse(json);
      sizes.push(json.count);
      const before = /[?&](before=[^>&]*)>/.exec(headers.get("link") ?? "")?.[1];
      path = before === undefined ? null : `/v1/events/${ids[0]}/versions?${before}`;
    }
    assert.ok(sizes.length > 1 && sizes.every((size) => size < 5), String(sizes));
    assert.equal(sizes.reduce((sum, size) => sum + size), 5);
  }));

Deno.test("q finds a word however its accents are written", () =>
  withWorld(async (world, key) => {
    await store(world, [
      { title_en: "Les d\u00e9cisions", external_id: "composed" },
      { title_en: "Les de\u0301cisions", external_id: "decomposed" },
      { title_en: "Les conseils", external_id: "neither" },
    ]);
    for (const word of ["d\u00e9cisions", "de\u0301cisions", "decisions", "DE\u0301CISIONS"]) {
      const reply = await world.ask(`/v1/events?q=${encodeURIComponent(word)}`, { key });
      assert.equal(reply.json.count, 2, JSON.stringify(word));
    }
    for (const part of ["decision", "conseil", "décis"]) {
      const reply = await world.ask(`/v1/events?q=${encodeURIComponent(part)}`, { key });
      assert.equal(reply.json.count, 0, `${part} is no whole word`);
    }
  }));

Deno.test("a walk from an event that a restored service does not have is told how to go on, and can", () =>
  withWorld(async (world, key) => {
    await store(world, [{}]);
    const rows: [field: string, message: RegExp][] = [
      [
        "after",
        /restored from a backup, continue with an older id that you have, or start with (evt_0{26}) /,
      ],
      ["before", /restored from a backup, start again at the first page$/],
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
    assert.equal(malformed.json.errors[0].message, "is not a valid event id");
  }));

Deno.test("GET /v1/events answers 400 to what is no filter of it", () =>
  withWorld(async (world, key) => {
    const [event] = await store(world, [{}]);
    const rows: [query: string, fields: string[]][] = [
      ["until=x", ["until"]],
      ["event_type=news", ["event_type"]],
      ["event_type=guidance,news", ["event_type"]],
      ["article=GDPR", ["article"]],
      ["article=Art. 50 GDPR", ["article"]],
      ["language=english", ["language"]],
      ["q=", ["q"]],
      ["q=%22*%22", ["q"]],
      [`q=${"a ".repeat(11)}`, ["q"]],
      ["latest=yes", ["latest"]],
      ["before=evt_x", ["before"]],
      ["as_of=7", ["as_of"]],
      [`as_of=${world.newId("event")}`, ["as_of"]],
      [`after=${world.newId("event")}`, ["after"]],
      [`before=${event?.id}&after=${event?.id}`, ["after"]],
      ["severity_min=urgent&topics=foo&article=zzz&language=DE&foo=1&before=x&q=%22", [
        "severity_min",
        "foo",
        "topics",
        "article",
        "language",
        "q",
        "before",
      ]],
    ];
    for (const [query, fields] of rows) {
      const reply = await world.ask(`/v1/events?${query}`, { key });
      assert.equal(reply.status, 400, `${query} ${reply.text}`);
      assert.deepEqual(reply.json.errors.map((error: { field: string }) => error.field), fields, query);
    }
    for (
      const query of [
        "q=Art%20%22guidelines",
        "q=-guidelines",
        "q=guidelines*",
        "q=NEAR(guidelines)",
        "article=50",
      ]
    ) {
      assert.equal((await world.ask(`/v1/events?${query}`, { key })).status, 200, query);
    }
  }));
