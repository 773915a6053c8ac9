// `customer …` and `key …` as an operator meets them.
import assert from "node:assert/strict";
import { regfeed, regfeedJson, withFolder, writeConfig } from "../support/process.ts";

interface Added {
  customer: { id: string };
}

const add = (folder: string, email: string, ...more: string[]): Promise<Added> =>
  regfeedJson<Added>(folder, ["customer", "add", "--email", email, ...more]);

Deno.test("customer add refuses an address that a customer has, and names that one, unless --another is said", () =>
  withFolder(async (folder) => {
    await writeConfig(folder, "");
    const { customer } = await add(folder, "ana@b.example");
    const again = await regfeed(folder, ["customer", "add", "--email", "Ana@B.example"]);
    assert.equal(again.code, 1);
    assert.match(again.stderr, new RegExp(`is a customer already: ${customer.id};.*--another`));
    const other = await add(folder, "ana@b.example", "--another");
    assert.notEqual(other.customer.id, customer.id);
    const { customers } = await regfeedJson<{ customers: unknown[] }>(folder, ["customer", "list"]);
    assert.equal(customers.length, 2);
  }));

Deno.test("a customer is named by an address too, where only one has it", () =>
  withFolder(async (folder) => {
    await writeConfig(folder, "");
    const { customer } = await add(folder, "ana@b.example");
    const rows: string[][] = [
      ["customer", "set-tier", "ana@b.example", "gpai"],
      ["customer", "disable", "ANA@b.example"],
      ["customer", "enable", "ana@b.example"],
      ["key", "rotate", "ana@b.example"],
      ["key", "disable", "ana@b.example"],
    ];
    for (const args of rows) {
      assert.equal((await regfeedJson<Added>(folder, args)).customer.id, customer.id, args.join(" "));
    }
    const other = await add(folder, "ana@b.example", "--another");
    const { code, stderr } = await regfeed(folder, ["key", "rotate", "ana@b.example"]);
    assert.equal(code, 1);
    for (const { customer: { id } } of [{ customer }, other]) assert.ok(stderr.includes(id), stderr);
  }));

Deno.test("customer set-tier gives an embedded customer its own limits, and no other", () =>
  withFolder(async (folder) => {
    await writeConfig(folder, "");
    const { customer } = await add(folder, "ana@b.example");
    const limits = async () =>
      (await regfeedJson<{ customer: { limits: unknown } }>(folder, ["customer", "show", customer.id]))
        .customer.limits;
    await regfeedJson(folder, ["customer", "set-tier", customer.id, "embedded", "--subscriptions", "7"]);
    assert.deepEqual(await limits(), { activeSubscriptions: 7 });
    await regfeedJson(folder, ["customer", "set-tier", customer.id, "embedded"]);
    assert.deepEqual(await limits(), { activeSubscriptions: 7 }, "what is not named stays");
    const refused = await regfeed(folder, [
      "customer",
      "set-tier",
      customer.id,
      "team",
      "--subscriptions",
      "7",
    ]);
    assert.deepEqual([refused.code, /embedded/.test(refused.stderr)], [2, true]);
  }));
