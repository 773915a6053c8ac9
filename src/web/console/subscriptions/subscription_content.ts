// What the pages of a subscription and of a delivery show.
import type { FieldError } from "../../../domain/error_codes.ts";
import type { RegEvent } from "../../../domain/event/event.ts";
import type { Part } from "../../html.ts";
import type { CustomerCall } from "../../page_route.ts";
import type { Vocabulary } from "../vocabulary.ts";
import type {
  DeliveryPage,
  DeliveryWithAttempts,
  ReplayReport,
  SubscriptionRecord,
  TestResult,
} from "./subscription_api.ts";

/** What an act on the page had as its result. */
export interface ActResult {
  errors?: readonly FieldError[];
  /** Why the act was refused. */
  problem?: Part;
  tested?: TestResult;
  replayed?: ReplayReport;
}

export interface SubscriptionContent extends ActResult {
  call: CustomerCall;
  vocabulary: Vocabulary;
  record: SubscriptionRecord;
  /** Until when the previous secret signs, Unix ms, or null. */
  previousSecretUntilMs: number | null;
  log: DeliveryPage;
  /** The status that the log is limited to; empty for all. */
  status: string;
  /** What is not valid in the address of the log. */
  logErrors: readonly FieldError[];
  /** Whether this is the first page of the log. */
  isFirstPage: boolean;
  /** The events of the log, by id. */
  events: ReadonlyMap<string, RegEvent>;
}

export interface DeliveryContent {
  call: CustomerCall;
  delivery: DeliveryWithAttempts;
  /** Null if it was deleted. */
  subscription: SubscriptionRecord | null;
  event: RegEvent | null;
  userAgent: string;
  problem: Part;
  errors: readonly FieldError[];
}
