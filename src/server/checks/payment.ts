// Checks of payments: the signing secret and the prices.
import type { Config } from "../../config/config.ts";
import { type Finding, good, problem, warning } from "../../domain/operator/finding.ts";

/** A signing secret as the provider shows it. A shorter one was not copied completely. */
const SIGNING_SECRET = /^whsec_\S{24,}$/;
const API_KEY = /^(sk|rk)_/;

/** Checks the payment settings. No finding contains any part of the secret. */
export function checkPayment({ payment }: Pick<Config, "payment">): Finding[] {
  if (payment === null) return [];
  const { webhookSecret, prices } = payment;
  const ids = Object.keys(prices);
  const wrong = API_KEY.test(webhookSecret)
    ? "is a secret API key, which Regfeed never needs: remove it from the config, and revoke it at the provider"
    : "is not a complete signing secret";
  const noPrice = "payment.prices has no price: every paid checkout gets the tier indie";
  const todo = "set the endpoint's signing secret (whsec_…), which the provider's dashboard shows";
  return [
    SIGNING_SECRET.test(webhookSecret)
      ? good("payment", "payment.webhook_secret has the right form")
      : problem("payment", `payment.webhook_secret ${wrong}`, todo),
    ...ids.filter((id) => id.startsWith("prod_")).map((id) =>
      problem(
        "payment",
        `payment.prices names ${id}, which is a product`,
        "name the product's prices (price_…) instead",
      )
    ),
    ...(ids.length > 0
      ? []
      : [warning("payment", noPrice, 'add the prices: prices = { "price_…" = "team" }')]),
  ];
}
