// /sign-in/link/TOKEN: a page with a button that redeems a one-time link, because mail scanners open links.
import { hiddenField, postForm } from "../components/form.ts";
import { markup } from "../html.ts";
import { type PageCall, type PageContent, type PageRoute, publicPage, redirect } from "../page_route.ts";
import { askedPath, destinationOf } from "./destination.ts";
import { clientOf, endFormer, type SignInOptions } from "./sign_in_pages.ts";

export function linkRoutes({ signIn, sessions, limit, sessionCookie, log }: SignInOptions): PageRoute[] {
  const path = "/sign-in/link/{token}";
  return [
    publicPage({
      method: "GET",
      path,
      async handle(call) {
        const token = call.params["token"] ?? "";
        const viewer = await signIn.viewerOf(token);
        if (viewer === null) return invalidLinkPage(call, 404);
        const { title, customer, operator, submit } = call.texts.signIn.link;
        const returnTo = askedPath(call.typed.get("return_to"));
        const form = postForm({ hidden: call.hidden }, {
          action: `/sign-in/link/${token}`,
          fields: returnTo === "" ? null : hiddenField("return_to", returnTo),
          submit,
        });
        const text = viewer.kind === "operator" ? operator(viewer.name) : customer;
        const body = markup`<div class="narrow sign-in"><h1>${title}</h1><p>${text}</p>${form}</div>`;
        return { kind: "page", title, section: "sign_in", body };
      },
    }),
    publicPage({
      method: "POST",
      path,
      async handle(call) {
        const { ipAddress } = call;
        if (limit.isReached(ipAddress)) return invalidLinkPage(call, 429);
        const started = await sessions.redeem(call.params["token"] ?? "", clientOf(call));
        if (started === null) {
          limit.countFailure(ipAddress);
          log.info("sign-in refused", { method: "link", reason: "not valid", address: ipAddress });
          return invalidLinkPage(call, 404);
        }
        await endFormer(call, sessions);
        const destination = destinationOf(started.viewer, call.typed.get("return_to"));
        return redirect(destination, { cookies: [sessionCookie.set(started.token)] });
      },
    }),
  ];
}

function invalidLinkPage({ texts }: PageCall, status: 404 | 429): PageContent {
  const { invalidTitle, invalidText, again } = texts.signIn.link;
  const { limited } = texts.signIn.problems;
  const body = markup`<div class="narrow sign-in"><h1>${invalidTitle}</h1><p>${
    status === 429 ? limited : invalidText
  }</p>
<p class="buttons"><a class="button primary" href="/sign-in">${again}</a></p></div>`;
  return { kind: "page", status, title: invalidTitle, section: "sign_in", body };
}
