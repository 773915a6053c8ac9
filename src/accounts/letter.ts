// Mails as they are read: subject, text and HTML, in the customer's language.
import type { TierLimits } from "../domain/tier.ts";
import type { ClaimedMail, MailLanguage } from "../domain/mail.ts";
import { type Block, composeLetter, LETTERS } from "./letter_texts.ts";

/** What a letter tells beside what its occasion says. */
export interface LetterFacts {
  /** The key of a welcome; null in every other letter. */
  key: string | null;
  publicUrl: string;
  support: string;
  limits: TierLimits;
}

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
  const { subject, blocks } = composeLetter(language, mail, {
    ...facts,
    tier: mail.customer.tier,
    date: (ms) => dateIn(language, ms),
    number: (value) => new Intl.NumberFormat(language).format(value),
  });
  const all: Block[] = [...blocks, texts.contact(facts.support), texts.disclaimer];
  return { subject, text: `${all.map(textOf).join("\n\n")}\n`, html: pageOf(language, subject, all) };
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
  return typeof block === "string" ? block : block.code.split("\n").map((line) => `    ${line}`).join("\n");
}

function pageOf(language: MailLanguage, subject: string, blocks: readonly Block[]): string {
  const body = blocks.map((block) =>
    typeof block === "string"
      ? `<p>${escape(block)}</p>`
      : `<pre style="background:#f4f4f4;padding:12px;white-space:pre-wrap;word-break:break-all">${
        escape(block.code)
      }</pre>`
  );
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${escape(subject)}</title></head>
<body style="font-family:sans-serif;line-height:1.5;max-width:40em;color:#222">
${body.join("\n")}
</body></html>
`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
