// The command line ingests recorded feeds of official bodies, if the recordings are present.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "node:sqlite";
import type { RegEvent } from "../../src/domain/event/event.ts";
import type { IngestReport } from "../../src/ingest/ingest.ts";
import { regfeedJson, withFolder, writeConfig } from "../support/process.ts";
import { needs, present } from "../support/needs.ts";

const FIXTURES = fileURLToPath(new URL("../../../shared/fixtures", import.meta.url));

const FEEDS: readonly { id: string; file: string; timezone: string }[] = [
  { id: "press-corner", file: "ec-press-corner/ec_presscorner_2026-07-28.xml", timezone: "Europe/Brussels" },
  { id: "ftc", file: "ftc/ftc_press_release_competition_2026-07-28.xml", timezone: "America/New_York" },
  { id: "fca", file: "fca/fca_news_2026-07-28.xml", timezone: "Europe/London" },
  { id: "eba", file: "eba/eba_rss_2026-08-01.xml", timezone: "Europe/Paris" },
  { id: "ecb", file: "ecb/ecb_press_2026-08-01.xml", timezone: "Europe/Berlin" },
  { id: "finma", file: "finma/finma_news_2026-08-01.xml", timezone: "Europe/Zurich" },
  { id: "doj", file: "doj/justice_gov_2026-08-01.xml", timezone: "America/New_York" },
  { id: "gao", file: "gao/gao_reports_2026-08-01.xml", timezone: "America/New_York" },
  { id: "cfpb", file: "cfpb/cfpb_newsroom_2026-08-01.xml", timezone: "America/New_York" },
  { id: "wto", file: "wto/wto_latest_2026-08-01.xml", timezone: "Europe/Zurich" },
  { id: "ons", file: "ons/ons_release_calendar_2026-08-01.xml", timezone: "Europe/London" },
  { id: "riksbank", file: "riksbank/riksbank_2026-08-01.xml", timezone: "Europe/Stockholm" },
  { id: "gov-uk-cma", file: "gov-uk/gov_uk_cma_2026-07-31.atom", timezone: "Europe/London" },
  { id: "gov-uk-hmt", file: "gov-uk/gov_uk_hmt_2026-07-31.atom", timezone: "Europe/London" },
  { id: "gov-uk-ofsi", file: "gov-uk/gov_uk_ofsi_blog.atom", timezone: "Europe/London" },
];
/** Numbers of items in complete feeds, as stated in the recordings' index. */
const KNOWN_COUNTS: Record<string, number> = { "press-corner": 20, ftc: 30, fca: 20 };

/** Copies each recording to a separate folder and configures a source for it. */
async function arrange(folder: string): Promise<void> {
  const sources: string[] = [];
  for (const { id, file, timezone } of FEEDS) {
    await Deno.mkdir(join(folder, id));
    await Deno.copyFile(join(FIXTURES, file), join(folder, id, "feed.xml"));
    // An old modification time, so that no file counts as still being written.
    await Deno.utime(join(folder, id, "feed.xml"), 1_700_000_000, 1_700_000_000);
    sources.push(`[[sources]]
id = "${id}"
name_en = "${id}"
base_url = "https://${id}.example"
fetch_strategy = "files"
path = "${id}"
schedule = "0 * * * *"
timezone = "${timezone}"
relevance = "all"
`);
  }
  await writeConfig(folder, sources.join("\n"));
}

async function countItems(file: string): Promise<number> {
  const text = await Deno.readTextFile(join(FIXTURES, file));
  return text.match(/<(item|entry)[\s>]/g)?.length ?? 0;
}

function storedEvents(folder: string): RegEvent[] {
  const database = new DatabaseSync(join(folder, "data/regfeed.db"), { readOnly: true });
  try {
    return database.prepare("select json from events order by seq").all()
      .map((row) => JSON.parse(String(row["json"])) as RegEvent);
  } finally {
    database.close();
  }
}

type Reports = { sources: IngestReport[] };

Deno.test(
  needs(
    "ingest stores every item of every recorded feed once, and an edited item as version 2 with its diff",
    present(FIXTURES),
  ),
  () =>
    withFolder(async (folder) => {
      await arrange(folder);
      const first = await regfeedJson<Reports>(folder, "ingest");
      for (const { id, file } of FEEDS) {
        const report = first.sources.find((one) => one.id === id);
        const items = await countItems(file);
        assert.ok(items > 0, `${file} has no items`);
        if (KNOWN_COUNTS[id] !== undefined) assert.equal(items, KNOWN_COUNTS[id], id);
        assert.deepEqual(report, {
          id,
          ok: true,
          new: items,
          revised: 0,
          unchanged: 0,
          translated: 0,
          passed_over: 0,
          refused: [],
        });
      }
      checkQuirks(storedEvents(folder));

      // The sources are named, so that they are read although they are not due. Unchanged files must change nothing.
      const ids = FEEDS.map(({ id }) => id);
      const second = await regfeedJson<Reports>(folder, ["ingest", ...ids]);
      assert.deepEqual(second.sources.map(({ new: fresh, revised }) => fresh + revised), ids.map(() => 0));
      for (const id of ids) await Deno.utime(join(folder, id, "feed.xml"), 1_700_000_100, 1_700_000_100);
      const third = await regfeedJson<Reports>(folder, ["ingest", ...ids]);
      assert.deepEqual(
        third.sources.map(({ id, new: fresh, revised, unchanged }) => [id, fresh, revised, unchanged]).sort(),
        ids.map((id) => [id, 0, 0, 0]).sort(),
        "a touched file with the same bytes is not read again",
      );

      await reviseOne(folder);
    }),
);

function checkQuirks(events: readonly RegEvent[]): void {
  const of = (source: string) => events.filter((event) => event.source_id === source);
  const dateOf = (source: string, title: string) => {
    const event = of(source).find((one) => one.title_en.startsWith(title));
    assert.ok(event, `${source}: ${title}`);
    return [new Date(event.published_at).toISOString(), event.published_at_estimated];
  };
  assert.deepEqual(dateOf("fca", "FCA secures majority"), ["2026-07-27T14:30:00.000Z", false]);
  assert.deepEqual(dateOf("press-corner", "EU State aid rules enable"), ["2026-07-26T22:00:00.000Z", false]);
  assert.deepEqual(dateOf("finma", "FINMA guidance on quantum"), ["2026-07-09T08:00:00.000Z", false]);
  assert.deepEqual(dateOf("gov-uk-cma", "Corporate report: CMA"), ["2026-07-31T12:00:15.000Z", false]);
  assert.deepEqual(dateOf("ecb", "Philip R. Lane"), ["2026-07-24T15:30:00.000Z", false]);
  assert.deepEqual(dateOf("cfpb", "CFPB Announces Joint Final Rule"), ["2026-06-25T04:00:00.000Z", false]);

  const german = of("finma").filter((event) => event.title_en.startsWith("Aktualisierte"));
  assert.deepEqual(german.map(({ language }) => language), ["de", "de"], "German items in an English feed");
  assert.deepEqual(of("finma").filter(({ language }) => language === "en").length, 1);
  for (const event of of("ecb")) assert.equal(event.title_en, event.title_en.trim());
  for (const event of of("eba")) assert.doesNotMatch(event.summary_en, /not verified|Jana Jaklic|\d\d:\d\d/);
  for (const event of of("gov-uk-cma")) {
    assert.doesNotMatch(event.external_id, /#/, "the page, not its edition");
  }
  for (const event of events) {
    assert.doesNotMatch(
      event.title_en + event.summary_en,
      /<\/?[a-z]+[\s>]|&(amp|lt|nbsp|#\d+);/i,
      event.url_official,
    );
    assert.match(event.url_official, /^https?:\/\//);
    assert.ok(event.title_en !== "");
  }
}

/** Edits one summary in a copy of the FTC's feed. Exactly one event of version 2 must result. */
async function reviseOne(folder: string): Promise<void> {
  const file = join(folder, "ftc", "feed.xml");
  const before = storedEvents(folder);
  const text = await Deno.readTextFile(file);
  const edited = text.replace("The Federal Trade Commission", "The Federal Trade Commission (edited)");
  assert.notEqual(edited, text);
  await Deno.writeTextFile(file, edited);
  const { sources } = await regfeedJson<Reports>(folder, "ingest ftc");
  const counts = sources.map(({ new: fresh, revised, unchanged }) => [fresh, revised, unchanged]);
  assert.deepEqual(counts, [[0, 1, 29]]);
  const added = storedEvents(folder).slice(before.length);
  assert.equal(added.length, 1);
  const [revised] = added;
  const original = before.find(({ id }) => id === revised?.supersedes);
  assert.ok(revised && original);
  assert.equal(revised.version, 2);
  assert.equal(revised.external_id, original.external_id);
  assert.equal(revised.summary_en.replace(" (edited)", ""), original.summary_en);
}
