import { describe, expect, test } from '@jest/globals';
import { scoreItems } from '../../../../src/kernel/ask/score.ts';
import { planOf } from '../../../../src/kernel/plan/plan.ts';
import { startSuite } from '../../../../src/kernel/plan/suite-run.ts';
import { affectedReferences } from '../../../../src/kernel/select/affected.ts';
import { generationOf } from '../../../../src/kernel/select/generation.ts';
import {
  referenceScoringDiffers,
  scoreCount,
  scoreNames,
} from '../../../../src/kernel/select/scoring.ts';
import {
  metricIdentity,
  metricsFor,
  everyMetric,
  ownMetrics,
} from '../../../../src/kernel/suite/metrics.ts';
import {
  answer,
  metric,
  reference,
  suite,
  suiteSide,
  tests,
  scoring,
} from '../../app/run/builders.ts';

const contains = (name: string, value: string, line = 1) =>
  metric(name, {
    source: { kind: 'built-in', uses: 'contains', with: { value } },
    place: { file: 'f', line },
  });

describe('metrics of one reference', () => {
  test("score its answers in addition to the suite's, and no other answers", async () => {
    const references = [
      reference('a', { metrics: [contains('own', 'A')] }),
      reference('b', { metrics: [contains('own', 'B'), contains('more', 'x')] }),
      reference('c'),
    ];
    const of = tests({ metrics: [contains('shared', 'B')], references });
    const side = suiteSide('head', suite({ tests: of }));
    const judged = references.map((reference) => ({
      reference: reference,
      answer: {
        planned: {
          reference: reference.id,
          side: 'head' as const,
          try: 0,
          generation: generationOf(side.suite.prompt, side.variant, reference),
          steering: null,
        },
        completion: answer('AB'),
        messages: [],
        dialogue: null,
      },
    }));
    const scored = await scoreItems(judged as never, scoring(of), {
      complete: async () => answer(''),
      evaluate: async () => [],
      random: () => '',
      price: () => null,
    } as never);
    expect(
      scored.map(({ scores }) => scores.map(({ metric: name, status }) => `${name} ${status}`)),
    ).toEqual([
      ['shared pass', 'own pass'],
      ['shared pass', 'own pass', 'more fail'],
      ['shared pass'],
    ]);
    expect([scoreNames(of), references.map((reference) => scoreCount(of, reference))]).toEqual([
      ['shared', 'own', 'more'],
      [2, 3, 1],
    ]);
    expect([everyMetric(of).length, metricsFor(of, references[1]!).length]).toEqual([4, 3]);
  });

  test('are scored in one batch if they are equal', () => {
    const groups = ownMetrics([
      reference('a', { metrics: [contains('own', 'A', 3)] }),
      null,
      reference('b', { metrics: [contains('own', 'A', 9), contains('own2', 'A', 9)] }),
    ]);
    expect(groups.map(({ metric: { name }, positions }) => [name, positions])).toEqual([
      ['own', [0, 2]],
      ['own2', [2]],
    ]);
    expect(metricIdentity(contains('own', 'A', 3))).toBe(metricIdentity(contains('own', 'A', 9)));
  });

  test('are part of its scoring: changing one runs only that reference', () => {
    const [before, after] = [contains('own', 'A'), contains('own', 'B')];
    expect(
      referenceScoringDiffers(
        reference('a', { metrics: [before] }),
        reference('a', { metrics: [after] }),
      ),
    ).toBe(true);
    expect(
      referenceScoringDiffers(
        reference('a', { metrics: [contains('own', 'A', 7)] }),
        reference('a', { metrics: [before] }),
      ),
    ).toBe(false);
    const side = (own: typeof before) =>
      suiteSide(
        own === before ? 'base' : 'head',
        suite({ tests: { references: [reference('a', { metrics: [own] }), reference('b')] } }),
      );
    const { references, unaffected } = affectedReferences(side(before), side(after));
    expect([
      references.map(({ reference: { id }, change }) => `${id} ${change}`),
      unaffected,
    ]).toEqual([['a edited'], 1]);
  });

  test('are in the plan if a grader judges them', () => {
    const graded = metric('graded', {
      source: { kind: 'built-in', uses: 'criteria', with: { statements: ['x', 'y'] } },
    });
    const of = suite({
      tests: { references: [reference('a', { metrics: [graded] }), reference('b')] },
    });
    const graders = [
      { target: { provider: 'openai' as const, endpoint: null, model: 'g' }, parameters: {} },
    ];
    const head = suiteSide('head', of, { graders });
    const { because, references, unaffected } = affectedReferences(null, head);
    const started = startSuite({
      path: 'p',
      name: 'p',
      variant: { model: 'm', parameters: {} },
      baseVariant: null,
      base: null,
      head,
      because,
      references,
      unaffected,
    });
    expect(
      planOf(
        [started],
        () =>
          new Map([
            [0, 3],
            [1, 3],
          ]),
      ).grader_calls,
    ).toBe(6);
  });
});
