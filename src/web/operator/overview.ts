// GET /operator: what the installation still lacks, and what needs the operator now.
import { missingSteps, type SetupStep } from "../../domain/operator/setup.ts";
import type { AccountHealth } from "../../domain/ports/store/customers.ts";
import type { AllUndelivered, StoreHealth } from "../../domain/ports/store/deliveries.ts";
import { type ListedSource, listSources } from "../../domain/source/listed_source.ts";
import { badge } from "../components/badge.ts";
import { facts } from "../components/facts.ts";
import { timeAgo } from "../components/time.ts";
import { type Html, markup, type Part } from "../html.ts";
import { type OperatorCall, operatorPage, type PageRoute } from "../page_route.ts";
import type { Texts } from "../texts/texts.ts";
import { hrefOf } from "./list_page.ts";
import type { OperatorPagesOptions } from "./operator_port.ts";

/** How long deliveries may be pending before they need attention, ms. */
const LATE_MS = 3_600_000;

export interface Attention {
  name: keyof Texts["operator"]["attention"];
  count: number;
  href: string;
  isUrgent: boolean;
}

/** Returns what needs the operator, the most urgent first. */
export function attentionOf(
  { sources, undelivered, accounts, health, isConfigRefused, nowMs }: {
    sources: readonly ListedSource[];
    undelivered: AllUndelivered;
    accounts: AccountHealth;
    health: StoreHealth;
    isConfigRefused: boolean;
    nowMs: number;
  },
): Attention[] {
  const inState = (...states: ListedSource["state"][]) =>
    sources.filter(({ state }) => states.includes(state)).length;
  const isLate = health.oldestPendingAtMs !== null && nowMs - health.oldestPendingAtMs > LATE_MS;
  const rows: readonly [name: Attention["name"], count: number, href: string, isUrgent: boolean][] = [
    ["configRefused", isConfigRefused ? 1 : 0, "/operator/health", true],
    ["sourcesFailing", inState("failing", "blocked", "empty"), "/operator/sources", true],
    ["eventsHeld", sources.filter(({ held_back }) => held_back > 0).length, "/operator/sources", true],
    [
      "deliveriesFailed",
      undelivered.failed,
      hrefOf("/operator/deliveries", { status: "failed" }),
      true,
    ],
    ["mailsFailed", accounts.failedMails, hrefOf("/operator/mails", { status: "failed" }), true],
    [
      "deliveriesLate",
      isLate ? health.pendingDeliveries : 0,
      hrefOf("/operator/deliveries", { status: "pending" }),
      false,
    ],
    ["sourcesPartial", inState("partial"), "/operator/sources", false],
    ["sourcesSilent", inState("silent"), "/operator/sources", false],
    ["deliveriesHeld", undelivered.held, hrefOf("/operator/deliveries", { status: "held" }), false],
    ["pricesUnknown", accounts.unknownPrices, "/operator/payments", false],
  ];
  return rows.filter(([, count]) => count > 0).map(([name, count, href, isUrgent]) => ({
    name,
    count,
    href,
    isUrgent,
  })).sort((a, b) => Number(b.isUrgent) - Number(a.isUrgent));
}

export function overviewPage({ store, acts }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "GET",
    path: "/operator",
    async handle(call) {
      const { texts: { operator: t }, nowMs } = call;
      const states = await store.listSources();
      const sources = listSources(acts, states, nowMs);
      const enabled = sources.filter((source) => source.enabled);
      const known = new Map(states.map((state) => [state.id, state]));
      const customers = await store.listCustomers();
      const backups = await acts.server?.backups() ?? null;
      const health = await store.health();
      const steps = missingSteps({
        ...acts.setup(),
        sources: enabled.length,
        neverFetched: enabled.map(({ id }) => id).filter((id) =>
          (known.get(id)?.lastAttemptAtMs ?? null) === null
        ),
        backups: backups?.length ?? 1,
        customers: customers.length,
      });
      const attention = attentionOf({
        sources,
        undelivered: await store.countUndelivered(),
        accounts: await store.accountHealth(),
        health,
        isConfigRefused: acts.isConfigRefused(),
        nowMs,
      });
      const [newest] = backups ?? [];
      const body = markup`<h1>${t.overview.title}</h1>
${attention.length === 0 && steps.length > 0 ? null : attentionList(attention, call)}
${steps.length === 0 ? null : stepList(steps, call)}
<h2>${t.overview.numbers}</h2>
${
        facts([
          [t.overview.sources, t.overview.ofSources(count(call, okOf(enabled)), count(call, enabled.length))],
          [t.overview.customers, count(call, customers.filter(({ customer }) => customer.enabled).length)],
          [t.overview.pending, pendingOf(call, health)],
          [
            t.overview.backup,
            newest === undefined ? t.none : timeAgo(newest.createdAtMs, call),
          ],
        ])
      }`;
      return { kind: "page", title: t.overview.title, section: "overview", body };
    },
  });
}

function okOf(sources: readonly ListedSource[]): number {
  return sources.filter(({ state }) => state === "ok").length;
}

function count({ format }: OperatorCall, value: number): string {
  return format.number(value);
}

function pendingOf(call: OperatorCall, { pendingDeliveries, oldestPendingAtMs }: StoreHealth): Part {
  const number = count(call, pendingDeliveries);
  if (oldestPendingAtMs === null) return number;
  return markup`${number} (${call.texts.operator.overview.oldest}${call.texts.common.colon} ${
    timeAgo(oldestPendingAtMs, call)
  })`;
}

function attentionList(attention: readonly Attention[], { texts, format }: OperatorCall): Html {
  const { operator: t } = texts;
  if (attention.length === 0) {
    return markup`<div class="notice good"><p>${
      badge({ tone: "good", shape: "check", text: t.overview.allGood })
    } ${t.overview.allGoodText}</p></div>`;
  }
  return markup`<h2>${t.overview.attention}</h2>
<ul class="attention">${
    attention.map(({ name, count, href, isUrgent }) =>
      markup`<li class="${isUrgent ? "bad" : "warn"}">${
        badge(
          isUrgent
            ? { tone: "bad", shape: "octagon", text: t.overview.urgent }
            : { tone: "warn", shape: "triangle", text: t.overview.soon },
        )
      }<a href="${href}">${
        format.plural(count, {
          one: t.attention[name].one,
          other: t.attention[name].other(format.number(count)),
        })
      }</a></li>`
    )
  }</ul>`;
}

function stepList(steps: readonly SetupStep[], { texts: { operator: t }, format }: OperatorCall): Html {
  return markup`<h2>${t.overview.setup}</h2>
<p class="lead">${t.overview.setupText}</p>
<ol class="steps">${
    steps.map(({ name, fix, about }) =>
      markup`<li><h3>${t.setup[name].title}</h3><p>${t.setup[name].text}${
        about.length === 0
          ? null
          : markup` ${format.list(about.slice(0, 5))}${about.length > 5 ? " …" : null}`
      }</p><p class="soft">${
        fix.kind === "command" ? t.overview.command : t.overview.config
      }</p><pre><code>${fix.text}</code></pre></li>`
    )
  }</ol>`;
}
