// Email over real sockets, to the server of the smtp-server package and to a server that misbehaves.
import assert from "node:assert/strict";
import net from "node:net";
import { join } from "node:path";
import { renderMail } from "../../../src/accounts/mail/render_mail.ts";
import { MAIL_LANGUAGES } from "../../../src/domain/customer/mail_language.ts";
import { MailError, type OutgoingMail } from "../../../src/domain/ports/ports.ts";
import { createMailer, type MailSettings } from "../../../src/platform/mail/mailer.ts";
import { withFolder } from "../../support/process.ts";
import { withSmtpServer as withServer } from "../../support/peers/smtp.ts";

const TLS = new URL("../tls/", import.meta.url);
const CA_FILE = decodeURIComponent(new URL("localhost_ca.pem", TLS).pathname);

const MAIL: OutgoingMail = {
  id: "mail_01.1",
  from: { name: "Regfeed ü", address: "feed@firm.example" },
  to: "ana@client.example",
  replyTo: "support@firm.example",
  subject: "Ihr Schlüssel",
  text: "Größe: rgf_1\n.\nEnde",
  html: "<p>Größe</p>",
};

type Smtp = NonNullable<MailSettings["smtp"]>;

const mailerFor = (port: number, change: Partial<Smtp> = {}) =>
  createMailer({
    smtp: {
      host: "127.0.0.1",
      port,
      isTls: false,
      credentials: null,
      requireTls: false,
      caFile: null,
      ...change,
    },
    outbox: "/nowhere",
  });

const forever = new AbortController().signal;

/** Runs the work with a scripted server. `answer` returns null to close the connection, undefined to send nothing. */
async function withScript(
  answer: (line: string, inData: boolean) => string | null | undefined,
  work: (port: number) => Promise<void>,
): Promise<void> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    let rest = "";
    let inData = false;
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    const say = (text: string | null | undefined) => {
      if (text === null) socket.destroy();
      else if (text !== undefined) socket.write(`${text}\r\n`);
    };
    say(answer("", false));
    socket.on("data", (chunk: Uint8Array) => {
      rest += new TextDecoder().decode(chunk);
      const lines = rest.split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (inData && line !== ".") {
          if (answer(line, true) === null) socket.destroy();
          continue;
        }
        const said = answer(line, inData);
        inData = line.startsWith("DATA") && (said ?? "").startsWith("354");
        say(said);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work((server.address() as net.AddressInfo).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/** Returns the script of a server that behaves well except at these steps. */
const script = (odd: Record<string, string | null | undefined>) => (line: string, inData: boolean) => {
  const step = inData
    ? (line === "." ? "dot" : "body")
    : line === ""
    ? "greeting"
    : line.split(/[ :]/)[0] ?? "";
  if (step in odd) return odd[step];
  const usual: Record<string, string | undefined> = {
    greeting: "220 mail.example ESMTP",
    EHLO: "250 mail.example",
    HELO: "250 mail.example",
    MAIL: "250 ok",
    RCPT: "250 ok",
    DATA: "354 go on",
    dot: "250 taken",
    QUIT: "221 bye",
  };
  return usual[step];
};

async function refusalOf(work: () => Promise<void>): Promise<MailError> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof MailError, String(error));
    assert.doesNotMatch(error.reason, /client\.example|rgf_|hush/);
    return error;
  }
  throw new Error("the mail was taken");
}

Deno.test("createMailer() sends addresses, subject and both bodies unchanged", () =>
  withServer({}, async (port, taken) => {
    await mailerFor(port).send(MAIL, forever);
    const [{ to, raw } = { to: [], raw: "" }] = taken;
    assert.deepEqual(to, ["ana@client.example"]);
    const expected = [
      /^From: =\?UTF-8\?.*<feed@firm\.example>/m,
      /^To: ana@client\.example/m,
      /^Reply-To: support@firm\.example/m,
      /^Message-ID: <mail_01\.1@firm\.example>/m,
      /^Auto-Submitted: auto-generated/m,
      /^Content-Type: multipart\/alternative/m,
      /Gr=C3=B6=C3=9Fe: rgf_1\r?\n\.\r?\nEnde/,
    ];
    for (const pattern of expected) assert.match(raw, pattern);
  }));

Deno.test("createMailer() uses STARTTLS and TLS, and checks the certificate", async () => {
  const [key, cert] = await Promise.all(
    ["localhost.key", "localhost.pem"].map((name) => Deno.readTextFile(new URL(name, TLS))),
  );
  const good = { host: "localhost", requireTls: true, caFile: CA_FILE };
  for (const secure of [false, true]) {
    await withServer({ key, cert, secure }, async (port, taken) => {
      await mailerFor(port, { ...good, isTls: secure }).send(MAIL, forever);
      assert.equal(taken.length, 1, String(secure));
      const unknown = await refusalOf(() =>
        mailerFor(port, { ...good, isTls: secure, caFile: null }).send(MAIL, forever)
      );
      assert.equal(unknown.reason, "the mail server's certificate is not valid");
      assert.equal(taken.length, 1, "nothing is sent to an unverified server");
    });
  }
});

Deno.test("createMailer() refuses a server without TLS unless the config allows it", () =>
  withServer({}, async (port, taken) => {
    const refusal = await refusalOf(() => mailerFor(port, { requireTls: true }).send(MAIL, forever));
    assert.equal(refusal.reason, "the mail server does not offer valid TLS");
    assert.deepEqual(taken, []);
    await mailerFor(port).send(MAIL, forever);
    assert.equal(taken.length, 1);
  }));

Deno.test("createMailer() logs in, and reports wrong credentials without the password", () =>
  withServer({
    authOptional: false,
    allowInsecureAuth: true,
    // deno-lint-ignore no-explicit-any -- the package brings no types
    onAuth({ username, password }: any, _: unknown, done: (error: Error | null, user?: unknown) => void) {
      if (username === "feed" && password === "hush") done(null, { user: username });
      else done(new Error("535 no such user: feed hush"));
    },
  }, async (port, taken) => {
    await mailerFor(port, { credentials: { user: "feed", password: "hush" } }).send(MAIL, forever);
    assert.equal(taken.length, 1);
    const wrong = await refusalOf(() =>
      mailerFor(port, { credentials: { user: "feed", password: "other" } }).send(MAIL, forever)
    );
    assert.equal(wrong.reason, "the mail server rejects the user name and password");
    assert.equal(wrong.isRefused, false, "temporary, because the operator can correct it");
  }));

Deno.test("createMailer() distinguishes permanent from temporary refusals", async () => {
  const rows: [odd: Record<string, string | null>, reason: RegExp, isRefused: boolean][] = [
    [{ RCPT: "550 5.1.1 ana@client.example: no such user" }, /refuses the email address \(550\)/, true],
    [{ RCPT: "450 4.2.0 greylisted" }, /responded with 450/, false],
    [{ MAIL: "552 quota" }, /552 to MAIL/, false],
    [{ greeting: "554 go away" }, /554|SMTP/, false],
    [{ DATA: "451 later" }, /responded with 451/, false],
    [{ dot: "554 spam: rgf_1" }, /responded with 554/, false],
    [{ dot: "452 full" }, /responded with 452/, false],
    [{ greeting: null }, /was lost|does not speak SMTP/, false],
    [{ EHLO: null, HELO: null }, /was lost/, false],
    [{ body: null }, /was lost/, false],
    [{ dot: null }, /was lost/, false],
  ];
  for (const [odd, reason, isRefused] of rows) {
    await withScript(script(odd), async (port) => {
      const refusal = await refusalOf(() => mailerFor(port).send(MAIL, forever));
      assert.match(refusal.reason, reason, JSON.stringify(odd));
      assert.equal(refusal.isRefused, isRefused, JSON.stringify(odd));
    });
  }
  const nobody = await refusalOf(() => mailerFor(1).send(MAIL, forever));
  assert.equal(nobody.reason, "the mail server refuses the connection");
});

Deno.test("createMailer() stops waiting for a silent server when the signal aborts", async () => {
  for (const step of ["greeting", "MAIL", "DATA", "dot"]) {
    await withScript(script({ [step]: undefined }), async (port) => {
      const patience = new AbortController();
      const sending = refusalOf(() => mailerFor(port).send(MAIL, patience.signal));
      setTimeout(() => patience.abort(), 50);
      assert.match((await sending).reason, /was lost|in time/, step);
    });
  }
});

Deno.test("createMailer() counts an email as sent even if QUIT fails", () =>
  withScript(script({ QUIT: null }), (port) => mailerFor(port).send(MAIL, forever)));

Deno.test("createMailer() without a server writes to the outbox, and keeps the last attempt", () =>
  withFolder(async (folder) => {
    const outbox = join(folder, "a", "outbox");
    const mailer = createMailer({ smtp: null, outbox });
    await mailer.send(MAIL, forever);
    await mailer.send({ ...MAIL, text: "second" }, forever);
    const names = [...Deno.readDirSync(outbox)].map(({ name }) => name);
    assert.deepEqual(names, ["mail_01.1.eml"]);
    const modes = [outbox, join(outbox, "mail_01.1.eml")].map((path) =>
      ((Deno.statSync(path).mode ?? 0) & 0o777).toString(8)
    );
    assert.deepEqual(modes, ["700", "600"]);
    const text = await Deno.readTextFile(join(outbox, "mail_01.1.eml"));
    assert.match(text, /^To: ana@client\.example$/m);
    assert.match(text, /^second$/m);
    const nowhere = createMailer({ smtp: null, outbox: join(outbox, "mail_01.1.eml") });
    assert.equal((await refusalOf(() => nowhere.send(MAIL, forever))).reason, "the outbox cannot be written");
  }));

Deno.test("the key of a welcome email is on one line in text and HTML, by SMTP and in the outbox", () =>
  withFolder((folder) =>
    withServer({}, async (port, taken) => {
      const key = `rgf_${"0f".repeat(32)}`;
      const limits = { apiRequestsPerDay: 1, webhookDeliveriesPerMonth: 2, activeSubscriptions: 3 };
      const facts = {
        key,
        link: null,
        publicUrl: "https://feed.example.org",
        support: "help@feed.example",
        limits,
      };
      const outbox = createMailer({ smtp: null, outbox: folder });
      for (const language of MAIL_LANGUAGES) {
        const customer = {
          id: "cus_1",
          email: MAIL.to,
          tier: "team",
          enabled: true,
          limits: {},
          language,
        } as const;
        const mail = {
          kind: "welcome",
          data: {},
          id: "mail_1",
          attempt: 1,
          tries: 1,
          lastFour: null,
        } as const;
        const whole = { ...mail, customer: { ...customer, declared: false, createdAtMs: 0 } };
        const outgoing = { ...MAIL, ...renderMail(whole, facts) };
        await mailerFor(port).send(outgoing, forever);
        await outbox.send(outgoing, forever);
        const eml = await Deno.readTextFile(join(folder, "mail_01.1.eml"));
        for (const bytes of [taken.at(-1)?.raw ?? "", eml]) {
          const lines = bytes.split(/\r?\n/).filter((line) => line.includes(key));
          assert.deepEqual(lines, [`    ${key}`, `    ${key} \\`, key, `${key} \\`], language);
          // The command is not encoded, so it can be copied from the file.
          const command =
            `    curl --oauth2-bearer \\\n    ${key} \\\n    https://feed.example.org/v1/events\n`;
          assert.ok(bytes.replaceAll("\r", "").includes(command), language);
        }
      }
    })
  ));

Deno.test("createMailer() prevents header injection through subject and name", () =>
  withServer({}, async (port, taken) => {
    const evil = "x\r\nBcc: eve@client.example\r\n\r\nbody";
    await mailerFor(port).send(
      { ...MAIL, subject: evil, from: { name: evil, address: MAIL.from.address } },
      forever,
    );
    const [{ to, raw } = { to: [], raw: "" }] = taken;
    assert.deepEqual(to, ["ana@client.example"]);
    const headers = raw.split(/\r?\n\r?\n/)[0] ?? "";
    assert.doesNotMatch(headers, /^Bcc:/m);
  }));
