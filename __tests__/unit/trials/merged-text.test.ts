import {
  createRandom,
  nextFloat,
  nextIndex,
  type Random,
} from '../../../src/kernel/statistics/random.ts';
import { composeText, mergeTexts, sentencesOf } from '../../../src/trials/merged-text.ts';

const LINES = [
  'You answer questions about refunds.',
  'Be brief.',
  '',
  'Say how many days a refund takes. Name the form that has to be filled in. Never promise a date that nobody can keep.',
  'Use the words of the customer, and no others, so that they see they were heard. Close with a greeting.',
  '  - 1. Ask for the order number.',
  'Answer in {language}.',
  'Übrigens: 返品は三十日以内です。領収書をお持ちください。',
];

function randomText(random: Random) {
  return Array.from({ length: nextIndex(random, 8) + 1 }, () => LINES[nextIndex(random, 8)] ?? '');
}

/** Removes, adds, rewords and moves random lines. */
function edited(lines: readonly string[], random: Random) {
  const result = [...lines];
  for (let edits = nextIndex(random, 5); edits >= 0; edits -= 1) {
    const at = nextIndex(random, result.length + 1);
    const kind = nextIndex(random, 4);
    const line = result[at] ?? '';
    if (kind === 0) result.splice(at, 1);
    else if (kind === 1) result.splice(at, 0, LINES[nextIndex(random, 8)] ?? '');
    else if (kind === 2) result.splice(at, 1, line.replace('refund', 'return').replace('the', 'a'));
    else result.splice(nextIndex(random, result.length + 1), 0, ...result.splice(at, 1));
  }
  return result;
}

const every = () => true;
const none = () => false;

describe('the parts (units) that a change of a text is split into', () => {
  test.each(['lines', 'hunks'] as const)(
    "give head's text when all are applied and base's when none is, split by %s",
    (grain) => {
      const random = createRandom(`texts by ${grain}`);
      for (let round = 0; round < 600; round += 1) {
        const base = randomText(random);
        const [before, after] = [base.join('\n'), edited(base, random).join('\n')];
        const merged = mergeTexts(before, after, grain);
        expect(composeText(merged, every)).toBe(after);
        expect(composeText(merged, none)).toBe(before);
        expect(merged.units.length === 0).toBe(before === after);
        // Any subset of units can be composed.
        const some = composeText(merged, () => nextFloat(random) < 0.5);
        expect(typeof some).toBe('string');
      }
    },
  );

  test('are the changed lines, with their line numbers on both sides', () => {
    const base = 'You help.\nBe polite.\nAnswer in one sentence.\nName the form.';
    const head = 'You help.\nBe very polite.\nAnswer in one sentence.\nThank them.\nName the form.';
    const { units } = mergeTexts(base, head, 'lines');
    expect(units).toEqual([
      {
        kind: 'line',
        base: { text: 'Be polite.', from: 1, to: 1 },
        head: { text: 'Be very polite.', from: 1, to: 1 },
        anchor: 1,
      },
      { kind: 'line', base: null, head: { text: 'Thank them.', from: 3, to: 3 }, anchor: 3 },
    ]);
  });

  test('are individual sentences in a long line', () => {
    const base = `Say how many days a refund takes. ${'Name the form that they have to fill in. '.repeat(2)}Close with a greeting.`;
    const head = base
      .replace('how many days', 'roughly how long')
      .replace(' Close with a greeting.', '');
    const { units } = mergeTexts(base, head, 'lines');
    expect(units.map(({ kind, base: own }) => [kind, own?.text.trim()])).toEqual(
      [
        ['sentence', 'Say how many days a refund takes.'],
        ['sentence', 'Name the form that they have to fill in.'],
        ['sentence', 'Close with a greeting.'],
      ].filter(([, text]) => units.some((unit) => unit.base?.text.trim() === text)),
    );
    expect(units.length).toBeGreaterThan(1);
  });

  test('count a moved line once', () => {
    const lines = ['Ask for the order number.', 'Be brief.', 'Thank the customer.', 'Sign as Ada.'];
    const [first = '', ...rest] = lines;
    const { units } = mergeTexts(lines.join('\n'), [...rest, first].join('\n'), 'lines');
    expect(units).toEqual([
      {
        kind: 'moved line',
        base: { text: first, from: 0, to: 0 },
        head: { text: first, from: 3, to: 3 },
        anchor: 0,
      },
    ]);
  });

  test('include the blank lines next to a changed line', () => {
    const { units } = mergeTexts('Be brief.', 'Be brief.\n\nSign as Ada.', 'lines');
    expect(units).toHaveLength(1);
    expect(units[0]?.head).toEqual({ text: 'Sign as Ada.', from: 2, to: 2 });
  });

  test("record the position in head's text where a line was removed", () => {
    const { units } = mergeTexts(
      'One of these.\nTwo of these.\nThree of them.',
      'One of these.\nThree of them.',
      'lines',
    );
    expect(units).toEqual([
      { kind: 'line', base: { text: 'Two of these.', from: 1, to: 1 }, head: null, anchor: 1 },
    ]);
  });

  test('are a single part if the two texts share no line', () => {
    const base = Array.from({ length: 1_500 }, (_, i) => `old ${i}`).join('\n');
    const head = Array.from({ length: 1_500 }, (_, i) => `new ${i}`).join('\n');
    const merged = mergeTexts(base, head, 'lines');
    expect(merged.units).toHaveLength(1);
    expect(composeText(merged, every)).toBe(head);
  });
});

test('sentencesOf keeps every character and does not split after a list number', () => {
  const line =
    '  1. Ask for the order number. Then, e.g. in a hurry, say so! 返品は三十日以内です。領収書をお持ちくださいませ。';
  expect(sentencesOf(line).join('')).toBe(line);
  expect(sentencesOf('1. Ask for the number. Then go on with it.')).toEqual([
    '1. Ask for the number. ',
    'Then go on with it.',
  ]);
});
