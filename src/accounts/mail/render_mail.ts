// Mails as they are read: subject, text and HTML, in the customer's language.
import type { ClaimedMail, MailContent, MailKind, MailLanguage } from "../../domain/mail.ts";
import { ENGLISH } from "./templates/english.ts";
import { FRENCH } from "./templates/french.ts";
import { GERMAN } from "./templates/german.ts";
import type { Block, LetterFacts, LetterTools, Texts, Writer } from "./templates/template.ts";

/**
 * The longest line, characters: lines that are no longer are carried as they are, and no encoding breaks what is to be
 * copied (RFC 2045, section 6.7, breaks lines of more than 76).
 */
const LINE = 74;

const LETTERS: Readonly<Record<MailLanguage, Texts>> = { en: ENGLISH, de: GERMAN, fr: FRENCH };

/** A letter. */
export interface Letter {
  subject: string;
  text: string;
  html: string;
}

/** Writes a mail. Nothing of the outside stands in the subject. */
export function writeLetter(mail: ClaimedMail, facts: LetterFacts): Letter {
  const { language } = mail.customer;
  const texts = LETTERS[language];
  const number = (value: number) => new Intl.NumberFormat(language).format(value);
  const plural = new Intl.PluralRules(language);
  const { subject, blocks } = composeLetter(texts, mail, {
    ...facts,
    tier: mail.customer.tier,
    date: (ms) => dateIn(language, ms),
    number,
    count: (value, one, other) => `${number(value)} ${plural.select(value) === "one" ? one : other}`,
  });
  const all: Block[] = [...blocks, texts.contact(facts.support), texts.disclaimer];
  return { subject, text: `${all.map(textOf).join("\n\n")}\n`, html: pageOf(language, subject, all) };
}

function composeLetter(
  { letters }: Texts,
  { kind, data }: MailContent,
  tools: LetterTools,
): ReturnType<Writer<MailKind>> {
  // Kind and data belong together, which their union knows and a look-up by kind does not.
  const write = letters[kind] as (
    data: MailContent["data"],
    tools: LetterTools,
  ) => ReturnType<Writer<MailKind>>;
  return write(data, tools);
}

/** A day and its time: "1 August 2026 at 10:00 UTC". */
function dateIn(language: MailLanguage, ms: number): string {
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: "UTC",
  }).format(ms) + " UTC";
}

function textOf(block: Block): string {
  return typeof block === "string" ? fold(block) : block.code.replaceAll(/^/gm, "    ");
}

/** Breaks a paragraph between words; a word that is longer than a line stays whole. */
function fold(paragraph: string): string {
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

function pageOf(language: MailLanguage, subject: string, blocks: readonly Block[]): string {
  // The line end after <pre> is no part of what it holds.
  const body = blocks.map((block) =>
    typeof block === "string" ? `<p>\n${fold(escape(block))}\n</p>` : `<pre style="${CODE_STYLE}">
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

/** As characters of ASCII alone, which every mail server carries as they are. */
function escape(text: string): string {
  return text.replace(/[&<>"']|[^\n -~]/gu, (character) => `&#${character.codePointAt(0)};`);
}
