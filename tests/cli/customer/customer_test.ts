// `customer` and `key`, as an operator uses them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { openVaultFile } from "../../../src/platform/vault.ts";
import { DEFAULT_LIMITS } from "../../../src/domain/customer/tier.ts";
import { declaredCustomerId } from "../../../src/domain/customer/declared_customers.ts";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { regfeed, regfeedJson, withConfig, withFolder, writeConfig } from "../../support/process.ts";

interface Added {
  customer: { id: string };
}

const add = (folder: string, email: string, ...more: string[]): Promise<Added> =>
  regfeedJson<Added>(folder, ["customer", "add", "--email", email, ...more]);

Deno.test("customer add refuses the address of another customer unless --another is set", () =>
  withConfig("", async (folder) => {
    const { customer } = await add(folder, "ana@b.example");
    const again = await regfeed(folder, "customer add --email Ana@B.example");
    assert.equal(again.code, 1);
    assert.match(again.stderr, new RegExp(`already belongs to a customer: ${customer.id};.*--another`));
    const other = await add(folder, "ana@b.example", "--another");
    assert.notEqual(other.customer.id, customer.id);
    const { customers } = await regfeedJson<{ customers: unknown[] }>(folder, "customer list");
    assert.equal(customers.length, 2);
  }));

Deno.test("customer add reports every invalid value, and suggests a tier", () =>
  withConfig("", async (folder) => {
    const args = "customer add --email bad@@example --tier embeded --requests many --deliveries 5";
    const { code, stderr } = await regfeed(folder, args);
    assert.equal(code, 2);
    assert.match(stderr, /^regfeed customer add: --email must be an email address, not "bad@@example"$/m);
    assert.match(stderr, /^--tier must be one of indie, .*, not "embeded"; did you mean "embedded"\?$/m);
    assert.match(stderr, /^--requests must be a whole number, not many$/m);
    assert.doesNotMatch(stderr, /deliveries/);
    const { customer: { id } } = await add(folder, "ana@b.example", "--tier", "Team");
    const refused = await regfeed(folder, `customer set-tier ${id} gpia`);
    assert.match(refused.stderr, /: TIER must be one of indie, .*, not "gpia"; did you mean "gpai"\?$/m);
  }));

Deno.test("an email address that is unique identifies a customer", () =>
  withConfig("", async (folder) => {
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
    const { code, stderr } = await regfeed(folder, "key rotate ana@b.example");
    assert.equal(code, 1);
    for (const { customer: { id } } of [{ customer }, other]) assert.ok(stderr.includes(id), stderr);
  }));

Deno.test("customer set-tier sets custom limits only for the embedded tier", () =>
  withConfig("", async (folder) => {
    const { customer } = await add(folder, "ana@b.example");
    interface Shown {
      customer: { limits: Record<string, number>; own_limits: Record<string, number> };
    }
    const limits = async () => {
      const { customer: shown } = await regfeedJson<Shown>(folder, `customer show ${customer.id}`);
      return [shown.own_limits, shown.limits["active_subscriptions"]];
    };
    const setTier = (...words: string[]) => regfeed(folder, ["customer", "set-tier", customer.id, ...words]);
    assert.match(
      (await setTier("embedded", "--subscriptions", "7")).stdout,
      /has tier embedded and is enabled; requests per day: 100000, deliveries per month: 50000, active subscriptions: 7/,
    );
    assert.deepEqual(await limits(), [{ active_subscriptions: 7 }, 7]);
    const own = (await regfeed(folder, `customer show ${customer.id}`)).stdout;
    assert.match(
      own,
      /^ {2}requests today +0 of 100,000\n.*\n.*\n {2}active subscriptions +0 of 7 \(own limit\)$/m,
    );
    await setTier("embedded");
    assert.deepEqual(await limits(), [{ active_subscriptions: 7 }, 7], "unnamed values stay");
    await setTier("gpai");
    assert.deepEqual(await limits(), [{}, 25]);
    assert.match((await setTier("embedded")).stdout, /active subscriptions: 200/, "not silently");
    const nothing = await setTier("embedded", "--requests", "0");
    assert.deepEqual([nothing.code, /would refuse every request/.test(nothing.stderr)], [2, true]);
    const refused = await regfeed(folder, `customer set-tier ${customer.id} team --subscriptions 7`);
    assert.deepEqual([refused.code, /embedded/.test(refused.stderr)], [2, true]);
  }));

Deno.test("commands that only read do not create a database, and say what is missing", () =>
  withConfig("", async (folder) => {
    for (const line of ["customer list", "mail list", "audit list", "customer show x@y.example"]) {
      const { code, stderr } = await regfeed(folder, line);
      assert.equal(code, 1, line);
      assert.match(
        stderr,
        /no database at .*regfeed\.db yet \(store\.path in .*regfeed\.toml\): `regfeed serve` and `regfeed customer add` create it/,
      );
    }
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["regfeed.toml"]);
  }));

Deno.test("customer set-email sets an address, and refuses addresses in use and erased customers", () =>
  withConfig("", async (folder) => {
    const { customer: { id } } = await add(folder, "ana@b.example");
    await add(folder, "bob@b.example");
    const set = (address: string, ...more: string[]) =>
      regfeed(folder, ["customer", "set-email", id, address, ...more]);
    assert.equal((await set("new@b.example")).stdout, `${id} has the email address new@b.example\n`);
    assert.match((await regfeed(folder, "customer list")).stdout, /new@b\.example/);
    assert.match(
      (await set("Bob@b.example")).stderr,
      /already belongs to a customer: cus_.*--another uses it for this customer/,
    );
    assert.equal((await set("bob@b.example", "--another")).code, 0);
    assert.deepEqual([(await set("no address")).code, (await set("a@b.example\r\nBcc: x")).code], [2, 2]);
    assert.doesNotMatch((await regfeed(folder, "audit list")).stdout, /@/);
    await regfeedJson(folder, `customer erase ${id} --yes`);
    for (
      const line of [`customer set-email ${id} x@b.example`, `customer enable ${id}`, `key rotate ${id}`]
    ) {
      const { code, stderr } = await regfeed(folder, line);
      assert.deepEqual([code, /was erased permanently/.test(stderr)], [1, true], line);
    }
  }));

Deno.test("a declared customer is found by its name and identified by the hash of its key", () =>
  withFolder(async (folder) => {
    const hash = "2c".repeat(32);
    const declare = (name: string) =>
      `[[customers]]\nid = "${name}"\nemail = "ana@b.example"\ntier = "team"\nkey_sha256 = "${hash}"\n`;
    await writeConfig(folder, declare("example-bank"));
    await add(folder, "bob@b.example");
    const key = join(folder, "data", "regfeed.db.key");
    const store = openStore(join(folder, "data", "regfeed.db"), (options) => openVaultFile(key, options));
    const declared = {
      name: "example-bank",
      id: declaredCustomerId("example-bank"),
      email: "ana@b.example",
    } as const;
    const by = { actor: "config", atMs: 1, tiers: DEFAULT_LIMITS, newMailId: () => "mail_1" };
    const whole = { ...declared, tier: "team", limits: {}, language: "en", keyHashes: [hash] } as const;
    assert.equal((await store.declareCustomers([whole], by)).kind, "applied");
    await store.close();
    const list = (await regfeed(folder, "customer list")).stdout;
    assert.match(list, /ana@b\.example .* sha256:2c2c2c2c… +example-bank$/m);
    assert.match(list, /bob@b\.example .* …[0-9a-f]{4}$/m);
    assert.doesNotMatch(list, /\?\?\?\?/);
    const shown = await regfeedJson<{ customer: Record<string, unknown>; keys: unknown[] }>(
      folder,
      "customer show example-bank",
    );
    assert.deepEqual([shown.customer["id"], shown.customer["declared_as"]], [declared.id, "example-bank"]);
    assert.deepEqual(shown.keys, [{
      label: null,
      last_four: null,
      key_sha256: hash,
      created_at: 1,
      last_used_at: null,
      valid_until: null,
      disabled_at: null,
    }]);
    assert.match(
      (await regfeed(folder, "key list example-bank")).stdout,
      /^ +sha256:2c2c2c2c… +valid +1970-/m,
    );
    for (const args of [["add", "example-bank", "--label", "x"], ["rotate", "example-bank"]]) {
      assert.match(
        (await regfeed(folder, ["key", ...args])).stderr,
        /declared in the config: change it there/,
      );
    }
    assert.equal((await regfeed(folder, "customer show example-bonk")).code, 1);
    const refused = await regfeed(folder, "customer set-email example-bank x@b.example");
    assert.match(refused.stderr, /declared in the config: change it there/);
    const bob = ["customer", "set-email", "bob@b.example"];
    for (
      const args of [["customer", "add", "--email", "Ana@b.example"], [...bob, "ana@b.example"]].flatMap((
        words,
      ) => [words, [...words, "--another"]])
    ) {
      const { code, stderr } = await regfeed(folder, args);
      assert.equal(code, 1, args.join(" "));
      assert.match(
        stderr,
        /is the email address of example-bank, a customer in the config: use another email address/,
      );
    }
    await writeConfig(folder, "");
    assert.match((await regfeed(folder, "customer list")).stdout, /ana@b\.example .* removed$/m);
  }));

Deno.test("customer set-tier lists held subscriptions; the audit log names the system's user", () =>
  withConfig("", async (folder) => {
    const { customer: { id } } = await add(folder, "ana@b.example");
    for (const line of [`customer disable ${id}`, `customer enable ${id}`]) {
      assert.equal((await regfeed(folder, line)).stderr, "");
    }
    const { audit } = await regfeedJson<{ audit: { actor: string }[] }>(folder, "audit list");
    for (const { actor } of audit) {
      assert.match(actor, /^cli:.+$/);
      assert.notEqual(actor, "cli:unknown");
    }
  }));

Deno.test("a disabled customer with a declared customer's address is not enabled", () =>
  withConfig("", async (folder) => {
    const { customer: { id } } = await add(folder, "ana@b.example");
    const declared = `[[customers]]\nid = "bank"\nemail = "ana@b.example"\ntier = "team"\nkey_sha256 = "${
      "2c".repeat(32)
    }"\n`;
    await writeConfig(folder, declared);
    const refused = await regfeed(folder, "check");
    assert.deepEqual([refused.code, /is the email address of cus_.*not declared here/.test(refused.stderr)], [
      2,
      true,
    ]);
    assert.equal((await regfeed(folder, `customer disable ${id}`)).code, 0);
    assert.equal((await regfeed(folder, "check")).code, 0);
    const enabled = await regfeed(folder, `customer enable ${id}`);
    assert.deepEqual([enabled.code, /is the email address of bank/.test(enabled.stderr)], [1, true]);
    await regfeedJson(folder, `customer set-email ${id} other@b.example`);
    assert.equal((await regfeed(folder, `customer enable ${id}`)).code, 0);
  }));
