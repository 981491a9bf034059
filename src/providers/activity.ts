/** What a run is busy with at the moment, apart from waiting for batches. */
export interface Activity {
  /** Counts `work` as under way until it has ended. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Resolves once nothing has been under way for some turns of the event loop: whoever could ask
   * for more has done so.
   */
  quiet(): Promise<void>;
}

/** Steps that only compute are over within one turn; one more for whoever waits for those. */
const QUIET_TURNS = 3;

/** @param turn resolves in the next turn of the event loop. */
export function createActivity(turn: () => Promise<void>): Activity {
  let underWay = 0;
  let begun = 0;
  let ended: (() => void)[] = [];
  const idle = (): Promise<void> =>
    underWay === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          ended.push(resolve);
        });
  return {
    async during(work) {
      underWay += 1;
      begun += 1;
      try {
        return await work();
      } finally {
        underWay -= 1;
        if (underWay === 0) {
          for (const resolve of ended) resolve();
          ended = [];
        }
      }
    },
    async quiet() {
      for (let calm = 0; calm < QUIET_TURNS;) {
        await idle();
        const before = begun;
        await turn();
        calm = underWay === 0 && begun === before ? calm + 1 : 0;
      }
    },
  };
}
