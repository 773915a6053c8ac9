// Recorded feeds of official bodies are normalised, if the optional folder ../shared/fixtures exists.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { needs, present } from "../../support/needs.ts";
import {
  describeDocument,
  type DocumentDescription,
} from "../../../src/ingest/normalise/describe_document.ts";
import { type NormalisedItem, normaliseItem } from "../../../src/ingest/normalise/item.ts";
import { DocumentError, parseDocument } from "../../../src/ingest/parse/document.ts";

const FOLDER = new URL("../../../../shared/fixtures/", import.meta.url);
const RECORDED = present(FOLDER);

const read = (path: string): Uint8Array => readFileSync(new URL(path, FOLDER));
const everyFile = (): string[] =>
  readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((path) => /\.[a-z]+$/.test(path));
const describe = (path: string): DocumentDescription =>
  describeDocument(read(path), { contentType: null, maxItems: 1000 });

function normalised(path: string, timezone: string): NormalisedItem[] {
  const document = parseDocument(read(path), { contentType: null, maxItems: 1000 });
  return document.items.map((item, position) => {
    const context = { document, documentUrl: null, baseUrl: "https://source.example/", timezone, position };
    const outcome = normaliseItem(item, context);
    assert.ok(outcome.ok, path);
    assert.deepEqual(outcome.notes, [], path);
    return outcome.item;
  });
}

const FEEDS: Record<string, number> = {
  "cfpb/cfpb_newsroom_2026-08-01.xml": 3,
  "doj/justice_gov_2026-08-01.xml": 3,
  "eba/eba_rss_2026-08-01.xml": 3,
  "ec-press-corner/ec_presscorner_2026-07-28.xml": 20,
  "ecb/ecb_press_2026-08-01.xml": 3,
  "fca/fca_news_2026-07-28.xml": 20,
  "finma/finma_news_2026-08-01.xml": 3,
  "ftc/ftc_press_release_competition_2026-07-28.xml": 30,
  "gao/gao_reports_2026-08-01.xml": 3,
  "gov-uk/gov_uk_cma_2026-07-31.atom": 3,
  "gov-uk/gov_uk_hmt_2026-07-31.atom": 3,
  "gov-uk/gov_uk_ofsi_blog.atom": 3,
  "ons/ons_release_calendar_2026-08-01.xml": 3,
  "riksbank/riksbank_2026-08-01.xml": 3,
  "wto/wto_latest_2026-08-01.xml": 3,
};

Deno.test(needs("every item of a recorded feed has a title, an absolute link and a date", RECORDED), () => {
  for (const [path, count] of Object.entries(FEEDS)) {
    const text = new TextDecoder().decode(read(path));
    assert.equal(text.match(/<(?:item|entry)[\s>]/g)?.length, count, path);
    const { items, problems } = describe(path);
    assert.deepEqual(problems, [], path);
    assert.equal(items.length, count, path);
    for (const { id, title, link, summary, published_at } of items) {
      assert.ok(title !== "" && title === title.trim() && id, path);
      assert.match(link ?? "", /^https:\/\/[a-z.]+\/\S+$/, path);
      assert.ok(text.includes(link?.replaceAll("&", "&amp;") ?? ""), `${path} contains ${link}`);
      assert.ok(
        published_at !== null && published_at > Date.UTC(2024, 0) && published_at < Date.UTC(2026, 7, 2),
        path,
      );
      assert.doesNotMatch(title + summary, /<\/?[a-z]+[\s>]|&(?:amp|lt|nbsp|#\d+);/i, path);
    }
  }
});

Deno.test(needs("dates with a zone in recorded feeds equal those that Date parses", RECORDED), () => {
  for (const path of Object.keys(FEEDS).filter((path) => !path.startsWith("fca/"))) {
    const text = new TextDecoder().decode(read(path));
    const element = path.endsWith(".atom") ? (path.includes("ofsi") ? "published" : "updated") : "pubDate";
    const stated = [...text.matchAll(new RegExp(`<(?:item|entry)[\\s>][\\s\\S]*?<${element}>([^<]*)`, "g"))];
    assert.deepEqual(
      describe(path).items.map(({ published_at }) => published_at),
      stated.map((match) => Date.parse(match[1] ?? "")),
      path,
    );
  }
});

Deno.test(needs("unusual recorded feeds are normalised correctly", RECORDED), () => {
  const times = normalised("fca/fca_news_2026-07-28.xml", "Europe/London").map((item) => item.publishedAtMs);
  assert.equal(times[0], Date.UTC(2026, 6, 27, 14, 30), "Monday, July 27, 2026 - 15:30 in London");
  assert.ok(times.every((time) => time !== null && time % 60_000 === 0));

  const [call, alert] = normalised("eba/eba_rss_2026-08-01.xml", "Europe/Paris");
  assert.equal(call?.summary, "", "only title, author and time");
  assert.equal(call?.publishedAtMs, Date.UTC(2024, 5, 28, 8, 22, 54));
  assert.match(alert?.summary ?? "", /^News & Press\n/);
  assert.doesNotMatch(alert?.summary ?? "", /not verified|E-mail alert|\d\d:\d\d/);

  const riksbank = normalised("riksbank/riksbank_2026-08-01.xml", "Europe/Stockholm");
  assert.deepEqual(riksbank.map((item) => item.updatedAtMs), riksbank.map((item) => item.publishedAtMs));
  assert.equal(riksbank[0]?.publishedAtMs, Date.UTC(2026, 6, 7, 9, 30, 11));

  const finma = normalised("finma/finma_news_2026-08-01.xml", "Europe/Zurich");
  assert.match(finma[0]?.guid ?? "", /^\{[0-9A-F-]{36}\}$/);
  assert.match(finma[0]?.summary ?? "", /für Wirtschaft .* Änderung/);

  const wto = normalised("wto/wto_latest_2026-08-01.xml", "Europe/Zurich");
  assert.deepEqual(wto[0]?.categories.length, 2);
  assert.match(wto[0]?.summary ?? "", /^World merchandise trade/);
});

/** JSON documents whose rules are guessed, and their numbers of items. */
const GUESSED: Record<string, number> = {
  "boe/boe_sumario_20181206.json": 52,
  "cellar-sparql/cellar_ecli_schrems2_2026-07-08.json": 2,
  "dip-bundestag/dip_drucksache_20-1_2026-07-08.json": 1,
  "dip-bundestag/dip_drucksache_text_20-1_2026-07-08.json": 1,
  "eurlex-digest/eurlex_digest_2025-08-16.json": 18,
  "eurlex-html/ai_omnibus_pe-cons-30-26_amendments.json": 76,
  "federal-register/ecfr_search_2026-07-07.json": 2,
  "federal-register/fr_document_2026-07-07.json": 1,
  "federal-register/fr_presidential_2026.json": 20,
  "federal-register/fr_search_artificial_intelligence_2026-07-07.json": 2,
  "federal-register/fr_search_bears_ears.json": 5,
  "legifrance/legifrance_consult_cnil_2026-07.json": 1,
  "legifrance/legifrance_search_cnil_2026-07.json": 2,
  "legifrance/legifrance_search_loda_2026-07.json": 2,
  "ris-austria/ris_bundesrecht_search.json": 10,
  "ris-austria/ris_judikatur_justiz.json": 2,
};

Deno.test(
  needs("recorded API responses are parsed with guessed rules, which a problem reports", RECORDED),
  () => {
    for (const [path, count] of Object.entries(GUESSED)) {
      const { format, items, problems } = describe(path);
      assert.equal(items.length, count, path);
      if (format !== "sparql") {
        assert.match(problems[0]?.reason ?? "", /^not a feed: read with guessed rules, items = /, path);
      }
    }
  },
);

Deno.test(needs("every other recorded document is refused with a reason", RECORDED), () => {
  for (const path of everyFile()) {
    if (FEEDS[path] !== undefined || GUESSED[path] !== undefined) continue;
    let found: DocumentDescription | null = null;
    try {
      found = describe(path);
    } catch (error) {
      assert.ok(error instanceof DocumentError && / not a | feed/.test(error.message), path);
    }
    assert.equal(found, null, `${path} is read as ${found?.format}`);
  }
});
