// What can go wrong with the store itself: not with what is asked of it, but with the disk below it.

/**
 * Why nothing can be stored, or read: the disk is `full`; the file is `read_only`; another process holds it `locked`; its
 * pages are `corrupt`; the disk fails (`io`); the file was `moved` from its place. All but `corrupt` heal when their cause
 * goes.
 */
export const STORE_TROUBLES = ["full", "read_only", "locked", "corrupt", "io", "moved"] as const;

/** See {@link STORE_TROUBLES}. */
export type StoreTrouble = typeof STORE_TROUBLES[number];

/** The trouble of a store as somebody who looks at it now and then must know it. */
export interface SeenTrouble {
  /** What it is in now. */
  now: StoreTrouble | null;
  /** What it got into last since the look before, over or not. */
  met: StoreTrouble | null;
}

/** What to do about it, for the operator. */
export const TROUBLE_ADVICE: Readonly<Record<StoreTrouble, string>> = {
  full: "the disk of the database is full: make room; nothing is lost, and everything goes on by itself",
  read_only: "the database cannot be written to: make its folder and its disk writable for this user",
  locked:
    "another process has held the database locked for too long: end it; a server's own commands never do that",
  corrupt: "the database is damaged: stop the server, keep the file, and restore the newest good backup " +
    "(`regfeed backup restore FILE --force` keeps it)",
  moved:
    "the database's file is not in its place any more (removed, replaced, or its disk is gone): put the same file back, " +
    "or restart the server, which goes on with what is there then; nothing is stored meanwhile",
  io: "the disk of the database fails: look at the system's log and at the disk",
};

/**
 * How loud a failure is told that comes again and again as long as its cause lasts: trouble of the store is told by whoever
 * watches the store, once, with what to do.
 */
export function loudnessOf(error: unknown): "debug" | "error" {
  return error instanceof StoreError ? "debug" : "error";
}

/** A use of the store that the store's trouble prevented; nothing of it was kept. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  constructor(readonly trouble: StoreTrouble, options?: ErrorOptions) {
    super(TROUBLE_ADVICE[trouble], options);
  }
}
