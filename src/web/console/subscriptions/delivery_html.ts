// The page of a delivery as HTML: its request as sent, and what the endpoint responded to each attempt.
import { copyable } from "../../components/copy.ts";
import { facts } from "../../components/facts.ts";
import { formProblem, postForm } from "../../components/form.ts";
import { notice } from "../../components/notice.ts";
import { table } from "../../components/table.ts";
import { exactTime, timeAgo } from "../../components/time.ts";
import { timeline } from "../../components/timeline.ts";
import { type Html, markup, type Part } from "../../html.ts";
import { deliveryBadge } from "../delivery_badge.ts";
import { eventUrl } from "../event/event_url.ts";
import { textsFor } from "../feed/feed_view.ts";
import type { DeliveryContent } from "./subscription_content.ts";
import { deliveryUrl, nameOf, SUBSCRIPTIONS_PATH, subscriptionUrl } from "./subscription_view.ts";

/** Number of characters of a body that the page shows. */
const MAX_BODY = 16_000;

export function renderDelivery(content: DeliveryContent): Html {
  const { call, delivery, subscription, problem, errors } = content;
  const { texts } = call;
  const { delivery: text, back } = texts.subscriptions;
  const isGone = subscription === null;
  return markup`<p class="back"><a href="${
    isGone ? SUBSCRIPTIONS_PATH : subscriptionUrl(subscription.id)
  }">← ${isGone ? back : nameOf(subscription)}</a></p>
<div class="title-line"><h1>${text.title}</h1>${deliveryBadge(delivery.status, texts)}</div>
${problem === null ? null : notice(problem, "bad")}
${formProblem(texts, errors)}
${actsOf(content)}
${deliveryFacts(content)}
<section><h2>${text.attempts}</h2>${attempts(content)}</section>
<section><h2>${text.request}</h2><p>${text.requestText}</p>
${requestHeaders(content)}
<h3>${text.body}</h3>
${body(content)}</section>`;
}

function actsOf({ call, delivery, subscription }: DeliveryContent): Part {
  if (subscription === null) return null;
  const { delivery: text } = call.texts.subscriptions;
  const url = deliveryUrl(delivery);
  if (delivery.status === "pending") {
    return postForm(call, { action: `${url}/send`, submit: text.sendNow, layout: "inline" });
  }
  if (delivery.status !== "delivered" && delivery.status !== "failed") return null;
  const form = postForm(call, { action: `${url}/replay`, submit: text.replay, layout: "inline" });
  return markup`<div class="acts">${form}<span class="soft">${text.replayText}</span></div>`;
}

function deliveryFacts({ call, delivery, event }: DeliveryContent): Html {
  const { texts, format, language } = call;
  const { delivery: text, test } = texts.subscriptions;
  const own = event === null ? null : textsFor(event, language);
  const { next_attempt_at: nextMs, delivered_at: arrivedMs, finished_at: finishedMs } = delivery;
  const showsFinish = finishedMs !== null && finishedMs !== arrivedMs;
  return facts([
    [
      text.event,
      own === null
        ? markup`<code>${delivery.event_id}</code>`
        : markup`<a href="${eventUrl(delivery.event_id)}" lang="${own.language}">${own.title}</a>`,
    ],
    [text.type, markup`${test.types[delivery.type]} <code>${delivery.type}</code>`],
    delivery.reason === null ? null : [text.reason, markup`<span lang="en">${delivery.reason}</span>`],
    [text.created, exactTime(delivery.created_at, call)],
    nextMs === null ? null : [text.next, timeAgo(nextMs, call)],
    arrivedMs === null ? null : [text.delivered, exactTime(arrivedMs, call)],
    showsFinish ? [text.finished, exactTime(finishedMs, call)] : null,
    [text.sequence, format.number(delivery.sequence)],
  ]);
}

function attempts({ call, delivery }: DeliveryContent): Html {
  const { texts, format } = call;
  const { delivery: text } = texts.subscriptions;
  if (delivery.attempts.length === 0) return markup`<p class="soft">${text.noAttempts}</p>`;
  const steps = delivery.attempts.toReversed().map((attempt) => {
    const isGood = attempt.problem === null;
    const status = attempt.status_code === null ? text.noResponse : `HTTP ${attempt.status_code}`;
    const answer = attempt.answer === null
      ? (attempt.status_code === null ? null : markup`<p class="soft">${text.emptyResponse}</p>`)
      : markup`<p class="soft">${text.response}${call.texts.common.colon}</p><pre tabindex="0"><code>${attempt.answer}</code></pre>`;
    return {
      title: `${text.attempt(format.number(attempt.number))}${call.texts.common.colon} ${status}`,
      when: markup`${exactTime(attempt.started_at, call)}, ${
        text.after(`${format.number(attempt.duration_ms)} ms`)
      }`,
      tone: isGood ? "good" as const : "bad" as const,
      text: markup`${isGood ? null : markup`<p lang="en">${attempt.problem}</p>`}${answer}`,
    };
  });
  return timeline(steps);
}

/** The headers that every attempt sends. The values of the customer's own headers are secrets. */
function requestHeaders({ call, delivery, subscription, userAgent }: DeliveryContent): Html {
  const { delivery: text } = call.texts.subscriptions;
  const own = (subscription?.header_names ?? []).map((name): [string, Part] => [
    name,
    markup`<span class="soft">${text.hidden}</span>`,
  ]);
  const rows: [name: string, value: Part][] = [
    ["content-type", "application/json"],
    ["user-agent", userAgent],
    ["webhook-id", delivery.id],
    ["webhook-timestamp", markup`<span class="soft">${text.timestamp}</span>`],
    ["webhook-signature", markup`<span class="soft">${text.signature}</span>`],
    ["x-regfeed-subscription", delivery.subscription_id],
    ...own,
  ];
  return table({
    caption: text.request,
    columns: [{ label: text.header }, { label: text.value }],
    rows: rows.map(([name, value]) => [markup`<code>${name}</code>`, value]),
  });
}

function body({ call, delivery }: DeliveryContent): Html {
  const { texts, format } = call;
  const { delivery: text } = texts.subscriptions;
  const { payload } = delivery;
  if (payload === null) return markup`<p class="soft">${text.bodyGone}</p>`;
  const bytes = new TextEncoder().encode(payload).length;
  const isCut = payload.length > MAX_BODY;
  return markup`${isCut ? markup`<p class="soft">${text.bodyCut(format.bytes(bytes))}</p>` : null}
${copyable(texts, "body", isCut ? payload.slice(0, MAX_BODY).toWellFormed() : payload)}
<p><a href="${deliveryUrl(delivery)}/body.json" download>${text.download}</a></p>`;
}
