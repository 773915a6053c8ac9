// Detects responses by which a host blocks or throttles the client, with any status.
import type { IncomingResponse } from "../../domain/ports/ports.ts";

/** The number of bytes of a page that are inspected: challenges are short. */
const MAX_INSPECTED = 65_536;

/** Headers of challenges. */
const CHALLENGE_HEADERS: readonly [name: string, value: RegExp, whose: string][] = [
  ["cf-mitigated", /challenge/i, "Cloudflare"],
  ["x-amzn-waf-action", /challenge|captcha/i, "AWS WAF"],
];

/** The beginning of a page, in lower case. */
interface Page {
  /** Its title with single spaces; empty without one. */
  title: string;
  text: string;
}

/** Challenge pages by titles and texts that no publisher's page has. */
const CHALLENGE_PAGES: readonly [isChallenge: (page: Page) => boolean, whose: string][] = [
  [({ title }) => /^(?:just a moment|attention required! ?\| ?cloudflare)/.test(title), "Cloudflare"],
  [
    ({ title, text }) =>
      (title === "access denied" && text.includes("errors.edgesuite.net")) ||
      text.includes("/_sec/cp_challenge/"),
    "Akamai",
  ],
  [
    ({ text }) => /request unsuccessful\. incapsula incident id|_incapsula_resource\?swjiylwa/.test(text),
    "Imperva",
  ],
  [
    ({ text }) =>
      /window\.awswafcookiedomainlist|awswafintegration\.(?:checkforcerefresh|gettoken)/.test(text),
    "AWS WAF",
  ],
  [({ text }) => text.includes("geo.captcha-delivery.com"), "DataDome"],
  [({ title }) => title === "ddos-guard", "DDoS-Guard"],
  [({ text }) => text.includes('id="px-captcha"'), "HUMAN"],
  [
    ({ text }) => text.includes("the requested url was rejected. please consult with your administrator"),
    "F5",
  ],
];

/** Further challenge pages where data was requested, so that any page is unexpected. */
const CHALLENGE_SIGNS: readonly [isChallenge: (page: Page) => boolean, whose: string | null][] = [
  [
    ({ text }) => /\/cdn-cgi\/challenge-platform\/|cf-browser-verification|cf_chl_opt/.test(text),
    "Cloudflare",
  ],
  [({ title }) => title === "access denied", null],
  [
    ({ text }) =>
      /checking (?:if the site connection is secure|your browser)|verify(?:ing)? (?:that )?you are (?:a )?human/
        .test(text),
    null,
  ],
  [({ title }) => /captcha|bot (?:check|verification)|are you a robot/.test(title), null],
  [
    ({ text }) => /g-recaptcha|hcaptcha\.com\/1\/api\.js|challenges\.cloudflare\.com\/turnstile/.test(text),
    null,
  ],
];

/** Why a response counts as a block; null if it does not. */
export function describeBlock(response: IncomingResponse, expects: "data" | "page"): string | null {
  const { status } = response;
  const challenge = findChallenge(response, expects);
  if (challenge !== null) {
    const whose = challenge === "" ? "" : ` (${challenge})`;
    return `responded with ${status} and a challenge page${whose} instead of the document: it blocks this client`;
  }
  if (status === 403 || status === 429) {
    return `responded with ${status}: it refuses or throttles this client`;
  }
  if (status === 202) return "responded with 202 instead of a document; some sites do this to scripts";
  return null;
}

/** The vendor of the challenge; "" if unknown, null if it is not a challenge. */
function findChallenge({ headers, body }: IncomingResponse, expects: "data" | "page"): string | null {
  for (const [name, value, whose] of CHALLENGE_HEADERS) {
    if (value.test(headers[name] ?? "")) return whose;
  }
  const text = new TextDecoder().decode(body.subarray(0, MAX_INSPECTED)).toLowerCase();
  if (!beginsAsPage(text)) return null;
  const title = /<title>([^<]*)/.exec(text)?.[1]?.replace(/\s+/g, " ").trim() ?? "";
  const page = { title, text };
  for (const [isChallenge, whose] of CHALLENGE_PAGES) if (isChallenge(page)) return whose;
  if (expects === "page") return null;
  for (const [isChallenge, whose] of CHALLENGE_SIGNS) if (isChallenge(page)) return whose ?? "";
  return null;
}

const FIRST_TAG = /\s*<(!--|!doctype html|html|head)/y;

/** Whether a text begins as HTML, after white space and comments. */
function beginsAsPage(text: string): boolean {
  let at = 0;
  while (true) {
    FIRST_TAG.lastIndex = at;
    const found = FIRST_TAG.exec(text)?.[1];
    if (found !== "!--") return found !== undefined;
    const end = text.indexOf("-->", FIRST_TAG.lastIndex);
    if (end === -1) return false;
    at = end + 3;
  }
}
