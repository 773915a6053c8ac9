// Checks single sign-on: whether the issuer responds as OpenID Connect requires.
import { createOidc } from "../../accounts/oidc.ts";
import type { Config } from "../../config/config.ts";
import { type Finding, good, warning } from "../../domain/operator/finding.ts";
import type { Clock, HttpClient } from "../../domain/ports/ports.ts";
import type { Host } from "../../platform/process/process.ts";
import { createRandom } from "../../platform/random.ts";

const AREA = "console";
const TODO =
  "correct console.oidc.issuer, or let this machine reach it; meanwhile, operators can sign in with " +
  "`regfeed console link`";

/** Reads the issuer's configuration. Signs nobody in. */
export async function checkSingleSignOn(
  { console: { oidc: settings } }: Pick<Config, "console">,
  { clock, http, host }: { clock: Clock; http: HttpClient; host: Pick<Host, "readText"> },
): Promise<Finding[]> {
  if (settings === null) return [];
  const { caFile, issuer } = settings;
  const authorities = caFile === null ? null : () => host.readText(caFile);
  const redirectUri = "https://regfeed.invalid/";
  try {
    await createOidc({ ...settings, authorities }, { clock, http, random: createRandom(), redirectUri })
      .begin("");
    return [good(AREA, `operators can sign in at ${issuer}`)];
  } catch (error) {
    return [{
      ...warning(AREA, `operators cannot sign in at ${issuer}: ${(error as Error).message}`, TODO),
      symptomOf: "network",
    }];
  }
}
