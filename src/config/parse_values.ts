// The texts of a config that mean more than their letters: addresses, durations, schedules, languages.
import ipaddr from "ipaddr.js";
import { isMailAddress, type Mailbox, type SmtpServer } from "../domain/mail.ts";
import { nextRunAfter } from "../domain/schedule.ts";
import { trimEndOf } from "../domain/trim.ts";
import { didYouMean, quote } from "./problems.ts";

/** What a text was read as, or what is wrong with it and what to do. */
export type Reading<T> = { value: T } | { problem: string };

/** An absolute http or https address, without its fragment. */
export function readUrl(text: string): Reading<string> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) {
    return {
      problem: `is no address that can be used: ${quote(text)}; write it with "https://" and the host`,
    };
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return { problem: `begins with "${url.protocol}": only https and http can be used` };
  }
  if (url.username !== "" || url.password !== "") {
    return {
      problem: 'holds a user name or password: take it out; a source that needs one has "authorization_file"',
    };
  }
  url.hash = "";
  return { value: url.href };
}

/** An absolute http or https address as it is written: a slash at its end matters where links are resolved against it. */
export function readSiteUrl(text: string): Reading<string> {
  const reading = readUrl(text);
  return "problem" in reading ? reading : { value: text.trim() };
}

/** An http or https address that paths are put behind: no query, no slash at its end. */
export function readPublicUrl(text: string): Reading<string> {
  const reading = readUrl(text);
  if ("problem" in reading) return reading;
  if (reading.value.includes("?")) return { problem: 'holds a "?": write the address without a query' };
  return { value: trimEndOf(reading.value, "/") };
}

/** A range of addresses in its canonical form: the address's bits behind the prefix are cleared. */
export function readCidr(text: string): Reading<string> {
  const [address = "", bits, ...rest] = text.split("/");
  const family = ipaddr.IPv4.isValidFourPartDecimal(address)
    ? ipaddr.IPv4
    : ipaddr.IPv6.isValid(address)
    ? ipaddr.IPv6
    : null;
  if (family === null || rest.length > 0 || address.includes("%")) {
    return { problem: `is no range of addresses: ${quote(text)}; write it as "10.0.0.0/8" or "fd00::/8"` };
  }
  const most = family === ipaddr.IPv4 ? 32 : 128;
  if (bits === undefined) {
    return { problem: `is one address and no range: write "${address}/${most}" for it alone` };
  }
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > most) {
    return { problem: `has ${quote("/" + bits)} behind the address: it goes from /0 to /${most}` };
  }
  if (family === ipaddr.IPv6 && ipaddr.IPv6.parse(address).isIPv4MappedAddress()) {
    return { problem: 'is an IPv4 range in IPv6 clothes: write it as IPv4, such as "10.0.0.0/8"' };
  }
  const canonical = family.networkAddressFromCIDR(text);
  return { value: `${canonical}/${Number(bits)}` };
}

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `500ms`, `15s`, `2m`, `1h` or `14d`, in milliseconds, within the bounds. */
export function readDuration(text: string, bounds: { minMs: number; maxMs: number }): Reading<number> {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (!match) {
    return {
      problem: `is no duration: ${quote(text)}; write a whole number and ms, s, m, h or d, such as "15s"`,
    };
  }
  const ms = Number(match[1]) * (MS_PER_UNIT[match[2] ?? ""] ?? NaN);
  if (ms >= bounds.minMs && ms <= bounds.maxMs) return { value: ms };
  return {
    problem: `is ${text}: it goes from ${formatDuration(bounds.minMs)} to ${formatDuration(bounds.maxMs)}`,
  };
}

/** A duration as the config has it, in the largest unit that gives a whole number. */
export function formatDuration(ms: number): string {
  const unit = ["d", "h", "m", "s"].find((name) => ms > 0 && ms % (MS_PER_UNIT[name] ?? NaN) === 0) ?? "ms";
  return `${ms / (MS_PER_UNIT[unit] ?? 1)}${unit}`;
}

/** A cron expression of five fields, or of six with seconds in front, that comes due some day. */
export function readSchedule(text: string): Reading<string> {
  const form = 'write minute, hour, day, month, weekday, such as "*/30 * * * *"';
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5 && fields.length !== 6) {
    return {
      problem: `is no cron expression: ${quote(text)} has ${
        text.trim() ? fields.length : 0
      } of 5 (or 6) fields; ${form}`,
    };
  }
  // The cron library takes "?" for the time at which it reads the expression.
  if (text.includes("?")) {
    return { problem: `holds a "?", which means another time after every start: ${form}` };
  }
  try {
    const schedule = { schedule: fields.join(" "), timezone: "UTC" };
    if (nextRunAfter(schedule, Date.UTC(2001, 0, 1)) === null) {
      return { problem: `never comes due: no date fits ${quote(text)}` };
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Cron\w+: /, "") : String(error);
    return { problem: `is no cron expression: ${quote(text)} (${reason}); ${form}` };
  }
  return { value: fields.join(" ") };
}

/** The name of a time zone in the IANA database, such as `Europe/Berlin`. */
export function readTimezone(text: string): Reading<string> {
  if (text === "UTC") return { value: text }; // the usual one, without the runtime's table of zones
  try {
    // Offsets such as +01:00 are no zones: they know no summer time.
    if (/^[A-Za-z]/.test(text) && new Intl.DateTimeFormat("en", { timeZone: text })) return { value: text };
  } catch {
    // Not a zone: said below.
  }
  const hint = didYouMean(text, Intl.supportedValuesOf("timeZone"));
  return { problem: `is no time zone: ${quote(text)}; write its IANA name, such as "Europe/Berlin".${hint}` };
}

const MAX_SOURCE_ID = 64;

/** A source's id: kebab-case, at most 64 characters. */
export function readSourceId(text: string): Reading<string> {
  const wanted = "use lower-case letters a to z, digits and single hyphens between them";
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(text)) {
    return { problem: `cannot be ${quote(text)}: ${wanted}, such as "eu-edpb-news"` };
  }
  if (text.length <= MAX_SOURCE_ID) return { value: text };
  return { problem: `has ${text.length} characters: ${MAX_SOURCE_ID} are allowed` };
}

// The 183 codes of ISO 639-1 (Library of Congress, as of 2024).
const LANGUAGES = new Set(
  ("aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo " +
    "es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka " +
    "kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng " +
    "nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su " +
    "sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu").split(
      " ",
    ),
);

/** A language by its ISO 639-1 code: two lower-case letters. */
export function readLanguage(text: string): Reading<string> {
  if (LANGUAGES.has(text)) return { value: text };
  const code = text.toLowerCase().slice(0, 2);
  const hint = LANGUAGES.has(code) && /^[a-z]{2}([-_].*)?$/i.test(text) ? ` Did you mean "${code}"?` : "";
  return {
    problem: `is no language code: ${
      quote(text)
    }; write two lower-case letters of ISO 639-1, such as "de".${hint}`,
  };
}

const USER_AGENT_PARTS = ["version", "public_url", "contact"];

/** A User-Agent header, with `{version}`, `{public_url}` and `{contact}` still in it. */
export function readUserAgent(text: string): Reading<string> {
  if (!/^[!-~]( ?[!-~])*$/.test(text)) {
    return {
      problem:
        "must be a line of ASCII letters, digits and signs that says who asks: publishers block what has no name",
    };
  }
  for (const [whole, name = ""] of text.matchAll(/\{([^{}]*)\}/g)) {
    if (!USER_AGENT_PARTS.includes(name)) {
      return { problem: `holds "${whole}": only {version}, {public_url} and {contact} are filled in` };
    }
  }
  return { value: text };
}

/** Whom publishers may write to: a mail address, or the address of a page. */
export function readContact(text: string): Reading<string> {
  if (/^[!#$%&'*+./=?^`{|}~\w-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)) return { value: text };
  if (/^https?:\/\/[!-'*-~]+$/.test(text) && URL.canParse(text)) return { value: text };
  return {
    problem: `is nobody to write to: ${
      quote(text)
    }; give a mail address, or a page that begins with https://`,
  };
}

/** The name of an environment variable. */
export function readVariable(text: string): Reading<string> {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return { value: text };
  return { problem: "is no name of an environment variable: use letters, digits and underscores" };
}

/** A path that is not empty. */
export function readPath(text: string): Reading<string> {
  if (text.trim() === "" || text.includes("\0")) {
    return { problem: "is no path: write where the file or folder is" };
  }
  return { value: text };
}

/** A text with something in it, on one line, without blanks around it. */
export function readName(text: string): Reading<string> {
  const name = text.trim();
  // deno-lint-ignore no-control-regex -- control characters are what it looks for
  if (name === "" || /[\u0000-\u001f\u007f]/.test(name)) {
    return { problem: "must be one line with words in it" };
  }
  return { value: name };
}

/** A mail address alone. */
export function readMailAddress(text: string): Reading<string> {
  if (isMailAddress(text)) return { value: text };
  return { problem: "is no mail address: write one, as NAME@HOST" };
}

/** The SHA-256 of an API key in hexadecimal characters; the message never repeats what may be the key itself. */
export function readKeyHash(text: string): Reading<string> {
  const hash = text.toLowerCase();
  if (/^[0-9a-f]{64}$/.test(hash)) return { value: hash };
  if (hash.startsWith("rgf_")) {
    return { problem: "holds a key itself: write its hash, which `customer hash-key --stdin` prints" };
  }
  return {
    problem:
      "is no SHA-256: that has 64 hexadecimal characters; `customer hash-key` makes a key and its hash",
  };
}

/** A mail address, alone or behind a name: `Regfeed <feed@example.org>`. */
export function readMailbox(text: string): Reading<Mailbox> {
  const [, name = "", bracketed] = /^([^<>]*)<([^<>]*)>\s*$/.exec(text) ?? [];
  const address = (bracketed ?? text).trim();
  const shown = name.trim().replace(/^"(.*)"$/, "$1");
  // deno-lint-ignore no-control-regex -- control characters are what it looks for
  if (!isMailAddress(address) || /[\u0000-\u001f\u007f"]/.test(shown)) {
    return { problem: 'is no sender: write an address, or "Name <address>"' };
  }
  return { value: { name: shown, address } };
}

/** The address of a mail server: `smtp://` with STARTTLS, `smtps://` with TLS from the beginning. */
export function readSmtpUrl(text: string): Reading<SmtpServer> {
  const problem =
    "gives no mail server: write smtp://HOST:587 or smtps://HOST:465, with USER:PASSWORD@ before HOST to log in";
  if (!URL.canParse(text)) return { problem };
  const url = new URL(text);
  if (url.protocol !== "smtp:" && url.protocol !== "smtps:" || url.hostname === "") return { problem };
  const isTls = url.protocol === "smtps:";
  try {
    const user = decodeURIComponent(url.username);
    const password = decodeURIComponent(url.password);
    return {
      value: {
        host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
        port: url.port === "" ? isTls ? 465 : 587 : Number(url.port),
        isTls,
        credentials: user === "" ? null : { user, password },
      },
    };
  } catch {
    return { problem: "holds a % that begins no character: in an address, % itself is written %25" };
  }
}
