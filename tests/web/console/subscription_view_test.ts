// What the pages of subscriptions show: states, filters in words, lists, the form and the preview.
import assert from "node:assert/strict";
import type { SubscriptionRecord } from "../../../src/web/console/subscriptions/subscription_api.ts";
import {
  bodyOf,
  filtersOf,
  formErrors,
  readHeaders,
  typedFrom,
} from "../../../src/web/console/subscriptions/subscription_input.ts";
import { estimate } from "../../../src/web/console/subscriptions/preview.ts";
import {
  filterWords,
  nameOf,
  stateOf,
  viewOfList,
} from "../../../src/web/console/subscriptions/subscription_view.ts";
import { lastDays } from "../../../src/web/console/account/usage_page.ts";
import { subscriptionRequest } from "../../../src/wire/subscription.ts";
import { EXAMPLE_SUBSCRIPTION } from "../../../src/wire/examples.ts";
import { TypedValues } from "../../../src/web/session/typed_values.ts";
import { formatFor } from "../../../src/web/texts/format.ts";
import { type Language, TEXTS } from "../../../src/web/texts/texts.ts";
import { sampleEvent } from "../../support/samples.ts";
import { aVocabulary } from "./given.ts";

const DAY = 86_400_000;
const T0 = Date.parse("2026-08-01T10:00:00Z");
const NOTHING = { topics: [], source: [], event_type: [], article: [], q: null };

function aRecord(change: Partial<SubscriptionRecord> = {}): SubscriptionRecord {
  return {
    ...EXAMPLE_SUBSCRIPTION as SubscriptionRecord,
    topics: [],
    severity_min: "info",
    name: null,
    exclude: NOTHING,
    ...change,
  };
}

Deno.test("stateOf() names why a subscription is not sending", () => {
  const rows: [Partial<SubscriptionRecord>, string][] = [
    [{ disabled_by: null, failing_since: null }, "active"],
    [{ disabled_by: null, failing_since: T0 }, "failing"],
    [{ disabled_by: "owner", failing_since: T0 }, "paused"],
    [{ disabled_by: "gone", failing_since: T0 }, "gone"],
    [{ disabled_by: "failing", failing_since: T0 }, "stopped"],
    [{ disabled_by: "key-lost", failing_since: null }, "lost"],
    [{ disabled_by: "tier", failing_since: null }, "tier"],
  ];
  for (const [change, expected] of rows) assert.equal(stateOf(aRecord(change)), expected);
});

Deno.test("filterWords() says the filters in the reader's language", () => {
  const all = aRecord({
    topics: ["gpai", "unknown"],
    source_filter: ["board"],
    severity_min: "high",
    event_type: ["guidance"],
    article: ["Art. 53", "Annex III"],
    event_language: ["de"],
    q: "model*",
    exclude: { ...NOTHING, topics: ["gpai"], q: "draft" },
  });
  const rows: [Language, SubscriptionRecord, string[]][] = [
    ["en", aRecord(), ["Every event"]],
    ["en", aRecord({ exclude: { ...NOTHING, source: ["board"] } }), [
      "Every event",
      "Without: Source: Board",
    ]],
    ["en", all, [
      "Severity: High or higher",
      "Topic: AI models or unknown",
      "Type: Guidance",
      "Article: Art. 53 or Annex III",
      "Source: Board",
      "Language: German",
      "Words: model*",
      "Without: Topic: AI models; Words: draft",
    ]],
    ["de", aRecord({ topics: ["gpai", "unknown"] }), ["Thema: KI-Modelle oder unknown"]],
    ["fr", aRecord({ topics: ["gpai", "unknown"] }), ["Thème\u202f: Modèles d’IA ou unknown"]],
  ];
  for (const [language, record, expected] of rows) {
    const said = { texts: TEXTS[language], format: formatFor(language), vocabulary: aVocabulary(language) };
    assert.deepEqual(filterWords(record, said), expected);
  }
});

Deno.test("viewOfList() shows what needs attention first, and finds by name, URL and state", () => {
  const all = Array.from({ length: 60 }, (_, at) =>
    aRecord({
      id: `sub_${at}`,
      name: at % 2 === 0 ? `Team ${at}` : null,
      webhook_url: `https://h${at}.example/x`,
      created_at: T0 + at,
      disabled_by: at === 7 ? "gone" : null,
      failing_since: at === 3 ? T0 : null,
    }));
  const ids = (query: Parameters<typeof viewOfList>[1]) => viewOfList(all, query).shown.map(({ id }) => id);
  const any = { q: "", state: null, page: 1 };
  assert.deepEqual(ids(any).slice(0, 4), ["sub_3", "sub_7", "sub_59", "sub_58"]);
  assert.deepEqual(ids({ ...any, q: "H41.example" }), ["sub_41"]);
  assert.deepEqual(ids({ ...any, q: "team 44" }), ["sub_44"]);
  assert.deepEqual(ids({ ...any, state: "gone" }), ["sub_7"]);
  assert.deepEqual(ids({ ...any, q: "nowhere" }), []);
  const pages = [1, 2, 3, 99].map((page) => {
    const { shown, newerPage, olderPage } = viewOfList(all, { ...any, page });
    return [shown.length, newerPage, olderPage];
  });
  assert.deepEqual(pages, [[25, null, 2], [25, 1, 3], [10, 2, null], [10, 2, null]]);
});

Deno.test("nameOf() is the name, or the host", () => {
  assert.equal(nameOf(aRecord({ name: "Team" })), "Team");
  assert.equal(nameOf(aRecord({ webhook_url: "https://a.example:8443/x" })), "a.example:8443");
  assert.equal(nameOf(aRecord({ webhook_url: "nonsense" })), "nonsense");
});

Deno.test("the form has every field of the API's request, and a record survives the way through it", () => {
  const record = aRecord({
    name: "Team",
    note: "one\ntwo",
    topics: ["gpai"],
    source_filter: ["board"],
    severity_min: "high",
    event_type: ["guidance", "opinion"],
    article: ["Art. 53", "Annex III"],
    event_language: ["de"],
    q: "model*",
    exclude: { topics: ["high-risk"], source: ["x"], event_type: ["other"], article: ["Art. 5"], q: "draft" },
    language: "de",
  });
  const body = bodyOf(typedFrom(record));
  const shape = Object.keys(subscriptionRequest.shape);
  assert.deepEqual(
    Object.keys(body).sort(),
    shape.filter((name) => !/^(headers|backfill_since)$/.test(name)).sort(),
  );
  for (const [name, value] of Object.entries(body)) {
    assert.deepEqual(value, record[name as keyof SubscriptionRecord], name);
  }
  assert.deepEqual(filtersOf(typedFrom(aRecord())).severity_min, "info");
  assert.equal(bodyOf(new TypedValues([{ name: "note", value: " a\r\nb " }]))["note"], "a\nb");
});

Deno.test("readHeaders() reads a header per line", () => {
  const rows: [text: string, headers: Record<string, string> | null, errors: number][] = [
    ["", null, 0],
    ["\r\n \n", null, 0],
    ["Authorization: Bearer a:b", { Authorization: "Bearer a:b" }, 0],
    ["A: 1\r\nB:2", { A: "1", B: "2" }, 0],
    ["A: 1\na: 2", { A: "1" }, 1],
    ["nonsense\n: x\nA:", null, 3],
  ];
  for (const [text, headers, errors] of rows) {
    const read = readHeaders(text, TEXTS.en);
    assert.deepEqual([read.headers, read.errors.length], [headers, errors], text);
  }
  assert.deepEqual(Object.keys(readHeaders("__proto__: x", TEXTS.en).headers ?? {}), ["__proto__"]);
  assert.deepEqual(formErrors([{ field: "headers.Host", message: "is set by HTTP" }]), [
    { field: "headers", message: "Host is set by HTTP" },
  ]);
});

Deno.test("estimate() extends the rate of what was read to four weeks, without what is excluded", () => {
  const at = (daysAgo: number, topics: string[] = []) =>
    sampleEvent({ id: `evt_${daysAgo}`, published_at: T0 - daysAgo * DAY, topics });
  const { topics } = aVocabulary();
  const rows: [what: string, events: ReturnType<typeof at>[], isWhole: boolean, inFourWeeks: number][] = [
    ["nothing", [], true, 0],
    ["older ones do not count", [at(1), at(27), at(29), at(400)], true, 2],
    ["a busy week is extended", Array.from({ length: 14 }, (_, index) => at(index / 2)), false, 60],
    ["all that exists is not extended", [at(0), at(7)], true, 2],
    ["what is excluded does not count", [at(1, ["gpai"]), at(2)], true, 1],
  ];
  for (const [what, events, isWhole, expected] of rows) {
    const exclude = { ...NOTHING, topics: ["gpai"] };
    assert.equal(estimate(events, { exclude, topics, nowMs: T0, isWhole }).inFourWeeks, expected, what);
  }
  const many = Array.from({ length: 9 }, (_, index) => at(index));
  const { last } = estimate(many, { exclude: NOTHING, topics, nowMs: T0, isWhole: true });
  assert.deepEqual(last, many.slice(0, 5));
});

Deno.test("lastDays() has an entry for each of 30 days, today's requests as counted now", () => {
  const days = lastDays(
    [
      { day: "2026-07-31", requests: 5, deliveries: 2 },
      { day: "2026-08-01", requests: 1, deliveries: 3 },
    ],
    9,
    T0,
  );
  assert.equal(days.length, 30);
  assert.equal(days[0]?.day, "2026-07-03");
  assert.deepEqual(days.slice(-3), [
    { day: "2026-07-30", requests: 0, deliveries: 0 },
    { day: "2026-07-31", requests: 5, deliveries: 2 },
    { day: "2026-08-01", requests: 9, deliveries: 3 },
  ]);
});
