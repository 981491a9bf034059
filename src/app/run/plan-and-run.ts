import { structuredPatch } from 'diff';
import { modelMeant } from '../../config/model-names.ts';
import { readUpTo } from '../../documents/read-up-to.ts';
import type { Confirmation } from '../../kernel/judge/confirmation.ts';
import { newlySkippedIds } from '../../kernel/judge/planned.ts';
import { effectOfNotRun } from '../../kernel/judge/run-rules.ts';
import type { SuiteComparison, SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { ChangedText, Hunk } from '../../kernel/result/changes.ts';
import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { AffectedSuite } from '../../kernel/select/affected-suite.ts';
import { onlySkipDiffers } from '../../kernel/select/scoring.ts';
import { createLedger } from '../../money/ledger.ts';
import { MAX_DIFF_EDITS } from '../../text/cut-out.ts';
import { nearest } from '../../text/suggest.ts';
import { cut } from '../../text/visible.ts';
import type { Outcome } from '../../types/metric.ts';
import type { Problem, Notice, NoticeKind, Place } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import { endingShares } from '../../wording/endings.ts';
import {
  headOnly,
  namedReferences,
  OF_REFERENCES,
  replacedModel,
  rollupSeesSkipped,
  servedByOthers,
} from '../../wording/notices.ts';
import { confirmationWords, modelFellToo } from '../../wording/suites.ts';
import type { RunPlan } from './feature.ts';
import { keyProblems } from './key-problems.ts';
import { judgeWithoutKeys, notEvaluated, withTitle } from './not-judged.ts';
import type { ReplacedServer } from './outdated.ts';
import { planRun } from './plan.ts';
import type { Edges, PlannedRun, RunInput } from './record.ts';
import { run } from './run.ts';
import { describeServedModels } from './served.ts';
import type { JudgeEdges, RunWords } from './spending.ts';

/** Reads both sides, plans, asks, judges and explains. */
export async function planAndRun(input: RunInput, edges: Edges): Promise<Result> {
  const planned = await planRun(input, edges);
  if (!planned.ready) return planned.result;
  edges.planned(planned);
  const guarded = guardedEdges(planned, edges, { base: input.base, head: input.head });
  const judge = async (plan: RunPlan): Promise<Result> => {
    const result = await run(plan, guarded);
    const { calls, reused } = result.usage;
    const notices = calls + reused === 0 ? result.notices : await planned.relist(result.notices);
    // The changed texts are read last, because reading them earlier would delay the first call.
    return withTitle({ ...result, notices, ...(await readChanges(input, planned)) });
  };
  const keys = input.part?.isAnswered === true ? [] : keyProblems(planned, edges.missingKeys);
  const plan = withAskers(planned, edges.missingKeys);
  if (keys.length === 0) return judge(plan);
  const { models, agents } = planned.forecast;
  if (models.length === 0 && agents === undefined) return judge(withUnusedKeys(plan, keys));
  const { withheld, isQueue = false } = input;
  const effect = effectOfNotRun('maintainer', { isQueue, gate: planned.gate });
  if (withheld === null || effect === 'fails') return notEvaluated(planned.emptyResult, keys);
  return judgeWithoutKeys(plan, withheld, edges.missingKeys, judge);
}

/** The edges of a run whose calls stop at the plan's caps. */
export function guardedEdges(
  { caps, price, reread }: PlannedRun,
  edges: Edges,
  sources: NonNullable<JudgeEdges['sources']>,
): JudgeEdges {
  const ledger = createLedger(caps, price);
  edges.ledger(ledger);
  const halted = () => ledger.halt() ?? edges.halted();
  return { ...edges, words: RUN_WORDS, halted, sources, reread };
}

/** A feature whose grader has no key explains nothing. */
function withAskers(plan: PlannedRun, missingKeys: Edges['missingKeys']): PlannedRun {
  const features = plan.features.map((planned) => {
    const grader = planned.asker?.grader ?? null;
    const [missing] = grader === null ? [] : missingKeys([grader.target]);
    if (missing === undefined) return planned;
    return { ...planned, asker: { grader: null, unasked: missing.message } };
  });
  return { ...plan, features };
}

function withUnusedKeys(plan: PlannedRun, keys: readonly Problem[]): PlannedRun {
  const notices = keys.map(({ place, message }) => ({
    kind: 'settings' as const,
    place,
    message: `Only stored answers are judged. ${message}`,
  }));
  const { emptyResult } = plan;
  return {
    ...plan,
    emptyResult: { ...emptyResult, notices: [...emptyResult.notices, ...notices] },
  };
}

async function readChanges(
  { mode, base, head, again }: RunInput,
  { suites }: PlannedRun,
): Promise<Pick<Result, 'changes'>> {
  if (mode !== 'diff' || base === null || again !== undefined) return {};
  const affected = suites.map(({ run }) => run.suite);
  const withTests = affected.filter(({ references }) => references.length > 0);
  return { changes: await changedTexts(withTests, base, head) };
}

export const RUN_WORDS: RunWords = {
  suiteNotices,
  driftNotice,
  servedNotices,
  confirmationWords,
  meantModel: (name, others) => nearest(name, others, 'strict') ?? modelMeant(name),
};

function suiteNotices(comparison: SuiteComparison, result: SuiteResult): Notice[] {
  const { run } = comparison;
  return [
    ...classNotices(run, result),
    ...driftNotice(result.name, result.confirmation),
    ...endingNotices(run, result),
    ...headOnlyNotices(run, result),
    ...newlySkipped(run),
    ...rollupNotice(run),
  ];
}

function classNotices({ suite }: SuiteRun, { name, references }: SuiteResult): Notice[] {
  const toggled = suite.references.filter(
    ({ reference, baseReference }) =>
      baseReference !== null && onlySkipDiffers(baseReference, reference),
  );
  const sameBut = new Set(toggled.map(({ reference }) => reference.id));
  const hasTry =
    (outcome: Outcome) =>
    ({ base, head }: ReferenceResult): boolean =>
      [base, head].some((side) => side?.tries.some((made) => made.outcome === outcome));
  const rows: [NoticeKind, keyof typeof OF_REFERENCES, (of: ReferenceResult) => boolean][] = [
    ['added', 'added', ({ status }) => status === 'added'],
    ['removed', 'removed', ({ status }) => status === 'removed'],
    ['edited', 'edited', ({ id, status }) => status === 'edited' && !sameBut.has(id)],
    ['skipped', 'unskipped', ({ id, skip }) => sameBut.has(id) && !skip],
    ['skipped', 'skipped', ({ skip, status }) => skip && status !== 'removed'],
    ['error', 'error', hasTry('error')],
    ['ungraded', 'ungraded', hasTry('ungraded')],
  ];
  return rows.flatMap(([kind, what, is]) =>
    listNotice(kind, name, references.filter(is), OF_REFERENCES[what]),
  );
}

function listNotice(
  kind: NoticeKind,
  name: string,
  found: readonly ReferenceResult[],
  what: string,
): Notice[] {
  const [first] = found;
  if (first === undefined) return [];
  const ids = found.map(({ id }) => id);
  const place = { file: first.file, line: first.line };
  return [{ kind, place, message: namedReferences(name, ids, what) }];
}

function said(kind: NoticeKind, name: string, what: string, place: Place | null = null): Notice {
  return { kind, place, message: `${name}: ${what}` };
}

function endingNotices(run: SuiteRun, { name, references }: SuiteResult): Notice[] {
  const served = describeServedModels(run);
  return [
    ...(served === null ? [] : [said('served', name, servedByOthers(served))]),
    ...endingShares(references).map((share) => said('ended', name, `answers ${share}`)),
  ];
}

function driftNotice(name: string, confirmation: Confirmation | null | undefined): Notice[] {
  if (confirmation?.status !== 'confirmed' || confirmation.drift === null) return [];
  return [{ kind: 'served', place: null, message: modelFellToo(name, confirmation) }];
}

function servedNotices(replaced: readonly ReplacedServer[]): Notice[] {
  return replaced.map(({ model, ...server }) => ({
    kind: 'served',
    place: null,
    message: replacedModel(model, server),
  }));
}

function headOnlyNotices({ suite }: SuiteRun, { name, references }: SuiteResult): Notice[] {
  if (suite.base === null) return [];
  const found = references.filter(
    ({ base, head }) => base === null && head !== null && head.tries_judged > 0,
  );
  const { prompt } = suite.base.suite;
  const { model, target } = suite.base.variant;
  const isAnswerer = target === null && prompt.code === null;
  const why = headOnly(isAnswerer ? { answerer: model } : 'variable');
  return listNotice('not-comparable', name, found, why);
}

function newlySkipped(run: SuiteRun): Notice[] {
  const ids = newlySkippedIds(run);
  if (ids.length === 0) return [];
  const message = namedReferences(run.suite.name, ids, OF_REFERENCES.newlySkipped);
  return [{ kind: 'skipped', place: { file: run.scoring.tests.file, line: 0 }, message }];
}

function rollupNotice({ suite, scoring: { tests } }: SuiteRun): Notice[] {
  const skips =
    tests.skip ||
    tests.references.some(({ skip }) => skip) ||
    tests.metrics.some(({ skip }) => skip);
  if (tests.rollup.kind !== 'code' || !skips) return [];
  const { name, place } = tests.rollup;
  return [said('skipped', suite.name, rollupSeesSkipped(name), place)];
}

const MOST_FILES = 1_000;

const MOST_LINES = 60;

const LONGEST_LINE = 500;

/** In bytes. Larger files are data, whose diff explains nothing. */
const LARGEST_FILE = 262_144;

const NEWLINE_NOTE = '\\';

export async function changedTexts(
  suites: readonly AffectedSuite[],
  base: SourceTree,
  head: SourceTree,
): Promise<ChangedText[]> {
  const found = await Promise.all(
    [...filesOf(suites)]
      .slice(0, MOST_FILES)
      .map(async ([file, { basePath, names }]): Promise<ChangedText | null> => {
        const [before, after] = await Promise.all([
          readSideText(base, basePath),
          readSideText(head, file),
        ]);
        if (before === undefined || after === undefined) return null;
        const { hunks, more } = differingLines(before ?? '', after ?? '');
        if (hunks.length === 0 && more === 0) return null;
        const base_file = before === null ? null : basePath;
        return { file, base_file, suites: [...names], hunks, more };
      }),
  );
  return found.filter((change) => change !== null);
}

interface NamedFile {
  basePath: string;
  names: Set<string>;
}

function filesOf(suites: readonly AffectedSuite[]): Map<string, NamedFile> {
  const files = new Map<string, NamedFile>();
  for (const { name, because, base, head } of suites)
    for (const { file } of because) {
      const renamed = head?.suite.prompt.file === file ? base?.suite.prompt.file : undefined;
      const known = files.get(file) ?? { basePath: renamed ?? file, names: new Set() };
      known.names.add(name);
      files.set(file, known);
    }
  return files;
}

const UTF8 = new TextDecoder();

/** Undefined if the file is too large or not text. */
async function readSideText(tree: SourceTree, path: string): Promise<string | null | undefined> {
  if (!tree.files.has(path)) return null;
  const bytes = await readUpTo(tree, path, LARGEST_FILE);
  if (typeof bytes === 'string' || bytes.includes(0)) return undefined;
  return UTF8.decode(bytes);
}

export function differingLines(before: string, after: string): Pick<ChangedText, 'hunks' | 'more'> {
  const patch = structuredPatch('', '', before, after, '', '', {
    context: 1,
    maxEditLength: MAX_DIFF_EDITS,
    stripTrailingCr: true,
  });
  if (patch === undefined) return { hunks: [], more: after.split('\n').length };
  let room = MOST_LINES;
  let more = 0;
  const hunks: Hunk[] = [];
  for (const { oldStart, oldLines, newStart, newLines, lines } of patch.hunks) {
    const own = lines.filter((line) => !line.startsWith(NEWLINE_NOTE)).map(lineOf);
    const shown = own.slice(0, room);
    room -= shown.length;
    more += own.slice(shown.length).filter(({ sign }) => sign !== 'same').length;
    if (shown.some(({ sign }) => sign !== 'same'))
      hunks.push({
        base: oldLines === 0 ? 0 : oldStart,
        head: newLines === 0 ? 0 : newStart,
        lines: shown,
      });
  }
  return { hunks, more };
}

function lineOf(line: string): Hunk['lines'][number] {
  const sign = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
  const { text, left } = cut(line.slice(1), LONGEST_LINE);
  return { sign, text: left === 0 ? text : `${text}…` };
}
