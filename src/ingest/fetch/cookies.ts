// Cookies within one chain of redirects: some load balancers answer only who brings back what they have just given.

/** As much as is kept of one host, characters. */
const MAX_COOKIES = 4_096;

/** The cookies of one chain; they go back to the host that set them and are forgotten with the chain. */
export class Cookies {
  readonly #hosts = new Map<string, Map<string, string>>();

  /** Takes what an answer sets: the values of its `set-cookie` fields, a line each. */
  take(setCookie: string | undefined, { host }: URL): void {
    const cookies = this.#hosts.get(host) ?? new Map<string, string>();
    for (const line of setCookie?.split("\n") ?? []) {
      const [, name, value] = /^\s*([!#$%&'*+.^`|~\w-]+)=([!-:<-~]*)/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) cookies.set(name, value);
    }
    if (cookies.size > 0) this.#hosts.set(host, cookies);
  }

  /** The header for a request to the address, or none. */
  header({ host }: URL): { cookie?: string } {
    const cookies = [...this.#hosts.get(host) ?? []].map(([name, value]) => `${name}=${value}`).join("; ");
    return cookies === "" || cookies.length > MAX_COOKIES ? {} : { cookie: cookies };
  }
}
