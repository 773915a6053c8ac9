// What the operator's overview says needs attention.
import assert from "node:assert/strict";
import type { ListedSource } from "../../../src/domain/source/listed_source.ts";
import { type Attention, attentionOf } from "../../../src/web/operator/overview.ts";

const QUIET: Parameters<typeof attentionOf>[0] = {
  sources: [],
  undelivered: { held: 0, failed: 0, heldFull: 0 },
  accounts: { queuedMails: 4, oldestQueuedMailAtMs: 0, failedMails: 0, unknownPrices: 0 },
  health: { pendingDeliveries: 0, oldestPendingAtMs: null },
  isConfigRefused: false,
  nowMs: 10_000_000,
};

const inState = (state: ListedSource["state"], held_back = 0) => ({ state, held_back }) as ListedSource;

Deno.test("attentionOf() lists what needs the operator, urgent things first", () => {
  const rows: [Partial<Parameters<typeof attentionOf>[0]>, [Attention["name"], number, boolean][]][] = [
    [{}, []],
    [{ sources: [inState("ok"), inState("off"), inState("new")] }, []],
    [{ sources: [inState("failing"), inState("blocked"), inState("empty")] }, [["sourcesFailing", 3, true]]],
    [{ sources: [inState("silent"), inState("partial")] }, [
      ["sourcesPartial", 1, false],
      ["sourcesSilent", 1, false],
    ]],
    [{ sources: [inState("ok", 30), inState("gone", 1)] }, [["eventsHeld", 2, true]]],
    [{ undelivered: { held: 2, failed: 3, heldFull: 0 } }, [
      ["deliveriesFailed", 3, true],
      ["deliveriesHeld", 2, false],
    ]],
    [{ health: { pendingDeliveries: 5, oldestPendingAtMs: QUIET.nowMs - 3_600_000 } }, []],
    [{ health: { pendingDeliveries: 5, oldestPendingAtMs: QUIET.nowMs - 3_600_001 } }, [
      ["deliveriesLate", 5, false],
    ]],
    [{ accounts: { ...QUIET.accounts, failedMails: 1, unknownPrices: 2 }, isConfigRefused: true }, [
      ["configRefused", 1, true],
      ["mailsFailed", 1, true],
      ["pricesUnknown", 2, false],
    ]],
  ];
  for (const [change, expected] of rows) {
    const found = attentionOf({ ...QUIET, ...change });
    assert.deepEqual(found.map(({ name, count, isUrgent }) => [name, count, isUrgent]), expected);
    assert.ok(found.every(({ href }) => href.startsWith("/operator/")));
  }
});
