// `source parse` for every strategy and content type.
import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describeDocument } from "../../../src/ingest/normalise/describe_document.ts";
import { DocumentError } from "../../../src/ingest/parse/document.ts";
import type { Reading } from "../../../src/domain/source/extraction_rules.ts";
import { createChance, seedOfRun } from "../../support/chance.ts";
import { mutate } from "../../support/hostile.ts";
import { regfeed, regfeedJson, withConfig } from "../../support/process.ts";

const INPUTS = 500;
const TITLE = "Guidelines on the AI Act";
const LINK = "https://board.example/1";

/** Documents with the expected format and the source whose rules they need. */
const DOCUMENTS: Readonly<Record<string, { format: string; text: string; source?: string }>> = {
  rss: {
    format: "rss",
    text:
      `<rss version="2.0"><channel><item><title>${TITLE}</title><link>${LINK}</link></item></channel></rss>`,
  },
  atom: {
    format: "atom",
    text:
      `<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>${TITLE}</title><link href="${LINK}"/></entry></feed>`,
  },
  "json feed": {
    format: "json-feed",
    text: JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: "Board",
      items: [{ id: "1", title: TITLE, url: LINK }],
    }),
  },
  api: { format: "json", text: JSON.stringify({ found: [{ title: TITLE, link: LINK }] }), source: "api" },
  listing: {
    format: "html",
    text: `<!doctype html><html><body><ul><li><a href="${LINK}">${TITLE}</a></li></ul></body></html>`,
    source: "listing",
  },
  sparql: {
    format: "sparql",
    text: JSON.stringify({
      head: { vars: ["title", "link"] },
      results: {
        bindings: [{ title: { type: "literal", value: TITLE }, link: { type: "uri", value: LINK } }],
      },
    }),
    source: "endpoint",
  },
  sitemap: {
    format: "sitemap",
    text:
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${LINK}</loc><lastmod>2026-07-31</lastmod></url></urlset>`,
  },
};

const CONFIG = [
  ["api", "json", 'items = "found"\ntitle = "title"\nlink = "link"'],
  ["listing", "html", 'item = "li"\ntitle = "a"\nlink = "a@href"'],
  ["endpoint", "sparql", 'query = "{since} {until}"\ntitle = "title"\nlink = "link"'],
].map(([id, strategy, table]) =>
  `[[sources]]\nid = "${id}"\nname_en = "${id}"\nurl = "https://board.example/${id}"\nfetch_strategy = "${strategy}"\n[sources.${strategy}]\n${table}\n`
).join("");

const FIELDS = { title: ["title"], link: ["link"] };
const READINGS: Readonly<Record<string, Reading>> = {
  api: { kind: "json", items: ["found"], fields: FIELDS, dateFormat: null, next: null },
  listing: {
    kind: "html",
    item: "li",
    fields: { title: ["a"], link: ["a@href"] },
    dateFormat: null,
    next: null,
  },
  endpoint: { kind: "sparql", fields: FIELDS, dateFormat: null },
};

const ODD_TYPES = [
  null,
  "",
  ";;;=",
  "image/png",
  "application/octet-stream",
  "text/plain; charset=",
  "text/html; charset=no-such-set",
  "application/xml; charset=utf-16",
  'application/json; charset="iso-8859-1"; charset=koi8-r',
  "multipart/mixed; boundary=x",
  "TEXT/HTML;CHARSET=UTF-8",
  "x".repeat(10_000),
];

const readingOf = (source?: string): Reading | null => source === undefined ? null : READINGS[source] ?? null;

for (const [name, { format, text, source }] of Object.entries(DOCUMENTS)) {
  Deno.test(`source parse reads ${name} regardless of its content type`, () => {
    for (const contentType of ODD_TYPES) {
      const options = { contentType, maxItems: 10, reading: readingOf(source) };
      const found = describeDocument(new TextEncoder().encode(text), options);
      assert.equal(found.format, format, `${contentType}`);
      assert.deepEqual(found.items.map(({ link }) => link), [LINK], `${contentType}`);
    }
  });

  Deno.test(`source parse explains the problems of ${INPUTS} mutations of ${name}, with and without rules`, () => {
    const chance = createChance(seedOfRun());
    for (let input = 0; input < INPUTS; input++) {
      const { body, contentType } = mutate(text, "application/xml", chance);
      for (const reading of [readingOf(source), null]) {
        try {
          describeDocument(body, { contentType, maxItems: 10, reading });
        } catch (error) {
          const shown = new TextDecoder().decode(body).slice(0, 2_000);
          assert.ok(error instanceof DocumentError, `input ${input}: ${error} ${shown}`);
        }
      }
    }
  });
}

Deno.test("source parse prints the items of every format, compressed or not, and explains failures", () =>
  withConfig(CONFIG, async (folder) => {
    for (const [name, { format, text, source }] of Object.entries(DOCUMENTS)) {
      const file = join(folder, "document");
      await Deno.writeFile(file, name === "sitemap" ? gzipSync(text) : new TextEncoder().encode(text));
      const rules = source === undefined ? [] : ["--source", source];
      const found = await regfeedJson<{ format: string; items: { link: string }[] }>(folder, [
        "source",
        "parse",
        file,
        "--content-type",
        "image/png; charset=x",
        ...rules,
      ]);
      assert.deepEqual([found.format, found.items.map(({ link }) => link)], [format, [LINK]], name);
    }
    await Deno.writeTextFile(join(folder, "broken"), '{"a":');
    const { code, stderr } = await regfeed(folder, "source parse broken --content-type text/html");
    assert.equal(code, 1);
    assert.match(stderr, /broken: the JSON is truncated/);
  }));
