import { claimAbout, meanClaimUnderBase, outcomeUnderBase } from '../../confirm/claims.ts';
import { restsOn } from '../../kernel/judge/confirmation.ts';
import type { UnderBaseFinding } from '../../kernel/judge/gate-input.ts';
import type { SuiteVerdict } from '../../kernel/judge/suite-row.ts';
import {
  fallsAlone,
  underBaseFindings,
  type FallAlone,
  type FallUnderBase,
} from '../../kernel/judge/under-base-scoring.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import type { Confirm } from './confirm.ts';
import type { RunWords } from './spending.ts';

interface JudgedSuite {
  comparison: SuiteComparison;
  verdict: SuiteVerdict | null;
}

/** A fall under base's scoring: of a metric's mean, or of what passes (null). */
interface FallOfSuite {
  suite: SuiteComparison;
  metric: string | null;
}

interface UnderBase {
  findings: UnderBaseFinding[];
  /** The fall that head's own scoring hides; null: none, or new answers do not show it. */
  hiddenIn(suite: JudgedSuite): FallUnderBase | null;
  /** Sentences about falls that new answers do not show, so that the run is not green. */
  unconfirmed: string[];
}

/** Falls under base's scoring. Where `gate.scoring` makes them red, new answers must show them. */
export async function findUnderBase(
  suites: readonly JudgedSuite[],
  gate: GateSettings,
  { confirm, words }: { confirm: Confirm | null; words: Pick<RunWords, 'confirmationWords'> },
): Promise<UnderBase> {
  const alone = fallsAlone(suites, gate.alpha);
  const falls =
    gate.scoring === 'fail' && confirm !== null
      ? suites
          .filter(({ comparison }) => restsOn(comparison.compared) !== null)
          .flatMap((suite) => fallsOf(suite, alone))
      : [];
  const refuted: FallOfSuite[] = [];
  const unconfirmed: string[] = [];
  for (const fall of falls) {
    const confirmation = await confirm?.(claimOf(fall, { ...gate, claims: falls.length }));
    if (confirmation === undefined || confirmation.status === 'confirmed') continue;
    refuted.push(fall);
    const { name } = fall.suite.run.suite;
    unconfirmed.push(`${name}, under base's scoring: ${words.confirmationWords(confirmation)}`);
  }
  return {
    findings: underBaseFindings(alone.filter((fall) => !refuted.some((own) => isOf(fall, own)))),
    hiddenIn: ({ comparison, verdict }) =>
      refuted.some(({ suite, metric }) => suite === comparison && metric === null)
        ? null
        : (verdict?.underBase ?? null),
    unconfirmed,
  };
}

function claimOf(
  { suite, metric }: FallOfSuite,
  settings: GateSettings & { claims: number },
): Parameters<Confirm>[0] {
  return metric === null
    ? claimAbout(suite, suite.compared, outcomeUnderBase, settings)
    : meanClaimUnderBase(suite, metric, settings);
}

function fallsOf(
  { comparison: suite, verdict }: JudgedSuite,
  alone: readonly FallAlone[],
): FallOfSuite[] {
  const own = alone.filter(({ comparison }) => comparison === suite);
  const isNamed = own.some(({ reason }) => reason.code === 'worse-under-base');
  const excuse = verdict?.underBase?.excuse ?? 'none';
  return [
    ...(isNamed || excuse !== 'none' ? [{ suite, metric: null }] : []),
    ...own.flatMap(({ reason }) =>
      reason.code === 'mean-under-base' ? [{ suite, metric: reason.metric }] : [],
    ),
  ];
}

function isOf({ comparison, reason }: FallAlone, { suite, metric }: FallOfSuite): boolean {
  const own = reason.code === 'mean-under-base' ? reason.metric : null;
  return comparison === suite && own === metric;
}
