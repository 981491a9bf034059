import { claimAbout, meanClaimUnderBase, outcomeUnderBase } from '../../confirm/claims.ts';
import { restsOn } from '../../kernel/judge/confirmation.ts';
import type { UnderBaseFinding } from '../../kernel/judge/gate-input.ts';
import type { SuiteVerdict } from '../../kernel/judge/suite-row.ts';
import { underBaseFindings, type FallUnderBase } from '../../kernel/judge/under-base-scoring.ts';
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
  { confirm, words }: { confirm: Confirm | null; words: RunWords },
): Promise<UnderBase> {
  const findings = underBaseFindings(suites, gate.alpha);
  const falls =
    gate.scoring === 'fail' && confirm !== null
      ? suites
          .filter(({ comparison }) => restsOn(comparison.compared) !== null)
          .flatMap((suite) => fallsOf(suite, findings))
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
    findings: findings.flatMap((finding) => withoutRefuted(finding, refuted)),
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
  findings: readonly UnderBaseFinding[],
): FallOfSuite[] {
  const metrics = findings.flatMap(({ reason }) =>
    reason.code === 'mean-under-base' && reason.suite === suite.run.suite.name ? reason.metric : [],
  );
  const isNamed = findings.some(
    ({ reason }) =>
      reason.code === 'worse-under-base' &&
      reason.references.some(({ reference }) => isOf(reference, suite)),
  );
  const excuse = verdict?.underBase?.excuse ?? 'none';
  return [
    ...(isNamed || excuse !== 'none' ? [{ suite, metric: null }] : []),
    ...metrics.map((metric) => ({ suite, metric })),
  ];
}

function withoutRefuted(
  { reason, failOn }: UnderBaseFinding,
  refuted: readonly FallOfSuite[],
): UnderBaseFinding[] {
  if (reason.code === 'mean-under-base') {
    const isRefuted = refuted.some(
      ({ suite, metric }) => metric === reason.metric && suite.run.suite.name === reason.suite,
    );
    return isRefuted ? [] : [{ reason, failOn }];
  }
  const references = reason.references.filter(({ reference }) =>
    refuted.every(({ suite, metric }) => metric !== null || !isOf(reference, suite)),
  );
  return references.length === 0 ? [] : [{ reason: { ...reason, references }, failOn }];
}

/** `reference`: `path: id`. */
function isOf(reference: string, { run }: SuiteComparison): boolean {
  return reference.startsWith(`${run.suite.path}: `);
}
