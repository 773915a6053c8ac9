// Emails about deliveries in the complete application: each is queued and sent once, in the customer's language.
import assert from "node:assert/strict";
import { MAIL_LANGUAGES } from "../../../src/domain/customer/mail_language.ts";
import { boardConfig, rss } from "../../support/samples.ts";
import { createWorld } from "../../support/world.ts";

const HOUR = 3_600_000;

Deno.test("a failing endpoint and a used-up quota send one email of each kind, in en, de and fr", async () => {
  const rest = `[mail]\nsupport = "support@feed.example"\n[tiers.team]\nwebhook_deliveries_per_month = 10\n`;
  await using world = await createWorld(boardConfig({ rest }));
  const { platform, store, app } = world;
  platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
  platform.hosts.set("board.example", ["93.184.215.15"]);
  platform.http.serve("https://hooks.example.org/dead", () => ({ status: 500 }));
  const ids: string[] = [];
  platform.http.serve("https://board.example/feed", () => ({ body: rss(ids.map((id) => ({ id }))) }));
  for (const language of MAIL_LANGUAGES) {
    const { key } = await world.addCustomer({ language, email: `${language}@firm.example` });
    const body = JSON.stringify({ webhook_url: "https://hooks.example.org/dead" });
    assert.equal((await world.ask("/v1/subscriptions", { method: "POST", key, body })).status, 201);
  }
  await app.tick();
  // More events than the monthly quota of ten, and no delivery succeeds for a week.
  for (let hour = 0; hour < 24 * 7; hour++) {
    if (hour < 12) ids.push(String(hour));
    await platform.clock.advance(HOUR);
    await app.tick();
  }
  const told = platform.mailer.taken.map(({ to, subject }) => ({ to, subject }));
  const subjects = new Set(told.map(({ subject }) => subject));
  assert.equal(subjects.size, 12, "four kinds in three languages, each with its own subject");
  assert.equal(told.length, 12, JSON.stringify(told));
  for (const language of MAIL_LANGUAGES) {
    const [customer] = (await store.listCustomers()).filter((row) => row.customer.language === language);
    const mails = await store.listMails({ limit: 99, customerId: customer?.customer.id ?? "" });
    assert.deepEqual(mails.map(({ kind, status }) => `${kind} ${status}`).sort(), [
      "delivery-disabled sent",
      "delivery-warning sent",
      "quota-100 sent",
      "quota-80 sent",
    ]);
    assert.equal(told.filter(({ to }) => to === `${language}@firm.example`).length, 4);
  }
});
