// Reads and checks [console.oidc].
import type { KeyProblem } from "./toml/problems.ts";
import { isTable } from "./toml/raw_document.ts";
import { type Reading, readSiteUrl } from "./parse_values.ts";

const THIS_MACHINE: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Parses the URL of an OpenID Connect issuer. Only an issuer on this machine may use http. */
export function readIssuer(text: string): Reading<string> {
  const reading = readSiteUrl(text);
  if ("problem" in reading) return reading;
  const { protocol, hostname, search } = new URL(reading.value);
  if (search !== "") return { problem: "has a query: remove it" };
  if (protocol === "https:" || THIS_MACHINE.includes(hostname)) return reading;
  return { problem: "uses http, so others could read and change the sign-ins: use https" };
}

export function findConsoleProblems({ console }: Record<string, unknown>): KeyProblem[] {
  const oidc = isTable(console) ? console["oidc"] : undefined;
  if (!isTable(oidc)) return [];
  const { operator_groups: groups, operator_emails: emails } = oidc;
  const isEmpty = (list: unknown) => list === undefined || (Array.isArray(list) && list.length === 0);
  if (!isEmpty(groups) || !isEmpty(emails)) return [];
  return [{
    path: ["console", "oidc", "operator_groups"],
    message:
      "is missing: set the groups whose members are operators, or their email addresses in operator_emails; " +
      "otherwise nobody could sign in",
  }];
}
