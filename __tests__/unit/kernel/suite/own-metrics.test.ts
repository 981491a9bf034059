import type { ScoringTools } from '../../../../src/kernel/ask/score-metric.ts';
import { scoreAnswers } from '../../../../src/kernel/ask/score.ts';
import { startSuite } from '../../../../src/kernel/plan/suite-run.ts';
import { affectedReferences } from '../../../../src/kernel/select/affected.ts';
import { createGeneration } from '../../../../src/kernel/select/generation.ts';
import {
  referenceScoringDiffers,
  scoreCount,
  scoreNames,
} from '../../../../src/kernel/select/scoring.ts';
import { metricIdentity, metricsFor, everyMetric } from '../../../../src/kernel/suite/metrics.ts';
import type { Reference, Tests } from '../../../../src/kernel/suite/suite.ts';
import { scoreMetric } from '../../../../src/metrics/index.ts';
import { planOf } from '../../../../src/money/plan.ts';
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

async function scored(
  references: readonly Reference[],
  of: Tests,
  score: ScoringTools['scoreMetric'] = scoreMetric,
) {
  const side = suiteSide('head', suite({ tests: of }));
  const answers = references.map((one, run) => {
    const generation = createGeneration(side.suite.prompt, side.variant, one);
    const planned = { run, suite: 'p', side: 'head' as const, try: 0, generation, answerer: null };
    return {
      reference: one,
      answer: { planned, completion: answer('AB'), messages: [], own: null },
    };
  });
  return scoreAnswers(answers, scoring(of), {
    complete: async () => answer(''),
    evaluate: async () => [],
    random: () => '',
    scoreMetric: score,
    price: () => null,
  });
}

describe('metrics of one reference', () => {
  test("score only its answers, in addition to the suite's metrics", async () => {
    const references = [
      reference('a', { metrics: [contains('own', 'A')] }),
      reference('b', { metrics: [contains('own', 'B'), contains('more', 'x')] }),
      reference('c'),
    ];
    const of = tests({ metrics: [contains('shared', 'B')], references });
    const found = await scored(references, of);
    const words = found.map(({ scores }) =>
      scores.map(({ metric: name, status }) => `${name} ${status}`),
    );
    expect(words).toEqual([
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

  test('are scored in one batch if they are equal', async () => {
    const references = [
      reference('a', { metrics: [contains('own', 'A', 3)] }),
      reference('b', { metrics: [contains('own', 'A', 9), contains('own2', 'A', 9)] }),
    ];
    const batches: [string, number][] = [];
    await scored(references, tests({ references, metrics: [] }), (metric, answers, tools) => {
      batches.push([metric.name, answers.length]);
      return scoreMetric(metric, answers, tools);
    });
    expect(batches).toEqual([
      ['own', 2],
      ['own2', 1],
    ]);
    const identity = metricIdentity(contains('own', 'A', 3));
    expect(identity).toBe(metricIdentity(contains('own', 'A', 9)));
    expect(identity).not.toContain('definition');
  });

  test('are part of its scoring, so a change to them runs only that reference', () => {
    const [before, after] = [contains('own', 'A'), contains('own', 'B')];
    const differ = (...own: (typeof before)[]) => {
      const [one, other] = own.map((only) => reference('a', { metrics: [only] }));
      return referenceScoringDiffers(one!, other!);
    };
    expect(differ(before, after)).toBe(true);
    expect(differ(contains('own', 'A', 7), before)).toBe(false);
    const side = (own: typeof before) => {
      const references = [reference('a', { metrics: [own] }), reference('b')];
      return suiteSide(own === before ? 'base' : 'head', suite({ tests: { references } }));
    };
    const { references, unaffected } = affectedReferences(side(before), side(after));
    expect([
      references.map(({ reference: { id }, change }) => `${id} ${change}`),
      unaffected,
    ]).toEqual([['a edited'], 1]);
  });

  test('are included in the plan if a grader judges them', () => {
    const given = { statements: ['x', 'y'] };
    const source = { kind: 'built-in' as const, uses: 'criteria', with: given };
    const graded = reference('a', { metrics: [metric('graded', { source })] });
    const of = suite({ tests: { references: [graded, reference('b')] } });
    const target = { provider: 'openai' as const, endpoint: null, model: 'g' };
    const head = suiteSide('head', of, { graders: [{ target, parameters: {} }] });
    const affected = affectedReferences(null, head);
    const variant = { model: 'm', parameters: {} };
    const sides = { variant, baseVariant: null, base: null, head };
    const started = startSuite({ path: 'p', name: 'p', ...sides, ...affected });
    const tries = new Map([0, 1].map((index) => [index, 3]));
    expect(planOf([started], () => tries).grader_calls).toBe(6);
  });
});
