// Names the work of the main thread's event loop, so that the log can say what blocked it.
import type { Store } from "./store/store.ts";
import type { Tracer } from "./tracer.ts";

export interface EventLoop {
  /** Notes that the main thread begins this work. The name is logged, so it must not contain a secret. */
  begin(work: string): void;
  /** Returns the longest time for which the main thread was blocked in the last one to two minutes, ms. */
  longestPauseMs(): number;
}

/** Returns a tracer that reports the name and source of each span to the event loop monitor. */
export function nameActs(tracer: Tracer, eventLoop: EventLoop): Tracer {
  return {
    ...tracer,
    act(name, attributes, work, options) {
      const { source } = attributes;
      eventLoop.begin(typeof source === "string" ? `${name} ${source}` : name);
      return tracer.act(name, attributes, work, options);
    },
  };
}

/** Returns a store that reports the method of each call to the event loop monitor. */
export function nameCalls(store: Store, eventLoop: EventLoop): Store {
  const named = Object.entries(store).map(([method, call]: [string, (...given: unknown[]) => unknown]) => {
    const work = `store.${method}`;
    return [method, (...given: unknown[]) => {
      eventLoop.begin(work);
      return call(...given);
    }];
  });
  return Object.fromEntries(named) as Store;
}
