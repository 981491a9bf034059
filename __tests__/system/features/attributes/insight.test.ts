import { describe, expect, test } from '@jest/globals';
import { findingsFor, plainFindings } from '../../../../src/features/attributes/insight.ts';
import type { AttributeResult } from '../../../../src/features/attributes/result.ts';
import { attributeResult as attribute } from '../../../unit/features/attributes/builders.ts';
import { failure, materials, scripted } from './scripted-grader.ts';

type Rates = Pick<AttributeResult, 'base' | 'head' | 'difference' | 'low' | 'high'>;
const rates = (base: number, head: number, low: number, high: number): Rates => ({
  base,
  head,
  difference: Math.round(1000 * (head - base)) / 1000,
  low,
  high,
});
const same = { verdict: 'no change found' as const };
const tables = [
  attribute('2D-arrays'),
  attribute('billing', { ...same, ...rates(0.9, 0.9, -0.07, 0.07), samples: [] }),
];
const insight = (why: string, attributes = ['2D-arrays'], references = ['order-66']) => ({
  why,
  attributes,
  references,
});
const ARRAYS =
  '2D-arrays (domain) regressed: pass rate 95.0 % → 60.0 % (−35.0 points) over 12 tests.';

/** The insights that remain of those a grader writes. */
async function written(insights: object[], given = tables) {
  const { tools, asked } = scripted({ insights: () => ({ insights }) });
  const { findings, notes, dropped } = await findingsFor(given, tools);
  expect(dropped).toBe(notes.length);
  return {
    texts: findings.filter(({ generated }) => generated).map(({ text }) => text),
    dropped: notes.map((note) => note.replace('an insight was dropped: ', '')),
    question: asked[0]!,
  };
}

describe('a written insight', () => {
  test.each<[string, string, string[], string[]]>([
    ['one attribute', ARRAYS, ['2D-arrays'], []],
    [
      'two attributes at most',
      `${ARRAYS} billing (domain) no change found: pass rate 90.0 % → 90.0 % (0.0 points) over 12 tests.`,
      ['rivers', 'billing', '2D-arrays'],
      [],
    ],
    [
      'an attribute that another one explains',
      'rivers (domain) also fell: pass rate 95.0 % → 60.0 % (−35.0 points) over 12 tests.',
      ['rivers'],
      ['order-66'],
    ],
  ])('begins with the figures of %s', async (_, figures, attributes, references) => {
    const rivers = attribute('rivers', {
      ...{ ...same, verdict: 'also fell', explained_by: ['2D-arrays'] },
    });
    const why = 'Say again which fact an answer names.';
    const { texts } = await written([insight(why, attributes, references)], [...tables, rivers]);
    expect(texts).toEqual([`${figures} ${why}`]);
  });

  test('has no figures if it names only references', async () => {
    const why = 'order-66 needs the old rule.';
    expect(await written([insight(why, [])])).toMatchObject({ texts: [why] });
  });

  test.each([
    ['Head fails in 37 % of the cases.', 'it states the number "37" itself'],
    ['Only 1,234 of them are left.', 'it states the number "1,234" itself'],
    ['About ３７ of them.', 'it states the number "３７" itself'],
    ['Nearly ½.', 'it states the number "½" itself'],
    ['It is order-67.', 'it states the number "67" itself'],
    ['It is order-66.5.', 'it states the number "66.5" itself'],
    ['2D-arrays improved.', 'it says "improved" itself'],
    ['It FELL for billing.', 'it says "FELL" itself'],
    ['Answers are worse.', 'it says "are worse" itself'],
  ])("is dropped when the grader's text states a figure or a direction: %s", async (why, fault) => {
    expect(await written([insight(why)])).toMatchObject({ texts: [], dropped: [fault] });
  });

  test.each([
    'Arrays of two dimensions, 2D-arrays, need order-66.',
    'Falling prices lower the total, so improve the rule; 2d-ARRAYS need it.',
  ])('is kept when its digits and directions belong to names and advice: %s', async (why) => {
    expect(await written([insight(why)])).toMatchObject({ texts: [`${ARRAYS} ${why}`] });
  });

  test.each<[string, string[], string | null]>([
    ['Case 7, and r.5, lack it.', ['7', 'r.5'], null],
    ['Some 17 cases lack it.', ['7', '1'], '17'],
    ['Case 7 lacks it.', ['1'], '7'],
    ['It lacks 7.2 of them.', ['7', '2'], '7.2'],
    ['It is rr.5 that lacks it.', ['r.5'], '5'],
  ])(
    'may name listed references that are numbers, but no other number: %s',
    async (why, references, number) => {
      const sums = attribute('sums', { references: ['1', '2', '7', 'r.5'], samples: [] });
      expect(await written([insight(why, ['sums'], references)], [sums])).toMatchObject(
        number === null
          ? { dropped: [] }
          : { texts: [], dropped: [`it states the number ${JSON.stringify(number)} itself`] },
      );
    },
  );

  test('is dropped when it names an unknown attribute or reference, and the others stay', async () => {
    expect(
      await written([
        insight('One.', ['2D-arrays', 'refunds']),
        insight('Two.', ['2D-arrays'], ['r9']),
        insight('Three.'),
        insight('Four.', [], []),
        insight(' '),
      ]),
    ).toMatchObject({
      texts: [`${ARRAYS} Three.`],
      dropped: [
        'it names the attribute "refunds", which does not exist',
        'it names the reference "r9", which does not exist',
        'it rests on no attribute and no reference',
        'it says nothing',
      ],
    });
  });

  test('is one visible line of limited length, and there are at most six', async () => {
    const long = Array.from({ length: 8 }, () => insight('x'.repeat(900), []));
    const { texts } = await written([insight('a\n\n# b\u202e', []), ...long]);
    expect(texts[0]).toBe('a # b');
    expect(texts).toHaveLength(6);
    expect(texts[1]).toHaveLength(400);
  });

  test('is requested with nothing but the tables', async () => {
    const { question } = await written([]);
    expect(question).toMatchObject({ purpose: 'insight' });
    expect([...materials(question).keys()]).toEqual(['tables']);
    const rows = materials(question).get('tables')!.split('\n');
    expect(rows.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        id: '2D-arrays',
        name: '2D-arrays',
        kind: 'domain',
        verdict: 'regressed',
        prior_percent: 25,
        compared_references: 12,
        base_pass_percent: 95,
        head_pass_percent: 60,
        difference_points: -35,
        interval_90_percent_points: [-45.2, -25],
        same_references_as: [],
        references: ['order-66', 'r2', 'r3'],
        samples: [{ reference: 'order-66', base_pass_percent: 100, head_pass_percent: 0 }],
      },
      expect.objectContaining({ id: 'billing', ...same, difference_points: 0, samples: [] }),
    ]);
  });

  test('for a sweep is requested without any comparison', async () => {
    const nothing = { base: null, difference: null, low: null, high: null, p: null };
    const sweep = attribute('billing', {
      ...{ ...same, ...nothing, kind: 'subtask', head: 0.6 },
      alignment: { base: null, head: 0.25 },
      samples: [{ kind: 'skill', reference: 'r2', side: 'head', expected: 5, output: 1 }],
    });
    const { question, texts } = await written([insight('Weak.', ['billing'], ['r2'])], [sweep]);
    expect(texts).toEqual(['billing (sub-task): pass rate 60.0 % over 12 tests. Weak.']);
    expect(JSON.parse(materials(question).get('tables')!)).toEqual({
      id: 'billing',
      name: 'billing',
      kind: 'subtask',
      prior_percent: 25,
      judged_references: 12,
      pass_percent: 60,
      answers_with_other_skills_percent: 25,
      samples: [{ reference: 'r2', side: 'head', affinity_of_expected: 5, affinity_of_answer: 1 }],
    });
    expect(question.messages[1]!.content).not.toMatch(/before a change|"verdict"/);
  });
});

describe('generated sentences', () => {
  const text = `${ARRAYS} Largest drops: order-66.`;

  test('describe from the same tables what changed, without a grader', async () => {
    const references = ['order-66'];
    expect(await findingsFor(tables, null)).toEqual({
      findings: [{ text, attributes: ['2D-arrays'], references, generated: false }],
      dropped: 0,
      notes: [],
    });
  });

  test('start with the worst, end with improvements, and report skills that drifted', () => {
    const alignment = { base: 0.1, head: 0.4 };
    const found = plainFindings([
      attribute('up', { verdict: 'improved', ...rates(0.5, 1, 0.4, 0.6), samples: [] }),
      attribute('down'),
      attribute('worse', { kind: 'subtask', difference: -0.5, n: 1, alignment }),
      attribute('same', same),
      attribute('few', { verdict: 'too few' }),
    ]);
    expect(found.map(({ attributes }) => attributes)).toEqual([['worse'], ['down'], ['up']]);
    expect(found[0]?.text).toContain('worse (sub-task) regressed');
    expect(found[0]?.text).toContain(
      'over 1 test. Largest drops: order-66. Answers that use it otherwise than expected: 10.0 % → 40.0 %.',
    );
    expect(found[2]?.references).toEqual(['order-66', 'r2', 'r3']);
  });

  test.each([
    ['fails', failure('rate limit'), ['no insights were written: rate limit']],
    ['writes nothing usable', { insights: [] }, []],
  ])('replace insights if the grader %s', async (_, reply, notes) => {
    const found = await findingsFor(tables, scripted({ insights: () => reply }).tools);
    expect(found).toMatchObject({ findings: [{ text }], dropped: 0, notes });
  });
});
