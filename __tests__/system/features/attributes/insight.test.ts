import { describe, expect, test } from '@jest/globals';
import { findingsFor, plainFindings } from '../../../../src/features/attributes/insight.ts';
import type { AttributeResult } from '../../../../src/features/attributes/result.ts';
import { failure, materials, scripted } from './scripted-grader.ts';

const attribute = (id: string, changes: Partial<AttributeResult> = {}): AttributeResult => ({
  id,
  name: id,
  kind: 'domain',
  explanation: '',
  path: 'p.yaml',
  suite: 'p',
  variant: { model: null, parameters: {} },
  affinity_mean: 3,
  prior: 0.25,
  n: 12,
  base: 0.95,
  head: 0.6,
  difference: -0.35,
  low: -0.452,
  high: -0.25,
  p: 0.001,
  verdict: 'regressed',
  explained_by: [],
  alignment: null,
  references: ['order-66', 'r2', 'r3'],
  samples: [{ kind: 'drop', reference: 'order-66', base: 1, head: 0 }],
  ...changes,
});
const tables = [
  attribute('2D-arrays'),
  attribute('billing', {
    verdict: 'no change seen',
    base: 0.9,
    head: 0.9,
    difference: 0,
    low: -0.07,
    high: 0.07,
    samples: [],
  }),
];
const insight = (
  text: string,
  attributes: string[] = ['2D-arrays'],
  references: string[] = ['order-66'],
): Record<string, unknown> => ({ text, attributes, references });

async function findings(
  ...written: Record<string, unknown>[]
): Promise<{ texts: string[]; dropped: string[]; generated: boolean[] }> {
  const { findings: found, notes: dropped } = await findingsFor(
    tables,
    scripted({ insights: () => ({ insights: written }) }).tools,
  );
  return {
    texts: found.map(({ text }) => text),
    dropped,
    generated: found.map(({ generated }) => generated),
  };
}

describe('a written insight', () => {
  test.each([
    'Head fails on 2D-arrays: 95 % → 60.0 % (−35 points, 90 % interval −45.2 to −25).',
    'Of 12 references of 2D-arrays, order-66 fell from 100 % to 0 %.',
    'Billing stays at 90 percent; its interval is -7 to +7. 2D-arrays weighs 25 %.',
    'Arrays of two dimensions got worse.',
  ])('is kept when all its numbers stand in the tables: %s', async (text) => {
    expect(await findings(insight(text))).toEqual({
      texts: [text],
      dropped: [],
      generated: [true],
    });
  });

  test.each([
    ['Head fails in 37 % of the cases.', '37'],
    ['The rate fell from 95 % to 61 %.', '61'],
    ['A fall of 0.35.', '0.35'],
    ['Only 1,234 of them are left.', '1,234'],
    ['It fell by ３７ points.', '３７'],
    ['It is order-67 that fell.', '67'],
    ['It fell by ½.', '½'],
  ])('is dropped when a number is in none of them: %s', async (text, number) => {
    const { dropped, generated } = await findings(insight(text));
    expect(dropped).toEqual([
      `an insight was dropped: it states the number ${JSON.stringify(number)}, which is in none of the tables`,
    ]);
    expect(generated).toEqual([false]);
  });

  describe('about references that are called by numbers', () => {
    const numbered = [
      attribute('sums', {
        references: ['1', '2', '7', 'r.5'],
        samples: [{ kind: 'drop', reference: '7', base: 1, head: 0 }],
      }),
    ];
    const written = async (text: string, references: string[]): Promise<string[]> => {
      const { findings: found, notes: dropped } = await findingsFor(
        numbered,
        scripted({ insights: () => ({ insights: [insight(text, ['sums'], references)] }) }).tools,
      );
      return dropped.length > 0 ? dropped : found.map(({ text: said }) => said);
    };
    const foreign = (number: string): string[] => [
      `an insight was dropped: it states the number "${number}", which is in none of the tables`,
    ];

    test.each([
      'Of 12 references, 7 fell from 100 % to 0 %, an interval of −45.2 to −25.',
      'Case 7, and r.5, fell; 95 % → 60 %.',
    ])('may name those it lists: %s', async (text) => {
      expect(await written(text, ['7', 'r.5'])).toEqual([text]);
    });

    test.each<[string, string[], string]>([
      ['Some 17 cases fell.', ['7', '1'], '17'],
      ['It fell by 7.2 points.', ['7', '2'], '7.2'],
      ['It fell by 2 points.', ['7'], '2'],
      ['Only 72 of 95 are left.', ['7', '2'], '72'],
      ['It is rr.5 that fell.', ['r.5'], '5'],
    ])('takes no digit out of another number: %s', async (text, references, number) => {
      expect(await written(text, references)).toEqual(foreign(number));
    });
  });

  test('is dropped when it names an attribute or a reference that does not exist, while the others are kept', async () => {
    expect(
      await findings(
        insight('One.', ['2D-arrays', 'refunds']),
        insight('Two.', ['2D-arrays'], ['r9']),
        insight('Three.'),
        insight('Four.', [], []),
        insight(' '),
      ),
    ).toEqual({
      texts: ['Three.'],
      generated: [true],
      dropped: [
        'an insight was dropped: it names the attribute "refunds", which does not exist',
        'an insight was dropped: it names the reference "r9", which does not exist',
        'an insight was dropped: it rests on no attribute and no reference',
        'an insight was dropped: it says nothing',
      ],
    });
  });

  describe('about several attributes', () => {
    const moved = [
      attribute('rivers', {
        base: 1,
        head: 0.154,
        difference: -0.846,
        low: -0.9,
        high: -0.7,
        samples: [],
      }),
      attribute('poems', {
        verdict: 'improved',
        base: 0.5,
        head: 0.8,
        difference: 0.3,
        low: 0.2,
        high: 0.4,
        samples: [],
      }),
      attribute('big rivers', {
        verdict: 'no change seen',
        n: 9,
        base: 0.9,
        head: 0.85,
        difference: -0.05,
        low: -0.1,
        high: 0.01,
        samples: [],
      }),
    ];
    const written = async (text: string, attributes: string[]) => {
      const {
        findings: found,
        dropped,
        notes,
      } = await findingsFor(
        moved,
        scripted({ insights: () => ({ insights: [insight(text, attributes, [])] }) }).tools,
      );
      return dropped > 0 ? notes[0]!.replace('an insight was dropped: ', '') : found[0]?.text;
    };

    test.each<[string, string[]]>([
      ['Rivers fell from 100 % to 15.4 %, while poems improved from 50 % to 80 %.', []],
      ['Rivers regressed (−84.6 points) and need the old rule back to improve.', []],
      ['Poems rose by 30 points (+20.0 to +40.0); rivers lost 84.6.', []],
      ['It fell from 100 → 15.4.', ['rivers']],
      ['Big rivers stay at 85 percent.', ['rivers']],
      ['One of them improved.', ['rivers', 'poems']],
      ['Failures of rivers increased.', []],
    ])(
      'is kept where figures and directions are those of the ones it names: %s',
      async (text, listed) => {
        const named = listed.length > 0 ? listed : ['rivers', 'poems'];
        expect(await written(text, named)).toBe(text);
      },
    );

    test.each<[string, string, string[]]>([
      [
        'rivers improved from 15.4 % to 100.0 %; nothing needs fixing.',
        'it says "15.4 % to 100.0", which is not a change of "rivers"',
        ['rivers'],
      ],
      ['Rivers improved.', 'it says that "rivers" got better, which the tables do not', ['rivers']],
      [
        'Rivers rose from 100 % to 15.4 %.',
        'it calls a change of "rivers" the wrong way round',
        ['rivers'],
      ],
      [
        'Poems fell by 30 points.',
        'it says that "poems" got worse, which the tables do not',
        ['poems'],
      ],
      [
        'Rivers fell from 100 % to 15.4 %, poems fell too.',
        'it says that "poems" got worse, which the tables do not',
        ['rivers'],
      ],
      [
        'Rivers pass in 80 %.',
        'it states the number "80", which is not a figure of "rivers"',
        ['rivers', 'poems'],
      ],
      [
        'It passes in 80 %.',
        'it states the number "80", which is not a figure of "rivers"',
        ['rivers'],
      ],
      ['Rivers: +84.6 points.', 'it states "+84.6", which is not a figure of "rivers"', ['rivers']],
      [
        'Big rivers got worse.',
        'it says that "big rivers" got worse, which the tables do not',
        ['rivers'],
      ],
      [
        'Failures of rivers dropped.',
        'it says that "rivers" got better, which the tables do not',
        ['rivers'],
      ],
    ])('is dropped and counted where one is of another: %s', async (text, why, listed) => {
      expect(await written(text, listed)).toBe(why);
    });
  });

  test('is one visible line of bounded length, and there are six at most', async () => {
    const { texts } = await findings(
      insight('a\n\n# b\u202e'),
      ...Array.from({ length: 8 }, () => insight('x'.repeat(900))),
    );
    expect(texts[0]).toBe('a # b');
    expect(texts).toHaveLength(6);
    expect(texts[1]).toHaveLength(600);
  });

  test('is asked for from the tables alone', async () => {
    const { tools, asked } = scripted({ insights: () => ({ insights: [] }) });
    await findingsFor(tables, tools);
    expect(asked[0]).toMatchObject({ purpose: 'insight' });
    expect([...materials(asked[0]!).keys()]).toEqual(['tables']);
    expect(
      materials(asked[0]!)
        .get('tables')!
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
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
      expect.objectContaining({
        id: 'billing',
        verdict: 'no change seen',
        difference_points: 0,
        samples: [],
      }),
    ]);
  });

  test('about a sweep is asked for from what passes there, with nothing of a comparison', async () => {
    const sweep = [
      attribute('billing', {
        kind: 'subtask',
        base: null,
        head: 0.6,
        difference: null,
        low: null,
        high: null,
        p: null,
        verdict: 'no change seen',
        alignment: { base: null, head: 0.25 },
        samples: [{ kind: 'skill', reference: 'r2', side: 'head', expected: 5, output: 1 }],
      }),
    ];
    const { tools, asked } = scripted({
      insights: () => ({
        insights: [
          insight('12 cases of billing pass in 60 %.', ['billing'], ['r2']),
          insight('It was 95 % before.', ['billing'], []),
        ],
      }),
    });
    const found = await findingsFor(sweep, tools);
    expect([found.findings.map(({ text }) => text), found.notes]).toEqual([
      ['12 cases of billing pass in 60 %.'],
      ['an insight was dropped: it states the number "95", which is in none of the tables'],
    ]);
    expect(JSON.parse(materials(asked[0]!).get('tables')!)).toEqual({
      id: 'billing',
      name: 'billing',
      kind: 'subtask',
      prior_percent: 25,
      judged_references: 12,
      pass_percent: 60,
      answers_with_other_skills_percent: 25,
      samples: [{ reference: 'r2', side: 'head', affinity_of_expected: 5, affinity_of_answer: 1 }],
    });
    expect(asked[0]!.messages[1]!.content).not.toMatch(/before a change|"verdict"/);
  });
});

describe('without a grader', () => {
  const sentence =
    '2D-arrays (domain) regressed: pass rate 95.0 % → 60.0 % (−35.0 points, 90 % interval −45.2 to −25.0) over 12 references. Largest drops: order-66.';

  test('plain sentences say what moved, from the same tables', async () => {
    expect(await findingsFor(tables, null)).toEqual({
      findings: [
        { text: sentence, attributes: ['2D-arrays'], references: ['order-66'], generated: false },
      ],
      dropped: 0,
      notes: [],
    });
  });

  test('the worst comes first, improvements last, and skills are told where they drifted', () => {
    const found = plainFindings([
      attribute('up', {
        verdict: 'improved',
        base: 0.5,
        head: 1,
        difference: 0.5,
        low: 0.4,
        high: 0.6,
        samples: [],
      }),
      attribute('down'),
      attribute('worse', {
        kind: 'subtask',
        difference: -0.5,
        n: 1,
        alignment: { base: 0.1, head: 0.4 },
      }),
      attribute('same', { verdict: 'no change seen' }),
      attribute('few', { verdict: 'too few' }),
    ]);
    expect(found.map(({ attributes }) => attributes)).toEqual([['worse'], ['down'], ['up']]);
    expect(found[0]?.text).toContain('worse (sub-task) regressed');
    expect(found[0]?.text).toContain(
      'over 1 reference. Largest drops: order-66. Answers that use it otherwise than expected: 10.0 % → 40.0 %.',
    );
    expect(found[2]?.references).toEqual(['order-66', 'r2', 'r3']);
  });

  test('and when the grader fails or writes nothing usable, they stand in', async () => {
    const failed = await findingsFor(
      tables,
      scripted({ insights: () => failure('rate limit') }).tools,
    );
    expect(failed).toMatchObject({
      findings: [{ text: sentence }],
      dropped: 0,
      notes: ['no insights were written: rate limit'],
    });
    expect(
      (await findingsFor(tables, scripted({ insights: () => ({ insights: [] }) }).tools)).findings,
    ).toMatchObject([{ text: sentence }]);
  });
});
