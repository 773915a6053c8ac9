// Declared customers: their conflicts and their keys.
import assert from "node:assert/strict";
import {
  type DeclarationFacts,
  findConflicts,
  planKeys,
  type StoredKey,
} from "../../../src/domain/plans/declared_customers.ts";

const declared = { id: "cus_1", name: "one", email: "A@one.example" };

Deno.test("findConflicts() finds other holders of the email address or a key, and erased customers", () => {
  const nobody: DeclarationFacts = { known: null, emailHolderId: null, keyHolderIds: [null, null] };
  const known = { email: "a@one.example", enabled: true, isErased: false };
  const cases: [Partial<DeclarationFacts>, string[]][] = [
    [{}, []],
    [{ emailHolderId: "cus_2" }, ["email cus_2"]],
    [{ emailHolderId: "cus_2", known }, []], // the declared customer has the address already
    [{ emailHolderId: "cus_2", known: { ...known, enabled: false } }, ["email cus_2"]],
    [{ emailHolderId: "cus_2", known: { ...known, email: "b@one.example" } }, ["email cus_2"]],
    [{ keyHolderIds: [null, "cus_3"] }, ["key cus_3 1"]],
    [{ known: { ...known, isErased: true }, keyHolderIds: ["cus_3"] }, ["erased cus_1"]],
  ];
  for (const [facts, expected] of cases) {
    const found = findConflicts(declared, { ...nobody, ...facts });
    const shown = found.map(({ what, holderId, keyIndex }) => [what, holderId, keyIndex].join(" ").trim());
    assert.deepEqual(shown, expected, JSON.stringify(facts));
  }
});

Deno.test("planKeys() adds, moves and enables the declared keys, and disables all others", () => {
  const stored: StoredKey[] = [
    { hash: "own", customerId: "cus_1", isDisabled: false },
    { hash: "disabled", customerId: "cus_1", isDisabled: true },
    { hash: "moved", customerId: "cus_2", isDisabled: false },
    { hash: "extra", customerId: "cus_1", isDisabled: false },
    { hash: "over", customerId: "cus_1", isDisabled: true },
  ];
  const keyHashes = ["own", "disabled", "moved", "new", "new"];
  assert.deepEqual(planKeys({ id: "cus_1", keyHashes }, stored), {
    added: ["new"],
    moved: ["disabled", "moved"],
    disabled: ["extra"],
  });
});
