// GET /operator/customers: all customers, with a search; and the form that adds one.
import * as z from "zod";
import type { ListedCustomer } from "../../domain/ports/store/customers.ts";
import { keyStateOf } from "../../domain/customer/api_key.ts";
import { isMailAddress } from "../../domain/customer/mail.ts";
import { LIMIT_FIELDS, type TierLimits, TIERS } from "../../domain/customer/tier.ts";
import { Refusal } from "../../domain/operator/refusal.ts";
import { integerParameter } from "../../http/parameters.ts";
import { copyable } from "../components/copy.ts";
import { emptyState } from "../components/empty_state.ts";
import { facts } from "../components/facts.ts";
import { fieldsOf } from "../components/fields.ts";
import { formProblem, getForm, postForm } from "../components/form.ts";
import { notice } from "../components/notice.ts";
import { paging } from "../components/paging.ts";
import { table } from "../components/table.ts";
import { timeAgo } from "../components/time.ts";
import { markup, type Part } from "../html.ts";
import { type OperatorCall, operatorPage, type PageContent, type PageRoute } from "../page_route.ts";
import { hrefOf, PAGE_ROWS } from "./list_page.ts";
import { badgesOf } from "./looks.ts";
import { actOf, refusalText } from "./operator_act.ts";
import type { NewKey } from "../../domain/operator/operator_acts.ts";
import type { OperatorPagesOptions } from "./operator_port.ts";

const PATH = "/operator/customers";
const NEW_PATH = "/operator/customers/new";
const MAX_LIMIT = 999_999_999_999;

export function customersPages(options: OperatorPagesOptions): PageRoute[] {
  return [listPage(options), newPage(), addForm(options)];
}

function listPage({ store }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "GET",
    path: PATH,
    query: z.object({
      q: z.string().max(200).optional(),
      page: integerParameter({ min: 1, max: 100_000, description: "The page of the list" }).optional(),
    }),
    async handle(call) {
      const { texts, format } = call;
      const { operator: t } = texts;
      const { q = "", page = 1 } = call.query.good;
      const found = (await store.listCustomers()).filter((one) => isWanted(one, q)).toReversed();
      const rows = found.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS);
      const fields = fieldsOf({ ...call, errors: call.query.errors });
      const body =
        markup`<div class="title-row"><h1>${t.customers.title}</h1><a class="button primary" href="${NEW_PATH}">${t.customers.add}</a></div>
${
          getForm({
            action: PATH,
            fields: fields.text("q", t.customers.search, { type: "search", hint: t.customers.searchHint }),
            submit: texts.common.actions.search,
            tone: "plain",
            layout: "inline",
          })
        }
<p class="soft">${
          format.plural(found.length, {
            one: t.customers.countOne,
            other: t.customers.count(format.number(found.length)),
          })
        }</p>
${
          table({
            caption: t.customers.title,
            columns: [
              { label: t.customer.customer },
              { label: t.customer.tier },
              { label: t.state },
              { label: t.customer.since },
              { label: t.customer.keys },
            ],
            rows: rows.map((row) => cellsOf(row, call)),
            empty: emptyState({
              title: t.customers.none,
              text: q === "" ? t.customers.noneText : t.customers.noMatchText,
              actions: markup`<a class="button plain" href="${q === "" ? NEW_PATH : PATH}">${
                q === "" ? t.customers.add : texts.common.actions.clear
              }</a>`,
            }),
          })
        }
${
          paging(texts, {
            newer: page === 1 ? null : hrefOf(PATH, { q, page: page === 2 ? null : String(page - 1) }),
            older: found.length <= page * PAGE_ROWS ? null : hrefOf(PATH, { q, page: String(page + 1) }),
          })
        }`;
      return { kind: "page", title: t.customers.title, section: "customers", body };
    },
  });
}

function isWanted({ customer, keys }: ListedCustomer, q: string): boolean {
  const wanted = q.trim().toLowerCase();
  return customer.email.toLowerCase().includes(wanted) || customer.id.toLowerCase().includes(wanted) ||
    keys.some(({ lastFour }) => lastFour === wanted.replace(/^…/, ""));
}

export function stateOf(
  { customer, disabledBy, erasedAtMs }: Pick<ListedCustomer, "customer" | "disabledBy" | "erasedAtMs">,
): "enabled" | "disabled" | "unpaid" | "erased" {
  if (erasedAtMs !== null) return "erased";
  if (customer.enabled) return "enabled";
  return disabledBy === "payment" ? "unpaid" : "disabled";
}

function cellsOf(row: ListedCustomer, call: OperatorCall): Part[] {
  const { customer, keys } = row;
  const { texts: { operator: t }, nowMs } = call;
  const valid = keys.filter((key) => keyStateOf(key, nowMs) !== "disabled");
  return [
    markup`<a href="${PATH}/${customer.id}">${
      customer.email === "" ? t.customer.noEmail : customer.email
    }</a><br><code>${customer.id}</code>`,
    customer.tier,
    badgesOf(call.texts).customer(stateOf(row)),
    timeAgo(customer.createdAtMs, call),
    valid.length === 0
      ? t.none
      : valid.map(({ label, lastFour }) => `${label ?? ""} …${lastFour}`.trim()).join(", "),
  ];
}

/** The limits that an embedded customer may have of its own, with the names of their fields. */
const OWN_LIMITS = ["apiRequestsPerDay", "webhookDeliveriesPerMonth", "activeSubscriptions"] as const;

const limit = (min: number) =>
  integerParameter({ min, max: MAX_LIMIT, description: "A limit of the customer's own" }).optional();

export const OWN_LIMIT_FIELDS = {
  api_requests_per_day: limit(1),
  webhook_deliveries_per_month: limit(0),
  active_subscriptions: limit(0),
};

type OwnLimitValues = { [Field in keyof typeof OWN_LIMIT_FIELDS]?: number | undefined };

export function ownLimitsOf(values: OwnLimitValues): Partial<TierLimits> {
  const limits: Partial<TierLimits> = {};
  for (const name of OWN_LIMITS) {
    const value = values[LIMIT_FIELDS[name]];
    if (value !== undefined) limits[name] = value;
  }
  return limits;
}

/** Own limits are only for the tier embedded. */
export function checkOwnLimits(
  { tier, ...values }: { tier: string } & OwnLimitValues,
  context: z.RefinementCtx,
): void {
  if (tier === "embedded") return;
  for (const field of Object.keys(OWN_LIMIT_FIELDS) as (keyof OwnLimitValues)[]) {
    if (values[field] === undefined) continue;
    context.addIssue({
      code: "custom",
      path: [field],
      message: `is only for the tier embedded; the config sets the limits of ${tier}`,
    });
  }
}

const addSchema = z.strictObject({
  email: z.string().refine(isMailAddress, "must be an email address"),
  tier: z.enum(TIERS),
  ...OWN_LIMIT_FIELDS,
  another: z.literal("true").optional(),
}).superRefine(checkOwnLimits);

function newPage(): PageRoute {
  return operatorPage({
    method: "GET",
    path: NEW_PATH,
    handle: (call) => formPage(call, null),
  });
}

function formPage(call: OperatorCall, refusal: Refusal | null): PageContent {
  const { texts } = call;
  const { operator: t } = texts;
  const { errors } = call.form;
  const fields = fieldsOf({ ...call, errors });
  const body = markup`<p class="crumb"><a href="${PATH}">${t.customers.title}</a></p>
<h1>${t.customers.add}</h1>
${refusal === null ? null : notice(refusalText(texts, refusal), "bad")}
${formProblem(texts, errors, { fields: ["email", "tier", "another", ...Object.keys(OWN_LIMIT_FIELDS)] })}
${
    postForm(call, {
      action: NEW_PATH,
      fields: [
        fields.text("email", t.customer.email, { type: "email", isRequired: true, autocomplete: "off" }),
        fields.select("tier", t.customer.tier, {
          options: TIERS.map((value) => ({ value, label: value })),
          value: "indie",
        }),
        markup`<details${
          call.typed.get("tier") === "embedded" ? markup` open` : null
        }><summary>${t.customer.ownLimits}</summary>${limitFieldsOf(call, fields)}</details>`,
        fields.flag("another", t.customers.another, { hint: t.customers.anotherHint }),
      ],
      submit: t.customers.add,
    })
  }`;
  const status = errors.length > 0 ? 400 : refusal === null ? 200 : 409;
  return { kind: "page", status, title: t.customers.add, section: "customers", body };
}

/** The fields of a customer's own limits. */
export function limitFieldsOf(
  { texts: { operator: t } }: OperatorCall,
  fields: ReturnType<typeof fieldsOf>,
  values: Partial<TierLimits> = {},
): Part {
  return OWN_LIMITS.map((name, at) =>
    fields.text(LIMIT_FIELDS[name], t.limits[name], {
      type: "number",
      min: name === "apiRequestsPerDay" ? 1 : 0,
      ...(values[name] === undefined ? {} : { value: String(values[name]) }),
      ...(at === 0 ? { hint: t.customer.ownLimitsHint } : {}),
    })
  );
}

function addForm({ acts }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "POST",
    path: NEW_PATH,
    form: addSchema,
    async handle(call) {
      const given = call.form.value;
      if (given === null) return formPage(call, null);
      const { email, tier, another } = given;
      const customer = { email, tier, limits: ownLimitsOf(given), another: another === "true" };
      try {
        return keyPage(
          call,
          await acts.addCustomer(customer, actOf(call)),
          call.texts.operator.customers.added,
        );
      } catch (error) {
        if (error instanceof Refusal) return formPage(call, error);
        throw error;
      }
    },
  });
}

/** Shows a new key, which is stored nowhere. */
export function keyPage(call: OperatorCall, { customer, key, label }: NewKey, title: string): PageContent {
  const { texts } = call;
  const { operator: t } = texts;
  const body = markup`<p class="crumb"><a href="${PATH}/${customer.id}">${
    customer.email || customer.id
  }</a></p>
<h1>${title}</h1>
${notice(t.key.once, "warn")}
${copyable(texts, "new-key", key)}
${
    facts([
      [t.customer.customer, markup`<code>${customer.id}</code>`],
      [t.customer.email, customer.email || t.customer.noEmail],
      [t.customer.tier, customer.tier],
      label === null ? null : [t.key.label, label],
    ])
  }
<p class="buttons"><a class="button plain" href="${PATH}/${customer.id}">${t.customers.open}</a></p>`;
  return { kind: "page", title, section: "customers", body };
}
