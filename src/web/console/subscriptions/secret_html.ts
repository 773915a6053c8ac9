// A webhook secret, which is shown only once.
import { copyable } from "../../components/copy.ts";
import { notice } from "../../components/notice.ts";
import { type Html, markup, type Part } from "../../html.ts";
import type { CustomerCall } from "../../page_route.ts";
import { subscriptionUrl } from "./subscription_view.ts";

/** `overlap` says until when an old secret signs. */
export function renderSecret(
  { texts }: CustomerCall,
  { id, secret, title, overlap = null }: { id: string; secret: string; title: string; overlap?: Part },
): Html {
  const text = texts.subscriptions;
  return markup`<div class="narrow"><h1>${title}</h1>
${notice(text.secret.once, "warn")}
<h2>${text.secret.title}</h2>
${copyable(texts, "secret", secret)}
${overlap === null ? null : markup`<p>${overlap}</p>`}
<p>${text.secret.next} <a href="/docs/webhooks">${text.guide}</a></p>
<p class="buttons"><a class="button primary" href="${subscriptionUrl(id)}">${text.secret.open}</a></p></div>`;
}
