// README and docs as their readers follow them: links that lead somewhere, contents and commands that leave nothing out.
import assert from "node:assert/strict";
import { loadEveryCommand } from "../../src/cli/commands.ts";

const ROOT = new URL("../../", import.meta.url);

/** The pages, by their path from the root. */
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

/** The anchors that a page's headings get: lower case, without punctuation, blanks as hyphens. */
function anchorsOf(page: string): Set<string> {
  const headings = [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) => heading.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-")),
  );
}

/** Comments in code begin like headings. */
function withoutCode(page: string): string {
  return page.replace(/^```[^]*?^```$/gm, "");
}

Deno.test("every link of README and docs leads to a file, and to a heading that is there", async () => {
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

Deno.test("the contents of README.md and docs/run/operations.md name every section", async () => {
  const all = await pages();
  for (const path of ["README.md", "docs/run/operations.md"]) {
    const page = withoutCode(all.get(path) ?? "");
    const [contents = "", ...sections] = page.split(/^(?=## )/m);
    for (const section of sections) {
      const [anchor = ""] = anchorsOf(section.split("\n")[0] ?? "");
      if (anchor === "licence") continue;
      assert.ok(contents.includes(`(#${anchor})`), `${path}: #${anchor} is not in the contents`);
    }
  }
});

Deno.test("the table of README.md names every command", async () => {
  const readme = (await pages()).get("README.md") ?? "";
  const table = /^## Commands$[^]*?(?=^## )/m.exec(readme)?.[0] ?? assert.fail("no commands");
  // `customer add\|list` stands for two commands, `source test ID` for one.
  const named = [...table.matchAll(/`([^`]+)`/g)].flatMap(([, code = ""]) => {
    const [first = "", rest = ""] = code.split(" ");
    return /^[a-z-]+(\\\|[a-z-]+)*$/.test(rest)
      ? rest.split("\\|").map((word) => `${first} ${word}`)
      : [first];
  });
  for (const { name } of await loadEveryCommand()) assert.ok(named.includes(name), `${name} is not named`);
});
