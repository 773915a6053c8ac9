// What the doctor says of disks: where the database lies, how much room there is, and who can read what.
import { dirname } from "node:path";
import { formatBytes } from "../../domain/byte_format.ts";
import type { SourceSettings } from "../../domain/source.ts";
import type { Machine, Rights, Volume } from "../../platform/machine.ts";
import { type Finding, good, problem, warning } from "./finding.ts";

/** Below this the database can soon not grow any more, bytes. */
const LEAST_FREE_BYTES = 100 * 1024 * 1024;
/** Below this somebody should think of more room, bytes. */
const SCARCE_BYTES = 1024 * 1024 * 1024;
const SCARCE_FILES = 1_000;
/** With fewer files open at once there is little left for connections. */
const LEAST_OPEN_FILES = 512;
/** What is seen and to be done where no change is taken, whoever wants to make it. */
export const READ_ONLY = "its file system is read-only";
/** See {@link READ_ONLY}. */
export const REMOUNT =
  "look into the system's log (a disk that fails is made read-only), mount it writable, or name another place in the config";
/** Rights of anybody but the owner. */
const OTHERS = 0o077;
/** The same, but for reading by the group. */
const MORE_THAN_GROUP = 0o037;
const READS = 0o044;
const CHANGES = 0o022;

/** The folder, or the nearest one above it that is there. */
export function nearestFolder(path: string, machine: Pick<Machine, "rightsOf">): string {
  let folder = path;
  while (machine.rightsOf(folder) === null && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** Of a path below what is the system's own: the runtime keeps it closed, and no file lasts there. Null for any other. */
export function judgeSystemPath(area: string, path: string): Finding | null {
  const root = /^\/(?:dev|proc|sys)(?=\/|$)/.exec(path)?.[0];
  return root === undefined ? null : problem(
    area,
    `${path} lies below ${root}, which is the system's own`,
    "name another place in the config",
  );
}

/** Of the volume on which something lies; `wantedBytes` is what it will need at once. */
export function judgeVolume(
  area: string,
  path: string,
  volume: Volume | null,
  wantedBytes: number,
): Finding[] {
  if (volume === null) return [];
  const findings: Finding[] = [];
  const kind = volume.kind ?? "a local file system";
  if (volume.isNetwork && area === "store") {
    findings.push(problem(
      area,
      `${path} lies on ${kind}, a network file system`,
      "move it to a local disk and change store.path: SQLite's locks do not hold there, and the database breaks",
    ));
  }
  if (volume.kind === "tmpfs") {
    findings.push(warning(
      area,
      `${path} lies in memory (tmpfs): a restart of the machine empties it`,
      "choose a folder on a disk",
    ));
  }
  const room = `${formatBytes(volume.freeBytes)} free at ${path}`;
  if (volume.freeBytes < LEAST_FREE_BYTES) {
    findings.push(problem(area, `only ${room}`, "make room, or move it to a larger disk"));
  } else if (volume.freeBytes < Math.max(SCARCE_BYTES, wantedBytes)) {
    findings.push(warning(
      area,
      wantedBytes > SCARCE_BYTES ? `${room}, and ${formatBytes(wantedBytes)} may be needed at once` : room,
      "make room before it is needed",
    ));
  }
  if (volume.freeFiles !== null && volume.freeFiles < SCARCE_FILES) {
    findings.push(
      warning(area, `${volume.freeFiles} files can still be made at ${path}`, "remove small files"),
    );
  }
  return findings.length > 0 ? findings : [good(area, `${room} (${kind})`)];
}

/** Of a file that holds secrets and that nobody but its owner may read. */
export function judgeSecretFile(path: string, rights: Rights | null): Finding {
  if (rights === null) {
    return problem("secrets", `${path} is not there`, "put it there, or change the config");
  }
  if (!rights.mayRead) {
    return problem(
      "secrets",
      `${path} cannot be read by this user`,
      `give it to the user that runs Regfeed: chown USER ${path}`,
    );
  }
  if ((rights.mode & OTHERS) === 0) return good("secrets", `${path} is its owner's alone`);
  return problem("secrets", `${path} has mode ${modeOf(rights)}: others can read it`, `chmod 600 ${path}`);
}

/** Of a secret's file that the operator has laid out: one of root's may be read by the service's group. */
export function judgeGivenSecret(path: string, rights: Rights | null): Finding {
  if (rights === null || !rights.mayRead || !rights.isRoots) return judgeSecretFile(path, rights);
  if ((rights.mode & MORE_THAN_GROUP) === 0) {
    const readers = (rights.mode & OTHERS) === 0 ? "its owner's alone" : "root's, and its group's to read";
    return good("secrets", `${path} is ${readers}`);
  }
  const todo = `chmod 640 ${path}, and chgrp it to the group of the user that runs Regfeed`;
  return problem("secrets", `${path} has mode ${modeOf(rights)}: others can read it`, todo);
}

/** Of the config file, with the keys whose secrets stand in it. */
export function judgeConfigFile(
  path: string,
  rights: Rights | null,
  inlineSecrets: readonly string[],
): Finding[] {
  if (rights === null) return [];
  const findings: Finding[] = [];
  if ((rights.mode & CHANGES) !== 0) {
    findings.push(problem("secrets", `${path} can be changed by others`, `chmod go-w ${path}`));
  }
  const tooOpen = rights.isRoots ? MORE_THAN_GROUP : OTHERS;
  if (inlineSecrets.length > 0 && (rights.mode & tooOpen & READS) !== 0) {
    findings.push(problem(
      "secrets",
      `${path} has mode ${modeOf(rights)}, so that others can read ${inlineSecrets.join(", ")}`,
      `chmod ${
        rights.isRoots ? 640 : 600
      } ${path} (the user that runs Regfeed must still read it), or put each secret into a file of its own and name that: ` +
        `${lastOf(inlineSecrets[0] ?? "")}_file = "…"`,
    ));
  }
  return findings;
}

function lastOf(key: string): string {
  return key.slice(key.lastIndexOf(".") + 1);
}

function modeOf({ mode }: Rights): string {
  return mode.toString(8).padStart(3, "0");
}

/** Of a folder in which Regfeed writes; it is made when it is not there. */
export function judgeFolder(area: string, path: string, machine: Pick<Machine, "rightsOf">): Finding {
  const there = nearestFolder(path, machine);
  const rights = machine.rightsOf(there);
  if (rights?.isFolder === false) {
    const todo = "move it away, or name another folder in the config";
    return problem(area, `${there} is a file, where a folder has to be`, todo);
  }
  if (rights?.isReadOnly === true) {
    return problem(area, `nothing can be written to ${there}: ${READ_ONLY}`, REMOUNT);
  }
  if (rights?.mayWrite !== true) {
    return problem(
      area,
      `nothing can be written to ${there}`,
      `run this as the user that runs Regfeed, or give the folder to that user: chown USER ${there}`,
    );
  }
  return good(area, there === path ? `${path} can be written to` : `${path} will be made in ${there}`);
}

/** Of the folders that sources are read from. */
export function judgeSourceFolders(
  sources: readonly Pick<SourceSettings, "id" | "fetchStrategy" | "location" | "enabled">[],
  machine: Pick<Machine, "rightsOf">,
): Finding[] {
  return sources.filter(({ fetchStrategy, enabled }) => enabled && fetchStrategy === "files").flatMap(
    ({ id, location }) => {
      const rights = machine.rightsOf(location);
      if (rights?.isFolder === true && rights.mayRead) return [];
      const [seen, todo] = rights === null
        ? ["is not there", `mkdir ${location}, or correct its path`]
        : rights.isFolder
        ? ["cannot be read by this user", `give it to the user that runs Regfeed: chown USER ${location}`]
        : ["is a file", "correct its path: a folder is read, and what is put there"];
      return [warning("sources", `the folder of ${id}, ${location}, ${seen}`, todo)];
    },
  );
}

/** Of the files that a process started from here may have open; connections are files too. */
export function judgeOpenFiles(hasFiles: (count: number) => boolean): Finding {
  return hasFiles(LEAST_OPEN_FILES)
    ? good("files", `more than ${LEAST_OPEN_FILES} files and connections can be open at once`)
    : warning(
      "files",
      `not even ${LEAST_OPEN_FILES} files and connections can be open at once`,
      "raise the limit: LimitNOFILE in the service's unit, `ulimit -n` in a shell",
    );
}
