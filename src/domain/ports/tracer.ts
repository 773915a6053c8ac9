// The port for tracing. Spans contain the same ids as the log.
import type { Store } from "./store/store.ts";

/** Attributes of a span: ids, counts and outcomes, but never a key, secret, URL or body. */
export type SpanAttributes = Record<string, string | number | boolean | null>;

export interface Span {
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed. `cause` consists of a few constant words. */
  fail(cause: string): void;
  /** Discards the span of work that found nothing to do. */
  drop(): void;
}

export interface Tracer {
  isOn: boolean;
  /**
   * Runs `work` in a span within the current one. Records only the name of an error. `isOutlived` means that `work`
   * starts something that continues after the span and is not part of it.
   */
  act<T>(
    name: string,
    attributes: SpanAttributes,
    work: (span: Span) => Promise<T>,
    options?: { isOutlived?: boolean },
  ): Promise<T>;
  /** Adds attributes to the current span, such as the one that the runtime creates for a request. */
  note(attributes: SpanAttributes): void;
}

const NO_SPAN: Span = { set() {}, fail() {}, drop() {} };

export const NO_TRACER: Tracer = { isOn: false, act: (_name, _attributes, work) => work(NO_SPAN), note() {} };

/** Traces what a store records, and each round of a loop that finds work. Returns `store` itself if tracing is off. */
export function traceRounds(store: Store, tracer: Tracer): Store {
  if (!tracer.isOn) return store;
  const round = <T>(name: string, work: () => Promise<T>, countOf: (done: T) => number): Promise<T> =>
    tracer.act(name, {}, async (span) => {
      const done = await work();
      const count = countOf(done);
      if (count === 0) span.drop();
      else span.set({ count });
      return done;
    });
  const length = (list: readonly unknown[]) => list.length;
  const number = (count: number) => count;
  return {
    ...store,
    claimSources: (claim) => round("claim sources", () => store.claimSources(claim), length),
    recordPublications: (source, publications, decide, holder) =>
      tracer.act(
        "record publications",
        { source, count: publications.length },
        () => store.recordPublications(source, publications, decide, holder),
      ),
    matchEvents: (match) => round("match events", () => store.matchEvents(match), number),
    releaseHeld: (release) => round("release held deliveries", () => store.releaseHeld(release), number),
    claimDeliveries: (claim) => round("claim deliveries", () => store.claimDeliveries(claim), length),
    finishAttempts: (finished, nowMs) =>
      tracer.act("record attempts", { count: finished.length }, () => store.finishAttempts(finished, nowMs)),
    claimMails: (claim) => round("claim mails", () => store.claimMails(claim), length),
  };
}
