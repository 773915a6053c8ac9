// Says what denies this process access to a file or folder, and what to do: for `doctor` and for opening the store.
import type { Obstacle } from "../platform/files/users.ts";

interface Denied {
  user: string | null;
  /** The folder of the data, which may be given to this user. */
  data: string;
}

/** Returns why access is denied, and what to do. */
export function adviceOn(
  { path, what, owner, mode, isImmutable }: Obstacle,
  { user, data }: Denied,
): { why: string; todo: string } {
  const me = user === null ? "this process" : `the user ${user}`;
  const verb = { enter: "enter", read: "read", write: "write to" }[what];
  const bits = mode.toString(8).padStart(4, "0");
  if (isImmutable) {
    return {
      why: `the system does not let ${me} ${verb} ${path}, whatever its mode`,
      todo: `see whether it is immutable (lsattr -d ${path}) and allow changes: chattr -i ${path}`,
    };
  }
  if (owner === user) {
    return { why: `${path} has mode ${bits}, so ${me} cannot ${verb} it`, todo: `chmod u+rwX ${path}` };
  }
  return {
    why: `${path} belongs to ${owner} (mode ${bits}), and this process runs as ${user ?? "another user"}, ` +
      `who cannot ${verb} it`,
    todo:
      `run this command as ${owner} (\`sudo -u ${owner} regfeed …\`), or give the data to ${
        user ?? "that user"
      }: ` +
      `chown -R ${user ?? "USER"} ${data}`,
  };
}

export function describeObstacle(obstacle: Obstacle, denied: Denied): string {
  const { why, todo } = adviceOn(obstacle, denied);
  return `${why}: ${todo}`;
}
