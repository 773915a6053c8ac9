// Formats the reasons of a classification.
import type { Reason } from "../../domain/event/explanation.ts";
import { formatFields } from "../wrap_text.ts";

export function formatReasons(
  reasons: readonly Reason[],
  layout: { width: number; indent: number },
): string {
  return formatFields(
    reasons.map(({ field, value, why, words }) => {
      const evidence = words.length === 0 ? "" : ` [${words.join(" · ")}]`;
      return [field, `${value}: ${why}${evidence}`];
    }),
    layout,
  );
}
