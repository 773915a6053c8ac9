// `event show` and `source test --why`, as an operator uses them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { regfeed, regfeedJson, withConfig, writeConfig } from "../../support/process.ts";
import { INBOX_SOURCE } from "../../support/samples.ts";

const ADDITIONS = `
[[topics]]
id = "museums"
name_en = "Museums"
keywords_en = ["museum*"]
parent = "rights-family"

[[severity_rules]]
severity = "critical"
why = "museums are ours"
topics = ["museums"]
`;

const item = (summary: string): string =>
  `<rss version="2.0"><channel><language>en</language>
<item><guid>1</guid><link>https://board.example/1</link><category>News</category>
<title>Guidelines on Article 50 of the AI Act for museums</title><description>${summary}</description>
<pubDate>Fri, 31 Jul 2026 12:00:00 GMT</pubDate></item>
<item><guid>2</guid><link>https://board.example/2</link><title>Summer opening hours</title></item></channel></rss>`;

async function write(folder: string, name: string, text: string): Promise<void> {
  await Deno.mkdir(join(folder, "inbox"), { recursive: true });
  await Deno.writeTextFile(join(folder, "inbox", name), text);
}

// deno-lint-ignore no-explicit-any -- the tests check its fields
const json = (folder: string, ...args: string[]): Promise<any> => regfeedJson(folder, args);

async function eventId(folder: string): Promise<string> {
  const { items } = await json(folder, "source", "test", "inbox");
  const recorded = items.find((one: { event?: { supersedes: string | null } }) => one.event !== undefined);
  return recorded?.event.supersedes;
}

Deno.test("event show prints an event, its versions and provenance, and with --why the reasons", () =>
  withConfig(INBOX_SOURCE, async (folder) => {
    await write(folder, "a.xml", item("How to label pictures."));
    await json(folder, "ingest");
    await write(folder, "b.xml", item("How to label pictures and sound."));
    const id = await eventId(folder);
    await json(folder, "ingest", "inbox");

    const shown = await json(folder, "event", "show", id);
    assert.equal(shown.event.id, id);
    assert.equal(shown.provenance.document, "a.xml");
    assert.deepEqual(shown.versions.map((one: { version: number }) => one.version), [1, 2]);
    assert.equal(shown.why, undefined);
    assert.equal(shown.versions[0].diff_to_previous, null);
    assert.deepEqual(shown.versions[1].diff_to_previous.changes, [{
      field: "summary_en",
      before: "How to label pictures.",
      after: "How to label pictures and sound.",
    }]);

    const plain = await regfeed(folder, `event show ${id}`);
    assert.equal(plain.code, 0, plain.stderr);
    for (
      const line of [
        /^evt_/,
        /^ {2}version +1 of 2$/m,
        /^ {2}severity +low$/m,
        /^ {2}articles +Art\. 50$/m,
        /^ {2}How to label pictures\.$/m,
        new RegExp(`^\\* +1 ${id} \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC `, "m"),
        new RegExp(`^ {2}deliveries +.regfeed delivery list --event ${id}.$`, "m"),
        /^ {6}Summary changed\n {6}- summary_en: How to label pictures\.\n {6}\+ summary_en: How to label pictures and/m,
        /^ {2}document +a\.xml$/m,
        /^ {2}HTTP status +none: a file$/m,
        /^ {2}rules +\d+$/m,
      ]
    ) assert.match(plain.stdout, line);
    assert.doesNotMatch(plain.stdout, /^why/m);

    const why = await regfeed(folder, `event show ${id} --why`);
    assert.match(why.stdout, /^reasons, by rules \d+$/m);
    assert.match(why.stdout, /^ {2}event_type +guidance: [^[]*\[guidelines/m);
    assert.match(why.stdout, /^ {2}ai_act_articles +Art\. 50: .* \[Article 50\]$/m);
    assert.doesNotMatch(why.stdout, /What\s+is\s+stored\s+stays/);
  }));

Deno.test("an event has its source's name, and only the date if the source states no time", () => {
  const source = `${INBOX_SOURCE}timezone = "Europe/Berlin"\n`;
  const dated = (summary: string, date: string) => item(summary).replace(/(?<=<pubDate>)[^<]+/, date);
  return withConfig(source, async (folder) => {
    await write(folder, "a.xml", dated("How to label pictures.", "2026-07-31"));
    await json(folder, "ingest");
    await write(folder, "a.xml", dated("How to label pictures.", "2026-07-31T09:30:00+02:00"));
    assert.equal((await json(folder, "ingest", "inbox")).sources[0].revised, 0, "the time was added");
    await writeConfig(folder, source.replace('"Inbox"', '"New inbox"'));
    await write(folder, "b.xml", dated("How to label pictures and sound.", "2026-08-01"));
    const id = await eventId(folder);
    const preview = await regfeed(folder, "source test inbox");
    assert.match(preview.stdout, /^revised +2026-08-01 {2,}/m);
    await json(folder, "ingest", "inbox");

    const first = await json(folder, "event", "show", id);
    const { published_at, published_at_precision, published_on } = first.event;
    assert.equal(new Date(published_at).toISOString(), "2026-07-30T22:00:00.000Z");
    assert.deepEqual([published_at_precision, published_on], ["date", "2026-07-31"]);
    const next = await json(folder, "event", "show", first.versions[1].id);
    assert.deepEqual([first.event.source, next.event.source], [
      { id: "inbox", name: "Inbox" },
      { id: "inbox", name: "New inbox" },
    ]);
    const { stdout } = await regfeed(folder, `event show ${id}`);
    assert.match(stdout, /^ {2}source +Inbox \(inbox\)$/m);
    assert.match(stdout, /^ {2}published +2026-07-31$/m);
    assert.match(stdout, /^ {6}- published_at: 2026-07-31\n {6}\+ published_at: 2026-08-01$/m);
  });
});

Deno.test("event show --why compares stored values with those of changed rules", () =>
  withConfig(INBOX_SOURCE, async (folder) => {
    await write(folder, "a.xml", item("How to label pictures."));
    await json(folder, "ingest");
    await write(folder, "b.xml", item("How to label pictures and sound."));
    const id = await eventId(folder);
    const before = await json(folder, "event", "show", id);
    await writeConfig(folder, INBOX_SOURCE + ADDITIONS);

    const { why, ...shown } = await json(folder, "event", "show", id, "--why");
    assert.deepEqual(shown, before);
    assert.match(why.stored_rules_version, /^\d+$/);
    assert.match(why.rules_version, /^\d+\+[0-9a-f]{8}$/);
    assert.equal(why.same_rules, false);
    assert.equal(why.today.severity, "critical");
    assert.ok(why.today.topics.includes("museums"));
    const reason = why.reasons.find((one: { field: string }) => one.field === "severity");
    assert.deepEqual([reason.why, reason.words], ["museums are ours", ["museums"]]);

    const { stdout } = await regfeed(folder, `event show ${id} --why`);
    assert.match(
      stdout,
      /classified by version \d+ of the rules;\s+the\s+current\s+version\s+is\s+\d+\+[0-9a-f]{8}\./,
    );
    assert.match(stdout, /Stored\s+values\s+do\s+not\s+change/);
    assert.match(stdout, /^ {2}severity +low → critical$/m);
    assert.match(stdout, /^ {2}event_type +guidance \(unchanged\)$/m);
  }));

Deno.test("source test --why prints the reasons for each item, including skipped ones", () =>
  withConfig(INBOX_SOURCE + ADDITIONS, async (folder) => {
    await write(folder, "a.xml", item("How to label pictures."));
    const { stdout, code } = await regfeed(folder, "source test inbox --why");
    assert.equal(code, 0);
    assert.match(stdout, /^new .*\n {4}relevant +true: /m);
    assert.match(stdout, /^ {4}severity +critical: museums are ours \[museums\]$/m);
    assert.match(stdout, /^skipped .*\n {4}relevant +false: it does not mention AI\n1 new, /m);
    const { items } = await json(folder, "source", "test", "inbox", "--why");
    assert.deepEqual(
      items.map((
        one: { outcome: string; reasons: { field: string }[] },
      ) => [one.outcome, one.reasons.length > 3]),
      [["new", true], ["passed over", false]],
    );
    const plain = await json(folder, "source", "test", "inbox");
    assert.equal(plain.items[0].reasons, undefined);
  }));

Deno.test("event show --why says what the config sets, and why a cited article is omitted", () =>
  withConfig(`${INBOX_SOURCE}languages = ["de"]\nrelevance = "all"\n`, async (folder) => {
    const text = item("See Article 6 GDPR.").replace("<language>en</language>", "")
      .replace("https://board.example/1", "http://board.example/1")
      .replace("Guidelines on Article 50 of the AI Act", "KI: Article 50, Artikel 7");
    await write(folder, "a.xml", text.replace("<guid>1</guid>", ""));
    const { sources: [{ new: added }] } = await json(folder, "ingest");
    assert.equal(added, 2);
    const { stdout, code } = await regfeed(folder, "event show http://board.example/1 --why");
    assert.equal(code, 0);
    assert.doesNotMatch(stdout, /https:|^ {2}publication/m);
    assert.match(stdout, /^ {2}languages +de \(from the config\)$/m);
    assert.match(stdout, /^ {2}language +\w+: .*configured for the source/m);
    assert.match(
      stdout,
      /^ {2}ai_act_articles +not Art\. 50: cited, but the text does not name the AI Act\s+\[Article 50\]$/m,
    );
    const withId = await regfeed(folder, "event show https://board.example/2");
    assert.match(withId.stdout, /^ {2}publication +2$/m);
  }));
