// A question in front of the page, which needs no script: a popover that a button opens.
import { type Html, markup, type Part } from "../html.ts";
import type { FormSecrets } from "../page_route.ts";
import type { Texts } from "../texts/texts.ts";
import { postForm } from "./form.ts";

interface DialogOptions {
  /** Unique on the page. */
  id: string;
  /** The label of the button that opens the dialog. */
  open: string;
  title: string;
  content: Part;
  tone?: "plain" | "danger";
}

export function dialog(texts: Texts, { id, open, title, content, tone = "plain" }: DialogOptions): Html {
  const { close } = texts.common.actions;
  return markup`<button type="button" class="button ${tone}" popovertarget="${id}">${open}</button>
<div class="dialog" id="${id}" popover role="dialog" aria-labelledby="${id}-title">
<div class="dialog-head"><h2 id="${id}-title">${title}</h2><button type="button" class="button quiet" popovertarget="${id}" popovertargetaction="hide">${close}</button></div>
${content}</div>`;
}

/** A dialog that asks before a form is sent. `fields` are further fields of the form. */
export function confirmDialog(
  call: { texts: Texts; hidden: FormSecrets },
  { action, text, submit, fields = null, tone = "danger", ...options }: Omit<DialogOptions, "content"> & {
    action: string;
    text: Part;
    submit: string;
    fields?: Part;
  },
): Html {
  const form = postForm(call, {
    action,
    fields,
    submit,
    tone: tone === "danger" ? "danger" : "primary",
  });
  return dialog(call.texts, { ...options, tone, content: markup`<p>${text}</p>${form}` });
}
