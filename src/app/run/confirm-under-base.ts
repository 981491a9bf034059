import { claimAbout, meanClaimUnderBase, outcomeUnderBase } from '../../confirm/claims.ts';
import { restsOn } from '../../kernel/judge/confirmation.ts';
import type { SuiteRow } from '../../kernel/judge/suite-row.ts';
import {
  separateFalls,
  underBaseFindings,
  type SeparateFall,
} from '../../kernel/judge/under-base-scoring.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import type { Confirm } from './confirm.ts';
import type { RunWords } from './spending.ts';

type ConfirmableSuite = Pick<SuiteRow, 'comparison' | 'verdict'>;

/** A drop that appears when base's metrics judge both sides. `metric`: null for the pass rate. */
interface FallOfSuite {
  suite: SuiteComparison;
  metric: string | null;
}

/**
 * Finds drops that appear when base's metrics judge both sides. Drops based on stored answers count
 * only if new answers confirm them.
 */
export async function findUnderBase(
  suites: readonly ConfirmableSuite[],
  gate: GateSettings,
  { confirm, words }: { confirm: Confirm | null; words: Pick<RunWords, 'confirmationWords'> },
) {
  const alone = separateFalls(suites, gate.alpha);
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
    /** A drop that only base's metrics show. Null if new answers refute the drop. */
    hiddenIn: ({ comparison, verdict }: ConfirmableSuite) =>
      refuted.some(({ suite, metric }) => suite === comparison && metric === null)
        ? null
        : (verdict?.underBase ?? null),
    /** Sentences that say why the verdict cannot be green. */
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
  { comparison: suite, verdict }: ConfirmableSuite,
  alone: readonly SeparateFall[],
): FallOfSuite[] {
  const own = alone.filter(({ comparison }) => comparison === suite);
  const isNamed = own.some(({ reason }) => reason.code === 'worse-under-base');
  const excusedBy = verdict?.underBase?.excusedBy ?? 'none';
  return [
    ...(isNamed || excusedBy !== 'none' ? [{ suite, metric: null }] : []),
    ...own.flatMap(({ reason }) =>
      reason.code === 'mean-under-base' ? [{ suite, metric: reason.metric }] : [],
    ),
  ];
}

function isOf({ comparison, reason }: SeparateFall, { suite, metric }: FallOfSuite): boolean {
  const own = reason.code === 'mean-under-base' ? reason.metric : null;
  return comparison === suite && own === metric;
}
