// Rejects sources that read a folder containing the service's own files.
import { dirname } from "node:path";
import type { SourceSettings } from "../domain/source/source.ts";
import type { KeyProblem } from "./toml/problems.ts";

interface Folders {
  sources: readonly SourceSettings[];
  store: { path: string; keyFile: string };
  backup: { folder: string };
  mail: { outbox: string };
}

export function findFolderProblems({ sources, store, backup, mail }: Folders): KeyProblem[] {
  const own = new Map([
    [dirname(store.keyFile), "the database's key"],
    [dirname(store.path), "the database"],
    [backup.folder, "backups"],
    [mail.outbox, "emails"],
  ]);
  return sources.flatMap(({ fetchStrategy, location }, index) => {
    const what = fetchStrategy === "files" ? own.get(location) : undefined;
    if (what === undefined) return [];
    const message = `is the folder of ${what}: choose a folder that contains only documents`;
    return [{ path: ["sources", index, "path"], message }];
  });
}
