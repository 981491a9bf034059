import type { SuitePart } from '../../kernel/judge/compare.ts';
import type { Decision } from '../../kernel/judge/gate-input.ts';
import { MOST_TRIES } from '../../kernel/plan/looks.ts';
import type { SuiteComparison, Try } from '../../kernel/plan/suite-run.ts';
import type { FeatureParts } from '../../kernel/result/feature-parts.ts';
import { conclusionOf } from '../../kernel/result/outcome.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { FeaturePlan } from '../../money/feature-plan.ts';
import type { Prepared } from '../../money/prepared.ts';
import { replacedAnswerers } from '../../trust/answerers.ts';
import { compareSuites, decideRun, type ComparedSuites } from './evaluate.ts';
import type { Added, DecidedRun, Feature, Features, MeasuredGrader } from './feature.ts';
import { askRounds, startSpending, type JudgeEdges, type Spending } from './spending.ts';
import { unknownModels } from './unknown-models.ts';

export type Untitled = Omit<Result, 'title'>;

export async function run(
  plain: Prepared,
  edges: JudgeEdges,
  emptyResult: Untitled,
  rows: Features,
): Promise<Untitled> {
  const started = await withStarts(plain, edges, rows);
  const spent = startSpending(started, edges);
  const asked = await askRounds(started, edges, spent);
  const problems = unknownModels(started, spent.missing);
  if (problems.length > 0)
    return withProblems(emptyResult, { problems, suites: [], notices: [] }, spent);
  const prepared = { ...started, suites: asked.suites };
  const tools = { ...edges, spent };
  const features = activeRows(rows, prepared);
  const tested = await inTurn(features, async ({ row, plan }) => ({
    ...(await row.before?.(plan, tools)),
  }));
  const compared = await compareSuites(prepared, tools, rows, partsOfSuites(rows, tested));
  if (compared.problems.length > 0) return withProblems(emptyResult, compared, spent);
  const run = { ...prepared, ...compared, trust: emptyResult.trust, planned: prepared.suites };
  const explained = await inTurn(features, async ({ row, plan }) =>
    row.compared?.(plan, run, tools),
  );
  const replaced = replacedAnswerers(prepared.suites.map(({ run: { suite } }) => suite));
  const decide = decider(spent, (before) =>
    decideRun({ ...prepared, replaced }, compared, explained, before, emptyResult),
  );
  const judged = mergeFeatureParts(explained);
  const decided = { ...run, ...judgedParts(judged, rows, spent) };
  const after = await inTurn(features, async ({ row, plan }) =>
    row.decided?.(plan, decided, tools),
  );
  const notices = [
    ...emptyResult.notices,
    ...edges.words.servedNotices(asked),
    ...compared.notices,
    ...[...tested, ...explained, ...after].flatMap((each) => each?.notices ?? []),
  ];
  return {
    ...emptyResult,
    ...decide(),
    ...(replaced.length === 0
      ? {}
      : { replaced: replaced.map(({ suite, by }) => ({ suite, by })) }),
    suites: compared.suites.map(({ result }) => result),
    ...mergeFeatureParts(after),
    scoring: compared.scoring,
    ...mergeFeatureParts(tested),
    ...judged,
    notices,
    usage: spent.meter.totals(),
    adaptive_tries: countAdaptiveTries(prepared.suites),
  };
}

/** Decides now, and again when asked if the calls since then passed the cap. */
function decider(
  spent: Spending,
  decide: (before: Spending) => Decision,
): () => Pick<Untitled, 'conclusion' | 'outcome' | 'reasons'> {
  const before = { ...spent, unmade: { ...spent.unmade } };
  const first = decide(before);
  return () => {
    const { outcome, reasons } = spent.halted()?.isPassed === true ? decide(before) : first;
    return { conclusion: conclusionOf(outcome), outcome, reasons };
  };
}

function judgedParts(
  parts: Partial<FeatureParts>,
  rows: Features,
  { meter }: Spending,
): Pick<DecidedRun, 'parts' | 'calls' | 'groups'> {
  const { calls, reused } = meter.totals();
  const groups: DecidedRun['groups'] = (suite) =>
    rows.flatMap((row) => row.groups?.(parts, suite) ?? []);
  return { parts, calls: calls + reused, groups };
}

function partsOfSuites(
  rows: Features,
  tested: readonly { judges?: readonly MeasuredGrader[] }[],
): SuitePart[] {
  const judges = tested.flatMap((each) => each.judges ?? []);
  return rows.flatMap(({ suiteParts }): SuitePart[] =>
    suiteParts === undefined ? [] : [(...of) => suiteParts(...of, judges)],
  );
}

interface ActiveRow {
  row: Feature;
  plan: FeaturePlan;
}

function activeRows(rows: Features, { features }: Prepared): ActiveRow[] {
  return rows.flatMap((row) => {
    const plan = features.find(({ key }) => key === row.key);
    return plan === undefined ? [] : [{ row, plan }];
  });
}

/** Calls the hooks one after another, so that every run makes its calls in the same order. */
async function inTurn<T>(
  rows: readonly ActiveRow[],
  hook: (active: ActiveRow) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (const active of rows) results.push(await hook(active));
  return results;
}

function mergeFeatureParts(added: readonly (Partial<Added> | undefined)[]): Partial<FeatureParts> {
  return Object.assign({}, ...added.map((each) => each?.parts ?? {})) as Partial<FeatureParts>;
}

function withProblems(
  emptyResult: Untitled,
  { problems, suites, notices }: Pick<ComparedSuites, 'problems' | 'suites' | 'notices'>,
  { meter }: Spending,
): Untitled {
  const outcome = { kind: 'not-evaluated', problems: problems.length } as const;
  return {
    ...emptyResult,
    conclusion: conclusionOf(outcome),
    outcome,
    reasons: [],
    problems,
    suites: suites.map(({ result }) => result),
    notices: [...emptyResult.notices, ...notices],
    usage: meter.totals(),
  };
}

async function withStarts(
  prepared: Prepared,
  edges: JudgeEdges,
  rows: Features,
): Promise<Prepared> {
  let { suites } = prepared;
  if (prepared.mode !== 'diff') return prepared;
  for (const { key, start } of rows) {
    const plan = prepared.features.find((planned) => planned.key === key) ?? null;
    suites = (await start?.(suites, edges, plan)) ?? suites;
  }
  return { ...prepared, suites };
}

/** `fixed`: how many tries would have been made without early stops. */
function countAdaptiveTries(
  suites: readonly SuiteComparison[],
): { made: number; fixed: number } | null {
  const made = new Map<string, number>();
  for (const { run, policy } of suites) {
    if (policy.kind !== 'adaptive') continue;
    for (const { affected: reference, base, head } of run.runs) {
      if (reference.reference.n_tries !== null) continue;
      for (const [generation, tries] of [
        [reference.base, answersIn(base)],
        [reference.head, answersIn(head)],
      ] as const) {
        if (generation === null || generation.kind === 'impossible' || tries === 0) continue;
        made.set(generation.fingerprint, Math.max(tries, made.get(generation.fingerprint) ?? 0));
      }
    }
  }
  const sum = [...made.values()].reduce((total, tries) => total + tries, 0);
  return made.size === 0 ? null : { made: sum, fixed: MOST_TRIES * made.size };
}

function answersIn(tries: readonly Try[]): number {
  return tries.filter(({ byHead: { error } }) => error === null).length;
}
