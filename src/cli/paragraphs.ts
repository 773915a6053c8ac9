// Texts on a terminal: wrapped and indented.
import { harmless } from "../domain/controls.ts";

/** No line is wider, however wide the terminal is: longer ones are hard to read. */
const WIDEST = 100;
/** And none is narrower, so that words have room. */
const NARROWEST = 40;

/** The width for texts on a terminal of so many columns. */
export function textWidth(columns: number): number {
  return Math.max(NARROWEST, Math.min(WIDEST, columns));
}

/**
 * The text in lines of at most `width` characters, each with its end. `first` stands before the first line, as many
 * blanks as `indent` says before the others. A word longer than a line stands on one of its own.
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
      if (!isEmpty && line.length + 1 + word.length > width) {
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

/** Names and values, one pair a line, the values in a column and wrapped. */
export function formatFields(
  fields: readonly (readonly [name: string, value: string])[],
  { width, indent }: { width: number; indent: number },
): string {
  const column = indent + Math.max(0, ...fields.map(([name]) => name.length)) + 2;
  return fields.map(([name, value]) => {
    const first = `${" ".repeat(indent)}${name}`.padEnd(column);
    return wrapText(value, { width, indent: column, first });
  }).join("");
}
