// Why an event has its values: the form in which the classification explains itself.
import type { RegEvent } from "./event.ts";

export interface Reason {
  /** The field of the event record, or `relevant`. */
  field: "relevant" | "language" | "event_type" | "topics" | "severity" | "ai_act_articles";
  value: string;
  /** In English. */
  why: string;
  /** The evidence, such as words, articles or parts of the URL. */
  words: string[];
}

/** The reasons for an event's values by the current rules. Stored values do not change when the rules do. */
export interface Explanation {
  stored_rules_version: string;
  rules_version: string;
  same_rules: boolean;
  /** The values by the current rules. */
  today:
    & { relevant: boolean }
    & Pick<RegEvent, "event_type" | "topics" | "severity" | "ai_act_articles" | "language">;
  reasons: Reason[];
}
