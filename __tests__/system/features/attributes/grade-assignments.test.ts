import { describe, expect, test } from '@jest/globals';
import type { Script } from '../../../stand-ins/models/server.ts';
import { openShop } from '../../../unit/app/commands/shop.ts';

/**
 * The grader rates parcels 5 for odd questions, quoting 4 for all questions, and everything else 2.
 */
const rater: Script = ({ messages, schema }) => {
  if (schema?.name !== 'affinity') return { text: 'unasked' };
  const content = messages.at(-1)?.content ?? '';
  const isOdd = /question \d*[13579]\b/.test(content);
  const score = { 'domain-late-parcels': isOdd ? 5 : 2, 'subtask-quote-a-rule': 4 };
  const ratings = Object.entries(score).map(([id, own]) => ({ id, evidence: 'e', score: own }));
  return { text: JSON.stringify({ ratings }) };
};

const ATTRIBUTES =
  'domains: [{ name: Late parcels }]\nsubtasks: [{ name: quote a rule }]\nlabels:\n';

async function grade(labels: string, ...args: string[]) {
  return gradeBy(rater, labels, ...args);
}

async function gradeBy(answer: Script, labels: string, ...args: string[]) {
  const shop = await openShop({ references: 12, settings: 'grader: m\n', answer });
  shop.repository.commit('attributes', { 'evaldiff.attributes.yaml': `${ATTRIBUTES}${labels}` });
  const said = await shop.evaldiff('grade', 'ask', '--max-cost', '100', ...args);
  return { ...said, calls: shop.server.requests.length };
}

const LABELS =
  '  r1: [late parcels, quote a rule]\n  r2: [quote a rule]\n  r3: [Late parcels]\n  r4: [Late parcels]\n';

describe('evaldiff grade for tests with labelled attributes', () => {
  test("rates only the labelled tests, and counts how often ratings agree with people's labels", async () => {
    const { code, out, calls } = await grade(LABELS, '--json');
    expect([code, calls]).toEqual([0, 4]);
    expect(JSON.parse(out)).toMatchObject({
      tests: 4,
      unrated: 0,
      has: { passes: 4, tries: 5 },
      has_not: { passes: 1, tries: 3 },
      agreement: 5 / 8,
      wrong: [
        { reference: 'r3', attribute: 'quote a rule', expected: false },
        { reference: 'r4', attribute: 'Late parcels', expected: true },
        { reference: 'r4', attribute: 'quote a rule', expected: false },
      ],
    });
  });

  test('prints the agreement with intervals, and each wrong rating', async () => {
    const { out } = await grade(LABELS);
    expect(out).toMatch(/4 of 5, \d+\.\d to \d+\.\d %/);
    expect(out).toContain('62.5 %');
    expect(out).toMatch(/r4 +Late parcels +has it +2/);
  });

  test.each([
    ['a hedge', '"mostly 5"'],
    ['a number above the scale', '9'],
    ['NaN', 'NaN'],
    ['a list', '[5]'],
    ['a second score', '5},{"id":"Late parcels","score":1'],
    ['the key of the score twice', '5,"score":1'],
  ])('counts a rating with %s as not rated, after a second question', async (_, score) => {
    const text = `{"ratings":[{"id":"subtask-quote-a-rule","score":2},{"id":"domain-late-parcels","score":${score}}]}`;
    const { code, out, calls } = await gradeBy(
      () => ({ text }),
      '  r1: [late parcels]\n',
      '--json',
    );
    expect([code, calls >= 2]).toEqual([0, true]);
    expect(JSON.parse(out)).toMatchObject({
      unrated: 1,
      has: { passes: 0, tries: 0 },
      has_not: { passes: 1, tries: 1 },
    });
  });

  test.each([
    [
      '  r1: [late parcel]\n',
      'evaldiff.attributes.yaml:4: "late parcel" is not an attribute of this list; did you mean "Late parcels"?',
    ],
    ['  r99: [Late parcels]\n', 'evaldiff.attributes.yaml:4: prompts/ask.yaml has no test "r99"'],
    [
      '  {}\n',
      'prompts/tests/ask.yaml: the prompt "ask" has no labels; add examples under its conversation',
    ],
  ])('rejects the labels %j before any call', async (labels, words) => {
    const { code, out, err, calls } = await grade(labels);
    expect([code, calls]).toEqual([2, 0]);
    expect(`${out}${err}`).toContain(words);
  });
});
