import { createSolver } from '../../../../src/edges/solver/thread.ts';
import type {
  ExplainInput,
  ExplainReference,
} from '../../../../src/features/attributes/attribute-results.ts';
import { explainCalls } from '../../../../src/features/attributes/cost.ts';
import { explain, isExplained } from '../../../../src/features/attributes/explain-run.ts';
import type { PinnedAttributes } from '../../../../src/features/attributes/file.ts';
import { attributeKeys } from '../../../../src/features/attributes/result.ts';
import { withIds } from '../../../../src/features/attributes/text.ts';
import type { TryResult } from '../../../../src/kernel/result/reference-result.ts';
import { resultSchema } from '../../../../src/kernel/result/result.ts';
import { partsOf } from '../../../../src/types/answer.ts';
import type { Request } from '../../../../src/types/model.ts';
import { failure, scripted, type Script } from './scripted-grader.ts';
import { inputOf, reader, sixty, TOPICS } from './sixty.ts';
import { sha256, solveHere } from './solvers.ts';

const billingFell = (topic: string): number => (topic === 'billing' ? 0.2 : 0.95);
const worse = sixty(billingFell);
const pinned: PinnedAttributes = {
  places: new Map(),
  byPrompt: new Map(),
  tasks: new Map(),
  shared: withIds([
    ...TOPICS.map((name) => ({ kind: 'domain' as const, name, explanation: '' })),
    { kind: 'subtask', name: 'apologise', explanation: '' },
    { kind: 'subtask', name: 'quote a rule', explanation: '' },
  ]),
};
const PATH = 'prompts/support.yaml';
const { stringContaining: has } = expect;

async function explained(
  input: ExplainInput,
  script: Script = reader,
  solve: Parameters<typeof explain>[1]['solve'] = solveHere,
) {
  const { tools, asked } = scripted(script);
  const { complete, random } = tools;
  const found = await explain(input, { complete, random, solve, hash: sha256 });
  const moved = found.attributes.filter(({ verdict }) => /^(regressed|improved)$/.test(verdict));
  return {
    ...found,
    asked,
    messages: found.notices.map(({ message }) => message),
    moved: Object.fromEntries(moved.map(({ id, verdict }) => [id, verdict])),
    of: (wanted: string) => found.attributes.find(({ name }) => name === wanted)!,
  };
}
const settings = (enabled: 'auto' | 'on' | 'off'): Pick<ExplainInput, 'settings'> => ({
  settings: { ...inputOf([]).settings, enabled },
});
const changed = (change: (reference: ExplainReference, index: number) => object) =>
  worse.map((reference, index) => ({ ...reference, ...change(reference, index) }));
const fails = (text: RegExp, reason: string): Script => ({
  ...reader,
  affinity: (about, list) => (text.test(about) ? failure(reason) : reader.affinity!(about, list)),
});

describe('references of which one domain (topic) got worse', () => {
  test('have only that domain reported as regressed, with the references that dropped most', async () => {
    const { moved, of, notices } = await explained(inputOf(worse));
    expect(moved).toEqual({ 'domain-billing': 'regressed' });
    const billing = of('billing');
    expect(billing).toMatchObject({ path: PATH, kind: 'domain', explained_by: [] });
    expect(billing.difference).toBeLessThan(-0.3);
    expect(billing.high).toBeLessThan(0);
    expect(billing.p).toBeLessThan(0.05);
    expect(billing.samples).toHaveLength(3);
    const references = billing.samples.map(({ reference }) => reference);
    expect(billing.references).toEqual(expect.arrayContaining(references));
    expect(notices).toEqual([]);
  });

  test('give the same result with the solver in its real thread, and match the schema of result.json', async () => {
    const input = inputOf(worse, { alignment: true });
    const found = await explained(input, reader, createSolver());
    expect(found.moved).toEqual({ 'domain-billing': 'regressed' });
    const shape = { ...attributeKeys, notices: resultSchema.shape.notices };
    for (const key of ['attributes', 'notices'] as const)
      expect(shape[key].safeParse(found[key]).success).toBe(true);
  });

  test('get two domains and two sub-tasks each, and the expected shares of all domains, and of all sub-tasks, add up to one', async () => {
    const { attributes, of } = await explained(inputOf(worse));
    for (const kind of ['domain', 'subtask']) {
      const own = attributes.filter((attribute) => attribute.kind === kind);
      for (const { id } of worse)
        expect(own.filter(({ assigned }) => assigned.includes(id))).toHaveLength(2);
      expect(own.reduce((sum, { prior }) => sum + prior, 0)).toBeCloseTo(1, 9);
    }
    expect(attributes.map(({ name }) => name).sort()).toEqual(
      [...TOPICS, 'apologise', 'calculate amounts', 'quote a rule'].sort(),
    );
    for (const { references, assigned, ratings = [] } of attributes) {
      const rated = ratings.map(({ reference }) => reference);
      expect(new Set(rated)).toEqual(new Set([...references, ...assigned]));
      const high = ratings.filter(({ affinity }) => (affinity ?? 0) >= 3);
      expect(high.map(({ reference }) => reference)).toEqual(references);
    }
    const about = worse.find(({ input }) => String(input['mail']).includes(' about billing,'));
    expect(of('billing').ratings).toContainEqual({
      ...{ reference: about?.id, affinity: 5, evidence: 'the words of the mail' },
    });
  });

  test('give the same result and prompts in every order of references', async () => {
    const first = await explained(inputOf(worse));
    const second = await explained(inputOf([...worse].reverse()));
    for (const key of ['attributes', 'notices'] as const) expect(second[key]).toEqual(first[key]);
    const questions = ({ asked }: { asked: Request[] }) =>
      asked.map(({ messages }) => JSON.stringify(messages)).sort();
    expect(questions(second)).toEqual(questions(first));
  });

  test('show that domain as improved if base and head are exchanged', async () => {
    const exchanged = changed(({ base, head }) => ({ base: head, head: base }));
    expect((await explained(inputOf(exchanged))).moved).toEqual({ 'domain-billing': 'improved' });
  });

  test('stay within the planned number of calls', async () => {
    const { asked } = await explained(inputOf(worse, { alignment: true }));
    const most = explainCalls(60, { pinned: null, most: 15, alignment: true });
    expect(asked.length).toBeLessThanOrEqual(most);
    expect(new Set(asked.map(({ purpose }) => purpose))).toEqual(new Set(['qualeval']));
    const fixed = await explained(inputOf(worse, { pinned }));
    expect(fixed.asked).toHaveLength(explainCalls(60, { pinned: 6, most: 15, alignment: false }));
  });
});

describe('an attribute', () => {
  /** Rates by the mail's number: attribute n gets `score(n, number)`. */
  const rates = (score: (attribute: string, mail: number) => number | null): Script => ({
    ...reader,
    affinity: (text, attributes) => ({
      ratings: attributes.flatMap(({ id, name }) => {
        const given = score(name, Number(/Mail (\d+) /.exec(text)?.[1]));
        return given === null ? [] : [{ id, evidence: '', score: given }];
      }),
    }),
  });
  const brokenUpTo = (count: number) =>
    sixty(() => 1).map((reference, at) => ({
      ...reference,
      base: reference.base.map((one): TryResult => ({ ...one, outcome: 'pass' })),
      head: reference.head.map((one): TryResult => ({
        ...one,
        outcome: at < count ? 'fail' : 'pass',
      })),
    }));
  const billingOf = async (references: ExplainReference[], script: Script) => {
    const found = await explained(inputOf(references, { pinned }), script);
    return { ...found, billing: found.of('billing') };
  };

  test('counts references rated 3 or higher, not those assigned only to reach a minimum', async () => {
    const { billing } = await billingOf(
      brokenUpTo(4),
      rates((name, mail) => (name === 'billing' ? (mail < 4 ? 5 : 2) : 1 + (mail % 3))),
    );
    expect(billing).toMatchObject({ verdict: 'regressed', n: 4, base: 1, head: 0 });
    expect(billing.references).toEqual(['case-0', 'case-1', 'case-2', 'case-3']);
    expect(billing.assigned.length).toBeGreaterThan(10);
  });

  test('is not marked as regressed if all ratings are equal, and a notice explains why', async () => {
    const { moved, attributes, messages } = await billingOf(
      brokenUpTo(15),
      rates(() => 3),
    );
    expect(moved).toEqual({});
    expect(new Set(attributes.map(({ verdict }) => verdict))).toEqual(new Set(['too few']));
    expect(messages).toContainEqual(has('the ratings do not separate the tests'));
  });

  test('is marked as regressed even if the grader omits one rating in twenty', async () => {
    const { moved } = await billingOf(
      brokenUpTo(15),
      rates((name, mail) => {
        if (mail % 20 === 7) return null;
        return name === 'billing' ? (mail < 15 ? 5 : 1) : 1 + ((mail * 7) % 5);
      }),
    );
    expect(moved).toEqual({ 'domain-billing': 'regressed' });
  });

  test('is computed from a sample that prefers references affected by the change', async () => {
    const some = brokenUpTo(60).map((reference, at) => ({ ...reference, compared: at >= 30 }));
    const input = inputOf(some, { pinned });
    const { settings: own } = input;
    const { asked, messages } = await explained({ ...input, settings: { ...own, sample: 40 } });
    const cases = asked.filter(({ schema }) => schema?.name === 'affinity');
    const rated = new Set(
      cases.map(({ messages: [, user] }) => Number(/Mail (\d+) /.exec(user?.content ?? '')?.[1])),
    );
    expect(rated.size).toBe(40);
    for (let at = 30; at < 60; at++) expect(rated).toContain(at);
    expect(messages).toContainEqual(has('attributes are based on 40 of 60 tests'));
  });

  test('is not marked "no change found" if its interval is below zero and another attribute regressed', async () => {
    const { attributes } = await explained(inputOf(worse));
    const unchanged = attributes.filter(({ verdict }) => verdict === 'no change found');
    expect(unchanged.filter(({ high }) => high !== null && high < 0)).toEqual([]);
  });

  test('compares only references that affect the verdict, although all references are assigned', async () => {
    const half = changed((_, index) => ({ compared: index % 8 !== 0 }));
    const { n, references } = (await explained(inputOf(half))).of('billing');
    const compared = half.filter(({ compared: is }) => is).map(({ id }) => id);
    expect(n).toBe(references.filter((id) => compared.includes(id)).length);
    expect(n).toBeLessThan(references.length);
  });

  test('compares equally many tries of every reference, even if some have more', async () => {
    const more = changed(({ head }) => ({
      head: [...head, ...head.map((one) => ({ ...one, try: one.try + 3, outcome: 'pass' }))],
    }));
    expect((await explained(inputOf(more))).attributes).toEqual(
      (await explained(inputOf(worse))).attributes,
    );
  });

  test('is compared by the metric that the settings name, or by results of whole tries if a suite lacks that metric', async () => {
    const tone = (status: 'pass' | 'fail') => ({
      scores: [{ metric: 'tone', status, value: 1, reason: null, skip: false }],
    });
    const scored = changed(({ base, head, input }) => {
      const fell = String(input['mail']).includes('about returns,');
      return {
        base: base.map((one) => ({ ...one, ...tone('pass') })),
        head: head.map((one) => ({ ...one, ...tone(fell ? 'fail' : 'pass') })),
      };
    });
    const input = inputOf(scored, { pinned, metric: 'tone' });
    const [suite] = input.suites;
    const { attributes, messages } = await explained({
      ...input,
      suites: [suite!, { ...suite!, path: 'other.yaml', references: worse }],
    });
    const fell = attributes.filter(({ verdict }) => verdict === 'regressed');
    expect(fell.map(({ path, id }) => [path, id])).toEqual([
      [PATH, 'domain-returns'],
      ['other.yaml', 'domain-billing'],
    ]);
    expect(fell[0]?.samples).toMatchObject(Array(3).fill({ base: 1, head: 0 }));
    expect(messages.filter((message) => message.includes('qualeval.metric'))).toEqual([
      `${PATH}: pass rates of attributes use the metric "tone" (qualeval.metric)`,
      'other.yaml: no try has a score of the metric "tone" (qualeval.metric), so attributes use the outcome of whole tries',
    ]);
  });

  test('is not compared if fewer than four compared references have it, or fewer than four lack it', async () => {
    const few = changed((_, index) => ({ compared: index < 8 }));
    const { attributes } = await explained(inputOf(few));
    const counts = attributes.map(({ n, verdict }) => [n, verdict === 'too few'] as const);
    expect(counts.some(([, isFew]) => isFew)).toBe(true);
    for (const [n, isFew] of counts) expect(isFew).toBe(n < 4 || n > 4);
  });

  test('shows the pass rate of one side in a sweep, and compares nothing', async () => {
    const one = changed(() => ({ base: [] }));
    const { of } = await explained(inputOf(one, { mode: 'sweep', ...settings('on') }));
    const nothing = { verdict: 'no change found', p: null, base: null, difference: null };
    expect(of('billing')).toMatchObject({ ...nothing, head: expect.any(Number) });
  });
});

describe('skill alignment', () => {
  const aligned = (references: ExplainReference[], script?: Script) =>
    explained(inputOf(references, { alignment: true, pinned }), script);
  const ratedAnswers = (asked: Request[]) =>
    asked.filter(
      ({ schema, messages }) =>
        schema?.name === 'affinity' && /^Answer: /m.test(messages[1]!.content),
    ).length;
  const shareOf = (references: ExplainReference[]) =>
    references.filter(({ expected }) => String(expected).includes('apologise')).length /
    references.length;

  test("is the share of each side's answers that show a sub-task's skill more or less than expected, by over one point", async () => {
    const { attributes, of } = await explained(inputOf(worse, { alignment: true }));
    // Base's answers name their skill as expected. Head's name none, which affects the third that
    // need it.
    expect(of('apologise').alignment).toEqual({
      base: 0,
      head: expect.closeTo(1 / 3, 9),
    });
    for (const sample of of('apologise').samples)
      expect(sample).toMatchObject({ kind: 'skill', side: 'head', expected: 5 });
    const domains = attributes.filter(({ kind }) => kind === 'domain');
    expect(domains.map(({ alignment }) => alignment)).toEqual([null, null, null, null]);
    const without = (await explained(inputOf(worse))).attributes;
    expect(without.every(({ alignment }) => alignment === null)).toBe(true);
  });

  test('compares the answers of the same references on both sides', async () => {
    const some = changed((_, index) => ({
      compared: index % 2 === 0,
      ...(index % 3 === 0 ? { base: [] } : {}),
    }));
    const { of, asked } = await aligned(some);
    const counted = some.filter(({ compared, base }) => compared && base.length > 0);
    expect(counted).toHaveLength(20);
    expect(ratedAnswers(asked)).toBe(2 * 20);
    // A third of the references need this skill, but none of those without base's answers.
    const head = expect.closeTo(shareOf(counted), 9);
    expect(of('apologise').alignment).toEqual({ base: 0, head });
  });

  test('excludes a reference on both sides if one side could not be rated', async () => {
    // In the first four references, base's ratings are unreadable and head's answers use every
    // skill.
    const { of } = await aligned(worse, {
      ...reader,
      affinity: (text, list) => {
        const { ratings } = reader.affinity!(text, list) as { ratings: object[] };
        const isFirst = /Mail [0-3] /.test(text) && text.includes('\nAnswer: ');
        const own = isFirst ? { score: text.includes('Answer: Base') ? 9 : 5 } : {};
        return { ratings: ratings.map((rating) => ({ ...rating, ...own })) };
      },
    });
    const head = expect.closeTo(shareOf(worse.slice(4)), 9);
    expect(of('apologise').alignment).toEqual({ base: 0, head });
  });

  test.each([
    [
      'is 0 for an answer that is the expected one, without a question about it',
      ({ head, expected }: ExplainReference) => ({
        head: head.map((one) => ({ ...one, parts: partsOf(String(expected)) })),
      }),
      { base: 0, head: 0 },
      60,
    ],
    [
      'is null where nothing is expected, without a question',
      () => ({ expected: undefined }),
      { base: null, head: null },
      0,
    ],
  ])('needs no rating in simple cases: it %s', async (_, change, alignment, rated) => {
    const { attributes, asked } = await aligned(changed(change));
    const subtasks = attributes.filter(({ kind }) => kind === 'subtask');
    expect(subtasks.map(({ alignment: found }) => found)).toEqual([alignment, alignment]);
    expect(ratedAnswers(asked)).toBe(rated);
    expect(asked.filter(({ schema }) => schema?.name === 'affinity')).toHaveLength(60 + rated);
  });

  test('is omitted with a notice if a tenth of the answers could not be rated', async () => {
    const script = fails(/Answer: Head (1|[2-5]$)/, 'no room');
    const { attributes, messages } = await aligned(worse, script);
    expect(attributes.length).toBeGreaterThan(0);
    expect(attributes.every(({ alignment }) => alignment === null)).toBe(true);
    expect(messages).toContain(
      `${PATH}: the skill alignment was not computed: 15 of 120 answers could not be rated (no room)`,
    );
  });
});

describe('attributes', () => {
  const few = (count: number) => ({ references: worse.slice(0, count) });
  const elsewhere = { ...pinned, shared: [], byPrompt: new Map([['other.yaml', pinned.shared]]) };

  test.each<[string, 'auto' | 'on' | 'off', object, PinnedAttributes | null, boolean]>([
    ['off', 'off', {}, pinned, false],
    ['on', 'on', { regressed: false, ...few(3) }, null, true],
    ['auto and something regressed in twenty references', 'auto', few(20), null, true],
    ['auto and something regressed in fewer', 'auto', few(19), null, false],
    ['auto and nothing regressed', 'auto', { regressed: false }, null, false],
    ['auto and attributes are pinned', 'auto', { regressed: false, ...few(9) }, pinned, true],
    ['auto and another prompt has pinned ones', 'auto', { regressed: false }, elsewhere, false],
  ])(
    'are computed only if the settings and the run call for them: %s',
    (_, enabled, changes, chosen, expected) => {
      const suite = { ...inputOf(worse).suites[0]!, ...changes };
      expect(isExplained(suite, { ...settings(enabled), pinned: chosen })).toBe(expected);
    },
  );

  test('are omitted with a notice if too many are pinned for a small suite', async () => {
    const fifth = withIds([{ kind: 'domain', name: 'fifth', explanation: '' }]);
    const five = { ...pinned, shared: [...pinned.shared, ...fifth] };
    const { attributes, messages } = await explained(inputOf(worse.slice(0, 9), { pinned: five }));
    expect(attributes.map(({ kind }) => kind)).toEqual(['subtask', 'subtask']);
    expect(messages[0]).toBe(
      `${PATH}: 5 pinned domains are more than 9 references allow (4), so they were not used here`,
    );
  });
});

describe('an incomplete computation of attributes', () => {
  test.each<[string, ExplainInput, Script, unknown[], number]>([
    [
      'fewer than eight references are not assigned, and the reason is reported',
      inputOf(worse.slice(0, 7), settings('on')),
      reader,
      [`${PATH}: attributes need at least 8 references; there are 7`],
      0,
    ],
    [
      'more than a tenth of references without a rating leave no attributes',
      inputOf(worse, { pinned }),
      fails(/Mail [1-7] /, 'out of budget'),
      [
        `${PATH}: attributes were not computed: 7 of 60 references could not be rated (out of budget)`,
      ],
      60,
    ],
  ])('leaves a suite without attributes: %s', async (_, input, script, messages, calls) => {
    const found = await explained(input, script);
    expect(found).toMatchObject({ attributes: [], messages });
    expect(found.asked).toHaveLength(calls);
  });

  test('excludes references that cannot be rated, and reports their number', async () => {
    const script = fails(/Mail (?:1|2|3)\b/, 'too long');
    const { attributes, messages } = await explained(inputOf(worse, { pinned }), script);
    const assigned = attributes.flatMap(({ references }) => references);
    for (const id of ['case-1', 'case-2', 'case-3']) expect(assigned).not.toContain(id);
    expect(messages).toContain(`${PATH}: 3 of 60 references are not fully rated: too long`);
  });

  test('reports failed solvers, and shows no attribute', async () => {
    const { attributes, messages } = await explained(inputOf(worse, { pinned }), reader, () =>
      Promise.resolve({ status: 'failed', reason: 'is out' }),
    );
    expect(attributes).toEqual([]);
    expect(messages).toEqual(
      ['domains', 'sub-tasks'].map(
        (kind) =>
          `${PATH}: ${kind} could not be assigned: javascript-lp-solver is out; highs is out`,
      ),
    );
  });
});

describe('several suites', () => {
  test('have separate attributes, whose p-values are corrected together for multiple tests', async () => {
    const input = inputOf(worse);
    const [suite] = input.suites;
    const references = sixty(() => 0.95, 'other');
    const { attributes } = await explained({
      ...input,
      suites: [
        { ...suite!, path: 'a.yaml' },
        { ...suite!, path: 'b.yaml', references, regressed: true },
      ],
    });
    const fell = attributes.filter(({ verdict }) => verdict === 'regressed');
    expect(fell.map(({ path, id }) => [path, id])).toEqual([['a.yaml', 'domain-billing']]);
    expect(attributes.filter(({ path }) => path === 'b.yaml')).toHaveLength(7);
  });
});
