import { NOT_JUDGED } from '../../errors.ts';
import type { Conclusion } from '../../types/plain.ts';
import {
  brokenUnderRise,
  countsForVerdict,
  evidenceInAll,
  fallenMetric,
  ungradedInAll,
  worseAlone,
} from '../result/counts.ts';
import type { OutcomeKind, OutcomeOf, RunOutcome } from '../result/outcome.ts';
import type { Reason, ReasonOf } from '../result/reason.ts';
import type { ReferenceResult } from '../result/reference-result.ts';
import type { Replaced, Result } from '../result/result.ts';
import type { ScoringResult } from '../result/scoring-result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import type { GateSettings } from '../suite/gate-settings.ts';

export interface ReplacedModel extends Replaced {
  file: string;
  reason: Reason;
}

/** Makes a run red, unless its suite (or the run) never fails. */
export interface GateFinding<R extends Reason = Reason> {
  reason: R;
  failOn: GateSettings['fail_on'];
}

export type UnderBaseFinding = GateFinding<ReasonOf<'worse-under-base' | 'mean-under-base'>>;

/** What base judged and head did not. */
export interface Unseen {
  /** With any of these no run is green. */
  blocking: readonly Reason[];
  /** Metrics whose conditions hold less often on head, maybe for good reasons. */
  warnings: readonly Reason[];
}

export interface FeatureFinding {
  suite: Pick<SuiteResult, 'path' | 'name' | 'variant'>;
  text: string;
}

export interface GateInput {
  mode: Result['mode'];
  suites: readonly SuiteResult[];
  scoring: readonly ScoringResult[];
  settings: GateSettings;
  /** References; 0: there was nothing to run. */
  affected: number;
  /** References that base gates on and head removes, newly skips or quarantines, `suite: id`. */
  removed: readonly string[];
  /** References that ask something else than base does under their id, `suite: id`. */
  askedAnew: readonly string[];
  underBase: readonly UnderBaseFinding[];
  unseen: Unseen;
  weakened: readonly Reason[];
  tested: number;
  /** Suites that preference alone judges and that have no answers of base to compare with. */
  uncomparable: readonly string[];
  /** The pass rate over all suites together, where it fell beyond chance. */
  pool: { base: number; head: number } | null;
  /** References that ran and count for the verdict: neither skipped nor in quarantine. */
  counted: number;
  featureFindings: readonly FeatureFinding[];
  unjudged: readonly string[];
  replaced: readonly ReplacedModel[];
  unused: boolean;
  /** Why there is nothing of base to compare with although base is no beginning; null: there is. */
  blind: string | null;
}

export interface Decision {
  outcome: RunOutcome;
  reasons: Reason[];
}

/** What an outcome names besides its kind. */
type Figures<K extends OutcomeKind> = Omit<OutcomeOf<K>, 'kind'>;

type EvidenceCounts = Pick<OutcomeOf<'evaluated'>, 'ungraded' | 'evidence'>;

export function seenIn({ suites }: Pick<GateInput, 'suites'>): EvidenceCounts {
  return { ungraded: ungradedInAll(suites), evidence: evidenceInAll(suites) };
}

export function regressedFigures(input: GateInput & { fails: boolean }): Figures<'regressed'> {
  const { suites, pool, fails } = input;
  const regressed = suites.filter(({ verdict }) => verdict === 'regressed');
  return {
    suites: regressed.map((suite) => regressedOf(suite, suites)),
    ...(pool === null ? {} : { pool: { ...pool, suites: comparedRates(suites) } }),
    fails,
    ...seenIn(input),
  };
}

/** Every open suite falls on base, too, when base is asked today. */
export function isModelChange({ suites }: Pick<GateInput, 'suites'>): boolean {
  const open = suites.filter(({ verdict }) => verdict === 'inconclusive');
  return open.length > 0 && open.every(({ reason }) => reason?.by === 'model');
}

export function modelChangedFigures(
  input: GateInput & { fails: boolean },
): Figures<'model-changed'> {
  const { suites, fails } = input;
  const drifts = suites.flatMap(({ name, reason, confirmation }) => {
    const drift = reason?.by === 'model' ? (confirmation?.drift ?? null) : null;
    return drift === null || confirmation?.metric !== undefined
      ? []
      : [{ name, base: drift.stored, head: drift.today }];
  });
  return { suites: drifts, fails, ...comparedIn(suites), ...seenIn(input) };
}

type NamedReference = OutcomeOf<'fixed'>['references'][number];

/** Counting references that `is` chooses, with their suites. */
function referencesThat(
  suites: readonly SuiteResult[],
  is: (reference: ReferenceResult, suite: SuiteResult) => boolean,
): NamedReference[] {
  return suites.flatMap((suite) =>
    suite.references
      .filter((reference) => countsForVerdict(reference) && is(reference, suite))
      .map(({ id }) => ({ suite: suite.name, id })),
  );
}

export function fixedReferences({ suites }: Pick<GateInput, 'suites'>): NamedReference[] {
  return referencesThat(suites, ({ status }) => status === 'fixed');
}

/** New references that ran, or of these only those that fail. */
function newReferences({ suites, mode }: Pick<GateInput, 'suites' | 'mode'>): NamedReference[] {
  return mode === 'sweep' ? [] : referencesThat(suites, isNewReference);
}

export function newFailing({ suites, mode }: Pick<GateInput, 'suites' | 'mode'>): NamedReference[] {
  if (mode === 'sweep') return [];
  return referencesThat(
    suites,
    (reference, suite) => isNewReference(reference, suite) && reference.head?.rollup === 'fail',
  );
}

function isNewReference({ status, head }: ReferenceResult, { verdict }: SuiteResult): boolean {
  return head !== null && (status === 'added' || verdict === 'new');
}

export function fixedFigures(input: GateInput): Figures<'fixed'> {
  const references = fixedReferences(input);
  return { references, ...comparedIn(input.suites), ...seenIn(input) };
}

export function newFailingFigures(input: GateInput): Figures<'new-failing'> {
  return {
    references: newFailing(input),
    of: newReferences(input).length,
    ...comparedIn(input.suites),
    ...seenIn(input),
  };
}

export function inconclusiveFigures(input: GateInput): Figures<'inconclusive'> {
  const suites = input.suites.filter(({ verdict }) => verdict === 'inconclusive').length;
  return { suites, ...comparedIn(input.suites), ...seenIn(input) };
}

export function noVerdictFigures(input: GateInput): Figures<'no-verdict'> {
  // The reason itself says how many of the references were compared.
  const said = input.suites.some(
    ({ verdict, evidence }) => verdict === 'not_compared' && evidence.missing.length > 0,
  );
  return { ...seenIn(input), ...(said ? { evidence: null } : {}) };
}

export function improvedFigures(input: GateInput): Figures<'improved'> {
  const { suites } = input;
  const better = suites.filter(({ verdict }) => verdict === 'improved');
  return {
    suites: better.map((suite) => namedRates(suite, suites)),
    ...comparedIn(suites),
    ...seenIn(input),
  };
}

export function noRegressionFigures(input: GateInput): Figures<'no-regression'> {
  const { suites, affected } = input;
  const fresh = suites
    .filter(({ verdict }) => verdict === 'new')
    .reduce((sum, { references }) => sum + references.length, 0);
  const isNew = fresh === 0 ? {} : { fresh };
  const compared = { ...comparedIn(suites), ...seenIn(input) };
  return { references: affected, ...isNew, ...compared };
}

/** Scorings that move base's own pass rate, largest first. Empty: something else changed too. */
export function onlyScoringChanged({
  scoring,
  suites,
}: Pick<GateInput, 'scoring' | 'suites'>): ScoringResult[] {
  const moved = scoring
    .filter(({ rates: of }) => of.base_base !== of.base_head)
    .sort((a, b) => Math.abs(b.scoring_effect ?? 0) - Math.abs(a.scoring_effect ?? 0));
  return moved.length > 0 &&
    suites.some(({ pass_rate, verdict }) => pass_rate.difference !== null || verdict === 'new')
    ? []
    : moved;
}

function comparedIn(suites: readonly SuiteResult[]): { ran: number; worse: number } {
  return { ran: ranSuites(suites), worse: worseAlone(suites) };
}

export function evaluatedFigures(input: GateInput): Figures<'evaluated'> {
  const { suites, affected } = input;
  const rates = suites.map(({ pass_rate }) => pass_rate.head).filter((rate) => rate !== null);
  return {
    suites: suites.length,
    references: affected,
    lowest: rates.length === 0 ? null : Math.min(...rates),
    highest: rates.length === 0 ? null : Math.max(...rates),
    ...seenIn(input),
  };
}

function comparedRates(suites: readonly SuiteResult[]): OutcomeOf<'improved'>['suites'] {
  return suites
    .filter(({ pass_rate }) => pass_rate.difference !== null)
    .map((suite) => namedRates(suite, suites));
}

function ranSuites(suites: readonly SuiteResult[]): number {
  return suites.filter(({ references }) =>
    references.some(({ base, head }) => base !== null || head !== null),
  ).length;
}

function namedRates(
  { path, name, variant, pass_rate: { base, head } }: SuiteResult,
  suites: readonly SuiteResult[],
): OutcomeOf<'improved'>['suites'][number] {
  const variants = suites.filter((suite) => suite.path === path && suite.name === name);
  return { name, ...(variants.length > 1 ? { variant } : {}), base, head };
}

/** Where head fell silent or answers less often: in how many references of how many. */
function regressedOf(
  suite: SuiteResult,
  suites: readonly SuiteResult[],
): OutcomeOf<'regressed'>['suites'][number] {
  const { reason, evidence, references } = suite;
  const broke = brokenUnderRise(suite);
  if (broke !== null) return { ...namedRates(suite, suites), broke };
  const metric = fallenMetric(suite);
  if (metric !== null) return { ...namedRates(suite, suites), metric };
  if (reason?.by !== 'unanswered') return namedRates(suite, suites);
  const partly = references.some(
    ({ id, head }) => reason.references.includes(id) && head !== null && head.tries_judged > 0,
  );
  const found = { in: reason.references.length, of: evidence.of };
  return { ...namedRates(suite, suites), silent: partly ? { ...found, partly } : found };
}

/** 0: pass or inconclusive; 1: the gate failed; 2: not judged (configuration or infrastructure). */
export function exitCode(conclusion: Conclusion): 0 | 1 | 2 {
  if (conclusion === 'error') return NOT_JUDGED;
  return conclusion === 'failure' ? 1 : 0;
}
