// A host that refuses or throttles in the middle of a fetch: it is asked for nothing more by that fetch.
import { FetchError } from "./fetch_types.ts";

/** So many refusals in a row by one host, which may each mean one document alone, mean this client. */
const REFUSALS_IN_A_ROW = 3;

/** Whether an answer is about this client and not about a document: 429, or a time until which to stay away. */
export function isThrottle({ pausedHost, retryAtMs, status }: FetchError): boolean {
  return pausedHost !== null && (retryAtMs !== null || status === 429);
}

/** What the hosts of one fetch have answered. */
export class HostCircuitBreaker {
  readonly #refusals = new Map<string, number>();
  readonly #ended = new Map<string, FetchError>();

  /** Why nothing more is asked of a host; null while every host may be asked. */
  get refusal(): FetchError | null {
    return [...this.#ended.values()][0] ?? null;
  }

  /** Throws the refusal of a host that is asked for nothing more. */
  check(host: string): void {
    const refusal = this.#ended.get(host);
    if (refusal === undefined) return;
    throw new FetchError(`not fetched, because its host ${refusal.message}`, {
      ...refusal,
      wasAsked: false,
    });
  }

  /** Hears of an answer: null for a document, else why there was none. */
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
