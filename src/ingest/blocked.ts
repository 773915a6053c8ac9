// Answers by which a host refuses or throttles a client, whatever status they have.
import type { IncomingResponse } from "../domain/ports.ts";

/** As much of a page as is looked at, bytes: challenges are short and say what they are at their beginning. */
const LOOKED_AT = 65_536;

/** Headers that nothing but a challenge has. */
const CHALLENGE_HEADERS: readonly [name: string, value: RegExp, whose: string][] = [
  ["cf-mitigated", /challenge/i, "Cloudflare"],
  ["x-amzn-waf-action", /challenge|captcha/i, "AWS WAF"],
];

/** What the titles and texts of challenges say, where they cannot be a page of the publisher's. */
const CHALLENGE_PAGES: readonly [text: RegExp, whose: string][] = [
  [/<title>\s*(just a moment|attention required!\s*\|\s*cloudflare)/i, "Cloudflare"],
  [/<title>\s*access denied\s*<\/title>[^]*errors\.edgesuite\.net|\/_sec\/cp_challenge\//i, "Akamai"],
  [/request unsuccessful\. incapsula incident id|_Incapsula_Resource\?SWJIYLWA/i, "Imperva"],
  [/window\.awsWafCookieDomainList|AwsWafIntegration\.(checkForceRefresh|getToken)/, "AWS WAF"],
  [/geo\.captcha-delivery\.com/i, "DataDome"],
  [/<title>\s*ddos-guard\s*<\/title>/i, "DDoS-Guard"],
  [/id="px-captcha"/i, "HUMAN"],
  [/the requested url was rejected\. please consult with your administrator/i, "F5"],
];

/** The same where data was asked for and any page is out of place. */
const CHALLENGE_SIGNS: readonly [text: RegExp, whose: string | null][] = [
  [/\/cdn-cgi\/challenge-platform\/|cf-browser-verification|cf_chl_opt/i, "Cloudflare"],
  [/<title>\s*access denied\s*<\/title>/i, null],
  [/checking (if the site connection is secure|your browser)|verify(ing)? (that )?you are (a )?human/i, null],
  [/<title>[^<]*(captcha|bot (check|verification)|are you a robot)[^<]*<\/title>/i, null],
  [/g-recaptcha|hcaptcha\.com\/1\/api\.js|challenges\.cloudflare\.com\/turnstile/i, null],
];

/** Why an answer counts as a block, in words; null when it does not. */
export function describeBlock(response: IncomingResponse, expects: "data" | "page"): string | null {
  const { status } = response;
  const challenge = findChallenge(response, expects);
  if (challenge !== null) {
    const whose = challenge === "" ? "" : ` (${challenge})`;
    return `answered ${status} with a challenge page${whose} instead of the document: it blocks this client`;
  }
  if (status === 403 || status === 429) return `answered ${status}: it refuses or throttles this client`;
  if (status === 202) return "answered 202 instead of a document; some sites do so to scripts";
  return null;
}

/** Whose challenge it is; "" when that is not known, null when it is none. */
function findChallenge({ headers, body }: IncomingResponse, expects: "data" | "page"): string | null {
  for (const [name, value, whose] of CHALLENGE_HEADERS) {
    if (value.test(headers[name] ?? "")) return whose;
  }
  const text = new TextDecoder().decode(body.subarray(0, LOOKED_AT));
  if (!/^\s*(<!--[^]*?-->\s*)*<(!doctype html|html|head)/i.test(text.slice(0, 1_024))) return null;
  for (const [sign, whose] of CHALLENGE_PAGES) if (sign.test(text)) return whose;
  if (expects === "page") return null;
  for (const [sign, whose] of CHALLENGE_SIGNS) if (sign.test(text)) return whose ?? "";
  return null;
}
