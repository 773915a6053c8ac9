// The page of a subscription as HTML.
import { DELIVERY_STATUSES } from "../../../domain/delivery/delivery.ts";
import { DELIVERY_TYPES } from "../../../wire/delivery.ts";
import { badge } from "../../components/badge.ts";
import { confirmDialog } from "../../components/dialog.ts";
import { emptyState } from "../../components/empty_state.ts";
import { facts } from "../../components/facts.ts";
import { fieldsOf } from "../../components/fields.ts";
import { formProblem, hiddenField, postForm } from "../../components/form.ts";
import { notice } from "../../components/notice.ts";
import { paging } from "../../components/paging.ts";
import { table } from "../../components/table.ts";
import { tabs } from "../../components/tabs.ts";
import { exactTime, timeAgo } from "../../components/time.ts";
import { type Html, markup, type Part } from "../../html.ts";
import { TypedValues } from "../../session/typed_values.ts";
import { deliveryBadge } from "../delivery_badge.ts";
import { textsFor } from "../feed/feed_view.ts";
import type { SubscriptionContent } from "./subscription_content.ts";
import {
  deliveryUrl,
  filterWords,
  nameOf,
  STATE_LOOKS,
  stateOf,
  SUBSCRIPTIONS_PATH,
  subscriptionUrl,
} from "./subscription_view.ts";

export function renderSubscription(content: SubscriptionContent): Html {
  const { call, record, errors = [], problem = null } = content;
  const { texts } = call;
  const { states, advice, back } = texts.subscriptions;
  const state = stateOf(record);
  return markup`<p class="back"><a href="${SUBSCRIPTIONS_PATH}">← ${back}</a></p>
<div class="title-line"><h1>${nameOf(record)}</h1>${
    badge({ ...STATE_LOOKS[state], text: states[state] })
  }</div>
${problem === null ? null : notice(problem, "bad")}
${formProblem(texts, errors, { fields: ["since", "until"] })}
${testResult(content)}
${replayResult(content)}
<p>${advice[state]}</p>
${mainActs(content)}
<div class="halves"><section><h2>${texts.subscriptions.list.health}</h2>${healthFacts(content)}</section>
<section><h2>${texts.subscriptions.facts.title}</h2>${settings(content)}</section></div>
${deliveryLog(content)}
<div class="tools">
${testTool(content)}
${replayTool(content)}
${sendTool(content)}
${secretTool(content)}
</div>`;
}

function mainActs({ call, record }: SubscriptionContent): Html {
  const { edit, acts } = call.texts.subscriptions;
  const url = subscriptionUrl(record.id);
  const isEnabled = record.disabled_by === null;
  const toggle = postForm(call, {
    action: `${url}/state`,
    fields: hiddenField("enabled", String(!isEnabled)),
    submit: isEnabled ? acts.pause : acts.enable,
    tone: isEnabled ? "plain" : "primary",
    layout: "inline",
  });
  const remove = confirmDialog(call, {
    id: "delete",
    open: acts.delete,
    title: acts.deleteTitle,
    text: acts.deleteText,
    action: `${url}/delete`,
    submit: acts.delete,
  });
  return markup`<div class="acts"><a class="button plain" href="${url}/edit">${edit}</a>${
    record.disabled_by === "tier" ? null : toggle
  }${remove}</div>`;
}

function healthFacts({ call, record }: SubscriptionContent): Html {
  const { texts, format } = call;
  const { health } = texts.subscriptions;
  const { last_success_at, failing_since, pending, held, catch_up } = record;
  const catchUp = catch_up === null
    ? null
    : markup`${catch_up.reason === "backfill" ? health.backfill : health.heldFull}${
      catch_up.state === "paused" ? ` ${health.isPaused}` : null
    }`;
  return facts([
    [health.lastSuccess, last_success_at === null ? health.never : timeAgo(last_success_at, call)],
    failing_since === null ? null : [health.failingSince, timeAgo(failing_since, call)],
    [health.pending, format.number(pending)],
    [health.held, format.number(held)],
    catchUp === null ? null : [health.catchUp, catchUp],
  ]);
}

function settings({ call, record, vocabulary }: SubscriptionContent): Html {
  const { texts, format } = call;
  const { facts: text, list } = texts.subscriptions;
  const words = filterWords(record, { texts, format, vocabulary });
  return facts([
    [text.url, markup`<code>${record.webhook_url}</code>`],
    [list.filters, markup`<ul class="plain-list">${words.map((one) => markup`<li>${one}</li>`)}</ul>`],
    [text.language, vocabulary.languageName(record.language)],
    record.header_names.length === 0
      ? null
      : [text.headers, markup`<code>${record.header_names.join(", ")}</code> (${text.hiddenValues})`],
    record.note === null ? null : [text.note, markup`<span class="note">${record.note}</span>`],
    [text.created, exactTime(record.created_at, call)],
    [text.id, markup`<code>${record.id}</code>`],
  ]);
}

function deliveryLog(content: SubscriptionContent): Html {
  const { call, record, log, status, logErrors, isFirstPage } = content;
  const { texts } = call;
  const { log: text } = texts.subscriptions;
  const { status: statusLabel, statuses } = texts.event.deliveries;
  const url = subscriptionUrl(record.id);
  const addressOf = (one: string, before: string | null) => {
    const query = new URLSearchParams();
    if (one !== "") query.set("status", one);
    if (before !== null) query.set("before", before);
    return `${url}${query.size === 0 ? "" : `?${query}`}#deliveries`;
  };
  const choices = ["" as const, ...DELIVERY_STATUSES].map((one) => ({
    label: one === "" ? text.all : statuses[one],
    href: addressOf(one, null),
    isCurrent: one === status,
  }));
  const empty = status === ""
    ? emptyState({ title: text.none, text: text.noneText })
    : emptyState({ title: text.noneOfStatus, text: text.noneOfStatusText });
  const isUsed = log.deliveries.length > 0 || status !== "";
  return markup`<section id="deliveries"><h2>${text.title}</h2>
${formProblem(texts, logErrors, { message: texts.common.form.queryProblem })}
${isUsed ? tabs(statusLabel, choices) : null}
${log.deliveries.length === 0 ? empty : logTable(content)}
${
    paging(texts, {
      newer: isFirstPage ? null : addressOf(status, null),
      older: log.before === null ? null : addressOf(status, log.before),
    })
  }</section>`;
}

function logTable({ call, log, events }: SubscriptionContent): Html {
  const { texts, format, language } = call;
  const { feed, event: { deliveries: named }, subscriptions: { log: text } } = texts;
  return table({
    caption: text.title,
    columns: [
      { label: text.event },
      { label: named.status },
      { label: text.created },
      { label: named.attempts, kind: "number" },
    ],
    rows: log.deliveries.map((delivery) => {
      const event = events.get(delivery.event_id);
      const own = event === undefined ? null : textsFor(event, language);
      return [
        own === null
          ? markup`<a href="${deliveryUrl(delivery)}">${text.removedEvent} ${delivery.event_id}</a>`
          : markup`<a href="${deliveryUrl(delivery)}" lang="${own.language}">${own.title}</a>${
            event === undefined || event.version === 1
              ? null
              : markup` <span class="below">${feed.row.revision(event.version)}</span>`
          }`,
        markup`${deliveryBadge(delivery.status, texts)}${reasonOf(delivery.reason)}`,
        timeAgo(delivery.created_at, call),
        format.number(delivery.attempt_count),
      ];
    }),
  });
}

function reasonOf(reason: string | null): Part {
  return reason === null ? null : markup` <span class="below" lang="en">${reason}</span>`;
}

function testResult({ call, tested }: SubscriptionContent): Part {
  if (tested === undefined) return null;
  const { test } = call.texts.subscriptions;
  const duration = `${call.format.number(tested.duration_ms)} ms`;
  return tested.delivered
    ? notice(test.good(String(tested.status_code), duration), "good")
    : notice(markup`${test.bad(duration)} <span lang="en">${tested.problem}</span>`, "bad");
}

function replayResult({ call, record, replayed }: SubscriptionContent): Part {
  if (replayed === undefined) return null;
  const { texts, format, typed } = call;
  const { replay } = texts.subscriptions;
  const { held, next_after: after } = replayed;
  const text = replay.result(format.number(replayed.replayed), format.number(replayed.created));
  const more = after === null ? null : markup`<p>${replay.more}</p>${
    postForm(call, {
      action: `${subscriptionUrl(record.id)}/replay`,
      fields: [
        hiddenField("since", typed.get("since")),
        hiddenField("until", typed.get("until")),
        hiddenField("after", after),
      ],
      submit: replay.continue,
      layout: "inline",
    })
  }`;
  return markup`${notice(held === 0 ? text : `${text} ${replay.held(format.number(held))}`, "good")}${more}`;
}

function tool(title: string, text: Part, form: Html): Html {
  return markup`<section class="tool"><h2>${title}</h2><p>${text}</p>${form}</section>`;
}

/** The fields of a form are filled only if that form was sent. */
function fieldsFor({ call, errors = [] }: SubscriptionContent, own: string): ReturnType<typeof fieldsOf> {
  const { typed, texts } = call;
  return fieldsOf({ texts, typed: typed.has(own) ? typed : new TypedValues(), errors });
}

function testTool(content: SubscriptionContent): Html {
  const { call, record } = content;
  const { test } = call.texts.subscriptions;
  const options = DELIVERY_TYPES.map((type) => ({ value: type, label: test.types[type] }))
    .sort((a, b) => Number(b.value === "event.test") - Number(a.value === "event.test"));
  return tool(
    test.title,
    test.text,
    postForm(call, {
      action: `${subscriptionUrl(record.id)}/test`,
      fields: fieldsFor(content, "type").select("type", test.type, { options, value: "event.test" }),
      submit: test.send,
    }),
  );
}

function replayTool(content: SubscriptionContent): Html {
  const { call, record } = content;
  const { replay } = call.texts.subscriptions;
  const fields = fieldsFor(content, "since");
  return tool(
    replay.title,
    replay.text,
    postForm(call, {
      action: `${subscriptionUrl(record.id)}/replay`,
      fields: markup`${fields.text("since", replay.since, { type: "date", isRequired: true })}${
        fields.text("until", replay.until, { type: "date", hint: replay.untilHint })
      }`,
      submit: replay.send,
      tone: "plain",
    }),
  );
}

function sendTool({ call, record }: SubscriptionContent): Part {
  if (record.pending === 0) return null;
  const { sendNow } = call.texts.subscriptions;
  return tool(
    sendNow.title,
    sendNow.text,
    postForm(call, {
      action: `${subscriptionUrl(record.id)}/send`,
      submit: sendNow.send,
      tone: "plain",
    }),
  );
}

function secretTool({ call, record, previousSecretUntilMs: untilMs }: SubscriptionContent): Html {
  const { secret, guide } = call.texts.subscriptions;
  const isOverlapping = untilMs !== null && untilMs > call.nowMs;
  return tool(
    secret.title,
    markup`${
      isOverlapping ? secret.until(call.format.dateTime(untilMs)) : secret.about
    } <a href="/docs/webhooks">${guide}</a>`,
    markup`${
      confirmDialog(call, {
        id: "rotate",
        open: secret.rotate,
        title: secret.rotateTitle,
        text: secret.rotateText,
        action: `${subscriptionUrl(record.id)}/rotate`,
        submit: secret.rotate,
        tone: "plain",
      })
    }`,
  );
}
