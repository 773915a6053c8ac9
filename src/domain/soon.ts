// Values that are mostly there at once: to wait a turn for each of them would cost more than most of the work does.

/** A value, or the promise of it where it has to be waited for. */
export type Soon<T> = T | Promise<T>;

/** Goes on with a value: at once where it is there, else when it comes. */
export function whenThere<T, Next>(value: Soon<T>, next: (value: T) => Soon<Next>): Soon<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** What a work gives, or what comes of that which it throws, at once or later. */
export function recovered<T>(work: () => Soon<T>, recover: (thrown: unknown) => Soon<T>): Soon<T> {
  try {
    const made = work();
    return made instanceof Promise ? made.catch(recover) : made;
  } catch (thrown) {
    return recover(thrown);
  }
}
