// The demo's story on the terminal: numbered steps, one line an act.
import type { RegEvent } from "../../domain/event.ts";
import type { EventDiff } from "../../domain/diff.ts";
import { cut } from "../table.ts";

const TITLE_WIDTH = 64;
/** Titles are cut no shorter, however narrow the terminal: the end of the line goes then. */
const NARROWEST_TITLE = 20;
const VALUE_WIDTH = 92;
const INDENT = 5;
/** Characters shown before the first difference of two texts. */
const CONTEXT = 24;

/** Tells what happens. */
export interface Story {
  step(title: string): void;
  line(text: string): void;
  stored(event: RegEvent): void;
  arrived(arrival: { name: string; type: string; title: string; language: string; sequence: number }): void;
  difference(diff: EventDiff): void;
  end(text: string, isGood: boolean): void;
}

/**
 * A story told by `write`, with colours when somebody watches. Lines are cut to the columns that there are, so that
 * none wraps.
 */
export function createStory(
  write: (text: string) => void,
  { hasColours, columns }: { hasColours: boolean; columns: number },
): Story {
  const paint = (code: number) => (text: string) => hasColours ? `\x1b[${code}m${text}\x1b[0m` : text;
  const [bold, dim, red, green, yellow] = [1, 2, 31, 32, 33].map(paint) as [
    Paint,
    Paint,
    Paint,
    Paint,
    Paint,
  ];
  let steps = 0;
  const put = (text: string) => write(`${cutPainted(text, columns)}\n`);
  const line = (text: string) => put(" ".repeat(INDENT) + text);
  /** The width that a title has between what stands before and behind it. */
  const room = (taken: number) => Math.max(NARROWEST_TITLE, Math.min(TITLE_WIDTH, columns - INDENT - taken));
  const valueWidth = Math.min(VALUE_WIDTH, columns - INDENT - "  - ".length);
  return {
    step(title) {
      write("\n");
      put(` ${bold(`${++steps}  ${title}`)}`);
    },
    line,
    stored(event) {
      const severity = event.severity.padEnd(8);
      const loud = event.severity === "critical" || event.severity === "high" ? yellow : dim;
      const articles = event.ai_act_articles.length === 0 ? "" : `  ${event.ai_act_articles.join(", ")}`;
      const rest = `${event.language}  v${event.version}  ${event.event_type.padEnd(12)} `;
      const title = cut(
        event.title_en,
        room("+ ".length + severity.length + 1 + rest.length + articles.length),
      );
      line(`${green("+")} ${loud(severity)} ${rest}${title}${dim(articles)}`);
    },
    arrived({ name, type, title, language, sequence }) {
      const rest = `${name.padEnd(16)} #${sequence} ${type.padEnd(15)} ${language}  `;
      line(`${green("✓")} ${rest}${cut(title, room("✓ ".length + rest.length))}`);
    },
    difference(diff) {
      line(`diff_to_previous: ${diff.summary}`);
      for (const change of diff.changes) {
        if ("added" in change) {
          line(
            `  ${change.field}: ${
              [
                ...change.added.map((a) => `+${a}`),
                ...change.removed.map((r) => `-${r}`),
              ].join(" ")
            }`,
          );
          continue;
        }
        const [before, after] = fromWhereTheyDiffer(String(change.before ?? ""), String(change.after ?? ""));
        line(red(`  - ${cut(before, valueWidth)}`));
        line(green(`  + ${cut(after, valueWidth)}`));
      }
    },
    end(text, isGood) {
      write("\n");
      put(` ${(isGood ? green : red)(bold(`${isGood ? "✓" : "✗"}  ${text}`))}`);
    },
  };
}

type Paint = (text: string) => string;

/** A line of at most so many columns, colours not counted. */
function cutPainted(text: string, columns: number): string {
  // deno-lint-ignore no-control-regex -- the escape that begins a colour
  const parts = text.split(/(\x1b\[[0-9;]*m)/);
  const isColour = (place: number) => place % 2 === 1;
  let left = columns;
  if (parts.reduce((sum, part, place) => sum + (isColour(place) ? 0 : part.length), 0) <= columns) {
    return text;
  }
  return parts.map((part, place) => {
    // Colours stay, also behind the end: they close those that were opened.
    if (isColour(place)) return part;
    const shown = part.length < left ? part : left > 0 ? `${part.slice(0, left - 1)}…` : "";
    left = Math.max(0, left - part.length);
    return shown;
  }).join("");
}

/** The two texts from a few words before their first difference. */
function fromWhereTheyDiffer(before: string, after: string): [string, string] {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  const start = before.lastIndexOf(" ", Math.max(0, same - CONTEXT)) + 1;
  const shown = (text: string) => start === 0 ? text : `… ${text.slice(start)}`;
  return [shown(before), shown(after)];
}
