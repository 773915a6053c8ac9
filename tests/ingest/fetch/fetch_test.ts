// Fetches of feeds and folders: what is requested and read, and which failures are reported.
import assert from "node:assert/strict";
import type { SourceSettings } from "../../../src/domain/source/source.ts";
import { fetchDocuments } from "../../../src/ingest/fetch/fetch.ts";
import { FetchError, type Known } from "../../../src/ingest/fetch/fetch_types.ts";
import { fetchOptions, sampleSource } from "../../support/collecting.ts";
import { type Answer, fakePlatform } from "../../support/platform.ts";

const NOW = Date.parse("2026-08-01T10:00:00Z");
const WHOLE = { isWhole: true, refused: new Set<string>() };
const FEED = "https://board.example/feed.xml";

const known = (cursor: string | null): Known => ({ cursor, moves: [], fingerprintOf: () => undefined });
const NEW = known(null);
const FOLDER = sampleSource({ fetchStrategy: "files", location: "/inbox" });
const readAll = async (fetched: Awaited<ReturnType<typeof fetchDocuments>>) => {
  const documents = [];
  for (const { read } of fetched.documents) {
    const document = await read();
    if (document === null) continue;
    const { name, url, bytes } = document;
    documents.push({ name, url, text: new TextDecoder().decode(bytes) });
  }
  return documents;
};
const reasonOf = async (work: Promise<unknown>): Promise<FetchError> => {
  const error = await work.then(() => assert.fail("nothing was refused"), (error) => error);
  assert.ok(error instanceof FetchError, String(error));
  return error;
};

Deno.test("fetchDocuments() fetches a feed, and later requests it conditionally", async () => {
  const platform = fakePlatform(NOW);
  platform.http.serve(
    FEED,
    ({ headers }) =>
      headers["if-none-match"] === '"1"'
        ? { status: 304 }
        : { headers: { etag: '"1"', "last-modified": "Sat, 01 Aug 2026 09:00:00 GMT" }, body: "<rss/>" },
  );
  const first = await fetchDocuments(sampleSource(), NEW, fetchOptions(platform));
  assert.deepEqual(await readAll(first), [{ name: FEED, url: FEED, text: "<rss/>" }]);
  const second = await fetchDocuments(sampleSource(), known(first.cursor(WHOLE)), fetchOptions(platform));
  assert.deepEqual(await readAll(second), []);
  assert.equal(second.cursor(WHOLE), first.cursor(WHOLE), "the validators are kept after a 304");
  assert.deepEqual(
    platform.http.requests.map(({ headers }) => [
      headers["user-agent"],
      headers["if-none-match"],
      headers["if-modified-since"],
    ]),
    [["Regfeed/test", undefined, undefined], ["Regfeed/test", '"1"', "Sat, 01 Aug 2026 09:00:00 GMT"]],
  );
});

Deno.test("fetchDocuments() requests unconditionally after a change of URL, relevance or time zone", async () => {
  const platform = fakePlatform(NOW);
  platform.http.serve("https://board.example", () => ({ headers: { etag: '"1"' }, body: "<rss/>" }));
  const cursor = (await fetchDocuments(sampleSource(), NEW, fetchOptions(platform))).cursor(WHOLE);
  const changes: Partial<SourceSettings>[] = [
    { location: `${FEED}?all` },
    { relevance: "ai" },
    { timezone: "Europe/Berlin" },
  ];
  for (const change of changes) {
    await fetchDocuments(sampleSource(change), known(cursor), fetchOptions(platform));
    assert.equal(platform.http.requests.at(-1)?.headers["if-none-match"], undefined, JSON.stringify(change));
  }
});

Deno.test("fetchDocuments() returns the reason if there is no document", async () => {
  const redirect = (location: string): Answer => ({ status: 302, headers: { location } });
  const rows: [name: string, answer: Answer, expected: RegExp][] = [
    ["500", { status: 500, body: "x" }, /^responded with 500$/],
    ["empty", {}, /^responded with an empty body$/],
    ["too long", { body: "x".repeat(1_001) }, /^the document has more than 1000 bytes$/],
    ["loop", redirect(FEED), /^more than 5 redirects$/],
    ["no location", { status: 302 }, /^responded with 302 without a valid Location$/],
    ["bad location", redirect("http://["), /without a valid Location$/],
    ["file", redirect("file:///etc/passwd"), /^redirects to file:/],
    ["http", redirect("http://board.example"), /^redirects from https to http/],
  ];
  for (const [name, answer, expected] of rows) {
    const platform = fakePlatform(NOW);
    platform.http.serve(FEED, () => answer);
    const error = await reasonOf(fetchDocuments(sampleSource(), NEW, fetchOptions(platform)));
    assert.match(error.message, expected, name);
  }
  const unknown = await reasonOf(fetchDocuments(sampleSource(), NEW, fetchOptions(fakePlatform(NOW))));
  assert.equal(unknown.message, "host name not found (board.example)");
  const elsewhere = fakePlatform(NOW);
  elsewhere.http.serve(FEED, () => ({ status: 301, headers: { location: "https://gone.example/feed" } }));
  const moved = await reasonOf(fetchDocuments(sampleSource(), NEW, fetchOptions(elsewhere)));
  assert.equal(moved.message, "host name not found (gone.example)", "the host that failed");
});

Deno.test("fetchDocuments() reads the files of a folder oldest first, and later only changed files", async () => {
  const platform = fakePlatform(NOW);
  platform.files.write("/inbox/b.xml", "old", NOW - 60_000);
  platform.files.write("/inbox/a.xml", "new", NOW - 30_000);
  const first = await fetchDocuments(FOLDER, NEW, fetchOptions(platform));
  assert.deepEqual((await readAll(first)).map(({ name, url, text }) => [name, url, text]), [
    ["b.xml", null, "old"],
    ["a.xml", null, "new"],
  ]);
  const second = await fetchDocuments(FOLDER, known(first.cursor(WHOLE)), fetchOptions(platform));
  assert.deepEqual(await readAll(second), []);
  platform.files.write("/inbox/b.xml", "changed", NOW - 10_000);
  const third = await fetchDocuments(FOLDER, known(second.cursor(WHOLE)), fetchOptions(platform));
  assert.deepEqual((await readAll(third)).map(({ text }) => text), ["changed"]);
});

Deno.test("fetchDocuments() rereads a file that was written less than 2 s ago", async () => {
  const platform = fakePlatform(NOW);
  platform.files.write("/inbox/a.xml", "half", NOW - 100);
  const first = await fetchDocuments(FOLDER, NEW, fetchOptions(platform));
  platform.files.write("/inbox/a.xml", "full", NOW - 100);
  const second = await fetchDocuments(FOLDER, known(first.cursor(WHOLE)), fetchOptions(platform));
  assert.deepEqual((await readAll(second)).map(({ text }) => text), ["full"]);
});

Deno.test("fetchDocuments() reads unchanged bytes once, even if the file is touched, restored or temporarily unreadable", async () => {
  const platform = fakePlatform(NOW);
  let cursor: string | null = null;
  const fetch = async () => {
    const fetched = await fetchDocuments(FOLDER, known(cursor), fetchOptions(platform));
    const texts: string[] = [];
    for (const { read } of fetched.documents) {
      try {
        const document = await read();
        if (document !== null) texts.push(new TextDecoder().decode(document.bytes));
      } catch (error) {
        assert.ok(error instanceof FetchError);
        texts.push(error.message);
      }
    }
    cursor = fetched.cursor(WHOLE);
    return texts;
  };
  platform.files.write("/inbox/a.xml", "old", NOW - 60_000);
  platform.files.write("/inbox/b.xml", "new", NOW - 50_000);
  assert.deepEqual(await fetch(), ["old", "new"]);
  platform.files.write("/inbox/a.xml", "old", NOW - 10_000);
  assert.deepEqual(await fetch(), [], "touched");
  platform.files.write("/inbox/a.xml", "old", NOW);
  assert.deepEqual([await fetch(), await fetch()], [[], []], "touched a moment ago");
  platform.files.spoil("/inbox/a.xml", "permission denied");
  assert.deepEqual(await fetch(), [], "unreadable");
  platform.files.remove("/inbox/a.xml");
  platform.files.write("/inbox/a.xml", "old", NOW - 5_000);
  assert.deepEqual(await fetch(), [], "readable again");
  platform.files.write("/inbox/a.xml", "x".repeat(1_001), NOW - 4_000);
  assert.deepEqual(await fetch(), ["the file has more than 1000 bytes"]);
  assert.deepEqual(await fetch(), ["the file has more than 1000 bytes"], "at every fetch");
  platform.files.write("/inbox/a.xml", "old", NOW - 3_000);
  assert.deepEqual(await fetch(), [], "the earlier bytes");
  platform.files.write("/inbox/a.xml", "newer", NOW - 3_000);
  assert.deepEqual(await fetch(), ["newer"]);
});

Deno.test("fetchDocuments() reports the timeout of a response", async () => {
  const platform = fakePlatform(NOW);
  platform.http.serve(FEED, () => new Promise(() => {}));
  const reason = reasonOf(
    fetchDocuments(sampleSource(), NEW, { ...fetchOptions(platform), timeoutMs: 3_000 }),
  );
  await new Promise((resolve) => setTimeout(resolve));
  await platform.clock.advance(3_000);
  assert.equal((await reason).message, "no complete response within 3 s");
});
