// The documentation over HTTP: every page and link, Markdown versions, llms.txt, search, and small pages.
import assert from "node:assert/strict";
import { ERRORS } from "../../../src/domain/error_codes.ts";
import type { OpenApi } from "../../../src/wire/openapi.ts";
import { GUIDES } from "../../../src/web/docs/guides.ts";
import { createDocsSite } from "../../../src/web/docs/site.ts";
import { createDocsView } from "../../../src/web/docs/view.ts";
import { TEXTS } from "../../../src/web/texts/texts.ts";
import { description } from "../../support/openapi.ts";
import { PAYMENT_CONFIG } from "../../support/samples.ts";
import { withWorld as withConfig, type World } from "../../support/world.ts";

const LANGUAGES = ["en", "de", "fr"] as const;
/** Maximum size of a page with its style and scripts, compressed, bytes. */
const MAX_WIRE_BYTES = 60_000;
const REPOSITORY = "https://github.com/regfeed/regfeed/blob/main/";
const ROOT = new URL("../../../", import.meta.url);

const withWorld = (work: (world: World) => Promise<void>) => withConfig(PAYMENT_CONFIG, work);

const hrefsIn = (html: string): string[] =>
  [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
const idsIn = (html: string): string[] => [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => id);

/** Returns the pages of the documentation that links lead to, by path. */
async function crawl(world: World, language: string): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const queue = ["/docs"];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (pages.has(path)) continue;
    const { status, text } = await world.visit(path, { headers: { "accept-language": language } });
    assert.equal(status, 200, path);
    pages.set(path, text);
    for (const href of hrefsIn(text)) {
      const [target = ""] = href.split("#");
      if (target.startsWith("/docs") && !target.endsWith(".md")) queue.push(target);
    }
  }
  return pages;
}

Deno.test("the guides are the files in docs/use and the changelog", async () => {
  const files: string[] = [];
  for await (const { name } of Deno.readDir(new URL("docs/use", ROOT))) files.push(name.replace(/\.md$/, ""));
  assert.deepEqual(GUIDES.map(({ name }) => name).sort(), [...files, "changelog"].sort());
});

Deno.test("every page of the documentation is linked in each language, and every link on it works", () =>
  withWorld(async (world) => {
    for (const language of LANGUAGES) {
      const pages = await crawl(world, language);
      const guides = GUIDES.filter(({ name }) => name !== "quick-start").map(({ name }) => `/docs/${name}`);
      const areas = [
        "",
        "/events",
        "/subscriptions",
        "/deliveries",
        "/webhooks",
        "/account",
        "/service",
        "/schemas",
      ];
      assert.deepEqual(
        [...pages.keys()].sort(),
        ["/docs", ...guides, ...areas.map((area) => `/docs/reference${area}`)].sort(),
      );
      for (const [path, html] of pages) {
        const ids = idsIn(html);
        assert.equal(new Set(ids).size, ids.length, `${path} has duplicate ids`);
        assert.match(html, new RegExp(`<html lang="${language}">`));
        for (const href of new Set(hrefsIn(html))) await checkLink(href, { path, pages, world });
      }
    }
  }));

async function checkLink(
  href: string,
  { path, pages, world }: { path: string; pages: Map<string, string>; world: World },
): Promise<void> {
  const [target = "", hash] = href.split("#");
  const message = `${path}: ${href}`;
  if (href.startsWith(REPOSITORY)) {
    const text = await Deno.readTextFile(new URL(target.slice(REPOSITORY.length), ROOT));
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-")
    );
    assert.ok(hash === undefined || headings.includes(hash), message);
    return;
  }
  if (/^https?:/.test(href)) return;
  const page = target === "" ? pages.get(path) : pages.get(target);
  if (hash !== undefined && hash !== "content") {
    assert.ok(page !== undefined && idsIn(page).includes(decodeURIComponent(hash)), message);
  }
  if (page !== undefined || /^\/(?:status|console|sign-in)?$/.test(target)) return;
  assert.equal((await world.visit(target)).status, 200, message);
}

Deno.test("every page has a Markdown version, whose links work, and negotiates it", () =>
  withWorld(async (world) => {
    for (const path of (await crawl(world, "en")).keys()) {
      const { status, headers, text } = await world.visit(`${path}.md`);
      assert.equal(status, 200, path);
      assert.equal(headers.get("content-type"), "text/markdown; charset=utf-8");
      assert.match(text, /^# .+\n\n\S/, path);
      const asked = await world.visit(path, { headers: { accept: "text/markdown" } });
      assert.equal(asked.text, text);
      assert.match(asked.headers.get("vary") ?? "", /\bAccept,/);
      for (const [, target = ""] of text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
        if (/^https?:/.test(target)) continue;
        const { pathname } = new URL(target, `http://regfeed.example${path}.md`);
        assert.equal((await world.visit(pathname)).status, 200, `${path}.md: ${target}`);
      }
    }
  }));

Deno.test("/llms.txt has the form of llmstxt.org, and its links work", () =>
  withWorld(async (world) => {
    const { headers, text } = await world.visit("/llms.txt");
    assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
    const [title, summary, , ...sections] = text.trim().split(/\n\n(?=[>#T])/);
    assert.equal(title, "# Regfeed");
    assert.match(summary ?? "", /^> .+\.$/);
    assert.deepEqual(sections.map((section) => section.split("\n")[0]), [
      "## Guides",
      "## Reference",
      "## Optional",
    ]);
    const links = [...text.matchAll(/^- \[[^\]]+\]\((http:\/\/127\.0\.0\.1:8080)(\/[^)]+)\): .+\.$/gm)];
    assert.equal(links.length, (text.match(/^- /gm) ?? []).length);
    for (const [, , path = ""] of links) {
      const { status } = path.startsWith("/v1/") ? await world.ask(path) : await world.visit(path);
      assert.equal(status, 200, path);
    }
  }));

Deno.test("old and unknown paths lead on", () =>
  withWorld(async (world) => {
    const { status, headers } = await world.visit("/docs/quick-start");
    assert.deepEqual([status, headers.get("location")], [303, "/docs"]);
    for (const path of ["/docs/nothing", "/docs/nothing.md", "/docs/reference/nothing", "/docs/../docs/x"]) {
      const unknown = await world.visit(path);
      assert.equal(unknown.status, 404, path);
      assert.match(unknown.text, /href="\/docs"/, path);
    }
  }));

Deno.test("the guides show the URL of this service", () =>
  withWorld(async (world) => {
    const { text } = await world.visit("/docs");
    assert.match(text, /export REGFEED_URL=http:\/\/127\.0\.0\.1:8080\n/);
    assert.doesNotMatch(text, /regfeed\.example/);
  }));

Deno.test("the search shows results without JavaScript, and escapes what was typed", () =>
  withWorld(async (world) => {
    const rows: [query: string, expected: RegExp][] = [
      ["webhook+signature", /<mark>webhook<\/mark>/],
      ["severity_min", /href="\/docs\/filters#all-filters"/],
      ["GET+%2Fv1%2Fevents", /<h2><a href="\/docs\/reference\/events#op-listEvents"/],
      ["quota_exceeded", /href="\/docs\/errors#all-errors"/],
      ["nothingatall", /Nothing was found for “nothingatall”/],
      ["", /Type words/],
      ["%3Cscript%3Ealert(1)%3C%2Fscript%3E", /“&lt;script&gt;alert\(1\)&lt;\/script&gt;”/],
      [`${"a+".repeat(1_000)}`, /<h1>Search<\/h1>/],
    ];
    for (const [query, expected] of rows) {
      const { status, text } = await world.visit(`/docs/search?q=${query}`);
      assert.equal(status, 200, query.slice(0, 40));
      assert.match(text, expected, query.slice(0, 40));
      assert.doesNotMatch(text, /<script>|alert\(1\)<\/script>/);
    }
    const german = await world.visit("/docs/search?q=praxisleitfaden", {
      headers: { "accept-language": "de" },
    });
    assert.match(german.text, /href="\/docs\/definitions\.de#ereignisarten"/);
  }));

Deno.test("a page with its style and scripts has at most 60 kB, compressed", () =>
  withWorld(async (world) => {
    const sizes = new Map<string, number>();
    const sizeOf = async (path: string): Promise<number> => {
      const { text } = await world.visit(path);
      const known = sizes.get(path) ?? (await gzipped(text)).length;
      sizes.set(path, known);
      return known;
    };
    for (const [path, html] of await crawl(world, "de")) {
      const parts = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, asset = ""]) => asset);
      assert.ok(parts.length >= 3, path);
      const all = await Promise.all([path, ...parts].map(sizeOf));
      const bytes = all.reduce((sum, size) => sum + size, 0);
      assert.ok(bytes <= MAX_WIRE_BYTES, `${path}: ${bytes} bytes`);
    }
  }));

function gzipped(text: string): Promise<Uint8Array> {
  return new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
}

/** Returns the HTML of all pages of the reference, without the frame. */
function referenceOf(document: OpenApi): string {
  const view = createDocsView(document);
  const pages = view.site.pages("en").filter(({ group }) => group === "reference");
  return pages.map((page) => view.pageBody(page, { language: "en", texts: TEXTS.en }).text).join("\n");
}

Deno.test("the reference names every path, operation, parameter, schema and error, and has a form for every operation", async () => {
  const document = await description();
  const html = referenceOf(document);
  const text = html.replaceAll("<wbr>", "");
  const operations = Object.values({ ...document.paths, ...document.webhooks }).flatMap((item) =>
    Object.values(item)
  );
  for (
    const words of [
      ...Object.keys(document.paths),
      ...operations.map(({ summary }) => summary.replaceAll("'", "&#39;")),
      ...Object.keys(document.components.schemas),
      ...Object.keys(ERRORS),
    ]
  ) assert.ok(text.includes(words), `missing: ${words}`);
  for (const operation of operations) {
    const section = new RegExp(`id="op-${operation.operationId}"[\\s\\S]*?</section>`).exec(text)?.[0] ?? "";
    for (const { name } of operation.parameters ?? []) {
      assert.ok(section.includes(`<code>${name}</code>`), `${operation.operationId} ${name}`);
    }
    const hasForm = section.includes('<details class="try" hidden>');
    const isSigned = operation.security.some((scheme) => "paymentSignature" in scheme);
    assert.equal(hasForm, !isSigned && operation.operationId !== "receiveDelivery", operation.operationId);
    assert.equal(section.includes("data-key"), operation.security.some((scheme) => "key" in scheme));
  }
});

Deno.test("try-it forms have choices for times, enumerations, topics and sources", async () => {
  const [section = ""] = /id="op-listEvents"[\s\S]*?<\/section>/.exec(referenceOf(await description())) ?? [];
  const wanted = [
    '<input type="date" id="listEvents-since" name="since"',
    '<select aria-label="Period" data-date="listEvents-since">',
    '<input type="date" id="listEvents-until" name="until"',
    '<select id="listEvents-severity_min" name="severity_min"',
    '<input type="checkbox" name="event_type" value="guidance"',
    'data-name="topics" data-from="/v1/topics" data-list="topics"',
    'data-name="source" data-from="/v1/sources" data-list="sources"',
  ];
  for (const part of wanted) assert.ok(section.includes(part), part);
});

Deno.test("a hostile API description is shown as text", async () => {
  const document: OpenApi = structuredClone(await description());
  const hostile = '"><script>alert(1)</script><img src=x onerror=alert(2)>';
  document.info.title = document.info.summary = hostile;
  document.info.description = `${hostile} [a](javascript:alert(3))`;
  document.servers = [{ url: hostile, description: "" }];
  const item = document.paths["/v1/events"]?.get ?? assert.fail("no list");
  item.summary = item.description = hostile;
  document.components.schemas["Event"] = {
    description: hostile,
    properties: { [hostile]: { default: hostile } },
  };
  const html = referenceOf(document);
  assert.doesNotMatch(html, /<script|<img|javascript:|\son[a-z]+="/);
  const guide = createDocsSite(document).find("/docs");
  const code = { newId: () => "id", copy: "Copy", copied: "Copied", language: "en" };
  assert.doesNotMatch(guide?.render(code).html.text ?? "", /<script|<img/);
});
