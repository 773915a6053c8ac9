// The HTTP responses of pages: documents, redirects and files, with the headers that protect them.
import { Body } from "../http/response_cache.ts";
import { contentResponse, knownContent } from "../http/responses.ts";
import { type Frame, renderDocument } from "./layout/document.ts";
import { markup } from "./html.ts";
import type { FileContent, PageContent, Redirect } from "./page_route.ts";
import { setToastCookie } from "./session/cookies.ts";
import { localPath } from "./session/local_path.ts";
import type { Texts } from "./texts/texts.ts";

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

interface ResponseContext {
  request: Request;
  requestId: string;
  /** Whether the response is for one session only, so that it must not be stored. */
  isPrivate: boolean;
}

export function documentResponse(
  content: Omit<PageContent, "kind">,
  frame: Frame,
  context: ResponseContext,
  headers: Record<string, string> = {},
): Response {
  const html = renderDocument(content, frame);
  const { status = 200, cookies = [] } = content;
  return contentWithCookies(context, {
    status,
    content: html,
    contentType: "text/html; charset=utf-8",
    headers: { ...cachingOf(context, status), "content-language": frame.language, ...headers },
  }, cookies);
}

export function fileResponse(
  { content, contentType, headers = {} }: FileContent,
  context: ResponseContext,
): Response {
  const all = { ...cachingOf(context, 200), ...headers };
  return contentWithCookies(context, { status: 200, content, contentType, headers: all }, []);
}

export function redirectResponse(
  { to, toast, isExternal, cookies = [] }: Redirect,
  context: ResponseContext,
): Response {
  const response = new Response(null, {
    status: 303,
    headers: {
      ...protection(context),
      location: isExternal === true ? to : localPath(to),
      "cache-control": "no-store",
    },
  });
  const toasts = toast === undefined ? [] : [setToastCookie(toast)];
  for (const cookie of [...cookies, ...toasts]) response.headers.append("set-cookie", cookie);
  return response;
}

/** A page that opens an address again, this time from this site, so that the browser sends the session's cookie. */
export function continuingPage(address: string, texts: Texts): PageContent {
  const { title, text } = texts.common.continuing;
  const here = localPath(address);
  return {
    kind: "page",
    title,
    head: markup`<meta http-equiv="refresh" content="0;url=${here}">`,
    body: markup`<h1>${title}</h1><p>${text} <a href="${here}">${texts.common.actions.continue}</a></p>`,
  };
}

function contentWithCookies(
  context: ResponseContext,
  { content, ...rest }: {
    status: number;
    content: string;
    contentType: string;
    headers: Record<string, string>;
  },
  cookies: readonly string[],
): Response {
  const { request } = context;
  const whole = { ...rest, body: new Body(content), headers: { ...protection(context), ...rest.headers } };
  // A response that sets a cookie is sent whole.
  const response = contentResponse(request, whole, cookies.length > 0 ? null : knownContent(request, whole));
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}

function protection({ requestId }: ResponseContext): Record<string, string> {
  return {
    "x-request-id": requestId,
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
  };
}

function cachingOf({ isPrivate }: ResponseContext, status: number): Record<string, string> {
  const isStored = !isPrivate && status === 200;
  return {
    "cache-control": isStored ? "private, no-cache" : "private, no-store",
    vary: "Accept-Encoding, Accept-Language, Cookie",
  };
}
