// What the doctor says of deliveries: how many do not arrive, which subscriptions get none, and what they take to store.
import { formatBytes } from "../../domain/byte_format.ts";
import type { Undelivered } from "../../domain/upkeep_store.ts";
import { type Finding, good, warning } from "./finding.ts";

/** Subscriptions that are named; the others are counted. */
const NAMED = 3;

/** Why the service switches a subscription off. */
const REASONS: Readonly<Record<Undelivered["switchedOff"][number]["by"], string>> = {
  gone: "the endpoint responded with 410",
  failing: "the endpoint failed for days",
  "key-lost": "its secret went with a lost key",
  tier: "over its tier's number",
};

/** What is held or was given up, what the service itself switched off, and for whom most is stored. */
export function judgeDeliveries({ held, failed, heldFull, switchedOff, largest }: Undelivered): Finding[] {
  const findings: Finding[] = [];
  if (held + failed > 0) {
    const states = [[held, "held"], [failed, "failed"]] as const;
    const shown = states.filter(([count]) => count > 0);
    findings.push(warning(
      "deliveries",
      `${shown.map(([count, state]) => `${count} ${state}`).join(" and ")}: they have not arrived`,
      `\`regfeed delivery list --status ${shown.map(([, state]) => state).join(",")}\` shows them, and why`,
    ));
  }
  if (heldFull > 0) {
    findings.push(warning(
      "deliveries",
      `${heldFull} ${
        heldFull === 1 ? "subscription is" : "subscriptions are"
      } held_full: the customer's limit of held ` +
        "deliveries is reached, and no further ones are stored; no event is lost",
      "they go on by themselves when the held deliveries are sent; tiers.*.held_deliveries is the limit",
    ));
  }
  if (switchedOff.length > 0) findings.push(judgeSwitchedOff(switchedOff));
  if (findings.length === 0) findings.push(good("deliveries", "none is held, none was given up"));
  if (largest.length > 0) {
    const named = largest.map(({ customerId, bytes }) => `${customerId} ${formatBytes(bytes)}`).join(", ");
    findings.push(good("deliveries", `the customers for whom most is stored: ${named}`));
  }
  return findings;
}

function judgeSwitchedOff(switchedOff: Undelivered["switchedOff"]): Finding {
  const reasons = [...Map.groupBy(switchedOff, ({ by }) => by)]
    .map(([by, those]) => `${those.length}: ${REASONS[by]}`).join("; ");
  const many = switchedOff.length;
  const ids = switchedOff.slice(0, NAMED).map(({ id }) => id).join(", ");
  const rest = many > NAMED ? ` and ${many - NAMED} more` : "";
  return warning(
    "deliveries",
    `the service switched off ${many} ${
      many === 1 ? "subscription" : "subscriptions"
    } (${reasons}): ${ids}${rest}`,
    "`regfeed customer show SUBSCRIPTION` says whose it is, and what it has still to get; " +
      "its owner switches it on with PATCH /v1/subscriptions/{id}",
  );
}
