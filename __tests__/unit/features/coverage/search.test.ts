import {
  coverLines,
  type AskWithout,
  type CoverInput,
  type JudgedAnswer,
} from '../../../../src/features/coverage/search.ts';

/** Asks a model without noise: `fails` says without which lines a reference fails. */
function createModel(
  references: number,
  fails: (without: ReadonlySet<number>, reference: number) => boolean,
  changes: readonly number[] = [],
) {
  const asked: { lines: number[]; reference: number }[] = [];
  const answer = (without: ReadonlySet<number>, reference: number): JudgedAnswer => ({
    passed: !fails(without, reference),
    text: [
      'the',
      'answer',
      ...changes.map((line) => `${without.has(line) ? 'no' : 'with'}${line}`),
    ].join(' '),
  });
  const stored = Array.from({ length: references }, (_, reference) =>
    [0, 1, 2].map(() => answer(new Set(), reference)),
  );
  const ask: AskWithout = async (wanted) => {
    for (const { lines, reference } of wanted) asked.push({ lines: [...lines], reference });
    return Promise.resolve(wanted.map(({ lines, reference }) => answer(lines, reference)));
  };
  return { asked, stored, ask };
}

function inputOf(lines: number, stored: CoverInput['stored'], own: Partial<CoverInput> = {}) {
  return { lines, stored, given: null, likely: () => 1, most: 400, seed: 'a', ...own };
}

describe('the search for covered lines', () => {
  test('tells held lines, lines held together, untested lines and lines without effect', async () => {
    const { stored, ask, asked } = createModel(
      10,
      (without, reference) =>
        (reference === 2 && without.has(0)) ||
        (reference === 5 && without.has(3) && without.has(4)),
      [1, 6],
    );
    const found = await coverLines(inputOf(8, stored), ask);
    expect(found.lines.map(({ kind }) => kind)).toEqual([
      ...['held', 'untested', 'idle', 'held_together', 'held_together', 'idle', 'untested', 'idle'],
    ]);
    expect(found.lines[0]).toMatchObject({ references: [2], with: null });
    expect(found.lines[3]).toMatchObject({ references: [5], with: 4 });
    expect(found.lines[4]).toMatchObject({ references: [5], with: 3 });
    expect(found).toMatchObject({ tries: asked.length, end: null, unsteady: [] });
  });

  test('holds no line because of failures that new tries without only this line do not repeat', async () => {
    const { stored, ask, asked } = createModel(4, (without, at) => at === 1 && without.size === 6);
    const { lines } = await coverLines(inputOf(6, stored), ask);
    expect(asked.some(({ lines: own, reference }) => reference === 1 && own.length === 1)).toBe(
      true,
    );
    expect(lines.filter(({ kind }) => kind === 'held')).toEqual([]);
    expect(lines.filter(({ kind }) => kind === 'idle')).toEqual([]);
  });

  test('asks each reference twice if no line has an effect', async () => {
    const { stored, ask, asked } = createModel(9, () => false);
    const { lines } = await coverLines(inputOf(30, stored), ask);
    expect(new Set(lines.map(({ kind }) => kind))).toEqual(new Set(['idle']));
    expect(lines[0]?.answers).toBe(asked.length);
    expect(asked.every((own) => own.lines.length === 30)).toBe(true);
    expect(asked.length).toBeLessThanOrEqual(18);
  });

  test('calls a line unsettled if the tries do not suffice', async () => {
    const { stored, ask } = createModel(10, (without, at) => at === 9 && without.has(7));
    const found = await coverLines(inputOf(8, stored, { most: 12 }), ask);
    expect(found).toMatchObject({ tries: 12, end: 'tries' });
    expect(new Set(found.lines.map(({ kind }) => kind))).toEqual(new Set(['unsettled']));
  });

  test('asks nothing of tests that fail with all lines, because they hold none', async () => {
    const never = createModel(3, () => true);
    const found = await coverLines(inputOf(2, never.stored), never.ask);
    expect(found).toMatchObject({ end: 'unsteady', tries: 0, unsteady: [0, 1, 2] });
    expect(found.lines.map(({ kind }) => kind)).toEqual(['unsettled', 'unsettled']);
    const one = createModel(3, (without, reference) => reference === 1 || without.has(0));
    const other = await coverLines(inputOf(2, one.stored), one.ask);
    expect(other.unsteady).toEqual([1]);
    expect(one.asked.some(({ reference }) => reference === 1)).toBe(false);
    expect(other.lines[0]?.kind).toBe('held');
  });

  test('settles nothing if no answer can be judged', async () => {
    const { stored } = createModel(3, () => false);
    const found = await coverLines(inputOf(2, stored), async (wanted) =>
      Promise.resolve(wanted.map(() => null)),
    );
    expect(found).toMatchObject({ end: 'errors' });
    expect(found.lines.map(({ kind }) => kind)).toEqual(['unsettled', 'unsettled']);
  });

  test("takes base's answers as tries without all new lines", async () => {
    const fails = (without: ReadonlySet<number>, at: number) => at === 3 && without.has(1);
    const { stored, ask, asked } = createModel(6, fails, [0]);
    const given = stored.map((own, reference) =>
      own.map(() => ({ passed: reference !== 3, text: 'the answer no0' })),
    );
    const { lines } = await coverLines(inputOf(2, stored, { given }), ask);
    expect(lines.map(({ kind }) => kind)).toEqual(['untested', 'held']);
    expect(asked.some((own) => own.lines.length === 2 && own.reference !== 3)).toBe(false);
  });
});
