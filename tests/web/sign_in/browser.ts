// A browser without scripts: it keeps cookies, follows redirects, and sends forms as they are in the page.
import type { Reply, World } from "../../support/world.ts";

export interface Sent {
  form?: Record<string, string>;
  /** An empty value removes the header. */
  headers?: Record<string, string>;
  /** The IP address of the connection. */
  from?: string;
}

export interface Browser {
  cookies: Map<string, string>;
  /** Requests a path, without following redirects. */
  open(path: string, sent?: Sent): Promise<Reply>;
  /** Opens a path and follows up to three redirects. */
  follow(path: string, sent?: Sent): Promise<Reply>;
  /** Sends the form of a page with this action, with its hidden fields and the given ones. */
  submit(
    page: Reply,
    action: string,
    fields?: Record<string, string>,
    sent?: Omit<Sent, "form">,
  ): Promise<Reply>;
}

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

export const unescape = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (one) => ENTITIES[one] ?? one);

/** Returns the hidden fields of the first form with this action. Fails if there is none. */
export function hiddenFieldsOf({ text }: Reply, action: string): Record<string, string> {
  const form = text.split("<form ").slice(1).find((one) => one.includes(`action="${action}"`));
  if (form === undefined) throw new Error(`no form ${action} in ${text}`);
  const fields =
    form.split("</form>")[0]?.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g) ?? [];
  return Object.fromEntries(
    Array.from(fields, ([, name = "", value = ""]) => [unescape(name), unescape(value)]),
  );
}

export function createBrowser({ app }: World, origin = "http://127.0.0.1:8080"): Browser {
  const cookies = new Map<string, string>();

  const open: Browser["open"] = async (path, { form, headers = {}, from = "192.0.2.7" } = {}) => {
    const sent = {
      accept: "text/html",
      "sec-fetch-site": "same-origin",
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; "),
      ...headers,
    };
    const request = new Request(`${origin}${path}`, {
      method: form === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: Object.entries(sent).filter(([, value]) => value !== ""),
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    const response = await app.fetch(request, from);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/; Max-Age=0/.test(cookie)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return { status: response.status, headers: response.headers, text: await response.text(), json: null };
  };

  const follow: Browser["follow"] = async (path, sent) => {
    let reply = await open(path, sent);
    for (let count = 0; count < 3; count++) {
      const location = reply.headers.get("location");
      if (location === null) break;
      reply = await open(location);
    }
    return reply;
  };

  return {
    cookies,
    open,
    follow,
    submit: (page, action, fields = {}, sent = {}) =>
      open(action, { ...sent, form: { ...hiddenFieldsOf(page, action), ...fields } }),
  };
}
