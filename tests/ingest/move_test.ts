// Tests of src/ingest/move.ts.
import assert from "node:assert/strict";
import type { SourceMove } from "../../src/domain/source.ts";
import { ADOPTED_AFTER_MS, adoptedAddress, decideMove, moveAfterFailure } from "../../src/ingest/move.ts";

const OLD = "https://old.example/feed";
const NEW = "https://new.example/feed";
const T0 = Date.UTC(2026, 7, 1);

const seen = (before: SourceMove | null, movedTo: string | null, nowMs: number) =>
  decideMove(before, { configured: OLD, movedTo, nowMs });

Deno.test("decideMove() adopts a permanent redirect when it has been the same for days, not before", () => {
  const first = seen(null, NEW, T0);
  assert.deepEqual(first, { from: OLD, url: NEW, sinceMs: T0, adoptedAtMs: null });
  assert.equal(adoptedAddress(first, OLD), null);
  const later = seen(first, NEW, T0 + ADOPTED_AFTER_MS - 1);
  assert.deepEqual(later, first);
  const adopted = seen(later, NEW, T0 + ADOPTED_AFTER_MS);
  assert.equal(adoptedAddress(adopted, OLD), NEW);
  assert.deepEqual(
    seen(adopted, null, T0 + 9 * ADOPTED_AFTER_MS),
    adopted,
    "the new address redirects no further",
  );
});

Deno.test("decideMove() begins anew when the answer changes, ends, or the clock was set back", () => {
  const first = seen(null, NEW, T0);
  const other = seen(first, "https://other.example/", T0 + ADOPTED_AFTER_MS);
  assert.deepEqual([other?.sinceMs, other?.adoptedAtMs], [T0 + ADOPTED_AFTER_MS, null]);
  assert.equal(seen(first, null, T0 + 1), null);
  assert.equal(seen(first, NEW, T0 - 1)?.sinceMs, T0 - 1);
});

Deno.test("a move means nothing for another configured address, and is given up with the first failure", () => {
  const adopted: SourceMove = { from: OLD, url: NEW, sinceMs: T0, adoptedAtMs: T0 + ADOPTED_AFTER_MS };
  assert.equal(adoptedAddress(adopted, NEW), null);
  assert.equal(decideMove(adopted, { configured: NEW, movedTo: null, nowMs: T0 }), null);
  assert.equal(moveAfterFailure(adopted), null);
  const waiting = { ...adopted, adoptedAtMs: null };
  assert.deepEqual(
    moveAfterFailure(waiting),
    waiting,
    "a failure says nothing of a redirect that is watched",
  );
});
