// Which deliveries can be sent now.
import assert from "node:assert/strict";
import type { DeliveryStatus } from "../../../src/domain/delivery/delivery.ts";
import { sendRefusal } from "../../../src/domain/plans/send_now.ts";

Deno.test("sendRefusal() permits only pending deliveries of subscriptions that are enabled", () => {
  const rows: [status: DeliveryStatus, isOn: boolean, refusal: ReturnType<typeof sendRefusal>][] = [
    ["pending", true, null],
    ["pending", false, "disabled"],
    ["held", true, "held"],
    ["held", false, "held"],
    ["delivered", true, "finished"],
    ["failed", true, "finished"],
    ["cancelled", false, "finished"],
  ];
  for (const [status, isOn, refusal] of rows) {
    assert.equal(sendRefusal({ status, isOn }), refusal, `${status} ${isOn}`);
  }
});
