import type { Feature, PlanningRun } from '../../app/run/feature.ts';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import { problem } from '../../errors.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { CallNames, FeaturePlan, PlannedCalls } from '../../money/feature-plan.ts';
import { promptKey } from '../../report/sections/order.ts';
import { counted } from '../../text/amounts.ts';
import { createAsker } from '../../trials/asker.ts';
import { callsPerTry } from '../../trials/tries.ts';
import { takesOverlay } from '../../types/model.ts';
import {
  MOST_DRAFTED,
  coverableRuns,
  coverSuites,
  draftFor,
  isBaseWithout,
  linesToCover,
  type CallLimits,
} from './cover-suite.ts';
import { DRAFT_CALLS } from './draft-test.ts';
import { coverageKeys } from './result.ts';
import { MOST_ROUND_TRIES } from './shorter.ts';

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
export const wholeCover: Feature<CallLimits> = {
  key: 'coverage',
  calls: coverageCalls,
  result: { run: coverageKeys },
  plan: (run) => planWhole(run),
  after: async (plan, run, tools) => ({
    parts: { coverage: await coverSuites(plan, run, 'prompt', tools) },
  }),
};

/** What `evaldiff dev` runs for a prompt: all of its lines, or a test for an untested one. */
export function requestedCover(
  { coverage: earlier = [] }: Result,
  line: string | null,
): Feature<CallLimits> {
  return {
    ...wholeCover,
    plan: (run) =>
      line === null
        ? planWhole(run)
        : { ...planSearch(run, () => DRAFT_CALLS), ...drafterOf(run, 'A drafted test') },
    async after(plan, run, tools) {
      if (line !== null)
        return { parts: { coverage: await draftFor(line, earlier, plan, run, tools) } };
      const coverage = await coverSuites(plan, run, 'prompt', tools);
      const others = earlier.filter(({ path, suite }) =>
        coverage.every((own) => own.path !== path || own.suite !== suite),
      );
      return { parts: { coverage: [...others, ...coverage] } };
    },
  };
}

/** So many calls settle even a short prompt. */
const FEWEST_CALLS = 40;

/** `isShorter`: also tries the prompt without all lines that do nothing. */
export function planWhole(run: PlanningRun<unknown>, isShorter = false): FeaturePlan<CallLimits> {
  const { draft } = run.head.project.settings.coverage;
  const drafting = draft ? MOST_DRAFTED * DRAFT_CALLS : 0;
  const triesOf = (suite: SuiteComparison) => {
    const units = linesToCover(suite, 'prompt')?.units ?? [];
    const tests = coverableRuns(suite).length;
    const pairs = units.length * tests;
    if (pairs === 0) return 0;
    // The lines of an agent's files are not read yet.
    if (takesOverlay(suite.run.suite.head?.variant.target ?? null)) return Infinity;
    const again = isShorter ? MOST_ROUND_TRIES * tests : 0;
    return Math.max(FEWEST_CALLS, MOST_PER_PAIR * pairs) + drafting + again;
  };
  return {
    ...planSearch(run, triesOf),
    ...(draft ? drafterOf(run, 'coverage.draft') : {}),
  };
}

/** Two drafts, each with tries of failing tests and a few of all others. */
const REWORDING = { drafts: 2, fixed: 30, each: 4 };

export function planRewording(run: PlanningRun<unknown>): FeaturePlan<CallLimits> {
  const { drafts, fixed, each } = REWORDING;
  const triesOf = (suite: SuiteComparison) => drafts * (fixed + each * coverableRuns(suite).length);
  // Fewer tries would choose failing tests by chance, and compare with them.
  return { ...planSearch(run, triesOf, LEAST_TRIES), ...drafterOf(run, 'improve') };
}

/** All tests of the chosen prompts, and then at most the announced calls of each suite. */
function planSearch(
  { head, suites: all }: PlanningRun<unknown>,
  triesOf: (suite: SuiteComparison) => number,
  least = 1,
): FeaturePlan<CallLimits> {
  const { n_tries, coverage } = head.project.settings;
  // One variant of a sweep, because others would repeat all calls.
  const byName = new Map(all.map((suite) => [promptKey(suite.run.suite), suite]));
  const suites = [...byName.values()].map((suite): SuiteComparison => {
    const written = suite.run.scoring.tests.n_tries ?? n_tries;
    const tries = written === 'adaptive' ? LEAST_TRIES : Math.max(least, written);
    return { ...suite, policy: { kind: 'fixed', tries } };
  });
  const announced = new Map<string, number>();
  let left = coverage.max_calls;
  const certain = suites.flatMap((suite): PlannedCalls[] => {
    const side = suite.run.suite.head;
    const calls = Math.min(left, triesOf(suite) * callsPerTry(suite.run));
    const { target = null, parameters = {} } = side?.variant ?? {};
    if (side === null || target === null || calls === 0) return [];
    left -= calls;
    announced.set(promptKey(suite.run.suite), calls);
    const place = { file: side.suite.prompt.file, line: 0 };
    return [{ target, parameters, purpose: 'prompt', calls, tokens: null, place }];
  });
  return { own: { most: coverage.max_calls - left, announced }, certain, suites };
}

/** The grader that drafts tests or words. */
function drafterOf(
  { head, input: { code } }: PlanningRun<unknown>,
  what: string,
): Pick<FeaturePlan, 'asker' | 'problems'> {
  const place = head.project.settings.file ?? SETTINGS_FILE;
  const message = `${what} needs a grader; set grader: { model: … }`;
  return createAsker(head, code) ?? { problems: [problem(place, message)] };
}

/** Most calls of a pull request. Fewer are needed if base is head without the lines. */
const CHANGED_CALLS = { baseWithout: 40, other: 80 };

export interface ChangedCover {
  most: number;
  fails: boolean;
}

export function planChanged(run: PlanningRun<unknown>): FeaturePlan<ChangedCover> | null {
  const { head, suites } = run;
  const { mode, again } = run.input;
  const { lines, untested, draft } = head.project.settings.coverage;
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
  return { own, possible, ...(draft ? drafterOf(run, 'coverage.draft') : {}) };
}
