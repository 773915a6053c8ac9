// The feed and an event by keyboard alone, in Chromium (on Debian: apt-get install chromium).
import assert from "node:assert/strict";
import { condition, needs } from "../../support/needs.ts";
import { CHROMIUM, withBrowser } from "../../support/peers/chromium.ts";
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
