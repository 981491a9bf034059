import { afterEach } from '@jest/globals';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Runs after the test, the last one given first. */
export const afterThisTest = (close: () => unknown): unknown => open.push(close);

/** What a test opens is closed after it; gives it back. */
export async function untilTestEnds<T extends { close(): unknown }>(
  opening: T | Promise<T>,
): Promise<T> {
  const opened = await opening;
  afterThisTest(() => opened.close());
  return opened;
}
