const TEST_KEYS = [
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

export function testKeys(suiteKeys: readonly { key: string }[]): string[] {
  return [...TEST_KEYS, ...suiteKeys.map(({ key }) => key)];
}
