// Finds the names of users, and what denies this process access to a path.
import { dirname } from "node:path";

/** Returns the name of a user, or `uid:N` if the system does not list it. */
function nameOfUser(uid: number): string {
  return userNames().get(uid) ?? `uid:${uid}`;
}

/** Returns the name of the user that runs this process, or null if it is unknown. */
export function currentUser(): string | null {
  try {
    const uid = Deno.uid();
    return uid === null ? null : nameOfUser(uid);
  } catch {
    return null; // the system or the sandbox does not allow it
  }
}

function userNames(): ReadonlyMap<number, string> {
  try {
    const lines = Deno.readTextFileSync("/etc/passwd").split("\n").map((line) => line.split(":"))
      .filter(({ length }) => length > 2);
    return new Map(lines.map(([name = "", , uid = ""]) => [Number(uid), name]));
  } catch {
    return new Map(); // without this file, the number is shown
  }
}

/** A file or folder whose permissions deny access to a path. */
export interface Obstacle {
  path: string;
  what: "enter" | "read" | "write";
  owner: string;
  mode: number;
  /** Whether the system refuses even what the mode allows, as for an immutable file. */
  isImmutable: boolean;
}

/** Returns what prevents reading and changing the file or creating files next to it, or null if nothing does. */
export function findObstacle(path: string): Obstacle | null {
  const folder = dirname(path);
  const closed = findClosedFolder(path);
  if (closed !== null) return describe(closed, "enter");
  const make = () => Deno.removeSync(Deno.makeTempDirSync({ dir: folder, prefix: ".regfeed-" }));
  const attempts: [at: string, what: Obstacle["what"], work: () => void][] = [
    [path, "read", () => Deno.openSync(path).close()],
    [path, "write", () => Deno.openSync(path, { append: true }).close()],
    [folder, "write", make],
  ];
  for (const [at, what, work] of attempts) {
    const code = denial(work);
    if (code !== null) return describe(at, what, code === "EPERM");
  }
  return null;
}

/** Of the folders above a path, returns the topmost one that this user cannot enter, or null if there is none. */
function findClosedFolder(path: string): string | null {
  const above: string[] = [];
  for (let at = path; dirname(at) !== at; at = dirname(at)) above.unshift(at);
  const hidden = above.find((at) => denial(() => Deno.statSync(at)) !== null);
  return hidden === undefined ? null : dirname(hidden);
}

/** Returns the system's code for a denied permission, or null if the work is not denied. */
function denial(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof Deno.errors.PermissionDenied ? (error as { code?: string }).code ?? "" : null;
  }
}

function describe(path: string, what: Obstacle["what"], isImmutable = false): Obstacle | null {
  const { uid, mode } = Deno.statSync(path);
  if (uid === null || mode === null) return null;
  return { path, what, owner: nameOfUser(uid), mode: mode & 0o777, isImmutable };
}
