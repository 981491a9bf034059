export const MAX_PROBLEMS = 20;

/** In YAML files, `values` and `characters` count an anchor's content again for each alias. */
export interface Limits {
  yamlBytes: number;
  depth: number;
  values: number;
  characters: number;
  references: number;
  tries: number;
  dataBytes: number;
  dataRows: number;
  combinations: number;
}

/** Caches schemas, because creating one is far slower than checking a value. */
export function perLimits<T>(make: (limits: Limits) => T): (limits: Limits) => T {
  const made = new WeakMap<Limits, { value: T }>();
  return (limits) => {
    const found = made.get(limits) ?? { value: make(limits) };
    made.set(limits, found);
    return found.value;
  };
}

export const DEFAULT_LIMITS: Limits = {
  yamlBytes: 1 << 20,
  depth: 40,
  values: 200_000,
  characters: 4 << 20,
  references: 5_000,
  tries: 50,
  dataBytes: 32 << 20,
  dataRows: 100_000,
  combinations: 200,
};

export const MOST_RUNS = 1000;

/** GitHub's limit of jobs in a matrix. */
export const MOST_SHARDS = 256;
