// Renders Markdown as HTML. Raw HTML is shown as text, and links lead only where the caller allows.
import { Marked, type Renderer, type Token, type Tokens } from "marked";
import { Html, markup } from "../html.ts";
import { codeBlock, type CodeContext, codeTabs, isSample } from "./code.ts";

export interface Heading {
  id: string;
  title: string;
  /** 1 to 6 */
  depth: number;
}

interface RenderedMarkdown {
  html: Html;
  headings: Heading[];
}

/** A part of a document that begins with a heading; without markup and code. */
interface MarkdownSection {
  heading: Heading;
  text: string;
}

export interface LinkRules {
  /** Returns the URL to which a link leads, or null if only its text should be shown. */
  urlOf(target: string): string | null;
  /** Returns the URL of the description of an operation such as `GET /v1/events`, or null if it is unknown. */
  operationUrl(operation: string): string | null;
}

export interface Markdown {
  render(text: string): RenderedMarkdown;
  /** Renders a text without blocks. */
  inline(text: string): Html;
}

/** Code of at most this length has no breaks, characters. */
const LONGEST_WORD = 20;
const OPERATION = /^(?:GET|POST|PATCH|DELETE) \/v1\/[\w/{}-]*/;

/** Returns the id of a heading as GitHub derives it: lower case, without punctuation, with hyphens for spaces. */
export function anchorOf(title: string): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
}

export function createMarkdown(rules: LinkRules, context: CodeContext): Markdown {
  const marked = new Marked({ renderer: rendererOf(rules, context) });
  return {
    inline: (text) => new Html(marked.parseInline(text, { async: false })),
    render(text) {
      const tokens = marked.lexer(text);
      const headings = tokens.filter(isHeading).map(headingOf);
      const html = groupSamples(tokens).map((part) =>
        Array.isArray(part) ? codeTabs(part, context) : new Html(marked.parser([part]))
      );
      return { html: markup`${html}`, headings };
    },
  };
}

/** Splits a document at its headings. */
export function sectionsOf(text: string): MarkdownSection[] {
  const sections: MarkdownSection[] = [];
  for (const token of new Marked().lexer(text)) {
    if (isHeading(token)) sections.push({ heading: headingOf(token), text: "" });
    else {
      const last = sections.at(-1);
      if (last !== undefined) last.text = `${last.text} ${plainText(token)}`.trim();
    }
  }
  return sections;
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading";
}

function headingOf({ depth, tokens }: Tokens.Heading): Heading {
  const title = tokens.map(plainText).join("");
  return { id: anchorOf(title), title, depth };
}

function plainText(token: Token): string {
  if (token.type === "code" || token.type === "space") return "";
  if (token.type === "table") {
    return (token as Tokens.Table).rows.map((row) =>
      row.map(({ tokens }) => tokens.map(plainText).join("")).join(" – ")
    ).join(". ") + ".";
  }
  if (token.type === "list") return (token as Tokens.List).items.map(plainText).join(" ");
  if ("tokens" in token && token.tokens !== undefined) return token.tokens.map(plainText).join("");
  return "text" in token ? String(token.text) : " ";
}

/** Collects consecutive blocks of code in different languages, which show the same task. */
function groupSamples(tokens: readonly Token[]): (Token | Tokens.Code[])[] {
  const parts: (Token | Tokens.Code[])[] = [];
  for (const token of tokens) {
    if (token.type === "space") continue;
    const last = parts.at(-1);
    if (!isSample(token)) parts.push(token);
    else if (Array.isArray(last) && last.every(({ lang }) => lang !== token.lang)) last.push(token);
    else parts.push([token]);
  }
  return parts.map((part) => Array.isArray(part) && part.length === 1 ? part[0] ?? part : part);
}

function rendererOf({ urlOf, operationUrl }: LinkRules, context: CodeContext): Partial<Renderer> {
  return {
    html: ({ text }) => markup`${text}`.text,
    image: ({ text }) => markup`${text}`.text,
    code: ({ text, lang = "" }) => codeBlock(text, lang, context).text,
    codespan({ text }) {
      const url = operationUrl(OPERATION.exec(text)?.[0] ?? "");
      return (url === null ? breakableCode(text) : markup`<a href="${url}">${breakableCode(text)}</a>`).text;
    },
    link(this: Renderer, { href, tokens }) {
      const text = new Html(this.parser.parseInline(tokens));
      const url = urlOf(href);
      if (url === null) return text.text;
      const isElsewhere = url.startsWith("http");
      return markup`<a href="${url}"${isElsewhere ? markup` rel="noopener noreferrer"` : null}>${text}</a>`
        .text;
    },
    heading(this: Renderer, token) {
      const { id } = headingOf(token);
      const level = `h${token.depth}`;
      const text = new Html(this.parser.parseInline(token.tokens));
      return token.depth === 1 ? markup`<h1>${text}</h1>\n`.text : markup`<${new Html(
        level,
      )} id="${id}">${text} <a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a></${new Html(
        level,
      )}>\n`.text;
    },
    table(this: Renderer, { header, rows }) {
      const cell = ({ tokens }: Tokens.TableCell) => new Html(this.parser.parseInline(tokens));
      const labels = header.map(({ tokens }) => tokens.map(plainText).join(""));
      const body = rows.map((row) =>
        markup`<tr>${
          row.map((one, at) => markup`<td data-label="${labels[at] ?? ""}"><div>${cell(one)}</div></td>`)
        }</tr>\n`
      );
      return markup`<table class="table"><thead><tr>${
        header.map((one) => markup`<th scope="col">${cell(one)}</th>`)
      }</tr></thead>
<tbody>${body}</tbody></table>\n`.text;
    },
  };
}

/** Code that may wrap after underscores if it is long. */
function breakableCode(text: string): Html {
  if (text.length <= LONGEST_WORD) return markup`<code>${text}</code>`;
  const words = text.split("_");
  return markup`<code>${words.map((word, at) => (at === 0 ? word : markup`_<wbr>${word}`))}</code>`;
}
