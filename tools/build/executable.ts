// How the executable is made: what it may do, what it holds, what it says of its making.
import { makeBundle, removeBundle, setTimes } from "./bundle.ts";
import { run } from "./run.ts";

/** What the executable may do; fixed when it is made. It starts no process and loads no library. */
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
 * When the runtime collects garbage. By itself it does so for a machine that has nothing else to do: up to 192 MB are
 * taken for what was allocated last, the rest grows to four times what is in use, and little of either is given back.
 * None of these is a limit that something could fail at.
 */
export const COLLECTOR: readonly string[] = [
  // A third of what is taken for what was allocated last, MB.
  "--max-semi-space-size=16",
  // Of what is older nothing is collected before it is so much, MB: twice what the service has in use.
  "--initial-old-space-size=64",
  // From then on, it is when it has grown by half since the last time.
  "--heap-growing-percent=50",
];

/** What an executable was made from. */
export interface BuildFacts {
  /** The commit, with "+changes" where the files were not as it has them; null outside of a repository. */
  commit: string | null;
  /** Whether `OTEL_DENO` was set: on the base of Deno 2.4 that decides whether the executable exports traces. */
  traces: boolean;
}

/** Makes the executable at `output`, for this machine or for a target such as "aarch64-apple-darwin". */
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
      "--no-check", // the check task does that, with the types of the newer runtime
      "--no-code-cache", // its file would have a name that others can guess
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

/** What the files here are. */
export async function buildFacts(): Promise<BuildFacts> {
  const traces = ["true", "1"].includes(Deno.env.get("OTEL_DENO") ?? "");
  const commit = await run("git", ["rev-parse", "HEAD"]);
  if (!commit.ok) return { commit: null, traces };
  const changes = await run("git", ["status", "--porcelain", "--untracked-files=no"]);
  return { commit: commit.said.trim() + (changes.said.trim() === "" ? "" : "+changes"), traces };
}

/** When the files here were committed, Unix seconds; null outside of a repository. */
export async function commitTime(): Promise<number | null> {
  const { ok, said } = await run("git", ["log", "-1", "--format=%ct"]);
  return ok ? Number(said) : null;
}
