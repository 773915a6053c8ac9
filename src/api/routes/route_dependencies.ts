// The dependencies and settings of the routes.
import type * as z from "zod";
import type { Customer } from "../../domain/customer/customer.ts";
import type { Tier, TierLimits } from "../../domain/customer/tier.ts";
import type { Subscription } from "../../domain/delivery/subscription.ts";
import type { NewId } from "../../domain/event/ids.ts";
import type { Topic } from "../../domain/event/topic.ts";
import type { Clock, Random } from "../../domain/ports/ports.ts";
import type { Replayed } from "../../domain/ports/store/deliveries.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import type { DeliveryType } from "../../wire/delivery.ts";
import type { HealthReport } from "../../wire/health_sources_topics.ts";
import type { testResponse } from "../../wire/subscription.ts";

export interface RouteOptions {
  store: Store;
  clock: Clock;
  random: Random;
  newId: NewId;
  /** The public URL without a trailing slash. */
  publicUrl: string;
  sources: readonly SourceSettings[];
  topics: readonly Topic[];
  languages: readonly string[];
  tiers: Record<Tier, TierLimits>;
  limitsOf(customer: Customer): TierLimits;
  /** Whether a source with this id is or has been configured. */
  isSource(id: string): Promise<boolean>;
  health(): Promise<HealthReport>;
  /** Returns why deliveries to this URL are not allowed, or null if they are allowed. */
  whyRefused(url: string): Promise<string | null>;
  /** Sends a test delivery. Throws `test_limit_reached` or `unavailable` if a limit on test calls has been reached. */
  sendTest(
    subscription: Subscription,
    call: { type: DeliveryType; callsPerDay: number },
  ): Promise<Omit<z.infer<typeof testResponse>, "disclaimer">>;
  /** Replays a period. If it stops early, `lastEventId` is the last processed event. Throws `replay_limit_reached`. */
  replay(
    target: { customerId: string; subscriptionId: string; replaysPerDay: number },
    range: { sinceMs: number; untilMs: number | null; afterId: string | null },
  ): Promise<Replayed | "unknown" | "disabled">;
}
