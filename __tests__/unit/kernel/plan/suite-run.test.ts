import {
  suiteComparison,
  withMoreTries,
  type SuiteRun,
  type Try,
} from '../../../../src/kernel/plan/suite-run.ts';
import { DEFAULT_GATE } from '../../../../src/kernel/suite/gate-settings.ts';
import { tryResult } from '../../app/run/builders.ts';

const made = (index: number): Try => ({ byHead: tryResult('pass', index), byBase: null });

/** Two references whose requests differ between the sides. Only the second one gates. */
function twoReferences() {
  const runs = [true, false].map((skip, index) => ({
    affected: {
      reference: { id: `r${index}`, skip, tags: [], n_tries: null },
      base: { kind: 'request', fingerprint: `base ${index}` },
      head: { kind: 'request', fingerprint: `head ${index}` },
    },
    base: [],
    head: [],
  }));
  const side = { scoring: { tests: { skip: false, rollup: { kind: 'named', policy: 'all' } } } };
  const scoring = { tests: { metrics: [], references: [] } };
  const run = { suite: { base: side, head: side }, scoring, runs } as unknown as SuiteRun;
  return suiteComparison(run, { kind: 'adaptive' }, { run: DEFAULT_GATE, own: {} }, () => false);
}

test('withMoreTries keeps tries in order and updates the compared references too', () => {
  const first = withMoreTries(twoReferences(), [[{ run: 1, side: 'head' }, made(0)]]);
  const second = withMoreTries(first, [
    [{ run: 1, side: 'head' }, made(1)],
    [{ run: 0, side: 'base' }, made(0)],
  ]);
  const tries = second.run.runs.map(({ base, head }) =>
    [base, head].map((of) => of.map(({ byHead }) => byHead.try)),
  );
  expect(tries).toEqual([
    [[0], []],
    [[], [0, 1]],
  ]);
  expect(second.compared).toHaveLength(1);
  expect(second.compared[0]).toBe(second.run.runs[1]);
});

test('withMoreTries does not change the original suite', () => {
  const started = twoReferences();
  withMoreTries(started, [[{ run: 0, side: 'base' }, made(0)]]);
  expect(started.run.runs.flatMap(({ base, head }) => [...base, ...head])).toEqual([]);
});
