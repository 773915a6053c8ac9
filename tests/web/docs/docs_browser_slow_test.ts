// The docs work in a real browser (on Debian: apt-get install chromium).
import assert from "node:assert/strict";
import axe from "npm:axe-core@4.14.1";
import { listen } from "../../../src/platform/http/http_server.ts";
import { CHROMIUM, type Tab, type Viewing, withTab } from "../../support/peers/chromium.ts";
import { condition, needs } from "../../support/needs.ts";
import { boardConfig, rss } from "../../support/samples.ts";
import { createWorld, type World } from "../../support/world.ts";

interface Visit {
  tab: Tab;
  world: World;
  /** `http://127.0.0.1:PORT` */
  origin: string;
}

interface Opening extends Viewing {
  path: string;
}

const inBrowser = (
  name: string,
  { path, ...viewing }: Opening,
  work: (visit: Visit) => Promise<void>,
): void =>
  Deno.test(needs(name, condition(CHROMIUM !== null, "chromium not installed")), async () => {
    const world = await createWorld(boardConfig());
    const handler = (request: Request) => world.app.fetch(request);
    const server = await listen({ hostname: "127.0.0.1", port: 0, handler });
    try {
      const origin = server.address;
      await withTab(origin + path, viewing, (tab) => work({ tab, world, origin }));
    } finally {
      await server.shutdown(1_000);
      await world.close();
    }
  });

/** Asserts that the page loaded nothing from other hosts and reported no errors. Its icon is a data: URL. */
function assertQuiet({ tab, origin }: Visit): void {
  const asked = tab.requests.filter((url) => !url.startsWith("data:"));
  assert.deepEqual(asked.filter((url) => !url.startsWith(`${origin}/`)), [], "requests to other hosts");
  assert.deepEqual(tab.complaints, []);
}

const TEXT = "document.body.innerText";

inBrowser(
  "without JavaScript, samples have tabs, and no control that requires a script is shown",
  { path: "/docs/reference/events", javaScript: false },
  async (visit) => {
    const { tab } = visit;
    const text = await tab.evaluate<string>(TEXT);
    assert.match(text, /curl "\$REGFEED_URL\/v1\/events"/);
    assert.doesNotMatch(text, /Try it|Copy|urlopen/);
    await tab.evaluate("document.querySelector('.samples label:nth-of-type(3)').click()");
    assert.match(await tab.evaluate<string>(TEXT), /with urlopen\(request\) as response/);
    assertQuiet(visit);
  },
);

inBrowser(
  "without JavaScript, the contents open on a narrow screen, and the search works by keyboard",
  { path: "/docs/polling", javaScript: false, width: 360 },
  async (visit) => {
    const { tab } = visit;
    assert.doesNotMatch(await tab.evaluate<string>(TEXT), /Receiving webhooks/);
    await tab.evaluate("document.querySelector('.docs-menu').click()");
    assert.match(await tab.evaluate<string>(TEXT), /Receiving webhooks/);
    await tab.evaluate("document.querySelector('#docs-query').focus()");
    await tab.type("rotate secret");
    await tab.press("Enter");
    await tab.until("location.pathname === '/docs/search' && document.querySelector('.results a') !== null");
    assert.match(await tab.evaluate<string>(TEXT), /Rotating the secret/);
    assertQuiet(visit);
  },
);

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const PAGES = ["/docs/definitions.de", "/docs/reference/events"];

for (const path of PAGES) {
  for (const [width, colours] of [[1280, "light"], [360, "dark"]] as const) {
    inBrowser(
      `${path} with everything open is accessible (WCAG 2.2 AA) and fits at ${width} pixels in ${colours} colours`,
      { path, width, colours },
      async (visit) => {
        const { tab } = visit;
        await tab.evaluate("document.querySelectorAll('details').forEach((details) => details.open = true)");
        const wide = await tab.evaluate<number>("document.documentElement.scrollWidth");
        assert.ok(wide <= width, `it is ${wide} pixels wide`);
        await tab.evaluate(`${axe.source}; null`);
        const found = await tab.evaluate<string[]>(
          `axe.run(document, { runOnly: ${JSON.stringify(WCAG)} }).then(({ violations }) =>
            violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html).join(" ")))`,
        );
        assert.deepEqual(found, []);
        assertQuiet(visit);
      },
    );
  }
}

inBrowser("a chosen language is chosen in all samples", { path: "/docs" }, async (visit) => {
  const { tab } = visit;
  await tab.evaluate("document.querySelector('.samples input[value=js]').click()");
  const chosen = "[...document.querySelectorAll('.samples input:checked')].map(({ value }) => value).join()";
  assert.equal(await tab.evaluate(chosen), "js,js");
  assertQuiet(visit);
});

inBrowser("the anchors of the former page of all operations lead to their new pages", {
  path: "/docs#op-getEvent",
}, async ({ tab }) => {
  await tab.until("location.pathname === '/docs/reference/events' && location.hash === '#op-getEvent'");
});

const RESULT = (operation: string): string => `document.querySelector("#op-${operation} .result").innerText`;

/** Opens the form of an operation, fills its fields and sends it. */
async function send(tab: Tab, operation: string, fields: Record<string, string> = {}): Promise<void> {
  await tab.evaluate(`document.querySelector("#op-${operation} .try").open = true`);
  for (const [name, value] of Object.entries(fields)) {
    const field = `document.querySelector("#${operation}-${name}")`;
    await tab.evaluate(`${field}.value = ${JSON.stringify(value)}`);
  }
  await tab.evaluate(`document.querySelector("#op-${operation} form").requestSubmit()`);
}

inBrowser(
  "the try-it form works by keyboard, has choices, and shows the response",
  { path: "/docs/reference/events" },
  async (visit) => {
    const { tab, world } = visit;
    const { key } = await world.addCustomer();
    const body = rss([{ id: "1" }, { id: "2" }]);
    world.platform.http.serve("https://board.example/feed", () => ({ body }));
    await world.app.tick();
    await tab.evaluate('document.querySelector("#op-listEvents .try summary").focus()');
    await tab.press("Enter");
    await tab.press("Tab");
    await tab.type(key);
    await tab.press("Tab");
    await tab.type("1");
    await tab.press("Enter");
    await tab.until(`${RESULT("listEvents")}.includes("disclaimer")`);
    const result = await tab.evaluate<string>(RESULT("listEvents"));
    assert.match(result, /^200 GET \/v1\/events\?limit=1, /);
    assert.match(result, /"count": 1,/);

    const source = "#op-listEvents [name=source][value=board]";
    await tab.until(`document.querySelector(${JSON.stringify(source)}) !== null`);
    await tab.evaluate(`{
      document.querySelector(${JSON.stringify(source)}).click();
      document.querySelector("#op-listEvents [name=topics][value=transparency-family]").click();
      const period = document.querySelector("#op-listEvents [data-date]");
      period.value = "365";
      period.dispatchEvent(new Event("change"));
    }`);
    const date = await tab.evaluate<string>("document.querySelector('#listEvents-since').value");
    assert.match(date, /^\d{4}-\d\d-\d\d$/);
    await send(tab, "listEvents");
    const query = `limit=1&since=${date}&source=board&topics=transparency-family`;
    await tab.until(`${RESULT("listEvents")}.startsWith("200 GET /v1/events?${query},")`);

    const id = /"id": "(evt_\w+)"/.exec(result)?.[1] ?? "";
    await send(tab, "getEvent", { id });
    await tab.until(`${RESULT("getEvent")}.includes("disclaimer")`);
    assert.match(await tab.evaluate(RESULT("getEvent")), /^200 /, "all forms share the key");
    assertQuiet(visit);
  },
);

inBrowser(
  "the try-it form sends bodies",
  { path: "/docs/reference/subscriptions" },
  async ({ tab, world }) => {
    const { key } = await world.addCustomer();
    world.platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
    await send(tab, "createSubscription", { key });
    await tab.until(`${RESULT("createSubscription")}.includes("webhook_secret")`);
    assert.match(await tab.evaluate(RESULT("createSubscription")), /^201 POST \/v1\/subscriptions, /);
  },
);

inBrowser("the try-it form requires no key for public routes", {
  path: "/docs/reference/service",
}, async ({ tab }) => {
  await send(tab, "listTopics");
  await tab.until(`${RESULT("listTopics")}.includes("gpai-family")`);
});

inBrowser("the try-it form shows errors", { path: "/docs/reference/account" }, async ({ tab }) => {
  await send(tab, "getUsage", { key: "rgf_wrong" });
  await tab.until(`${RESULT("getUsage")}.includes("unauthenticated")`);
  assert.match(await tab.evaluate(RESULT("getUsage")), /^401 GET \/v1\/usage, /);
});
