// README and docs have working links and complete contents, and describe every command.
import assert from "node:assert/strict";
import { loadEveryCommand } from "../../src/cli/commands.ts";

const ROOT = new URL("../../", import.meta.url);

async function pages(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const folder of ["", "docs/use/", "docs/run/", "docs/develop/"]) {
    for await (const { name } of Deno.readDir(new URL(folder, ROOT))) {
      if (!name.endsWith(".md")) continue;
      found.set(`${folder}${name}`, await Deno.readTextFile(new URL(`${folder}${name}`, ROOT)));
    }
  }
  return found;
}

/** Returns the anchors of a page's headings: lower case, without punctuation, with hyphens for spaces. */
function anchorsOf(page: string): Set<string> {
  const headings = [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) => heading.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-")),
  );
}

/** Removes code blocks, because comments in code look like headings. */
function withoutCode(page: string): string {
  return page.replace(/^```[^]*?^```$/gm, "");
}

Deno.test("every link of README and docs leads to an existing file and heading", async () => {
  const all = await pages();
  let links = 0;
  for (const [path, page] of all) {
    for (const [link, target = ""] of withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      links++;
      const url = new URL(target, new URL(path, ROOT));
      const file = decodeURIComponent(url.pathname.slice(ROOT.pathname.length));
      const to = all.get(file);
      if (to === undefined) await Deno.stat(new URL(file, ROOT));
      if (url.hash === "") continue;
      assert.ok(to !== undefined, `${path}: ${link}`);
      assert.ok(anchorsOf(to).has(url.hash.slice(1)), `${path}: ${link} leads to no heading`);
    }
  }
  assert.ok(links > 40, "the links are found");
});

Deno.test("the contents of a document name every section", async () => {
  let found = 0;
  for (const [path, text] of await pages()) {
    const [contents = "", ...sections] = withoutCode(text).split(/^(?=## )/m);
    if (!contents.includes("](#")) continue;
    found++;
    for (const section of sections) {
      const [anchor = ""] = anchorsOf(section.split("\n")[0] ?? "");
      assert.ok(contents.includes(`(#${anchor})`), `${path}: #${anchor} is not in the contents`);
    }
  }
  assert.ok(found > 3, "the contents are found");
});

Deno.test("README.md leads to every document, in two links to guides and otherwise in one, and fits on one screen", async () => {
  const all = await pages();
  const readme = all.get("README.md") ?? "";
  const overview = all.get("docs/use/api.md") ?? "";
  for (const path of all.keys()) {
    if (path === "README.md") continue;
    const name = path.slice("docs/use/".length);
    const isListed = path.startsWith("docs/use/") && overview.includes(`](${name})`);
    assert.ok(isListed || readme.includes(`](${path})`), `${path} is not linked`);
  }
  assert.ok(readme.split("\n").length <= 60, "more than 60 lines");
});

Deno.test("every document in docs begins with a sentence that names its readers", async () => {
  for (const [path, text] of await pages()) {
    if (!path.startsWith("docs/") || /\.(de|fr)\.md$/.test(path)) continue;
    const [, paragraph = ""] = text.split("\n\n");
    assert.match(
      paragraph,
      /^This (guide|page|reference) for (API|cust|devel|operators|subscr)/,
      `${path}: ${paragraph}`,
    );
  }
});

Deno.test("docs/run/commands.md names every command", async () => {
  const commands = (await pages()).get("docs/run/commands.md") ?? assert.fail("no commands");
  const named = [...commands.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
  for (const { name } of await loadEveryCommand()) {
    assert.ok(named.some((code) => `${code} `.startsWith(`${name} `)), `${name} is not named`);
  }
});
