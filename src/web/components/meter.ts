// How much of a limit is used.
import { type Html, markup, type Part } from "../html.ts";

interface MeterOptions {
  label: string;
  /** The numbers in words, such as `12 of 1,000`. */
  text: string;
  used: number;
  limit: number;
  hint?: Part;
}

const NEARLY_FULL = 0.8;

export function meter({ label, text, used, limit, hint = null }: MeterOptions): Html {
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  const tone = share >= 1 ? "bad" : share >= NEARLY_FULL ? "warn" : "accent";
  return markup`<div class="meter"><p><span>${label}</span> <strong>${text}</strong></p>
<svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="1"/><rect class="${tone}" width="${
    Math.round(share * 1_000) / 10
  }" height="1"/></svg>${hint === null ? null : markup`<p class="hint">${hint}</p>`}</div>`;
}
