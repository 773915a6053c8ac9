// Detects responses, with any status, that block or throttle this client.
import type { IncomingResponse } from "../../domain/ports/ports.ts";

/** Only this many bytes at the start of a response are inspected, because challenge pages are short. */
const MAX_INSPECTED = 65_536;

const CHALLENGE_HEADERS: readonly [name: string, value: RegExp, vendor: string][] = [
  ["cf-mitigated", /challenge/i, "Cloudflare"],
  ["x-amzn-waf-action", /challenge|captcha/i, "AWS WAF"],
];

/**
 * Patterns that only challenge pages match. They are matched against the title, a line break and the page's source, all
 * in lower case.
 */
const CHALLENGE_PAGES: readonly [page: RegExp, vendor: string][] = [
  [/^(?:just a moment|attention required! ?\| ?cloudflare)/, "Cloudflare"],
  [/^access denied\n[^]*errors\.edgesuite\.net|\/_sec\/cp_challenge\//, "Akamai"],
  [/request unsuccessful\. incapsula incident id|_incapsula_resource\?swjiylwa/, "Imperva"],
  [/window\.awswafcookiedomainlist|awswafintegration\.(?:checkforcerefresh|gettoken)/, "AWS WAF"],
  [/geo\.captcha-delivery\.com/, "DataDome"],
  [/^ddos-guard\n/, "DDoS-Guard"],
  [/id="px-captcha"/, "HUMAN"],
  [/the requested url was rejected\. please consult with your administrator/, "F5"],
];

/** Further patterns for requests that expect data, because any page is then suspicious. An unknown vendor is "". */
const CHALLENGE_SIGNS: readonly [page: RegExp, vendor: string][] = [
  [/\/cdn-cgi\/challenge-platform\/|cf-browser-verification|cf_chl_opt/, "Cloudflare"],
  [/^access denied\n/, ""],
  [/checking (?:if the site connection is secure|your browser)/, ""],
  [/verify(?:ing)? (?:that )?you are (?:a )?human/, ""],
  [/^[^\n]*(?:captcha|bot (?:check|verification)|are you a robot)/, ""],
  [/g-recaptcha|hcaptcha\.com\/1\/api\.js|challenges\.cloudflare\.com\/turnstile/, ""],
];

/** Returns why a response counts as a block, or null if it does not. */
export function describeBlock(response: IncomingResponse, expects: "data" | "page"): string | null {
  const { status } = response;
  const vendor = findChallenge(response, expects);
  if (vendor !== null) {
    const whose = vendor === "" ? "" : ` (${vendor})`;
    return `responded with ${status} and a challenge page${whose} instead of the document: the host blocks this client`;
  }
  if (status === 403 || status === 429) {
    return `responded with ${status}: the host refuses or throttles this client`;
  }
  if (status === 202) {
    return "responded with 202 instead of a document; some sites do this to automated clients";
  }
  return null;
}

/** Returns the vendor of a challenge, "" if the vendor is unknown, or null if the response is not a challenge. */
function findChallenge({ headers, body }: IncomingResponse, expects: "data" | "page"): string | null {
  const header = CHALLENGE_HEADERS.find(([name, value]) => value.test(headers[name] ?? ""));
  if (header !== undefined) return header[2];
  const text = new TextDecoder().decode(body.subarray(0, MAX_INSPECTED)).toLowerCase();
  if (!beginsAsPage(text)) return null;
  const title = /<title>([^<]*)/.exec(text)?.[1]?.replace(/\s+/g, " ").trim() ?? "";
  const page = `${title}\n${text}`;
  const found = CHALLENGE_PAGES.find(([pattern]) => pattern.test(page)) ??
    (expects === "data" ? CHALLENGE_SIGNS.find(([pattern]) => pattern.test(page)) : undefined);
  return found?.[1] ?? null;
}

const FIRST_TAG = /\s*<(!--|!doctype html|html|head)/y;

/** Whether a response begins with an HTML tag or DOCTYPE. White space and comments before it are ignored. */
function beginsAsPage(text: string): boolean {
  for (let at = 0;;) {
    FIRST_TAG.lastIndex = at;
    const found = FIRST_TAG.exec(text)?.[1];
    if (found !== "!--") return found !== undefined;
    at = text.indexOf("-->", FIRST_TAG.lastIndex) + 3;
    if (at === 2) return false;
  }
}
