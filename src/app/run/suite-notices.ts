import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { onlySkipDiffers } from '../../kernel/select/scoring.ts';
import { countsIn } from '../../kernel/suite/gate.ts';
import { answerKey } from '../../report/answers/text.ts';
import { counted } from '../../text/amounts.ts';
import type { Notice, NoticeKind, Side } from '../../types/plain.ts';
import { endingShares } from '../../wording/endings.ts';
import { ENDED_IN_ERROR } from '../../wording/notices.ts';
import type { ReplacedServer } from './outdated.ts';
import { servedApart } from './served.ts';

const MAX_NOTICE_REFERENCES = 20;

/** What a reader must know of a suite that does not affect the verdict. */
export function suiteNotices(run: SuiteRun, suite: SuiteResult): Notice[] {
  return [
    ...classNotices(run, suite),
    ...judgingNotices(suite),
    ...endingNotices(run, suite),
    ...headOnlyNotices(run, suite),
    ...newlySkipped(run),
    ...rollupNotice(run),
    ...repeats(run),
  ];
}

function classNotices({ suite }: SuiteRun, { name, references }: SuiteResult): Notice[] {
  const toggled = suite.references.filter(
    ({ reference, baseReference }) =>
      baseReference !== null && onlySkipDiffers(baseReference, reference),
  );
  const sameBut = new Set(toggled.map(({ reference }) => reference.id));
  const edited = references.filter(({ status }) => status === 'edited');
  const classes: [NoticeKind, ReferenceResult[], string][] = [
    ['added', references.filter(({ status }) => status === 'added'), 'added by this change'],
    [
      'removed',
      references.filter(({ status }) => status === 'removed'),
      'removed by this change and no longer run',
    ],
    ['edited', edited.filter(({ id }) => !sameBut.has(id)), 'edited by this change'],
    [
      'skipped',
      references.filter(({ id, skip }) => sameBut.has(id) && !skip),
      'no longer skipped by this change',
    ],
    [
      'skipped',
      references.filter(({ skip, status }) => skip && status !== 'removed'),
      'marked skip: run and shown, but not part of the verdict',
    ],
  ];
  return classes.flatMap(([kind, found, what]) => listNotice(kind, name, found, what));
}

function judgingNotices({ name, references }: SuiteResult): Notice[] {
  const withOutcome = (outcome: 'error' | 'ungraded'): ReferenceResult[] =>
    references.filter(({ base, head }) =>
      [base, head].some((side) => side?.tries.some((tryResult) => tryResult.outcome === outcome)),
    );
  return [
    ...listNotice('error', name, withOutcome('error'), ENDED_IN_ERROR),
    ...listNotice(
      'ungraded',
      name,
      withOutcome('ungraded'),
      'had tries without a readable grade; those are not counted',
    ),
  ];
}

function endingNotices(run: SuiteRun, { name, references }: SuiteResult): Notice[] {
  const served = servedApart(run);
  const said = (kind: NoticeKind, what: string): Notice => ({
    kind,
    place: null,
    message: `${name}: ${what}`,
  });
  return [
    ...(served === null
      ? []
      : [said('served', `the sides were answered by different models: ${served}`)]),
    ...endingShares(references).map((share) => said('ended', `answers ${share}`)),
  ];
}

/** Answers of a model that its server has replaced are asked again. */
export function replacedServerNotice({ model, before, now, tries }: ReplacedServer): Notice {
  const message =
    `${model} is answered by ${now.join(', ')} now; ${counted(tries, 'stored answer')} of ` +
    `${before.join(', ')} ${tries === 1 ? 'was' : 'were'} asked again`;
  return { kind: 'served', place: null, message };
}

function headOnlyNotices({ suite }: SuiteRun, { name, references }: SuiteResult): Notice[] {
  if (suite.base === null) return [];
  const found = references.filter(
    ({ base, head }) => base === null && head !== null && head.tries_judged > 0,
  );
  const { prompt } = suite.base.suite;
  const { model, target } = suite.base.variant;
  const why =
    target === null && prompt.code === null
      ? `base's settings do not say who answers as ${model === null ? 'its model' : `"${model}"`}`
      : 'base has no value for a variable of its prompt';
  return listNotice('not-comparable', name, found, `could be run on head only: ${why}`);
}

function listNotice(
  kind: NoticeKind,
  name: string,
  found: readonly ReferenceResult[],
  what: string,
): Notice[] {
  const [first] = found;
  if (first === undefined) return [];
  const ids = found
    .slice(0, MAX_NOTICE_REFERENCES)
    .map(({ id }) => id)
    .join(', ');
  const more =
    found.length > MAX_NOTICE_REFERENCES
      ? ` and ${String(found.length - MAX_NOTICE_REFERENCES)} more`
      : '';
  return [
    {
      kind,
      place: { file: first.file, line: first.line },
      message: `${name}: ${counted(found.length, 'reference')} ${what}: ${ids}${more}`,
    },
  ];
}

/** References that gated on base and are skipped on head: a way to go green that must be seen. */
export function newlySkippedIds({ suite, scoring: { tests } }: SuiteRun): string[] {
  return suite.references
    .filter(({ reference, baseReference }) => reference.skip && baseReference?.skip === false)
    .filter(({ reference }) => !countsIn(tests, reference))
    .map(({ reference }) => reference.id);
}

function newlySkipped(run: SuiteRun): Notice[] {
  const ids = newlySkippedIds(run);
  if (ids.length === 0) return [];
  const message =
    `${run.suite.name}: ${counted(ids.length, 'reference')} newly skipped by this change: ` +
    `${ids.slice(0, MAX_NOTICE_REFERENCES).join(', ')}`;
  return [{ kind: 'skipped', place: { file: run.scoring.tests.file, line: 0 }, message }];
}

function rollupNotice({ suite, scoring: { tests } }: SuiteRun): Notice[] {
  const skips =
    tests.skip ||
    tests.references.some(({ skip }) => skip) ||
    tests.metrics.some(({ skip }) => skip);
  if (tests.rollup.kind !== 'code' || !skips) return [];
  return [
    {
      kind: 'skipped',
      place: tests.rollup.place,
      message:
        `${suite.name}: the custom roll-up "${tests.rollup.name}" sees skipped tries too, ` +
        'so skip is ignored for its verdict',
    },
  ];
}

function repeats({ suite, runs }: SuiteRun): Notice[] {
  const [base, head] = [repetition(runs, 'base'), repetition(runs, 'head')];
  const sides = [...(base === 'same' ? ['base'] : []), ...(head === 'same' ? ['head'] : [])];
  const alone = runs.every(({ affected }) => affected.base === null);
  const where = alone ? '' : ` on ${sides.join(' and ')}`;
  const other = [base, head].includes('varied');
  if (sides.length === 0) return [];
  const advice = other
    ? 'more tries tell nothing about that side'
    : 'if this model always repeats itself, n_tries 1 tells as much';
  return [
    {
      kind: 'repeats',
      place: null,
      message: `${suite.name}: every try of a reference gave the same answer${where}; ${advice}`,
    },
  ];
}

/** null: too few tries to tell. */
function repetition(runs: SuiteRun['runs'], side: Side): 'same' | 'varied' | null {
  const distinct = runs.flatMap((run) => {
    const answers =
      run.affected[side] === null
        ? []
        : run[side].flatMap(({ byHead: { parts } }) => (parts === null ? [] : [answerKey(parts)]));
    return answers.length > 1 ? [new Set(answers).size] : [];
  });
  if (distinct.some((count) => count > 1)) return 'varied';
  return distinct.length < 2 ? null : 'same';
}
