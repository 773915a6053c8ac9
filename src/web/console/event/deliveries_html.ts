// Who was told about an event: the deliveries of the customer's subscriptions, as HTML.
import { notice } from "../../components/notice.ts";
import { table } from "../../components/table.ts";
import { timeAgo } from "../../components/time.ts";
import { type Html, markup } from "../../html.ts";
import { deliveryBadge } from "../delivery_badge.ts";
import type { EventContent } from "./event_content.ts";
import { eventUrl } from "./event_url.ts";

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
      markup`${deliveryBadge(delivery.status, texts)}${
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
