import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { ScoringResult } from '../../kernel/result/scoring-result.ts';
import { count, counted, countedTries } from '../../text/amounts.ts';
import type { Score } from '../../types/metric.ts';
import { answerLine } from './answers.ts';
import type { Detail } from './detail.ts';
import { code, joinLines, strong, text, type Block, type FactRow, type Line } from './document.ts';
import { givenRows } from './evidence.ts';
import { referenceLabel, shortFaceOf } from './faces.ts';
import { failedScores } from './failures.ts';
import { andMore } from './phrases.ts';

const MAX_NAMED_FLIPPED = 3;

type Flipped = ScoringResult['flipped'][number];

export function flippingScorings({ scoring }: Result): ScoringResult[] {
  return scoring.filter(({ flipped }) => flipped.length > 0);
}

export function flippedReferences(result: Result, { characters, answers }: Detail): Block[] {
  const [scoring] = flippingScorings(result);
  if (scoring === undefined || answers === 0) return [];
  const flipped = [...scoring.flipped].sort((a, b) => order(a) - order(b));
  const references = result.suites
    .filter(({ path, name }) => path === scoring.path && name === scoring.name)
    .flatMap((suite) => suite.references);
  const isSameTries = scoring.because.every(({ key }) => key === 'metrics_rollup');
  const shown = flipped
    .map((flip) => ({ flip, reference: references.find(({ id }) => id === flip.id) }))
    .find(({ reference }) => reference !== undefined);
  return [
    {
      kind: 'facts',
      title: flippedTitle(scoring, flipped, references),
      rows:
        shown?.reference === undefined
          ? []
          : flippedRows(shown.flip, shown.reference, { characters, isSameTries }),
    },
  ];
}

function flippedTitle(
  { name, same_answers: { unit, judged, pass_fail, fail_pass } }: ScoringResult,
  flipped: readonly Flipped[],
  references: readonly ReferenceResult[],
): Line {
  const named = flipped.slice(0, MAX_NAMED_FLIPPED);
  const more = andMore(flipped.length, named.length);
  const inTests =
    flipped.length === pass_fail + fail_pass ? '' : ` in ${counted(flipped.length, 'test')}`;
  return [
    strong('What it did:'),
    text(judged === 0 ? ' no answer in ' : ` of ${sameOf(unit, judged)} in `),
    code(name),
    text(
      judged === 0
        ? ' is judged by both scorings: '
        : `, ${count(pass_fail)} pass → fail, ${count(fail_pass)} fail → pass${inTests}: `,
    ),
    ...joinLines(
      named.map(({ id }) => [code(shortFaceOf(id, references))]),
      ', ',
    ),
    ...(more === null ? [] : [text(` ${more}`)]),
  ];
}

export function sameOf(unit: ScoringResult['same_answers']['unit'], judged: number): string {
  return unit === 'tests' ? counted(judged, 'test') : `the same ${counted(judged, 'answer')}`;
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
  const judgement = (whose: string, outcome: string, own: Score[] = []): FactRow => ({
    name: [text(`${whose}'s scoring`)],
    value: [text(`${outcome}${passed}`), ...(outcome === 'pass' ? [] : reasonsOf(own, characters))],
  });
  return [
    { name: [text('Reference')], value: referenceLabel(reference) },
    ...givenRows(reference, characters),
    ...(shown?.parts ? [{ name: [text('Answer')], value: answerLine(shown, characters) }] : []),
    judgement('Base', from, scores),
    judgement('Head', to, shown?.scores),
  ];
}

function reasonsOf(scores: Score[], characters: number): Line {
  return failedScores({ scores }).flatMap(({ metric, reason }): Line => [
    text(', '),
    code(metric),
    ...(reason === null ? [] : [text(': '), code(reason, characters)]),
  ]);
}

function order({ to }: Flipped): number {
  return to === 'fail' ? 0 : 1;
}
