// The least pause between two attempts of a delivery, as its receiver sees it.

/** The pauses that are promised after the first, second, … failure, ms; later ones are longer. */
const PROMISED_MS = [5_000, 60_000, 300_000, 1_800_000, 7_200_000];
const LEAST = 0.9;

interface Paused {
  host: string;
  failures: number;
  untilMs: number;
}

/** What is known of the pauses: less than the service knows, so that a pause is never thought longer than it is. */
export class Pauses {
  readonly #paused = new Map<string, Paused>();

  /** Whether an attempt at that time comes too early. */
  isEarly(id: string, nowMs: number): boolean {
    return nowMs < (this.#paused.get(id)?.untilMs ?? 0);
  }

  failed(id: string, host: string, nowMs: number): void {
    const failures = (this.#paused.get(id)?.failures ?? 0) + 1;
    const pauseMs = PROMISED_MS[Math.min(failures, PROMISED_MS.length) - 1] ?? 0;
    this.#paused.set(id, { host, failures, untilMs: nowMs + LEAST * pauseMs });
  }

  /** The host has answered well: what waits for it need not wait for the end of its pause. */
  recovered(host: string): void {
    for (const paused of this.#paused.values()) if (paused.host === host) paused.untilMs = 0;
  }

  /** Everything may begin its schedule anew. */
  forget(): void {
    this.#paused.clear();
  }
}
