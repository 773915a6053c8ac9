// /sign-in/oidc: leads to the issuer, and /sign-in/oidc/callback signs the operator in.
import { Buffer } from "node:buffer";
import * as z from "zod";
import { markup } from "../html.ts";
import { continuingPage } from "../page_responses.ts";
import { type PageCall, type PageContent, type PageRoute, publicPage } from "../page_route.ts";
import { readCookies } from "../session/cookies.ts";
import { askedPath, destinationOf } from "./destination.ts";
import type { Oidc, OidcAttempt, OidcFault } from "./sign_in_port.ts";
import { clientOf, endFormer, type SignInOptions } from "./sign_in_pages.ts";

/** How long a sign-in at the issuer may take, s. */
const ATTEMPT_S = 600;

const ATTEMPT = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
});

export function oidcRoutes(
  { sessions, limit, sessionCookie, oidc, publicUrl }: SignInOptions & { oidc: Oidc; publicUrl: string },
): PageRoute[] {
  const cookie = attemptCookieFor(publicUrl);
  return [
    publicPage({
      method: "GET",
      path: "/sign-in/oidc",
      async handle(call) {
        const begun = await oidc.begin(askedPath(call.typed.get("return_to")));
        if ("fault" in begun) return failedPage(call, begun.fault);
        return { kind: "redirect", to: begun.url, isExternal: true, cookies: [cookie.set(begun.attempt)] };
      },
    }),
    publicPage({
      method: "GET",
      path: "/sign-in/oidc/callback",
      async handle(call) {
        const { ipAddress } = call;
        if (limit.isReached(ipAddress)) return failedPage(call, "limited");
        const attempt = cookie.read(call.headers);
        const outcome = attempt === null
          ? { fault: "state" as const }
          : await oidc.finish(call.address, attempt);
        const started = "fault" in outcome
          ? null
          : await sessions.start({ kind: "operator", name: outcome.operator }, {
            method: "oidc",
            client: clientOf(call),
          });
        if ("fault" in outcome || started === null) {
          limit.countFailure(ipAddress);
          return {
            ...failedPage(call, "fault" in outcome ? outcome.fault : "token"),
            cookies: [cookie.clear()],
          };
        }
        await endFormer(call, sessions);
        // A redirect would still belong to the issuer's navigation, for which browsers send no strict cookie.
        return {
          ...continuingPage(destinationOf(started.viewer, attempt?.returnTo), call.texts),
          cookies: [sessionCookie.set(started.token), cookie.clear()],
        };
      },
    }),
  ];
}

function failedPage({ texts }: PageCall, fault: OidcFault | "limited"): PageContent {
  const { failedTitle, faults } = texts.signIn.oidc;
  const text = fault === "limited" ? texts.signIn.problems.limited : faults[fault];
  const status = fault === "unreachable" ? 502 : fault === "limited" ? 429 : 403;
  const body = markup`<div class="narrow sign-in"><h1>${failedTitle}</h1><p>${text}</p>
<p class="buttons"><a class="button primary" href="/sign-in">${texts.signIn.link.again}</a></p></div>`;
  return { kind: "page", status, title: failedTitle, section: "sign_in", body };
}

/** The cookie of a sign-in in progress. It is lax, because the issuer's redirect must carry it. */
function attemptCookieFor(publicUrl: string) {
  const isSecure = publicUrl.startsWith("https:");
  const name = isSecure ? "__Host-regfeed-oidc" : "regfeed-oidc";
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  return {
    set: (attempt: OidcAttempt) =>
      `${name}=${
        Buffer.from(JSON.stringify(attempt)).toString("base64url")
      }; ${attributes}; Max-Age=${ATTEMPT_S}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
    read(headers: Headers): OidcAttempt | null {
      const value = readCookies(headers.get("cookie")).get(name) ?? "";
      try {
        return ATTEMPT.parse(JSON.parse(Buffer.from(value, "base64url").toString()));
      } catch {
        return null; // absent, or not written by this service
      }
    },
  };
}
