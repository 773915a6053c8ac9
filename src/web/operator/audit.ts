// GET /operator/audit: who changed what, with filters in the URL.
import * as z from "zod";
import { type ActName, ACTS, type AuditEntry } from "../../domain/customer/audit.ts";
import { isId } from "../../domain/event/ids.ts";
import { readTime } from "../../domain/sent_time.ts";
import { integerParameter } from "../../http/parameters.ts";
import { emptyState } from "../components/empty_state.ts";
import { fieldsOf } from "../components/fields.ts";
import { type Chip, filters } from "../components/filters.ts";
import { formProblem } from "../components/form.ts";
import { table } from "../components/table.ts";
import { exactTime } from "../components/time.ts";
import { type Html, markup, type Part } from "../html.ts";
import { type OperatorCall, operatorPage, type PageRoute } from "../page_route.ts";
import { customerLink, emailsOf } from "./customer_link.ts";
import { hrefOf, olderLink, PAGE_ROWS, pageOf } from "./list_page.ts";
import type { OperatorPagesOptions } from "./operator_port.ts";

const PATH = "/operator/audit";
/** Matches the names of fields with a time in Unix ms. */
const TIME_FIELD = /_(?:at|until)$/;

/** Where acts come from, and how their actors begin. */
const ORIGINS = {
  cli: "cli:",
  console: "console:",
  payment: "payment:",
  config: "config",
  service: "service",
} as const;

type Origin = keyof typeof ORIGINS;

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "must be a date such as 2026-07-31").transform(
  (text, context) => {
    const read = readTime(text, "since");
    if ("ms" in read) return read.ms;
    context.addIssue({ code: "custom", message: read.problem });
    return z.NEVER;
  },
);

const DAY_MS = 86_400_000;

export function auditPage({ store }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "GET",
    path: PATH,
    query: z.object({
      act: z.enum(ACTS).optional(),
      origin: z.enum(["cli", "console", "payment", "config", "service"]).optional(),
      actor: z.string().max(200).optional(),
      customer: z.string().refine((id) => isId("customer", id), "must be the id of a customer (cus_…)")
        .optional(),
      from: day.optional(),
      to: day.optional(),
      before: integerParameter({ min: 1, max: 1e15, description: "Only entries before this one" }).optional(),
    }),
    async handle(call) {
      const { texts } = call;
      const { operator: t } = texts;
      const { act, origin, actor, customer, from, to, before } = call.query.good;
      const prefix = actor ?? (origin === undefined ? undefined : ORIGINS[origin]);
      const rows = await store.listAudit({
        limit: PAGE_ROWS + 1,
        ...(act === undefined ? {} : { acts: [act] }),
        ...(prefix === undefined ? {} : { actor: prefix }),
        ...(customer === undefined ? {} : { customerId: customer }),
        ...(from === undefined ? {} : { sinceMs: from }),
        ...(to === undefined ? {} : { untilMs: to + DAY_MS }),
        ...(before === undefined ? {} : { before }),
      });
      const { page, last } = pageOf(rows);
      const emails = await emailsOf(page, store);
      const given = filtersOf(call);
      const body = markup`<h1>${t.audit.title}</h1>
<p class="lead">${t.audit.lead}</p>
${
        formProblem(texts, call.query.errors, {
          message: texts.common.form.queryProblem,
          fields: FILTERS,
        })
      }
${auditFilters(call, given)}
${
        table({
          caption: t.audit.title,
          columns: [
            { label: t.audit.time },
            { label: t.audit.act },
            { label: t.audit.actor },
            { label: t.customer.customer },
            { label: t.audit.change },
          ],
          rows: page.map((entry) => entryCells(entry, emails, call)),
          empty: emptyState({ title: t.audit.none, text: t.audit.noneText }),
        })
      }
${
        olderLink(texts, {
          path: PATH,
          filters: given,
          before: before === undefined ? undefined : String(before),
          next: last === null ? null : String(last.seq),
        })
      }`;
      return { kind: "page", title: t.audit.title, section: "audit", body };
    },
  });
}

const FILTERS = ["act", "origin", "actor", "customer", "from", "to"] as const;

type Given = Partial<Record<typeof FILTERS[number], string>>;

/** The valid filters, as they were sent. */
function filtersOf({ typed, query: { good } }: OperatorCall<object>): Given {
  return Object.fromEntries(FILTERS.filter((name) => name in good).map((name) => [name, typed.get(name)]));
}

function auditFilters(call: OperatorCall, given: Given): Html {
  const { operator: t } = call.texts;
  const fields = fieldsOf({ ...call, errors: call.query.errors });
  const labels: Record<keyof Given, string> = {
    act: t.audit.act,
    origin: t.audit.origin,
    actor: t.audit.actor,
    customer: t.customer.customer,
    from: t.audit.from,
    to: t.audit.to,
  };
  const shown = (name: keyof Given, value: string): string =>
    name === "act" ? t.acts[value as ActName] : name === "origin" ? t.origins[value as Origin] : value;
  const chips = Object.entries(given).map(([name, value]): Chip => ({
    label: `${labels[name as keyof Given]}${call.texts.common.colon} ${shown(name as keyof Given, value)}`,
    href: hrefOf(PATH, { ...given, [name]: undefined }),
  }));
  return filters(call.texts, {
    action: PATH,
    fields: [
      fields.select("act", labels.act, {
        none: t.any,
        options: ACTS.map((value) => ({ value, label: t.acts[value] })),
      }),
      fields.select("origin", labels.origin, {
        none: t.any,
        options: (Object.keys(ORIGINS) as Origin[]).map((value) => ({ value, label: t.origins[value] })),
      }),
      fields.text("actor", labels.actor, { hint: t.audit.actorHint }),
      fields.text("customer", labels.customer, { isCode: true, placeholder: "cus_…" }),
      fields.text("from", labels.from, { type: "date" }),
      fields.text("to", labels.to, { type: "date" }),
    ],
    chips,
    clearHref: PATH,
    isOpen: call.query.errors.length > 0,
  });
}

function entryCells(
  { atMs, act, actor, address, customerId, change }: AuditEntry,
  emails: ReadonlyMap<string, string>,
  call: OperatorCall,
): Part[] {
  const { operator: t } = call.texts;
  const known = ACTS.find((name) => name === act);
  return [
    exactTime(atMs, call),
    markup`${known === undefined ? act : t.acts[known]}<br><code>${act}</code>`,
    markup`${actor}${address === undefined ? null : markup`<br><small class="soft">${address}</small>`}`,
    customerId === null ? "–" : customerLink(customerId, emails),
    changeParts(change, call),
  ];
}

/** The changed fields by their names in the log, with the values before and after. */
function changeParts(change: Record<string, unknown>, call: OperatorCall): Part {
  return markup`<ul class="change">${
    Object.entries(change).map(([field, value]) => {
      const { before, after } = fieldsIn(value);
      const described = before === undefined && after === undefined
        ? valueText(value, field, call)
        : `${valueText(before, field, call)} → ${valueText(after, field, call)}`;
      return markup`<li><code>${field}</code> ${described}</li>`;
    })
  }</ul>`;
}

function fieldsIn(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}

function valueText(value: unknown, field: string, call: OperatorCall): string {
  const { texts: { operator: t }, format } = call;
  if (value === null || value === undefined) return t.none;
  if (typeof value === "boolean") return value ? t.yes : t.no;
  if (typeof value === "number") {
    return TIME_FIELD.test(field) ? format.dateTime(value) : format.number(value);
  }
  if (typeof value !== "object") return String(value);
  const entries = Array.isArray(value)
    ? value.map((one) => valueText(one, "", call))
    : Object.entries(value).map(([name, one]) => `${name} ${valueText(one, name, call)}`);
  return entries.length === 0 ? t.none : entries.join(", ");
}
