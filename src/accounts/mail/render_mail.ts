// Renders a mail in the customer's language: subject, text and HTML.
import type { ClaimedMail, MailContent, MailKind } from "../../domain/customer/mail.ts";
import type { MailLanguage } from "../../domain/customer/mail_language.ts";
import { ENGLISH } from "./templates/english.ts";
import { FRENCH } from "./templates/french.ts";
import { GERMAN } from "./templates/german.ts";
import type { Block, MailFacts, MailTemplate, MailTemplates, TemplateContext } from "./templates/template.ts";

/** Maximum line length. Transfer encodings break lines of more than 76 characters (RFC 2045, section 6.7). */
const LINE = 74;

const TEMPLATES: Readonly<Record<MailLanguage, MailTemplates>> = { en: ENGLISH, de: GERMAN, fr: FRENCH };

/** A rendered mail. */
export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

/** Renders a mail. The subject contains no text from outside. */
export function renderMail(mail: ClaimedMail, facts: MailFacts): RenderedMail {
  const { language } = mail.customer;
  const templates = TEMPLATES[language];
  const number = (value: number) => new Intl.NumberFormat(language).format(value);
  const plural = new Intl.PluralRules(language);
  const { subject, blocks } = applyTemplate(templates, mail, {
    ...facts,
    tier: mail.customer.tier,
    date: (ms) => formatDate(language, ms),
    number,
    count: (value, one, other) => `${number(value)} ${plural.select(value) === "one" ? one : other}`,
  });
  const all: Block[] = [...blocks, templates.contact(facts.support), templates.disclaimer];
  return { subject, text: `${all.map(toText).join("\n\n")}\n`, html: toHtml(language, subject, all) };
}

function applyTemplate(
  { templates }: MailTemplates,
  { kind, data }: MailContent,
  context: TemplateContext,
): ReturnType<MailTemplate<MailKind>> {
  // A look-up by kind loses the type relation between kind and data.
  const template = templates[kind] as (
    data: MailContent["data"],
    context: TemplateContext,
  ) => ReturnType<MailTemplate<MailKind>>;
  return template(data, context);
}

/** "1 August 2026 at 10:00 UTC". */
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

/** Wraps a paragraph between words; longer words stay whole. */
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
  // HTML ignores the line end after <pre>.
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

/** Escapes markup, and everything outside of ASCII, so that no transfer encoding is needed. */
function escape(text: string): string {
  return text.replace(/[&<>"']|[^\n -~]/gu, (character) => `&#${character.codePointAt(0)};`);
}
