// The sources in config.example.toml read recorded responses, if the folder ../shared exists.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { needs, present } from "../../support/needs.ts";
import { findAdditionProblems } from "../../../src/classify/check_configured_rules.ts";
import { type Config, parseConfig } from "../../../src/config/config.ts";
import { withWorld } from "../../support/world.ts";
import {
  describeDocument,
  type DocumentDescription,
} from "../../../src/ingest/normalise/describe_document.ts";

const FOLDER = new URL("../../../../shared/fixtures/", import.meta.url);
const RESPONSES = present(FOLDER);

const configOf = (text: string): Promise<Config> =>
  parseConfig(text, {
    file: "regfeed.toml",
    folder: "/etc/regfeed",
    readSecret: { file: () => Promise.reject(new Error("no file")), env: () => undefined },
    findAdditionProblems,
  });

const EXAMPLE = await Deno.readTextFile(new URL("../../../config.example.toml", import.meta.url));
const SHIPPED = await configOf(EXAMPLE);

function read(path: string, id: string, config = SHIPPED): DocumentDescription {
  const source = config.sources.find((candidate) => candidate.id === id);
  assert.ok(source !== undefined, id);
  return describeDocument(readFileSync(new URL(path, FOLDER)), {
    contentType: null,
    maxItems: 1000,
    reading: source.rules?.reading ?? null,
    timezone: source.timezone,
    baseUrl: source.location,
  });
}

/** Registers a test that is skipped without the recorded responses. */
function testRecorded(name: string, fn: () => void | Promise<void>): void {
  Deno.test({ ...needs(name, RESPONSES), fn });
}

/** A recorded response, its source, the number of items, and whether each has a date. */
const RECORDED: [string, string, number, boolean][] = [
  ["boe/boe_sumario_20181206.json", "es-boe", 55, false],
  ["cellar-sparql/cellar_ecli_schrems2_2026-07-08.json", "eu-cellar-sparql", 2, true],
  ["dip-bundestag/dip_drucksache_20-1_2026-07-08.json", "de-dip", 1, true],
  ["eba/eba_rss_2026-08-01.xml", "eu-eba", 3, true],
  ["ec-press-corner/ec_presscorner_2026-07-28.xml", "eu-ec-presscorner", 20, true],
  ["federal-register/fr_presidential_2026.json", "us-federal-register", 20, true],
  ["federal-register/fr_search_artificial_intelligence_2026-07-07.json", "us-federal-register", 2, true],
  ["federal-register/fr_search_bears_ears.json", "us-federal-register", 5, true],
  ["finma/finma_news_2026-08-01.xml", "ch-finma", 3, true],
  ["ftc/ftc_press_release_competition_2026-07-28.xml", "us-ftc", 30, true],
  ["gov-uk/gov_uk_cma_2026-07-31.atom", "uk-govuk-ai", 3, true],
  ["ris-austria/ris_bundesrecht_search.json", "at-ris", 10, true],
];

testRecorded("recorded responses are read completely by the shipped sources", () => {
  for (const [path, id, count, isDated] of RECORDED) {
    const { items, problems } = read(path, id);
    assert.deepEqual(problems, [], path);
    assert.equal(items.length, count, path);
    for (const item of items) {
      assert.ok(item.title !== "" && !/[<>]|&amp;/.test(item.title), `${path}: ${item.title}`);
      assert.match(item.link ?? "", /^https?:\/\/\S+$/, path);
      assert.equal(item.published_at !== null, isDated, `${path}: ${item.title}`);
    }
    assert.equal(
      new Set(items.map(({ id: own, link }) => `${own} ${link}`)).size,
      new Set(items.map(({ id: own }) => own)).size,
    );
  }
});

testRecorded("recorded responses have the values of their publishers", () => {
  const [notice] =
    read("federal-register/fr_search_artificial_intelligence_2026-07-07.json", "us-federal-register").items;
  assert.equal(notice?.id, "2026-10779");
  assert.equal(notice?.title, "NIST Artificial Intelligence Consortium");
  assert.equal(notice?.published_at, Date.parse("2026-05-29T00:00:00-04:00"), "a day of Washington");
  assert.ok(notice?.categories.length ?? 0 > 0);
  const [law] = read("ris-austria/ris_bundesrecht_search.json", "at-ris").items;
  assert.equal(law?.link, "https://www.ris.bka.gv.at/eli/bgbl/I/2026/6/20260218");
  assert.equal(law?.published_at, Date.parse("2026-02-18T00:00:00+01:00"));
  const [paper] = read("dip-bundestag/dip_drucksache_20-1_2026-07-08.json", "de-dip").items;
  assert.equal(paper?.updated_at, Date.parse("2022-07-26T19:57:15+02:00"));
  const [judgment] = read("cellar-sparql/cellar_ecli_schrems2_2026-07-08.json", "eu-cellar-sparql").items;
  assert.equal(judgment?.link, "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:62018CJ0311");
  const [act] = read("boe/boe_sumario_20181206.json", "es-boe").items;
  assert.match(act?.title ?? "", /^Ley Orgánica 2\/2018/);
});

const OWN = `
[[sources]]
id = "aepd"
name_en = "AEPD: resolutions"
fetch_strategy = "html"
url = "https://www.aepd.es/informes-y-resoluciones/resoluciones"
timezone = "Europe/Madrid"
[sources.html]
item = "li article"
title = ".field--name-title h2"
link = ".field--name-fichero a@href"
summary = ".field--name-body"
published = "time@datetime"

[[sources]]
id = "rii"
name_en = "Case law"
fetch_strategy = "html"
url = "https://www.rechtsprechung-im-internet.de/rii-toc.xml"
timezone = "Europe/Berlin"
[sources.html]
item = "item"
title = "aktenzeichen"
link = "link"
published = "entsch-datum"
updated = "modified"
categories = "gericht"
date_format = "yyyyMMdd"

[[sources]]
id = "cnil"
name_en = "CNIL: deliberations"
fetch_strategy = "json"
url = "https://api.piste.gouv.fr/dila/legifrance/lf-engine-app/search"
timezone = "Europe/Paris"
[sources.json]
items = "results"
id = "titles.id"
title = "titles.title"
link = "https://www.legifrance.gouv.fr/cnil/id/{titles.id}"
summary = "text"
published = "datePublication"
body = '{"fond": "CNIL"}'
`;

testRecorded("recorded listings, tables of contents and searches are read by other rules", async () => {
  const config = await configOf(OWN);
  const found = read("aepd/aepd_resoluciones_search_ps-00598-2025.html", "aepd", config);
  assert.deepEqual(found.problems, []);
  assert.deepEqual(found.language, "es");
  assert.deepEqual(found.items.map(({ title, link, published_at }) => [title, link, published_at]), [[
    "PS-00598-2025",
    "https://www.aepd.es/documento/ps-00598-2025.pdf",
    Date.parse("2026-04-28T00:00:00Z"),
  ]]);
  assert.match(found.items[0]?.summary ?? "", /^1 \/ 24 \S+ Expediente N\.º: EXP202506061/);
  assert.deepEqual(read("aepd/aepd_resoluciones_search_noresults.html", "aepd", config).items, []);
  const cases = read("rechtsprechung-im-internet/rii_toc_sample.xml", "rii", config);
  assert.deepEqual(cases.problems, []);
  assert.equal(cases.items[0]?.title, "1 BvR 2268/23");
  assert.equal(cases.items[0]?.published_at, Date.parse("2024-07-02T00:00:00+02:00"));
  assert.match(
    cases.items[0]?.link ?? "",
    /^http:\/\/www\.rechtsprechung-im-internet\.de\/jportal\/.*\.zip$/,
  );
  const [sanction] = read("legifrance/legifrance_search_cnil_2026-07.json", "cnil", config).items;
  assert.match(sanction?.title ?? "", /prononçant une sanction pécuniaire/, "without its <mark>");
  assert.equal(sanction?.link, "https://www.legifrance.gouv.fr/cnil/id/CNILTEXT000053352643");
});

testRecorded("a press release in three languages is one event", async () => {
  const lines = EXAMPLE.split("[[sources]]").find((text) => text.includes('id = "eu-ec-presscorner"')) ?? "";
  const recorded = readFileSync(new URL("ec-press-corner/ec_presscorner_2026-07-28.xml", FOLDER), "utf8");
  await withWorld(
    `[[sources]]${lines.replace('id = "eu-ec', 'relevance = "all"\nid = "eu-ec')}`,
    async (world) => {
      const { http, clock } = world.platform;
      const languages = ["fr"];
      http.serve("https://ec.europa.eu/commission/presscorner/api/rss", ({ url }) => {
        const language = url.searchParams.get("language") ?? "";
        // The URLs contain the language, as in the recording. Here, the titles do too.
        const body = recorded.replaceAll("/detail/en/", `/detail/${language}/`)
          .replaceAll("<title>", `<title>${language}: `);
        return languages.includes(language) ? { body } : { status: 503 };
      });
      await world.app.ingest.register();
      const fetch = async () => {
        await clock.advance(3_600_000);
        const [report] = await world.app.ingest.ingest(["eu-ec-presscorner"]);
        return [report?.new, report?.revised, report?.translated];
      };
      assert.deepEqual(await fetch(), [20, 0, 0]);
      languages.push("de", "en");
      assert.deepEqual(await fetch(), [0, 0, 40]);
      assert.deepEqual(await fetch(), [0, 0, 0]);
    },
  );
});
