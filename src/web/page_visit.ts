// One request for a page: its language, session and input, the checks before its handler, and the response.
import { Buffer } from "node:buffer";
import { AppError } from "../domain/error_codes.ts";
import type { FormState } from "../domain/ports/store/sessions.ts";
import type { Clock, Random } from "../domain/ports/ports.ts";
import type { FoundPage, Visit } from "../http/page_visit.ts";
import { receiveBody } from "../http/request_body.ts";
import { parametersOf, pathOf, type SentParameter } from "../http/request_url.ts";
import { CSRF_FIELD, FORM_ID_FIELD, hiddenField, postForm, RESUME_FIELD } from "./components/form.ts";
import { given, NOTHING_GIVEN } from "./given.ts";
import { errorPage } from "./layout/error_page.ts";
import { type Frame } from "./layout/document.ts";
import { markup } from "./html.ts";
import { continuingPage, documentResponse, fileResponse, redirectResponse } from "./page_responses.ts";
import type {
  CustomerCall,
  FormSecrets,
  OperatorCall,
  PageCall,
  PageContent,
  PageResult,
  PageRoute,
} from "./page_route.ts";
import {
  CLEAR_TOAST,
  LANGUAGE_COOKIE,
  readCookies,
  readToastCookie,
  type SessionCookie,
  TOAST_COOKIE,
} from "./session/cookies.ts";
import { csrfTokenOf, formOriginOf, isCsrfToken } from "./session/csrf.ts";
import { localPath } from "./session/local_path.ts";
import type { PageForms, PageSession, PageSessions } from "./session/page_sessions.ts";
import { TypedValues } from "./session/typed_values.ts";
import { formatFor } from "./texts/format.ts";
import { chooseLanguage, type Language, TEXTS, type Texts } from "./texts/texts.ts";

export interface PageVisitOptions {
  clock: Clock;
  random: Random;
  publicUrl: string;
  sessions: PageSessions;
  forms: PageForms;
  sessionCookie: SessionCookie;
  hasStatus(isSignedIn: boolean): boolean;
  /**
   * Returns the sign-in page that a form leads to if its session has ended. `typed` of the call has the form's fields,
   * to be sent to `action` with {@link RESUME_FIELD} after the sign-in. If absent, the fields are lost.
   */
  signInAgain?(call: PageCall, action: string): Promise<PageContent> | PageContent;
  /** The results of the forms that are being processed, by session and form. */
  inFlight: Map<string, Promise<PageResult>>;
}

const FORM_ID = /^[\w-]{22}$/;
const FORM_ID_BYTES = 16;
/** No page has more fields, and each of them may be sent back as hidden input. */
const MAX_FIELDS = 1_000;
/** The fields that the page server reads itself. */
const OWN_FIELDS: readonly string[] = [CSRF_FIELD, FORM_ID_FIELD, RESUME_FIELD];

export class PageVisit {
  readonly #cookies: ReadonlyMap<string, string>;
  readonly #language: Language;
  readonly #token: string | undefined;
  #session: PageSession | null = null;

  constructor(private readonly visit: Visit, private readonly options: PageVisitOptions) {
    const { headers } = visit.request;
    this.#cookies = readCookies(headers.get("cookie"));
    this.#language = chooseLanguage(this.#cookies.get(LANGUAGE_COOKIE), headers.get("accept-language"));
    this.#token = this.#cookies.get(options.sessionCookie.name) || undefined;
  }

  of(route: PageRoute, params: Record<string, string>): FoundPage {
    return this.#found(route.path, () => this.#respond(route, params));
  }

  unknown(): FoundPage {
    return this.#found(null, () => Promise.reject(new AppError("not_found", "This page does not exist.")));
  }

  /** Leads to the page of a form whose own address was opened, for example by the language switch. */
  leadingTo(path: string, to: string): FoundPage {
    return this.#found(path, () => Promise.resolve(this.#render({ kind: "redirect", to })));
  }

  refusing(path: string, allow: string): FoundPage {
    const error = new AppError("method_not_allowed", `${path} supports ${allow}.`);
    return this.#found(path, () => Promise.reject(error), { allow });
  }

  #found(
    path: string | null,
    respond: () => Promise<Response>,
    headers: Record<string, string> = {},
  ): FoundPage {
    return {
      path,
      respond: async () => {
        await this.#findSession();
        return await respond();
      },
      fail: (error) => acceptsPage(this.visit.request) ? this.#fail(error, headers) : null,
      errorHeaders: headers,
    };
  }

  async #findSession(): Promise<void> {
    const { visit: { ipAddress, request }, options: { sessions } } = this;
    const userAgent = request.headers.get("user-agent") ?? "";
    this.#session = this.#token === undefined
      ? null
      : await sessions.find(this.#token, { ipAddress, userAgent });
    if (this.#session === null) this.visit.countAnonymous();
  }

  async #respond(route: PageRoute, params: Record<string, string>): Promise<Response> {
    const call = this.#callOf(route, params);
    const refusal = this.#refuseAccess(route);
    if (refusal !== null) return this.#render(await this.#keepForm(route, call) ?? refusal);
    if (route.method === "GET") return this.#render(await run(route, call));
    return this.#render(await this.#send(route, call));
  }

  /** Returns what a visitor gets who may not see the page, or null. Throws `not_found` if it is another kind of viewer's. */
  #refuseAccess({ access, method }: PageRoute): PageResult | null {
    const viewer = this.#session?.session.viewer.kind ?? null;
    if (access === "public" || viewer === access || (access === "viewer" && viewer !== null)) return null;
    if (viewer !== null) throw new AppError("not_found", "This page does not exist.");
    const { request, address } = this.visit;
    // Browsers do not send a strict cookie with a link from another site.
    const mayHaveCookie = this.#token === undefined && request.headers.get("sec-fetch-site") === "cross-site";
    if (method === "GET" && mayHaveCookie) return continuingPage(address, this.#texts);
    const returnTo = method === "GET" ? address : pathOf(address);
    return { kind: "redirect", to: `/sign-in?return_to=${encodeURIComponent(returnTo)}` };
  }

  /** Returns the sign-in page for a form of an ended session, or null if the request is none. */
  async #keepForm({ method, maxFormBytes }: PageRoute, call: PageCall): Promise<PageContent | null> {
    const { visit: { request, address }, options: { publicUrl, signInAgain } } = this;
    if (method !== "POST" || signInAgain === undefined) return null;
    if (formOriginOf(request.headers, publicUrl) !== "own") return null;
    const { fields } = await this.#readForm(maxFormBytes);
    return await signInAgain({ ...call, typed: new TypedValues(fields) }, pathOf(address));
  }

  /** Reads the fields of a form, apart from those of the page server. */
  async #readForm(
    maxBytes: number | undefined,
  ): Promise<{ fields: SentParameter[]; own(name: string): string }> {
    const bytes = await receiveBody(this.visit.request, this.options.clock, {
      type: "application/x-www-form-urlencoded",
      maxBytes,
    });
    const sent = parametersOf(`?${new TextDecoder().decode(bytes)}`);
    if (sent.length > MAX_FIELDS) {
      throw new AppError("body_too_large", `A form may have at most ${MAX_FIELDS} fields.`);
    }
    return {
      fields: sent.filter(({ name }) => !OWN_FIELDS.includes(name)),
      own: (name) => sent.find((one) => one.name === name)?.value ?? "",
    };
  }

  /** Processes a form: only from this site, with the session's token, and only once. */
  async #send(route: PageRoute, call: PageCall): Promise<PageResult> {
    const { visit: { request }, options: { publicUrl } } = this;
    const origin = formOriginOf(request.headers, publicUrl);
    if (origin === "other" && route.anyOrigin !== true) return this.#errorPage(403);
    const { fields, own } = await this.#readForm(route.maxFormBytes);
    const form = given(fields, route.form, { hasLines: true });
    const filled = { ...call, typed: new TypedValues(fields), form };
    if (this.#session === null || this.#token === undefined) return await this.#act(route, filled);
    const isCurrent = isCsrfToken(own(CSRF_FIELD), this.#token) && FORM_ID.test(own(FORM_ID_FIELD));
    // A form of an ended session is shown again with its input. Without proof that it is from this site, it is refused.
    if (!isCurrent && origin !== "own") return this.#errorPage(403);
    if (!isCurrent || own(RESUME_FIELD) !== "") return await this.#showAgain(route, filled);
    if (form.errors.length > 0) return await run(route, filled);
    return await this.#once(own(FORM_ID_FIELD), this.#session, () => this.#act(route, filled));
  }

  async #showAgain(route: PageRoute, call: PageCall): Promise<PageResult> {
    const message = this.#texts.common.form.checkAgain;
    if (route.access !== "public" && !showsForm(route)) return this.#askAgain(call, message);
    const result = await run(route, {
      ...call,
      form: { ...call.form, value: null, errors: [{ field: "", message }] },
    });
    return result.kind === "page" ? { ...result, status: 403 } : result;
  }

  /** Shows a button that sends a form of hidden fields again, with the current token. */
  #askAgain({ typed, address }: PageCall, message: string): PageContent {
    const form = postForm({ hidden: this.#hidden }, {
      action: pathOf(address),
      fields: typed.entries().map(([name, value]) => hiddenField(name, value)),
      submit: this.#texts.common.actions.continue,
    });
    return {
      ...this.#errorPage(403),
      title: message,
      body: markup`<div class="narrow"><h1>${message}</h1>${form}</div>`,
    };
  }

  /** Runs the handler. If it refuses the input, runs it again with the errors, if it shows the form with them. */
  async #act(route: PageRoute, call: PageCall): Promise<PageResult> {
    try {
      return await run(route, call);
    } catch (error) {
      if (!showsForm(route)) throw error;
      if (!(error instanceof AppError) || error.status === 404 || error.status >= 500) throw error;
      const errors = error.fields.length > 0 ? error.fields : [{ field: "", message: error.detail }];
      const result = await run(route, { ...call, form: { ...call.form, value: null, errors } });
      return result.kind === "page" ? { ...result, status: error.status } : result;
    }
  }

  /** Acts unless the form was already sent. A form that is sent again at the same time gets the result of the first. */
  async #once(formId: string, { session }: PageSession, act: () => Promise<PageResult>): Promise<PageResult> {
    const { forms, clock, inFlight } = this.options;
    const sent = { sessionId: session.id, formId };
    const flight = `${session.id} ${formId}`;
    const running = inFlight.get(flight);
    if (running !== undefined) return await running;
    const work = async (): Promise<PageResult> => {
      const state = await forms.beginForm(sent, clock.nowMs());
      if (state.kind !== "new") return this.#repeated(state);
      let isDone = false;
      try {
        const result = await act();
        isDone = result.kind !== "page" || (result.status ?? 200) < 400;
        const location = result.kind === "redirect"
          ? result.to
          : result.kind === "page"
          ? result.continueAt ?? null
          : null;
        if (isDone) await forms.finishForm(sent, { kind: "done", location });
        return result;
      } finally {
        if (!isDone) await forms.finishForm(sent, { kind: "refused" });
      }
    };
    const result = work().finally(() => inFlight.delete(flight));
    inFlight.set(flight, result);
    return await result;
  }

  #repeated(state: Exclude<FormState, { kind: "new" }>): PageResult {
    const { alreadySent, interrupted } = this.#texts.common.form;
    if (state.kind === "finished" && state.location !== null) {
      return { kind: "redirect", to: state.location, toast: { text: alreadySent, tone: "good" } };
    }
    const message = state.kind === "finished" ? alreadySent : interrupted;
    return {
      ...this.#errorPage(409),
      title: message,
      body: markup`<div class="narrow"><h1>${message}</h1></div>`,
    };
  }

  #callOf(route: PageRoute, params: Record<string, string>): PageCall {
    const { visit: { request, address, ipAddress, requestId }, options: { clock } } = this;
    const sent = parametersOf(address);
    return {
      params,
      query: given(sent, route.query),
      form: NOTHING_GIVEN,
      typed: new TypedValues(sent),
      address,
      headers: request.headers,
      ipAddress,
      requestId,
      nowMs: clock.nowMs(),
      language: this.#language,
      texts: this.#texts,
      format: formatFor(this.#language),
      session: this.#session,
      hidden: this.#hidden,
    };
  }

  get #texts(): Texts {
    return TEXTS[this.#language];
  }

  get #hidden(): FormSecrets {
    const { random } = this.options;
    return {
      csrf: this.#session === null || this.#token === undefined ? null : csrfTokenOf(this.#token),
      newFormId: () => Buffer.from(random.bytes(FORM_ID_BYTES)).toString("base64url"),
    };
  }

  #render(result: PageResult, headers: Record<string, string> = {}): Response {
    const { request, requestId, address } = this.visit;
    const toast = readToastCookie(this.#cookies.get(TOAST_COOKIE));
    const isPublic = this.#session === null && toast === null && request.method !== "POST" &&
      (result.kind !== "page" || result.cookies === undefined);
    const context = { request, requestId, isPrivate: !isPublic };
    if (result.kind === "redirect") return redirectResponse(result, context);
    if (result.kind === "file") return fileResponse(result, context);
    const cookies = [...result.cookies ?? [], ...(toast === null ? [] : [CLEAR_TOAST])];
    const frame: Frame = {
      language: this.#language,
      texts: this.#texts,
      session: this.#session,
      hidden: this.#hidden,
      returnTo: localPath(request.method === "POST" ? pathOf(address) : address),
      toast,
      hasStatus: this.options.hasStatus(this.#session !== null),
    };
    return documentResponse({ ...result, cookies }, frame, context, headers);
  }

  #errorPage(status: number): PageContent {
    const { visit: { requestId }, options } = this;
    const viewer = this.#session?.session.viewer.kind ?? null;
    return errorPage(
      { status, requestId, viewer, hasStatus: options.hasStatus(viewer !== null) },
      this.#texts,
    );
  }

  #fail(error: AppError, headers: Record<string, string>): Response {
    const seconds = error.retryInSeconds;
    const retry = seconds === null ? {} : { "retry-after": String(seconds) };
    return this.#render(this.#errorPage(error.status), { ...headers, ...retry });
  }
}

/** Whether the client is a browser that opens a page. Programs get errors as JSON. */
export function acceptsPage({ headers }: Request): boolean {
  return /\btext\/html\b/.test(headers.get("accept") ?? "");
}

function showsForm(route: PageRoute): boolean {
  return route.form !== undefined || route.showsForm === true;
}

/** Runs a handler, whose access has been checked. */
async function run(route: PageRoute, call: PageCall): Promise<PageResult> {
  const { session } = call;
  const viewer = session?.session.viewer;
  const whole = {
    ...call,
    customer: session?.customer,
    operator: viewer?.kind === "operator" ? viewer.name : undefined,
  };
  return await route.handle(whole as CustomerCall & OperatorCall);
}
