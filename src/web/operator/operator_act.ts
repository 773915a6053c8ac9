// Runs an act of the operator, and says what it did or why it was refused.
import type { Act } from "../../domain/customer/audit.ts";
import { Refusal } from "../../domain/operator/refusal.ts";
import { type OperatorCall, type PageResult, redirect } from "../page_route.ts";
import type { Texts } from "../texts/texts.ts";

/** Who acts, and from where, for the audit log. */
export function actOf({ operator, ipAddress, nowMs }: OperatorCall): Act {
  return { actor: `console:${operator}`, address: ipAddress, atMs: nowMs };
}

/** Runs an act and returns to a page, with a message about the outcome. */
export async function actThen(
  call: OperatorCall,
  { to, work }: { to: string; work(by: Act): Promise<string> },
): Promise<PageResult> {
  try {
    return redirect(to, { toast: { text: await work(actOf(call)), tone: "good" } });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return redirect(to, { toast: { text: refusalText(call.texts, error), tone: "bad" } });
  }
}

/** Describes a refusal in the language of the page. */
export function refusalText({ operator }: Texts, { code, facts }: Refusal): string {
  return operator.refusals[code].replace(/\{(\w+)\}/g, (_, name: string) => facts[name] ?? "");
}
