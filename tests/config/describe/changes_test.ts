// Which keys differ between two configs, and which of the changes need a restart.
import assert from "node:assert/strict";
import { compareConfigs, keepUntilRestart } from "../../../src/config/describe/changes.ts";
import { configOf, type Given, parsedOf, source } from "../given.ts";

const BEFORE = [
  "[server]",
  'listen = "127.0.0.1:8080"',
  "[tiers.team]",
  "active_subscriptions = 5",
  "[delivery]",
  'timeout = "15s"',
  "[payment]",
  'webhook_secret = "whsec_hush"',
  'prices = { price_1 = "team" }',
  source(),
].join("\n");

const edit = (from: string, to: string): string => {
  assert.ok(BEFORE.includes(from), from);
  return BEFORE.replace(from, to);
};

interface Row {
  edit: string;
  after: string;
  applied?: string[];
  restart?: string[];
}

const ROWS: Row[] = [
  { edit: "nothing", after: BEFORE },
  {
    edit: "a comment and an order",
    after: `# mine\n${edit('timeout = "15s"', 'timeout = "15000ms" # same')}`,
  },
  {
    edit: "a default written out",
    after: `${BEFORE}\n[log]\nlevel = "info"\n[tiers.indie]\nactive_subscriptions = 1`,
  },
  { edit: "a limit", after: edit("= 5", "= 6"), applied: ["tiers.team.active_subscriptions"] },
  { edit: "a limit taken out", after: edit("active_subscriptions = 5", ""), applied: [] },
  { edit: "a duration", after: edit('"15s"', '"10s"'), applied: ["delivery.timeout"] },
  {
    edit: "the log",
    after: `${BEFORE}\n[log]\nlevel = "debug"\nformat = "json"`,
    applied: ["log.format", "log.level"],
  },
  {
    edit: "the mail server alone",
    after: `${BEFORE}\n[mail]\nfrom = "a@b.example"\nsmtp_url = "smtp://m.example"\nrequire_tls = false`,
    applied: ["mail.from", "mail.require_tls", "mail.smtp_url"],
  },
  { edit: "where it listens", after: edit("8080", "8081"), restart: ["server.listen"] },
  { edit: "the database", after: `${BEFORE}\n[store]\npath = "other.db"`, restart: ["store.path"] },
  { edit: "the key file", after: `${BEFORE}\n[store]\nkey_file = "k"`, restart: ["store.key_file"] },
  {
    edit: "the metrics",
    after: `${BEFORE}\n[metrics]\nlisten = "127.0.0.1:9464"`,
    restart: ["metrics.listen"],
  },
  {
    edit: "both kinds",
    after: edit("8080", "8081").replace('"15s"', '"10s"'),
    applied: ["delivery.timeout"],
    restart: ["server.listen"],
  },
  { edit: "a secret", after: edit("whsec_hush", "whsec_else"), applied: ["payment.webhook_secret"] },
  {
    edit: "a price",
    after: edit("price_1", "price_2"),
    applied: ["payment.prices.price_1", "payment.prices.price_2"],
  },
  {
    edit: "a source's address",
    after: edit("feed.example.org/a.xml", "feed.example.org/b.xml"),
    applied: ["sources.a-source.url"],
  },
  {
    edit: "a source's secret",
    after: BEFORE + 'authorization = "Bearer hush"',
    applied: ["sources.a-source.authorization"],
  },
  {
    edit: "another source",
    after: BEFORE + source('id = "b-source"', 'url = "https://b.example.org/b.xml"'),
    applied: ["sources.b-source (new)"],
  },
  {
    edit: "one source for another",
    after: edit('id = "a-source"', 'id = "b-source"'),
    applied: ["sources.a-source (gone)", "sources.b-source (new)"],
  },
  {
    edit: "a customer",
    after: `${BEFORE}\n[[customers]]\nid = "bank"\nemail = "a@b.example"\ntier = "team"\nkey_sha256 = "${
      "a".repeat(64)
    }"`,
    applied: ["customers.bank (new)"],
  },
  {
    edit: "a rule of severity",
    after: `${BEFORE}\n[[severity_rules]]\nseverity = "high"\nwhy = "so"\nevent_types = ["guidance"]`,
    applied: ["severity_rules"],
  },
];

for (const { edit, after, applied = [], restart = [] } of ROWS) {
  Deno.test(`compareConfigs() names the keys of ${edit}, and no value`, async () => {
    assert.deepEqual(compareConfigs(await parsedOf(BEFORE), await parsedOf(after)), { applied, restart });
  });
}

Deno.test("compareConfigs() detects a secret that changed in its file while the config did not", async () => {
  const text = 'webhook_secret_file = "/run/stripe"';
  const given = (secret: string): Given => ({
    files: { "/run/stripe": secret, "/run/key": `Bearer ${secret}` },
  });
  const config = `[payment]\n${text}\n${source('authorization_file = "/run/key"')}`;
  const changes = compareConfigs(
    await parsedOf(config, given("whsec_1")),
    await parsedOf(config, given("whsec_2")),
  );
  assert.deepEqual(changes.applied, ["payment.webhook_secret", "sources.a-source.authorization"]);
});

Deno.test("keepUntilRestart() keeps settings that need a restart; the next comparison reports them again", async () => {
  const given = await parsedOf(
    edit("8080", "8081").replace('"15s"', '"10s"') + '\n[store]\npath = "other.db"',
  );
  const before = await parsedOf(BEFORE);
  const kept = keepUntilRestart(before, given);
  const asked = await configOf(edit('"15s"', '"10s"'));
  assert.deepEqual(kept.config, asked, "public_url is derived from the address to listen on");
  assert.deepEqual(compareConfigs(before, kept), { applied: ["delivery.timeout"], restart: [] });
  assert.deepEqual(compareConfigs(kept, given), { applied: [], restart: ["server.listen", "store.path"] });
});

Deno.test("compareConfigs() names the changed keys of the mail server", async () => {
  const mail = '[mail]\nfrom = "a@b.example"\nsmtp_url = "smtp://u:p@m.example"\n';
  const differ = async (after: string) =>
    compareConfigs(await parsedOf(mail + source()), await parsedOf(after + source())).applied;
  assert.deepEqual(await differ(`${mail}require_tls = false\n`), ["mail.require_tls"]);
  assert.deepEqual(await differ(mail.replace("u:p", "u:q")), ["mail.smtp_url"]);
});
