import type { Feature, PlanningRun } from '../../app/run/feature.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { CallNames, FeaturePlan, PlannedCalls } from '../../money/feature-plan.ts';
import { counted } from '../../text/amounts.ts';
import { coverableRuns, coverSuites, isBaseWithout, linesToCover } from './cover-suite.ts';

export const coverageCalls: CallNames = {
  certain: {
    key: 'coverage_calls',
    words: (calls) => `up to ${counted(calls, 'call')} without some of the lines`,
  },
  always: 'coverage_possible',
};

/** Two answers with all lines do not show well enough how much equal prompts differ. */
const LEAST_TRIES = 3;

/** Asked one by one, each line and test takes about one try, and four if most are held. */
const MOST_PER_PAIR = 4;

/** What `evaldiff cover` runs instead of the features: all lines of the chosen prompts. */
export const wholeCover: Feature<number> = {
  key: 'coverage',
  calls: coverageCalls,
  plan: planWhole,
  async after({ own: most }, { rows, price }, tools) {
    const suites = rows.map(({ comparison }) => comparison);
    return { parts: { coverage: await coverSuites(suites, 'prompt', most, { ...tools, price }) } };
  },
};

function planWhole({ head, suites: all }: PlanningRun<unknown>): FeaturePlan<number> {
  const { n_tries, coverage } = head.project.settings;
  // One variant of a sweep, because others would repeat all calls.
  const byName = new Map(
    all.map((suite) => [`${suite.run.suite.path} ${suite.run.suite.name}`, suite]),
  );
  const suites = [...byName.values()].map((suite): SuiteComparison => {
    const tries = suite.run.scoring.tests.n_tries ?? n_tries;
    return {
      ...suite,
      policy: { kind: 'fixed', tries: tries === 'adaptive' ? LEAST_TRIES : tries },
    };
  });
  let left = coverage.max_calls;
  const certain = suites.flatMap((suite): PlannedCalls[] => {
    const side = suite.run.suite.head;
    const units = linesToCover(suite, 'prompt')?.units ?? [];
    const calls = Math.min(left, MOST_PER_PAIR * units.length * coverableRuns(suite).length);
    const { target = null, parameters = {} } = side?.variant ?? {};
    if (side === null || target === null || calls === 0) return [];
    left -= calls;
    const place = { file: side.suite.prompt.file, line: 0 };
    return [{ target, parameters, purpose: 'prompt', calls, tokens: null, place }];
  });
  return { own: coverage.max_calls, certain, suites };
}

/** Most calls of a pull request. Fewer are needed if base is head without the lines. */
const CHANGED_CALLS = { baseWithout: 40, other: 80 };

export interface ChangedCover {
  most: number;
  fails: boolean;
}

export function planChanged({
  input: { mode, again },
  head,
  suites,
}: PlanningRun<unknown>): FeaturePlan<ChangedCover> | null {
  const { lines, untested } = head.project.settings.coverage;
  if (mode !== 'diff' || again !== undefined || lines === 'off') return null;
  // Null: said to be not examined, without a call.
  const found = suites.flatMap((suite): (boolean | null)[] => {
    const changed = linesToCover(suite, 'changed');
    if (changed === null) return [];
    return [changed.units === null ? null : isBaseWithout(coverableRuns(suite), changed)];
  });
  if (found.length === 0) return null;
  const most = found.includes(false) ? CHANGED_CALLS.other : CHANGED_CALLS.baseWithout;
  const possible = found.some((own) => own !== null) ? most : 0;
  return { own: { most, fails: untested === 'fail' }, possible, usual: 0 };
}
