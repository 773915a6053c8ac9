// What the doctor says of payments: the signing secret, the mode, the prices.
import type { Config } from "../../config/config.ts";
import type { PaymentConfig } from "../../config/payment_and_mail.ts";
import { type Finding, good, problem, warning } from "./finding.ts";

/** Fewer characters behind `whsec_` than any signing secret has: it was not copied whole. */
const LEAST_SECRET = 24;
const WHERE = "the provider's dashboard shows it with the webhook endpoint (whsec_…)";

/** What begins so is something else of the provider's. */
const OTHERS: readonly [prefix: RegExp, what: string][] = [
  [
    /^(sk|rk)_/,
    "a secret API key, which Regfeed never needs: take it out of the config, and replace it by another",
  ],
  [/^pk_/, "a publishable API key"],
  [/^we_/, "the id of the webhook endpoint"],
];

/** Of what the config says of payments. No finding holds any of the secret. */
export function judgePayment(
  config: Pick<Config, "payment" | "secretFiles" | "inlineSecrets" | "server">,
): Finding[] {
  const { payment } = config;
  if (payment === null) return [good("payment", "payments are not taken: there is no [payment]")];
  return [
    judgeSecret(payment, whereSecretStands(config)),
    judgeMode(payment, config.server.publicUrl),
    ...judgePrices(payment),
  ];
}

function whereSecretStands(
  { secretFiles, inlineSecrets }: Pick<Config, "secretFiles" | "inlineSecrets">,
): string {
  const file = secretFiles.find(({ key }) => key === "payment.webhook_secret_file");
  if (file !== undefined) return `the file ${file.path}`;
  return inlineSecrets.includes("payment.webhook_secret") ? "payment.webhook_secret" : "the environment";
}

function judgeSecret({ webhookSecret }: PaymentConfig, where: string): Finding {
  const bad = (what: string) =>
    problem("payment", `the signing secret from ${where} ${what}`, `give the right one: ${WHERE}`);
  const other = OTHERS.find(([prefix]) => prefix.test(webhookSecret));
  if (other !== undefined) return bad(`is ${other[1]}`);
  if (/\s/.test(webhookSecret)) return bad("has blanks or line ends in it that do not belong to it");
  if (!webhookSecret.startsWith("whsec_")) return bad("does not begin with whsec_");
  if (webhookSecret.length < "whsec_".length + LEAST_SECRET) return bad("is too short to be whole");
  return good("payment", `the signing secret comes from ${where} and has the form of one`);
}

/** Neither a secret nor a price says which mode it is of; but nobody sells on the internet in test mode. */
function judgeMode({ livemode }: PaymentConfig, publicUrl: string): Finding {
  const { hostname } = new URL(publicUrl);
  const isPublic = !/^(localhost|127\.|\[::1\])/.test(hostname);
  if (livemode) {
    return good("payment", "real payments are taken; secret and prices must be those of the live mode");
  }
  const seen = "only payments of the provider's test mode are taken (payment.livemode = false)";
  return isPublic
    ? warning(
      "payment",
      seen,
      "before you sell: livemode = true, with the secret and the prices of the live mode",
    )
    : good("payment", seen);
}

function judgePrices({ prices }: PaymentConfig): Finding[] {
  const ids = Object.keys(prices);
  const findings = ids.filter((id) => id.startsWith("prod_")).map((id) =>
    problem("payment", `payment.prices names ${id}, which is a product`, "name its prices (price_…) instead")
  );
  if (ids.length === 0) {
    const todo = 'add the prices: prices = { "price_…" = "team" }';
    findings.push(
      warning("payment", "payment.prices names no price: every paid checkout gets the tier indie", todo),
    );
  }
  return findings.length > 0
    ? findings
    : [good("payment", `${ids.length} ${ids.length === 1 ? "price buys" : "prices buy"} a tier`)];
}
