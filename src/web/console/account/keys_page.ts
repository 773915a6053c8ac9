// GET /console/keys: the customer's API keys. Only the operator changes them (specification, section 5).
import { keyStateOf } from "../../../domain/customer/api_key.ts";
import type { ApiKey } from "../../../domain/customer/customer.ts";
import type { CustomerStore } from "../../../domain/ports/store/customers.ts";
import { badge, type Tone } from "../../components/badge.ts";
import { emptyState } from "../../components/empty_state.ts";
import type { Shape } from "../../components/icon.ts";
import { table } from "../../components/table.ts";
import { exactTime, timeAgo } from "../../components/time.ts";
import { type Html, markup } from "../../html.ts";
import { type CustomerCall, customerPage, type PageRoute } from "../../page_route.ts";

export interface KeysOptions {
  store: Pick<CustomerStore, "findAccount">;
  /** The email address for questions; empty if there is none. */
  support: string;
}

type KeyState = ReturnType<typeof keyStateOf>;

const LOOKS: Readonly<Record<KeyState, { tone: Tone; shape: Shape }>> = {
  valid: { tone: "good", shape: "check" },
  expiring: { tone: "warn", shape: "clock" },
  disabled: { tone: "neutral", shape: "cross" },
};
const ORDER: readonly KeyState[] = ["valid", "expiring", "disabled"];

export function keysPage({ store, support }: KeysOptions): PageRoute {
  return customerPage({
    method: "GET",
    path: "/console/keys",
    async handle(call) {
      const keys = (await store.findAccount(call.customer.id))?.keys ?? [];
      return {
        kind: "page",
        title: call.texts.account.keys.title,
        section: "keys",
        body: renderKeys(call, keys, support),
      };
    },
  });
}

function renderKeys(call: CustomerCall, keys: readonly ApiKey[], support: string): Html {
  const { keys: text } = call.texts.account;
  const state = (key: ApiKey) => keyStateOf(key, call.nowMs);
  const rank = (key: ApiKey) => ORDER.indexOf(state(key));
  const sorted = keys.toSorted((a, b) => rank(a) - rank(b) || b.createdAtMs - a.createdAtMs);
  const contact = support === ""
    ? null
    : markup`<p>${text.contact}${call.texts.common.colon} <a href="mailto:${support}">${support}</a></p>`;
  return markup`<h1>${text.title}</h1>
<p class="lead">${text.lead}</p>
${
    table({
      caption: text.title,
      columns: [
        { label: text.label },
        { label: text.ending },
        { label: text.state },
        { label: text.created },
        { label: text.lastUsed },
        { label: text.validUntil },
      ],
      rows: sorted.map((key) => [
        key.label ?? text.unlabelled,
        markup`<code>…${key.lastFour}</code>`,
        badge({ ...LOOKS[state(key)], text: text.states[state(key)] }),
        timeAgo(key.createdAtMs, call),
        key.lastUsedAtMs === null ? text.never : timeAgo(key.lastUsedAtMs, call),
        key.validUntilMs === null ? text.noEnd : exactTime(key.validUntilMs, call),
      ]),
      empty: emptyState({ title: text.empty, text: text.operatorOnly }),
    })
  }
<section class="narrow"><h2>${text.operatorOnly}</h2>
<p>${text.ask}</p>
<ul><li>${text.askNew}</li><li>${text.askRotate}</li><li>${text.askDisable}</li></ul>
${contact}
<p><a href="/docs/account">${text.guide}</a></p></section>`;
}
