// Signing in with a real browser: by keyboard alone, from other sites, and at an issuer.
import assert from "node:assert/strict";
import axe from "npm:axe-core@4.14.1";
import { Events, OAuth2Server } from "npm:oauth2-mock-server@9.3.0";
import { issueLink } from "../../../src/operate/sign_in_links.ts";
import { createHttpClient } from "../../../src/platform/http/http.ts";
import { listen } from "../../../src/platform/http/http_server.ts";
import { CHROMIUM, type Tab, type Viewing, withTab } from "../../support/peers/chromium.ts";
import { condition, needs } from "../../support/needs.ts";
import { createWorld, type World } from "../../support/world.ts";
import { BY } from "../../store/contract/given.ts";

interface Service {
  world: World;
  /** `http://127.0.0.1:PORT` */
  origin: string;
  /** `http://localhost:PORT`: for a browser, another site. */
  issuer: string;
  key: string;
}

/** Runs a service with a customer, and an issuer whose person is an operator. */
async function withService(work: (service: Service) => Promise<void>): Promise<void> {
  const issuer = new OAuth2Server();
  await issuer.issuer.keys.generate("RS256");
  await issuer.start(0, "localhost");
  issuer.service.on(Events.BeforeTokenSigning, ({ payload }) => {
    Object.assign(payload, { groups: ["ops"], email: "olga@b.example", email_verified: true });
  });
  let world: World | null = null;
  const server = await listen({
    hostname: "127.0.0.1",
    port: 0,
    handler: (request) => world?.app.fetch(request) ?? new Response(null, { status: 503 }),
  });
  const http = createHttpClient();
  try {
    world = await createWorld(`
[server]
public_url = "${server.address}"
[console.oidc]
issuer = "${issuer.issuer.url}"
client_id = "regfeed"
operator_groups = ["ops"]`);
    Object.assign(world.platform.http, { request: http.request });
    const { key } = await world.addCustomer();
    await work({ world, origin: server.address, issuer: issuer.issuer.url ?? "", key });
  } finally {
    await http.close();
    await server.shutdown(1_000);
    await world?.close();
    await issuer.stop();
  }
}

const inBrowser = (name: string, work: (service: Service) => Promise<void>): void =>
  Deno.test(needs(name, condition(CHROMIUM !== null, "chromium not installed")), () => withService(work));

/** Presses Tab until the element has the focus. */
async function tabTo(tab: Tab, selector: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await tab.press("Tab");
    if (
      await tab.evaluate(`document.activeElement === document.querySelector(${JSON.stringify(selector)})`)
    ) return;
  }
  assert.fail(`${selector} cannot be reached with Tab`);
}

const isAt = (path: string) =>
  `location.pathname === ${JSON.stringify(path)} && document.readyState === "complete"`;

async function signInByKeyboard(tab: Tab, key: string): Promise<void> {
  await tabTo(tab, "#key");
  await tab.type(key);
  await tab.press("Enter");
}

inBrowser("a customer signs in, ends sessions and signs out by keyboard alone", async ({ origin, key }) => {
  for (const javaScript of [true, false]) {
    const viewing: Viewing = { javaScript };
    await withTab(`${origin}/console/sessions`, viewing, async (tab) => {
      await tab.until(isAt("/sign-in"));
      await signInByKeyboard(tab, key);
      await tab.until(isAt("/console/sessions"));
      await tabTo(tab, "main table button");
      await tabTo(tab, "details.menu summary");
      await tab.press("Enter");
      await tabTo(tab, 'form[action="/sign-out"] button');
      await tab.press("Enter");
      await tab.until(isAt("/"));
      assert.deepEqual(tab.complaints, []);
    });
  }
});

inBrowser("a one-time link signs an operator in with one key", async ({ world, origin }) => {
  const { config, store, platform } = world;
  const by = { ...BY, atMs: platform.clock.nowMs() };
  const { url } = await issueLink({ config, store, random: platform.random }, {
    kind: "operator",
    name: "olga",
  }, by);
  await withTab(`${url}?return_to=/operator/sessions`, {}, async (tab) => {
    await tabTo(tab, "main form button");
    await tab.press("Enter");
    await tab.until(isAt("/operator/sessions"));
    assert.ok(url.startsWith(origin));
    assert.deepEqual(tab.complaints, []);
  });
});

inBrowser(
  "an operator comes back signed in from the issuer, which is another site",
  async ({ origin, issuer }) => {
    await withTab(`${origin}/operator/sessions`, { javaScript: false }, async (tab) => {
      await tab.until(isAt("/sign-in"));
      await tabTo(tab, 'a[href^="/sign-in/oidc"]');
      await tab.press("Enter");
      await tab.until(isAt("/operator/sessions"));
      assert.ok(tab.requests.some((url) => url.startsWith(`${issuer}/authorize`)));
      assert.match(await tab.evaluate("document.body.innerText"), /olga[^]*Single sign-on/);
      assert.deepEqual(tab.complaints, []);
    });
  },
);

inBrowser(
  "a link from another site opens the page of someone who is signed in",
  async ({ origin, issuer, key }) => {
    await withTab(`${origin}/sign-in?return_to=/console/sessions`, {}, async (tab) => {
      await signInByKeyboard(tab, key);
      await tab.until(isAt("/console/sessions"));
      await tab.evaluate(`location.href = ${JSON.stringify(`${issuer}/jwks`)}`);
      await tab.until(`location.origin === ${JSON.stringify(issuer)} && document.readyState === "complete"`);
      await tab.evaluate(`location.href = ${JSON.stringify(`${origin}/console/sessions?a=1`)}`);
      await tab.until(`location.search === "?a=1" && document.querySelector("main table") !== null`);
    });
  },
);

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

inBrowser("the states of the sign-in are accessible (WCAG 2.2 AA) and fit 360 pixels", async ({ origin }) => {
  const states: [what: string, act: (tab: Tab) => Promise<void>][] = [
    ["a wrong key", async (tab) => {
      await signInByKeyboard(tab, "wrong");
      await tab.until("document.querySelector('[role=alert]') !== null");
    }],
    ["a requested link", async (tab) => {
      await tabTo(tab, "#email");
      await tab.type("ana@example.org");
      await tab.press("Enter");
      await tab.until(isAt("/sign-in/email"));
    }],
  ];
  for (const [what, act] of states) {
    for (const [width, colours] of [[1280, "light"], [360, "dark"]] as const) {
      await withTab(`${origin}/sign-in`, { width, colours }, async (tab) => {
        await act(tab);
        const wide = await tab.evaluate<number>("document.documentElement.scrollWidth");
        assert.ok(wide <= width, `${what}: ${wide} pixels wide`);
        await tab.evaluate(`${axe.source}; null`);
        const found = await tab.evaluate<string[]>(
          `axe.run(document, { runOnly: ${JSON.stringify(WCAG)} }).then(({ violations }) =>
            violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html).join(" ")))`,
        );
        assert.deepEqual(found, [], what);
      });
    }
  }
});
