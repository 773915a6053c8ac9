// A table, which becomes a list of cards on narrow screens.
import { type Html, markup, type Part } from "../html.ts";

interface Column {
  label: string;
  /** Numbers are aligned to the right. Actions are buttons or links, whose column has no visible label. */
  kind?: "text" | "number" | "actions";
}

interface TableOptions {
  /** Names the table for screen readers; visible if `isCaptionVisible`. */
  caption: string;
  isCaptionVisible?: boolean;
  columns: readonly Column[];
  /** The cells of each row. The first cell names the row. */
  rows: readonly (readonly Part[])[];
  /** Shown instead of a table without rows. */
  empty?: Html;
}

/** The roles are stated, because browsers drop those of tables that styles lay out as blocks. */
export function table({ caption, isCaptionVisible = false, columns, rows, empty }: TableOptions): Html {
  if (rows.length === 0 && empty !== undefined) return empty;
  return markup`<table class="table" role="table">
<caption${isCaptionVisible ? null : markup` class="visually-hidden"`}>${caption}</caption>
<thead role="rowgroup"><tr role="row">${
    columns.map(({ label, kind = "text" }) =>
      markup`<th role="columnheader" scope="col" class="${kind}">${
        kind === "actions" ? markup`<span class="visually-hidden">${label}</span>` : label
      }</th>`
    )
  }</tr></thead>
<tbody role="rowgroup">${rows.map((cells) => row(cells, columns))}</tbody>
</table>`;
}

function row(cells: readonly Part[], columns: readonly Column[]): Html {
  return markup`<tr role="row">${
    cells.map((cell, at) => {
      const { label = "", kind = "text" } = columns[at] ?? {};
      const content = markup`<div>${cell}</div>`;
      return at === 0
        ? markup`<th role="rowheader" scope="row" class="${kind}">${content}</th>`
        : markup`<td role="cell" class="${kind}" data-label="${
          kind === "actions" ? "" : label
        }">${content}</td>`;
    })
  }</tr>
`;
}
