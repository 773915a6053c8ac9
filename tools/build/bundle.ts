// The program as few files: what an executable embeds is found, read and compiled again at each of its starts.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../../deno.json" with { type: "json" };
import { collectLicences } from "./licences.ts";
import { run } from "./run.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Where it is made; its folders are those of the source, so that what is found beside a file is found beside a bundle. */
const FOLDER = join(ROOT, "dist", "bundle");
const BUNDLES = join(FOLDER, "src", "cli");

/**
 * Packages that stay as they are: they are written for Node, whose timers are objects, and Deno 2.4 gives those to what
 * is a package of npm's and to nothing else.
 */
const NODE_PACKAGES = ["undici", "nodemailer"] as const;

/** The programs of worker threads. */
const THREADS = ["database_worker", "parse_worker"] as const;

/** What an executable is made of. */
export interface Bundle {
  folder: string;
  /** Where the packages are that it still imports. */
  config: string;
  /** The entry point. */
  main: string;
  /** What nothing imports by name, and has to be named to the compiler. */
  include: readonly string[];
}

/** What came of bundling. */
export type Bundling = { kind: "made"; bundle: Bundle } | { kind: "failed"; said: string };

/** Bundles the program; `facts` is what `version` reads of its making. What is left of an earlier one goes first. */
export async function makeBundle(facts: string): Promise<Bundling> {
  await removeBundle();
  await Deno.mkdir(BUNDLES, { recursive: true });
  const { ok, said } = await run(Deno.execPath(), [
    "bundle",
    "--quiet",
    "--lock=executable.lock",
    "--frozen",
    "--platform=deno",
    // Each command is loaded with what it needs and nothing else.
    "--code-splitting",
    ...NODE_PACKAGES.map((name) => `--external=${name}`),
    `--outdir=${BUNDLES}`,
    "main.ts",
    ...THREADS.map((name) => `src/${name}.ts`),
  ]);
  if (!ok) return { kind: "failed", said };
  const config = join(FOLDER, "deno.json");
  await Deno.writeTextFile(config, JSON.stringify(bundleConfig()));
  const threads = THREADS.map((name) => join(FOLDER, "src", `${name}.ts`));
  for (const [at, name] of THREADS.entries()) {
    await Deno.writeTextFile(threads[at] as string, `import "./cli/src/${name}.js";\n`);
  }
  const made = join(FOLDER, "build.json");
  await Deno.writeTextFile(made, facts);
  const licences = join(FOLDER, "licences.txt");
  await Deno.writeTextFile(licences, await collectLicences());
  return {
    kind: "made",
    bundle: { folder: FOLDER, config, main: join(BUNDLES, "main.js"), include: [...threads, made, licences] },
  };
}

/** The settings of the source, with nothing named that is not embedded. */
function bundleConfig(): unknown {
  const { nodeModulesDir, unstable, imports } = manifest;
  return {
    nodeModulesDir,
    unstable,
    imports: Object.fromEntries(NODE_PACKAGES.map((name) => [name, imports[name]])),
  };
}

/** Removes what was made. */
export async function removeBundle(): Promise<void> {
  await Deno.remove(FOLDER, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

/** Gives every file the time: an executable holds the time of each file in it, and would be another with every build. */
export async function setTimes(folder: string, time: number): Promise<void> {
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) await setTimes(path, time);
    else await Deno.utime(path, time, time);
  }
}
