// `console link`: one-time links for operators and customers.
import assert from "node:assert/strict";
import { addCustomer, assertFails, regfeed, regfeedJson, withConfig } from "../../support/process.ts";

interface Link {
  url: string;
  operator?: string;
  customer?: string;
  expires_at: number;
}

const CONFIG = '[server]\npublic_url = "https://feed.example.org"\n';

Deno.test("console link prints a link with the public URL, and the audit log has an entry without it", () =>
  withConfig(CONFIG, async (folder) => {
    const { customer: { id } } = await addCustomer(folder);
    const before = Date.now();
    const link = await regfeedJson<Link>(folder, ["console", "link", "--name", "Olga O'Hara"]);
    assert.match(link.url, /^https:\/\/feed\.example\.org\/sign-in\/link\/[\w-]{22}$/);
    assert.equal(link.operator, "Olga O'Hara");
    assert.ok(link.expires_at >= before + 900_000 && link.expires_at <= Date.now() + 900_000);
    const { stdout, stderr } = await regfeed(folder, "console link");
    assert.match(stdout, /^https:\/\/feed\.example\.org\/sign-in\/link\/[\w-]{22}\n$/);
    assert.match(stderr, /signs in the operator \S+, once, within 15 minutes/);
    const own = await regfeedJson<Link>(folder, ["console", "link", "--customer", "ana@b.example"]);
    assert.equal(own.customer, id);
    const { audit } = await regfeedJson<{ audit: Record<string, unknown>[] }>(folder, "audit list");
    const links = audit.filter(({ act }) => act === "console.link");
    assert.deepEqual(links.map(({ customer, change }) => [customer, change]), [
      [id, {}],
      [null, { operator: /operator (\S+),/.exec(stderr)?.[1] }],
      [null, { operator: "Olga O'Hara" }],
    ]);
    assert.ok(!JSON.stringify(audit).includes(new URL(link.url).pathname.slice(-22)));
  }));

Deno.test("console link refuses invalid names and customers without access", () =>
  withConfig("", async (folder) => {
    const { customer: { id } } = await addCustomer(folder);
    await regfeed(folder, `customer disable ${id}`);
    await assertFails(folder, ["console", "link", "--name", "a\nb"], 2, /--name .* is not valid/);
    await assertFails(folder, ["console", "link", "--name", "x".repeat(101)], 2, /at most 100/);
    await assertFails(
      folder,
      ["console", "link", "--name", "a", "--customer", id],
      2,
      /either --name or --customer/,
    );
    await assertFails(folder, `console link --customer ${id}`, 1, new RegExp(`${id} is disabled`));
    await assertFails(folder, "console link --customer nobody@b.example", 1, /nobody@b\.example/);
  }));
