// The difference between two texts by word: inline, or side by side.
import { type Html, markup } from "../html.ts";
import type { Texts } from "../texts/texts.ts";

export interface DiffPart {
  kind: "same" | "added" | "removed";
  text: string;
}

/** Screen readers do not announce `ins` and `del`, so hidden words do. */
function part({ kind, text }: DiffPart, { common }: Texts): Html {
  if (kind === "same") return markup`${text}`;
  const { begin, end } = kind === "added" ? common.diff.added : common.diff.removed;
  const content =
    markup`<span class="visually-hidden"> ${begin} </span>${text}<span class="visually-hidden"> ${end} </span>`;
  return kind === "added" ? markup`<ins>${content}</ins>` : markup`<del>${content}</del>`;
}

export function inlineDiff(parts: readonly DiffPart[], texts: Texts): Html {
  return markup`<div class="diff">${parts.map((one) => part(one, texts))}</div>`;
}

/** `before` and `after` name the two versions. */
export function sideBySideDiff(
  parts: readonly DiffPart[],
  { before, after }: { before: string; after: string },
  texts: Texts,
): Html {
  const side = (title: string, left: "added" | "removed") =>
    markup`<section aria-label="${title}"><p class="side">${title}</p><div class="diff">${
      parts.filter(({ kind }) => kind !== left).map((one) => part(one, texts))
    }</div></section>`;
  return markup`<div class="diff-sides">${side(before, "added")}${side(after, "removed")}</div>`;
}
