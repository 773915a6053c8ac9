// Every page in a real browser: widths, themes, languages, with and without JavaScript (on Debian: apt-get install
// chromium).
import assert from "node:assert/strict";
import axe from "npm:axe-core@4.14.1";
import { createPageServer } from "../../src/web/page_server.ts";
import { publicPage } from "../../src/web/page_route.ts";
import { LANGUAGES } from "../../src/web/texts/texts.ts";
import { condition, needs } from "../support/needs.ts";
import { type Browser, CHROMIUM, type Tab, withBrowser } from "../support/peers/chromium.ts";
import { fakePlatform } from "../support/platform.ts";
import { START_MS } from "../support/world.ts";
import { everyComponent } from "./every_component.ts";
import { NAMES, pageOf, type SamplePage } from "./every_page.ts";
import { withSampleService } from "./sample_service.ts";

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const VIEWS = [[1280, "light"], [1280, "dark"], [360, "light"], [360, "dark"]] as const;
const MAX_BYTES = 60_000;
const SLOWDOWN = 4;
const MAX_PAINT_MS = 1_000;
const MAX_VISITS = 5;

interface Opened {
  origin: string;
  page: SamplePage;
  cookies: Record<string, string>;
}

/** Returns the rules of axe that the page violates, with the elements. */
async function violations(tab: Tab): Promise<string[]> {
  await tab.evaluate(`if (typeof axe === "undefined") { ${axe.source} } null`);
  return await tab.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(WCAG)} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html).join(" ")))`,
  );
}

/** Names the elements that are wider than the window. */
const OVERFLOW = `(() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  return [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > wide + 1)
    .slice(0, 5).map((one) => one.outerHTML.slice(0, 100));
})()`;

/** Asserts that the page loaded nothing from other hosts, broke no policy and reported no errors. */
function assertQuiet({ requests, complaints }: Tab, { origin, page }: Opened, what: string): void {
  const foreign = requests.filter((url) => !url.startsWith("data:") && !url.startsWith(`${origin}/`));
  assert.deepEqual(foreign, [], `${what}: requests to other hosts`);
  const expected = page.status === undefined
    ? []
    : complaints.filter((one) => one.includes(`status of ${page.status}`));
  assert.deepEqual(complaints.filter((one) => !expected.includes(one)), [], what);
}

async function openEverywhere(browser: Browser, opened: Opened): Promise<void> {
  const { origin, page, cookies } = opened;
  for (const language of LANGUAGES) {
    for (const javaScript of [true, false]) {
      await browser.withTab(`${origin}${page.path}`, { language, javaScript, cookies }, async (tab) => {
        assert.equal(await tab.evaluate("document.documentElement.lang"), language);
        await tab.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)");
        for (const [width, colours] of VIEWS) {
          const what = `${page.name} ${language} ${width} ${colours}${
            javaScript ? "" : " without JavaScript"
          }`;
          await tab.look({ width, colours });
          assert.deepEqual(await tab.evaluate(OVERFLOW), [], `${what} overflows`);
          // Without scripts, axe cannot wait. The page is the same, except for what its scripts add.
          if (javaScript) assert.deepEqual(await violations(tab), [], what);
        }
        assertQuiet(tab, opened, `${page.name} ${language}`);
      });
    }
  }
}

/** Asserts that the page is small, and that its largest content is painted soon on a slow machine. */
async function openSlowly(browser: Browser, { origin, page, cookies }: Opened): Promise<void> {
  let bestMs = Infinity;
  // Other work on this machine can only delay the paint, so one visit that is fast enough shows that the page is.
  for (let visit = 0; visit < MAX_VISITS && bestMs > MAX_PAINT_MS; visit++) {
    await browser.withTab(`${origin}${page.path}`, { cookies, slowdown: SLOWDOWN }, async (tab) => {
      const bytes = tab.receivedBytes();
      assert.ok(bytes > 0 && bytes <= MAX_BYTES, `${page.name} needs ${bytes} bytes`);
      bestMs = Math.min(bestMs, await tab.evaluate<number>(LARGEST_PAINT));
    });
  }
  assert.ok(bestMs <= MAX_PAINT_MS, `${page.name} is painted after ${Math.round(bestMs)} ms`);
}

/** The time of the largest contentful paint, ms. */
const LARGEST_PAINT = `new Promise((resolve, reject) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({ type: "largest-contentful-paint", buffered: true });
  setTimeout(() => reject(new Error("nothing was painted")), 10_000);
})`;

const inBrowser = (name: string, work: (browser: Browser) => Promise<void>): void =>
  Deno.test(
    needs(name, condition(CHROMIUM !== null, "chromium not installed")),
    () => withBrowser(work),
  );

for (const name of NAMES) {
  inBrowser(
    `page ${name}: accessible, complete, quiet and small in every language, width and theme`,
    (browser) =>
      withSampleService(async (service) => {
        const page = pageOf(name, service);
        const opened = { origin: service.origin, page, cookies: service.cookies[page.viewer] };
        await openEverywhere(browser, opened);
        await openSlowly(browser, opened);
      }),
  );
}

inBrowser("every component is accessible and fits", async (browser) => {
  const pages = createPageServer({
    ...fakePlatform(START_MS),
    publicUrl: "http://127.0.0.1",
    routes: [publicPage({ method: "GET", path: "/components", handle: everyComponent })],
    hasStatus: () => true,
    sessions: { find: () => Promise.resolve(null) },
    forms: { beginForm: () => Promise.resolve({ kind: "new" }), finishForm: () => Promise.resolve() },
  });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const address = new URL(request.url).pathname;
    const found = pages.find({ request, requestId: "req_1", address, ipAddress: "", countAnonymous() {} });
    return await found?.respond() ?? new Response(null, { status: 404 });
  });
  try {
    const origin = `http://127.0.0.1:${server.addr.port}`;
    const page: SamplePage = { name: "components", path: "/components", viewer: "visitor" };
    await openEverywhere(browser, { origin, page, cookies: {} });
  } finally {
    await server.shutdown();
  }
});
