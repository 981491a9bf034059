export interface Queue<T> {
  /** `ahead`: before all that were not added so. */
  add(item: T, ahead: boolean): void;
  take(): T | undefined;
  size(): number;
}

/**
 * Two lines of waiting, one before the other; first in, first out in each. Constant time per item
 * on average.
 */
export function createQueue<T extends object>(): Queue<T> {
  const first = createLine<T>();
  const second = createLine<T>();
  return {
    add: (item, ahead) => (ahead ? first : second).add(item),
    take: () => first.take() ?? second.take(),
    size: () => first.size() + second.size(),
  };
}

/** Dead places at the front before it is worth moving the rest. */
const SLACK = 1024;

function createLine<T extends object>(): {
  add(item: T): void;
  take(): T | undefined;
  size(): number;
} {
  let items: T[] = [];
  let head = 0;
  return {
    add(item) {
      items.push(item);
    },
    take() {
      const item = items[head];
      if (item === undefined) return undefined;
      head++;
      if (head === items.length || (head > SLACK && head * 2 > items.length)) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
    size: () => items.length - head,
  };
}
