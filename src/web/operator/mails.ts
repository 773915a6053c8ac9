// Emails to customers: the queue, what has failed, and sending again.
import * as z from "zod";
import { AppError } from "../../domain/error_codes.ts";
import { type KeptMail, MAIL_STATUSES } from "../../domain/customer/mail.ts";
import { isId } from "../../domain/event/ids.ts";
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

const PATH = "/operator/mails";

export function mailPages(options: OperatorPagesOptions): PageRoute[] {
  return [listPage(options), showPage(options), retryForm(options), cancelForm(options)];
}

function listPage({ store }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "GET",
    path: PATH,
    query: z.object({
      status: z.enum(MAIL_STATUSES).optional(),
      customer: z.string().refine((id) => isId("customer", id), "must be the id of a customer (cus_…)")
        .optional(),
      before: z.string().max(64).optional(),
    }),
    async handle(call) {
      const { texts } = call;
      const { operator: t } = texts;
      const { status, customer, before } = call.query.good;
      const rows = await store.listMails({
        limit: PAGE_ROWS + 1,
        ...(status === undefined ? {} : { status }),
        ...(customer === undefined ? {} : { customerId: customer }),
        ...(before === undefined ? {} : { before }),
      });
      const { page, last } = pageOf(rows);
      const given = { status, customer };
      const fields = fieldsOf({ ...call, errors: call.query.errors });
      const chips: Chip[] = [
        ...(status === undefined ? [] : [{
          label: `${t.state}${call.texts.common.colon} ${t.states.mail[status]}`,
          href: hrefOf(PATH, { customer }),
        }]),
        ...(customer === undefined ? [] : [{
          label: `${t.customer.customer}${call.texts.common.colon} ${customer}`,
          href: hrefOf(PATH, { status }),
        }]),
      ];
      const body = markup`<h1>${t.mails.title}</h1>
${
        formProblem(texts, call.query.errors, {
          message: texts.common.form.queryProblem,
          fields: ["status", "customer"],
        })
      }
${
        filters(texts, {
          action: PATH,
          fields: [
            fields.select("status", t.state, {
              none: t.any,
              options: MAIL_STATUSES.map((value) => ({ value, label: t.states.mail[value] })),
            }),
            fields.text("customer", t.customer.customer, { isCode: true, placeholder: "cus_…" }),
          ],
          chips,
          clearHref: PATH,
          isOpen: call.query.errors.length > 0,
        })
      }
${mailTable(page, await emailsOf(page, store), call)}
${olderLink(texts, { path: PATH, filters: given, before, next: last?.id ?? null })}`;
      return { kind: "page", title: t.mails.title, section: "mails", body };
    },
  });
}

/** A table of emails, each with a link to its page. */
function mailTable(
  page: readonly KeptMail[],
  emails: ReadonlyMap<string, string>,
  call: OperatorCall,
): Html {
  const { texts, format } = call;
  const { operator: t } = texts;
  return table({
    caption: t.mails.title,
    columns: [
      { label: t.mails.kind },
      { label: t.state },
      { label: t.created },
      { label: t.deliveries.attempts, kind: "number" },
      { label: t.deliveries.next },
      { label: t.customer.customer },
    ],
    rows: page.map((mail) => [
      markup`<a href="${PATH}/${mail.id}">${t.mails.kinds[mail.kind]}</a>`,
      markup`${badgesOf(texts).mail(mail.status)}${
        mail.problem === null ? null : markup`<br><small class="soft" lang="en">${mail.problem}</small>`
      }`,
      timeAgo(mail.createdAtMs, call),
      format.number(mail.attempts),
      mail.nextAttemptAtMs === null ? "–" : timeAgo(mail.nextAttemptAtMs, call),
      customerLink(mail.customerId, emails),
    ]),
    empty: emptyState({ title: t.mails.none, text: t.mails.noneText }),
  });
}

async function requireMail(store: Store, id: string): Promise<KeptMail> {
  const mail = await store.findMail(id);
  if (mail === null) throw new AppError("not_found", `There is no email ${id}.`);
  return mail;
}

function showPage({ store }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "GET",
    path: `${PATH}/{id}`,
    async handle(call) {
      const { texts, format } = call;
      const { operator: t } = texts;
      const mail = await requireMail(store, call.params["id"] ?? "");
      const { nextAttemptAtMs, finishedAtMs } = mail;
      const kind = t.mails.kinds[mail.kind];
      const body = markup`<p class="crumb"><a href="${PATH}">${t.mails.title}</a></p>
<h1>${kind}</h1>
<p><code>${mail.id}</code></p>
${actionsOf(mail, call)}
${
        facts([
          [t.state, badgesOf(texts).mail(mail.status)],
          mail.problem === null
            ? null
            : [t.deliveries.problem, markup`<span lang="en">${mail.problem}</span>`],
          [t.customer.customer, customerLink(mail.customerId, await emailsOf([mail], store))],
          [t.deliveries.attempts, format.number(mail.attempts)],
          [t.created, exactTime(mail.createdAtMs, call)],
          nextAttemptAtMs === null ? null : [t.deliveries.next, exactTime(nextAttemptAtMs, call)],
          finishedAtMs === null ? null : [t.mails.finished, exactTime(finishedAtMs, call)],
        ])
      }
<p class="soft">${t.mails.noContent}</p>`;
      return { kind: "page", title: kind, section: "mails", body };
    },
  });
}

function actionsOf({ id, status }: KeptMail, call: OperatorCall): Html | null {
  const { operator: t } = call.texts;
  if (status === "sent") return null;
  const retry = postForm(call, { action: `${PATH}/${id}/retry`, submit: t.mails.retry, layout: "inline" });
  if (status === "cancelled") return markup`<div class="actions-row">${retry}</div>`;
  const cancel = confirmDialog(call, {
    id: "cancel",
    action: `${PATH}/${id}/cancel`,
    open: t.mails.cancel,
    title: t.mails.cancelTitle,
    text: t.mails.cancelText,
    submit: t.mails.cancel,
  });
  return markup`<div class="actions-row">${retry}${cancel}</div>`;
}

function retryForm({ store, acts }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "POST",
    path: `${PATH}/{id}/retry`,
    async handle(call) {
      const { id } = await requireMail(store, call.params["id"] ?? "");
      return await actThen(call, {
        to: `${PATH}/${id}`,
        work: async (by) => call.texts.operator.mails.retried[await acts.retryMail(id, by)],
      });
    },
  });
}

function cancelForm({ store, acts }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "POST",
    path: `${PATH}/{id}/cancel`,
    async handle(call) {
      const { id } = await requireMail(store, call.params["id"] ?? "");
      return await actThen(call, {
        to: `${PATH}/${id}`,
        work: async (by) => {
          await acts.cancelMail(id, by);
          return call.texts.operator.mails.cancelled;
        },
      });
    },
  });
}
