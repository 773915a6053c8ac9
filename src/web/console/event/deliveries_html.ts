// Who was told about an event: the deliveries of the customer's subscriptions, as HTML.
import { badge, type Tone } from "../../components/badge.ts";
import type { Shape } from "../../components/icon.ts";
import { notice } from "../../components/notice.ts";
import { table } from "../../components/table.ts";
import { timeAgo } from "../../components/time.ts";
import { type Html, markup } from "../../html.ts";
import type { DeliveryRecord, EventContent } from "./event_content.ts";
import { eventUrl } from "./event_url.ts";

const LOOKS: Readonly<Record<DeliveryRecord["status"], { tone: Tone; shape: Shape }>> = {
  delivered: { tone: "good", shape: "check" },
  pending: { tone: "accent", shape: "clock" },
  held: { tone: "warn", shape: "pause" },
  failed: { tone: "bad", shape: "cross" },
  cancelled: { tone: "neutral", shape: "ring" },
};

export function deliveriesSection({ call, event, deliveries, subscriptionNames }: EventContent): Html {
  const { texts, format } = call;
  const text = texts.event.deliveries;
  const rows = deliveries.all.map((delivery) => {
    const name = subscriptionNames.get(delivery.subscription_id);
    const at = delivery.delivered_at ?? delivery.finished_at ?? delivery.created_at;
    return [
      name === undefined
        ? markup`<span class="soft">${text.deleted}</span>`
        : markup`<a href="/console/subscriptions/${delivery.subscription_id}">${name}</a>`,
      markup`${badge({ ...LOOKS[delivery.status], text: text.statuses[delivery.status] })}${
        delivery.reason === null ? null : markup` <span class="soft" lang="en">${delivery.reason}</span>`
      }`,
      timeAgo(at, call),
      format.number(delivery.attempt_count),
    ];
  });
  const { next } = deliveries;
  const more = next?.["before"] === undefined
    ? null
    : markup`<p><a href="${eventUrl(event.id)}?deliveries=${next["before"]}#deliveries">${text.more}</a></p>`;
  return markup`<section id="deliveries"><h2>${text.title}</h2>
${
    rows.length === 0
      ? notice(markup`${text.none} <a href="/console/subscriptions">${text.toSubscriptions}</a>`, "neutral")
      : table({
        caption: text.title,
        columns: [
          { label: text.subscription },
          { label: text.status },
          { label: text.when },
          { label: text.attempts, kind: "number" },
        ],
        rows,
      })
  }${more}</section>`;
}
