// Checks of payments: the signing secret and the prices.
import type { Config } from "../../config/config.ts";
import { type Finding, good, problem, warning } from "../../server/checks/finding.ts";

/** A signing secret with fewer characters after `whsec_` was not copied completely. */
const MIN_SECRET_LENGTH = 24;

/** Values that were set by mistake, by their form. */
const OTHER_VALUES: readonly [prefix: RegExp, what: string][] = [
  [/^(sk|rk)_/, "is a secret API key, which Regfeed never needs: remove it from the config, and replace it"],
  [/^pk_/, "is a publishable API key"],
  [/^we_/, "is the id of the webhook endpoint"],
  [/\s/, "contains spaces or line breaks"],
  [/^(?!whsec_)/, "does not begin with whsec_"],
];

/** Checks the payment settings. No finding contains any part of the secret. */
export function checkPayment(
  { payment, secretFiles, inlineSecrets }: Pick<Config, "payment" | "secretFiles" | "inlineSecrets">,
): Finding[] {
  if (payment === null) return [];
  const { webhookSecret: secret, prices } = payment;
  const file = secretFiles.find(({ key }) => key === "payment.webhook_secret_file");
  const place = inlineSecrets.includes("payment.webhook_secret")
    ? "payment.webhook_secret"
    : "the environment";
  const from = file === undefined ? place : `the file ${file.path}`;
  const wrong = OTHER_VALUES.find(([pattern]) => pattern.test(secret))?.[1] ??
    (secret.length < "whsec_".length + MIN_SECRET_LENGTH ? "is too short" : null);
  const products = Object.keys(prices).filter((id) => id.startsWith("prod_"));
  const count = Object.keys(prices).length;
  return [
    wrong === null
      ? good("payment", `the signing secret comes from ${from} and has the right form`)
      : problem(
        "payment",
        `the signing secret from ${from} ${wrong}`,
        "set the right one: the provider's dashboard shows it with the webhook endpoint (whsec_…)",
      ),
    ...products.map((id) =>
      problem(
        "payment",
        `payment.prices names ${id}, which is a product`,
        "name its prices (price_…) instead",
      )
    ),
    ...(count > 0 ? [] : [warning(
      "payment",
      "payment.prices has no price: every paid checkout gets the tier indie",
      'add the prices: prices = { "price_…" = "team" }',
    )]),
  ];
}
