// Keeps cookies within one chain of redirects, because some load balancers require them.

/** Maximum length of the `cookie` header in characters. A longer header is not sent. */
const MAX_COOKIES = 4_096;

/** The cookies of one chain of redirects. They are sent only to the host that set them. */
export class Cookies {
  readonly #hosts = new Map<string, Map<string, string>>();

  /** Stores the cookies of a response, whose `set-cookie` fields are separated by newlines. */
  take(setCookie: string | undefined, { host }: URL): void {
    const cookies = this.#hosts.get(host) ?? new Map<string, string>();
    for (const line of setCookie?.split("\n") ?? []) {
      const [, name, value] = /^\s*([!#$%&'*+.^`|~\w-]+)=([!-:<-~]*)/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) cookies.set(name, value);
    }
    if (cookies.size > 0) this.#hosts.set(host, cookies);
  }

  /** Returns the `cookie` header for a request, or no header if there are no cookies or they are too long. */
  header({ host }: URL): { cookie?: string } {
    const cookies = [...this.#hosts.get(host) ?? []].map(([name, value]) => `${name}=${value}`).join("; ");
    return cookies === "" || cookies.length > MAX_COOKIES ? {} : { cookie: cookies };
  }
}
