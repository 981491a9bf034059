/** A call's place in a queue: `due` resolves once each earlier call has passed. */
export interface Turn {
  due: Promise<void>;
  /** Lets the next call go. Only the first use counts. */
  pass(): void;
}

/** Queues calls in the order in which they ask for a turn. */
export function createTurns(): () => Turn {
  let last = Promise.resolve();
  return () => {
    const due = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = due.then(() => promise);
    return { due, pass: resolve };
  };
}
