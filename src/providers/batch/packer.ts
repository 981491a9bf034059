import type { BatchLimits } from './vendor.ts';

/** Gathers items for batches that keep to their limits. */
export interface Packer<T> {
  /**
   * A batch that became full through this item or has no room for it; null while there is room.
   * `too-large`: no batch could hold it.
   */
  add(item: T, bytes: number): readonly T[] | 'too-large' | null;
  /** What has been gathered, which leaves nothing behind. */
  take(): readonly T[];
}

export function createPacker<T>(limits: BatchLimits): Packer<T> {
  let items: T[] = [];
  let size = 0;
  const take = (): readonly T[] => {
    const taken = items;
    items = [];
    size = 0;
    return taken;
  };
  return {
    add(item, bytes) {
      if (bytes > limits.bytes) return 'too-large';
      const full = size + bytes > limits.bytes ? take() : null;
      items.push(item);
      size += bytes;
      if (full !== null) return full;
      return items.length >= limits.requests ? take() : null;
    },
    take,
  };
}
