// Requirements of tests. A test with an unmet requirement is skipped, and its name states the reason.
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Why a requirement is not met, or null if it is. */
export type Need = string | null;

/** Returns the name and `ignore` of a test: `Deno.test(needs("it is valid", program("promtool")), () => …)`. */
export function needs(name: string, ...all: Need[]): { name: string; ignore: boolean } {
  const unmet = all.filter((need) => need !== null);
  return unmet.length === 0
    ? { name, ignore: false }
    : { name: `${name} (skipped: ${unmet.join("; ")})`, ignore: true };
}

export function condition(isMet: boolean, otherwise: string): Need {
  return isMet ? null : otherwise;
}

export function present(path: string | URL): Need {
  return condition(existsSync(path), `${String(path).split("/").slice(-2).join("/")} is not on this machine`);
}

export function program(...names: string[]): Need {
  const missing = names.filter((name) => findProgram(name) === null);
  return condition(missing.length === 0, `${missing.join(" and ")} not installed`);
}

/** Returns the path of the first of these programs on the PATH, or null. */
export function findProgram(...names: string[]): string | null {
  const folders = (Deno.env.get("PATH") ?? "").split(Deno.build.os === "windows" ? ";" : ":");
  for (const name of names) {
    const path = folders.map((folder) => join(folder, name)).find(isExecutable);
    if (path !== undefined) return path;
  }
  return null;
}

function isExecutable(path: string): boolean {
  try {
    const { isFile, mode } = Deno.statSync(path);
    return isFile && (mode === null || (mode & 0o111) !== 0);
  } catch {
    return false;
  }
}

/** Deno 2.4 does not report that a worker has called `process.exit`. */
export const WORKER_EXITS: Need = condition(
  !Deno.version.deno.startsWith("2.4."),
  "Deno 2.4 reports no exit of a worker",
);
export const LINUX: Need = condition(Deno.build.os === "linux", "not on Linux");
export const POSIX: Need = condition(Deno.build.os !== "windows", "on Windows");
export const ROOT: Need = condition(Deno.uid() === 0, "not run by root");
export const UNPRIVILEGED: Need = POSIX ?? condition(Deno.uid() !== 0, "run by root, who may do everything");
