// The feed's query: what the URL says is what the API gets.
import assert from "node:assert/strict";
import { eventsQuery } from "../../../src/api/input/event_query.ts";
import { parametersOf } from "../../../src/http/request_url.ts";
import {
  apiQuery,
  FEED_FILTERS,
  FEED_PAGING,
  feedUrl,
  needsCleanUrl,
  nextPage,
  previousPage,
  readFeedQuery,
  subscribeUrl,
  withFilters,
} from "../../../src/web/console/feed/feed_query.ts";
import { FORM_FIELDS } from "../../../src/web/console/subscriptions/subscription_input.ts";
import { TypedValues } from "../../../src/web/session/typed_values.ts";

const typed = (address: string) => new TypedValues(parametersOf(address));
const read = (address: string) => readFeedQuery(typed(address));
const id = (digit: string) => `evt_${digit.repeat(26)}`;

Deno.test("the feed has every parameter of GET /v1/events, under the same name", () => {
  const own = [...Object.keys(FEED_FILTERS), ...FEED_PAGING];
  assert.deepEqual(own.sort(), Object.keys(eventsQuery.shape).sort());
});

Deno.test("a URL of the feed and the query for the API say the same", () => {
  const rows: [url: string, query: Record<string, string>][] = [
    ["/console", {}],
    ["/console?topics=gpai,transparency&latest=true", { topics: "gpai,transparency", latest: "true" }],
    ["/console?q=%22high+risk%22&since=2026-08-01", { q: '"high risk"', since: "2026-08-01" }],
    ["/console?article=Art.+53(1),Annex+III&limit=25", { article: "Art. 53(1),Annex III", limit: "25" }],
    [
      `/console?language=de&before=${id("1")}&as_of=${id("2")}`,
      { language: "de", before: id("1"), as_of: id("2") },
    ],
    ["/console?q=a%26b%3Dc%3Cscript%3E%C3%A4", { q: "a&b=c<script>ä" }],
  ];
  for (const [url, query] of rows) {
    assert.deepEqual(apiQuery(read(url)), query, url);
    assert.equal(feedUrl(read(url)), url);
    assert.equal(needsCleanUrl(typed(url)), false);
  }
});

Deno.test("what a form sends gets a clean URL", () => {
  const rows: [sent: string, clean: string][] = [
    ["/console?q=&topics=gpai&topics=gpai-risk&since=", "/console?topics=gpai,gpai-risk"],
    ["/console?q=&since=", "/console"],
    ["/console?topics=a&topics=a", "/console?topics=a"],
  ];
  for (const [sent, clean] of rows) {
    assert.equal(needsCleanUrl(typed(sent)), true, sent);
    assert.equal(feedUrl(read(sent)), clean);
  }
  assert.deepEqual(read("/console?utm_source=x").unknown, ["utm_source"]);
});

Deno.test("a filter that is changed leads to the first page; the number of events is kept", () => {
  const query = read(`/console?topics=a,b&q=x&limit=25&before=${id("1")}&trail=${id("2")}`);
  assert.equal(feedUrl(withFilters(query, { topics: ["b"] })), "/console?topics=b&q=x&limit=25");
  assert.equal(feedUrl(withFilters(query, { q: [] })), "/console?topics=a,b&limit=25");
});

Deno.test("the filters of the feed fill the form of a subscription, without those of time", () => {
  const rows: [feed: string, form: string | null][] = [
    [
      "/console?topics=gpai,b&severity_min=high&since=2026-01-01&source=x&language=de&latest=true",
      "/console/subscriptions/new?topics=gpai,b&severity_min=high&source_filter=x&event_language=de",
    ],
    ["/console?since=2026-01-01&latest=true", null],
  ];
  for (const [feed, form] of rows) {
    const url = subscribeUrl(read(feed));
    assert.equal(url, form);
    for (const [name] of typed(url ?? "").entries()) {
      assert.ok(FORM_FIELDS.some((field) => field === name), name);
    }
  }
});

Deno.test("the links to older and newer pages lead back to the page they came from", () => {
  const first = read("/console?latest=true");
  assert.equal(previousPage(first), null);
  const second = nextPage(first, { latest: "true", before: id("1"), as_of: id("9") });
  const third = nextPage(second, { before: id("2"), as_of: id("9") });
  assert.equal(
    feedUrl(third),
    `/console?latest=true&before=${id("2")}&as_of=${id("9")}&trail=${id("1")}`,
  );
  const back = previousPage(read(feedUrl(third)));
  assert.equal(back === null ? null : feedUrl(back), feedUrl(second));
  const start = previousPage(second);
  assert.equal(start === null ? null : feedUrl(start), "/console?latest=true");
  let page = first;
  for (let number = 0; number < 20; number++) page = nextPage(page, { before: id(String(number % 10)) });
  assert.ok(feedUrl(page).length < 500, "the trail is short");
  const arrivals = nextPage(read(`/console?after=${id("1")}`), { after: id("2") });
  assert.equal(feedUrl(arrivals), `/console?after=${id("2")}`);
});
