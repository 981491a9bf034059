const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Registers cleanup after the test; the last one registered runs first. */
export const afterThisTest = (close: () => unknown): unknown => open.push(close);

/** Returns what a test opened and closes it after the test. */
export async function untilTestEnds<T extends { close(): unknown }>(
  opening: T | Promise<T>,
): Promise<T> {
  const opened = await opening;
  afterThisTest(() => opened.close());
  return opened;
}
