// Events of the payment provider: what each did, and applying one again.
import * as z from "zod";
import { AppError } from "../../domain/error_codes.ts";
import type { KeptPayment } from "../../domain/customer/payment.ts";
import { isId } from "../../domain/event/ids.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { confirmDialog } from "../components/dialog.ts";
import { emptyState } from "../components/empty_state.ts";
import { facts } from "../components/facts.ts";
import { fieldsOf } from "../components/fields.ts";
import { filters } from "../components/filters.ts";
import { formProblem } from "../components/form.ts";
import { table } from "../components/table.ts";
import { exactTime, timeAgo } from "../components/time.ts";
import { type Html, markup, type Part } from "../html.ts";
import { type OperatorCall, operatorPage, type PageRoute } from "../page_route.ts";
import { customerLink, emailsOf } from "./customer_link.ts";
import { olderLink, PAGE_ROWS, pageOf } from "./list_page.ts";
import { badgesOf } from "./looks.ts";
import { actThen } from "./operator_act.ts";
import type { OperatorPagesOptions } from "./operator_port.ts";

const PATH = "/operator/payments";

export function paymentPages(options: OperatorPagesOptions): PageRoute[] {
  return [listPage(options), showPage(options), replayForm(options)];
}

function stateOf({ event: { note }, customerId }: KeptPayment): "applied" | "waiting" | "ignored" | "erased" {
  if (note !== null) return note === "erased" ? "erased" : "ignored";
  return customerId === null ? "waiting" : "applied";
}

function hrefOfPayment(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}

function listPage({ store, acts }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "GET",
    path: PATH,
    query: z.object({
      customer: z.string().refine((id) => isId("customer", id), "must be the id of a customer (cus_…)")
        .optional(),
      before: z.string().max(255).optional(),
    }),
    async handle(call) {
      const { texts } = call;
      const { operator: t } = texts;
      const { customer, before } = call.query.good;
      const rows = await store.listPayments({
        limit: PAGE_ROWS + 1,
        ...(customer === undefined ? {} : { customerId: customer }),
        ...(before === undefined ? {} : { before }),
      });
      const { page, last } = pageOf(rows);
      const fields = fieldsOf({ ...call, errors: call.query.errors });
      const emails = await emailsOf(page, store);
      const body = markup`<h1>${t.payments.title}</h1>
${
        formProblem(texts, call.query.errors, {
          message: texts.common.form.queryProblem,
          fields: ["customer"],
        })
      }
${
        filters(texts, {
          action: PATH,
          fields: fields.text("customer", t.customer.customer, { isCode: true, placeholder: "cus_…" }),
          chips: customer === undefined
            ? []
            : [{ label: `${t.customer.customer}${texts.common.colon} ${customer}`, href: PATH }],
          clearHref: PATH,
          isOpen: call.query.errors.length > 0,
        })
      }
${
        table({
          caption: t.payments.title,
          columns: [
            { label: t.payments.event },
            { label: t.payments.type },
            { label: t.state },
            { label: t.created },
            { label: t.customer.customer },
          ],
          rows: page.map((payment) => paymentCells(payment, emails, call)),
          empty: emptyState({
            title: t.payments.none,
            text: acts.hasPayments ? t.payments.noneText : t.payments.off,
          }),
        })
      }
${olderLink(texts, { path: PATH, filters: { customer }, before, next: last?.event.id ?? null })}`;
      return { kind: "page", title: t.payments.title, section: "payments", body };
    },
  });
}

function paymentCells(
  payment: KeptPayment,
  emails: ReadonlyMap<string, string>,
  call: OperatorCall,
): Part[] {
  const { event } = payment;
  const { texts } = call;
  const state = stateOf(payment);
  return [
    markup`<a href="${hrefOfPayment(event.id)}"><code>${event.id}</code></a>`,
    markup`<code>${event.type}</code>`,
    markup`${badgesOf(texts).payment(state)}${
      state === "ignored" ? markup`<br><small class="soft" lang="en">${event.note}</small>` : null
    }`,
    timeAgo(event.createdAtMs, call),
    customerOf(payment, emails, call),
  ];
}

function customerOf(
  { customerId }: KeptPayment,
  emails: ReadonlyMap<string, string>,
  { texts: { operator: t } }: OperatorCall,
): Part {
  return customerId === null ? t.none : customerLink(customerId, emails);
}

async function requirePayment(store: Store, id: string): Promise<KeptPayment> {
  const payment = await store.findPayment(id);
  if (payment === null) throw new AppError("not_found", `There is no payment event ${id}.`);
  return payment;
}

function showPage({ store, acts }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "GET",
    path: `${PATH}/{id}`,
    async handle(call) {
      const { texts } = call;
      const { operator: t } = texts;
      const payment = await requirePayment(store, call.params["id"] ?? "");
      const { event } = payment;
      const state = stateOf(payment);
      const prices = event.fact !== null && "prices" in event.fact ? event.fact.prices : [];
      const body = markup`<p class="crumb"><a href="${PATH}">${t.payments.title}</a></p>
<h1>${t.payments.event}</h1>
<p><code>${event.id}</code></p>
${acts.hasPayments && state !== "erased" ? replayDialog(event.id, call) : null}
${
        facts([
          [t.payments.type, markup`<code>${event.type}</code>`],
          [t.state, badgesOf(texts).payment(state)],
          state === "ignored" ? [t.reason, markup`<span lang="en">${event.note}</span>`] : null,
          [t.payments.content, factText(payment, call)],
          prices.length === 0 ? null : [t.payments.prices, prices.join(", ")],
          [t.customer.customer, customerOf(payment, await emailsOf([payment], store), call)],
          event.payer === null ? null : [t.payments.payer, markup`<code>${event.payer}</code>`],
          event.subscription === null
            ? null
            : [t.payments.subscription, markup`<code>${event.subscription}</code>`],
          [t.created, exactTime(event.createdAtMs, call)],
          [t.payments.received, exactTime(event.receivedAtMs, call)],
        ])
      }`;
      return { kind: "page", title: `${t.payments.event} ${event.id}`, section: "payments", body };
    },
  });
}

function factText(
  { event: { fact } }: KeptPayment,
  { texts: { operator: { payments: t } } }: OperatorCall,
): Part {
  if (fact === null) return t.noFact;
  if (fact.kind === "subscription") {
    return markup`${t.facts.subscription} <code>${fact.deleted ? "deleted" : fact.status}</code>`;
  }
  if (fact.kind === "invoice") return fact.paid ? t.facts.invoicePaid : t.facts.invoiceFailed;
  return fact.paid ? t.facts.checkoutPaid : t.facts.checkoutOpen;
}

function replayDialog(id: string, call: OperatorCall): Html {
  const { payments: t } = call.texts.operator;
  return markup`<div class="actions-row">${
    confirmDialog(call, {
      id: "replay",
      action: `${hrefOfPayment(id)}/replay`,
      open: t.replay,
      title: t.replay,
      text: t.replayText,
      submit: t.replay,
      tone: "plain",
    })
  }</div>`;
}

function replayForm({ store, acts }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "POST",
    path: `${PATH}/{id}/replay`,
    async handle(call) {
      const { event: { id } } = await requirePayment(store, call.params["id"] ?? "");
      return await actThen(call, {
        to: hrefOfPayment(id),
        work: async (by) => call.texts.operator.payments.outcomes[await acts.replayPayment(id, by)],
      });
    },
  });
}
