import type { ReferenceRun, SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { MeasuredRate } from '../../kernel/result/reference-result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { wilson } from '../../report/sections/intervals.ts';
import { questionKeys } from '../../trials/question-keys.ts';
import type { KeptRecords } from '../../types/model.ts';
import { SIDES, type Side } from '../../types/plain.ts';

/** Counts of past tries. A key identifies a reference's prompt and scoring. */
interface TryHistory {
  known(keys: readonly string[]): ReadonlyMap<string, { passes: number; tries: number }>;
  /** Null if the history is read-only. */
  add: ((rows: readonly { key: string; passes: number; tries: number }[]) => void) | null;
}

/** Counts a reused answer only if these metrics have not judged it before. */
export function withHistory<Suite extends { comparison: SuiteComparison; result: SuiteResult }>(
  compared: readonly Suite[],
  history: TryHistory,
): Suite[] {
  const runs = compared.map(({ comparison: { run } }) => run);
  const keysOf = new Map(runs.map((suite) => [suite, questionKeys(suite)]));
  if (history.add !== null) {
    const seen = runs.flatMap((suite) =>
      suite.runs.flatMap((run) =>
        SIDES.flatMap((side) => pastTries(run, side, keysOf.get(suite)?.(run, side) ?? null)),
      ),
    );
    const known = history.known([...new Set(seen.map(({ key }) => key))]);
    history.add(newRows(seen, known));
  }
  const flaky = compared.flatMap(({ comparison: { run: suite }, result: { references } }) =>
    references.flatMap((reference) => {
      const run =
        reference.status === 'flaky'
          ? suite.runs.find(({ affected }) => affected.reference.id === reference.id)
          : undefined;
      const key =
        run === undefined
          ? null
          : (keysOf.get(suite)?.(run, 'base') ?? keysOf.get(suite)?.(run, 'head') ?? null);
      return key === null ? [] : [{ reference, key }];
    }),
  );
  if (flaky.length === 0) return [...compared];
  const now = history.known(flaky.map(({ key }) => key));
  const rates = new Map(flaky.map(({ reference, key }) => [reference, measuredRate(now.get(key))]));
  return compared.map((suite) => ({
    ...suite,
    result: {
      ...suite.result,
      references: suite.result.references.map((reference) => {
        const rate = rates.get(reference) ?? null;
        return rate === null ? reference : { ...reference, history: rate };
      }),
    },
  }));
}

const STEADY = { tries: 20, share: 0.95 };

/**
 * Finds references that nearly always passed. They get more tries even on weak evidence of a drop.
 * The verdict is not affected.
 */
export function withSteady(
  suites: readonly SuiteComparison[],
  history: TryHistory,
): SuiteComparison[] {
  const asked = suites.map((suite) => {
    const keyOf = questionKeys(suite.run);
    const keys = suite.compared.flatMap((run) => {
      const key = keyOf(run, 'base');
      return key === null ? [] : [{ key, id: run.affected.reference.id }];
    });
    return { suite, keys };
  });
  const known = history.known([
    ...new Set(asked.flatMap(({ keys }) => keys.map(({ key }) => key))),
  ]);
  return asked.map(({ suite, keys }) => ({
    ...suite,
    steady: new Set(
      keys.flatMap(({ key, id }) => {
        const { passes, tries } = known.get(key) ?? { passes: 0, tries: 0 };
        return tries >= STEADY.tries && passes >= STEADY.share * tries ? [id] : [];
      }),
    ),
  }));
}

function measuredRate(counts: { passes: number; tries: number } | undefined): MeasuredRate | null {
  const interval = counts === undefined ? null : wilson(counts);
  return counts === undefined || interval === null
    ? null
    : { passes: counts.passes, tries: counts.tries, ...interval };
}

interface PastTry {
  key: string;
  try: number;
  passed: boolean;
  reused: boolean;
}

function pastTries(run: ReferenceRun, side: Side, key: string | null): PastTry[] {
  if (key === null) return [];
  return run[side].flatMap(({ byHead: { outcome, reused, try: index } }) =>
    outcome === 'pass' || outcome === 'fail'
      ? [{ key, try: index, passed: outcome === 'pass', reused }]
      : [],
  );
}

function newRows(
  seen: readonly PastTry[],
  known: ReadonlyMap<string, unknown>,
): { key: string; passes: number; tries: number }[] {
  const rows = new Map<string, { key: string; passes: number; tries: number }>();
  const fresh = new Set(
    seen.filter(({ reused }) => !reused).map((tried) => `${tried.try} ${tried.key}`),
  );
  for (const tried of seen) {
    if (tried.reused && known.has(tried.key)) continue;
    const name = `${tried.try} ${tried.key}`;
    if (tried.reused && fresh.has(name)) continue;
    // An answer that several references share counts once.
    if (tried.reused) fresh.add(name);
    const row = rows.get(tried.key) ?? { key: tried.key, passes: 0, tries: 0 };
    rows.set(tried.key, {
      ...row,
      passes: row.passes + Number(tried.passed),
      tries: row.tries + 1,
    });
  }
  return [...rows.values()];
}

const KEY_LETTERS = 32;

/**
 * Takes a key's counts from the store with the most tries. Does not add them up, because stores may
 * be copies.
 */
export function storedHistory(
  stores: readonly KeptRecords[],
  hash: (text: string) => string,
): TryHistory {
  const hashOf = (key: string) => hash(key).slice(0, KEY_LETTERS);
  const add = stores[0]?.addOutcomes;
  return {
    known(keys) {
      const hashed = new Map(keys.map((key) => [hashOf(key), key]));
      const found = new Map<string, { passes: number; tries: number }>();
      for (const store of stores) {
        for (const [hash, counts] of store.outcomes([...hashed.keys()])) {
          const key = hashed.get(hash) ?? hash;
          if ((found.get(key)?.tries ?? 0) < counts.tries) found.set(key, counts);
        }
      }
      return found;
    },
    add:
      add === undefined
        ? null
        : (rows) => {
            add(rows.map(({ key, ...counts }) => ({ key: hashOf(key), ...counts })));
          },
  };
}
