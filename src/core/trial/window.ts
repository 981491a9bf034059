/**
 * How many are under way at once in the pipeline's wide places: far more than any server is asked
 * at a time, and far fewer than a sweep has tries, for each holds its closures and its place in
 * every queue until it is answered.
 */
export const WINDOW = 2048;

/**
 * The same where a model is asked in batches: a batch holds what is under way, and each further one
 * may take a day. So many tries take some 110 MB while they wait, with which a sweep of 100,000
 * stays below 500 MB as a whole.
 */
export const BATCH_WINDOW = 20_000;

/**
 * Does `work` for every item, at most {@link WINDOW} at a time, begun in their order; the results
 * in that order.
 */
export async function inWindow<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  size: number = WINDOW,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await work(items[index] as T);
  };
  await Promise.all(Array.from({ length: Math.min(size, items.length) }, worker));
  return results;
}
