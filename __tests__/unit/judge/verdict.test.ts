import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { compareLane } from '../../../src/judge/compare.ts';
import { rollUpLane } from '../../../src/judge/roll-up.ts';
import { judgeLanes } from '../../../src/judge/verdict.ts';
import { startLane, type Try } from '../../../src/plan/suite-run.ts';
import { comparedLane, type ComparedLane, type TryPolicy } from '../../../src/plan/suite-run.ts';
import type { Verdict } from '../../../src/result/suite-result.ts';
import type { AffectedReference } from '../../../src/select/affected.ts';
import { generationOf } from '../../../src/select/generation.ts';
import { adaptiveLevels } from '../../../src/statistics/adaptive-levels.ts';
import { visibleDrop } from '../../../src/statistics/visible-drop.ts';
import type { SuiteGate } from '../../../src/suite/suite.ts';
import { gate, prompt, reference, suite, suiteSide, tryResult } from '../run/builders.ts';

type Row = [
  count: number,
  passesBase: number,
  triesBase: number,
  passesHead: number,
  triesHead: number,
];
interface VerdictCase {
  name: string;
  rows: Row[];
  references: [count: number, status: string][];
  suite: { verdict: Verdict; delta: number; lower: number; upper: number; midP: number };
}
const file = new URL('../../../fixtures/statistics/verdicts.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: VerdictCase[] };

function repeated<T>(runs: readonly [number, ...T[]][]): T[][] {
  return runs.flatMap(([count, ...rest]) => Array.from({ length: count }, () => rest));
}

/** A lane that was run: passes first, then failures, on both sides of each reference. */
function lane(rows: readonly Row[], policy: TryPolicy, own: SuiteGate = {}): ComparedLane {
  const tables = repeated(rows);
  const references = tables.map((_, index) => reference(`r${String(index)}`));
  const [before, after] = ['Say {q}', 'Tell {q}'].map((content) =>
    suite({
      prompt: { messages: [{ ...prompt().messages[0]!, content }] },
      tests: { references, rollup: { kind: 'named', policy: 'majority' } },
    }),
  );
  const [base, head] = [suiteSide('base', before!), suiteSide('head', after!)];
  const all = references.map((one): AffectedReference => ({
    reference: one,
    change: 'both',
    baseReference: one,
    base: generationOf(base.suite.prompt, base.variant, one),
    head: generationOf(head.suite.prompt, head.variant, one),
  }));
  const run = startLane(
    {
      path: 'prompts/p.yaml',
      name: 'p',
      variant: base.variant,
      baseVariant: null,
      base,
      head,
      because: [],
      cases: all,
      unaffected: 0,
    },
    'head',
  );
  const attempts = (passes: number, tries: number): Try[] =>
    Array.from({ length: tries }, (_, index) => ({
      result: tryResult(index < passes ? 'pass' : 'fail', index),
      other: null,
    }));
  tables.forEach(([passesBase, triesBase, passesHead, triesHead], index) => {
    run.runs[index]!.base.push(...attempts(passesBase!, triesBase!));
    run.runs[index]!.head.push(...attempts(passesHead!, triesHead!));
  });
  return comparedLane(run, policy, { run: gate(), own }, () => false);
}

async function judged(one: ComparedLane) {
  const [verdict] = judgeLanes([one], gate());
  const words = await rollUpLane(one.run, async () => {
    throw new Error('no code runs here');
  });
  return { verdict: verdict!, suite: compareLane(one, verdict ?? null, words) };
}

describe('the verdicts of the specification', () => {
  test.each(cases)('$name', async ({ rows, references, suite: expected }) => {
    const { verdict, suite: shown } = await judged(lane(rows, { kind: 'fixed', tries: 5 }));
    expect(shown.verdict).toBe(expected.verdict);
    expect(shown.references.map(({ status }) => status)).toEqual(repeated(references).flat());
    expect(shown.pass_rate.difference).toBeCloseTo(expected.delta, 9);
    expect(shown.pass_rate.low).toBeCloseTo(expected.lower, 9);
    expect(shown.pass_rate.high).toBeCloseTo(expected.upper, 9);
    expect(verdict.p).toBeCloseTo(expected.midP, 9);
  });
});

describe('what a suite usually sees', () => {
  const rows: Row[] = [
    [18, 2, 2, 2, 2],
    [2, 1, 2, 1, 2],
  ];

  test('is what the whole adaptive policy sees, also where it stopped at two tries', async () => {
    const two = await judged(lane(rows, { kind: 'adaptive' }));
    const fixed = await judged(lane(rows, { kind: 'fixed', tries: 2 }));
    const ratio = fixed.suite.visible_drop! / two.suite.visible_drop!;
    expect(ratio).toBeGreaterThan(1.4);
    expect(ratio).toBeLessThan(1.9);
    expect(two.suite.summary).toContain(
      'this suite (20 references × 2 tries, up to 5 where it looks worse) usually sees drops of',
    );
    expect(fixed.suite.summary).toContain(
      'this suite (20 references × 2 tries) usually sees drops of',
    );
  });

  test('after five adaptive tries is that of five tries at the level of the last look', async () => {
    const { suite: shown } = await judged(lane([[20, 5, 5, 5, 5]], { kind: 'adaptive' }));
    const { extend } = adaptiveLevels(0.05, 'suite+references');
    // Ten parts of 0.05 beside twenty references without any try-to-try variance.
    const variance = (10 * 0.05) / 30;
    expect(shown.visible_drop).toBeCloseTo(
      visibleDrop({ references: 20, tries: { base: 5, head: 5 }, variance, rate: 1 }, extend)!,
      2,
    );
  });
});

describe('several suites', () => {
  test('share alpha: what one alone would call is not called beside nine that nothing happened to', () => {
    const worse: Row[] = [[5, 1, 1, 0, 1]];
    const [alone] = judgeLanes([lane(worse, { kind: 'fixed', tries: 1 })], gate());
    expect(alone?.verdict).toBe('regressed');
    const many = judgeLanes(
      [
        lane(worse, { kind: 'fixed', tries: 1 }),
        ...Array.from({ length: 9 }, () => lane([[5, 1, 1, 1, 1]], { kind: 'fixed', tries: 1 })),
      ],
      gate(),
    );
    expect(many[0]).toMatchObject({ verdict: 'inconclusive', alpha: 0.005 });
  });

  test('have margins of their own', async () => {
    const rows: Row[] = [
      [30, 3, 3, 3, 3],
      [1, 3, 3, 2, 3],
    ];
    const { suite: strict } = await judged(
      lane(rows, { kind: 'fixed', tries: 3 }, { tolerance: 0.001 }),
    );
    const { suite: lenient } = await judged(
      lane(rows, { kind: 'fixed', tries: 3 }, { tolerance: 0.2 }),
    );
    expect([strict.verdict, lenient.verdict]).toEqual(['inconclusive', 'unchanged']);
    expect(strict.summary).toContain('To rule out a drop above the tolerance of 0.1 points takes');
    expect(lenient.gate).toEqual({ tolerance: 0.2 });
    const half: Row[] = [[20, 3, 3, 2, 3]];
    expect((await judged(lane(half, { kind: 'fixed', tries: 3 }))).suite.verdict).toBe('regressed');
    expect(
      (await judged(lane(half, { kind: 'fixed', tries: 3 }, { min_drop: 0.4 }))).suite.verdict,
    ).not.toBe('regressed');
  });
});
