// The docs page works in a real browser (on Debian: apt-get install chromium).
import assert from "node:assert/strict";
import axe from "npm:axe-core@4.14.1";
import { listen } from "../../src/platform/http/http_server.ts";
import { ERRORS } from "../../src/domain/error_codes.ts";
import { CHROMIUM, type Tab, type Viewing, withTab } from "../support/peers/chromium.ts";
import { condition, needs } from "../support/needs.ts";
import type { description } from "../support/openapi.ts";
import { boardConfig, rss } from "../support/samples.ts";
import { createWorld, type World } from "../support/world.ts";

interface Visit {
  tab: Tab;
  world: World;
  /** `http://127.0.0.1:PORT` */
  origin: string;
}

const inBrowser = (name: string, viewing: Viewing, work: (visit: Visit) => Promise<void>): void =>
  Deno.test(needs(name, condition(CHROMIUM !== null, "chromium not installed")), async () => {
    const world = await createWorld(boardConfig());
    const handler = (request: Request) => world.app.fetch(request);
    const server = await listen({ hostname: "127.0.0.1", port: 0, handler });
    try {
      const origin = server.address;
      await withTab(`${origin}/docs`, viewing, (tab) => work({ tab, world, origin }));
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

inBrowser("GET /docs is complete without JavaScript", { javaScript: false }, async (visit) => {
  const { tab, origin } = visit;
  // The description of this service, which omits paths that its config disables.
  const document: Awaited<ReturnType<typeof description>> = await (await fetch(`${origin}/v1/openapi.json`))
    .json();
  const text = await tab.evaluate<string>("document.body.innerText");
  const operations = Object.values({ ...document.paths, ...document.webhooks }).flatMap((item) =>
    Object.values(item)
  );
  const wanted = [
    ...Object.keys(document.paths),
    ...operations.map(({ summary }) => summary),
    ...operations.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)),
    ...Object.keys(document.components.schemas),
    ...Object.keys(ERRORS),
    "webhook-signature",
    "requires JavaScript",
  ];
  for (const words of wanted) assert.ok(text.includes(words), `missing: ${words}`);
  assert.doesNotMatch(text, /API key/, "controls that require JavaScript are hidden");
  assert.deepEqual(tab.requests.filter((url) => !url.startsWith("data:")), [`${origin}/docs`]);
  assertQuiet(visit);
});

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

for (const [width, colours] of [[1280, "light"], [1280, "dark"], [360, "light"], [360, "dark"]] as const) {
  inBrowser(
    `GET /docs is accessible (WCAG 2.2 AA) and fits at ${width} pixels in ${colours} colours`,
    { width, colours },
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
  "the try-it form works by keyboard, and shows the response",
  {},
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

    const id = /"id": "(evt_\w+)"/.exec(result)?.[1] ?? "";
    await send(tab, "getEvent", { id });
    await tab.until(`${RESULT("getEvent")}.includes("disclaimer")`);
    assert.match(await tab.evaluate(RESULT("getEvent")), /^200 /, "all forms share the key");

    world.platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
    await send(tab, "createSubscription");
    await tab.until(`${RESULT("createSubscription")}.includes("webhook_secret")`);
    assert.match(await tab.evaluate(RESULT("createSubscription")), /^201 POST \/v1\/subscriptions, /);
    assertQuiet(visit);
  },
);

inBrowser("the try-it form shows errors, and requires no key for public routes", {}, async ({ tab }) => {
  await send(tab, "listTopics");
  await tab.until(`${RESULT("listTopics")}.includes("gpai-family")`);
  await send(tab, "getUsage", { key: "rgf_wrong" });
  await tab.until(`${RESULT("getUsage")}.includes("unauthenticated")`);
  assert.match(await tab.evaluate(RESULT("getUsage")), /^401 GET \/v1\/usage, /);
});
