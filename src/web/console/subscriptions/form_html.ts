// The form of a subscription as HTML, for a new one and for an existing one.
import type { FieldError } from "../../../domain/error_codes.ts";
import { fieldsOf } from "../../components/fields.ts";
import { formProblem, postForm } from "../../components/form.ts";
import { notice } from "../../components/notice.ts";
import { type Html, markup, type Part } from "../../html.ts";
import type { CustomerCall } from "../../page_route.ts";
import type { TypedValues } from "../../session/typed_values.ts";
import {
  articleField,
  eventTypeField,
  languageField,
  severityField,
  sourceField,
  topicField,
} from "../filter_fields.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { checkPanel, type CheckResult } from "./check.ts";
import type { SubscriptionRecord } from "./subscription_api.ts";
import { FORM_FIELDS, REMOVE_HEADERS } from "./subscription_input.ts";
import { nameOf, SUBSCRIPTIONS_PATH, subscriptionUrl } from "./subscription_view.ts";

interface FormContent {
  call: CustomerCall;
  vocabulary: Vocabulary;
  /** The languages that titles and summaries can have. */
  languages: readonly string[];
  typed: TypedValues;
  errors: readonly FieldError[];
  /** A message about the whole form, with a link where it helps. */
  problem: Part;
  check: CheckResult | null;
  /** The subscription that is edited; null for a new one. */
  record: SubscriptionRecord | null;
}

const MAX_URL = 2_048;
const MAX_NAME = 100;
const MAX_NOTE = 1_000;
const MAX_SEARCH = 200;

export function renderForm(content: FormContent): Html {
  const { call, record, errors, problem, check } = content;
  const { texts } = call;
  const { form, back } = texts.subscriptions;
  const buttons = markup`<button class="button primary" name="act" value="save">${
    record === null ? form.create : form.save
  }</button><button class="button plain" name="act" value="check" formnovalidate>${form.check}</button>`;
  return markup`<p class="back"><a href="${
    record === null ? SUBSCRIPTIONS_PATH : subscriptionUrl(record.id)
  }">← ${record === null ? back : nameOf(record)}</a></p>
<h1>${record === null ? form.newTitle : form.editTitle(nameOf(record))}</h1>
${problem === null ? formProblem(texts, errors, { fields: FORM_FIELDS }) : notice(problem, "bad")}
${
    postForm(call, {
      action: record === null ? `${SUBSCRIPTIONS_PATH}/new` : `${subscriptionUrl(record.id)}/edit`,
      id: "subscription-form",
      fields: fieldsIn(content),
      submit: buttons,
    })
  }
${checkPanel(check, call)}`;
}

function fieldsIn(content: FormContent): Html {
  const { call: { texts, format }, vocabulary, languages, typed, errors, record } = content;
  const { form } = texts.subscriptions;
  const names = texts.feed.filters;
  const fields = fieldsOf({ texts, typed, errors });
  const invalid = errors.map(({ field }) => field);
  const filterFields = fieldsOf({ texts, typed, errors, isFilter: true });
  const filter = { fields: filterFields, typed, texts, format, vocabulary, invalid };
  const isUsed = (prefix: RegExp) =>
    typed.entries().some(([name, value]) => prefix.test(name) && value.trim() !== "") ||
    invalid.some((name) => prefix.test(name));
  const group = (title: string, prefix: RegExp, inner: Part) =>
    markup`<details class="form-group"${
      isUsed(prefix) ? markup` open` : null
    }><summary>${title}</summary>${inner}</details>`;
  return markup`<div class="form-block">${
    fields.text("webhook_url", form.url, {
      type: "url",
      isRequired: true,
      isCode: true,
      maxLength: MAX_URL,
      hint: form.urlHint,
      placeholder: "https://hooks.example.org/regfeed",
      autocomplete: "off",
    })
  }${fields.text("name", form.name, { maxLength: MAX_NAME })}</div>
<h2>${form.filters}</h2>
<p class="hint">${form.filtersHint}</p>
<div class="grid">${severityField(filter, "severity_min", names.severity)}
${articleField(filter, "article", names.article)}
${filterFields.text("q", form.words, { type: "search", maxLength: MAX_SEARCH, hint: form.wordsHint })}</div>
${topicField(filter, "topics", names.topics)}
${eventTypeField(filter, "event_type", names.type)}
${sourceField(filter, "source_filter", names.source)}
${languageField(filter, "event_language", names.language)}
${
    group(
      form.exclusions,
      /^exclude\./,
      markup`<p class="hint">${form.exclusionsHint}</p>
<div class="grid">${articleField(filter, "exclude.article", names.article)}
${filterFields.text("exclude.q", form.excludedWords, { type: "search", maxLength: MAX_SEARCH })}</div>
${topicField(filter, "exclude.topics", names.topics)}
${eventTypeField(filter, "exclude.event_type", names.type)}
${sourceField(filter, "exclude.source", names.source)}`,
    )
  }
<h2>${form.presentation}</h2>
<div class="form-block">${
    fields.select("language", form.language, {
      options: languages.map((code) => ({ value: code, label: vocabulary.languageName(code) })),
      value: "en",
      hint: form.languageHint,
    })
  }</div>
${
    group(
      form.advanced,
      /^(note|headers|remove_headers|backfill_since)\b/,
      markup`${fields.text("note", form.note, { rows: 3, maxLength: MAX_NOTE })}
${headerFields(content)}
${
        record !== null
          ? null
          : fields.text("backfill_since", form.backfill, { type: "date", hint: form.backfillHint })
      }`,
    )
  }`;
}

function headerFields({ call: { texts }, typed, errors, record }: FormContent): Html {
  const { form } = texts.subscriptions;
  const fields = fieldsOf({ texts, typed, errors });
  const kept = record?.header_names ?? [];
  const hint = kept.length === 0
    ? form.headersHint
    : markup`${form.keepHeaders(kept.join(", "))} ${form.headersHint}`;
  return markup`${
    fields.text("headers", form.headers, { rows: 3, isCode: true, hint, autocomplete: "off" })
  }${kept.length === 0 ? null : fields.flag(REMOVE_HEADERS, form.removeHeaders)}`;
}
