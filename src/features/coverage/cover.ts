import type { Feature, PlanningRun } from '../../app/run/feature.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { FeaturePlan, PlannedCalls } from '../../money/feature-plan.ts';
import { coverageCalls } from './calls.ts';
import { coverableRuns, coverSuites, linesToCover } from './cover-suite.ts';

/** Two answers with all lines do not show well enough how much equal prompts differ. */
const LEAST_TRIES = 3;

interface WholeCover {
  maxCalls: number;
}

/** What `evaldiff cover` runs instead of the features: all lines of the chosen prompts. */
export const wholeCover: Feature<WholeCover> = {
  key: 'coverage',
  calls: coverageCalls,
  plan: planWhole,
  async after({ own: { maxCalls } }, run, tools) {
    const suites = run.rows.map(({ comparison }) => comparison);
    return {
      parts: {
        coverage: await coverSuites(
          suites,
          { scope: 'prompt', most: maxCalls },
          { ...tools, price: run.price },
        ),
      },
    };
  },
};

function planWhole({ head, suites: all }: PlanningRun<unknown>): FeaturePlan<WholeCover> {
  // The first variant of a sweep. Others would repeat all calls.
  const first = new Map(all.map((suite) => [suite.run.suite.path + suite.run.suite.name, suite]));
  const { settings } = head.project;
  const suites = [...first.values()].map((suite): SuiteComparison => {
    const set = suite.run.scoring.tests.n_tries ?? settings.n_tries;
    const tries = set === 'adaptive' ? LEAST_TRIES : set;
    return { ...suite, policy: { kind: 'fixed', tries } };
  });
  const { max_calls: maxCalls } = settings.coverage;
  const asked = suites.flatMap((suite) => callsWithout(suite) ?? []);
  let left = maxCalls;
  const certain = asked.map((planned): PlannedCalls => {
    const calls = Math.min(left, planned.calls);
    left -= calls;
    return { ...planned, calls };
  });
  return { own: { maxCalls }, certain, suites };
}

/** Asked one by one, each line and test takes about one try, and four if most are held. */
const MOST_PER_PAIR = 4;

function callsWithout(suite: SuiteComparison): PlannedCalls | null {
  const side = suite.run.suite.head;
  const units = linesToCover(suite, 'prompt')?.units ?? [];
  const runs = coverableRuns(suite);
  if (side === null || side.variant.target === null || units.length * runs.length === 0)
    return null;
  return {
    target: side.variant.target,
    parameters: side.variant.parameters,
    purpose: 'prompt',
    calls: MOST_PER_PAIR * (units.length + 1) * runs.length,
    tokens: null,
    place: { file: side.suite.prompt.file, line: 0 },
  };
}
