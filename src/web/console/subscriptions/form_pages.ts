// /console/subscriptions/new and /console/subscriptions/{id}/edit: the form, its check, and what it does.
import { AppError, type FieldError } from "../../../domain/error_codes.ts";
import type { CallApi } from "../../../http/api_call.ts";
import { markup, type Part } from "../../html.ts";
import {
  type CustomerCall,
  customerPage,
  type PageContent,
  type PageResult,
  type PageRoute,
  redirect,
} from "../../page_route.ts";
import { readVocabulary } from "../vocabulary.ts";
import { type CheckResult, checkResult } from "./check.ts";
import { renderForm } from "./form_html.ts";
import { previewOf } from "./preview.ts";
import { refusalText } from "./refusals.ts";
import { renderSecret } from "./secret_html.ts";
import { subscriptionApi, type SubscriptionRecord } from "./subscription_api.ts";
import { bodyOf, formErrors, readHeaders, REMOVE_HEADERS, typedFrom } from "./subscription_input.ts";
import { SUBSCRIPTIONS_PATH, subscriptionUrl } from "./subscription_view.ts";

export interface FormOptions {
  callApi: CallApi;
  languages: readonly string[];
  /** Returns why deliveries to a URL are not allowed, or null if they are. */
  whyRefused(url: string): Promise<string | null>;
}

const MAX_FORM_BYTES = 64 * 1024;
const NEW_PATH = `${SUBSCRIPTIONS_PATH}/new`;
const EDIT_PATH = `${SUBSCRIPTIONS_PATH}/{id}/edit`;

export function formPages(options: FormOptions): PageRoute[] {
  const { callApi } = options;
  const find = (call: CustomerCall) => subscriptionApi(callApi, call.customer).find(call.params["id"] ?? "");
  return [
    customerPage({
      method: "GET",
      path: NEW_PATH,
      handle: async (call) =>
        await showForm(call, { record: null, problem: await limitProblem(call, options) }, options),
    }),
    customerPage({
      method: "POST",
      path: NEW_PATH,
      showsForm: true,
      maxFormBytes: MAX_FORM_BYTES,
      handle: (call) => submit(call, null, options),
    }),
    customerPage({
      method: "GET",
      path: EDIT_PATH,
      handle: async (call) => await showForm(call, { record: await find(call) }, options),
    }),
    customerPage({
      method: "POST",
      path: EDIT_PATH,
      showsForm: true,
      maxFormBytes: MAX_FORM_BYTES,
      handle: async (call) => await submit(call, await find(call), options),
    }),
  ];
}

async function submit(
  call: CustomerCall,
  record: SubscriptionRecord | null,
  options: FormOptions,
): Promise<PageResult> {
  const { typed, form, texts } = call;
  if (form.value === null) return await showForm(call, { record, errors: form.errors }, options);
  if (typed.get("act") === "check") return await showCheck(call, record, options);
  const { headers, errors } = readHeaders(typed.get("headers"), texts);
  if (errors.length > 0) return { ...await showForm(call, { record, errors }, options), status: 400 };
  const kept = headers === null && typed.get(REMOVE_HEADERS) !== "true";
  const body = { ...bodyOf(typed), ...(kept ? {} : { headers: headers ?? {} }) };
  try {
    return await (record === null ? create(call, body, options) : change(call, record, body, options));
  } catch (error) {
    const problem = error instanceof AppError ? refusalText(error, texts) : null;
    if (!(error instanceof AppError) || problem === null) throw error;
    return { ...await showForm(call, { record, problem }, options), status: error.status };
  }
}

async function create(
  call: CustomerCall,
  body: Record<string, unknown>,
  { callApi }: FormOptions,
): Promise<PageResult> {
  const since = call.typed.get("backfill_since");
  const { subscription } = await subscriptionApi(callApi, call.customer)
    .create({ ...body, ...(since === "" ? {} : { backfill_since: since }) });
  const { id, webhook_secret: secret } = subscription;
  const title = call.texts.subscriptions.secret.created;
  return {
    kind: "page",
    status: 201,
    title,
    section: "subscriptions",
    continueAt: subscriptionUrl(id),
    body: renderSecret(call, { id, secret, title }),
  };
}

async function change(
  { customer, texts }: CustomerCall,
  { id }: SubscriptionRecord,
  body: Record<string, unknown>,
  { callApi }: FormOptions,
): Promise<PageResult> {
  await subscriptionApi(callApi, customer).change(id, body);
  return redirect(subscriptionUrl(id), { toast: { text: texts.subscriptions.acts.saved, tone: "good" } });
}

/** Shows the check as a page, or as JSON to the script of the page. */
async function showCheck(
  call: CustomerCall,
  record: SubscriptionRecord | null,
  options: FormOptions,
): Promise<PageResult> {
  const { typed, customer, language, nowMs } = call;
  const api = subscriptionApi(options.callApi, customer);
  const url = typed.get("webhook_url").trim();
  const refused = url === "" ? null : await options.whyRefused(url);
  const { topics } = await readVocabulary(options.callApi, customer, language);
  const preview = await previewOf(typed, { api, topics, nowMs });
  const check = checkResult({ url, refused, preview }, call);
  if (call.headers.get("accept") === "application/json") {
    return { kind: "file", content: JSON.stringify(check), contentType: "application/json" };
  }
  const errors: FieldError[] = [
    ...(refused === null ? [] : [{ field: "webhook_url", message: refused }]),
    ...("errors" in preview ? preview.errors : []),
  ];
  return await showForm(call, { record, errors, check }, options);
}

async function showForm(
  call: CustomerCall,
  { record, errors = [], problem = null, check = null }: {
    record: SubscriptionRecord | null;
    errors?: readonly FieldError[];
    problem?: Part;
    check?: CheckResult | null;
  },
  { callApi, languages }: FormOptions,
): Promise<PageContent> {
  const { texts, customer, language } = call;
  const { form } = texts.subscriptions;
  const isSent = call.typed.has("webhook_url");
  const vocabulary = await readVocabulary(callApi, customer, language);
  return {
    kind: "page",
    title: record === null ? form.newTitle : form.editTitle(record.name ?? record.webhook_url),
    section: "subscriptions",
    scripts: ["subscription"],
    body: renderForm({
      call,
      vocabulary,
      languages,
      typed: record === null || isSent ? call.typed : typedFrom(record),
      errors: formErrors(errors),
      problem,
      check,
      record,
    }),
  };
}

/** Says before anything is typed that there is no room for another subscription. */
async function limitProblem(
  { customer, texts, format }: CustomerCall,
  { callApi }: FormOptions,
): Promise<Part> {
  const { subscriptions: { active, limit } } = await subscriptionApi(callApi, customer).usage();
  return active < limit ? null : markup`${texts.subscriptions.form.atLimit(format.number(limit))}`;
}
