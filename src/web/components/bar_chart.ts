// A bar chart as SVG, with its numbers in a table beside it.
import { type Html, markup } from "../html.ts";
import type { Format } from "../texts/format.ts";
import type { Texts } from "../texts/texts.ts";
import type { Tone } from "./badge.ts";
import { table } from "./table.ts";

interface Bar {
  label: string;
  value: number;
  tone?: Tone;
}

interface BarChartOptions {
  title: string;
  bars: readonly Bar[];
  /** The headings of the table. */
  columns: readonly [label: string, value: string];
  /** A limit, drawn as a line. */
  limit?: number;
}

const STEP = 10;
const BAR_WIDTH = 7;
const HEIGHT = 80;
const MIN_HEIGHT = 1.5;

export function barChart(
  { title, bars, columns, limit }: BarChartOptions,
  { texts, format }: { texts: Texts; format: Format },
): Html {
  const top = Math.max(1, limit ?? 0, ...bars.map(({ value }) => value));
  const heightOf = (value: number) => value === 0 ? 0 : Math.max(MIN_HEIGHT, value / top * HEIGHT);
  const width = Math.max(1, bars.length) * STEP;
  const drawn = bars.map(({ label, value, tone = "accent" }, at) => {
    const height = heightOf(value);
    return markup`<rect class="${tone}" x="${round(at * STEP + (STEP - BAR_WIDTH) / 2)}" y="${
      round(HEIGHT - height)
    }" width="${BAR_WIDTH}" height="${round(height)}"><title>${label}${texts.common.colon} ${
      format.number(value)
    }</title></rect>`;
  });
  const line = limit === undefined
    ? null
    : markup`<path class="limit" d="M0 ${round(HEIGHT - heightOf(limit))}h${width}"/>`;
  const [first, last] = [bars[0]?.label ?? "", bars.at(-1)?.label ?? ""];
  return markup`<figure class="chart"><figcaption>${title} <span>${format.number(top)}</span></figcaption>
<svg viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}"><path class="base" d="M0 ${HEIGHT}h${width}"/>${drawn}${line}</svg>
<p class="axis"><span>${first}</span><span>${last}</span></p>
<details><summary>${texts.common.actions.showTable}</summary>${
    table({
      caption: title,
      columns: [{ label: columns[0] }, { label: columns[1], kind: "number" }],
      rows: bars.map(({ label, value }) => [label, format.number(value)]),
    })
  }</details></figure>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
