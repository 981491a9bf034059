import { percent, counted, pointsApart, signedBetween } from '../../text/amounts.ts';
import type { Outcome } from '../../types/metric.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import type { ScoringResult } from '../result/scoring-result.ts';
import { isScoringKey, onlySkipDiffers, referenceScoringDiffers } from '../select/scoring.ts';
import { cohenKappa } from '../statistics/kappa.ts';
import { mcnemar } from '../statistics/suite-test.ts';
import type { RunRollUps } from './roll-up.ts';
import { scoringRates, splitRuns, type FallUnderBase } from './scoring-rates.ts';

/** How the pass rate's change splits: prompt under head's scoring, scoring on base's outputs. */
export function scoringSplit(
  comparison: SuiteComparison,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
  hidden: FallUnderBase | null = null,
): ScoringResult | null {
  const { run: suite } = comparison;
  if (suite.other === null) return null;
  const fell = hidden === null || hidden.excuse === 'passes' ? [] : hidden.references;
  const excused = hidden !== null && hidden.excuse !== 'none';
  const runs = splitRuns(comparison);
  const rates = scoringRates(comparison);
  const effects = {
    prompt_effect: rateDifference(rates.head_head, rates.base_head),
    scoring_effect: rateDifference(rates.base_head, rates.base_base),
    total: rateDifference(rates.head_head, rates.base_base),
  };
  const because = suite.suite.because.filter(
    ({ key }) => isScoringKey(key, suite.suite) || key === 'references',
  );
  const flipped = flips(runs, rollUps);
  return {
    path: suite.suite.path,
    name: suite.suite.name,
    rates,
    ...effects,
    because,
    flipped,
    same_answers: compareSameAnswers(runs),
    ...(excused ? { excused } : {}),
    ...(hidden === null ? {} : { under_base: { base: hidden.base, head: hidden.head } }),
    ...(fell.length === 0 ? {} : { fell: fell.flatMap((id) => fallenTry(runs, id) ?? []) }),
    summary: splitSummary({ rates, because, flipped }, partNames(suite)),
  };
}

function fallenTry(runs: readonly ReferenceRun[], id: string): NonNullable<ScoringResult['fell']> {
  const run = runs.find(({ affected: { reference } }) => reference.id === id);
  const before = run?.base.find(({ other }) => other?.outcome === 'pass');
  const after = run?.head.find(({ other }) => other?.outcome === 'fail');
  return before === undefined || after?.other === undefined || after.other === null
    ? []
    : [{ id, base_try: before.result.try, head_try: after.result.try, scores: after.other.scores }];
}

function rateDifference(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before;
}

/** The same answers of base, so only the scoring can differ. */
function compareSameAnswers(runs: readonly ReferenceRun[]): ScoringResult['same_answers'] {
  const pairs = runs.flatMap(({ base }) =>
    base.map(({ result, other }) => [other?.outcome, result.outcome]),
  );
  const count = (before: Outcome, after: Outcome): number =>
    pairs.filter(([was, is]) => was === before && is === after).length;
  const [passFail, failPass] = [count('pass', 'fail'), count('fail', 'pass')];
  const table = [
    [count('pass', 'pass'), passFail],
    [failPass, count('fail', 'fail')],
  ];
  return {
    judged: table.flat().reduce((sum, cell) => sum + cell, 0),
    pass_fail: passFail,
    fail_pass: failPass,
    p: Math.min(1, mcnemar({ passFail, failPass })),
    kappa: cohenKappa(table),
  };
}

function flips(
  runs: readonly ReferenceRun[],
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): ScoringResult['flipped'] {
  return runs.flatMap((run) => {
    const found = rollUps.get(run);
    if (found === undefined || found.other === null) return [];
    const [before, after] = [found.other.outcome, found.base.outcome];
    if (before === after) return [];
    const tag = (outcome: 'pass' | 'fail' | null): Outcome => outcome ?? 'ungraded';
    return [{ id: run.affected.reference.id, from: tag(before), to: tag(after) }];
  });
}

type Split = Pick<ScoringResult, 'rates' | 'because' | 'flipped'>;

function splitSummary(
  { rates: { base_base: before, base_head: between, head_head: after }, because, flipped }: Split,
  partName: (key: string) => string,
): string {
  if (before === null || between === null || after === null)
    return 'The scoring changed; the four rates could not all be measured.';
  const [total, scoring] = [pointsApart(before, after), pointsApart(before, between)];
  const moved =
    total === 0
      ? `The pass rate stayed at ${percent(after)}`
      : `The pass rate ${total > 0 ? 'rose' : 'fell'} ${signedBetween(before, after).slice(1)} ` +
        `points (${percent(before)} → ${percent(after)})`;
  const flat = scoring === 0;
  const how = flat ? 'changed' : `got ${scoring > 0 ? 'easier' : 'stricter'}`;
  const rolled =
    flat && flipped.length > 0
      ? ` ${counted(flipped.length, 'reference')} of base read otherwise all the same.`
      : '';
  return (
    `${moved}: ${signedBetween(between, after)} from the prompt, ` +
    `${signedBetween(before, between)} because ` +
    `${whatChanged(because.map(({ key }) => partName(key)))} ${how}.${rolled}`
  );
}

function whatChanged(parts: readonly string[]): string {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  const names = parts.map((part) => part.replace(/^the /, ''));
  return names.length === 0 ? 'the scoring' : `the scoring (${names.join(', ')})`;
}

function partNames({ runs }: SuiteComparison['run']): (key: string) => string {
  const edited = runs.flatMap(({ affected: { reference, baseReference } }) =>
    baseReference !== null && referenceScoringDiffers(baseReference, reference)
      ? [onlySkipDiffers(baseReference, reference)]
      : [],
  );
  const skips = edited.length > 0 && edited.every((only) => only);
  return (key) =>
    skips && key === 'references' ? 'the list of skipped references' : scoringPartName(key);
}

function scoringPartName(key: string): string {
  const [kind = '', ...rest] = key.split('.');
  const name = rest.join('.');
  if (kind === 'rubrics') return `the rubric ${name}`;
  if (kind === 'metrics') return `the metric ${name}`;
  if (kind === 'metrics_rollup') return 'the roll-up';
  if (kind === 'references') return 'the expected value of references';
  if (kind === 'embeddings') return 'the model of embeddings';
  return kind === 'grader' ? 'the grader' : 'the scoring';
}
