// Renders Markdown as HTML; supports only the subset that the API descriptions use.
import { Html, markup, type Part } from "./html.ts";

/** The id of a heading: `daily-quota` for "Daily quota". */
export function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

export function headingsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^## (.+)$/gm)].map(([, text = ""]) => text);
}

/** Renders fenced code and second-level headings, and, with {@link inline}, paragraphs, lists and tables. */
export function markdownToHtml(markdown: string): Html {
  return markup`${blocksOf(markdown).map(block)}`;
}

/** Renders `code`, **bold** and [links](https://…); everything else is plain text. */
export function inline(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/);
  return markup`${
    parts.map((part, index): Part => {
      if (index % 2 === 0) return withLinks(part);
      return part.startsWith("`")
        ? codeOf(part.slice(1, -1))
        : markup`<strong>${inline(part.slice(2, -2))}</strong>`;
    })
  }`;
}

function withLinks(text: string): Html {
  const parts = text.split(/(\[[^\][]+\]\([^()\s]+\))/);
  return markup`${
    parts.map((part, index): Part => {
      const [label = "", url = ""] = part.slice(1, -1).split("](");
      const isLink = index % 2 === 1 && (url.startsWith("https://") || url.startsWith("#"));
      return isLink ? markup`<a href="${url}">${label}</a>` : part;
    })
  }`;
}

/** Code that may wrap after underscores. */
function codeOf(text: string): Html {
  const words = text.split("_");
  return markup`<code>${words.map((word, index) => (index === 0 ? word : markup`_<wbr>${word}`))}</code>`;
}

/** Splits Markdown into blocks: at empty lines, and before and after fenced code. */
function blocksOf(markdown: string): string[] {
  const blocks: string[][] = [[]];
  let isFenced = false;
  for (const line of markdown.split("\n")) {
    const isFence = line.startsWith("```");
    if (!isFenced && (isFence || line.trim() === "")) blocks.push([]);
    blocks.at(-1)?.push(line);
    if (isFence && isFenced) blocks.push([]);
    if (isFence) isFenced = !isFenced;
  }
  return blocks.map((lines) => lines.join("\n").trim()).filter((text) => text !== "");
}

function block(text: string): Html {
  if (text.startsWith("```")) {
    return markup`<pre><code>${text.split("\n").slice(1, -1).join("\n")}</code></pre>`;
  }
  if (text.startsWith("## ")) {
    const title = text.slice(3);
    return markup`<h2 id="${slug(title)}">${title}</h2>`;
  }
  if (text.startsWith("|")) return table(text.split("\n"));
  if (text.startsWith("- ")) {
    const items = text.split(/^- /m).slice(1).map((item) => markup`<li>${inline(joined(item))}</li>`);
    return markup`<ul>${items}</ul>`;
  }
  return markup`<p>${inline(joined(text))}</p>`;
}

function table([head = "", , ...rows]: readonly string[]): Html {
  const cells = (row: string): string[] => row.split("|").slice(1, -1).map((cell) => cell.trim());
  const header = cells(head).map((cell) => markup`<th scope="col">${inline(cell)}</th>`);
  const body = rows.map((row) =>
    markup`<tr>${cells(row).map((cell) => markup`<td>${inline(cell)}</td>`)}</tr>`
  );
  return markup`<table>
<thead>
<tr>${header}</tr>
</thead>
<tbody>${body}</tbody>
</table>`;
}

function joined(lines: string): string {
  return lines.split("\n").map((line) => line.trim()).filter((line) => line !== "").join(" ");
}
