// Text to copy, with a button that appears if scripts run.
import { type Html, markup } from "../html.ts";
import type { Texts } from "../texts/texts.ts";

/** `id` is unique on the page. */
export function copyable({ common }: Texts, id: string, text: string): Html {
  return markup`<div class="copyable"><pre id="${id}" tabindex="0"><code>${text}</code></pre><button type="button" class="button quiet" data-copy="${id}" data-copied="${common.actions.copied}" hidden>${common.actions.copy}</button></div>`;
}
