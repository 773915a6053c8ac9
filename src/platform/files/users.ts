// The system's users, and what one of them may not do with a path: found by trying.
import { dirname } from "node:path";

/** The name of a user by its number, as far as the system lists it; `uid:N` where it does not. */
export function nameOfUser(uid: number): string {
  return userNames().get(uid) ?? `uid:${uid}`;
}

/** Who runs this process; null where that cannot be told. */
export function currentUser(): string | null {
  try {
    const uid = Deno.uid();
    return uid === null ? null : nameOfUser(uid);
  } catch {
    return null; // a system that does not let us ask
  }
}

function userNames(): ReadonlyMap<number, string> {
  try {
    const lines = Deno.readTextFileSync("/etc/passwd").split("\n").map((line) => line.split(":"))
      .filter(({ length }) => length > 2);
    return new Map(lines.map(([name = "", , uid = ""]) => [Number(uid), name]));
  } catch {
    return new Map(); // without that file the number says enough
  }
}

/** What keeps this process's user from a file: a folder above it, or the file itself. */
export interface Obstacle {
  path: string;
  /** What the user may not do with it. */
  what: "enter" | "read" | "write";
  owner: string;
  /** The permission bits. */
  mode: number;
}

/** What keeps this user from reading and changing the file, and from making others beside it; null when nothing does. */
export function findObstacle(path: string): Obstacle | null {
  const folder = dirname(path);
  const closed = findClosedFolder(path);
  if (closed !== null) return describe(closed, "enter");
  if (isDenied(() => Deno.openSync(path).close())) return describe(path, "read");
  if (isDenied(() => Deno.openSync(path, { append: true }).close())) return describe(path, "write");
  const make = () => Deno.removeSync(Deno.makeTempDirSync({ dir: folder, prefix: ".regfeed-" }));
  return isDenied(make) ? describe(folder, "write") : null;
}

/** The uppermost folder above a path that this user may not look into. */
function findClosedFolder(path: string): string | null {
  const above: string[] = [];
  for (let at = path; dirname(at) !== at; at = dirname(at)) above.unshift(at);
  const hidden = above.find((at) => isDenied(() => Deno.statSync(at)));
  return hidden === undefined ? null : dirname(hidden);
}

function isDenied(work: () => void): boolean {
  try {
    work();
    return false;
  } catch (error) {
    return error instanceof Deno.errors.PermissionDenied;
  }
}

function describe(path: string, what: Obstacle["what"]): Obstacle | null {
  const { uid, mode } = Deno.statSync(path);
  return uid === null || mode === null ? null : { path, what, owner: nameOfUser(uid), mode: mode & 0o777 };
}
