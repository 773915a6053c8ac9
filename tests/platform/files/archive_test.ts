// The sizes of files in an archive are checked before anything is written.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { requireSize } from "../../../src/platform/files/archive.ts";

Deno.test("requireSize() refuses entries that are too large for a backup or the disk", () => {
  const folder = tmpdir();
  requireSize({ name: "regfeed.toml", size: 1_000_000 }, folder);
  requireSize({ name: "regfeed.db", size: 100_000_000 }, folder);
  assert.throws(
    () => requireSize({ name: "regfeed.toml", size: 100_000_000 }, folder),
    /its regfeed\.toml is too large for a backup \(100 MB\)/,
  );
  assert.throws(
    () => requireSize({ name: "regfeed.db", size: Number.MAX_SAFE_INTEGER }, folder),
    /no space left on device for its regfeed\.db/,
  );
});
