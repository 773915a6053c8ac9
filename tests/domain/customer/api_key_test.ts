// Labels, names and states of API keys.
import assert from "node:assert/strict";
import { findNamedKeys, freeLabel, isKeyLabel, keyStateOf } from "../../../src/domain/customer/api_key.ts";
import { aKey } from "../../store/contract/given.ts";

Deno.test("isKeyLabel() accepts 1 to 40 letters, digits, spaces, dots, hyphens and underscores", () => {
  const rows: [label: string, isValid: boolean][] = [
    ["default", true],
    ["CI 2", true],
    ["prod-eu.west_1", true],
    ["Büro", true],
    ["9", true],
    ["x".repeat(40), true],
    ["x".repeat(41), false],
    ["", false],
    [" ci", false],
    ["ci ", false],
    ["-ci", false],
    ["ana@example.org", false],
    ["a\tb", false],
    ["a\u202eb", false],
    ["a/b", false],
  ];
  for (const [label, isValid] of rows) assert.equal(isKeyLabel(label), isValid, JSON.stringify(label));
});

Deno.test("keyStateOf() depends on the time only during and after an overlap", () => {
  const rows: [disabledAtMs: number | null, validUntilMs: number | null, nowMs: number, state: string][] = [
    [null, null, 0, "valid"],
    [null, 10, 9, "expiring"],
    [null, 10, 10, "disabled"],
    [5, null, 6, "disabled"],
    [5, 10, 6, "disabled"],
    // A disabled key stays disabled if the clock is set back.
    [5, null, 4, "disabled"],
  ];
  for (const [disabledAtMs, validUntilMs, nowMs, state] of rows) {
    assert.equal(keyStateOf({ disabledAtMs, validUntilMs }, nowMs), state);
  }
});

Deno.test("freeLabel() returns the label, or the first numbered one that is not taken", () => {
  assert.equal(freeLabel("default", ["ci", null]), "default");
  assert.equal(freeLabel("default", ["default"]), "default 2");
  assert.equal(freeLabel("default", ["default", "default 2", "default 4"]), "default 3");
});

Deno.test("findNamedKeys() finds keys by label, or else by their last four characters", () => {
  const keys = [
    aKey("a", { label: "ci" }),
    aKey("b", { label: "bbbb" }),
    aKey("c", { label: "bbbb" }),
    aKey("d", { label: null }),
  ];
  const rows: [named: string, found: string[]][] = [
    ["ci", ["aaaa"]],
    ["aaaa", ["aaaa"]],
    ["bbbb", ["bbbb", "cccc"]],
    ["cccc", ["cccc"]],
    ["dddd", ["dddd"]],
    ["…dddd", ["dddd"]],
    ["…bbbb", ["bbbb"]],
    ["CI", []],
    ["", []],
  ];
  for (const [named, found] of rows) {
    assert.deepEqual(findNamedKeys(keys, named).map(({ lastFour }) => lastFour), found, named);
  }
});
