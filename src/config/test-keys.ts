export const TEST_KEYS = [
  'gate',
  'n_tries',
  'skip',
  'do_completion',
  'metrics',
  'metrics_rollup',
  'references',
  'references_from',
  'quarantine',
] as const;

/** Keys of a test file that a prompt file may have at its top. */
export function testKeys(suiteKeys: readonly { key: string }[]): string[] {
  return [...TEST_KEYS, ...suiteKeys.map(({ key }) => key)];
}
