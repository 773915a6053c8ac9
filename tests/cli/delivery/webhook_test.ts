// `webhook verify`, as the author of a receiver uses it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { signPayload } from "../../../src/delivery/sign.ts";
import { assertFails, regfeed, withFolder } from "../../support/process.ts";

const SECRET = "0123456789abcdef".repeat(4);
const BODY = '{"type":"event.test","title":"Grüße"}';
const SECONDS = 1_785_513_605;
const HEADERS = [
  "webhook-id: dlv_01JNQ2B3C4D5E6F7G8H9JKMNPQ",
  `Webhook-Timestamp: ${SECONDS}`,
  `webhook-signature: ${
    signPayload({
      secrets: [SECRET],
      id: "dlv_01JNQ2B3C4D5E6F7G8H9JKMNPQ",
      timestampSeconds: SECONDS,
      body: BODY,
    })
  }`,
].flatMap((header) => ["--header", header]);

Deno.test("webhook verify reports whether the signature of a saved delivery is valid, and otherwise why not", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "body.json"), BODY);
    await Deno.writeTextFile(join(folder, "edited.json"), `${BODY}\n`);
    await Deno.writeTextFile(join(folder, "secret"), `${SECRET}\n`);
    const verify = (...args: string[]) => regfeed(folder, ["webhook", "verify", ...HEADERS, ...args]);
    const good = ["--secret-file", "secret", "--at", "2026-07-31T16:00:10Z"];

    const ok = await verify(...good, "--body", "body.json");
    assert.equal(ok.code, 0, ok.stderr);
    assert.match(ok.stdout, /^OK: the signature is valid\n {2}by signature 1 of 2.*ASCII/);

    const edited = await verify(...good, "--body", "edited.json");
    assert.equal(edited.code, 1);
    assert.match(edited.stdout, /^NOT OK/);
    assert.match(edited.stdout, /✗ The body ends with a line break/);

    const late = await verify("--secret", SECRET, "--body", "body.json", "--json");
    assert.equal(late.code, 1);
    const { ok: isGood, findings } = JSON.parse(late.stdout);
    assert.equal(isGood, false);
    assert.deepEqual(findings.map(({ kind }: { kind: string }) => kind), ["problem"]);
    for (const { stdout, stderr } of [ok, edited, late]) assert.ok(!(stdout + stderr).includes(SECRET));
  }));

Deno.test("webhook verify exits with 2 for invalid arguments and with 1 for a missing file", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "body.json"), BODY);
    const secret = ["--secret", SECRET];
    const body = ["--body", "body.json"];
    const rows: [args: string[], code: number, said: RegExp][] = [
      [[...secret, ...HEADERS], 2, /--body FILE is missing/],
      [[...secret, ...body], 2, /headers are missing: use --headers-file FILE/],
      [[...body, ...HEADERS], 2, /WEBHOOK_SECRET/],
      [[...secret, ...body, "-H", "webhook-id"], 2, /'NAME: VALUE'/],
      [[...secret, "--secret-file", "x", ...body, ...HEADERS], 2, /--secret and --secret-file/],
      [[...secret, ...body, ...HEADERS, "--at", "noon"], 2, /--at must be a time/],
      [[...secret, ...HEADERS, "--body", "nowhere.json"], 1, /nowhere\.json/],
    ];
    for (const [args, code, said] of rows) {
      await assertFails(folder, ["webhook", "verify", ...args], code, said);
    }
  }));
