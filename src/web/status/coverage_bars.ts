// The coverage of a source as bars, one for each day: the taller the bar, the more complete the day.
import type { CoverageRun, DayCoverage } from "../../domain/source/coverage_days.ts";
import { type Html, markup } from "../html.ts";

/** Width of a day, of which a bar leaves the last quarter free. */
const STEP = 4;
const HEIGHT = 24;

/** The height of each bar. Days before the source was added have none. */
const BAR_HEIGHTS: Readonly<Record<Exclude<DayCoverage, "before">, number>> = {
  complete: HEIGHT,
  partly: 15,
  failed: 8,
  missed: HEIGHT,
  idle: 2,
};

/**
 * Draws consecutive days with the same coverage as one dashed line per bar height. This keeps the page small with
 * hundreds of sources.
 */
export function coverageBars(runs: readonly CoverageRun[], label: string): Html {
  const lines = new Map<DayCoverage, string>();
  let at = 0;
  for (const { coverage, days: { length } } of runs) {
    if (coverage !== "before") {
      const middle = HEIGHT - BAR_HEIGHTS[coverage] / 2;
      lines.set(coverage, `${lines.get(coverage) ?? ""}M${at} ${middle}h${length * STEP}`);
    }
    at += length * STEP;
  }
  return markup`<svg class="days" viewBox="0 0 ${at} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${
    [...lines].map(([coverage, path]) => markup`<path class="${coverage}" d="${path}"/>`)
  }</svg>`;
}
