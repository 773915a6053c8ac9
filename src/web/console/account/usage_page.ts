// GET /console/usage: the customer's limits as meters, and the last 30 days as charts.
import type { Customer } from "../../../domain/customer/customer.ts";
import type { CustomerStore, DayOfUsage } from "../../../domain/ports/store/customers.ts";
import { utcDay } from "../../../domain/utc_day.ts";
import type { CallApi } from "../../../http/api_call.ts";
import { barChart } from "../../components/bar_chart.ts";
import { meter } from "../../components/meter.ts";
import { notice } from "../../components/notice.ts";
import { timeAgo } from "../../components/time.ts";
import { type Html, markup } from "../../html.ts";
import { type CustomerCall, customerPage, type PageRoute } from "../../page_route.ts";
import { subscriptionApi, type UsageReport } from "../subscriptions/subscription_api.ts";

export interface UsageOptions {
  callApi: CallApi;
  store: Pick<CustomerStore, "usageByDay">;
}

const DAY_MS = 86_400_000;
const DAYS = 30;

export function usagePage({ callApi, store }: UsageOptions): PageRoute {
  return customerPage({
    method: "GET",
    path: "/console/usage",
    async handle(call) {
      const { customer, nowMs, texts } = call;
      const usage = await subscriptionApi(callApi, customer).usage();
      const days = lastDays(await readDays(store, customer, nowMs), usage.api_requests.used, nowMs);
      return {
        kind: "page",
        title: texts.account.usage.title,
        section: "usage",
        body: renderUsage(call, usage, days),
      };
    },
  });
}

async function readDays(
  store: UsageOptions["store"],
  { id }: Customer,
  nowMs: number,
): Promise<DayOfUsage[]> {
  return await store.usageByDay(id, utcDay(nowMs - (DAYS - 1) * DAY_MS));
}

/** Returns one entry for each of the last 30 days. Today's requests may not be stored yet. */
export function lastDays(known: readonly DayOfUsage[], requestsToday: number, nowMs: number): DayOfUsage[] {
  const byDay = new Map(known.map((one) => [one.day, one]));
  return Array.from({ length: DAYS }, (_, at) => {
    const day = utcDay(nowMs - (DAYS - 1 - at) * DAY_MS);
    const { requests = 0, deliveries = 0 } = byDay.get(day) ?? {};
    return { day, requests: at === DAYS - 1 ? requestsToday : requests, deliveries };
  });
}

function renderUsage(call: CustomerCall, usage: UsageReport, days: readonly DayOfUsage[]): Html {
  const { texts, format } = call;
  const { usage: text } = texts.account;
  const { api_requests, webhook_deliveries: deliveries, subscriptions } = usage;
  const meterOf = (label: string, { used, limit }: { used: number; limit: number }, hint?: Html) =>
    meter({
      label,
      used,
      limit,
      text: text.of(format.number(used), format.number(limit)),
      ...(hint === undefined ? {} : { hint }),
    });
  const renewal = (ms: number) => {
    // The words around the time differ by language, so the time replaces a mark in the text.
    const [before = "", after = ""] = text.renews("\0").split("\0");
    return markup`<span>${before}${timeAgo(ms, call)}${after}</span>`;
  };
  const held = deliveries.held === 0 ? null : notice(
    text.held(format.number(deliveries.held), format.number(deliveries.held_limit)),
    "warn",
  );
  const chart = (title: string, value: "requests" | "deliveries") =>
    barChart({
      title,
      bars: days.map((one) => ({ label: format.date(one.day), value: one[value] })),
      columns: [text.day, title],
    }, call);
  return markup`<h1>${text.title}</h1>
<p class="lead">${text.tier(usage.tier)}</p>
${held}
<div class="halves"><section><h2>${text.month}</h2>
${meterOf(text.deliveries, deliveries, renewal(deliveries.resets_at))}
${meterOf(text.subscriptions, { used: subscriptions.active, limit: subscriptions.limit })}</section>
<section><h2>${text.today}</h2>
${meterOf(text.requests, api_requests, renewal(api_requests.resets_at))}
${meterOf(text.tests, usage.test_calls)}
${meterOf(text.replays, usage.replays)}
${meterOf(text.backfills, usage.backfills)}
<p class="hint">${text.noQuota}</p></section></div>
<h2>${text.last30}</h2>
<div class="halves"><section>${chart(text.deliveriesPerDay, "deliveries")}</section>
<section>${chart(text.requestsPerDay, "requests")}</section></div>`;
}
