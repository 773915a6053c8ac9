// The JSON of the event records that the SQLite engine writes.
import assert from "node:assert/strict";
import { toSearch } from "../../../../src/domain/event/event_filter.ts";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import { anEvent, publish } from "../../contract/given.ts";
import { testVault } from "../../../support/vault.ts";

Deno.test("the JSON of a record is ASCII and keeps all characters", async () => {
  const store = openStore(":memory:", testVault);
  const title = "Prüfung – „Leitlinien“ 🇪🇺 \\u0041 \u2028 Αρχή";
  const event = anEvent("evt_1", { title_en: title, translations: { de: { title, summary: "ß" } } });
  await publish(store, [event]);
  const [listed] = await store.listEvents({ limit: 1 });
  assert.match(listed?.json ?? "", /^[\x20-\x7e]+$/);
  assert.deepEqual(JSON.parse(listed?.json ?? ""), event);
  assert.equal((await store.listEvents({ limit: 1, search: toSearch("prufung") })).length, 1);
  await store.close();
});
