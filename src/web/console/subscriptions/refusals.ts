// Why the API refuses an act, in the language of the page.
import type { AppError } from "../../../domain/error_codes.ts";
import { markup, type Part } from "../../html.ts";
import type { Texts } from "../../texts/texts.ts";
import { subscriptionUrl } from "./subscription_view.ts";

type RefusalCode = keyof Texts["subscriptions"]["refusals"];

/** Returns what to tell the customer, or null if the error is about a field or is unexpected. */
export function refusalText({ code, extension }: AppError, { subscriptions }: Texts): Part {
  const { refusals, openOther } = subscriptions;
  if (!Object.hasOwn(refusals, code)) return null;
  const text = refusals[code as RefusalCode];
  const { subscription_id: other } = extension;
  return other === undefined ? text : markup`${text} <a href="${subscriptionUrl(other)}">${openOther}</a>`;
}
