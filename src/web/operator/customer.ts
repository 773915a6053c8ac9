// The page of one customer: its keys, state, usage and subscriptions, and the forms that change it.
import { AppError } from "../../domain/error_codes.ts";
import { keyStateOf } from "../../domain/customer/api_key.ts";
import { type ApiKey, limitsOf } from "../../domain/customer/customer.ts";
import { utcDay } from "../../domain/utc_day.ts";
import { utcMonth } from "../../domain/customer/quota_period.ts";
import { TIERS } from "../../domain/customer/tier.ts";
import { Refusal } from "../../domain/operator/refusal.ts";
import type { Account } from "../../domain/ports/store/customers.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { confirmDialog, dialog } from "../components/dialog.ts";
import { emptyState } from "../components/empty_state.ts";
import { facts } from "../components/facts.ts";
import { fieldsOf } from "../components/fields.ts";
import { formProblem, hiddenField, postForm } from "../components/form.ts";
import { meter } from "../components/meter.ts";
import { notice } from "../components/notice.ts";
import { table } from "../components/table.ts";
import { exactTime, timeAgo } from "../components/time.ts";
import { type Html, markup, type Part } from "../html.ts";
import { type OperatorCall, type PageContent } from "../page_route.ts";
import { limitFieldsOf, stateOf } from "./customers.ts";
import { hrefOf } from "./list_page.ts";
import { badgesOf } from "./looks.ts";
import { refusalText } from "./operator_act.ts";
import type { OperatorPagesOptions } from "./operator_port.ts";
import { timeOr } from "./sources.ts";

export const CUSTOMERS_PATH = "/operator/customers";
/** Maximum number of subscriptions on the page, the oldest first. */
const MAX_SUBSCRIPTIONS = 50;
/** The overlaps that a rotation offers, hours; "0" disables the old key at once. */
export const OVERLAPS = ["0", "1", "24", "168"] as const;

export async function requireAccount(store: Store, { params }: OperatorCall): Promise<Account> {
  const id = params["id"] ?? "";
  const account = await store.findAccount(id);
  if (account === null) throw new AppError("not_found", `There is no customer ${id}.`);
  return account;
}

export function hrefOfCustomer({ customer }: Account): string {
  return `${CUSTOMERS_PATH}/${customer.id}`;
}

/** Shows the customer, with the errors of a form that was not accepted. */
export async function showCustomer(
  call: OperatorCall,
  account: Account,
  options: OperatorPagesOptions,
  refusal: Refusal | null = null,
): Promise<PageContent> {
  const { texts } = call;
  const { operator: t } = texts;
  const { customer, erasedAtMs } = account;
  const title = customer.email || customer.id;
  const { errors } = call.form;
  const mayChange = !customer.declared && erasedAtMs === null;
  const body = markup`<p class="crumb"><a href="${CUSTOMERS_PATH}">${t.customers.title}</a></p>
<h1>${title}</h1>
${refusal === null ? null : notice(refusalText(texts, refusal), "bad")}
${formProblem(texts, errors)}
${customer.declared ? notice(t.customer.declared) : null}
${mayChange ? actionsOf(account, call) : null}
${customerFacts(account, call)}
${erasedAtMs === null ? await usageSection(account, call, options) : null}
${keySection(account, mayChange, call)}
${await subscriptionSection(account, call, options.store)}
${await sessionSection(account, call, options.store)}
${linkList(customer.id, call)}
${mayErase(account) ? eraseSection(account, call) : null}`;
  const status = errors.length > 0 ? 400 : refusal === null ? 200 : 409;
  return { kind: "page", status, title, section: "customers", body };
}

function customerFacts(account: Account, call: OperatorCall): Html {
  const { customer, payment, erasedAtMs } = account;
  const { texts } = call;
  const { operator: t } = texts;
  return facts([
    [t.customer.customer, markup`<code>${customer.id}</code>`],
    [t.customer.email, customer.email || t.customer.noEmail],
    [t.state, badgesOf(texts).customer(stateOf(account))],
    [t.customer.tier, customer.tier],
    [t.customer.language, texts.operator.languages[customer.language]],
    [t.customer.since, exactTime(customer.createdAtMs, call)],
    erasedAtMs === null ? null : [t.customer.erased, exactTime(erasedAtMs, call)],
    payment === null ? null : [
      t.customer.payment,
      markup`${t.access[payment.access]}${
        payment.accessUntilMs === null
          ? null
          : markup` ${t.customer.until} ${exactTime(payment.accessUntilMs, call)}`
      }`,
    ],
    payment === null || payment.unknownPrice === null ? null : [
      t.customer.unknownPrice,
      markup`<code>${payment.unknownPrice}</code> ${t.customer.unknownPriceText}`,
    ],
  ]);
}

function actionsOf(account: Account, call: OperatorCall): Html {
  const { customer } = account;
  const { texts } = call;
  const { operator: t } = texts;
  const href = hrefOfCustomer(account);
  const fields = fieldsOf({ ...call, errors: call.form.errors });
  const tierForm = postForm(call, {
    action: `${href}/tier`,
    fields: [
      fields.select("tier", t.customer.tier, {
        options: TIERS.map((value) => ({ value, label: value })),
        value: customer.tier,
      }),
      limitFieldsOf(call, fields, customer.limits),
      markup`<p class="soft">${t.customer.tierText}</p>`,
    ],
    submit: t.customer.changeTier,
  });
  const emailForm = postForm(call, {
    action: `${href}/email`,
    fields: [
      fields.text("email", t.customer.email, { type: "email", isRequired: true, value: customer.email }),
      fields.flag("another", t.customers.another),
    ],
    submit: t.customer.changeEmail,
  });
  const toggle = customer.enabled
    ? confirmDialog(call, {
      id: "disable",
      action: `${href}/disable`,
      open: t.customer.disable,
      title: t.customer.disable,
      text: t.customer.disableText,
      submit: t.customer.disable,
    })
    : postForm(call, { action: `${href}/enable`, submit: t.customer.enable, layout: "inline" });
  return markup`<div class="actions-row">
${
    dialog(texts, {
      id: "tier-dialog",
      open: t.customer.changeTier,
      title: t.customer.changeTier,
      content: tierForm,
    })
  }
${
    dialog(texts, {
      id: "email-dialog",
      open: t.customer.changeEmail,
      title: t.customer.changeEmail,
      content: emailForm,
    })
  }
${
    customer.enabled
      ? confirmDialog(call, {
        id: "link",
        action: `${href}/link`,
        open: t.customer.link,
        title: t.customer.link,
        text: t.customer.linkText,
        submit: t.customer.makeLink,
        tone: "plain",
      })
      : null
  }${toggle}</div>`;
}

async function usageSection(
  { customer }: Account,
  { texts: { operator: t }, format, nowMs }: OperatorCall,
  { store, acts }: OperatorPagesOptions,
): Promise<Html> {
  const limits = limitsOf(customer, acts.tiers);
  const month = await store.usageOf(customer.id, utcMonth(nowMs));
  const requests = await store.countedRequests(customer.id, utcDay(nowMs));
  const rows = [
    [t.limits.apiRequestsPerDay, requests, limits.apiRequestsPerDay],
    [t.limits.webhookDeliveriesPerMonth, month.deliveries, limits.webhookDeliveriesPerMonth],
    [t.limits.activeSubscriptions, month.activeSubscriptions, limits.activeSubscriptions],
    [t.limits.heldDeliveries, month.held, limits.heldDeliveries],
  ] as const;
  return markup`<h2>${t.customer.usage}</h2><div class="meters">${
    rows.map(([label, used, limit]) =>
      meter({ label, text: t.customer.of(format.number(used), format.number(limit)), used, limit })
    )
  }</div>`;
}

function keySection(account: Account, mayChange: boolean, call: OperatorCall): Html {
  const { texts, nowMs } = call;
  const { operator: t } = texts;
  const href = hrefOfCustomer(account);
  const fields = fieldsOf({ ...call, errors: call.form.errors });
  const current = account.keys.filter((key) => keyStateOf(key, nowMs) !== "disabled");
  const old = account.keys.length - current.length;
  const add = dialog(texts, {
    id: "add-key",
    open: t.key.add,
    title: t.key.add,
    content: postForm(call, {
      action: `${href}/keys/add`,
      fields: fields.text("label", t.key.label, { isRequired: true, maxLength: 40, hint: t.key.labelHint }),
      submit: t.key.add,
    }),
  });
  return markup`<div class="title-row"><h2>${t.customer.keys}</h2>${mayChange ? add : null}</div>
${
    table({
      caption: t.customer.keys,
      columns: [
        { label: t.key.key },
        { label: t.state },
        { label: t.key.added },
        { label: t.key.used },
        { label: t.actions, kind: "actions" },
      ],
      rows: current.map((key, at) => keyCells(key, at, { account, mayChange, call })),
      empty: emptyState({
        title: t.key.none,
        text: t.key.noneText,
        actions: mayChange ? postForm(call, { action: `${href}/keys/rotate`, submit: t.key.create }) : null,
      }),
    })
  }${old === 0 ? null : markup`<p class="soft">${t.key.old(old)}</p>`}`;
}

function keyCells(
  key: ApiKey,
  at: number,
  { account, mayChange, call }: { account: Account; mayChange: boolean; call: OperatorCall },
): Part[] {
  const { texts, nowMs } = call;
  const { operator: t } = texts;
  const href = hrefOfCustomer(account);
  const state = keyStateOf(key, nowMs);
  const hash = hiddenField("hash", key.hash);
  const fields = fieldsOf({ ...call, errors: [] }, `key-${at}-`);
  const rotate = confirmDialog(call, {
    id: `rotate-${at}`,
    action: `${href}/keys/rotate`,
    open: t.key.rotate,
    title: t.key.rotateTitle,
    text: t.key.rotateText,
    submit: t.key.rotate,
    tone: "plain",
    fields: [
      hash,
      fields.select("overlap", t.key.overlap, {
        options: OVERLAPS.map((value) => ({ value, label: t.key.overlaps[value] })),
        value: "24",
      }),
    ],
  });
  const disable = confirmDialog(call, {
    id: `disable-${at}`,
    action: `${href}/keys/disable`,
    open: t.key.disable,
    title: t.key.disableTitle,
    text: t.key.disableText,
    submit: t.key.disable,
    fields: hash,
  });
  return [
    markup`${key.label ?? t.key.noLabel} <code>…${key.lastFour}</code>`,
    markup`${badgesOf(texts).key(state)}${
      key.validUntilMs === null
        ? null
        : markup`<br><small class="soft">${t.customer.until} ${exactTime(key.validUntilMs, call)}</small>`
    }`,
    timeAgo(key.createdAtMs, call),
    timeOr(key.lastUsedAtMs, t.never, call),
    mayChange ? [state === "valid" ? rotate : null, disable] : null,
  ];
}

async function subscriptionSection({ customer }: Account, call: OperatorCall, store: Store): Promise<Html> {
  const { texts: { operator: t }, format } = call;
  const subscriptions = await store.listSubscriptions(customer.id);
  const counts = await store.countUndeliveredOf(customer.id);
  return markup`<h2>${t.deliveries.subscriptions}</h2>
${
    table({
      caption: t.deliveries.subscriptions,
      columns: [
        { label: t.deliveries.subscription },
        { label: t.state },
        { label: t.customer.lastSuccess },
        { label: t.states.delivery.pending, kind: "number" },
        { label: t.states.delivery.held, kind: "number" },
        { label: t.states.delivery.failed, kind: "number" },
      ],
      rows: subscriptions.slice(0, MAX_SUBSCRIPTIONS).map(({ id, name, webhookUrl, disabledBy, health }) => [
        // The rest of the URL may contain the receiver's secrets.
        markup`${name ?? new URL(webhookUrl).host}<br><code>${id}</code>`,
        disabledBy === null ? t.states.customer.enabled : t.holds[disabledBy].name,
        timeOr(health.lastSuccessAtMs, t.never, call),
        format.number(health.pending),
        format.number(health.held),
        format.number(counts.get(id)?.failed ?? 0),
      ]),
      empty: emptyState({ title: t.customer.noSubscriptions, text: t.customer.noSubscriptionsText }),
    })
  }${
    subscriptions.length <= MAX_SUBSCRIPTIONS
      ? null
      : markup`<p class="soft">${t.held.more(format.number(subscriptions.length - MAX_SUBSCRIPTIONS))}</p>`
  }`;
}

async function sessionSection(account: Account, call: OperatorCall, store: Store): Promise<Html | null> {
  const { operator: t } = call.texts;
  const sessions = await store.listSessions({ customerId: account.customer.id }, call.nowMs);
  const [latest] = sessions;
  if (latest === undefined) return null;
  return markup`<h2>${t.customer.sessions}</h2><p>${t.customer.sessionCount(sessions.length)} ${
    timeAgo(latest.lastSeenAtMs, call)
  }</p>${
    confirmDialog(call, {
      id: "end-sessions",
      action: `${hrefOfCustomer(account)}/end-sessions`,
      open: t.customer.endSessions,
      title: t.customer.endSessions,
      text: t.customer.endSessionsText,
      submit: t.customer.endSessions,
    })
  }`;
}

function linkList(id: string, { texts: { operator: t } }: OperatorCall): Html {
  const links = [
    ["/operator/deliveries", t.deliveries.title],
    ["/operator/mails", t.mails.title],
    ["/operator/payments", t.payments.title],
    ["/operator/audit", t.audit.title],
  ] as const;
  return markup`<h2>${t.customer.more}</h2><ul>${
    links.map(([path, label]) => markup`<li><a href="${hrefOf(path, { customer: id })}">${label}</a></li>`)
  }</ul>`;
}

/** A declared customer can only be erased once it is no longer in the config, which disables it. */
function mayErase({ customer, erasedAtMs }: Account): boolean {
  return erasedAtMs === null && !(customer.declared && customer.enabled);
}

function eraseSection(account: Account, call: OperatorCall): Html {
  const { operator: t } = call.texts;
  const fields = fieldsOf({ ...call, errors: call.form.errors }, "erase-");
  return markup`<h2>${t.erase.title}</h2><p>${t.erase.text}</p>${
    confirmDialog(call, {
      id: "erase",
      action: `${hrefOfCustomer(account)}/erase`,
      open: t.erase.open,
      title: t.erase.title,
      text: t.erase.confirm,
      fields: fields.text("confirm", t.erase.field, {
        isRequired: true,
        isCode: true,
        hint: account.customer.id,
      }),
      submit: t.erase.submit,
    })
  }`;
}
