// Folders that a source must not read, because the service keeps its own files in them.
import { dirname } from "node:path";
import type { SourceSettings } from "../domain/source.ts";
import type { KeyProblem } from "./problems.ts";

/** The parts of a config that name files and folders, absolute. */
interface Folders {
  sources: readonly SourceSettings[];
  store: { path: string; keyFile: string };
  backup: { folder: string };
  mail: { outbox: string };
}

/** Sources of files whose folder is one of the service's own. */
export function findFolderProblems({ sources, store, backup, mail }: Folders): KeyProblem[] {
  const own = new Map([
    [dirname(store.keyFile), "the database's key"],
    [dirname(store.path), "the database"],
    [backup.folder, "backups"],
    [mail.outbox, "mails"],
  ]);
  return sources.flatMap(({ fetchStrategy, location }, at) => {
    const what = fetchStrategy === "files" ? own.get(location) : undefined;
    if (what === undefined) return [];
    const message = `is the folder of ${what}: name a folder that holds the documents and nothing else`;
    return [{ path: ["sources", at, "path"], message }];
  });
}
