// Builds the executable, with its permissions, garbage collection settings and build facts.
import { makeBundle, removeBundle, setTimes } from "./bundle.ts";
import { run } from "./run.ts";

/** The executable's permissions, fixed at build time. They do not allow it to start processes or load libraries. */
const PERMISSIONS = [
  "--no-prompt",
  "--allow-net",
  "--allow-env",
  "--allow-read",
  "--allow-write",
  "--allow-sys=hostname,statfs,uid",
  "--deny-run",
  "--deny-ffi",
];

/**
 * V8 flags for garbage collection. By default, V8 uses up to 192 MB for new objects, lets the rest of the heap grow
 * to four times what is in use, and returns little memory to the system. None of these flags limits the total size of
 * the heap.
 */
export const COLLECTOR: readonly string[] = [
  // Maximum size of a semi-space, MB: one third of the space for new objects.
  "--max-semi-space-size=16",
  // The size of the old space before its first collection, MB: twice what the service uses.
  "--initial-old-space-size=64",
  // Growth of the old space, in percent, after which it is collected again.
  "--heap-growing-percent=50",
];

/** What an executable was built from. */
export interface BuildFacts {
  /** The commit, with "+changes" if files differed from it; null outside a repository. */
  commit: string | null;
  /** Whether `OTEL_DENO` was set. With the runtime base of Deno 2.4, this decides whether traces are exported. */
  traces: boolean;
}

/** Builds the executable at `output`, for this machine or for a target such as "aarch64-apple-darwin". */
export async function compile(
  { output, target }: { output: string; target?: string },
): Promise<{ ok: boolean; said: string }> {
  const bundling = await makeBundle(`${JSON.stringify(await buildFacts())}\n`);
  if (bundling.kind === "failed") return { ok: false, said: bundling.said };
  const { folder, config, main, include } = bundling.bundle;
  const time = await commitTime();
  if (time !== null) await setTimes(folder, time);
  try {
    return await run(Deno.execPath(), [
      "compile",
      `--config=${config}`,
      "--lock=executable.lock",
      "--frozen",
      "--no-check", // `deno task check` checks the types
      "--no-code-cache", // the cache file would have a predictable name
      `--v8-flags=${COLLECTOR.join(",")}`,
      ...include.map((path) => `--include=${path}`),
      `--output=${output}`,
      ...(target === undefined ? [] : [`--target=${target}`]),
      ...PERMISSIONS,
      main,
    ]);
  } finally {
    await removeBundle();
  }
}

export async function buildFacts(): Promise<BuildFacts> {
  const traces = ["true", "1"].includes(Deno.env.get("OTEL_DENO") ?? "");
  const commit = await run("git", ["rev-parse", "HEAD"]);
  if (!commit.ok) return { commit: null, traces };
  const changes = await run("git", ["status", "--porcelain", "--untracked-files=no"]);
  return { commit: commit.said.trim() + (changes.said.trim() === "" ? "" : "+changes"), traces };
}

/** Returns the time of the current commit in Unix seconds, or null outside a repository. */
export async function commitTime(): Promise<number | null> {
  const { ok, said } = await run("git", ["log", "-1", "--format=%ct"]);
  return ok ? Number(said) : null;
}
