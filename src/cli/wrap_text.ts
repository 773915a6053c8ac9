// Wraps and indents text for terminals.
import { harmless } from "../domain/control_characters.ts";
import { displayWidth } from "./display_width.ts";

/** Maximum width on wide terminals; longer lines are hard to read. */
const WIDEST = 100;
/** Minimum width on narrow terminals. */
const NARROWEST = 40;

export function textWidth(columns: number): number {
  return Math.max(NARROWEST, Math.min(WIDEST, columns));
}

/**
 * Wraps text at word boundaries into lines of at most `width` columns, each of which ends with a line break. The
 * first line starts with `first`, the others with `indent` spaces. A word that is longer than a line is not broken.
 */
export function wrapText(
  text: string,
  { width, indent, first = " ".repeat(indent) }: { width: number; indent: number; first?: string },
): string {
  let written = "";
  let line = first;
  let isEmpty = true;
  for (const paragraph of harmless(text).split("\n")) {
    for (const word of paragraph.split(/\s+/).filter((part) => part !== "")) {
      if (!isEmpty && displayWidth(line) + 1 + displayWidth(word) > width) {
        written += `${line}\n`;
        line = " ".repeat(indent);
        isEmpty = true;
      }
      line += isEmpty ? word : ` ${word}`;
      isEmpty = false;
    }
    if (!isEmpty) {
      written += `${line}\n`;
      line = " ".repeat(indent);
      isEmpty = true;
    }
  }
  return written === "" ? `${first.trimEnd()}\n` : written;
}

/** Wraps the lines that are longer than `width`. If a line is a field, its continuation is aligned with the value. */
export function wrapLines(text: string, width: number): string {
  return text.split("\n").map((line) => {
    if (displayWidth(line) <= width) return line;
    const start = /^ */.exec(line)?.[0] ?? "";
    const field = /^ *\S+(?: \S+)* {2,}/.exec(line)?.[0] ?? "";
    const first = field.length > 0 && field.length < width / 2 ? field : start;
    const indent = first === start ? start.length + 2 : first.length;
    return wrapText(line.slice(first.length), { width, indent, first }).trimEnd();
  }).join("\n");
}

/** Formats fields with aligned values. Omits fields whose value is null. */
export function formatFields(
  fields: readonly (readonly [name: string, value: string | null])[],
  { width, indent }: { width: number; indent: number },
): string {
  const known = fields.filter((field): field is [string, string] => field[1] !== null);
  const column = indent + Math.max(0, ...known.map(([name]) => name.length)) + 2;
  return known.map(([name, value]) => {
    const first = `${" ".repeat(indent)}${name}`.padEnd(column);
    return wrapText(value, { width, indent: column, first });
  }).join("");
}
