// The console by keyboard alone, in Chromium (on Debian: apt-get install chromium).
import assert from "node:assert/strict";
import { condition, needs } from "../../support/needs.ts";
import { CHROMIUM, type Tab, withBrowser } from "../../support/peers/chromium.ts";
import { withSampleService } from "../sample_service.ts";

/** The text of the focused element. */
const FOCUSED = "document.activeElement.textContent.trim()";
const TITLES = `[...document.querySelectorAll(".rows h3 a")].map((one) => one.textContent.trim())`;

Deno.test(
  needs(
    "the feed by keyboard: move, search, filter, open an event, and compare versions",
    condition(CHROMIUM !== null, "chromium not installed"),
  ),
  () =>
    withSampleService(({ origin, cookies }) =>
      withBrowser((browser) =>
        browser.withTab(`${origin}/console`, { cookies: cookies.customer }, async (tab) => {
          await tab.until(`document.querySelector(".keyboard")?.hidden === false`);
          const titles = await tab.evaluate<string[]>(TITLES);
          assert.ok(titles.length > 2);
          for (const [key, at] of [["j", 0], ["j", 1], ["j", 2], ["k", 1]] as const) {
            await tab.press(key);
            assert.equal(await tab.evaluate(FOCUSED), titles[at], `${key} moves to ${at}`);
          }
          await tab.press("?");
          await tab.until(`document.querySelector("#shortcuts").matches(":popover-open")`);
          await tab.press("Escape");
          await tab.until(`!document.querySelector("#shortcuts").matches(":popover-open")`);

          await tab.press("/");
          assert.equal(await tab.evaluate("document.activeElement.id"), "search");
          await tab.type("j");
          assert.equal(
            await tab.evaluate("document.activeElement.value"),
            "j",
            "letters are typed in a field",
          );
          await tab.press("Enter");
          await tab.until(`location.search === "?q=j" && document.readyState === "complete"`);

          await tab.visit(`${origin}/console?latest=true`);
          await tab.until(`document.querySelector(".keyboard")?.hidden === false`);
          const at = (await tab.evaluate<boolean[]>(
            `[...document.querySelectorAll(".rows .row")].map((row) => row.textContent.includes("Version 2"))`,
          )).indexOf(true);
          assert.ok(at >= 0);
          for (let step = 0; step <= at; step++) await tab.press("j");
          await tab.press("o");
          await tab.until(
            `location.pathname.startsWith("/console/events/") && document.readyState === "complete"`,
          );
          assert.ok(await tab.evaluate(`document.querySelectorAll("ins").length > 0`));
          for (let step = 0; step < 60; step++) {
            if (await tab.evaluate(`document.activeElement.matches(".tabs a:not([aria-current])")`)) break;
            await tab.press("Tab");
          }
          await tab.press("Enter");
          await tab.until(`location.search.includes("view=side")`);
        })
      )
    ),
);

/** Moves with Tab to the first element that matches a selector and contains a text. */
async function tabTo(tab: Tab, selector: string, text = ""): Promise<void> {
  const isThere = `document.activeElement.matches(${JSON.stringify(selector)}) &&
    document.activeElement.textContent.includes(${JSON.stringify(text)})`;
  for (let step = 0; step < 80; step++) {
    if (await tab.evaluate<boolean>(isThere)) return;
    await tab.press("Tab");
  }
  assert.fail(`no element ${selector} ${text} can be reached`);
}

Deno.test(
  needs(
    "subscriptions by keyboard: create one with a check in place, test it, and replay a delivery",
    condition(CHROMIUM !== null, "chromium not installed"),
  ),
  () =>
    withSampleService(({ origin, cookies, world }) =>
      withBrowser((browser) =>
        browser.withTab(`${origin}/console/subscriptions`, { cookies: cookies.customer }, async (tab) => {
          const opened = (path: string) =>
            tab.until(`location.pathname.match(${path}) && document.readyState === "complete"`);
          await tabTo(tab, "main a", "New subscription");
          await tab.press("Enter");
          await opened("/new$/");
          await tabTo(tab, "#webhook_url");
          await tab.type("https://hooks.example.org/compliance?by=keyboard");
          await tab.press("Tab");
          await tab.until(`document.querySelector("#check .good") !== null`);
          assert.match(
            await tab.evaluate<string>(`document.querySelector("#check").textContent`),
            /This URL can receive webhooks.*About \d+ events? (a|in four) weeks? pass/s,
          );
          await tab.type("Keyboard");
          await tab.press("Enter");
          await tab.until(`document.querySelector("#secret") !== null`);
          assert.match(await tab.evaluate(`document.querySelector("#secret").textContent`), /^[0-9a-f]{64}$/);
          await tabTo(tab, "main a", "Open the subscription");
          await tab.press("Enter");
          await opened("/sub_\\w+$/");
          await tabTo(tab, "button", "Send test");
          await tab.press("Enter");
          await tab.until(`document.querySelector(".notice.good")?.textContent.includes("The test arrived")`);

          await tab.visit(`${origin}/console/subscriptions`);
          await tabTo(tab, "tbody a", "Compliance team");
          await tab.press("Enter");
          await opened("/sub_\\w+$/");
          await tabTo(tab, "#deliveries tbody a");
          await tab.press("Enter");
          await opened("/dlv_\\w+$/");
          const before = world.platform.http.requests.length;
          await tabTo(tab, "button", "Replay");
          await tab.press("Enter");
          await tab.until(`document.querySelector(".toast")?.textContent.includes("sent again")`);
          await world.app.tick();
          assert.equal(
            world.platform.http.requests.slice(before).filter(({ method }) => method === "POST").length,
            1,
          );
          assert.deepEqual(tab.complaints, []);
        })
      )
    ),
);
