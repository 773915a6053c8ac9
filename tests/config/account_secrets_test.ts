// Payments and emails in the config: how secrets are given, and which problems are reported.
import assert from "node:assert/strict";
import { describeConfig, summariseConfig } from "../../src/config/describe/describe.ts";
import { configOf, linesOf } from "./given.ts";

Deno.test("[payment] requires a signing secret in one of three forms", async () => {
  const rows: [text: string, expected: RegExp][] = [
    ["[payment]\nlivemode = true", /^regfeed\.toml:1: payment\.webhook_secret: is missing: .*anyone could/],
    ['[payment]\nwebhook_secret = " "', /:2: payment\.webhook_secret: is empty/],
    ['[payment]\nwebhook_secret_env = "NONE"', /:2: payment\.webhook_secret_env: .*NONE, which is not set/],
    ['[payment]\nwebhook_secret_file = "no"', /webhook_secret_file: refers to the file .*does not exist/],
    ['[payment]\nwebhook_secret = "x"\nprices = { p = "gold" }', /payment\.prices\.p: .*cannot be "gold"/],
    [
      '[payment]\nwebhook_secret = "x"\nprices = ["p"]',
      /payment\.prices: needs a table of tiers by price id/,
    ],
    ['[payment]\nwebhook_secret = "x"\ngrace = "1y"', /payment\.grace: is not a valid duration: "1y"/],
    ['[payment]\nwebhook_secret = "x"\ngrace = "91d"', /payment\.grace: .*use 0ms to 90d/],
  ];
  for (const [text, expected] of rows) assert.match((await linesOf(text)).join("\n"), expected, text);
  const given = { files: { "/run/stripe": "whsec_1\n" }, env: { STRIPE: "whsec_2" } };
  const byFile = await configOf('[payment]\nwebhook_secret_file = "/run/stripe"', given);
  assert.equal(byFile.payment?.webhookSecret, "whsec_1");
  assert.deepEqual(byFile.secretFiles, [{ key: "payment.webhook_secret_file", path: "/run/stripe" }]);
  const byEnv = await configOf('[payment]\nwebhook_secret_env = "STRIPE"', given);
  assert.deepEqual(byEnv.payment, {
    webhookSecret: "whsec_2",
    livemode: true,
    graceMs: 14 * 86_400_000,
    prices: {},
  });
});

Deno.test("an invalid mail server is rejected, and its URL is never repeated", async () => {
  const from = '[mail]\nfrom = "a@b.example"\n';
  const rows: [text: string, expected: RegExp][] = [
    [
      `${from}smtp_url = "https://user:hush@mail.example"`,
      /:3: mail\.smtp_url: is not a valid mail server: use smtp:\/\/HOST:587 or smtps:\/\/HOST:465/,
    ],
    [`${from}smtp_url = "smtp://user:hu%sh@mail.example"`, /mail\.smtp_url: .*%25/],
    [`${from}smtp_url = "mail.example"`, /mail\.smtp_url: is not a valid mail server/],
    ['[mail]\nsmtp_url = "smtp://mail.example"', /mail\.from: is missing: a mail server needs a sender/],
    ['[mail]\nfrom = "nobody"', /mail\.from: is not a valid email address/],
    ['[mail]\nsupport = "nobody"', /mail\.support: is not a valid email address/],
    ['[mail]\nfrom = "a <a@b.example>, c@d.example"', /mail\.from: is not a valid email address/],
    ['[mail]\nfrom = "x\\nBcc: c@d.example <a@b.example>"', /mail\.from: is not a valid email address/],
  ];
  for (const [text, expected] of rows) {
    const lines = (await linesOf(text)).join("\n");
    assert.match(lines, expected, text);
    assert.doesNotMatch(lines, /hush|hu%sh/);
  }
  const { mail } = await configOf(`${from}smtp_url = "smtp://[::1]:2525"`);
  assert.deepEqual(mail.smtp, {
    host: "::1",
    port: 2525,
    isTls: false,
    credentials: null,
    requireTls: true,
    caFile: null,
  });
  assert.deepEqual([mail.from, mail.support], [{ name: "", address: "a@b.example" }, "a@b.example"]);
});

Deno.test("the summary describes payments and emails without their secrets", async () => {
  const config = await configOf(
    '[payment]\nwebhook_secret = "whsec_hush"\nprices = { p = "team" }\n[mail]\nfrom = "F <f@b.example>"\n' +
      'smtp_url = "smtp://user:hush@mail.example"',
  );
  const { payment, mail } = summariseConfig(config, 0);
  assert.deepEqual(payment, { livemode: true, grace_ms: 14 * 86_400_000, prices: { p: "team" } });
  assert.deepEqual([mail.from, mail.smtp, mail.tls], ["F <f@b.example>", "mail.example:587", "required"]);
  const text = describeConfig(config, 0);
  assert.match(text, /^payment +live mode, prices: 1, grace period 14d$/m);
  assert.match(
    text,
    /^mail +from F <f@b\.example> via mail\.example:587, STARTTLS required; contents kept for 90d$/m,
  );
  assert.doesNotMatch(text + JSON.stringify(summariseConfig(config, 0)), /hush/);
  const bare = describeConfig(await configOf(""), 0);
  assert.match(bare, /^payment +disabled/m);
  assert.match(
    bare,
    /^mail +no mail server: emails are written to \/etc\/regfeed\/data\/outbox; contents kept/m,
  );
});

Deno.test("[console.oidc] requires an issuer over https and operators, and never shows its secret", async () => {
  const least = 'client_id = "regfeed"\noperator_groups = ["ops"]\n';
  const issuer = 'issuer = "https://sso.example.org/"\n';
  const rows: [text: string, expected: RegExp][] = [
    [least, /console\.oidc\.issuer: .*https:\/\/sso\.example\.org/],
    [`${issuer}operator_groups = ["ops"]`, /console\.oidc\.client_id: /],
    [`issuer = "http://sso.example.org"\n${least}`, /console\.oidc\.issuer: uses http/],
    [`issuer = "https://sso.example.org?x=1"\n${least}`, /console\.oidc\.issuer: has a query/],
    [`${issuer}client_id = "regfeed"`, /console\.oidc\.operator_groups: is missing/],
    [`${issuer}client_id = "regfeed"\noperator_groups = []`, /console\.oidc\.operator_groups: is missing/],
    [`${issuer}${least}scopes = ["email"]`, /console\.oidc\.scopes: must contain "openid"/],
    [`${issuer}${least}operator_emails = ["x"]`, /console\.oidc\.operator_emails\S*: is not a valid email/],
    [
      `${issuer}${least}client_secret = "hush"\nclient_secret_env = "X"`,
      /console\.oidc\.client_secret_env: cannot/,
    ],
    [`${issuer}${least}client_secret_env = "NONE"`, /console\.oidc\.client_secret_env: .*not set/],
  ];
  for (const [text, expected] of rows) {
    const lines = (await linesOf(`[console.oidc]\n${text}`)).join("\n");
    assert.match(lines, expected, text);
    assert.doesNotMatch(lines, /hush/);
  }
  const config = await configOf(
    `[console.oidc]\nissuer = "http://localhost:9000"\nclient_secret_file = "/run/oidc"\nca_file = "ca.pem"\n` +
      `client_id = "regfeed"\noperator_emails = ["Olga@Example.org"]`,
    { files: { "/run/oidc": "hush\n" } },
  );
  assert.deepEqual(config.console.oidc, {
    issuer: "http://localhost:9000",
    clientId: "regfeed",
    clientSecret: "hush",
    name: null,
    scopes: ["openid", "profile", "email"],
    groupsClaim: "groups",
    operatorGroups: [],
    operatorEmails: ["olga@example.org"],
    caFile: "/etc/regfeed/ca.pem",
  });
  assert.deepEqual(config.secretFiles, [{ key: "console.oidc.client_secret_file", path: "/run/oidc" }]);
  assert.match(describeConfig(config, 0), /operators sign in at http:\/\/localhost:9000, 1 by email address/);
  assert.doesNotMatch(describeConfig(config, 0) + JSON.stringify(summariseConfig(config, 0)), /hush/);
});
