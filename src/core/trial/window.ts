/**
 * How many are under way at once in the pipeline's wide places: far more than any server is asked at a time, and far fewer
 * than a sweep has tries, for each holds its closures and its place in every queue until it is answered.
 */
export const WINDOW = 2048;

/**
 * The same where a model is asked in batches, and a batch holds what is under way: as many as the smaller of the vendors'
 * batches takes, for each further one may take a day. 50,000 tries under way take some 150 MB (benchmarks/memory.ts).
 */
export const BATCH_WINDOW = 50_000;

/** Does `work` for every item, at most {@link WINDOW} at a time, begun in their order; the results in that order. */
export async function inWindow<T, R>(items: readonly T[], work: (item: T) => Promise<R>, size: number = WINDOW): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as T);
  };
  await Promise.all(Array.from({ length: Math.min(size, items.length) }, worker));
  return results;
}
