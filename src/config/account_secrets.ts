// Reads the secrets of payments, emails, metrics and single sign-on.
import type { SmtpServer } from "../domain/customer/mail.ts";
import { isTable } from "./toml/raw_document.ts";
import type { Secrets } from "./secrets.ts";
import { readSmtpUrl } from "./parse_values.ts";

export interface AccountSecrets {
  webhookSecret: string | null;
  smtp: SmtpServer | null;
  metricsToken: string | null;
  oidcSecret: string | null;
}

export async function readAccountSecrets(
  { payment, mail, metrics, console }: Record<string, unknown>,
  secrets: Secrets,
): Promise<AccountSecrets> {
  const oidc = isTable(console) ? console["oidc"] : undefined;
  return {
    oidcSecret: isTable(oidc)
      ? (await secrets.read(oidc, "client_secret", ["console", "oidc"]))?.value ?? null
      : null,
    metricsToken: isTable(metrics) ? await readMetricsToken(metrics, secrets) : null,
    webhookSecret: isTable(payment) ? await readWebhookSecret(payment, secrets) : null,
    smtp: isTable(mail) ? await readSmtp(mail, secrets) : null,
  };
}

async function readMetricsToken(metrics: Record<string, unknown>, secrets: Secrets): Promise<string | null> {
  const token = await secrets.read(metrics, "token", ["metrics"]);
  if (token === null) return null;
  if (!/^[!-~]+$/.test(token.value)) {
    secrets.reject(token.path, "is not a valid token: use one line of ASCII characters without spaces");
  }
  if (metrics["listen"] === undefined) {
    secrets.reject(
      token.path,
      'has no effect without metrics.listen: add listen = "127.0.0.1:9464", or remove the token',
    );
  }
  return token.value;
}

async function readWebhookSecret(payment: Record<string, unknown>, secrets: Secrets): Promise<string | null> {
  const secret = await secrets.read(payment, "webhook_secret", ["payment"]);
  if (!Object.keys(payment).some((key) => key.startsWith("webhook_secret"))) {
    secrets.reject(
      ["payment", "webhook_secret"],
      "is missing: without the endpoint's signing secret, anyone could create customers; " +
        "set webhook_secret, webhook_secret_file or webhook_secret_env",
    );
  }
  return secret?.value ?? null;
}

async function readSmtp(mail: Record<string, unknown>, secrets: Secrets): Promise<SmtpServer | null> {
  const url = await secrets.read(mail, "smtp_url", ["mail"]);
  if (url === null) return null;
  if (mail["from"] === undefined) {
    const message = 'is missing: a mail server needs a sender, such as "Regfeed <feed@example.org>"';
    secrets.reject(["mail", "from"], message);
  }
  const reading = readSmtpUrl(url.value);
  return "value" in reading ? reading.value : secrets.reject(url.path, reading.problem);
}
