// /sign-in: with an API key, by email, or with OpenID Connect; and /sign-out.
import { isMailAddress } from "../../domain/customer/mail.ts";
import type { Client } from "../../domain/customer/session.ts";
import type { Log } from "../../domain/ports/ports.ts";
import { hiddenField, postForm, RESUME_FIELD } from "../components/form.ts";
import { fieldsOf } from "../components/fields.ts";
import { notice } from "../components/notice.ts";
import { type Html, markup, type Part } from "../html.ts";
import { type PageCall, type PageContent, type PageRoute, publicPage, redirect } from "../page_route.ts";
import { readCookies, type SessionCookie } from "../session/cookies.ts";
import { localPath } from "../session/local_path.ts";
import { TypedValues } from "../session/typed_values.ts";
import { askedPath, destinationOf } from "./destination.ts";
import type { Oidc, SignIn, SignInSessions, Started } from "./sign_in_port.ts";
import type { SignInLimit } from "./sign_in_limit.ts";

export interface SignInOptions {
  signIn: SignIn;
  sessions: SignInSessions;
  limit: SignInLimit;
  sessionCookie: SessionCookie;
  /** Null if the config has no `[console.oidc]`. */
  oidc: Pick<Oidc, "name"> | null;
  log: Pick<Log, "info" | "warn">;
}

const RETURN_FIELD = "return_to";
/** Password managers store the key under this name. */
const USER_NAME = markup`<input type="text" name="username" value="API key" autocomplete="username" hidden>`;
/** The action of a form whose session ended, and the beginning of the names of its fields. */
const KEPT_ACTION = "kept_action";
const KEPT = "kept.";

export function clientOf({ headers, ipAddress }: Pick<PageCall, "headers" | "ipAddress">): Client {
  return { ipAddress, userAgent: headers.get("user-agent") ?? "" };
}

export function signInRoutes(options: SignInOptions): PageRoute[] {
  const { signIn, sessions, limit, sessionCookie, log } = options;
  return [
    publicPage({
      method: "GET",
      path: "/sign-in",
      handle(call) {
        if (call.session !== null) {
          return redirect(destinationOf(call.session.session.viewer, call.typed.get(RETURN_FIELD)));
        }
        return signInPage(call, options);
      },
    }),
    publicPage({
      method: "POST",
      path: "/sign-in",
      async handle(call) {
        const { ipAddress } = call;
        if (limit.isReached(ipAddress)) return signInPage(call, options, { problem: "limited" });
        const outcome = await signIn.withKey(call.typed.get("key").trim(), clientOf(call));
        if ("refused" in outcome) {
          limit.countFailure(ipAddress);
          log.info("sign-in refused", { method: "key", reason: outcome.refused, address: ipAddress });
          return signInPage(call, options, { problem: outcome.refused });
        }
        await endFormer(call, sessions);
        return arrive(call, outcome, sessionCookie);
      },
    }),
    publicPage({
      method: "POST",
      path: "/sign-in/email",
      handle(call) {
        const { ipAddress } = call;
        const email = call.typed.get("email").trim();
        if (limit.isReached(ipAddress)) return signInPage(call, options, { problem: "limited" });
        if (!isMailAddress(email)) return signInPage(call, options, { problem: "email" });
        // Every request counts, because this page must not know whether a customer has the address.
        limit.countFailure(ipAddress);
        signIn.requestLink(email, askedPath(call.typed.get(RETURN_FIELD)) || null);
        return linkRequestedPage(call, email);
      },
    }),
    publicPage({
      method: "POST",
      path: "/sign-out",
      async handle({ headers, texts }) {
        const token = readCookies(headers.get("cookie")).get(sessionCookie.name);
        if (token !== undefined) await sessions.end(token);
        return redirect("/", {
          cookies: [sessionCookie.clear()],
          toast: { text: texts.signIn.signedOut, tone: "good" },
        });
      },
    }),
  ];
}

/** The sign-in page for a form of an ended session, which keeps the input. */
export function signInAgain(call: PageCall, action: string, options: SignInOptions): PageContent {
  const kept = call.typed.entries().map(([name, value]) => ({ name: `${KEPT}${name}`, value }));
  const typed = new TypedValues([{ name: KEPT_ACTION, value: action }, ...kept]);
  return signInPage({ ...call, typed }, options, { isAgain: true });
}

/** Ends the session with which someone signs in again. */
export async function endFormer({ session }: PageCall, sessions: SignInSessions): Promise<void> {
  if (session === null) return;
  const { id, viewer } = session.session;
  await sessions.endSome(viewer.kind === "operator" ? { operator: viewer.name } : viewer, { id }, null);
}

/** Leads to the page that was asked for, or shows the form whose session ended again. */
function arrive(
  { typed, texts, hidden }: PageCall,
  { token, viewer }: Started,
  sessionCookie: SessionCookie,
): PageContent | ReturnType<typeof redirect> {
  const cookies = [sessionCookie.set(token)];
  const action = localPath(typed.get(KEPT_ACTION), "");
  if (action === "") return redirect(destinationOf(viewer, typed.get(RETURN_FIELD)), { cookies });
  const fields = typed.entries().filter(([name]) => name.startsWith(KEPT))
    .map(([name, value]) => hiddenField(name.slice(KEPT.length), value));
  const { resumeTitle, resumeText } = texts.signIn;
  const form = postForm({ hidden: { ...hidden, csrf: null } }, {
    action,
    fields: [fields, hiddenField(RESUME_FIELD, "1")],
    submit: texts.common.actions.continue,
  });
  const body = markup`<div class="narrow sign-in"><h1>${resumeTitle}</h1><p>${resumeText}</p>${form}</div>`;
  return { kind: "page", title: resumeTitle, section: "sign_in", body, cookies };
}

type Problem = "unknown" | "replaced" | "unpaid" | "disabled" | "limited" | "email";

function signInPage(
  call: PageCall,
  { oidc }: Pick<SignInOptions, "oidc">,
  { problem, isAgain = false }: { problem?: Problem; isAgain?: boolean } = {},
): PageContent {
  const { texts, typed, hidden } = call;
  const words = texts.signIn;
  const returnTo = askedPath(typed.get(RETURN_FIELD));
  const kept = typed.entries().filter(([name]) => name === KEPT_ACTION || name.startsWith(KEPT));
  const carried = [
    returnTo === "" ? null : hiddenField(RETURN_FIELD, returnTo),
    kept.map(([name, value]) => hiddenField(name, value)),
  ];
  const message = problem === undefined ? null : words.problems[problem];
  const wrong = problem === undefined || problem === "limited" ? null : problem === "email" ? "email" : "key";
  const errors = wrong === null || message === null ? [] : [{ field: wrong, message }];
  const fields = fieldsOf({
    ...call,
    typed: isAgain ? new TypedValues() : typed,
    errors,
    errorsIn: call.language,
  });
  // Signed out, so the form needs no token: browsers state where it comes from.
  const secrets = { hidden: { ...hidden, csrf: null } };
  const keyForm = postForm(secrets, {
    action: "/sign-in",
    fields: [
      USER_NAME,
      fields.text("key", words.key.label, {
        type: "password",
        hint: words.key.hint,
        autocomplete: "current-password",
        isCode: true,
        isRequired: true,
      }),
      carried,
    ],
    submit: words.key.submit,
  });
  const emailForm = postForm(secrets, {
    action: "/sign-in/email",
    fields: [
      fields.text("email", words.email.label, {
        type: "email",
        hint: words.email.hint,
        autocomplete: "email",
        isRequired: true,
      }),
      // The link opens in another tab, where the input cannot be kept.
      returnTo === "" ? null : hiddenField(RETURN_FIELD, returnTo),
    ],
    submit: words.email.submit,
    tone: "plain",
  });
  const body = markup`<div class="narrow sign-in"><h1>${words.title}</h1>
${isAgain ? notice(words.again) : null}${
    message === null ? null : markup`<div class="notice bad" role="alert"><p>${message}</p></div>`
  }
${section(words.key.title, keyForm)}
${section(words.email.title, emailForm)}
${oidc === null ? null : section(words.oidc.title, oidcButton(oidc, returnTo, words.oidc))}
<p class="hint">${words.operatorHint} <code>regfeed console link</code></p></div>`;
  return {
    kind: "page",
    status: problem === undefined ? (isAgain ? 401 : 200) : problem === "limited" ? 429 : 400,
    title: words.title,
    section: "sign_in",
    body,
  };
}

function section(title: string, content: Part): Html {
  return markup`<section><h2>${title}</h2>${content}</section>`;
}

function oidcButton(
  { name }: Pick<Oidc, "name">,
  returnTo: string,
  words: { text: string; submit(name: string): string; submitUnnamed: string },
): Html {
  const query = returnTo === "" ? "" : `?${RETURN_FIELD}=${encodeURIComponent(returnTo)}`;
  const label = name === null ? words.submitUnnamed : words.submit(name);
  return markup`<p>${words.text}</p><p class="buttons"><a class="button plain" href="/sign-in/oidc${query}">${label}</a></p>`;
}

/** The same for every email address. */
function linkRequestedPage({ texts }: PageCall, email: string): PageContent {
  const { title, text, next } = texts.signIn.requested;
  const body = markup`<div class="narrow sign-in"><h1>${title}</h1><p>${text(email)}</p><p>${next}</p>
<p><a href="/sign-in">${texts.common.actions.back}</a></p></div>`;
  return { kind: "page", title, section: "sign_in", body };
}
