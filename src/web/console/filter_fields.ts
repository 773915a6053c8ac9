// The fields of event filters, for the feed and for subscriptions.
import type { Fields, Option } from "../components/fields.ts";
import { type Html, markup, type Part } from "../html.ts";
import type { TypedValues } from "../session/typed_values.ts";
import type { Format } from "../texts/format.ts";
import type { Texts } from "../texts/texts.ts";
import type { Named, Vocabulary } from "./vocabulary.ts";

/** The official languages of the EU, whose documents the sources publish. */
export const EU_LANGUAGES = "bg cs da de el en es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv".split(
  " ",
);

interface FilterFieldsCall {
  fields: Fields;
  typed: TypedValues;
  texts: Texts;
  format: Format;
  vocabulary: Vocabulary;
  /** The names of invalid fields, whose choices are shown at once. */
  invalid: readonly string[];
}

/** Checkboxes that are shown at once if any is chosen or invalid. */
function choiceGroup(
  { fields, typed, invalid, format }: FilterFieldsCall,
  name: string,
  legend: string,
  options: readonly Option[],
): Html {
  const chosen = typed.all(name);
  // A value that is not among the options is kept, so that sending the form again does not drop it.
  const unlisted = chosen.filter((value) => !options.some((option) => option.value === value));
  const all = [...options, ...new Set(unlisted)].map((option) =>
    typeof option === "string" ? { value: option, label: option } : option
  );
  const isOpen = chosen.length > 0 || invalid.includes(name);
  const count = chosen.length === 0
    ? null
    : markup` <span class="count">${format.number(chosen.length)}</span>`;
  return markup`<details class="choice-group"${
    isOpen ? markup` open` : null
  }><summary>${legend}${count}</summary>${
    fields.choices(name, legend, { options: all, isDense: true })
  }</details>`;
}

/** Topics, each parent followed by its children. */
export function topicField(call: FilterFieldsCall, name: string, legend: string): Html {
  return choiceGroup(call, name, legend, topicOptions(call.vocabulary));
}

export function topicOptions({ topics, topicName }: Vocabulary): Option[] {
  const parents = topics.filter(({ parent }) => parent === null);
  return parents.flatMap((parent): Option[] => [
    { value: parent.id, label: topicName(parent.id) },
    ...topics.filter((topic) => topic.parent === parent.id)
      .map(({ id }) => ({ value: id, label: `– ${topicName(id)}` })),
  ]);
}

export function eventTypeField(call: FilterFieldsCall, name: string, legend: string): Html {
  return choiceGroup(call, name, legend, optionsOf(call.vocabulary.eventTypes));
}

export function sourceField(call: FilterFieldsCall, name: string, legend: string): Html {
  return choiceGroup(call, name, legend, optionsOf(call.vocabulary.sources));
}

export function languageField(call: FilterFieldsCall, name: string, legend: string): Html {
  const { languageName } = call.vocabulary;
  const options = EU_LANGUAGES.map((code) => ({ value: code, label: languageName(code) }));
  return choiceGroup(call, name, legend, options);
}

export function severityField(
  { fields, vocabulary, texts }: FilterFieldsCall,
  name: string,
  label: string,
): Html {
  return fields.select(name, label, {
    options: optionsOf(vocabulary.severities.slice(1)),
    none: texts.feed.filters.anySeverity,
  });
}

export function articleField({ fields, texts }: FilterFieldsCall, name: string, label: Part): Html {
  return fields.text(name, String(label), { hint: texts.feed.filters.articleHint, isCode: true });
}

function optionsOf(terms: readonly Named[]): Option[] {
  return terms.map(({ id, name }) => ({ value: id, label: name }));
}
