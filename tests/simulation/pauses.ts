// The minimum pause between two attempts of a delivery, as far as its receiver can tell.

/** The promised pauses in ms after the first, second, … failure. Later pauses are longer. */
const PROMISED_MS = [5_000, 60_000, 300_000, 1_800_000, 7_200_000];
const LEAST = 0.9;

interface Paused {
  host: string;
  failures: number;
  untilMs: number;
}

/** The minimum pauses that a receiver can rely on. They are never longer than the real ones. */
export class Pauses {
  readonly #paused = new Map<string, Paused>();

  /** Whether an attempt at this time is too early. */
  isEarly(id: string, nowMs: number): boolean {
    return nowMs < (this.#paused.get(id)?.untilMs ?? 0);
  }

  failed(id: string, host: string, nowMs: number): void {
    const failures = (this.#paused.get(id)?.failures ?? 0) + 1;
    const pauseMs = PROMISED_MS[Math.min(failures, PROMISED_MS.length) - 1] ?? 0;
    this.#paused.set(id, { host, failures, untilMs: nowMs + LEAST * pauseMs });
  }

  /** Ends the pauses of a host that has responded with success. */
  recovered(host: string): void {
    for (const paused of this.#paused.values()) if (paused.host === host) paused.untilMs = 0;
  }

  /** Forgets all pauses, because every delivery may restart its schedule. */
  forget(): void {
    this.#paused.clear();
  }
}
