// A paragraph that stands out.
import { type Html, markup, type Part } from "../html.ts";
import type { Tone } from "./badge.ts";

export function notice(content: Part, tone: Tone = "accent"): Html {
  return markup`<div class="notice ${tone}"><p>${content}</p></div>`;
}
