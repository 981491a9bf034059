export const MAX_PROBLEMS = 20;

/** In YAML files, `values` and `characters` count an anchor's content again for each alias. */
export const FILE_LIMITS = {
  yamlBytes: 1 << 20,
  depth: 40,
  values: 200_000,
  characters: 4 << 20,
  references: 5_000,
  tries: 50,
  dataBytes: 32 << 20,
  dataRows: 100_000,
  combinations: 200,
} as const;

export const MOST_RUNS = 1000;

/** GitHub's limit of jobs in a matrix. */
export const MOST_SHARDS = 256;
