// The fields of forms, filled with what was typed and marked if invalid.
import type { Finding } from "../../http/invalid_fields.ts";
import { type Html, markup, type Part } from "../html.ts";
import type { TypedValues } from "../session/typed_values.ts";
import type { Texts } from "../texts/texts.ts";
import { concerns } from "./form.ts";

export interface Option {
  value: string;
  label: string;
  hint?: string;
}

interface FieldOptions {
  hint?: string | Html;
  isRequired?: boolean;
  /** The value if nothing was typed. */
  value?: string;
}

interface TextOptions extends FieldOptions {
  type?: "text" | "search" | "url" | "email" | "password" | "number" | "date" | "datetime-local";
  /** Several lines if greater than 1. */
  rows?: number;
  maxLength?: number;
  min?: number | string;
  max?: number | string;
  placeholder?: string;
  autocomplete?: string;
  /** Identifiers, URLs and keys: no spell check, and a font in which similar letters differ. */
  isCode?: boolean;
  /** Suggestions for the value. */
  suggestions?: readonly string[];
}

interface SelectOptions extends FieldOptions {
  options: readonly Option[];
  /** The label of the empty choice. Without it, one of the options is always chosen. */
  none?: string;
}

interface ChoiceOptions {
  options: readonly Option[];
  hint?: string | Html;
  kind?: "checkbox" | "radio";
  /** The chosen values if the form was not sent yet. */
  values?: readonly string[];
  /** Whether the choices are in columns, for long lists. */
  isDense?: boolean;
}

export interface Fields {
  text(name: string, label: string, options?: TextOptions): Html;
  select(name: string, label: string, options: SelectOptions): Html;
  /** Checkboxes or radio buttons with a common name. */
  choices(name: string, legend: string, options: ChoiceOptions): Html;
  /** One checkbox, whose value is `true`. */
  flag(name: string, label: string, options?: { hint?: string; isChecked?: boolean }): Html;
}

/** Returns the fields of one form. `prefix` keeps the ids of several forms on a page apart. */
export function fieldsOf(
  { texts, typed, errors, errorsIn = "en", isFilter = false }: {
    texts: Texts;
    typed: TypedValues;
    errors: readonly Finding[];
    /** The language of the errors; those of the API are in English. */
    errorsIn?: string;
    /** In a form of filters, every field is optional, so none says so. */
    isFilter?: boolean;
  },
  prefix = "",
): Fields {
  const messages = (name: string) =>
    errors.filter(({ field }) => concerns(field, name)).map((one) => one.message);
  const idOf = (name: string) => `${prefix}${name}`;

  /** The attributes that connect a field with its hint and its error. */
  const described = (name: string, hint: Part): { attributes: Html; after: Html } => {
    const found = messages(name);
    const id = idOf(name);
    const by = [hint ? `${id}-hint` : "", found.length > 0 ? `${id}-error` : ""].filter((one) => one !== "");
    return {
      attributes: markup`${by.length === 0 ? null : markup` aria-describedby="${by.join(" ")}"`}${
        found.length === 0 ? null : markup` aria-invalid="true"`
      }`,
      after: markup`${hint ? markup`<small class="hint" id="${id}-hint">${hint}</small>` : null}${
        found.length === 0
          ? null
          : markup`<small class="error" id="${id}-error" lang="${errorsIn}">${found.join("; ")}</small>`
      }`,
    };
  };
  const labelOf = (name: string, label: string, isRequired: boolean): Html =>
    markup`<label for="${idOf(name)}">${label}${
      isRequired || isFilter ? null : markup` <span class="optional">${texts.common.form.optional}</span>`
    }</label>`;

  return {
    text(name, label, options = {}) {
      const { hint = null, isRequired = false, value = "", rows = 1, type = "text" } = options;
      const { attributes, after } = described(name, hint);
      const shown = typed.get(name, typed.isEmpty ? value : "");
      const common = markup`id="${idOf(name)}" name="${name}"${attributes}${attributesOf(options)}${
        isRequired ? markup` required` : null
      }`;
      const list = options.suggestions === undefined
        ? null
        : markup`<datalist id="${idOf(name)}-list">${
          options.suggestions.map((one) => markup`<option value="${one}"></option>`)
        }</datalist>`;
      const input = rows > 1
        ? markup`<textarea ${common} rows="${rows}">
${shown}</textarea>`
        : markup`<input type="${type}" value="${type === "password" ? "" : shown}" ${common}${
          list === null ? null : markup` list="${idOf(name)}-list"`
        }>${list}`;
      return markup`<div class="field">${labelOf(name, label, isRequired)}${input}${after}</div>`;
    },

    select(name, label, { options, none, hint = null, isRequired = false, value = "" }) {
      const { attributes, after } = described(name, hint);
      const chosen = typed.get(name, typed.isEmpty ? value : "");
      return markup`<div class="field">${labelOf(name, label, isRequired || none === undefined)}<select id="${
        idOf(name)
      }" name="${name}"${attributes}>${
        none === undefined ? null : markup`<option value="">${none}</option>`
      }${
        options.map((option) =>
          markup`<option value="${option.value}"${
            option.value === chosen ? markup` selected` : null
          }>${option.label}</option>`
        )
      }</select>${after}</div>`;
    },

    choices(name, legend, { options, hint = null, kind = "checkbox", values = [], isDense = false }) {
      const { attributes, after } = described(name, hint);
      const chosen = typed.isEmpty ? values : typed.all(name);
      return markup`<fieldset class="field choices${isDense ? " dense" : ""}" id="${
        idOf(name)
      }"${attributes}><legend>${legend}</legend>${
        options.map((option) =>
          markup`<label class="choice"><input type="${kind}" name="${name}" value="${option.value}"${
            chosen.includes(option.value) ? markup` checked` : null
          }> <span>${option.label}${
            option.hint === undefined ? null : markup`<small class="hint">${option.hint}</small>`
          }</span></label>`
        )
      }${after}</fieldset>`;
    },

    flag(name, label, { hint, isChecked = false } = {}) {
      const { attributes, after } = described(name, hint ?? null);
      const checked = typed.isEmpty ? isChecked : typed.get(name) === "true";
      return markup`<div class="field"><label class="choice"><input type="checkbox" name="${name}" value="true"${
        checked ? markup` checked` : null
      }${attributes}> <span>${label}</span></label>${after}</div>`;
    },
  };
}

function attributesOf({ maxLength, min, max, placeholder, autocomplete, isCode }: TextOptions): Html {
  const named = { maxlength: maxLength, min, max, placeholder, autocomplete };
  const given = Object.entries(named).filter(([, value]) => value !== undefined);
  return markup`${given.map(([name, value]) => markup` ${name}="${value ?? null}"`)}${
    isCode === true ? markup` class="code" spellcheck="false" autocapitalize="off"` : null
  }`;
}
