// `source parse` suggests a source that `check` accepts and that finds the items of the document.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { regfeed, regfeedJson, withFolder } from "../../support/process.ts";
import { needs, present } from "../../support/needs.ts";

const RECORDINGS = fileURLToPath(new URL("../../../../shared/fixtures/", import.meta.url));

const DAYS = [1, 2, 3, 4, 5, 6];
const MENU = `<header><nav><ul class="menu">${
  DAYS.map((n) => `<li class="menu-item"><a href="/section/${n}">A section of the site, number ${n}</a></li>`)
    .join("")
}</ul></nav></header>`;
const FOOTER = '<footer class="footer"><ul><li><a href="/imprint">Imprint</a></li></ul></footer>';
const SUMMARY = "The authority explains how providers of AI systems meet their obligations.";

const page = (
  main: string,
  head = '<title>Authority: news</title><link rel="canonical" href="https://a.example/news">',
) => `<!doctype html><html lang="en"><head>${head}</head><body>${MENU}${main}${FOOTER}</body></html>`;

/** Listings as common site software writes them, with the values of the first item. */
const LISTINGS: Record<
  string,
  { html: string; first: [title: string, link: string, date: string | null, summary: string] }
> = {
  "articles with headings and times": {
    html: page(
      `<main><div class="list">${
        DAYS.map((n) =>
          `<article class="node node-${n}0 teaser"><h2 class="node__title"><a href="/news/${n}">Guidelines on high-risk systems ${n}</a></h2>
<time datetime="2026-07-0${n}T10:00:00Z">July ${n}</time><div class="teaser__text"><p>${SUMMARY}</p></div><a href="/news/${n}">Read more</a></article>`
        ).join("")
      }</div></main>`,
    ),
    first: [
      "Guidelines on high-risk systems 1",
      "https://a.example/news/1",
      "2026-07-01T10:00:00.000Z",
      SUMMARY,
    ],
  },
  "list items with dates in words": {
    html: page(
      `<main><ul class="c-results">${
        DAYS.map((n) =>
          `<li><span class="c-date">${n}. Juli 2026</span> <a class="c-link" href="meldung-${n}.html">Neue Leitlinien zur KI-Verordnung ${n}</a></li>`
        ).join("")
      }</ul></main>`,
    ),
    first: [
      "Neue Leitlinien zur KI-Verordnung 1",
      "https://a.example/meldung-1.html",
      "2026-07-01T00:00:00.000Z",
      "",
    ],
  },
  "rows of Drupal's views": {
    html: page(
      `<div class="view"><div class="view-content">${
        DAYS.map((n) =>
          `<div class="layout"><div class="views-row views-row-${n}"><div class="views-field views-field-date"><div class="field-content">${n} juillet 2026</div></div><div class="views-field views-field-title"><span class="field-content"><a href="/fr/${n}">Recommandations sur les contrôles, partie ${n}</a></span></div></div></div>`
        ).join("")
      }</div></div>`,
    ),
    first: [
      "Recommandations sur les contrôles, partie 1",
      "https://a.example/fr/1",
      "2026-07-01T00:00:00.000Z",
      "",
    ],
  },
  "a table with a header": {
    html: page(
      `<table class="decisions"><tr><th>Date</th><th>Decision</th></tr>${
        DAYS.map((n) =>
          `<tr><td>0${n}/07/2026</td><td><a href="/decisions/${n}.pdf">Decision against a provider, case ${n}</a></td></tr>`
        )
          .join("")
      }</table>`,
    ),
    first: [
      "Decision against a provider, case 1",
      "https://a.example/decisions/1.pdf",
      "2026-07-01T00:00:00.000Z",
      "",
    ],
  },
  "cards that are links": {
    html: page(
      `<div class="row">${
        DAYS.map((n) =>
          `<div class="col-12"><a class="card" href="https://a.example/c/${n}"><h3>Consultation on codes of practice ${n}</h3><p class="card-text">${SUMMARY}</p><small class="card-date">2026-07-0${n}</small></a></div>`
        ).join("")
      }</div>`,
    ),
    first: [
      "Consultation on codes of practice 1",
      "https://a.example/c/1",
      "2026-07-01T00:00:00.000Z",
      SUMMARY,
    ],
  },
  "elements without classes": {
    html: page(
      `<main>${
        DAYS.map((n) =>
          `<section><h3><a href="/p/${n}">Opinion on biometric identification ${n}</a></h3><p>${SUMMARY}</p></section>`
        ).join("")
      }</main>`,
    ),
    first: ["Opinion on biometric identification 1", "https://a.example/p/1", null, SUMMARY],
  },
};

interface Described {
  items: {
    title: string;
    link: string | null;
    published_at: number | null;
    published_on: string | null;
    summary: string;
  }[];
}

/** Pastes the suggestion for a document into a config; returns the items that its source finds in the document. */
async function paste(
  folder: string,
  file: string,
  options: readonly string[] = [],
): Promise<Described["items"]> {
  const { code, stdout, stderr } = await regfeed(folder, ["source", "parse", file, ...options]);
  assert.equal(code, 0, stderr);
  const config = join(folder, "regfeed.toml");
  await Deno.writeTextFile(config, stdout);
  const checked = await regfeed(folder, "check");
  assert.equal(checked.code, 0, `${checked.stderr}\n${stdout}`);
  const id = /^id = "(.*)"/m.exec(stdout)?.[1] ?? "";
  const { items } = await regfeedJson<Described>(folder, ["source", "parse", file, "--source", id]);
  assert.ok(items.length > 0, stdout);
  assert.match(stdout, new RegExp(`^# Suggested by .* for ${items.length} item`), "the number of items");
  const sample = stdout.split("\n").filter((line) => /^# (?:\d{4}-\d\d-\d\d|no date) /.test(line));
  assert.equal(sample.length, Math.min(items.length, 5), "the sample");
  return items;
}

for (const [name, { html, first }] of Object.entries(LISTINGS)) {
  Deno.test(`source parse suggests rules for ${name}`, () =>
    withFolder(async (folder) => {
      const file = join(folder, "page.html");
      await Deno.writeTextFile(file, html);
      const items = await paste(folder, file);
      assert.equal(items.length, DAYS.length);
      const [{ title, link, published_at, summary } = assert.fail()] = items;
      const date = published_at === null ? null : new Date(published_at).toISOString();
      assert.deepEqual([title, link, date, summary], first);
    }));
}

Deno.test("source parse guesses no rules from elements whose names are not selectors", () =>
  withFolder(async (folder) => {
    const items = DAYS.map((n) =>
      `<b^dy><li^><a href="/${n}">Guidelines on the AI Act ${n}</a></li^></b^dy>`
    );
    await Deno.writeTextFile(join(folder, "page.html"), `<html><body>${items.join("")}</body></html>`);
    const { code, stderr } = await regfeed(folder, ["source", "parse", "page.html"]);
    assert.equal(code, 1);
    assert.match(stderr, /page\.html: .*it has no list of links whose rules can be guessed$/m);
  }));

Deno.test("source parse says which rule is missing if the items have no URL", () =>
  withFolder(async (folder) => {
    const items = [1, 2, 3].map((n) => ({
      heading: `AI Act guidance ${n}`,
      issued: `2026-11-0${n}`,
      n,
      teaser: "New",
    }));
    await Deno.writeTextFile(join(folder, "api.json"), JSON.stringify({ items }));
    const url = ["--url", "http://127.0.0.1:8901/api.json"];
    const { stdout } = await regfeed(folder, ["source", "parse", "api.json", ...url]);
    assert.match(stdout, /^id = "my-source" .*\nname_en = "My source"$/m);
    assert.match(
      stdout,
      /^# Required: the URL of an item\. .*\n#link = "https:\/\/www\.example\.org\/{n}"$/m,
    );
    assert.match(stdout, /^# Further values of the items: n, teaser$/m);
    assert.match(stdout, /^# 2026-11-01 {2}AI Act guidance 1\n# +no link$/m);
    const plain = await regfeed(folder, [
      "source",
      "parse",
      "api.json",
      "--content-type",
      "application/json",
    ]);
    assert.match(plain.stderr, /^(?:problem .*\n)?$/, "one line for the problem that all items have");
    await Deno.writeTextFile(join(folder, "regfeed.toml"), stdout);
    assert.equal((await regfeed(folder, "check")).code, 0, "valid as printed");
    const complete = stdout.replace(/^#link = .*$/m, 'link = "https://api.example/{n}"');
    await Deno.writeTextFile(join(folder, "regfeed.toml"), complete);
    assert.equal((await regfeed(folder, "check")).code, 0);
  }));

Deno.test("source parse uses --url, and refuses a page without a repeated structure", () =>
  withFolder(async (folder) => {
    const file = join(folder, "page.html");
    await Deno.writeTextFile(
      file,
      LISTINGS["elements without classes"]?.html.replace(/<link [^>]*>/, "") ?? "",
    );
    const without = await regfeed(folder, ["source", "parse", file]);
    assert.match(
      without.stdout,
      /^url = "https:\/\/www\.example\.org\/" # the document does not state its URL: set it$/m,
    );
    assert.match(without.stdout, /^# +https:\/\/www\.example\.org\/p\/1$/m);
    assert.equal(without.stderr, "");
    const [item] = await paste(folder, file, ["--url", "https://b.example/list/"]);
    assert.equal(item?.link, "https://b.example/p/1");
    assert.equal((await regfeed(folder, ["source", "parse", file, "--url", "b.example"])).code, 2);
    await Deno.writeTextFile(file, page("<main><h1>Just a moment</h1></main>"));
    const { code, stderr } = await regfeed(folder, ["source", "parse", file]);
    assert.equal(code, 1);
    assert.match(stderr, /page\.html: this is an HTML page, not a feed/);
  }));

/** Recorded documents of each kind, and their numbers of items. */
const RECORDED: readonly [file: string, items: number][] = [
  ["boe/boe_sumario_20181206.json", 52],
  ["eba/eba_rss_2026-08-01.xml", 3],
  ["ec-press-corner/ec_presscorner_2026-07-28.xml", 20],
  ["finma/finma_news_2026-08-01.xml", 3],
  ["gov-uk/gov_uk_cma_2026-07-31.atom", 3],
  ["federal-register/fr_presidential_2026.json", 20],
  ["legifrance/legifrance_search_cnil_2026-07.json", 2],
  ["ris-austria/ris_bundesrecht_search.json", 10],
];

Deno.test(
  needs("source parse suggests a source for recorded feeds and API responses", present(RECORDINGS)),
  () =>
    withFolder(async (folder) => {
      for (const [file, count] of RECORDED) {
        assert.equal((await paste(folder, join(RECORDINGS, file))).length, count, file);
      }
    }),
);

Deno.test("source parse guesses ISO dates and relative links in JSON, and titles in several languages", () =>
  withFolder(async (folder) => {
    const days = [1, 2, 3, 4];
    const rows: [file: string, value: unknown, title: string, link: string, on: string][] = [
      [
        "api.json",
        days.map((n) => ({
          number: n,
          name: `AI guidance ${n}`,
          web_url: `/doc/${n}`,
          released: `2026-11-0${n}`,
        })),
        "AI guidance 1",
        "http://127.0.0.1:8901/doc/1",
        "2026-11-01",
      ],
      [
        "languages.json",
        {
          data: days.map((n) => ({
            uid: n,
            attributes: {
              headline: { en: `Guidance ${n}`, de: `Leitlinie ${n}` },
              publishedAt: `2026-11-0${n}T10:00:00Z`,
              path: { alias: `/news/${n}` },
            },
          })),
        },
        "Guidance 1",
        "http://127.0.0.1:8901/news/1",
        "2026-11-01",
      ],
    ];
    for (const [file, value, title, link, on] of rows) {
      await Deno.writeTextFile(join(folder, file), JSON.stringify(value));
      const [item] = await paste(folder, join(folder, file), ["--url", "http://127.0.0.1:8901/api.json"]);
      assert.deepEqual([item?.title, item?.link, item?.published_on], [title, link, on], file);
    }
  }));
