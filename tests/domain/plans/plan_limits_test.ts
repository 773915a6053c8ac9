// Which subscriptions are held by a tier's limits, and which are returned.
import assert from "node:assert/strict";
import { breaksLimits, planLimits } from "../../../src/domain/plans/plan_limits.ts";

const list = (ids: string) => ids === "" ? [] : ids.split(" ").map((id) => ({ id, host: `${id}.example` }));
const ids = (subscriptions: readonly { id: string }[]) => subscriptions.map(({ id }) => id).join(" ");

Deno.test("planLimits() holds the newest subscriptions over the limit, and returns the oldest held ones", () => {
  const cases: [active: string, held: string, limit: number, hold: string, enable: string][] = [
    ["a b", "", 2, "", ""],
    ["a b c", "", 2, "c", ""],
    ["a b c", "d", 1, "b c", ""],
    ["a", "b c", 2, "", "b"],
    ["", "b c", 9, "", "b c"],
    ["a b", "c", 2, "", ""],
    ["a", "b", 0, "a", ""],
  ];
  for (const [active, held, limit, hold, enable] of cases) {
    const fit = planLimits({ active: list(active), held: list(held) }, limit);
    assert.deepEqual([ids(fit.held), ids(fit.returned)], [hold, enable], `${active} | ${held} | ${limit}`);
    const counts = { active: list(active).length, held: list(held).length };
    assert.equal(breaksLimits(counts, limit), hold + enable !== "", `${active} | ${held} | ${limit}`);
  }
});
