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
const same = { verdict: 'no change seen' as const };
const tables = [
  attribute('2D-arrays'),
  attribute('billing', { ...same, ...rates(0.9, 0.9, -0.07, 0.07), samples: [] }),
];
const insight = (text: string, attributes = ['2D-arrays'], references = ['order-66']) => ({
  text,
  attributes,
  references,
});

/** What is left of the insights that a grader writes. */
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
const foreign = (number: string): string =>
  `it states the number ${JSON.stringify(number)}, which is in none of the tables`;

describe('a written insight', () => {
  test.each([
    'Head fails on 2D-arrays: 95 % → 60.0 % (−35 points, 90 % interval −45.2 to −25).',
    'Of 12 references of 2D-arrays, order-66 fell from 100 % to 0 %.',
    'Billing stays at 90 percent; its interval is -7 to +7. 2D-arrays weighs 25 %.',
    'Arrays of two dimensions got worse.',
  ])('is kept when the tables have all its numbers: %s', async (text) => {
    expect(await written([insight(text)])).toMatchObject({ texts: [text], dropped: [] });
  });

  test.each([
    ['Head fails in 37 % of the cases.', '37'],
    ['The rate fell from 95 % to 61 %.', '61'],
    ['A fall of 0.35.', '0.35'],
    ['Only 1,234 of them are left.', '1,234'],
    ['It fell by ３７ points.', '３７'],
    ['It is order-67 that fell.', '67'],
    ['It fell by ½.', '½'],
  ])('is dropped when no table has one of its numbers: %s', async (text, number) => {
    const found = await written([insight(text)]);
    expect(found).toMatchObject({ texts: [], dropped: [foreign(number)] });
  });

  test.each<[string, string[], string | null]>([
    [
      'Of 12 references, 7 fell from 100 % to 0 %, an interval of −45.2 to −25.',
      ['7', 'r.5'],
      null,
    ],
    ['Case 7, and r.5, fell; 95 % → 60 %.', ['7', 'r.5'], null],
    ['Some 17 cases fell.', ['7', '1'], '17'],
    ['It fell by 7.2 points.', ['7', '2'], '7.2'],
    ['It fell by 2 points.', ['7'], '2'],
    ['Only 72 of 95 are left.', ['7', '2'], '72'],
    ['It is rr.5 that fell.', ['r.5'], '5'],
  ])(
    'may name references called by numbers, but not digits of another number: %s',
    async (text, references, number) => {
      const samples = [{ kind: 'drop' as const, reference: '7', base: 1, head: 0 }];
      const sums = attribute('sums', { references: ['1', '2', '7', 'r.5'], samples });
      expect(await written([insight(text, ['sums'], references)], [sums])).toMatchObject(
        number === null ? { texts: [text] } : { dropped: [foreign(number)] },
      );
    },
  );

  test('is dropped when it names an attribute or a reference that does not exist, while the others are kept', async () => {
    expect(
      await written([
        insight('One.', ['2D-arrays', 'refunds']),
        insight('Two.', ['2D-arrays'], ['r9']),
        insight('Three.'),
        insight('Four.', [], []),
        insight(' '),
      ]),
    ).toMatchObject({
      texts: ['Three.'],
      dropped: [
        'it names the attribute "refunds", which does not exist',
        'it names the reference "r9", which does not exist',
        'it rests on no attribute and no reference',
        'it says nothing',
      ],
    });
  });

  const better = (name: string): string =>
    `it says that "${name}" got better, which the tables do not`;
  const worse = (name: string): string =>
    `it says that "${name}" got worse, which the tables do not`;
  const RIVERS = ['rivers'];
  const BOTH = ['rivers', 'poems'];

  test.each<[string, string[], string | null]>([
    ['Rivers fell from 100 % to 15.4 %, while poems improved from 50 % to 80 %.', BOTH, null],
    ['Rivers regressed (−84.6 points) and need the old rule back to improve.', BOTH, null],
    ['Poems rose by 30 points (+20.0 to +40.0); rivers lost 84.6.', BOTH, null],
    ['It fell from 100 → 15.4.', RIVERS, null],
    ['Big rivers stay at 85 percent.', RIVERS, null],
    ['One of them improved.', BOTH, null],
    ['Failures of rivers increased.', BOTH, null],
    [
      'rivers improved from 15.4 % to 100.0 %; nothing needs fixing.',
      RIVERS,
      'it says "15.4 % to 100.0", which is not a change of "rivers"',
    ],
    ['Rivers improved.', RIVERS, better('rivers')],
    [
      'Rivers rose from 100 % to 15.4 %.',
      RIVERS,
      'it calls a change of "rivers" the wrong way round',
    ],
    ['Poems fell by 30 points.', ['poems'], worse('poems')],
    ['Rivers fell from 100 % to 15.4 %, poems fell too.', RIVERS, worse('poems')],
    ['Rivers pass in 80 %.', BOTH, 'it states the number "80", which is not a figure of "rivers"'],
    ['It passes in 80 %.', RIVERS, 'it states the number "80", which is not a figure of "rivers"'],
    ['Rivers: +84.6 points.', RIVERS, 'it states "+84.6", which is not a figure of "rivers"'],
    ['Big rivers got worse.', RIVERS, worse('big rivers')],
    ['Failures of rivers dropped.', RIVERS, better('rivers')],
  ])(
    'has the figures and directions of the attributes it names, or is dropped: %s',
    async (text, listed, why) => {
      const moved = [
        attribute('rivers', { ...rates(1, 0.154, -0.9, -0.7), samples: [] }),
        attribute('poems', { verdict: 'improved', ...rates(0.5, 0.8, 0.2, 0.4), samples: [] }),
        attribute('big rivers', { ...same, n: 9, ...rates(0.9, 0.85, -0.1, 0.01), samples: [] }),
      ];
      expect(await written([insight(text, listed, [])], moved)).toMatchObject(
        why === null ? { texts: [text], dropped: [] } : { texts: [], dropped: [why] },
      );
    },
  );

  test('is one visible line of bounded length, and there are six at most', async () => {
    const long = Array.from({ length: 8 }, () => insight('x'.repeat(900)));
    const { texts } = await written([insight('a\n\n# b\u202e'), ...long]);
    expect(texts[0]).toBe('a # b');
    expect(texts).toHaveLength(6);
    expect(texts[1]).toHaveLength(600);
  });

  test('is requested from the tables alone', async () => {
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

  test('about a sweep is requested from what passes there, with nothing of a comparison', async () => {
    const nothing = { base: null, difference: null, low: null, high: null, p: null };
    const sweep = attribute('billing', {
      ...{ ...same, ...nothing, kind: 'subtask', head: 0.6 },
      alignment: { base: null, head: 0.25 },
      samples: [{ kind: 'skill', reference: 'r2', side: 'head', expected: 5, output: 1 }],
    });
    const kept = '12 cases of billing pass in 60 %.';
    const { question, ...found } = await written(
      [insight(kept, ['billing'], ['r2']), insight('It was 95 % before.', ['billing'], [])],
      [sweep],
    );
    expect(found).toEqual({ texts: [kept], dropped: [foreign('95')] });
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

describe('plain sentences', () => {
  const text =
    '2D-arrays (domain) regressed: pass rate 95.0 % → 60.0 % (−35.0 points, 90 % interval −45.2 to −25.0) over 12 references. Largest drops: order-66.';

  test('say what moved without a grader, from the same tables', async () => {
    const references = ['order-66'];
    expect(await findingsFor(tables, null)).toEqual({
      findings: [{ text, attributes: ['2D-arrays'], references, generated: false }],
      dropped: 0,
      notes: [],
    });
  });

  test('begin with the worst and end with improvements, and report skills that drifted', () => {
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
      'over 1 reference. Largest drops: order-66. Answers that use it otherwise than expected: 10.0 % → 40.0 %.',
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
