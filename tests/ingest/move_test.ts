// Tests of src/ingest/move.ts.
import assert from "node:assert/strict";
import type { SourceMove } from "../../src/domain/source.ts";
import { ADOPTED_AFTER_MS, adoptedAddress, decideMoves, type Whereabouts } from "../../src/ingest/move.ts";

const OLD = "https://old.example/feed";
const NEW = "https://new.example/feed";
const T0 = Date.UTC(2026, 7, 1);

const toNew = { kind: "moved", to: NEW } as const;
const here = { kind: "here" } as const;
type Found = typeof here | { kind: "moved"; to: string } | { kind: "unsaid" | "failed" };

const seen = (before: readonly SourceMove[], found: Found, nowMs: number) =>
  decideMoves(before, [{ address: OLD, ...found } as Whereabouts], nowMs);

Deno.test("decideMoves() adopts a permanent redirect when it has been the same for days, not before", () => {
  const first = seen([], toNew, T0);
  assert.deepEqual(first, [{ from: OLD, url: NEW, sinceMs: T0, adoptedAtMs: null }]);
  assert.equal(adoptedAddress(first, OLD), null);
  const later = seen(first, toNew, T0 + ADOPTED_AFTER_MS - 1);
  assert.deepEqual(later, first);
  const adopted = seen(later, toNew, T0 + ADOPTED_AFTER_MS);
  assert.equal(adoptedAddress(adopted, OLD), NEW);
  assert.deepEqual(
    seen(adopted, here, T0 + 9 * ADOPTED_AFTER_MS),
    adopted,
    "the new address redirects no further",
  );
});

Deno.test("decideMoves() begins anew when the answer changes, ends, or the clock was set back", () => {
  const first = seen([], toNew, T0);
  const [other] = seen(first, { kind: "moved", to: "https://other.example/" }, T0 + ADOPTED_AFTER_MS);
  assert.deepEqual([other?.sinceMs, other?.adoptedAtMs], [T0 + ADOPTED_AFTER_MS, null]);
  assert.deepEqual(seen(first, here, T0 + 1), []);
  assert.equal(seen(first, toNew, T0 - 1)[0]?.sinceMs, T0 - 1);
});

Deno.test("decideMoves() is not set back by what says nothing: a temporary redirect, a failure", () => {
  const first = seen([], toNew, T0);
  for (const kind of ["unsaid", "failed"] as const) {
    const between = seen(first, { kind }, T0 + 1);
    assert.deepEqual(between, first, kind);
    const adopted = seen(between, toNew, T0 + ADOPTED_AFTER_MS);
    assert.equal(adoptedAddress(adopted, OLD), NEW, kind);
  }
});

Deno.test("a move means nothing for another configured address, and is given up with the first failure", () => {
  const adopted: SourceMove = { from: OLD, url: NEW, sinceMs: T0, adoptedAtMs: T0 + ADOPTED_AFTER_MS };
  assert.equal(adoptedAddress([adopted], NEW), null);
  assert.deepEqual(decideMoves([adopted], [{ address: NEW, kind: "here" }], T0), []);
  assert.deepEqual(seen([adopted], { kind: "failed" }, T0), []);
});

Deno.test("each address of a source moves by itself", () => {
  const french = "https://old.example/fr";
  const first = decideMoves([], [{ address: OLD, ...toNew }, { address: french, kind: "here" }], T0);
  const later = decideMoves(first, [
    { address: OLD, ...toNew },
    { address: french, kind: "moved", to: "https://new.example/fr" },
  ], T0 + ADOPTED_AFTER_MS);
  assert.deepEqual([adoptedAddress(later, OLD), adoptedAddress(later, french)], [NEW, null]);
});
