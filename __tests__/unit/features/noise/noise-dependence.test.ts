import { describe, expect, test } from '@jest/globals';
import {
  dependenceNotices,
  dependenceOf,
  type Dependence,
} from '../../../../src/features/noise/dependence.ts';
import type { SuiteResult } from '../../../../src/kernel/result/suite-result.ts';
import { createRandom, nextFloat } from '../../../../src/kernel/statistics/random.ts';
import { partsOf } from '../../../../src/types/answer.ts';

const measured = (parameters: Record<string, unknown> = {}) => ({
  path: 'prompts/p.yaml',
  name: 'p',
  variant: { parameters },
});
const suite = measured();

type Draw = (reference: number, side: 'base' | 'head', at: number) => boolean;

/** A comparison of base with itself: 20 references with two tries a side. */
function compared(passes: Draw, answer: (at: number) => string): SuiteResult {
  const side = (reference: number, which: 'base' | 'head') => ({
    tries: [0, 1].map((at) => ({
      outcome: passes(reference, which, at) ? 'pass' : 'fail',
      parts: partsOf(`an answer that is long enough to be no label: ${answer(at)}`),
    })),
  });
  const references = Array.from({ length: 20 }, (_, i) => ({
    id: `r${String(i)}`,
    base: side(i, 'base'),
    head: side(i, 'head'),
  }));
  return { references } as unknown as SuiteResult;
}

/** Dependence in twenty comparisons, each with its own draws. */
function seen(draw: (random: () => number) => Draw, answer = (at: number) => String(at)) {
  const random = createRandom('dependence');
  return Array.from({ length: 20 }, (): Dependence =>
    dependenceOf(
      compared(
        draw(() => nextFloat(random)),
        answer,
      ),
    )!,
  );
}

const messages = (draws: Dependence[], of = suite) =>
  dependenceNotices(of, draws).map(({ message }) => message);

describe('dependence between tries', () => {
  test('is not reported if tries are independent', () => {
    const coins = seen((random) => () => random() < 0.7);
    expect(messages(coins)).toEqual([]);
  });

  test('is reported if tries of the same side always agree, with a cache as the likely cause if their answers are identical', () => {
    const repeating = (random: () => number): Draw => {
      const first = new Map<string, boolean>();
      return (reference, side) => {
        const key = `${String(reference)} ${side}`;
        const known = first.get(key) ?? random() < 0.7;
        first.set(key, known);
        return known;
      };
    };
    const cached = seen(repeating, () => 'same');
    expect(messages(cached)[0]).toMatch(
      /^p: tries of the same side .* a cache in front of the model/,
    );
    expect(messages(seen(repeating))[0]).toMatch(
      /their answers differ, .* a session or a cache of the model or of a grader$/,
    );
  });

  test.each<[Record<string, unknown>, string]>([
    [{ temperature: 0 }, '`temperature` is 0'],
    [{ temperature: 0, seed: 7 }, "`seed` is set in the model's parameters"],
    [{ temperature: 0.7 }, 'a cache in front of the model'],
  ])('is reported with its cause if answers never differ (%j)', (parameters, cause) => {
    const fixed = seen(
      () => (reference) => reference > 3,
      () => 'same',
    );
    expect(messages(fixed, measured(parameters))).toEqual([
      expect.stringContaining(`identical in every try: ${cause}`),
    ]);
  });

  test('is reported if outcomes alternate or change over time', () => {
    const turns = messages(
      seen((random) => {
        const first = new Map<string, boolean>();
        return (reference, side, at) => {
          const key = `${String(reference)} ${side}`;
          if (at === 0) first.set(key, random() < 0.5);
          return random() < 0.1 || (first.get(key) ?? false) !== (at === 1);
        };
      }),
    );
    expect(turns).toEqual([expect.stringContaining('something alternates')]);
    const later = seen((random) => (_, _side, at) => random() < (at === 0 ? 0.9 : 0.5));
    expect(messages(later)).toContainEqual(
      expect.stringContaining('second tries pass less often than first ones'),
    );
  });

  test('is reported if base and head agree within each comparison, but one comparison differs from the next', () => {
    const lasting = (random: () => number): Draw => {
      const rates = Array.from({ length: 20 }, () => (random() < 0.5 ? 0.05 : 0.95));
      return (reference) => random() < rates[reference]!;
    };
    expect(messages(seen(lasting))).toEqual([expect.stringContaining('a cache expires')]);
  });

  test('is reported if references fail together, and the report suggests a cluster', () => {
    const together = (random: () => number): Draw => {
      const words = new Map<string, boolean>();
      return (_, side, at) => {
        const key = `${side} ${String(at)}`;
        const word = words.get(key) ?? random() < 0.7;
        words.set(key, word);
        return word;
      };
    };
    expect(messages(seen(together))).toEqual([
      expect.stringContaining('give references of the same template the same cluster'),
    ]);
  });

  test('is unknown without two judged tries on both sides', () => {
    expect(dependenceOf({ references: [] } as unknown as SuiteResult)).toBeNull();
    expect(messages([])).toEqual([]);
  });
});
