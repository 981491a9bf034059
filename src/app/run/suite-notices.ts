import { modelMeant } from '../../config/model-names.ts';
import type { Confirmation } from '../../kernel/judge/confirmation.ts';
import { newlySkippedIds } from '../../kernel/judge/planned.ts';
import type { SuiteComparison, SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { onlySkipDiffers } from '../../kernel/select/scoring.ts';
import { nearest } from '../../text/suggest.ts';
import type { Outcome } from '../../types/metric.ts';
import type { Notice, NoticeKind, Place } from '../../types/plain.ts';
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
import type { ReplacedServer } from './outdated.ts';
import { describeServedModels } from './served.ts';
import type { RunWords } from './spending.ts';

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
