// What the doctor says of where webhooks may go: what belongs into a trial alone.
import type { Config } from "../../config/config.ts";
import { holdsLoopback } from "../../domain/address.ts";
import { type Finding, good, warning } from "./finding.ts";

const AREA = "delivery";

/** Of what the config permits beside https and public addresses. */
export function judgeTargets({ delivery }: Pick<Config, "delivery">): Finding[] {
  const { allowHttp, allowNetworks } = delivery;
  const findings: Finding[] = [];
  if (allowHttp) {
    const seen = "webhooks may go over http (delivery.allow_http = true): anybody on the way can read them";
    findings.push(warning(AREA, seen, "for trials only: take allow_http out before anybody else has a key"));
  }
  for (const network of allowNetworks.filter(holdsLoopback)) {
    const seen =
      `webhooks may go to this machine itself (delivery.allow_networks has ${JSON.stringify(network)}): ` +
      "customers reach what listens on it";
    findings.push(warning(AREA, seen, "for trials only: take that range out before anybody else has a key"));
  }
  return findings.length > 0
    ? findings
    : [good(AREA, "webhooks go over https, and to no address of this machine")];
}
