import type { ComparedRun, Feature, FeatureTools } from '../../app/run/feature.ts';
import type { SuiteRow } from '../../kernel/judge/suite-row.ts';
import { countsForVerdict, sideShare } from '../../kernel/result/counts.ts';
import type { ReferenceResult, SideResult } from '../../kernel/result/reference-result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { PlannedFeature } from '../../money/feature-plan.ts';
import { splitFallen } from '../../trials/drafts.ts';
import { exactEdit, headFiles, isText } from '../../trials/fix-edit.ts';
import { provenFix, UNJUDGED_FIXES, type FixFound } from '../../trials/fix.ts';
import { packetOf } from '../../trials/packet.ts';
import { isWritten, proposedFixes } from '../../trials/proposals.ts';
import { countCalls, extraTries } from '../../trials/tries.ts';
import {
  NONE_JUDGED,
  coverBench,
  coverTools,
  inShares,
  whyUnsettled,
  type CallLimits,
  type CoverTools,
} from './cover-suite.ts';
import { coverageCalls, planRewording, planWhole } from './plans.ts';
import { coverLines } from './search.ts';
import { lossWithout, MOST_ROUND_TRIES, UNJUDGED_TRIES } from './shorter.ts';

declare module '../../kernel/result/feature-parts.ts' {
  interface FeatureParts {
    improved?: SuiteImprovement[];
  }
}

interface Improvement extends FixFound {
  /** False if the calls or the answers did not suffice to say. */
  is_settled: boolean;
  calls: number;
}

interface SuiteImprovement extends Improvement, Pick<SuiteResult, 'path' | 'variant'> {
  suite: string;
}

/** Probability of showing a useless rewording, for all suites together. */
const LEVEL = 0.05;

/** What `evaldiff improve` runs instead of the features. */
export function improvement(isShorter: boolean): Feature<CallLimits> {
  return {
    key: 'coverage',
    calls: coverageCalls,
    plan: (run) => (isShorter ? planWhole(run, true) : planRewording(run)),
    after: async (plan, run, tools) => ({
      parts: {
        improved: await improveSuites(plan, run, isShorter ? removeIdleLines : changeWords, tools),
      },
    }),
  };
}

function without(no_fix: string, is_settled: boolean, calls: number): Improvement {
  return { fix: null, no_fix, is_settled, calls };
}

type Improve = (
  row: SuiteRow,
  own: { room: number; level: number },
  tools: CoverTools,
) => Promise<Improvement>;

async function improveSuites(
  plan: PlannedFeature<CallLimits>,
  run: ComparedRun,
  improve: Improve,
  tools: FeatureTools,
): Promise<SuiteImprovement[]> {
  const rows = run.rows.filter(({ comparison }) => comparison.run.suite.head !== null);
  const level = LEVEL / rows.length;
  const own = coverTools(plan, run, tools);
  return inShares(rows, plan.own, tools, async (row, room) => {
    const { path, name: suite, variant } = row.result;
    return { path, suite, variant, ...(await improve(row, { room, level }, own)) };
  });
}

/** Takes away all lines without an effect seen, if new tries without them then pass as often. */
const removeIdleLines: Improve = async ({ comparison }, { room }, tools) => {
  const bench = await coverBench(comparison, 'prompt', room, tools);
  if (typeof bench === 'string') return without(bench, bench !== NONE_JUDGED, 0);
  const { lines, ids, input, ask, counter } = bench;
  const none = (no_fix: string, is_settled = true) => without(no_fix, is_settled, counter.made());
  const most = input.most - MOST_ROUND_TRIES * ids.length;
  const found = await coverLines({ ...input, most }, ask);
  const idle = lines.units.flatMap((unit, at) =>
    isText(unit) && found.lines[at]?.kind === 'idle' ? [at] : [],
  );
  const first = lines.units[idle[0] ?? -1];
  const few = found.end === 'tries' ? 'the announced calls did not suffice' : null;
  const open = whyUnsettled(found, counter.ended() ?? few);
  if (first === undefined) return none(open ?? 'every line has an effect', open === null);
  const kept = new Set([...lines.units.keys()].filter((at) => !idle.includes(at)));
  if (lines.revert(first) !== null)
    return none(`evaldiff does not write ${first.file}; evaldiff cover shows its lines`);
  const prompts = { head: lines.head, wanted: lines.body(kept) };
  const edit = await exactEdit(first, null, prompts, headFiles(lines.head, tools));
  if (edit === null) return none('no edit of one message gives the prompt without these lines');
  const lost = await lossWithout(idle, input, found, ask);
  if (typeof lost === 'string')
    return none(counter.ended() ?? lost, counter.ended() === null && lost !== UNJUDGED_TRIES);
  const restores = { references: 0, of: 0 };
  const costs = { references: 0, of: found.usable.length };
  const fix = { kind: 'shorter' as const, ...edit, restores, costs, ...lost };
  return { fix, is_settled: true, calls: counter.made() };
};

/** Changes words of a line, if tests that fail and that the grader did not see then pass. */
const changeWords: Improve = async ({ comparison: { run }, result }, { room, level }, tools) => {
  const side = run.suite.head;
  const counter = countCalls(tools.spent.complete, room, 'coverage.max_calls');
  const none = (no_fix: string, is_settled = true) => without(no_fix, is_settled, counter.made());
  if (!isWritten(side))
    return none('code makes this prompt, and only written messages can be changed');
  const { grader, random } = tools;
  if (grader === null)
    return none(tools.unasked ?? 'no grader is asked for an outside contributor');
  const judged = result.references.filter(
    (reference) => countsForVerdict(reference) && (reference.head?.tries_judged ?? 0) > 0,
  );
  if (judged.length === 0) return none(NONE_JUDGED, false);
  const fell = judged
    .filter((reference) => shareOnHead(reference) < 0.5)
    .sort((a, b) => shareOnHead(a) - shareOnHead(b));
  const stable = judged.filter((reference) => shareOnHead(reference) === 1);
  const varying = judged.filter(
    (reference) => !fell.includes(reference) && !stable.includes(reference),
  );
  if (fell.length < 2)
    return none('fewer than two tests fail in most tries, so none can be withheld from the grader');
  if (stable.length === 0) return none('no test always passes, which a change could break');
  tools.onStage?.(`looking for better words for ${run.suite.name}`);
  const packet = packetOf({
    suite: { base: side, head: side },
    groups: [],
    fell: splitFallen(fell).shown,
    stable,
  });
  const { complete, ended } = counter;
  const { candidates, why } = await proposedFixes(
    QUESTION,
    packet,
    { side, files: headFiles(side.suite.prompt, tools) },
    { grader, complete, random },
  );
  if (candidates.length === 0) return none(ended() ?? why, false);
  const references = [...fell, ...stable, ...varying];
  const ids = references.map(({ id }) => id);
  const make = extraTries(run, ids, { ...tools, complete });
  const retestRate = repeatRate(judged);
  const trial = { references, fell, stable, varying, ended, make, retestRate };
  const proven = await provenFix(candidates, trial, level);
  const isOpen = ended() !== null || proven.no_fix === UNJUDGED_FIXES;
  const is_settled = proven.fix !== null || !isOpen;
  return { ...proven, is_settled, calls: counter.made() };
};

const QUESTION = {
  name: 'insights',
  role: 'You improve the prompt of an application.',
  about: 'Nothing changed. Explain what the prompt lacks for the cases that fail.',
  materials: {},
};

function shareOnHead({ head }: ReferenceResult): number {
  return head === null ? 0 : sideShare(head);
}

/** How often references whose first try passes pass again, 0–1. */
function repeatRate(references: readonly ReferenceResult[]): number {
  const again = references.flatMap(({ head }) => laterTries(head));
  const passed = again.filter((outcome) => outcome === 'pass').length;
  return again.length === 0 ? 1 : passed / again.length;
}

function laterTries(side: SideResult | null): string[] {
  const outcomes = (side?.tries ?? [])
    .map(({ outcome }) => outcome)
    .filter((outcome) => outcome === 'pass' || outcome === 'fail');
  return outcomes[0] === 'pass' ? outcomes.slice(1) : [];
}
