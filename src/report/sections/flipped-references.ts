import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { ScoringResult } from '../../kernel/result/scoring-result.ts';
import { count, counted } from '../../text/amounts.ts';
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
  const shown = flipped
    .map((flip) => ({ flip, reference: references.find(({ id }) => id === flip.id) }))
    .find(({ reference }) => reference !== undefined);
  return [
    {
      kind: 'facts',
      title: flippedTitle(scoring, flipped, references),
      rows:
        shown?.reference === undefined ? [] : flippedRows(shown.flip, shown.reference, characters),
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
  return [
    strong('What it did:'),
    text(judged === 0 ? ' no answer in ' : ` of ${sameOf(unit, judged)} in `),
    code(name),
    text(
      judged === 0
        ? ' is judged by both scorings: '
        : `, ${count(pass_fail)} pass → fail, ${count(fail_pass)} fail → pass: `,
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
  { from, to }: Flipped,
  reference: ReferenceResult,
  characters: number,
): FactRow[] {
  const tries = reference.base?.tries ?? [];
  const shown = tries.find(({ outcome }) => outcome === to) ?? tries[0] ?? null;
  const failed = failedScores(shown);
  return [
    { name: [text('Reference')], value: referenceLabel(reference) },
    ...givenRows(reference, characters),
    ...(shown?.parts ? [{ name: [text('Answer')], value: answerLine(shown, characters) }] : []),
    { name: [text("Base's scoring")], value: [text(from)] },
    {
      name: [text("Head's scoring")],
      value: [
        text(to),
        ...failed.flatMap(({ metric, reason }): Line => [
          text(', '),
          code(metric),
          ...(reason === null ? [] : [text(': '), code(reason, characters)]),
        ]),
      ],
    },
  ];
}

function order({ to }: Flipped): number {
  return to === 'fail' ? 0 : 1;
}
