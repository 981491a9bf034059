import type { TryResult } from '../../../../src/kernel/result/reference-result.ts';
import { marksOf, stripsOf } from '../../../../src/report/sections/evidence.ts';
import { partsOf } from '../../../../src/types/answer.ts';
import type { ObjectScores } from '../../../../src/types/metric.ts';

const WORDS = { '✓': 'pass', '✗': 'fail', '?': 'ungraded', '·': 'skipped' } as const;
const objects = (marks: string, values: number[] = []): ObjectScores => ({
  level: 'Turn',
  scores: [...marks].map((mark, at) => ({
    at,
    status: WORDS[mark as keyof typeof WORDS],
    value: values[at] ?? null,
    reason: null,
  })),
});
const tried = (scores: Record<string, ObjectScores>): TryResult => ({
  try: 0,
  outcome: 'pass',
  parts: partsOf('a'),
  error: null,
  usage: null,
  latency_ms: 1,
  reused: false,
  ended: 'stop',
  scores: Object.entries(scores).map(([metric, own]) => ({
    metric,
    status: 'pass',
    value: 1,
    reason: null,
    skip: false,
    objects: own,
  })),
});

describe('turn-by-turn marks of two dialogues', () => {
  test('show the first turn that differs, and metrics that differ come first', () => {
    const found = stripsOf(
      tried({ same: objects('✓✓✓'), kind: objects('✓·✓✓') }),
      tried({ same: objects('✓✓✓'), kind: objects('✓·✗') }),
    );
    expect(found.map(({ metric, parted }) => [metric, parted])).toEqual([
      ['kind', 2],
      ['same', null],
    ]);
  });

  test('show a difference at the first turn that passes on only one side, or else at the first with another value', () => {
    const parted = (base: ObjectScores, head: ObjectScores) =>
      stripsOf(tried({ length: base }), tried({ length: head }))[0]?.parted;
    expect(parted(objects('✓✓✓', [1, 2, 3]), objects('✓✓✓', [1, 5, 3]))).toBe(1);
    expect(parted(objects('✓✓✓', [1, 2, 3]), objects('✓✓✗', [1, 5, 3]))).toBe(2);
  });

  test('leave out metrics that do not affect the gate if another metric judges each turn', () => {
    const own = tried({ kind: objects('✓✗'), is_role: objects('✓✗') });
    const marked = (shown: readonly string[]): TryResult => ({
      ...own,
      scores: own.scores
        .filter(({ metric }) => shown.includes(metric))
        .map((score) => ({ ...score, skip: score.metric === 'is_role' })),
    });
    const names = (shown: readonly string[]) =>
      stripsOf(null, marked(shown)).map(({ metric }) => metric);
    expect(names(['kind', 'is_role'])).toEqual(['kind']);
    expect(names(['is_role'])).toEqual(['is_role']);
  });

  test('show no difference if there is only one side or only one turn', () => {
    expect(stripsOf(null, tried({ kind: objects('✓✗') }))[0]).toMatchObject({
      base: null,
      parted: null,
    });
    expect(stripsOf(tried({ kind: objects('✓') }), tried({ kind: objects('✗') }))).toEqual([]);
  });

  test.each([
    [60, 50, '✓'.repeat(60)],
    [61, 0, `${'✓'.repeat(60)}…`],
    [61, 60, `…${'✓'.repeat(60)}`],
    [200, 100, `…${'✓'.repeat(60)}…`],
  ])('for %i turns show at most 60 around turn %i, which differs', (length, parted, marks) =>
    expect(marksOf(objects('✓'.repeat(length)), parted)).toBe(marks),
  );
});
