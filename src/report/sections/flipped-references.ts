import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { ScoringResult } from '../../kernel/result/scoring-result.ts';
import { andMore, count, counted, countedTries } from '../../text/amounts.ts';
import type { Score } from '../../types/metric.ts';
import { isOfPrompt } from '../../wording/figures.ts';
import { answerLine } from './answers.ts';
import type { Detail } from './detail.ts';
import { code, joinLines, strong, type Block, type FactRow, type Line } from './document.ts';
import { givenRows } from './evidence.ts';
import { linkedFace, shortFaceOf } from './faces.ts';
import { failedScores } from './failures.ts';

const MAX_NAMED_FLIPPED = 3;

type Flipped = ScoringResult['flipped'][number];

export function flippingScorings({ scoring }: Result): ScoringResult[] {
  return scoring.filter(({ flipped }) => flipped.length > 0);
}

export function flippedReferences(result: Result, { characters, answers }: Detail): Block[] {
  const [scoring] = flippingScorings(result);
  if (scoring === undefined || answers === 0) return [];
  const flipped = [...scoring.flipped].sort((a, b) => order(a) - order(b));
  const references = result.suites.filter(isOfPrompt(scoring)).flatMap((suite) => suite.references);
  const isSameTries = scoring.because.every(({ key }) => key === 'metrics_rollup');
  const shown = flipped
    .map((flip) => ({ flip, reference: references.find(({ id }) => id === flip.id) }))
    .find(({ reference }) => reference !== undefined);
  return [
    {
      kind: 'facts',
      title: [strong('What it did:'), ' ', ...flippedLine(scoring, references)],
      rows:
        shown?.reference === undefined
          ? []
          : flippedRows(shown.flip, shown.reference, { characters, isSameTries }),
    },
  ];
}

/** For example `of the same 24 answers in p, 3 pass → fail, 0 fail → pass in 2 tests: a, b`. */
export function flippedLine(
  { name, flipped, same_answers: { unit, judged, pass_fail, fail_pass } }: ScoringResult,
  references: readonly ReferenceResult[],
  most = MAX_NAMED_FLIPPED,
): Line {
  const named = [...flipped].sort((a, b) => order(a) - order(b)).slice(0, most);
  const of = unit === 'tests' ? counted(judged, 'test') : `the same ${counted(judged, 'answer')}`;
  const inTests =
    flipped.length === pass_fail + fail_pass ? '' : ` in ${counted(flipped.length, 'test')}`;
  return [
    judged === 0 ? 'no answer in ' : `of ${of} in `,
    code(name),
    judged === 0
      ? ' is judged by both scorings'
      : `, ${count(pass_fail)} pass → fail, ${count(fail_pass)} fail → pass${inTests}`,
    named.length === 0 ? '' : ': ',
    ...joinLines(
      named.map(({ id }) => code(shortFaceOf(id, references))),
      ', ',
    ),
    andMore(flipped.length, named.length),
  ];
}

function flippedRows(
  { from, to, base_try, scores }: Flipped,
  reference: ReferenceResult,
  { characters, isSameTries }: { characters: number; isSameTries: boolean },
): FactRow[] {
  const { passes = 0, tries_judged: judged = 0, tries = [] } = reference.base ?? {};
  const shown =
    tries.find((own) => (base_try === undefined ? own.outcome === to : own.try === base_try)) ??
    tries[0];
  const passed = isSameTries ? `, ${count(passes)} of ${countedTries(judged)} passed` : '';
  const judgement = (whose: string, outcome: string, own: Score[] = []) => ({
    name: [`${whose}'s scoring`],
    value: [`${outcome}${passed}`, ...(outcome === 'pass' ? [] : flipReasons(own, characters))],
  });
  return [
    { name: ['Reference'], value: linkedFace(reference) },
    ...givenRows(reference, characters),
    ...(shown?.parts ? [{ name: ['Answer'], value: answerLine(shown, characters) }] : []),
    judgement('Base', from, scores),
    judgement('Head', to, shown?.scores),
  ];
}

function flipReasons(scores: Score[], characters: number): Line {
  return failedScores({ scores }).flatMap(({ metric, reason }) => [
    ', ',
    code(metric),
    ...(reason === null ? [] : [': ', code(reason, characters)]),
  ]);
}

function order({ to }: Flipped): number {
  return to === 'fail' ? 0 : 1;
}
