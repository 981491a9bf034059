import { coverLines, type CoverInput } from '../../../../src/features/coverage/search.ts';

type Fails = (without: ReadonlySet<number>, reference: number) => boolean;

/**
 * Covers lines with a model without noise. `changes`: the lines that change answers. `where`: the
 * references whose answers change; default: all.
 */
async function cover(
  size: { lines: number; references: number },
  fails: Fails,
  own: Partial<CoverInput> & {
    changes?: readonly number[];
    where?: readonly number[];
    isSilent?: boolean;
  } = {},
) {
  const { changes = [], where, isSilent = false, ...given } = own;
  const asked: { lines: number; reference: number }[] = [];
  let rounds = 0;
  const answer = (without: ReadonlySet<number>, reference: number) => ({
    passed: !fails(without, reference),
    text: changes
      .map(
        (line) =>
          (without.has(line) && where?.includes(reference) !== false ? 'no' : 'with') + line,
      )
      .join(' '),
  });
  const found = await coverLines(
    {
      lines: size.lines,
      stored: Array.from({ length: size.references }, (_, reference) =>
        [0, 1, 2].map(() => answer(new Set(), reference)),
      ),
      ...{ given: null, most: 400, seed: 'a' },
      likely: Array.from({ length: size.lines }, () => Array<number>(size.references).fill(1)),
      ...given,
    },
    async (wanted) => {
      rounds += 1;
      for (const { units, reference } of wanted) asked.push({ lines: units.size, reference });
      return Promise.resolve(
        wanted.map(({ units, reference }) => (isSilent ? null : answer(units, reference))),
      );
    },
  );
  return { ...found, asked, rounds, kinds: found.lines.map(({ kind }) => kind) };
}

const OPEN = ['unsettled', 'unsettled'];

describe('the search for covered lines', () => {
  test('tells held lines, lines held together, untested lines and lines without effect', async () => {
    const found = await cover(
      { lines: 8, references: 10 },
      (without, reference) =>
        (reference === 2 && without.has(0)) ||
        (reference === 5 && without.has(3) && without.has(4)),
      { changes: [1, 6] },
    );
    expect(found.kinds).toEqual([
      ...['held', 'untested', 'idle', 'held_together', 'held_together', 'idle', 'untested', 'idle'],
    ]);
    expect(found.lines[0]).toMatchObject({ reference: 2, with: null });
    expect(found.lines[3]).toMatchObject({ reference: 5, with: 4 });
    expect(found.lines[4]).toMatchObject({ reference: 5, with: 3 });
    expect(found).toMatchObject({ tries: found.asked.length, end: null });
    expect(found.usable).toHaveLength(10);
  });

  test('asks tries that do not depend on each other together', async () => {
    const { asked, rounds, kinds } = await cover(
      { lines: 12, references: 8 },
      (without, reference) => reference === 0 && without.has(0),
      { changes: [5], stored: Array.from({ length: 8 }, () => [{ passed: true, text: 'with5' }]) },
    );
    expect(kinds[0]).toBe('held');
    expect(kinds[5]).toBe('untested');
    expect(asked.filter(({ lines }) => lines === 0)).toHaveLength(8);
    expect(rounds).toBeLessThan(0.7 * asked.length);
  });

  test('holds no line because of failures that new tries without only this line do not repeat', async () => {
    const { asked, kinds } = await cover(
      { lines: 6, references: 4 },
      (without, at) => at === 1 && without.size === 6,
    );
    expect(asked.some(({ lines, reference }) => reference === 1 && lines === 1)).toBe(true);
    expect(kinds.filter((kind) => kind === 'held' || kind === 'idle')).toEqual([]);
  });

  test.each([1, 5, 8, 14])(
    'calls a line of %i untested that changes the answers of one test of many',
    async (lines) => {
      for (const references of [4, 12, 20, 40])
        for (const tries of [1, 2, 3, 5]) {
          const stored = Array.from({ length: references }, () =>
            Array.from({ length: tries }, () => ({ passed: true, text: 'with0' })),
          );
          const { kinds } = await cover({ lines, references }, () => false, {
            ...{ stored, changes: [0], where: [references - 1] },
          });
          expect(kinds).toEqual(['untested', ...Array<string>(lines - 1).fill('idle')]);
        }
    },
  );

  test('asks each reference at most twice if no line has an effect', async () => {
    const { asked, kinds, lines } = await cover({ lines: 30, references: 9 }, () => false);
    expect(new Set(kinds)).toEqual(new Set(['idle']));
    expect(lines[0]?.answers).toBe(asked.length);
    expect(asked.every((own) => own.lines === 30)).toBe(true);
    expect(asked.length).toBeLessThanOrEqual(18);
  });

  test('calls a line unsettled if the tries do not suffice, or no answer can be judged', async () => {
    const size = { lines: 2, references: 9 };
    const capped = await cover(size, (_, at) => at === 8, { most: 3 });
    expect(capped).toMatchObject({ tries: 3, end: 'tries', kinds: OPEN });
    const silent = await cover(size, () => false, { isSilent: true });
    expect(silent).toMatchObject({ end: 'errors', kinds: OPEN });
  });

  test('asks nothing of tests that fail with all lines, because they hold none', async () => {
    const size = { lines: 2, references: 3 };
    expect(await cover(size, () => true)).toMatchObject({ usable: [], tries: 0, kinds: OPEN });
    const { usable, asked, kinds } = await cover(
      size,
      (without, reference) => reference === 1 || without.has(0),
    );
    expect(usable).toEqual([0, 2]);
    expect(asked.some(({ reference }) => reference === 1)).toBe(false);
    expect(kinds[0]).toBe('held');
  });

  test("takes base's answers as tries without all new lines", async () => {
    const given = Array.from({ length: 6 }, (_, reference) =>
      [0, 1, 2].map(() => ({ passed: reference !== 3, text: 'no0' })),
    );
    const { kinds, asked } = await cover(
      { lines: 2, references: 6 },
      (without, at) => at === 3 && without.has(1),
      { given, changes: [0] },
    );
    expect(kinds).toEqual(['untested', 'held']);
    expect(asked.some(({ lines, reference }) => lines === 2 && reference !== 3)).toBe(false);
  });
});
