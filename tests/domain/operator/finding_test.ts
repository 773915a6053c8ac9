// Findings with a common cause are grouped under it.
import assert from "node:assert/strict";
import {
  type Cause,
  type Finding,
  good,
  groupSymptoms,
  problem,
  warning,
} from "../../../src/domain/operator/finding.ts";

const root = (area: string, cause: Cause): Finding => ({
  ...problem(area, `${area} broken`, "repair"),
  cause,
});
const symptom = (area: string, symptomOf: Cause): Finding => ({
  ...warning(area, `${area} failing`, "wait"),
  symptomOf,
});

Deno.test("groupSymptoms() moves symptoms to their cause, and keeps every other finding", () => {
  const rows: [what: string, findings: Finding[], expected: [area: string, symptoms: string[]][]][] = [
    ["no finding", [], []],
    [
      "symptoms before and after their cause",
      [
        symptom("sources", "network"),
        root("dns", "network"),
        symptom("mail", "network"),
        good("tls", "valid"),
      ],
      [["dns", ["sources: sources failing", "mail: mail failing"]], ["tls", []]],
    ],
    ["no cause", [symptom("sources", "network"), symptom("mail", "network")], [["sources", []], [
      "mail",
      [],
    ]]],
    ["another cause", [root("store", "disk space"), symptom("mail", "network")], [["store", []], [
      "mail",
      [],
    ]]],
    [
      "a cause found twice",
      [root("store", "read-only disk"), root("backup", "read-only disk")],
      [["store", ["backup: backup broken"]]],
    ],
    [
      "two causes",
      [root("store", "disk space"), root("dns", "network"), symptom("clock", "network")],
      [["store", []], ["dns", ["clock: clock failing"]]],
    ],
  ];
  for (const [what, findings, expected] of rows) {
    const grouped = groupSymptoms(findings).map(({ area, symptoms }) => [area, symptoms]);
    assert.deepEqual(grouped, expected, what);
  }
});
