// The calls of the API that the pages of subscriptions make.
import type * as z from "zod";
import type { Customer } from "../../../domain/customer/customer.ts";
import { AppError } from "../../../domain/error_codes.ts";
import type { RegEvent } from "../../../domain/event/event.ts";
import type { ApiAnswer, ApiRequestOptions, CallApi } from "../../../http/api_call.ts";
import type { DeliveryType } from "../../../wire/delivery.ts";
import type { deliveryList, deliveryResponse } from "../../../wire/delivery_log.ts";
import type {
  replayReport,
  secretRotated,
  subscriptionCreated,
  subscriptionList,
  subscriptionResponse,
  testResponse,
} from "../../../wire/subscription.ts";
import type { usageReport } from "../../../wire/usage.ts";

export type SubscriptionRecord = z.infer<typeof subscriptionResponse>["subscription"];
type DeliveryRecord = z.infer<typeof deliveryList>["deliveries"][number];
export type DeliveryWithAttempts = z.infer<typeof deliveryResponse>["delivery"];
export type TestResult = z.infer<typeof testResponse>;
export type ReplayReport = z.infer<typeof replayReport>;
type Created = z.infer<typeof subscriptionCreated>;
type Rotated = z.infer<typeof secretRotated>;
export type UsageReport = z.infer<typeof usageReport>;

/** A page of the delivery log, and the `before` of the next one. */
export interface DeliveryPage {
  deliveries: DeliveryRecord[];
  before: string | null;
}

export type SubscriptionApi = ReturnType<typeof subscriptionApi>;

// deno-lint-ignore explicit-module-boundary-types
export function subscriptionApi(callApi: CallApi, customer: Customer) {
  const call = (
    method: ApiRequestOptions["method"],
    path: string,
    more: Pick<ApiRequestOptions, "query" | "body"> = {},
  ): Promise<ApiAnswer> => callApi(customer, { method, path, ...more });
  const pathOf = (id: string) => `/v1/subscriptions/${encodeURIComponent(id)}`;
  const deliveryPath = (id: string) => `/v1/deliveries/${encodeURIComponent(id)}`;
  const subscriptionIn = ({ json }: ApiAnswer) => (json as z.infer<typeof subscriptionResponse>).subscription;
  return {
    async list(): Promise<SubscriptionRecord[]> {
      return ((await call("GET", "/v1/subscriptions")).json as z.infer<typeof subscriptionList>)
        .subscriptions;
    },
    /** Throws `not_found` for an unknown id, as the calls below do. */
    find: async (id: string) => subscriptionIn(await call("GET", pathOf(id))),
    create: async (body: unknown) => (await call("POST", "/v1/subscriptions", { body })).json as Created,
    change: async (id: string, body: unknown) => subscriptionIn(await call("PATCH", pathOf(id), { body })),
    remove: async (id: string) => void await call("DELETE", pathOf(id)),
    test: async (id: string, type: DeliveryType) =>
      (await call("POST", `${pathOf(id)}/test`, { body: { type } })).json as TestResult,
    send: async (id: string) => void await call("POST", `${pathOf(id)}/send`),
    replay: async (id: string, body: unknown) =>
      (await call("POST", `${pathOf(id)}/replay`, { body })).json as ReplayReport,
    rotate: async (id: string) => (await call("POST", `${pathOf(id)}/rotate-secret`)).json as Rotated,
    async deliveries(
      subscription: string,
      query: { status?: string; before?: string; limit: number },
    ): Promise<DeliveryPage> {
      const answer = await call("GET", "/v1/deliveries", { query: { subscription, ...query } });
      const { deliveries } = answer.json as z.infer<typeof deliveryList>;
      return { deliveries, before: answer.next?.["before"] ?? null };
    },
    async delivery(id: string): Promise<DeliveryWithAttempts> {
      return ((await call("GET", deliveryPath(id))).json as z.infer<typeof deliveryResponse>).delivery;
    },
    replayDelivery: async (id: string) => void await call("POST", `${deliveryPath(id)}/replay`),
    sendDelivery: async (id: string) => void await call("POST", `${deliveryPath(id)}/send`),
    /** Returns the events with these ids, by id. Unknown ones are left out. */
    async events(ids: readonly string[]): Promise<Map<string, RegEvent>> {
      const events = new Map<string, RegEvent>();
      for (const id of new Set(ids)) {
        try {
          const { json } = await call("GET", `/v1/events/${id}`);
          events.set(id, (json as { event: RegEvent }).event);
        } catch (error) {
          if (!(error instanceof AppError && error.code === "not_found")) throw error;
        }
      }
      return events;
    },
    listEvents: (query: NonNullable<ApiRequestOptions["query"]>) => call("GET", "/v1/events", { query }),
    usage: async () => (await call("GET", "/v1/usage")).json as UsageReport,
  };
}
