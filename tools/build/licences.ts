// Collects the licences that must be distributed with an executable from the files of its packages.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./run.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const RULE = `\n${"-".repeat(80)}\n`;

interface Part {
  name: string;
  version: string;
  /** The texts of the licence, or the licence that the package.json states. */
  texts: readonly string[];
}

/**
 * Returns the licences of Regfeed, the runtime and every package in `executable.lock`, as listed in the SBOM. Throws if
 * the licence of a package is missing, because no package may be distributed without its licence.
 */
export async function collectLicences(): Promise<string> {
  const own = await Deno.readTextFile(join(ROOT, "LICENSE"));
  const parts = [await runtimePart(), ...await packageParts()];
  const list = parts.map(({ name, version }) => `  ${name} ${version}\n`).join("");
  const texts = parts.map(({ name, version, texts }) => `${name} ${version}\n\n${texts.join("\n\n")}`);
  return [
    `${own}\nRegfeed's executable contains the following, each under its own licence, printed below:\n\n${list}`,
    ...texts,
  ].join(
    RULE,
  );
}

/** Returns the runtime with its licence. For its components, which are not npm packages, refers to its repository. */
async function runtimePart(): Promise<Part> {
  const folder = dirname(Deno.execPath());
  let text = "Licence: MIT; author: the Deno authors";
  for (const path of [join(folder, "LICENSE"), join(folder, "..", "..", "deno", "LICENSE")]) {
    if (await Deno.stat(path).then(({ isFile }) => isFile, () => false)) text = await Deno.readTextFile(path);
  }
  const more =
    "The components of Deno itself (V8, SQLite, Rust libraries) and their licences are listed in its repository: " +
    "https://github.com/denoland/deno";
  return { name: "deno", version: Deno.version.deno, texts: [text, more] };
}

async function packageParts(): Promise<Part[]> {
  const lock = JSON.parse(await Deno.readTextFile(join(ROOT, "executable.lock"))) as {
    npm: Record<string, unknown>;
  };
  const { npmCache } = JSON.parse((await run(Deno.execPath(), ["info", "--json"])).said) as {
    npmCache: string;
  };
  const registries = await entriesOf(npmCache);
  const parts: Part[] = [];
  for (const key of Object.keys(lock.npm).sort()) {
    const at = key.indexOf("@", 1);
    // The part after an underscore names the peer dependencies and does not occur in the path.
    const [name, version = ""] = [key.slice(0, at), key.slice(at + 1).split("_")[0]];
    let texts: string[] = [];
    for (const registry of registries) {
      if (texts.length === 0) texts = await textsOf(join(npmCache, registry, name, version));
    }
    if (texts.length === 0) {
      throw new Error(`the licence of ${name} ${version} is missing: run \`deno task lock\``);
    }
    parts.push({ name, version, texts });
  }
  return parts;
}

async function textsOf(folder: string): Promise<string[]> {
  const entries = await entriesOf(folder);
  const files = entries.filter((entry) => /^(licen[cs]e|copying|notice)/i.test(entry)).sort();
  if (files.length > 0) return await Promise.all(files.map((file) => Deno.readTextFile(join(folder, file))));
  if (!entries.includes("package.json")) return [];
  return [statedLicence(await Deno.readTextFile(join(folder, "package.json")))];
}

/** Returns the licence that a package without a licence file states in its package.json, `manifest`. */
export function statedLicence(manifest: string): string {
  const { license, author } = JSON.parse(manifest) as {
    license?: string;
    author?: string | { name: string };
  };
  const holder = typeof author === "object" ? author.name : author;
  return `Licence: ${license ?? "not stated"}${holder === undefined ? "" : `; author: ${holder}`}`;
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    throw error;
  }
}
