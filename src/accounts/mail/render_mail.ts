// Renders an email in the customer's language: subject, text and HTML.
import type { ClaimedMail, FittedSubscription, MailContent } from "../../domain/customer/mail.ts";
import type { MailLanguage } from "../../domain/customer/mail_language.ts";
import { ENGLISH } from "./templates/english.ts";
import { FRENCH } from "./templates/french.ts";
import { GERMAN } from "./templates/german.ts";
import type { ListedLimit, ListedLimits, MailName, MailTexts } from "./templates/template.ts";

/** Maximum line length. Transfer encodings break lines of more than 76 characters (RFC 2045, section 6.7). */
const LINE = 74;

const TEXTS: Readonly<Record<MailLanguage, MailTexts>> = { en: ENGLISH, de: GERMAN, fr: FRENCH };

/** A paragraph, or preformatted lines. */
type Block = string | { code: string };

/** The value of a placeholder. A list of blocks replaces a paragraph that consists only of the placeholder. */
type Value = string | readonly Block[];

export interface MailFacts {
  key: string | null;
  /** The one-time link of a `sign-in` email, otherwise null. */
  link: { url: string; expiresAtMs: number } | null;
  publicUrl: string;
  support: string;
  limits: ListedLimits;
}

interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

/** Renders an email. The subject contains no text from external sources. */
export function renderMail(mail: ClaimedMail, facts: MailFacts): RenderedMail {
  const { language } = mail.customer;
  const { mails, contact, disclaimer } = TEXTS[language];
  const values = valuesOf(mail, facts);
  const [subject, ...paragraphs] = mails[mailOf(mail)];
  const blocks = [...paragraphs, contact, disclaimer].flatMap((paragraph): readonly Block[] => {
    const value = values[/^\{(\w+)\}$/.exec(paragraph)?.[1] ?? ""];
    return typeof value === "object" ? value : [fill(paragraph, values)];
  });
  const title = fill(subject, values);
  return {
    subject: title,
    text: `${blocks.map(toText).join("\n\n")}\n`,
    html: toHtml(language, title, blocks),
  };
}

function mailOf({ kind, data }: MailContent): MailName {
  if (kind === "payment-failed" && data.accessUntilMs === null) return "access-suspended";
  if (kind === "key-rotated" && data.oldUntilMs !== null) return "key-expiring";
  return kind === "delivery-disabled" && data.isKeyLost === true ? "key-lost" : kind;
}

/** Replaces the placeholders in `text`. Placeholders within the values are not replaced. */
function fill(text: string, values: Readonly<Record<string, Value>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    if (typeof value !== "string") throw new Error(`the email has no value for ${name}`);
    return value;
  });
}

/** Returns the values of the placeholders: the email's data, formatted, and values derived from the data. */
function valuesOf(
  mail: ClaimedMail,
  { key, link, publicUrl, support, limits }: MailFacts,
): Record<string, Value> {
  const { language, tier } = mail.customer;
  const texts = TEXTS[language];
  const values: Record<string, Value> = { publicUrl, support, tier };
  for (const [name, value] of Object.entries(mail.data)) {
    if (typeof value === "string") values[name] = value;
    if (typeof value === "number") {
      values[name] = name.endsWith("Ms") ? formatDate(language, value) : formatNumber(language, value);
    }
  }
  const listed: ListedLimits = "limits" in mail.data ? mail.data.limits : limits;
  const count = (name: ListedLimit) => formatLimit(language, name, listed[name]);
  values["limits"] = (Object.keys(texts.limits) as ListedLimit[]).map(count).join(", ");
  values["activeSubscriptions"] = count("activeSubscriptions");
  if (mail.kind === "welcome") {
    values["key"] = [{ code: key ?? "" }];
    // The key is on a separate line that no transfer encoding breaks, so that it can be copied.
    values["firstRequest"] = [{ code: `curl --oauth2-bearer \\\n${key} \\\n${publicUrl}/v1/events` }];
    values["keyHeader"] = [{ code: "Authorization: Bearer rgf_..." }];
  }
  if (mail.kind === "sign-in") {
    values["link"] = [{ code: link?.url ?? "" }];
    values["expiresAtMs"] = formatDate(language, link?.expiresAtMs ?? 0);
  }
  if ("held" in mail.data) {
    values["held"] = listOf(texts.held, mail.data.held);
    values["returned"] = listOf(texts.returned, mail.data.returned);
  }
  if ("problem" in mail.data) {
    values["lastError"] = mail.data.problem === null ? "" : fill(texts.lastError, values);
  }
  if ("what" in mail.data) Object.assign(values, texts.quotas[mail.data.what]);
  return values;
}

function listOf(sentence: string, subscriptions: readonly FittedSubscription[]): Block[] {
  if (subscriptions.length === 0) return [];
  return [sentence, { code: subscriptions.map(({ id, host }) => `${id} ${host}`).join("\n") }];
}

/** Formats a limit, such as "1 active subscription". */
function formatLimit(language: MailLanguage, name: ListedLimit, value: number): string {
  const [one, other] = TEXTS[language].limits[name];
  const noun = new Intl.PluralRules(language).select(value) === "one" ? one : other;
  return `${formatNumber(language, value)} ${noun}`;
}

function formatNumber(language: MailLanguage, value: number): string {
  return new Intl.NumberFormat(language).format(value);
}

/** Formats a time, such as "1 August 2026 at 10:00 UTC". */
function formatDate(language: MailLanguage, ms: number): string {
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: "UTC",
  }).format(ms) + " UTC";
}

function toText(block: Block): string {
  return typeof block === "string" ? wrap(block) : block.code.replaceAll(/^/gm, "    ");
}

/** Wraps a paragraph between words. Words longer than a line are not broken. */
function wrap(paragraph: string): string {
  let text = "";
  let column = 0;
  for (const word of paragraph.split(" ")) {
    const isFirst = text === "";
    const fits = isFirst || column + 1 + word.length <= LINE;
    text += isFirst ? word : `${fits ? " " : "\n"}${word}`;
    column = fits && !isFirst ? column + 1 + word.length : word.length;
  }
  return text;
}

function toHtml(language: MailLanguage, subject: string, blocks: readonly Block[]): string {
  // HTML ignores a line break directly after <pre>.
  const body = blocks.map((block) =>
    typeof block === "string" ? `<p>\n${wrap(escape(block))}\n</p>` : `<pre style="${CODE_STYLE}">
${escape(block.code)}
</pre>`
  );
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8">
<title>
${escape(subject)}
</title></head>
<body style="font-family:sans-serif;line-height:1.5;
max-width:40em;color:#222">
${body.join("\n")}
</body></html>
`;
}

const CODE_STYLE = "background:#f4f4f4;padding:12px;\nwhite-space:pre-wrap;word-break:break-all";

/** Escapes markup and all characters outside ASCII, so that no transfer encoding is needed. */
function escape(text: string): string {
  return text.replace(/[&<>"']|[^\n -~]/gu, (character) => `&#${character.codePointAt(0)};`);
}
