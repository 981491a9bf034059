import type {
  ComparedRun,
  DecidedRun,
  FeatureTools,
  Judged,
  PlanningRun,
} from '../../app/run/feature.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { FeaturePlan } from '../../money/feature-plan.ts';
import { placeText } from '../../report/sections/document.ts';
import { coverableRuns, coverSuites, isBaseWithout, linesToCover } from './cover-suite.ts';
import type { SuiteCoverage } from './result.ts';
import type { CoverageSettings } from './settings.ts';

/** Most calls of a pull request. Fewer are needed if base is head without the lines. */
const MOST_CALLS = { baseWithout: 40, other: 80 };

export interface ChangedCover extends Pick<CoverageSettings, 'untested'> {
  most: number;
}

export function planChanged({
  input: { mode, again },
  head,
  suites,
}: PlanningRun<unknown>): FeaturePlan<ChangedCover> | null {
  const { lines, untested } = head.project.settings.coverage;
  if (mode !== 'diff' || again !== undefined || lines === 'off') return null;
  const found = suites.flatMap((suite) => {
    const changed = isJudged(suite) ? linesToCover(suite, 'changed') : null;
    return changed === null ? [] : [{ runs: coverableRuns(suite), changed }];
  });
  if (found.length === 0) return null;
  const asked = found.flatMap(({ runs, changed }) =>
    changed.units === null ? [] : isBaseWithout(runs, changed),
  );
  const most = asked.every(Boolean) ? MOST_CALLS.baseWithout : MOST_CALLS.other;
  return { own: { untested, most }, possible: asked.length === 0 ? 0 : most, usual: 0 };
}

function isJudged({ run }: SuiteComparison): boolean {
  return run.suite.references.length > 0;
}

export function coverChanged(
  most: number,
  run: Pick<DecidedRun, 'rows' | 'price'>,
  tools: FeatureTools,
): Promise<SuiteCoverage[]> {
  const suites = run.rows.map(({ comparison }) => comparison).filter(isJudged);
  const changed = suites.filter((suite) => linesToCover(suite, 'changed') !== null);
  return tools.isPreview === true
    ? Promise.resolve([])
    : coverSuites(changed, { scope: 'changed', most }, { ...tools, price: run.price });
}

/** A line that is not settled fails no run. */
export async function judgeChanged(
  most: number,
  run: ComparedRun,
  tools: FeatureTools,
): Promise<Partial<Judged>> {
  const coverage = await coverChanged(most, run, tools);
  return {
    parts: { coverage },
    findings: coverage.flatMap(({ path, suite, variant, lines }) =>
      lines
        .filter(({ status }) => status === 'untested')
        .map(({ file, lines: { from } }) => ({
          suite: { path, name: suite, variant },
          text:
            `${suite}: answers change without ${placeText({ file, line: from })}, and no test ` +
            'fails; coverage.untested is fail',
        })),
    ),
  };
}
