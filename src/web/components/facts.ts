// Names and values, such as the details of an event.
import { type Html, markup, type Part } from "../html.ts";

export type Fact = readonly [name: string, value: Part];

export function facts(rows: readonly (Fact | null)[]): Html {
  return markup`<dl class="facts">${
    rows.map((row) => row === null ? null : markup`<div><dt>${row[0]}</dt><dd>${row[1]}</dd></div>`)
  }</dl>`;
}
