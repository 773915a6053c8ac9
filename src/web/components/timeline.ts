// A sequence of steps in time, for example the versions of a publication.
import { type Html, markup, type Part } from "../html.ts";
import type { Tone } from "./badge.ts";

export interface Step {
  title: Part;
  when: Part;
  text?: Part;
  tone?: Tone;
  isCurrent?: boolean;
}

export function timeline(steps: readonly Step[]): Html {
  return markup`<ol class="timeline">${
    steps.map(({ title, when, text = null, tone = "neutral", isCurrent = false }) =>
      markup`<li class="${tone}"${
        isCurrent ? markup` aria-current="true"` : null
      }><p class="step">${title}</p><p class="when">${when}</p>${
        text === null ? null : markup`<div>${text}</div>`
      }</li>`
    )
  }</ol>`;
}
