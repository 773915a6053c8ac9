// The demo's story on the terminal: numbered steps, one line an act.
import type { RegEvent } from "../../domain/event.ts";
import type { EventDiff } from "../../domain/diff.ts";
import { cut } from "../table.ts";

const TITLE_WIDTH = 64;
const VALUE_WIDTH = 92;
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

/** A story told by `write`, with colours when somebody watches. */
export function createStory(write: (text: string) => void, hasColours: boolean): Story {
  const paint = (code: number) => (text: string) => hasColours ? `\x1b[${code}m${text}\x1b[0m` : text;
  const [bold, dim, red, green, yellow] = [1, 2, 31, 32, 33].map(paint) as [
    Paint,
    Paint,
    Paint,
    Paint,
    Paint,
  ];
  let steps = 0;
  const line = (text: string) => write(`     ${text}\n`);
  return {
    step: (title) => write(`\n ${bold(`${++steps}  ${title}`)}\n`),
    line,
    stored(event) {
      const severity = event.severity.padEnd(8);
      const loud = event.severity === "critical" || event.severity === "high" ? yellow : dim;
      const articles = event.ai_act_articles.length === 0 ? "" : dim(`  ${event.ai_act_articles.join(", ")}`);
      line(
        `${green("+")} ${loud(severity)} ${event.language}  v${event.version}  ${
          event.event_type.padEnd(12)
        } ` +
          `${cut(event.title_en, TITLE_WIDTH)}${articles}`,
      );
    },
    arrived: ({ name, type, title, language, sequence }) =>
      line(
        `${green("✓")} ${name.padEnd(16)} #${sequence} ${type.padEnd(15)} ${language}  ${
          cut(title, TITLE_WIDTH)
        }`,
      ),
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
        line(red(`  - ${cut(before, VALUE_WIDTH)}`));
        line(green(`  + ${cut(after, VALUE_WIDTH)}`));
      }
    },
    end: (text, isGood) => write(`\n ${(isGood ? green : red)(bold(text))}\n`),
  };
}

type Paint = (text: string) => string;

/** The two texts from a few words before their first difference. */
function fromWhereTheyDiffer(before: string, after: string): [string, string] {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  const start = before.lastIndexOf(" ", Math.max(0, same - CONTEXT)) + 1;
  const shown = (text: string) => start === 0 ? text : `… ${text.slice(start)}`;
  return [shown(before), shown(after)];
}
