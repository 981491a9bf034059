/**
 * How much of a repository is read. The defaults fit hand-written files; the workflow may raise
 * them.
 */
export interface Limits {
  /** Of one YAML file. */
  yamlBytes: number;
  /** Levels of nesting in any file. */
  depth: number;
  /** Values in one YAML file after aliases are written out. */
  values: number;
  /** Letters of one YAML file's values after aliases are written out. */
  characters: number;
  /** References written in one YAML file. */
  references: number;
  /** Tries of one reference. */
  tries: number;
  /** Of one JSONL or CSV file. */
  dataBytes: number;
  /** Rows of one JSONL or CSV file. */
  dataRows: number;
  /** Variants of a sweep. */
  combinations: number;
}

/**
 * `make` once for each set of limits: a schema takes far longer to make than a value takes to
 * check.
 */
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
