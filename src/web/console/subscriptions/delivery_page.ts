// /console/subscriptions/{id}/deliveries/{delivery}: one delivery with its attempts, and sending it again.
import { AppError, standardError } from "../../../domain/error_codes.ts";
import type { CallApi } from "../../../http/api_call.ts";
import {
  type CustomerCall,
  customerPage,
  type PageContent,
  type PageRoute,
  redirect,
} from "../../page_route.ts";
import type { DeliveryContent } from "./subscription_content.ts";
import { renderDelivery } from "./delivery_html.ts";
import { refusalText } from "./refusals.ts";
import {
  type DeliveryWithAttempts,
  type SubscriptionApi,
  subscriptionApi,
  type SubscriptionRecord,
} from "./subscription_api.ts";
import { deliveryUrl, SUBSCRIPTIONS_PATH } from "./subscription_view.ts";

export interface DeliveryOptions {
  callApi: CallApi;
  /** The `User-Agent` of deliveries. */
  userAgent: string;
}

const PATH = `${SUBSCRIPTIONS_PATH}/{id}/deliveries/{delivery}`;

export function deliveryPages(options: DeliveryOptions): PageRoute[] {
  return [
    customerPage({ method: "GET", path: PATH, handle: (call) => show(call, {}, options) }),
    customerPage({
      method: "GET",
      path: `${PATH}/body.json`,
      async handle(call) {
        const { payload } = await find(call, subscriptionApi(options.callApi, call.customer));
        if (payload === null) throw standardError("delivery_removed");
        return {
          kind: "file",
          content: payload,
          contentType: "application/json",
          headers: { "content-disposition": `attachment; filename="${call.params["delivery"]}.json"` },
        };
      },
    }),
    actPage("replay", options),
    actPage("send", options),
  ];
}

function actPage(name: "replay" | "send", options: DeliveryOptions): PageRoute {
  return customerPage({
    method: "POST",
    path: `${PATH}/${name}`,
    showsForm: true,
    async handle(call) {
      const { form, customer, texts } = call;
      if (form.value === null) return await show(call, { errors: form.errors }, options);
      const api = subscriptionApi(options.callApi, customer);
      const delivery = await find(call, api);
      try {
        await (name === "replay" ? api.replayDelivery(delivery.id) : api.sendDelivery(delivery.id));
      } catch (error) {
        const problem = error instanceof AppError ? refusalText(error, texts) : null;
        if (!(error instanceof AppError) || problem === null) throw error;
        return { ...await show(call, { problem }, options), status: error.status };
      }
      const { acts } = texts.subscriptions;
      const text = name === "replay" ? acts.replayed : acts.sentOne;
      return redirect(deliveryUrl(delivery), { toast: { text, tone: "good" } });
    },
  });
}

/** Throws `not_found` unless the delivery belongs to the subscription of the address. */
async function find(
  { params }: CustomerCall,
  api: SubscriptionApi,
): Promise<DeliveryWithAttempts> {
  const delivery = await api.delivery(params["delivery"] ?? "");
  if (delivery.subscription_id !== params["id"]) throw new AppError("not_found", "Unknown delivery.");
  return delivery;
}

async function show(
  call: CustomerCall,
  { problem = null, errors = [] }: Partial<Pick<DeliveryContent, "problem" | "errors">>,
  { callApi, userAgent }: DeliveryOptions,
): Promise<PageContent> {
  const api = subscriptionApi(callApi, call.customer);
  const delivery = await find(call, api);
  const events = await api.events([delivery.event_id]);
  return {
    kind: "page",
    title: call.texts.subscriptions.delivery.title,
    section: "subscriptions",
    body: renderDelivery({
      call,
      delivery,
      subscription: await subscriptionOf(delivery, api),
      event: events.get(delivery.event_id) ?? null,
      userAgent,
      problem,
      errors,
    }),
  };
}

async function subscriptionOf(
  { subscription_id }: DeliveryWithAttempts,
  api: SubscriptionApi,
): Promise<SubscriptionRecord | null> {
  try {
    return await api.find(subscription_id);
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return null;
    throw error;
  }
}
