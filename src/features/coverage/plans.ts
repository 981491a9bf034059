import type { Feature, PlanningRun } from '../../app/run/feature.ts';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import type { ProjectSide } from '../../config/project-side.ts';
import { problem } from '../../errors.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { CallNames, FeaturePlan, PlannedCalls } from '../../money/feature-plan.ts';
import type { PrepareInput } from '../../money/prepared.ts';
import { counted } from '../../text/amounts.ts';
import { createAsker } from '../../trials/asker.ts';
import {
  MOST_DRAFTED,
  coverableRuns,
  coverSuites,
  isBaseWithout,
  linesToCover,
} from './cover-suite.ts';
import { DRAFT_CALLS } from './draft-test.ts';

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
export const wholeCover: Feature<{ most: number }> = {
  key: 'coverage',
  calls: coverageCalls,
  plan: planWhole,
  after: async (plan, run, tools) => ({
    parts: { coverage: await coverSuites(plan, run, 'prompt', tools) },
  }),
};

function planWhole({
  input: { code },
  head,
  suites: all,
}: PlanningRun<unknown>): FeaturePlan<{ most: number }> {
  const { n_tries, coverage } = head.project.settings;
  const drafting = coverage.draft ? MOST_DRAFTED * DRAFT_CALLS : 0;
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
    const pairs = units.length * coverableRuns(suite).length;
    const calls = pairs === 0 ? 0 : Math.min(left, MOST_PER_PAIR * pairs + drafting);
    const { target = null, parameters = {} } = side?.variant ?? {};
    if (side === null || target === null || calls === 0) return [];
    left -= calls;
    const place = { file: side.suite.prompt.file, line: 0 };
    return [{ target, parameters, purpose: 'prompt', calls, tokens: null, place }];
  });
  return { own: { most: coverage.max_calls }, certain, suites, ...drafterOf(head, code) };
}

/** The grader that drafts tests, if the settings ask for tests. */
function drafterOf(
  head: ProjectSide,
  code: PrepareInput['code'],
): Pick<FeaturePlan, 'asker' | 'problems'> {
  const { coverage, file } = head.project.settings;
  if (!coverage.draft) return {};
  const message = 'coverage.draft needs a grader; set grader: { model: … }';
  return createAsker(head, code) ?? { problems: [problem(file ?? SETTINGS_FILE, message)] };
}

/** Most calls of a pull request. Fewer are needed if base is head without the lines. */
const CHANGED_CALLS = { baseWithout: 40, other: 80 };

export interface ChangedCover {
  most: number;
  fails: boolean;
}

export function planChanged({
  input: { mode, again, code },
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
  const own = { most, fails: untested === 'fail' };
  return { own, possible, ...drafterOf(head, code) };
}
