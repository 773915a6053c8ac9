// Severities have the order of the specification.
import assert from "node:assert/strict";
import { isAtLeast, SEVERITIES, severityRank } from "../../../src/domain/event/severity.ts";

Deno.test("severityRank() follows the ascending order of the specification", () => {
  assert.deepEqual([...SEVERITIES], ["info", "low", "medium", "high", "critical"]);
  assert.deepEqual(SEVERITIES.map(severityRank), [0, 1, 2, 3, 4]);
});

Deno.test("isAtLeast() lets a severity pass at the minimum and above it", () => {
  for (const [at, severity] of SEVERITIES.entries()) {
    for (const [least, minimum] of SEVERITIES.entries()) {
      assert.equal(isAtLeast(severity, minimum), at >= least, `${severity} against ${minimum}`);
    }
  }
});
