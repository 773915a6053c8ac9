// Reads the changed files of a watched folder.
import type { FileEntry, FolderListing, FolderOptions } from "../../domain/ports/ports.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import type { Fetched, FetchedDocument, FetchOptions } from "./fetch_types.ts";
import { FetchError, readCursor, settingsKey, sha256Of } from "./fetch_types.ts";

/** A file changed at most this many ms ago is read again, because a later change may leave its time the same. */
const SETTLED_AFTER_MS = 2_000;

/** The state of a file when it was read: modification time (Unix ms), size (bytes) and SHA-256 of its bytes. */
type KnownFile = [modifiedAtMs: number | null, sizeBytes: number, hash: string];

interface FolderCursor {
  settings: string;
  /** The files by name. A file whose time is null is read again. */
  files: Record<string, KnownFile>;
}

/**
 * Reads the files whose time or size has changed. A file whose bytes are the same as before is not ingested again, so
 * that touching it does not bring back an old edition.
 */
export async function fetchFolder(
  source: SourceSettings,
  cursor: string | null,
  options: FetchOptions,
): Promise<Fetched> {
  const settings = settingsKey(source);
  const known = ownFiles(readCursor<FolderCursor>(cursor, settings));
  // Files that were ingested under other settings are read again, but they do not revise known items.
  const earlier = ownFiles(cursor === null ? null : JSON.parse(cursor));
  const nowMs = options.clock.nowMs();
  let listing: FolderListing;
  try {
    listing = await options.files.list(source.location, linksOf(source));
  } catch (error) {
    throw new FetchError(`the folder cannot be read: ${(error as Error).message}`);
  }
  const files: FolderCursor["files"] = Object.create(null);
  // The hash of a file that is not read now is kept, so that the same bytes are not ingested again later.
  for (const { name } of [...listing.files, ...listing.unreadable]) {
    const before = known[name];
    if (before !== undefined) files[name] = [null, before[1], before[2]];
  }
  const changed: { entry: FileEntry; before: KnownFile | undefined }[] = [];
  for (const entry of listing.files) {
    const before = known[entry.name];
    const isSame = before?.[0] === entry.modifiedAtMs && before[1] === entry.sizeBytes;
    if (isSame) files[entry.name] = before;
    else changed.push({ entry, before });
  }
  // Oldest files first, so that the edition in the newest file is ingested last.
  changed.sort(({ entry: a }, { entry: b }) => a.modifiedAtMs - b.modifiedAtMs || (a.name < b.name ? -1 : 1));
  const read = async (entry: FileEntry, before: KnownFile | undefined): Promise<FetchedDocument | null> => {
    const document = await readDocument(source, entry, options);
    const { sha256: hash } = document;
    const isSettled = nowMs - entry.modifiedAtMs > SETTLED_AFTER_MS;
    files[entry.name] = [isSettled ? entry.modifiedAtMs : null, entry.sizeBytes, hash];
    if (hash === before?.[2]) return null;
    return earlier[entry.name]?.[2] === hash ? { ...document, isReread: true } : document;
  };
  return {
    documents: changed.map(({ entry, before }) => ({
      name: entry.name,
      reading: null,
      onFailure: "refuse",
      read: () => read(entry, before),
    })),
    unreadable: listing.unreadable,
    isUnchanged: changed.length === 0,
    freshUntilMs: null,
    redirects: () => [],
    cursor: ({ refused }) => {
      for (const name of refused) delete files[name];
      return JSON.stringify({ settings, files } satisfies FolderCursor);
    },
  };
}

function linksOf({ followLinks = false }: SourceSettings): FolderOptions {
  return { followLinks };
}

/** Copies the files of a cursor to an object without a prototype. The cursor of another strategy has no files. */
function ownFiles(cursor: Partial<FolderCursor> | null): FolderCursor["files"] {
  return Object.assign(Object.create(null), cursor?.files);
}

async function readDocument(
  source: SourceSettings,
  entry: FileEntry,
  options: FetchOptions,
): Promise<FetchedDocument> {
  if (entry.sizeBytes > options.maxDocumentBytes) {
    throw new FetchError(`the file has more than ${options.maxDocumentBytes} bytes`);
  }
  try {
    const bytes = await options.files.readIn(source.location, entry.name, {
      ...linksOf(source),
      maxBytes: options.maxDocumentBytes,
    });
    return {
      name: entry.name,
      url: null,
      contentType: null,
      bytes,
      sha256: sha256Of(bytes),
      httpStatus: null,
      fetchedAtMs: options.clock.nowMs(),
    };
  } catch (error) {
    throw new FetchError(`the file cannot be read: ${(error as Error).message}`);
  }
}
