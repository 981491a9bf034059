import { describe, expect, jest, test } from '@jest/globals';
import { createSolver } from '../../../../src/edges/solver/index.ts';
import type { ExplainInput } from '../../../../src/features/attributes/attribute-results.ts';
import { explainCalls } from '../../../../src/features/attributes/cost.ts';
import {
  explain,
  isExplained,
  type Explanation,
} from '../../../../src/features/attributes/explain.ts';
import type { PinnedAttributes } from '../../../../src/features/attributes/file.ts';
import { attributeKeys } from '../../../../src/features/attributes/result.ts';
import { withIds } from '../../../../src/features/attributes/text.ts';
import { resultSchema } from '../../../../src/kernel/result/result.ts';
import type { Request } from '../../../../src/types/model.ts';
import { failure, scripted, type Script } from './scripted-grader.ts';
import { inputOf, reader, sixty, TOPICS } from './sixty.ts';
import { sha256, solveHere } from './solvers.ts';

/** Many permutations per explanation, on machines that do other things too. */
jest.setTimeout(60_000);

const worse = sixty((topic) => (topic === 'billing' ? 0.2 : 0.95));
const pinned: PinnedAttributes = {
  slack: null,
  unused: [],
  byPrompt: new Map(),
  shared: withIds([
    ...TOPICS.map((name) => ({ kind: 'domain' as const, name, explanation: '' })),
    { kind: 'subtask', name: 'apologise', explanation: '' },
    { kind: 'subtask', name: 'quote a rule', explanation: '' },
  ]),
};

async function explained(
  input: ExplainInput,
  script: Script = reader,
): Promise<Explanation & { asked: Request[] }> {
  const { tools, asked } = scripted(script);
  const explanation = await explain(input, {
    complete: tools.complete,
    random: tools.random,
    solve: solveHere,
    hash: sha256,
  });
  return { ...explanation, asked };
}
const verdicts = ({ attributes }: Explanation): Record<string, string> =>
  Object.fromEntries(attributes.map(({ id, verdict }) => [id, verdict]));
const regressed = ({ attributes }: Explanation): string[] =>
  attributes.filter(({ verdict }) => verdict === 'regressed').map(({ id }) => id);
const settings = (enabled: 'auto' | 'on' | 'off'): Pick<ExplainInput, 'settings'> => ({
  settings: { ...inputOf([]).settings, enabled },
});

describe('sixty references of which one domain got worse', () => {
  test('yield that domain and nothing else as regressed, with an insight that cites its references', async () => {
    const found = await explained(inputOf(worse));
    expect(regressed(found)).toEqual(['domain-billing']);
    expect(
      Object.values(verdicts(found)).filter((verdict) => verdict !== 'no change seen'),
    ).toEqual(['regressed']);
    const billing = found.attributes.find(({ id }) => id === 'domain-billing')!;
    expect(billing).toMatchObject({
      path: 'prompts/support.yaml',
      kind: 'domain',
      name: 'billing',
      explained_by: [],
    });
    expect(billing.difference).toBeLessThan(-0.3);
    expect(billing.high).toBeLessThan(0);
    expect(billing.p).toBeLessThan(0.05);
    expect(billing.samples).toHaveLength(3);
    const [insight] = found.insights;
    expect(insight).toMatchObject({
      path: 'prompts/support.yaml',
      attributes: ['domain-billing'],
      generated: true,
      references: billing.samples.map(({ reference }) => reference),
    });
    for (const id of insight!.references) expect(billing.references).toContain(id);
  });

  test("yield it through the real solver's thread, and in a form that result.json can hold", async () => {
    const { tools } = scripted(reader);
    const found = await explain(inputOf(worse, { alignment: true }), {
      complete: tools.complete,
      random: tools.random,
      solve: createSolver(),
      hash: sha256,
    });
    expect(regressed(found)).toEqual(['domain-billing']);
    const { attributes, insights } = attributeKeys;
    const { notices } = resultSchema.shape;
    expect([
      attributes.safeParse(found.attributes).success,
      insights.safeParse(found.insights).success,
      notices.safeParse(found.notices).success,
    ]).toEqual([true, true, true]);
  });

  test('yield it also when the grader sees one domain per reference, so that every second place is only filled', async () => {
    const strict: Script = {
      ...reader,
      affinity: (text, attributes) => ({
        ratings: attributes.map(({ id, name }) => ({
          id,
          evidence: '',
          score:
            text.includes(` about ${name}, `) && !text.includes(`little about ${name}`) ? 5 : 1,
        })),
      }),
    };
    for (const seed of ['a', 'b', 'c']) {
      const found = await explained(
        inputOf(sixty((topic) => (topic === 'billing' ? 0.2 : 0.95), seed)),
        strict,
      );
      expect(regressed(found)).toEqual(['domain-billing']);
      expect(
        found.attributes
          .find(({ id }) => id === 'domain-billing')
          ?.samples.every(({ reference }) => Number(reference.slice(5)) % 4 === 0),
      ).toBe(true);
    }
  });

  test('are assigned completely: two domains and two sub-tasks each, priors that sum to one', async () => {
    const { attributes } = await explained(inputOf(worse));
    for (const kind of ['domain', 'subtask']) {
      const own = attributes.filter((attribute) => attribute.kind === kind);
      for (const { id } of worse)
        expect(own.filter(({ references }) => references.includes(id))).toHaveLength(2);
      expect(own.reduce((sum, { prior }) => sum + prior, 0)).toBeCloseTo(1, 9);
    }
    expect(attributes.map(({ name }) => name).sort()).toEqual([
      'accounts',
      'apologise',
      'billing',
      'calculate amounts',
      'delivery',
      'quote a rule',
      'returns',
    ]);
  });

  test('keep of each reference that they were assigned the affinity and the evidence', async () => {
    const { attributes } = await explained(inputOf(worse));
    for (const { references, ratings } of attributes)
      expect(ratings?.map(({ reference }) => reference)).toEqual(references);
    const billing = attributes.find(({ id }) => id === 'domain-billing');
    const [about] = worse.filter(({ input }) => String(input['mail']).includes(' about billing,'));
    expect(billing?.ratings).toContainEqual({
      reference: about?.id,
      affinity: 5,
      evidence: 'the words of the mail',
    });
  });

  test('say nothing about bounds that hold', async () => {
    expect((await explained(inputOf(worse))).notices).toEqual([]);
  });

  test('give the same answer in every order, and the same questions', async () => {
    const first = await explained(inputOf(worse));
    const second = await explained(inputOf([...worse].reverse()));
    expect([second.attributes, second.insights, second.notices]).toEqual([
      first.attributes,
      first.insights,
      first.notices,
    ]);
    expect(second.asked.map(({ messages }) => JSON.stringify(messages)).sort()).toEqual(
      first.asked.map(({ messages }) => JSON.stringify(messages)).sort(),
    );
  });

  test('show improvements when the sides are exchanged', async () => {
    const found = await explained(
      inputOf(
        worse.map((reference) => ({ ...reference, base: reference.head, head: reference.base })),
      ),
    );
    expect(
      Object.entries(verdicts(found)).filter(([, verdict]) => verdict !== 'no change seen'),
    ).toEqual([['domain-billing', 'improved']]);
  });

  test('take no more calls than were foreseen', async () => {
    const { asked } = await explained(inputOf(worse, { alignment: true }));
    expect(asked.length).toBeLessThanOrEqual(
      explainCalls(60, { pinned: null, most: 15, alignment: true }),
    );
    expect(new Set(asked.map(({ purpose }) => purpose))).toEqual(new Set(['qualeval', 'insight']));
    const fixed = await explained(inputOf(worse, { pinned }));
    expect(fixed.asked).toHaveLength(explainCalls(60, { pinned: 6, most: 15, alignment: false }));
  });
});

describe("the mean of a metric's numbers", () => {
  /** Every try has a number; of billing it falls, of other topics it rises by as much. */
  const measured = sixty(() => 0.95).map((reference) => {
    const scored = (side: 'base' | 'head', value: number) =>
      reference[side].map((result) => ({
        ...result,
        scores: [
          { metric: 'rouge', status: 'pass' as const, value, reason: null, skip: true },
          { metric: 'length', status: 'pass' as const, value: 1, reason: null, skip: true },
        ],
      }));
    const billing = String(reference.input['mail']).includes('about billing,');
    return { ...reference, base: scored('base', 0.5), head: scored('head', billing ? 0.25 : 0.75) };
  });
  const means = async (numbers: string[], metric: string | null) => {
    const input = inputOf(measured, { metric, ...settings('on') });
    const [suite] = input.suites;
    const { attributes } = await explained({ ...input, suites: [{ ...suite!, numbers }] });
    expect(attributes.length).toBeGreaterThan(3);
    return attributes.filter(({ kind }) => kind === 'domain');
  };

  test("stands beside each attribute's pass rate, base against head, and decides nothing", async () => {
    const domains = await means(['rouge', 'length'], 'rouge');
    for (const { name, values, n, verdict } of domains) {
      expect(values).toMatchObject({ metric: 'rouge', n, base: 0.5 });
      // References are shared: an attribute has some of others, but billing's own are the most.
      if (name === 'billing') expect(values?.head).toBeLessThan(0.5);
      else expect(values?.head).toBeGreaterThan(0.5);
      expect(verdict).toBe('no change seen');
    }
  });

  test('is that of the only metric with numbers where the settings name none, and of none of several', async () => {
    expect((await means(['rouge'], null))[0]?.values?.metric).toBe('rouge');
    expect((await means(['rouge', 'length'], null))[0]).not.toHaveProperty('values');
    expect((await means(['length'], 'rouge'))[0]).not.toHaveProperty('values');
  });
});

describe('sixty references of which nothing got worse', () => {
  test('yield no regressed attribute', async () => {
    const found = await explained(
      inputOf(
        sixty(() => 0.95),
        { ...settings('on') },
      ),
    );
    expect(regressed(found)).toEqual([]);
    expect(found.attributes).toHaveLength(7);
  });
});

describe('what is compared', () => {
  test('is what enters the verdict, while every reference is assigned', async () => {
    const half = worse.map((reference, index) => ({ ...reference, compared: index % 8 !== 0 }));
    const { attributes } = await explained(inputOf(half));
    const billing = attributes.find(({ id }) => id === 'domain-billing')!;
    expect(billing.n).toBe(
      billing.references.filter((id) => half.find((reference) => reference.id === id)!.compared)
        .length,
    );
    expect(billing.n).toBeLessThan(billing.references.length);
  });

  test('is the tries that all references share', async () => {
    const more = worse.map((reference) => ({
      ...reference,
      head: [
        ...reference.head,
        ...reference.head.map((each) => ({ ...each, try: each.try + 3, outcome: 'pass' as const })),
      ],
    }));
    expect((await explained(inputOf(more))).attributes).toEqual(
      (await explained(inputOf(worse))).attributes,
    );
  });

  test('is one metric alone where one is named, in the suites that have it', async () => {
    const about = (topic: string, mail: unknown): boolean =>
      String(mail).includes(`about ${topic},`);
    const scored = worse.map((reference) => ({
      ...reference,
      head: reference.head.map((each) => ({
        ...each,
        scores: [
          {
            metric: 'tone',
            status: about('returns', reference.input['mail'])
              ? ('fail' as const)
              : ('pass' as const),
            value: 1,
            reason: null,
            skip: false,
          },
        ],
      })),
      base: reference.base.map((each) => ({
        ...each,
        scores: [{ metric: 'tone', status: 'pass' as const, value: 1, reason: null, skip: false }],
      })),
    }));
    const two = inputOf(scored, { pinned, metric: 'tone' });
    const found = await explained({
      ...two,
      suites: [two.suites[0]!, { ...two.suites[0]!, path: 'other.yaml', references: worse }],
    });
    expect(
      found.attributes
        .filter(({ verdict }) => verdict === 'regressed')
        .map(({ path, id }) => [path, id]),
    ).toEqual([
      ['prompts/support.yaml', 'domain-returns'],
      ['other.yaml', 'domain-billing'],
    ]);
    expect(
      found.attributes
        .find(({ id }) => id === 'domain-returns')
        ?.samples.map((sample) => ('base' in sample ? [sample.base, sample.head] : null)),
    ).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
    expect(
      found.notices
        .map(({ message }) => message)
        .filter((message) => message.includes('qualeval.metric')),
    ).toEqual([
      'prompts/support.yaml: pass rates of attributes are those of the metric "tone" (qualeval.metric)',
      'other.yaml: no try was scored by a metric called "tone" (qualeval.metric), so attributes go by whole tries',
    ]);
  });

  test('are too few where fewer than eight references of an attribute were compared', async () => {
    const few = worse.map((reference, index) => ({ ...reference, compared: index < 8 }));
    expect(new Set(Object.values(verdicts(await explained(inputOf(few)))))).toEqual(
      new Set(['too few']),
    );
  });

  test('is nothing in a sweep, whose attributes show the one side there is', async () => {
    const one = await explained(
      inputOf(
        worse.map((reference) => ({ ...reference, base: [] })),
        { mode: 'sweep', ...settings('on') },
      ),
    );
    expect(one.attributes.find(({ id }) => id === 'domain-billing')).toMatchObject({
      verdict: 'no change seen',
      p: null,
      base: null,
      difference: null,
      head: expect.any(Number),
    });
  });
});

describe('alignment', () => {
  test('tells the answers that no longer use a skill, per side, for sub-tasks alone', async () => {
    const { attributes } = await explained(inputOf(worse, { alignment: true }));
    const apologise = attributes.find(({ name }) => name === 'apologise')!;
    // Base's answers name their skill as the expected ones do; head's name none, which tells in the
    // third that needs it.
    expect(apologise.alignment).toEqual({ base: 0, head: expect.closeTo(1 / 3, 9) });
    expect(
      apologise.samples.every(
        (sample) => sample.kind === 'skill' && sample.side === 'head' && sample.expected === 5,
      ),
    ).toBe(true);
    expect(
      attributes.filter(({ kind }) => kind === 'domain').map(({ alignment }) => alignment),
    ).toEqual([null, null, null, null]);
    expect(
      (await explained(inputOf(worse))).attributes.every(({ alignment }) => alignment === null),
    ).toBe(true);
  });

  test('compares the answers of the same references on both sides, those that count', async () => {
    const billing = worse.map((reference, index) => ({
      ...reference,
      compared: index % 2 === 0,
      ...(index % 3 === 0 ? { base: [] } : {}),
    }));
    const { attributes, asked } = await explained(inputOf(billing, { alignment: true, pinned }));
    const counted = billing.filter(({ compared, base }) => compared && base.length > 0);
    expect(counted).toHaveLength(20);
    expect(
      asked.filter(
        ({ schema, messages }) =>
          schema?.name === 'affinity' && /^Answer: /m.test(messages[1]!.content),
      ),
    ).toHaveLength(2 * 20);
    // Every third reference needs this skill, of those without base's answers none.
    const apologise = attributes.find(({ name }) => name === 'apologise')!;
    const needing = counted.filter(({ expected }) => String(expected).includes('apologise'));
    expect(apologise.alignment).toEqual({ base: 0, head: expect.closeTo(needing.length / 20, 9) });
  });

  test('leaves out on both sides what could be rated on one', async () => {
    const { attributes } = await explained(inputOf(worse, { alignment: true, pinned }), {
      ...reader,
      affinity: (text, list) => {
        const { ratings } = reader.affinity!(text, list) as {
          ratings: { id: string; score: number }[];
        };
        // Of the first four references, base's answers have no rating that can be read and head's
        // use every skill.
        if (!/Mail [0-3] /.test(text) || !text.includes('\nAnswer: ')) return { ratings };
        return {
          ratings: ratings.map((rating) => ({
            ...rating,
            score: text.includes('Answer: Base') ? 9 : 5,
          })),
        };
      },
    });
    const apologise = attributes.find(({ name }) => name === 'apologise')!;
    const needing = worse.slice(4).filter(({ expected }) => String(expected).includes('apologise'));
    expect(apologise.alignment).toEqual({ base: 0, head: expect.closeTo(needing.length / 56, 9) });
  });

  test('asks nothing about an answer that is the expected one, which is not a distance away', async () => {
    const right = worse.map((reference) => ({
      ...reference,
      head: reference.head.map((each) => ({ ...each, actual: String(reference.expected) })),
    }));
    const { attributes, asked } = await explained(inputOf(right, { alignment: true, pinned }));
    expect(
      attributes.filter(({ kind }) => kind === 'subtask').map(({ alignment }) => alignment),
    ).toEqual([
      { base: 0, head: 0 },
      { base: 0, head: 0 },
    ]);
    expect(
      asked.filter(
        ({ schema, messages }) =>
          schema?.name === 'affinity' && /^Answer: /m.test(messages[1]!.content),
      ),
    ).toHaveLength(60);
  });

  test('is left out, aloud, when a tenth of the answers could not be rated', async () => {
    const { attributes, notices } = await explained(inputOf(worse, { alignment: true, pinned }), {
      ...reader,
      affinity: (text, list) =>
        /Answer: Head 1/.test(text) || /Answer: Head [2-5]$/.test(text)
          ? failure('no room')
          : reader.affinity!(text, list),
    });
    expect(attributes.length).toBeGreaterThan(0);
    expect(attributes.every(({ alignment }) => alignment === null)).toBe(true);
    expect(notices.map(({ message }) => message)).toContain(
      'prompts/support.yaml: the skill alignment was not worked out: 15 of 120 answers could not be rated (no room)',
    );
  });

  test('is null where nothing is expected, and asks for nothing then', async () => {
    const { attributes, asked } = await explained(
      inputOf(
        worse.map((reference) => ({ ...reference, expected: undefined })),
        { alignment: true, pinned },
      ),
    );
    expect(
      attributes.filter(({ kind }) => kind === 'subtask').map(({ alignment }) => alignment),
    ).toEqual([
      { base: null, head: null },
      { base: null, head: null },
    ]);
    expect(asked.filter(({ schema }) => schema?.name === 'affinity')).toHaveLength(60);
  });
});

describe('when attributes are worked out', () => {
  const suite = (changes: object) => ({ ...inputOf(worse).suites[0]!, ...changes });

  test.each<[string, 'auto' | 'on' | 'off', object, PinnedAttributes | null, boolean]>([
    ['off', 'off', {}, pinned, false],
    ['on', 'on', { regressed: false, references: worse.slice(0, 3) }, null, true],
    [
      'auto and something regressed in twenty references',
      'auto',
      { references: worse.slice(0, 20) },
      null,
      true,
    ],
    [
      'auto and something regressed in fewer',
      'auto',
      { references: worse.slice(0, 19) },
      null,
      false,
    ],
    ['auto and nothing regressed', 'auto', { regressed: false }, null, false],
    [
      'auto and attributes are pinned',
      'auto',
      { regressed: false, references: worse.slice(0, 9) },
      pinned,
      true,
    ],
    [
      'auto and attributes are pinned for another prompt alone',
      'auto',
      { regressed: false },
      { ...pinned, shared: [], byPrompt: new Map([['other.yaml', pinned.shared]]) },
      false,
    ],
  ])('%s', (_, enabled, changes, chosen, expected) => {
    expect(isExplained(suite(changes), { ...settings(enabled), pinned: chosen })).toBe(expected);
  });

  test('off makes no model calls and says nothing', async () => {
    expect(await explained(inputOf(worse, settings('off')))).toEqual({
      attributes: [],
      insights: [],
      droppedInsights: [],
      notices: [],
      asked: [],
    });
  });

  test('pinned attributes are used as they are, with their slack, and nothing is discovered', async () => {
    const { attributes, asked } = await explained(
      inputOf(worse, { pinned: { ...pinned, slack: 0 } }),
    );
    expect(attributes.map(({ name }) => name)).toEqual([...TOPICS, 'apologise', 'quote a rule']);
    expect(attributes.slice(0, 4).map(({ references }) => references.length)).toEqual([
      30, 30, 30, 30,
    ]);
    expect(new Set(asked.map(({ schema }) => schema?.name))).toEqual(
      new Set(['affinity', 'insights']),
    );
  });

  test('pinned lists that a small suite cannot bear are left out of it, aloud', async () => {
    const { attributes, notices } = await explained(
      inputOf(worse.slice(0, 9), {
        pinned: {
          ...pinned,
          shared: [
            ...pinned.shared,
            ...withIds([{ kind: 'domain', name: 'fifth', explanation: '' }]),
          ],
        },
      }),
    );
    expect(attributes.map(({ kind }) => kind)).toEqual(['subtask', 'subtask']);
    expect(notices[0]?.message).toBe(
      'prompts/support.yaml: 5 pinned domains are more than 9 references can bear (4), so they were not used here',
    );
  });
});

describe('when something is missing', () => {
  const plain = {
    attributes: [],
    generated: false,
    text: expect.stringContaining('Which attributes those share could not be worked out.'),
    references: expect.any(Array),
  };

  test('fewer than eight references are not assigned, and the reason is said', async () => {
    const { attributes, insights, notices, asked } = await explained(
      inputOf(worse.slice(0, 7), settings('on')),
    );
    expect([attributes, asked]).toEqual([[], []]);
    expect(notices).toEqual([
      {
        kind: 'qualeval',
        place: null,
        message: 'prompts/support.yaml: attributes need at least 8 references; there are 7',
      },
    ]);
    expect(insights).toEqual([expect.objectContaining(plain)]);
  });

  test('without a grader the section still says what fell', async () => {
    const { attributes, insights, notices } = await explained(inputOf(worse, { grader: null }));
    expect(attributes).toEqual([]);
    expect(insights).toEqual([expect.objectContaining(plain)]);
    expect(insights[0]?.references).toHaveLength(3);
    expect(notices[0]?.message).toContain('name one in the settings file, grader: { model: … }');
  });

  test('a grader that always fails costs the attributes, not the run', async () => {
    const { attributes, insights, notices, asked } = await explained(inputOf(worse), {
      attributes: () => failure('key refused'),
    });
    expect([attributes, asked.length]).toEqual([[], 12]);
    expect(insights).toEqual([expect.objectContaining(plain)]);
    expect(notices[0]?.message).toBe(
      'prompts/support.yaml: attributes come from a part of the references: 12 of 12 questions about them failed (key refused)',
    );
  });

  test('references that cannot be rated are left out and counted', async () => {
    const { attributes, notices } = await explained(inputOf(worse, { pinned }), {
      ...reader,
      affinity: (text, list) =>
        /Mail (?:1|2|3)\b/.test(text) ? failure('too long') : reader.affinity!(text, list),
    });
    expect(
      attributes
        .flatMap(({ references }) => references)
        .some((id) => ['case-1', 'case-2', 'case-3'].includes(id)),
    ).toBe(false);
    expect(notices.map(({ message }) => message)).toContain(
      'prompts/support.yaml: 3 of 60 references are not fully rated: too long',
    );
  });

  test('and when they are more than a tenth there are no attributes: what the rest shows is not the suite', async () => {
    const { attributes, insights, notices } = await explained(inputOf(worse, { pinned }), {
      ...reader,
      affinity: (text, list) =>
        /Mail [1-7] /.test(text) ? failure('out of budget') : reader.affinity!(text, list),
    });
    expect(attributes).toEqual([]);
    expect(insights).toEqual([expect.objectContaining(plain)]);
    expect(notices.map(({ message }) => message)).toEqual([
      'prompts/support.yaml: attributes were not worked out: 7 of 60 references could not be rated (out of budget)',
    ]);
  });

  test('the sentence in place of attributes counts the references that were compared, and no others', async () => {
    const { insights } = await explained(
      inputOf(
        worse.map((reference, index) => ({ ...reference, compared: index % 4 === 0 })),
        { grader: null },
      ),
    );
    expect(insights[0]?.text).toMatch(/^\d+ of 15 compared references pass less often than before/);
  });

  test('a failing insight call is replaced by plain sentences', async () => {
    const { insights, notices } = await explained(inputOf(worse, { pinned }), {
      ...reader,
      insights: () => failure('busy'),
    });
    expect(insights).toEqual([
      expect.objectContaining({
        generated: false,
        attributes: ['domain-billing'],
        text: expect.stringContaining('billing (domain) regressed: pass rate'),
      }),
    ]);
    expect(notices.at(-1)?.message).toBe('prompts/support.yaml: no insights were written: busy');
  });

  test('solvers that fail leave no attributes, and say so', async () => {
    const { tools } = scripted(reader);
    const { attributes, notices } = await explain(inputOf(worse, { pinned }), {
      complete: tools.complete,
      random: tools.random,
      hash: sha256,
      solve: () => Promise.resolve({ status: 'failed', reason: 'is out' }),
    });
    expect(attributes).toEqual([]);
    expect(notices.map(({ message }) => message)).toEqual([
      'prompts/support.yaml: domains could not be assigned: javascript-lp-solver is out; highs is out',
      'prompts/support.yaml: sub-tasks could not be assigned: javascript-lp-solver is out; highs is out',
    ]);
  });
});

describe('several suites', () => {
  test('have their notices in the order of the suites, whichever reply comes first', async () => {
    const both = inputOf(worse, { pinned });
    const { tools } = scripted({ ...reader, insights: () => failure('busy') });
    let release: (() => void) | null = null;
    let insightCalls = 0;
    const found = await explain(
      { ...both, suites: ['a.yaml', 'b.yaml'].map((path) => ({ ...both.suites[0]!, path })) },
      {
        random: tools.random,
        solve: solveHere,
        hash: sha256,
        complete: async (request) => {
          if (request.purpose !== 'insight') return tools.complete(request);
          insightCalls += 1;
          if (insightCalls === 1)
            await new Promise<void>((resolve) => {
              release = resolve;
            });
          else setImmediate(() => release?.());
          return tools.complete(request);
        },
      },
    );
    expect(
      found.notices
        .filter(({ message }) => message.includes('no insights'))
        .map(({ message }) => message.slice(0, 6)),
    ).toEqual(['a.yaml', 'b.yaml']);
  });

  test('have attributes of their own, judged as one family', async () => {
    const other = sixty(() => 0.95, 'other');
    const both = inputOf(worse);
    const found = await explained({
      ...both,
      suites: [
        { ...both.suites[0]!, path: 'a.yaml' },
        { ...both.suites[0]!, path: 'b.yaml', references: other, regressed: true },
      ],
    });
    expect(
      found.attributes
        .filter(({ verdict }) => verdict === 'regressed')
        .map(({ path, id }) => [path, id]),
    ).toEqual([['a.yaml', 'domain-billing']]);
    expect(found.attributes.filter(({ path }) => path === 'b.yaml')).toHaveLength(7);
    // b fell by chance alone: the sentence says that nothing stands out.
    expect(found.insights.map(({ path, generated }) => [path, generated])).toEqual([
      ['a.yaml', true],
      ['b.yaml', false],
    ]);
    expect(found.insights[1]?.text).toContain('No single attribute stands out among them.');
  });
});
