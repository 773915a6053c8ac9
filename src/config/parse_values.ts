// Parsers for the config's strings: URLs, durations, schedules, languages and others.
import ipaddr from "ipaddr.js";
import { isMailAddress, type Mailbox, type SmtpServer } from "../domain/customer/mail.ts";
import { nextRunAfter } from "../domain/source/schedule.ts";
import { trimEndOf } from "../domain/trim_end.ts";
import { didYouMean } from "../domain/did_you_mean.ts";
import { LANGUAGE_CODES } from "../domain/event/language_codes.ts";
import { quote } from "./toml/problems.ts";

export type Reading<T> = { value: T } | { problem: string };

/** Parses an absolute http or https URL, and removes its fragment. */
export function readUrl(text: string): Reading<string> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) {
    return {
      problem: `is not a valid URL: ${quote(text)}; include "https://" and the host`,
    };
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return { problem: `starts with "${url.protocol}": only https and http are supported` };
  }
  if (url.username !== "" || url.password !== "") {
    return {
      problem:
        'contains a user name or password: remove both; if the source needs them, use "authorization_file"',
    };
  }
  url.hash = "";
  return { value: url.href };
}

/** Parses an absolute http or https URL. Only trims the URL, because a trailing slash matters for relative links. */
export function readSiteUrl(text: string): Reading<string> {
  const reading = readUrl(text);
  return "problem" in reading ? reading : { value: text.trim() };
}

/** Parses an http or https URL to which paths are appended. Rejects a query and removes trailing slashes. */
export function readPublicUrl(text: string): Reading<string> {
  const reading = readUrl(text);
  if ("problem" in reading) return reading;
  if (reading.value.includes("?")) return { problem: "has a query: remove it" };
  return { value: trimEndOf(reading.value, "/") };
}

/** Parses a CIDR and returns its canonical form, in which the bits after the prefix are zero. */
export function readCidr(text: string): Reading<string> {
  const [address = "", bits, ...rest] = text.split("/");
  const family = ipaddr.IPv4.isValidFourPartDecimal(address)
    ? ipaddr.IPv4
    : ipaddr.IPv6.isValid(address)
    ? ipaddr.IPv6
    : null;
  if (family === null || rest.length > 0 || address.includes("%")) {
    return { problem: `is not a valid CIDR: ${quote(text)}; use the form "10.0.0.0/8" or "fd00::/8"` };
  }
  const most = family === ipaddr.IPv4 ? 32 : 128;
  if (bits === undefined) {
    return { problem: `is a single address: write "${address}/${most}"` };
  }
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > most) {
    return { problem: `has the prefix ${quote("/" + bits)}: use /0 to /${most}` };
  }
  if (family === ipaddr.IPv6 && ipaddr.IPv6.parse(address).isIPv4MappedAddress()) {
    return { problem: 'is an IPv4-mapped IPv6 range: write it as IPv4, such as "10.0.0.0/8"' };
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

/** Parses a duration within bounds, such as `500ms`, `15s`, `2m`, `1h` or `14d`, into ms. */
export function readDuration(text: string, bounds: { minMs: number; maxMs: number }): Reading<number> {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (!match) {
    return {
      problem: `is not a valid duration: ${quote(text)}; use an integer and ms, s, m, h or d, such as "15s"`,
    };
  }
  const ms = Number(match[1]) * (MS_PER_UNIT[match[2] ?? ""] ?? NaN);
  if (ms >= bounds.minMs && ms <= bounds.maxMs) return { value: ms };
  return {
    problem: `is ${text}: use ${formatDuration(bounds.minMs)} to ${formatDuration(bounds.maxMs)}`,
  };
}

/** Formats a duration in the largest unit that gives an integer. */
export function formatDuration(ms: number): string {
  const unit = ["d", "h", "m", "s"].find((name) => ms > 0 && ms % (MS_PER_UNIT[name] ?? NaN) === 0) ?? "ms";
  return `${ms / (MS_PER_UNIT[unit] ?? 1)}${unit}`;
}

/** Parses a cron expression of five fields, or of six with seconds first. It must have a next run. */
export function readSchedule(text: string): Reading<string> {
  const form = 'use minute, hour, day, month and weekday, such as "*/30 * * * *"';
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5 && fields.length !== 6) {
    return {
      problem: `is not a valid cron expression: ${quote(text)} does not have 5 (or 6) fields; ${form}`,
    };
  }
  // The cron library replaces "?" with the current time.
  if (text.includes("?")) {
    return { problem: `contains "?", which would mean a different time after every start: ${form}` };
  }
  try {
    const schedule = { schedule: fields.join(" "), timezone: "UTC" };
    if (nextRunAfter(schedule, Date.UTC(2001, 0, 1)) === null) {
      return { problem: `never runs: no date matches ${quote(text)}` };
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Cron\w+: /, "") : String(error);
    return { problem: `is not a valid cron expression: ${quote(text)} (${reason}); ${form}` };
  }
  return { value: fields.join(" ") };
}

export function readTimezone(text: string): Reading<string> {
  if (text === "UTC") return { value: text }; // avoids loading the runtime's time zones
  try {
    // Offsets such as +01:00 are rejected because they have no daylight saving time.
    if (/^[A-Za-z]/.test(text) && new Intl.DateTimeFormat("en", { timeZone: text })) return { value: text };
  } catch {
    // The problem is returned below.
  }
  const hint = didYouMean(text, Intl.supportedValuesOf("timeZone"));
  return {
    problem: `is not a valid time zone: ${quote(text)}; use an IANA name, such as "Europe/Berlin".${hint}`,
  };
}

const MAX_SOURCE_ID = 64;

/** Parses the id of a source, a topic or a customer: kebab-case, at most 64 characters. */
export function readSourceId(text: string): Reading<string> {
  const wanted = "use lower-case letters a to z, digits and single hyphens between them";
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(text)) {
    return { problem: `cannot be ${quote(text)}: ${wanted}, such as "eu-edpb-news"` };
  }
  if (text.length <= MAX_SOURCE_ID) return { value: text };
  return { problem: `has ${text.length} characters; the maximum is ${MAX_SOURCE_ID}` };
}

export function readLanguage(text: string): Reading<string> {
  if (LANGUAGE_CODES.has(text)) return { value: text };
  const code = text.toLowerCase().slice(0, 2);
  const hint = LANGUAGE_CODES.has(code) && /^[a-z]{2}([-_].*)?$/i.test(text)
    ? ` Did you mean "${code}"?`
    : "";
  return {
    problem: `is not a valid language code: ${
      quote(text)
    }; use two lower-case letters (ISO 639-1), such as "de".${hint}`,
  };
}

const USER_AGENT_PARTS = ["version", "public_url", "contact"];

/** Parses a User-Agent header, which may contain `{version}`, `{public_url}` and `{contact}`. */
export function readUserAgent(text: string): Reading<string> {
  if (!/^[!-~]( ?[!-~])*$/.test(text)) {
    return {
      problem:
        "must be one line of printable ASCII that identifies the client: publishers block unnamed clients",
    };
  }
  for (const [whole, name = ""] of text.matchAll(/\{([^{}]*)\}/g)) {
    if (!USER_AGENT_PARTS.includes(name)) {
      return { problem: `contains "${whole}": only {version}, {public_url} and {contact} are replaced` };
    }
  }
  return { value: text };
}

export function readContact(text: string): Reading<string> {
  if (/^[!#$%&'*+./=?^`{|}~\w-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)) return { value: text };
  if (/^https?:\/\/[!-'*-~]+$/.test(text) && URL.canParse(text)) return { value: text };
  return {
    problem: `is not a valid contact: ${
      quote(text)
    }; use an email address or a URL that starts with https://`,
  };
}

export function readVariable(text: string): Reading<string> {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return { value: text };
  return { problem: "is not a valid environment variable name: use letters, digits and underscores" };
}

export function readPath(text: string): Reading<string> {
  if (text.trim() === "" || text.includes("\0")) {
    return { problem: "is not a valid path: set the path of the file or folder" };
  }
  return { value: text };
}

/** Trims one line of text, which must not be empty. */
export function readName(text: string): Reading<string> {
  const name = text.trim();
  // deno-lint-ignore no-control-regex -- it matches control characters
  if (name === "" || /[\u0000-\u001f\u007f]/.test(name)) {
    return { problem: "must be one line of text" };
  }
  return { value: name };
}

export function readMailAddress(text: string): Reading<string> {
  if (isMailAddress(text)) return { value: text };
  return { problem: "is not a valid email address: use NAME@HOST" };
}

/** Parses the SHA-256 hash of an API key. The message never repeats the value, which may be the key itself. */
export function readKeyHash(text: string): Reading<string> {
  const hash = text.toLowerCase();
  if (/^[0-9a-f]{64}$/.test(hash)) return { value: hash };
  if (hash.startsWith("rgf_")) {
    return { problem: "contains an API key: set its hash, which `regfeed customer hash-key --stdin` prints" };
  }
  return {
    problem:
      "is not a valid SHA-256 hash (64 hexadecimal digits); `regfeed customer hash-key` creates a key and its hash",
  };
}

/** Parses an email address, optionally with a name: `Regfeed <feed@example.org>`. */
export function readMailbox(text: string): Reading<Mailbox> {
  const [, name = "", bracketed] = /^([^<>]*)<([^<>]*)>\s*$/.exec(text) ?? [];
  const address = (bracketed ?? text).trim();
  const shown = name.trim().replace(/^"(.*)"$/, "$1");
  // deno-lint-ignore no-control-regex -- it matches control characters
  if (!isMailAddress(address) || /[\u0000-\u001f\u007f"]/.test(shown)) {
    return { problem: 'is not a valid email address: use NAME@HOST or "Name <NAME@HOST>"' };
  }
  return { value: { name: shown, address } };
}

/** Parses the email address that customers write to. It may be empty. */
export function readSupport(text: string): Reading<Mailbox | ""> {
  return text === "" ? { value: "" } : readMailbox(text);
}

/** Parses the URL of a mail server: `smtp://` for STARTTLS, `smtps://` for implicit TLS. */
export function readSmtpUrl(text: string): Reading<SmtpServer> {
  const problem =
    "is not a valid mail server: use smtp://HOST:587 or smtps://HOST:465, with USER:PASSWORD@ before HOST to log in";
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
    return { problem: "contains an invalid % escape: write % as %25" };
  }
}
