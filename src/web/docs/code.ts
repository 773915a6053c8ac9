// Blocks of code: comments are dimmed, and samples of one task in several languages become tabs.
import { type Html, markup } from "../html.ts";

export interface Sample {
  lang?: string | undefined;
  text: string;
}

interface CodeLanguage {
  label: string;
  /** What begins a comment. */
  comment: string;
}

const LANGUAGES: Readonly<Record<string, CodeLanguage>> = {
  sh: { label: "Shell", comment: "#" },
  js: { label: "JavaScript", comment: "//" },
  ts: { label: "TypeScript", comment: "//" },
  python: { label: "Python", comment: "#" },
  go: { label: "Go", comment: "//" },
  toml: { label: "TOML", comment: "#" },
};

/** Whether a Markdown token is code in a programming language, which may have siblings in others. */
export function isSample<T extends { type: string }>(
  token: T,
): token is T & { type: "code"; lang: string; text: string; raw: string } {
  return token.type === "code" && "lang" in token && String(token.lang) in LANGUAGES;
}

/** What the blocks of one page share. */
export interface CodeContext {
  /** Returns an id that is unique on the page. */
  newId(): string;
  /** The labels of the button that copies, before and after. */
  copy: string;
  copied: string;
  /** The language of these labels. */
  language: string;
}

/** A block of code with a button that copies it, which is hidden unless the page's script runs. */
export function codeBlock(text: string, language: string, context: CodeContext): Html {
  const comment = LANGUAGES[language]?.comment ?? null;
  const id = context.newId();
  const lines = text.split("\n").map((line, index) =>
    markup`${index === 0 ? "" : "\n"}${dimmed(line, comment)}`
  );
  return markup`<div class="copyable"><pre id="${id}" tabindex="0"><code>${lines}</code></pre><button type="button" class="button quiet" data-copy="${id}" data-copied="${context.copied}" lang="${context.language}" hidden>${context.copy}</button></div>\n`;
}

/** The same task in several languages, as tabs that need no script. */
export function codeTabs(samples: readonly Sample[], context: CodeContext): Html {
  const id = context.newId();
  const tabs = samples.map(({ lang = "", text }, index) =>
    markup`<input type="radio" class="visually-hidden" name="${id}" id="${id}-${lang}" value="${lang}"${
      index === 0 ? markup` checked` : null
    }><label for="${id}-${lang}">${labelOf(lang, text)}</label>\n`
  );
  const blocks = samples.map(({ lang = "", text }) =>
    markup`<div class="sample"><p class="sample-name">${labelOf(lang, text)}</p>${
      codeBlock(text, lang, context)
    }</div>\n`
  );
  return markup`<div class="samples" role="group" aria-label="Example">\n${tabs}${blocks}</div>\n`;
}

function labelOf(language: string, text: string): string {
  return language === "sh" && text.includes("curl") ? "curl" : LANGUAGES[language]?.label ?? language;
}

/** A line whose comment is marked. */
function dimmed(line: string, comment: string | null): Html {
  const start = comment === null ? -1 : commentStart(line, comment);
  return start < 0
    ? markup`${line}`
    : markup`${line.slice(0, start)}<span class="comment">${line.slice(start)}</span>`;
}

function commentStart(line: string, comment: string): number {
  if (line.trimStart().startsWith(`${comment} `)) return line.indexOf(comment);
  return line.indexOf(` ${comment} `);
}
