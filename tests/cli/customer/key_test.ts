// `key`, as an operator uses it.
import assert from "node:assert/strict";
import { regfeed, regfeedJson, withConfig } from "../../support/process.ts";

interface Key {
  label: string;
  last_four: string;
  created_at: number;
  last_used_at: number | null;
  valid_until: number | null;
  disabled_at: number | null;
}

interface Made {
  customer: { id: string };
  key: string;
  label: string;
  replaced: Key[];
}

const ANA = "ana@b.example";
const make = (folder: string, ...args: string[]) => regfeedJson<Made>(folder, args);
const keysOf = async (folder: string) => (await regfeedJson<{ keys: Key[] }>(folder, `key list ${ANA}`)).keys;

/** Returns the labels and last characters of the keys that are accepted. */
const accepted = async (folder: string) =>
  (await keysOf(folder)).filter((key) => key.disabled_at === null).map((key) =>
    `${key.label} ${key.last_four}`
  );

Deno.test("a customer's keys are added, listed, replaced with an overlap, and disabled one by one", () =>
  withConfig("", async (folder) => {
    const first = await make(folder, "customer", "add", "--email", ANA);
    const ci = await make(folder, "key", "add", ANA, "--label", "ci");
    assert.match(ci.key, /^rgf_[0-9a-f]{64}$/);
    assert.deepEqual([first.label, ci.label, ci.customer.id], ["default", "ci", first.customer.id]);
    const end = ({ key }: Made) => key.slice(-4);
    assert.deepEqual(await accepted(folder), [`default ${end(first)}`, `ci ${end(ci)}`]);

    const next = await make(folder, "key", "rotate", ANA, "--key", "ci", "--overlap", "24h");
    assert.deepEqual([next.label, next.replaced.length], ["ci", 1]);
    const old = next.replaced[0];
    assert.equal(old?.last_four, end(ci));
    assert.equal(old?.disabled_at, null);
    const added = (await keysOf(folder)).find((key) => key.last_four === end(next));
    assert.equal((old?.valid_until ?? 0) - (added?.created_at ?? 0), 86_400_000);
    assert.deepEqual(await accepted(folder), [
      `default ${end(first)}`,
      `ci ${end(ci)}`,
      `ci ${end(next)}`,
    ]);
    const { stdout } = await regfeed(folder, `key list ${ANA}`);
    assert.match(stdout, /^LABEL +KEY +STATE +ADDED \(UTC\) +LAST USED \(UTC\) +VALID UNTIL \(UTC\)$/m);
    assert.match(stdout, new RegExp(`^ci +…${end(ci)} +expiring +\\d{4}-.* +never +\\d{4}-`, "m"));
    assert.match(stdout, new RegExp(`^ci +…${end(next)} +valid +\\d{4}-\\S+ \\S+ +never$`, "m"));

    assert.match(
      (await regfeed(folder, `key disable ${ANA} --key ci`)).stderr,
      /several keys "ci"; choose one/,
    );
    const disabled = await regfeed(folder, `key disable ${ANA} --key ${end(ci)}`);
    assert.match(
      disabled.stdout,
      new RegExp(`has these valid keys now: default \\(…${end(first)}\\), ci \\(…${end(next)}\\)\n$`),
    );
    const again = await regfeed(folder, `key disable ${ANA} --key ${end(ci)}`);
    assert.deepEqual([again.code, /the key ci \(.*\) of cus_\S+ is already disabled/.test(again.stderr)], [
      1,
      true,
    ]);
    // By its last four characters, and without an overlap.
    const last = await make(folder, "key", "rotate", ANA, "--key", end(first));
    assert.deepEqual([last.label, typeof last.replaced[0]?.disabled_at], ["default", "number"]);
    await regfeedJson(folder, `key disable ${ANA} --key ci`);
    assert.deepEqual(await accepted(folder), [`default ${end(last)}`]);
    await make(folder, "key", "add", ANA, "--label", "ci");
    const refused = await regfeed(folder, `key disable ${ANA}`);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /has 2 keys; choose one with --key, or disable all with --all: default \(…/);
    assert.match(
      (await regfeed(folder, `key disable ${ANA} --all`)).stdout,
      /no valid key now; `regfeed key rotate` creates/,
    );
    assert.deepEqual(await accepted(folder), []);
    const fresh = await make(folder, "key", "rotate", ANA, "--overlap", "1h");
    assert.deepEqual([fresh.label, fresh.replaced], ["default", []]);
    // The only key needs no option.
    assert.match((await regfeed(folder, `key disable ${ANA}`)).stdout, /no valid key now/);
    await make(folder, "key", "rotate", ANA);

    const audit = await regfeed(folder, `audit list --customer ${first.customer.id}`);
    assert.match(audit.stdout, /key\.rotate .*valid until: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m);
    assert.match(audit.stdout, new RegExp(`key\\.add .*label: ci, last four: ${end(ci)}`));
    assert.match(
      audit.stdout,
      new RegExp(`key\\.rotate .*label: ci, last four: ${end(next)}, expiring: ${end(ci)}`),
    );
    assert.match(audit.stdout, new RegExp(`key\\.disable .*disabled: ${end(ci)}, labels: ci`));
    assert.doesNotMatch(audit.stdout, /rgf_|[0-9a-f]{64}/);
  }));

Deno.test("key refuses what it cannot do, and says what to do", () =>
  withConfig("", async (folder) => {
    await make(folder, "customer", "add", "--email", ANA);
    await make(folder, "key", "add", ANA, "--label", "ci");
    const rows: [args: string[], code: number, expected: RegExp][] = [
      [
        ["rotate", ANA],
        2,
        /has 2 keys; choose one with --key: default \(…[0-9a-f]{4}\), ci \(…[0-9a-f]{4}\)/,
      ],
      [["rotate", ANA, "--key", "cd"], 1, /has no key "cd"; choose one of: default \(/],
      [["disable", ANA, "--key", "ci", "--all"], 2, /use either --key or --all/],
      [["disable", ANA, "--key", "cd"], 1, /has no key "cd"; choose one of: default \(/],
      [
        ["rotate", ANA, "--key", "ci", "--overlap", "soon"],
        2,
        /--overlap must be a duration from 1s to 30d, such as/,
      ],
      [["rotate", ANA, "--key", "ci", "--overlap", "31d"], 2, /--overlap must be .* 30d/],
      [["add", ANA], 2, /--label is missing/],
      [["add", ANA, "--label", "ci"], 1, /already has a key with the label "ci": use another label/],
      [
        ["add", ANA, "--label", "ana@b.example"],
        2,
        /--label "ana@b.example" is not valid: use 1 to 40 letters/,
      ],
    ];
    for (const [args, code, expected] of rows) {
      const done = await regfeed(folder, ["key", ...args]);
      assert.equal(done.code, code, args.join(" "));
      assert.match(done.stderr, expected);
    }
    assert.equal((await keysOf(folder)).length, 2);
  }));
