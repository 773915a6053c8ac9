// What a test needs of the machine: without it, the test is skipped and its name says why.
import { join } from "node:path";

/** Why a need is not met; null when it is. */
export type Need = string | null;

/** The path of the first of these programs that is on the PATH; null without one. */
export function findProgram(...names: string[]): string | null {
  const folders = (Deno.env.get("PATH") ?? "").split(Deno.build.os === "windows" ? ";" : ":");
  for (const name of names) {
    const path = folders.map((folder) => join(folder, name)).find(isExecutable);
    if (path !== undefined) return path;
  }
  return null;
}

/** Needs each of the programs on the PATH. */
export function program(...names: string[]): Need {
  const missing = names.filter((name) => findProgram(name) === null);
  return missing.length === 0 ? null : `${missing.join(", ")} not installed`;
}

/** Needs what is true. */
export function condition(isMet: boolean, otherwise: string): Need {
  return isMet ? null : otherwise;
}

/** The name and `ignore` of a test with needs: `Deno.test({ ...needs("promtool takes the alerts", program("promtool")), fn })`. */
export function needs(name: string, ...all: Need[]): { name: string; ignore: boolean } {
  const why = all.filter((need) => need !== null);
  return why.length === 0 ? { name, ignore: false } : { name: `${name} [${why.join("; ")}]`, ignore: true };
}

function isExecutable(path: string): boolean {
  try {
    const { isFile, mode } = Deno.statSync(path);
    return isFile && (mode === null || (mode & 0o111) !== 0);
  } catch {
    return false;
  }
}
