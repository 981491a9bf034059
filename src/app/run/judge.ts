import { formatProblem } from '../../errors.ts';
import { compareSuite } from '../../kernel/judge/compare.ts';
import type { GateInput } from '../../kernel/judge/gate-input.ts';
import { plannedFacts } from '../../kernel/judge/planned.ts';
import { rollUpSuite } from '../../kernel/judge/roll-up.ts';
import { scoringSplit } from '../../kernel/judge/scoring-split.ts';
import type { SuiteRow } from '../../kernel/judge/suite-row.ts';
import { unreadByBase } from '../../kernel/judge/under-base-scoring.ts';
import { unseenReasons } from '../../kernel/judge/unseen.ts';
import { judgeMeasured, measureSuites } from '../../kernel/judge/verdict.ts';
import { incomplete, type Halt, type Unmade } from '../../kernel/plan/halt.ts';
import type { SuiteComparison, SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { ScoringResult } from '../../kernel/result/scoring-result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import { rollupName } from '../../kernel/suite/gate.ts';
import { everyMetric, isModelGraded } from '../../kernel/suite/metrics.ts';
import { costPer1000Calls } from '../../money/meter.ts';
import { replacedAnswerers } from '../../trust/answerers.ts';
import { changedRequestIds, lostCheckReasons } from '../../trust/weakened.ts';
import type { Evaluate } from '../../types/model.ts';
import type { Notice } from '../../types/plain.ts';
import { findBrokenCode, type RolledSuite } from './broken-code.ts';
import {
  confirmFalls,
  confirmReferences,
  createConfirm,
  type Confirm,
  type ConfirmedVerdict,
  findUnderBase,
} from './confirm.ts';
import { inTurn, type AskedRun, type DecidedRun, type ComparedRun } from './feature.ts';
import { checkRollup } from './roll-up-check.ts';

/** A run whose suites have verdicts, and what its own verdict is decided from. */
export interface GatedRun extends ComparedRun {
  gateInput: GateInput;
  groups: DecidedRun['groups'];
  /** Later calls explain the verdict, but do not change it. */
  halt: Halt | null;
  unmade: Unmade;
  /** Notices about single suites. */
  remarks: Notice[];
}

/** Gives each suite a verdict and a result. Problems are errors in code that scores. */
export async function judge(asked: AskedRun): Promise<GatedRun> {
  const { gate, mode, price, tools } = asked;
  const confirm = mode !== 'diff' || tools.isPreview === true ? null : createConfirm(tools, price);
  const rolled = await Promise.all(
    asked.suites.map(async (comparison) => ({
      comparison,
      rollUps: await rollUpSuite(comparison.run, tools.evaluate),
    })),
  );
  const verdicts = await verdictsOf(rolled, asked, confirm);
  const { broken, ...code } = findBrokenCode(rolled);
  const rows = rolled
    .filter(({ comparison: { run } }) => run.suite.references.length > 0 && !broken.has(run))
    .map(({ comparison, rollUps }): SuiteRow => {
      const verdict = verdicts.suites.get(comparison) ?? null;
      const result = compareSuite(comparison, verdict, rollUps);
      if (mode === 'sweep') result.cost_per_1000_calls = costPer1000Calls(comparison.run, price);
      return { comparison, rollUps, verdict, result };
    });
  const underBase = await findUnderBase(rows, gate, { confirm, words: tools.words });
  const scoring = await Promise.all(
    rows.map(async (row) => {
      const split = scoringSplit(row.comparison, row.rollUps, underBase.hiddenIn(row));
      return split === null ? [] : [await withScoringFacts(split, row.comparison, tools.evaluate)];
    }),
  );
  const remarks = [
    ...code.notices,
    ...tools.words.driftNotice('all suites together', verdicts.confirmedPool),
    ...rows.flatMap(({ comparison, result }) => tools.words.suiteNotices(comparison, result)),
  ];
  const run = {
    ...asked,
    rows,
    problems: code.problems,
    confirm: confirmReferences(gate, confirm),
  };
  const judged = await judgeFeatures(run);
  return {
    ...judged,
    gateInput: gateInput(judged, {
      scoring: scoring.flat(),
      featureFindings: judged.findings,
      unjudged: [...underBase.unconfirmed, ...judged.unjudged],
      underBase: underBase.findings,
      pool: verdicts.pool,
    }),
    halt: tools.spent.halted(),
    unmade: { ...tools.spent.unmade },
    remarks,
  };
}

async function verdictsOf(
  rolled: readonly RolledSuite[],
  { gate, mode, tools: { spent } }: AskedRun,
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

async function judgeFeatures(run: ComparedRun) {
  let rows = run.rows;
  const found =
    run.problems.length > 0
      ? []
      : await inTurn(run, async ({ feature, plan }) => {
          const judged = await feature.judge?.(plan, { ...run, rows }, run.tools);
          const { ofSuite } = judged ?? {};
          if (ofSuite !== undefined)
            rows = rows.map((row) => ({ ...row, result: { ...row.result, ...ofSuite(row) } }));
          return judged ?? {};
        });
  return {
    ...run,
    rows,
    added: [...run.added, ...found],
    findings: found.flatMap(({ findings = [] }) => findings),
    unjudged: found.flatMap(({ unjudged = [] }) => unjudged),
    groups: (suite: SuiteResult) => found.flatMap(({ groups }) => groups?.(suite) ?? []),
  };
}

function gateInput(
  { mode, gate, suites, rows, features, ownRules, notRun, emptyResult: { notices } }: ComparedRun,
  found: Pick<GateInput, 'scoring' | 'featureFindings' | 'unjudged' | 'underBase' | 'pool'>,
): GateInput {
  const runs = suites.map(({ run }) => run);
  return {
    ...found,
    ...plannedFacts(suites),
    mode,
    suites: rows.map(({ result }) => result),
    settings: gate,
    unseen: unseenReasons(rows, gate.alpha),
    askedAnew: changedRequestIds(runs),
    weakened: [...ownRules, ...unreadByBase(suites), ...lostCheckReasons(runs)],
    tested: sum(features.map(({ tested }) => tested)),
    replaced: replacedAnswerers(runs.map(({ suite }) => suite)),
    hasUnusedChanges: notices.some(({ kind }) => kind === 'trust'),
    notRun,
    unread: notices.flatMap((notice) =>
      notice.kind === 'not-comparable' ? formatProblem(notice) : [],
    ),
  };
}

/** Adds what the title says about a changed scoring. */
async function withScoringFacts(
  split: ScoringResult,
  comparison: SuiteComparison,
  evaluate: Evaluate,
): Promise<ScoringResult> {
  const { unit, pass_fail, fail_pass } = split.same_answers;
  const isOne = unit === 'answers' && pass_fail + fail_pass === 1;
  return {
    ...split,
    ...(isOne && isRegraded(split, comparison.run) && { may_be_chance: true as const }),
    ...(unit === 'tests' && { rollup: await rollupFacts(comparison, evaluate) }),
  };
}

function isRegraded({ because }: ScoringResult, { scoring }: SuiteRun): boolean {
  const graded = everyMetric(scoring.tests).filter(isModelGraded);
  const names = graded.map(({ name }) => `metrics.${name}`);
  return because.some(({ key }) => /^(?:rubrics|grader)\b/.test(key) || names.includes(key));
}

async function rollupFacts(
  comparison: SuiteComparison,
  evaluate: Evaluate,
): Promise<NonNullable<ScoringResult['rollup']>> {
  const { scoring, baseScoring } = comparison.run;
  const { kind } = await checkRollup(comparison, evaluate);
  return {
    base: rollupName((baseScoring ?? scoring).tests.rollup),
    head: rollupName(scoring.tests.rollup),
    ...(kind === 'never fails' && { never_fails: true as const }),
  };
}
