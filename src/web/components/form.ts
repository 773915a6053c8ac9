// Forms. Those that change something contain a token of the session and an id that makes them act only once.
import { type Html, markup, type Part } from "../html.ts";
import type { FormSecrets } from "../page_route.ts";
import type { Finding } from "../../http/invalid_fields.ts";
import type { Texts } from "../texts/texts.ts";

/** The names of the fields that the page server reads itself. */
export const CSRF_FIELD = "form_token";
export const FORM_ID_FIELD = "form_id";
/** Set by the form that continues after a sign-in: its input is shown again instead of being processed. */
export const RESUME_FIELD = "form_resumed";

interface FormOptions {
  /** A local path. */
  action: string;
  fields?: Part;
  /** The label of the button, or several buttons. */
  submit: string | Html;
  tone?: "primary" | "plain" | "danger";
  /** `inline` forms are a button within other content. */
  layout?: "stacked" | "inline";
  id?: string;
}

export function hiddenField(name: string, value: string): Html {
  return markup`<input type="hidden" name="${name}" value="${value}">`;
}

/** A form that changes something. */
export function postForm({ hidden }: { hidden: FormSecrets }, options: FormOptions): Html {
  const { action, fields = null, submit, tone = "primary", layout = "stacked", id } = options;
  const secrets = hidden.csrf === null
    ? null
    : [hiddenField(CSRF_FIELD, hidden.csrf), hiddenField(FORM_ID_FIELD, hidden.newFormId())];
  return markup`<form class="form ${layout}" method="post" action="${action}"${
    id === undefined ? null : markup` id="${id}"`
  }>${secrets}${fields}${buttonsOf(submit, tone)}</form>`;
}

/** A form that only asks, so that its input is in the URL. */
export function getForm(
  { action, fields = null, submit, tone = "primary", layout = "stacked" }: FormOptions,
): Html {
  return markup`<form class="form ${layout}" method="get" action="${action}">${fields}${
    buttonsOf(submit, tone)
  }</form>`;
}

function buttonsOf(submit: string | Html, tone: string): Html {
  return typeof submit === "string"
    ? markup`<p class="buttons"><button class="button ${tone}">${submit}</button></p>`
    : markup`<p class="buttons">${submit}</p>`;
}

/** A message above a form whose fields are not valid. `message` replaces the usual text. */
export function formProblem(
  texts: Texts,
  errors: readonly Finding[],
  { message = texts.common.form.problem, fields = [] }: { message?: string; fields?: readonly string[] } = {},
): Html | null {
  if (errors.length === 0) return null;
  // Errors of fields that the form does not show are listed here, so that none is lost.
  const others = errors.filter(({ field }) => field !== "" && !fields.some((name) => concerns(field, name)));
  const whole = errors.filter(({ field }) => field === "").map((one) => one.message);
  return markup`<div class="notice bad" role="alert"><p>${
    whole.length === 0 ? message : whole.join(" ")
  }</p>${
    others.length === 0
      ? null
      : markup`<ul>${
        others.map(({ field, message }) => markup`<li lang="en">${field}: ${message}</li>`)
      }</ul>`
  }</div>`;
}

/** Whether an error's field is this field or a part of it. */
export function concerns(field: string, name: string): boolean {
  return field === name || field.startsWith(`${name}.`);
}
