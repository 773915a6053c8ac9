// What the doctor says of deliveries: how many do not arrive, and which subscriptions get none any more.
import type { Undelivered } from "../../domain/upkeep_store.ts";
import { type Finding, good, warning } from "./finding.ts";

/** Subscriptions that are named; the others are counted. */
const NAMED = 3;

/** Why the service switches a subscription off. */
const REASONS: Readonly<Record<Undelivered["switchedOff"][number]["by"], string>> = {
  gone: "the endpoint answered 410",
  failing: "the endpoint failed for days",
  "key-lost": "its secret went with a lost key",
  tier: "over its tier's number",
};

/** What is held or was given up, and what the service itself switched off; one finding when there is neither. */
export function judgeDeliveries({ held, failed, switchedOff }: Undelivered): Finding[] {
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
  if (switchedOff.length > 0) findings.push(judgeSwitchedOff(switchedOff));
  return findings.length > 0 ? findings : [good("deliveries", "none is held, none was given up")];
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
