// Writes a screenshot of every page to docs/screenshots, from the demo's data: [NAME...].
import { withBrowser } from "../tests/support/peers/chromium.ts";
import { NAMES, pageOf } from "../tests/web/every_page.ts";
import { withSampleService } from "../tests/web/sample_service.ts";

const FOLDER = new URL("../docs/screenshots/", import.meta.url);
const WIDTH = 1280;
/** Documentation pages are long; their beginning shows enough. */
const MAX_HEIGHT = 1_600;

const wanted = NAMES.filter((name) => Deno.args.length === 0 || Deno.args.includes(name));
await Deno.mkdir(FOLDER, { recursive: true });
await withBrowser((browser) =>
  withSampleService(async (service) => {
    for (const name of wanted) {
      const { path, viewer } = pageOf(name, service);
      const viewing = { width: WIDTH, cookies: service.cookies[viewer] };
      await browser.withTab(`${service.origin}${path}`, viewing, async (tab) => {
        await Deno.writeFile(new URL(`${name}.webp`, FOLDER), await tab.screenshot(MAX_HEIGHT));
      });
    }
  })
);
console.log(`docs/screenshots: ${wanted.length} pages`);
