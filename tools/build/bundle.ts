// Bundles the program into a few files, because an executable loads and compiles its embedded files at each start.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../../deno.json" with { type: "json" };
import { collectLicences } from "./licences.ts";
import { run } from "./run.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** The output folder. It has the source's subfolders, so that relative paths from a bundle work as from its source. */
const FOLDER = join(ROOT, "dist", "bundle");
const BUNDLES = join(FOLDER, "src", "cli");

/**
 * Packages that are not bundled: they expect Node's timers, which are objects, and Deno 2.4 provides these only to code
 * in npm packages.
 */
const NODE_PACKAGES = ["undici", "nodemailer"] as const;

/** The programs of worker threads. */
const THREADS = ["database_worker", "parse_worker"] as const;

/** The input for `deno compile`. */
interface Bundle {
  folder: string;
  /** The config that names the packages that are still imported. */
  config: string;
  main: string;
  /** Files that no import names, which the compiler must include. */
  include: readonly string[];
}

/** The result of bundling; `said` is the bundler's output. */
type Bundling = { kind: "made"; bundle: Bundle } | { kind: "failed"; said: string };

/** Bundles the program, after removing an earlier bundle. `facts` are the build facts that `version` reads, as JSON. */
export async function makeBundle(facts: string): Promise<Bundling> {
  await removeBundle();
  await Deno.mkdir(BUNDLES, { recursive: true });
  const { ok, said } = await run(Deno.execPath(), [
    "bundle",
    "--quiet",
    "--lock=executable.lock",
    "--frozen",
    "--platform=deno",
    // With code splitting, a command loads only the code that it needs.
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

/** Returns the settings of deno.json, without the packages that are bundled. */
function bundleConfig(): unknown {
  const { nodeModulesDir, unstable, imports } = manifest;
  return {
    nodeModulesDir,
    unstable,
    imports: Object.fromEntries(NODE_PACKAGES.map((name) => [name, imports[name]])),
  };
}

export async function removeBundle(): Promise<void> {
  await Deno.remove(FOLDER, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

/** Sets the time of every file, because executables contain file times and would otherwise differ with each build. */
export async function setTimes(folder: string, time: number): Promise<void> {
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) await setTimes(path, time);
    else await Deno.utime(path, time, time);
  }
}
