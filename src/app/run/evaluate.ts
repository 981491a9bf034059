import { formatProblem } from '../../errors.ts';
import { compareSuite, type SuitePart } from '../../kernel/judge/compare.ts';
import type { Decision, GateInput, ReplacedModel } from '../../kernel/judge/gate-input.ts';
import { decide } from '../../kernel/judge/gate.ts';
import { plannedFacts } from '../../kernel/judge/planned.ts';
import { rollUpSuite } from '../../kernel/judge/roll-up.ts';
import { scoringSplit } from '../../kernel/judge/scoring-split.ts';
import { unreadByBase } from '../../kernel/judge/under-base-scoring.ts';
import { unseenReasons, type ComparedSuite } from '../../kernel/judge/unseen.ts';
import { judgeMeasured, measureSuites } from '../../kernel/judge/verdict.ts';
import { changesOutcome, incomplete } from '../../kernel/plan/halt.ts';
import type { Result } from '../../kernel/result/result.ts';
import { costPer1000Calls } from '../../money/meter.ts';
import type { Prepared } from '../../money/prepared.ts';
import { changedRequestIds, lostCheckReasons } from '../../trust/weakened.ts';
import { findBrokenCode, type RolledSuite } from './broken-code.ts';
import { findUnderBase } from './confirm-under-base.ts';
import {
  confirmFalls,
  confirmReferences,
  createConfirm,
  type Confirm,
  type ConfirmedVerdict,
} from './confirm.ts';
import type { FeatureTools, Features, Judged } from './feature.ts';
import { withScoringFacts } from './scoring-facts.ts';
import type { Spending } from './spending.ts';

export type ComparedSuites = Awaited<ReturnType<typeof compareSuites>>;

async function verdictsOf(
  rolled: readonly RolledSuite[],
  { gate, mode }: Prepared,
  { spent }: FeatureTools,
  confirm: Confirm | null,
): Promise<ConfirmedVerdict> {
  if (mode !== 'diff') return { suites: new Map(), pool: null, confirmedPool: null };
  const complete = spent.halted() === null || !incomplete(spent.unmade);
  const rollUps = new Map(rolled.flatMap((suite) => [...suite.rollUps]));
  const suites = rolled.map(({ comparison }) => comparison);
  const measured = measureSuites(suites, gate, { complete, rollUps });
  if (confirm === null) return { ...judgeMeasured(measured), confirmedPool: null };
  return confirmFalls(measured, gate, confirm);
}

export async function compareSuites(
  prepared: Prepared,
  tools: FeatureTools,
  rows: Features,
  suiteParts: readonly SuitePart[],
) {
  const { gate, mode, price } = prepared;
  const rolled = await Promise.all(
    prepared.suites.map(async (comparison) => ({
      comparison,
      rollUps: await rollUpSuite(comparison.run, tools.evaluate),
    })),
  );
  const confirm = mode !== 'diff' || tools.isPreview === true ? null : createConfirm(tools, price);
  const verdicts = await verdictsOf(rolled, prepared, tools, confirm);
  const broken = findBrokenCode(rolled);
  const shown = rolled
    .filter(({ comparison: { run } }) => run.suite.references.length > 0 && !broken.suites.has(run))
    .map((row) => ({ ...row, verdict: verdicts.suites.get(row.comparison) ?? null }));
  const compared = shown.map(({ comparison, verdict, rollUps: own }) => {
    const cost =
      mode === 'sweep' ? { cost_per_1000_calls: costPer1000Calls(comparison.run, price) } : {};
    return {
      comparison,
      result: { ...compareSuite(comparison, verdict, own, suiteParts), ...cost },
    };
  });
  let suites: ComparedSuite[] = compared;
  for (const { results } of rows) suites = (await results?.(suites, tools)) ?? suites;
  const underBase = await findUnderBase(shown, gate, { confirm, words: tools.words });
  const scoring = await Promise.all(
    shown.map(async (suite) => {
      const { comparison } = suite;
      const split = scoringSplit(comparison, suite.rollUps, underBase.hiddenIn(suite));
      return split === null ? [] : [await withScoringFacts(split, comparison, tools.evaluate)];
    }),
  );
  return {
    problems: broken.problems,
    suites,
    scoring: scoring.flat(),
    underBase: underBase.findings,
    unconfirmed: underBase.unconfirmed,
    confirm: confirmReferences(gate, confirm),
    unseen: unseenReasons(suites, gate.alpha),
    pool: verdicts.pool,
    notices: [
      ...broken.notices,
      ...tools.words.driftNotice('all suites together', verdicts.confirmedPool),
      ...compared.flatMap(({ comparison, result }) => tools.words.suiteNotices(comparison, result)),
    ],
  };
}

export function decideRun(
  {
    suites: comparisons,
    gate,
    mode,
    features,
    replaced,
    ownRules,
    notRun,
  }: Prepared & { replaced: ReplacedModel[] },
  { suites, scoring, underBase, unconfirmed, unseen, pool }: ComparedSuites,
  found: readonly (Pick<Judged, 'findings' | 'unjudged'> | undefined)[],
  { halted, unmade }: Spending,
  emptyResult: Pick<Result, 'notices'>,
): Decision {
  const runs = comparisons.map(({ run }) => run);
  const input: GateInput = {
    mode,
    suites: suites.map(({ result }) => result),
    scoring,
    featureFindings: found.flatMap((each) => each?.findings ?? []),
    unjudged: [...unconfirmed, ...found.flatMap((each) => each?.unjudged ?? [])],
    settings: gate,
    ...plannedFacts(comparisons),
    underBase,
    unseen,
    askedAnew: changedRequestIds(runs),
    weakened: [...ownRules, ...unreadByBase(comparisons), ...lostCheckReasons(runs)],
    tested: features.reduce((sum, { tested }) => sum + tested, 0),
    replaced,
    pool,
    hasUnusedChanges: emptyResult.notices.some(({ kind }) => kind === 'trust'),
    notRun,
    unread: emptyResult.notices.flatMap((notice) =>
      notice.kind === 'not-comparable' ? formatProblem(notice) : [],
    ),
  };
  const halt = halted();
  return halt === null || !changesOutcome(halt, unmade)
    ? decide(input)
    : decide(input, { halt, unmade });
}
