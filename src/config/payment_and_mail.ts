// The [payment] and [mail] tables, and all secrets except those of sources.
import { resolve } from "node:path";
import type { Mailbox, SmtpServer } from "../domain/customer/mail.ts";
import type { Tier } from "../domain/customer/tier.ts";
import { formatKey, type KeyProblem } from "./toml/problems.ts";
import { isTable } from "./toml/raw_document.ts";
import type { CheckedFile } from "./schema.ts";
import { readSecret, type SecretFile, type SecretReader } from "./secrets.ts";
import { readSmtpUrl } from "./parse_values.ts";

/** Settings of payments. */
export interface PaymentConfig {
  /** The whole signing secret, as the provider shows it. */
  webhookSecret: string;
  /** Whether to accept events of real payments rather than of the test mode. */
  livemode: boolean;
  /** How long access continues after a failed payment. */
  graceMs: number;
  /** Tiers by price id. */
  prices: Record<string, Tier>;
}

/** Settings of emails. */
export interface MailConfig {
  from: Mailbox;
  /** The address that customers write to. */
  support: string;
  /** Null: mails are written to the outbox. */
  smtp: SmtpServer & { requireTls: boolean; caFile: string | null } | null;
  /** The folder for mails if there is no server, absolute. */
  outbox: string;
  /** How long the contents of sent mails are kept, ms. */
  keepMs: number;
}

/** The secrets of payments, mails and metrics. */
export interface AccountSecrets {
  webhookSecret: string | null;
  smtp: SmtpServer | null;
  metricsToken: string | null;
  files: SecretFile[];
  /** The keys whose secrets are in the config file itself. */
  inline: string[];
  problems: KeyProblem[];
}

/** Reads the secrets of a raw document. */
export async function readAccountSecrets(
  document: Record<string, unknown>,
  from: { reader: SecretReader; folder: string },
): Promise<AccountSecrets> {
  const found: AccountSecrets = {
    webhookSecret: null,
    smtp: null,
    metricsToken: null,
    files: [],
    inline: [],
    problems: [],
  };
  const { payment, mail, metrics } = document;
  if (isTable(metrics)) found.metricsToken = await readMetricsToken(metrics, from, found);
  if (isTable(payment)) {
    found.webhookSecret = await readOne(["payment", "webhook_secret"], payment, from, found);
  }
  if (isTable(payment) && !Object.keys(payment).some((key) => key.startsWith("webhook_secret"))) {
    const message = "is missing: without the endpoint's signing secret anyone could create customers; " +
      "set webhook_secret, webhook_secret_file or webhook_secret_env";
    found.problems.push({ path: ["payment", "webhook_secret"], message });
  }
  if (!isTable(mail)) return found;
  const url = await readOne(["mail", "smtp_url"], mail, from, found);
  if (url === null) return found;
  const reading = readSmtpUrl(url);
  const key = Object.keys(mail).find((name) => /^smtp_url(_file|_env)?$/.test(name)) ?? "smtp_url";
  if ("value" in reading) found.smtp = reading.value;
  else found.problems.push({ path: ["mail", key], message: reading.problem });
  if (mail["from"] === undefined) {
    const message = 'is missing: a mail server needs a sender, such as "Regfeed <feed@example.org>"';
    found.problems.push({ path: ["mail", "from"], message });
  }
  return found;
}

async function readMetricsToken(
  metrics: Record<string, unknown>,
  from: { reader: SecretReader; folder: string },
  found: AccountSecrets,
): Promise<string | null> {
  const token = await readOne(["metrics", "token"], metrics, from, found);
  const key = Object.keys(metrics).find((name) => /^token(_file|_env)?$/.test(name)) ?? "token";
  if (token !== null && !/^[!-~]+$/.test(token)) {
    const message = "is not a valid token: use one line of ASCII characters without spaces";
    found.problems.push({ path: ["metrics", key], message });
  }
  if (token !== null && metrics["listen"] === undefined) {
    const message =
      'has no effect without metrics.listen: add listen = "127.0.0.1:9464", or remove the token';
    found.problems.push({ path: ["metrics", key], message });
  }
  return token;
}

async function readOne(
  [tableName, name]: [string, string],
  table: Record<string, unknown>,
  from: { reader: SecretReader; folder: string },
  found: AccountSecrets,
): Promise<string | null> {
  const secret = await readSecret(table, name, from);
  if (secret.kind === "none") return null;
  const path = [tableName, secret.key];
  if (secret.kind === "problem") {
    found.problems.push({ path, message: secret.message });
    return null;
  }
  if (secret.key === name && !isPublicUrl(secret.value)) found.inline.push(formatKey(path) ?? name);
  if (secret.path !== undefined) found.files.push({ key: formatKey(path) ?? secret.key, path: secret.path });
  return secret.value;
}

/** Whether a URL has no password and is therefore not secret. */
function isPublicUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).password === "";
}

/** The settings of payments; null without [payment]. */
export function buildPayment(
  { payment }: CheckedFile,
  { webhookSecret }: AccountSecrets,
): PaymentConfig | null {
  if (payment === undefined || webhookSecret === null) return null;
  const { livemode, grace, prices } = payment;
  return { webhookSecret, livemode, graceMs: grace, prices };
}

/** The settings of emails. */
export function buildMail({ mail }: CheckedFile, { smtp }: AccountSecrets, folder: string): MailConfig {
  const caFile = mail.smtp_ca_file === undefined ? null : resolve(folder, mail.smtp_ca_file);
  return {
    from: mail.from,
    support: mail.support === "" ? mail.from.address : mail.support.address,
    smtp: smtp === null ? null : { ...smtp, requireTls: mail.require_tls, caFile },
    outbox: resolve(folder, mail.outbox),
    keepMs: mail.keep,
  };
}
