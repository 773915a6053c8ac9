// /console/subscriptions/{id}: the subscription, its deliveries, and what can be done with it.
import { AppError } from "../../../domain/error_codes.ts";
import type { CallApi } from "../../../http/api_call.ts";
import { DELIVERY_TYPES } from "../../../wire/delivery.ts";
import {
  type CustomerCall,
  customerPage,
  type PageContent,
  type PageResult,
  type PageRoute,
  redirect,
} from "../../page_route.ts";
import type { TypedValues } from "../../session/typed_values.ts";
import { readVocabulary } from "../vocabulary.ts";
import { refusalText } from "./refusals.ts";
import { renderSecret } from "./secret_html.ts";
import { type SubscriptionApi, subscriptionApi } from "./subscription_api.ts";
import type { ActResult } from "./subscription_content.ts";
import { renderSubscription } from "./subscription_html.ts";
import { nameOf, SUBSCRIPTIONS_PATH, subscriptionUrl } from "./subscription_view.ts";

export interface SubscriptionOptions {
  callApi: CallApi;
  /** Returns until when a subscription's previous secret signs, Unix ms, or null if there is none. */
  previousSecretUntil(customerId: string, subscriptionId: string): Promise<number | null>;
}

const PATH = `${SUBSCRIPTIONS_PATH}/{id}`;
const DELIVERIES_SHOWN = 20;

export function subscriptionPages(options: SubscriptionOptions): PageRoute[] {
  return [
    customerPage({ method: "GET", path: PATH, handle: (call) => show(call, {}, options) }),
    actPage("state", options, async (call, api, id) => {
      const enabled = call.typed.get("enabled") === "true";
      await api.change(id, { enabled });
      const { acts } = call.texts.subscriptions;
      return done(id, enabled ? acts.enabled : acts.paused);
    }),
    actPage("test", options, async (call, api, id) => {
      const type = DELIVERY_TYPES.find((one) => one === call.typed.get("type")) ?? "event.test";
      const tested = await api.test(id, type);
      return { ...await show(call, { tested }, options), continueAt: subscriptionUrl(id) };
    }),
    actPage("send", options, async (call, api, id) => {
      await api.send(id);
      return done(id, call.texts.subscriptions.acts.sent);
    }),
    actPage("replay", options, async (call, api, id) => {
      const sent = (name: string) => call.typed.get(name).trim() || undefined;
      const replayed = await api.replay(id, {
        since: sent("since"),
        until: sent("until"),
        after: sent("after"),
      });
      return { ...await show(call, { replayed }, options), continueAt: subscriptionUrl(id) };
    }),
    actPage("rotate", options, async (call, api, id) => {
      const { subscription, previous_secret_until: untilMs } = await api.rotate(id);
      const { secret: text } = call.texts.subscriptions;
      return {
        kind: "page",
        title: text.rotated,
        section: "subscriptions",
        continueAt: subscriptionUrl(id),
        body: renderSecret(call, {
          id,
          secret: subscription.webhook_secret,
          title: text.rotated,
          overlap: untilMs === null ? text.noOld : text.until(call.format.dateTime(untilMs)),
        }),
      };
    }),
    actPage("delete", options, async (call, api, id) => {
      await api.remove(id);
      const toast = { text: call.texts.subscriptions.acts.deleted, tone: "good" as const };
      return redirect(SUBSCRIPTIONS_PATH, { toast });
    }),
  ];
}

function done(id: string, text: string): PageResult {
  return redirect(subscriptionUrl(id), { toast: { text, tone: "good" } });
}

/** A form of the page. If the act is refused, the page is shown again with the reason. */
function actPage(
  name: string,
  options: SubscriptionOptions,
  act: (call: CustomerCall, api: SubscriptionApi, id: string) => Promise<PageResult>,
): PageRoute {
  return customerPage({
    method: "POST",
    path: `${PATH}/${name}`,
    showsForm: true,
    async handle(call) {
      const { form, params, customer, texts } = call;
      if (form.value === null) return await show(call, { errors: form.errors }, options);
      try {
        return await act(call, subscriptionApi(options.callApi, customer), params["id"] ?? "");
      } catch (error) {
        const problem = error instanceof AppError ? refusalText(error, texts) : null;
        if (!(error instanceof AppError) || problem === null) throw error;
        return { ...await show(call, { problem }, options), status: error.status };
      }
    },
  });
}

async function show(
  call: CustomerCall,
  result: ActResult,
  { callApi, previousSecretUntil }: SubscriptionOptions,
): Promise<PageContent> {
  const { customer, language, typed, params } = call;
  const api = subscriptionApi(callApi, customer);
  const record = await api.find(params["id"] ?? "");
  const { log, status, before, errors } = await readLog(api, record.id, typed);
  return {
    kind: "page",
    title: nameOf(record),
    section: "subscriptions",
    body: renderSubscription({
      ...result,
      call,
      record,
      vocabulary: await readVocabulary(callApi, customer, language),
      previousSecretUntilMs: await previousSecretUntil(customer.id, record.id),
      log,
      status,
      logErrors: errors,
      isFirstPage: before === "",
      events: await api.events(log.deliveries.map(({ event_id }) => event_id)),
    }),
  };
}

/** Lists the deliveries. If the address is not valid, lists the newest ones of every status, and says why. */
async function readLog(api: SubscriptionApi, id: string, typed: TypedValues) {
  const [status, before] = [typed.get("status"), typed.get("before")];
  const query = { limit: DELIVERIES_SHOWN, ...(status && { status }), ...(before && { before }) };
  try {
    return { log: await api.deliveries(id, query), status, before, errors: [] };
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error;
    const log = await api.deliveries(id, { limit: DELIVERIES_SHOWN });
    return { log, status: "", before: "", errors: error.fields };
  }
}
