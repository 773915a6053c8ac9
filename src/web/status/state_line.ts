// The state of the service in one line.
import { icon, type Shape } from "../components/icon.ts";
import { type Html, markup } from "../html.ts";
import type { Texts } from "../texts/texts.ts";
import { type ServiceState, type StateSummary, summarise } from "./status_report.ts";

const SHAPES: Readonly<Record<StateSummary["level"], Shape>> = {
  good: "check",
  warn: "triangle",
  bad: "octagon",
};

export function stateLine(state: ServiceState, texts: Texts): Html {
  const summary = summarise(state);
  return markup`<p class="state ${summary.level}">${icon(SHAPES[summary.level])}<span>${
    stateText(summary, texts)
  }</span></p>`;
}

export function stateText(
  { total, upToDate, waiting, troubled, areDeliveriesLate }: StateSummary,
  { status: { state } }: Texts,
): string {
  const sentences = total === 0 ? [state.noSources] : [
    state.upToDate(upToDate, total),
    ...(troubled === 0 ? [] : [state.troubled(troubled)]),
    ...(waiting === 0 ? [] : [state.waiting(waiting)]),
  ];
  return [...sentences, ...(areDeliveriesLate ? [state.deliveriesLate] : [])].join(" ");
}
