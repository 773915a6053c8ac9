// The doctor's checks of email and payments.
import assert from "node:assert/strict";
import net from "node:net";
import { checkMailServer, checkOutbox } from "../../../src/server/checks/mail.ts";
import { checkPayment } from "../../../src/server/checks/payment.ts";
import type { Finding, Level } from "../../../src/domain/operator/finding.ts";
import type { Config } from "../../../src/config/config.ts";
import { type Clock, DeadlineError } from "../../../src/domain/ports/ports.ts";
import { createClock } from "../../../src/platform/clock.ts";
import { regfeed, withFolder, writeConfig } from "../../support/process.ts";
import { type SmtpOptions, withSmtpServer } from "../../support/peers/smtp.ts";

const TLS = new URL("../../platform/tls/", import.meta.url);
const CA_FILE = decodeURIComponent(new URL("localhost_ca.pem", TLS).pathname);

type Smtp = NonNullable<Config["mail"]["smtp"]>;

const settings = (port: number, change: Partial<Smtp> = {}): Pick<Config, "mail"> => ({
  mail: {
    from: { name: "", address: "feed@firm.example" },
    support: "feed@firm.example",
    keepMs: 0,
    outbox: "/nowhere",
    smtp: {
      host: "localhost",
      port,
      isTls: false,
      credentials: null,
      requireTls: false,
      caFile: CA_FILE,
      ...change,
    },
  },
});

async function said(
  port: number,
  change: Partial<Smtp> = {},
  clock: Clock = createClock(),
): Promise<Finding[]> {
  const findings = await checkMailServer(settings(port, change), clock);
  for (const { seen, todo, level } of findings) {
    assert.doesNotMatch(`${seen} ${todo}`, /hush|feed@firm/);
    assert.equal(todo === null, level === "good");
  }
  return findings;
}

const USER = { user: "feed@firm.example", password: "hush-hush" };

const SIGN_IN: SmtpOptions = {
  authOptional: false,
  allowInsecureAuth: true,
  // deno-lint-ignore no-explicit-any -- the package brings no types
  onAuth({ username, password }: any, _: unknown, done: (error: Error | null, user?: unknown) => void) {
    if (username === USER.user && password === USER.password) done(null, { user: username });
    else done(new Error(`535 no such user: ${username} ${password}`));
  },
};

async function keyPair(): Promise<{ key: string; cert: string }> {
  const [key = "", cert = ""] = await Promise.all(
    ["localhost.key", "localhost.pem"].map((name) => Deno.readTextFile(new URL(name, TLS))),
  );
  return { key, cert };
}

Deno.test("doctor connects to the mail server, starts TLS and signs in, and sends no email", async () => {
  const rows: [options: SmtpOptions, change: Partial<Smtp>, level: Level, seen: RegExp][] = [
    [{}, {}, "good", /localhost:\d+ accepts emails; no email was sent/],
    [SIGN_IN, { credentials: USER }, "good", /accepts emails and the user and password/],
    [
      SIGN_IN,
      { credentials: { ...USER, password: "hush" } },
      "problem",
      /rejects the user name and password/,
    ],
    [
      { disabledCommands: ["STARTTLS", "AUTH"] },
      { credentials: USER },
      "problem",
      /does not support authentication/,
    ],
    [{}, { requireTls: true }, "problem", /does not offer valid TLS/],
    [{}, { isTls: true }, "problem", /does not use TLS on this port/],
    [await keyPair(), { requireTls: true }, "good", /accepts emails/],
    [await keyPair(), { requireTls: true, caFile: null }, "problem", /certificate is not valid/],
    [{ ...await keyPair(), secure: true }, { isTls: true }, "good", /accepts emails/],
  ];
  for (const [options, change, level, seen] of rows) {
    await withSmtpServer(options, async (port, taken) => {
      const [finding] = await said(port, change);
      assert.match(finding?.seen ?? "", seen);
      assert.equal(finding?.level, level, finding?.seen);
      assert.deepEqual(taken, [], "no email was sent");
    });
  }
});

Deno.test("doctor stops waiting for a mail server that does not respond, and names likely causes", async () => {
  const [nobody] = await said(1);
  assert.match(nobody?.seen ?? "", /refuses the connection/);
  assert.match(nobody?.todo ?? "", /host and port in mail\.smtp_url/);

  const sockets = new Set<net.Socket>();
  const silent = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  let bound = 0;
  const impatient: Clock = {
    ...createClock(),
    // Like the clock's `within()`, with a deadline that a test can wait for.
    within: async (ms, work) => {
      bound = ms;
      try {
        return await createClock().within(50, work);
      } catch (error) {
        assert.ok(error instanceof DeadlineError || error instanceof Error);
        throw error;
      }
    },
  };
  const { port } = silent.address() as net.AddressInfo;
  const [finding] = await said(port, {}, impatient);
  assert.equal(bound, 10_000);
  assert.match(finding?.seen ?? "", /does not respond in time/);
  assert.match(finding?.todo ?? "", /firewall/);
  for (const socket of sockets) socket.destroy();
  await new Promise<void>((resolve) => silent.close(() => resolve()));
});

const PAYMENT = {
  webhookSecret: `whsec_${"a".repeat(32)}`,
  livemode: true,
  graceMs: 0,
  prices: { price_1: "team" },
} as const;

Deno.test("checkOutbox() warns of keys in the outbox, and reports an outbox that cannot be written", () => {
  const outbox = { mail: { ...settings(1).mail, smtp: null } };
  const machine = (mayWrite: boolean) => ({
    rightsOf: () => ({
      isFolder: true,
      mode: 0o700,
      isRoots: false,
      mayRead: true,
      mayWrite,
      isReadOnly: false,
    }),
  });
  const level = (payment: Config["payment"], mayWrite = true) =>
    checkOutbox({ ...outbox, payment }, machine(mayWrite)).map((finding) => finding.level);
  assert.deepEqual(level(null), ["good"]);
  assert.deepEqual(level(PAYMENT), ["warning"]);
  assert.deepEqual(level(null, false), ["problem"]);
  assert.deepEqual(checkOutbox({ ...settings(1), payment: null }, machine(false)), []);
});

Deno.test("checkPayment() recognises an invalid signing secret without repeating it", () => {
  const findings = (payment: Partial<NonNullable<Config["payment"]>>) =>
    checkPayment({ payment: { ...PAYMENT, ...payment } });
  const rows: [secret: string, level: Level, seen: RegExp][] = [
    [PAYMENT.webhookSecret, "good", /has the right form/],
    ["sk_live_hushhushhushhushhushhush", "problem", /is a secret API key/],
    ["rk_test_hush", "problem", /is a secret API key/],
    ["hushhushhushhushhushhushhushhush", "problem", /is not a complete signing secret/],
    [`whsec_${"a".repeat(32)} `, "problem", /is not a complete/],
    ["whsec_hush", "problem", /is not a complete/],
  ];
  for (const [webhookSecret, level, seen] of rows) {
    const [finding] = findings({ webhookSecret });
    assert.equal(finding?.level, level, webhookSecret);
    assert.match(finding?.seen ?? "", seen);
    assert.doesNotMatch(`${finding?.seen} ${finding?.todo}`, /hush|aaaa/);
  }
  assert.match(findings({ prices: {} })[1]?.seen ?? "", /has no price/);
  assert.match(findings({ prices: { prod_1: "team" } })[1]?.seen ?? "", /prod_1, which is a product/);
  assert.equal(findings({ prices: { price_1: "team", price_2: "indie" } }).length, 1);
});

Deno.test("doctor checks the mail server of the config, except with --offline", async () => {
  await withSmtpServer(SIGN_IN, async (port, taken) => {
    await withFolder(async (folder) => {
      const text = (password: string) =>
        `[mail]\nfrom = "feed@firm.example"\nrequire_tls = false\nsmtp_url = "smtp://feed%40firm.example:${password}@127.0.0.1:${port}"\n`;
      const examine = async (password: string, ...options: string[]) => {
        await writeConfig(folder, text(password));
        await Deno.chmod(`${folder}/regfeed.toml`, 0o600);
        const { stdout, code } = await regfeed(folder, ["doctor", ...options]);
        assert.doesNotMatch(stdout, /hush/);
        return { stdout, code };
      };
      const good = await examine("hush-hush");
      assert.match(
        good.stdout,
        /127\.0\.0\.1:\d+ accepts emails and the user and password; no email was sent/,
      );
      const bad = await examine("hush");
      assert.equal(bad.code, 1);
      assert.match(bad.stdout, /rejects the user name and password\n\s+→ correct the user and password/);
      const offline = await examine("hush", "--offline");
      assert.equal(offline.code, 0, offline.stdout);
      assert.doesNotMatch(offline.stdout, /accepts emails|refuses/);
      assert.deepEqual(taken, []);
    });
  });
});
