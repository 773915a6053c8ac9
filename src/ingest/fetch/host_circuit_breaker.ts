// Stops the requests of a fetch to a host that refuses or throttles it.
import { FetchError } from "./fetch_types.ts";

/** After this many refusals in a row, a host is assumed to refuse the client rather than single documents. */
const REFUSALS_IN_A_ROW = 3;

/** Whether the response throttles the client: 429, or a refusal with `Retry-After`. */
export function isThrottle({ pausedHost, retryAtMs, status }: FetchError): boolean {
  return pausedHost !== null && (retryAtMs !== null || status === 429);
}

export class HostCircuitBreaker {
  readonly #refusals = new Map<string, number>();
  readonly #ended = new Map<string, FetchError>();

  /** The first refusal that ended the requests to a host, or null if there is none. */
  get refusal(): FetchError | null {
    return [...this.#ended.values()][0] ?? null;
  }

  check(host: string): void {
    const refusal = this.#ended.get(host);
    if (refusal === undefined) return;
    throw new FetchError(`not fetched, because its host ${refusal.message}`, {
      ...refusal,
      wasSent: false,
    });
  }

  /** Counts the consecutive refusals of a host. `error` is null if the request succeeded. */
  note(host: string, error: FetchError | null): void {
    if (error === null || error.pausedHost === null) {
      this.#refusals.delete(host);
      return;
    }
    const { pausedHost } = error;
    const refusals = (this.#refusals.get(pausedHost) ?? 0) + 1;
    this.#refusals.set(pausedHost, refusals);
    if (isThrottle(error) || refusals >= REFUSALS_IN_A_ROW) this.#ended.set(pausedHost, error);
  }
}
