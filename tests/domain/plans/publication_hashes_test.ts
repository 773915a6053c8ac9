// Which hashes of a publication are stored after a decision.
import assert from "node:assert/strict";
import type { RecordDecision } from "../../../src/domain/ports/store/publications.ts";
import {
  type HashChange,
  planHashes,
  planVersionHashes,
} from "../../../src/domain/plans/publication_hashes.ts";

Deno.test("planHashes() replaces, adds or keeps the hashes of a known publication", () => {
  const known = { contentHash: "h", textHash: "t" };
  const unknownText = { contentHash: "h", textHash: null };
  const hashes = { kind: "hashes", contentHash: "h2", textHash: "t2" } as const;
  const cases: [
    contentHash: string,
    stored: typeof known | typeof unknownText,
    RecordDecision,
    HashChange | null,
  ][] = [
    ["h2", known, { kind: "date_changed" }, { ...hashes, dateMoves: 1 }],
    ["h2", known, { kind: "date_changed", isPending: true }, { kind: "pending", contentHash: "h2" }],
    ["h2", known, { kind: "unchanged", hashedAnew: true }, { ...hashes, dateMoves: 0 }],
    ["h", unknownText, { kind: "unchanged" }, { kind: "text", textHash: "t2" }],
    ["h2", unknownText, { kind: "unchanged" }, null],
    ["h", known, { kind: "unchanged" }, null],
    ["h", unknownText, { kind: "joined" }, null],
  ];
  for (const [contentHash, stored, decision, change] of cases) {
    const message = `${contentHash} ${stored.textHash} ${JSON.stringify(decision)}`;
    assert.deepEqual(planHashes({ contentHash, textHash: "t2" }, stored, decision), change, message);
  }
});

Deno.test("planVersionHashes() keeps the first language's hashes after a revision in another one", () => {
  const stored = { contentHash: "en h", textHash: "en t", externalId: "x" };
  const german = { contentHash: "de h", textHash: "de t", language: "de" };
  const event = { language: "en", external_id: "x" };
  assert.deepEqual(planVersionHashes(german, stored, event), { contentHash: "en h", textHash: "en t" });
  for (
    const [key, found, recorded] of [
      [german, null, event],
      [german, stored, { ...event, language: "de" }],
      [german, stored, { ...event, external_id: "y" }],
    ] as const
  ) {
    const own = { contentHash: "de h", textHash: "de t" };
    assert.deepEqual(planVersionHashes(key, found, recorded), own);
  }
  assert.deepEqual(planVersionHashes({ contentHash: "h" }, stored, event), {
    contentHash: "h",
    textHash: null,
  });
});
