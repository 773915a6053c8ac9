// Deliveries: the queue, what is held and why, what has failed, and sending now or again.
import * as z from "zod";
import { AppError } from "../../domain/error_codes.ts";
import {
  type AttemptRecord,
  DELIVERY_STATUSES,
  type DeliveryRecord,
  type DeliveryStatus,
  describeDelivery,
} from "../../domain/delivery/delivery.ts";
import { isId } from "../../domain/event/ids.ts";
import type { HeldByCause } from "../../domain/ports/store/deliveries.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { confirmDialog } from "../components/dialog.ts";
import { emptyState } from "../components/empty_state.ts";
import { facts } from "../components/facts.ts";
import { fieldsOf } from "../components/fields.ts";
import { type Chip, filters } from "../components/filters.ts";
import { formProblem, postForm } from "../components/form.ts";
import { table } from "../components/table.ts";
import { exactTime, timeAgo } from "../components/time.ts";
import { type Html, markup } from "../html.ts";
import { type OperatorCall, operatorPage, type PageRoute } from "../page_route.ts";
import { hrefOf, olderLink, PAGE_ROWS, pageOf } from "./list_page.ts";
import { customerLink, emailsOf } from "./customer_link.ts";
import { badgesOf } from "./looks.ts";
import { actThen } from "./operator_act.ts";
import type { OperatorPagesOptions } from "./operator_port.ts";
import { timeOr } from "./sources.ts";

const PATH = "/operator/deliveries";

export function deliveryPages(options: OperatorPagesOptions): PageRoute[] {
  return [listPage(options), showPage(options), sendForm(options), replayForm(options)];
}

function listPage({ store }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "GET",
    path: PATH,
    query: z.object({
      status: z.enum(DELIVERY_STATUSES).optional(),
      customer: z.string().refine((id) => isId("customer", id), "must be the id of a customer (cus_…)")
        .optional(),
      event: z.string().refine((id) => isId("event", id), "must be the id of an event (evt_…)").optional(),
      before: z.string().refine((id) => isId("delivery", id), "must be the id of a delivery (dlv_…)")
        .optional(),
    }),
    async handle(call) {
      const { operator: t } = call.texts;
      const { status, customer, event, before } = call.query.good;
      const query = {
        limit: PAGE_ROWS + 1,
        ...(status === undefined ? {} : { statuses: [status] as const }),
        ...(event === undefined ? {} : { eventId: event }),
        ...(before === undefined || await store.findOwner("delivery", before) === null
          ? {}
          : { beforeId: before }),
      };
      const rows = customer === undefined
        ? await store.listAllDeliveries(query)
        : await store.listDeliveries(customer, query);
      const { page, last } = pageOf(rows);
      const given = { status, customer, event };
      const body = markup`<h1>${t.deliveries.title}</h1>
${
        formProblem(call.texts, call.query.errors, {
          message: call.texts.common.form.queryProblem,
          fields: ["status", "customer", "event"],
        })
      }
${heldCounts(await store.countHeldByCause(), call)}
${deliveryFilters(call, given)}
${deliveryTable(page, await emailsOf(page, store), call)}
${olderLink(call.texts, { path: PATH, filters: given, before, next: last?.id ?? null })}`;
      return { kind: "page", title: t.deliveries.title, section: "deliveries", body };
    },
  });
}

function heldCounts(
  held: readonly HeldByCause[],
  { texts: { operator: t }, format }: OperatorCall,
): Html | null {
  if (held.length === 0) return null;
  const sorted = held.toSorted((a, b) => b.deliveries - a.deliveries);
  return markup`<section class="held-counts">${
    table({
      caption: t.deliveries.heldByCause,
      isCaptionVisible: true,
      columns: [
        { label: t.deliveries.cause },
        { label: t.deliveries.title, kind: "number" },
        { label: t.deliveries.subscriptions, kind: "number" },
        { label: t.deliveries.until },
      ],
      rows: sorted.map(({ cause, deliveries, subscriptions }) => [
        t.holds[cause].name,
        format.number(deliveries),
        format.number(subscriptions),
        t.holds[cause].until,
      ]),
    })
  }</section>`;
}

type Given = Readonly<Record<"status" | "customer" | "event", string | undefined>>;

function deliveryFilters(call: OperatorCall, given: Given): Html {
  const { operator: t } = call.texts;
  const fields = fieldsOf({ ...call, errors: call.query.errors });
  const names: Record<keyof Given, string> = {
    status: t.state,
    customer: t.customer.customer,
    event: t.event.event,
  };
  const chips = (Object.keys(names) as (keyof Given)[]).flatMap((name): Chip[] => {
    const value = given[name];
    if (value === undefined) return [];
    const shown = name === "status" ? t.states.delivery[value as DeliveryStatus] : value;
    return [{
      label: `${names[name]}${call.texts.common.colon} ${shown}`,
      href: hrefOf(PATH, { ...given, [name]: undefined }),
    }];
  });
  return filters(call.texts, {
    action: PATH,
    fields: [
      fields.select("status", names.status, {
        none: t.any,
        options: DELIVERY_STATUSES.map((value) => ({ value, label: t.states.delivery[value] })),
      }),
      fields.text("customer", names.customer, { isCode: true, placeholder: "cus_…" }),
      fields.text("event", names.event, { isCode: true, placeholder: "evt_…" }),
    ],
    chips,
    clearHref: PATH,
    isOpen: call.query.errors.length > 0,
  });
}

/** A table of deliveries, each with a link to its page. */
function deliveryTable(
  page: readonly DeliveryRecord[],
  emails: ReadonlyMap<string, string>,
  call: OperatorCall,
): Html {
  const { texts, format } = call;
  const { operator: t } = texts;
  return table({
    caption: t.deliveries.title,
    columns: [
      { label: t.deliveries.delivery },
      { label: t.state },
      { label: t.created },
      { label: t.deliveries.attempts, kind: "number" },
      { label: t.deliveries.next },
      { label: t.customer.customer },
    ],
    rows: page.map((delivery) => [
      markup`<a href="${PATH}/${delivery.id}" title="${delivery.id}"><code>…${
        delivery.id.slice(-8)
      }</code></a>`,
      markup`${badgesOf(texts).delivery(delivery.status)}${reasonOf(delivery)}`,
      timeAgo(delivery.createdAtMs, call),
      format.number(delivery.attempts),
      delivery.status === "pending" ? timeAgo(delivery.nextAttemptAtMs, call) : "–",
      customerLink(delivery.customerId, emails),
    ]),
    empty: emptyState({ title: t.deliveries.none, text: t.deliveries.noneText }),
  });
}

function reasonOf(delivery: DeliveryRecord): Html | null {
  const reason = describeDelivery(delivery)?.replace(/^held: /, "") ?? null;
  return reason === null ? null : markup`<br><small class="soft" lang="en">${reason}</small>`;
}

/** Finds a delivery of any customer. Throws `not_found`. */
async function requireDelivery(store: Store, id: string): Promise<DeliveryRecord> {
  const owner = isId("delivery", id) ? await store.findOwner("delivery", id) : null;
  const delivery = owner === null ? null : await store.findDelivery(owner, id);
  if (delivery === null) throw new AppError("not_found", `There is no delivery ${id}.`);
  return delivery;
}

function showPage({ store }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "GET",
    path: `${PATH}/{id}`,
    async handle(call) {
      const { texts, format } = call;
      const { operator: t } = texts;
      const delivery = await requireDelivery(store, call.params["id"] ?? "");
      const { id, customerId, subscriptionId } = delivery;
      const subscription = await store.findSubscription(customerId, subscriptionId);
      const attempts = await store.listAttempts(id);
      const reason = describeDelivery(delivery);
      const body = markup`<p class="crumb"><a href="${PATH}">${t.deliveries.title}</a></p>
<h1>${t.deliveries.delivery}</h1>
<p><code>${id}</code></p>
${actionsOf(delivery, call)}
${
        facts([
          [t.state, badgesOf(texts).delivery(delivery.status)],
          reason === null ? null : [t.reason, markup`<span lang="en">${reason}</span>`],
          [
            t.customer.customer,
            markup`<a href="/operator/customers/${customerId}"><code>${customerId}</code></a>`,
          ],
          [
            t.deliveries.endpoint,
            // The rest of the URL may contain the receiver's secrets.
            subscription === null ? t.deliveries.deleted : new URL(subscription.webhookUrl).origin,
          ],
          [t.deliveries.subscription, markup`<code>${subscriptionId}</code>`],
          [t.event.event, markup`<code>${delivery.eventId}</code>`],
          [t.created, exactTime(delivery.createdAtMs, call)],
          delivery.status === "pending"
            ? [t.deliveries.next, exactTime(delivery.nextAttemptAtMs, call)]
            : null,
          [t.deliveries.arrived, timeOr(delivery.arrivedAtMs, t.never, call)],
          [t.deliveries.attempts, format.number(delivery.attempts)],
        ])
      }
<h2>${t.deliveries.attempts}</h2>
${attemptTable(attempts, call)}`;
      return { kind: "page", title: `${t.deliveries.delivery} ${id}`, section: "deliveries", body };
    },
  });
}

function actionsOf({ id, status }: DeliveryRecord, call: OperatorCall): Html | null {
  const { operator: t } = call.texts;
  if (status === "pending") {
    return markup`<div class="actions-row">${
      postForm(call, { action: `${PATH}/${id}/send`, submit: t.deliveries.sendNow, layout: "inline" })
    }</div>`;
  }
  if (status !== "delivered" && status !== "failed") return null;
  return markup`<div class="actions-row">${
    confirmDialog(call, {
      id: "replay",
      action: `${PATH}/${id}/replay`,
      open: t.deliveries.replay,
      title: t.deliveries.replayTitle,
      text: t.deliveries.replayText,
      submit: t.deliveries.replay,
      tone: "plain",
    })
  }</div>`;
}

/** Leaves out the endpoint's response, which only the subscription's owner may read. */
function attemptTable(attempts: readonly AttemptRecord[], call: OperatorCall): Html {
  const { texts: { operator: t }, format } = call;
  return table({
    caption: t.deliveries.attempts,
    columns: [
      { label: t.deliveries.number, kind: "number" },
      { label: t.deliveries.started },
      { label: t.deliveries.ms, kind: "number" },
      { label: t.deliveries.response, kind: "number" },
      { label: t.deliveries.problem },
    ],
    rows: attempts.map(({ number, startedAtMs, durationMs, statusCode, problem }) => [
      number,
      exactTime(startedAtMs, call),
      format.number(durationMs),
      statusCode ?? t.none,
      problem === null ? t.none : markup`<span lang="en">${problem}</span>`,
    ]),
    empty: emptyState({ title: t.deliveries.noAttempts, text: t.deliveries.noAttemptsText }),
  });
}

function sendForm({ store, acts }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "POST",
    path: `${PATH}/{id}/send`,
    async handle(call) {
      const { id } = await requireDelivery(store, call.params["id"] ?? "");
      return await actThen(call, {
        to: `${PATH}/${id}`,
        work: async (by) => {
          await acts.sendDelivery(id, by);
          return call.texts.operator.deliveries.sent;
        },
      });
    },
  });
}

function replayForm({ store, acts }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "POST",
    path: `${PATH}/{id}/replay`,
    async handle(call) {
      const { id } = await requireDelivery(store, call.params["id"] ?? "");
      return await actThen(call, {
        to: `${PATH}/${id}`,
        work: async (by) => {
          await acts.replayDelivery(id, by);
          return call.texts.operator.deliveries.replayed;
        },
      });
    },
  });
}
