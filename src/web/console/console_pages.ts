// The pages of the console besides the feed and the events.
import type { PageRoute } from "../page_route.ts";
import { type KeysOptions, keysPage } from "./account/keys_page.ts";
import { type UsageOptions, usagePage } from "./account/usage_page.ts";
import { type DeliveryOptions, deliveryPages } from "./subscriptions/delivery_page.ts";
import { type FormOptions, formPages } from "./subscriptions/form_pages.ts";
import { listPage } from "./subscriptions/list_page.ts";
import { type SubscriptionOptions, subscriptionPages } from "./subscriptions/subscription_page.ts";

export type ConsoleOptions = FormOptions & SubscriptionOptions & DeliveryOptions & UsageOptions & KeysOptions;

export function consolePages(options: ConsoleOptions): PageRoute[] {
  return [
    listPage(options),
    ...formPages(options),
    ...subscriptionPages(options),
    ...deliveryPages(options),
    usagePage(options),
    keysPage(options),
  ];
}
