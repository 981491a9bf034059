import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { formatProblem, problem } from '../../../../src/errors.ts';
import { explainCalls } from '../../../../src/features/attributes/cost.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { NO_LIST } from '../../../../src/money/price.ts';
import type { Forecast } from '../../../../src/money/priced-calls.ts';
import type { Target } from '../../../../src/types/model.ts';
import { wholeResultSchema } from '../../../stand-ins/features.ts';
import { failure } from './scripted-grader.ts';
import { reader, TOPICS } from './sixty.ts';
import { desk, runDesk, temporaryStore, type Desk } from './support.ts';

/** Many permutations per explanation, on machines that do other things too. */
jest.setTimeout(120_000);

const [EXACT, FRIENDLY] = [desk('Be exact.'), desk('Be friendly.')];
const friendlier = (changes: Partial<Desk> = {}) =>
  runDesk({ base: EXACT, head: FRIENDLY, ...changes });
const both = (more: Record<string, string>): Pick<Desk, 'base' | 'head'> => ({
  base: { ...EXACT, ...more },
  head: { ...FRIENDLY, ...more },
});
const settings = (lines: string): Pick<Desk, 'base' | 'head'> =>
  both({ 'evaldiff.yaml': `${EXACT['evaldiff.yaml'] ?? ''}${lines}\n` });
const regressed = ({ attributes }: Result): string[] =>
  attributes.filter(({ verdict }) => verdict === 'regressed').map(({ id }) => id);
const said = ({ notices }: Result): string[] =>
  notices.filter(({ kind }) => kind === 'qualeval').map(({ message }) => message);
const PINNED =
  `domains: [${TOPICS.join(', ')}]\nsubtasks: [calculate amounts, quote a rule, apologise]\n`.replace(
    /[\w ]+(?=[,\]])/g,
    (name) => ` { name: ${name.trim()} }`,
  );
const FILE = 'evaldiff.attributes.yaml';
let cleanUp: (() => void) | null = null;
afterEach(() => {
  cleanUp?.();
  cleanUp = null;
});

test('prices are had for every model that is asked, the one that only explains included', async () => {
  const priced: Target[] = [];
  const { asked, of } = await friendlier({
    edges: {
      pricing: async (targets) => {
        priced.push(...targets);
        return { list: NO_LIST, stored: () => false };
      },
    },
  });
  expect(of('qualeval')).toBeGreaterThan(0);
  const models = (targets: Target[]): string[] => [...new Set(targets.map(({ model }) => model))];
  expect(models(priced)).toEqual(expect.arrayContaining(models(asked.map(({ target }) => target))));
});

describe('a pull request that makes answers about one topic worse', () => {
  test('yields that domain and nothing else as regressed, with an insight that cites its references', async () => {
    const { result, of } = await friendlier();
    expect(result.suites[0]?.verdict).toBe('regressed');
    expect(regressed(result)).toEqual(['domain-billing']);
    expect(result.attributes.filter(({ verdict }) => verdict !== 'no change seen')).toHaveLength(1);
    const billing = result.attributes.find(({ id }) => id === 'domain-billing');
    expect(billing).toMatchObject({
      path: 'prompts/support.yaml',
      variant: { model: 'desk' },
      n: expect.any(Number),
    });
    expect(billing?.high).toBeLessThan(0);
    const [insight] = result.insights;
    expect(insight).toMatchObject({
      path: 'prompts/support.yaml',
      attributes: ['domain-billing'],
      generated: true,
    });
    expect(insight?.references.length).toBeGreaterThan(0);
    expect(insight?.references.every((id) => billing?.references.includes(id))).toBe(true);
    expect(wholeResultSchema.safeParse(JSON.parse(JSON.stringify(result))).success).toBe(true);
    expect(result.usage.by_purpose).toMatchObject({
      qualeval: { calls: of('qualeval'), reused: 0 },
      insight: { calls: 1 },
    });
  });

  test('looks for the cause on references of each topic that fell, not on the worst topic alone', async () => {
    const { result } = await friendlier({
      rate: (tone, topic) =>
        tone === 'Be exact.' ? 1 : topic === 'billing' ? 0 : topic === 'returns' ? 0.4 : 1,
    });
    expect(regressed(result)).toEqual(['domain-billing', 'domain-returns']);
    const examined = new Set(
      result.causes?.[0]?.causes.flatMap(({ references }) => references.map(({ id }) => id)),
    );
    const topics = (result.suites[0]?.references ?? [])
      .filter(({ id }) => examined.has(id))
      .map(({ input }) => /about (\w+),/.exec(String(input['mail']))?.[1]);
    expect(topics).toHaveLength(8);
    expect(topics.filter((topic) => topic === 'returns').length).toBeGreaterThan(2);
  });

  test("counts the tries that the suite counts, so that a kind of all references has the suite's own rates", async () => {
    const name = 'prompts/tests/support.yaml';
    const more = {
      [FILE]: 'domains: [{ name: mail }]\nsubtasks: [{ name: answer }]\n',
      [name]: (EXACT[name] ?? '').replaceAll(
        /- \{ id: (case-\d*[13579]),/g,
        '- { id: $1, n_tries: 7,',
      ),
    };
    expect(more[name]).toContain('n_tries: 7');
    const {
      result: {
        suites: [suite],
        attributes,
      },
    } = await friendlier(both(more));
    expect(attributes.map(({ n }) => n)).toEqual([60, 60]);
    for (const { base, head, difference, low, high } of attributes) {
      expect([base, head, difference, low, high]).toEqual(
        ['base', 'head', 'difference', 'low', 'high'].map((key) =>
          expect.closeTo(Number(suite?.pass_rate[key as 'base']), 9),
        ),
      );
    }
  });

  test('makes no model calls a second time: the same run from the same store makes no call and comes to the same', async () => {
    const { store, remove } = temporaryStore();
    cleanUp = remove;
    const first = await friendlier({ store });
    expect(first.of('qualeval')).toBeGreaterThan(60);
    const second = await friendlier({ store });
    expect(second.asked).toEqual([]);
    expect([second.result.attributes, second.result.insights]).toEqual([
      first.result.attributes,
      first.result.insights,
    ]);
    expect(second.result.usage).toMatchObject({
      calls: 0,
      by_purpose: {
        qualeval: { calls: 0, reused: first.of('qualeval') },
        insight: { calls: 0, reused: 1 },
      },
    });
  });

  test('pays for ratings of references once, whatever else pull requests change', async () => {
    const { store, remove } = temporaryStore();
    cleanUp = remove;
    await friendlier({ store });
    const other = await runDesk({
      base: EXACT,
      head: desk('Be friendly and brief.'),
      rate: (tone, topic) => (tone.includes('brief') && topic === 'returns' ? 0.1 : 0.95),
      store,
    });
    expect(regressed(other.result)).toEqual(['domain-returns']);
    expect([other.of('qualeval'), other.of('insight')]).toEqual([0, 1]);
  });

  test('foresees the calls it may take, without counting them among those it will make', async () => {
    const { plan, of } = await friendlier();
    expect(plan).toMatchObject({
      prompt_calls: 360,
      certain: { qualeval_calls: 0 },
      possible: {
        qualeval_possible: explainCalls(60, { pinned: null, most: 15, alignment: false }),
      },
    });
    expect(of('qualeval') + of('insight')).toBeLessThanOrEqual(
      plan?.possible['qualeval_possible'] ?? 0,
    );
  });

  test('rates answers too when asked to, for the skills they show', async () => {
    const { result, plan, asked } = await friendlier(settings('qualeval: { alignment: true }'));
    expect(plan?.possible['qualeval_possible']).toBe(
      explainCalls(60, { pinned: null, most: 15, alignment: true }),
    );
    const without = await friendlier();
    const about = asked.flatMap(({ schema, messages }) =>
      schema?.name === 'affinity'
        ? (/^Answer: (.*)$/m.exec(messages[1]?.content ?? '')?.[1] ?? [])
        : [],
    );
    expect(about.length).toBeGreaterThan(10);
    expect(new Set(about)).toEqual(new Set(['something else, 0']));
    expect(
      result.attributes.filter(
        ({ kind, alignment }) => kind === 'subtask' && alignment?.head !== null,
      ),
    ).toHaveLength(3);
    expect(without.result.attributes.every(({ alignment }) => alignment === null)).toBe(true);
  });

  test('goes by one metric where the settings name it', async () => {
    const { result } = await friendlier(settings('qualeval: { metric: right }'));
    expect(said(result)).toContain(
      'prompts/support.yaml: pass rates of attributes are those of the metric "right" (qualeval.metric)',
    );
    expect(result.attributes).toEqual((await friendlier()).result.attributes);
  });

  test('leaves the verdict as it is when the grader fails, and says what is missing', async () => {
    const { result } = await friendlier({
      script: { attributes: () => failure('the model is overloaded') },
    });
    expect([result.conclusion, result.attributes]).toEqual(['failure', []]);
    expect(said(result)).toEqual([
      'prompts/support.yaml: attributes come from a part of the references: 12 of 12 questions about them failed (the model is overloaded)',
    ]);
    expect(result.insights).toEqual([
      expect.objectContaining({
        generated: false,
        text: expect.stringContaining('references pass less often than before'),
      }),
    ]);
  });

  test('drops an insight about an attribute that does not exist, aloud, and writes plain sentences in its place', async () => {
    const { result } = await friendlier({
      script: {
        ...reader,
        insights: () => ({
          insights: [
            { text: 'Legal questions got worse.', attributes: ['domain-legal'], references: [] },
          ],
        }),
      },
    });
    expect(said(result)).toEqual(
      expect.arrayContaining([
        'prompts/support.yaml: an insight was dropped: it names the attribute "domain-legal", which does not exist',
      ]),
    );
    expect(result.insights).toEqual([
      expect.objectContaining({
        generated: false,
        attributes: ['domain-billing'],
        text: expect.stringMatching(/^billing \(domain\) regressed: pass rate/),
      }),
    ]);
  });
});

describe('what is asked about attributes', () => {
  test('is nothing when qualeval is off', async () => {
    const { result, plan, asked } = await friendlier(settings('qualeval: off'));
    expect(new Set(asked.map(({ purpose }) => purpose))).toEqual(new Set(['prompt']));
    expect(plan).toMatchObject({
      certain: { qualeval_calls: 0 },
      possible: { qualeval_possible: 0 },
    });
    expect([result.conclusion, result.attributes, result.insights, said(result)]).toEqual([
      'failure',
      [],
      [],
      [],
    ]);
  });

  test('is nothing where nothing regressed, unless it is switched on', async () => {
    expect((await friendlier({ rate: () => 1 })).of('qualeval')).toBe(0);
    const on = await friendlier({ ...settings('qualeval: on'), rate: () => 1 });
    expect(on.plan).toMatchObject({
      certain: { qualeval_calls: explainCalls(60, { pinned: null, most: 15, alignment: false }) },
      possible: { qualeval_possible: 0 },
    });
    expect(on.of('qualeval') + on.of('insight')).toBeLessThanOrEqual(
      on.plan?.certain['qualeval_calls'] ?? 0,
    );
    expect(on.result.attributes).toHaveLength(7);
    expect(regressed(on.result)).toEqual([]);
  });

  test('is nothing where nothing runs', async () => {
    const { asked, plan } = await runDesk({
      ...settings('qualeval: on'),
      head: settings('qualeval: on').base,
    });
    expect([asked, plan]).toEqual([
      [],
      expect.objectContaining({
        certain: expect.objectContaining({ qualeval_calls: 0 }),
        possible: expect.objectContaining({ qualeval_possible: 0 }),
      }),
    ]);
  });

  test('without a grader is nothing, and plain sentences say what fell', async () => {
    const files = both({
      'evaldiff.yaml': 'n_tries: 3\nmodels: { desk: { provider: openai, model: desk } }\n',
    });
    const { result, plan, of } = await friendlier(files);
    expect([of('qualeval'), of('insight'), plan?.possible['qualeval_possible']]).toEqual([0, 0, 0]);
    expect(said(result)).toEqual([
      'prompts/support.yaml: attributes are rated by a model: name one in the settings file, grader: { model: … }',
    ]);
    expect(result.insights).toEqual([
      expect.objectContaining({
        generated: false,
        references: expect.arrayContaining([expect.stringMatching(/^case-/)]),
      }),
    ]);
  });

  test('of a grader that may be asked and has no key is not an error: the notice names the key', async () => {
    const missingKeys: NonNullable<Desk['edges']>['missingKeys'] = (targets) =>
      targets.some((target) => target.model === 'judge')
        ? [problem(null, 'OpenAI has no key; set OPENAI_API_KEY')]
        : [];
    const { result, of } = await friendlier({ edges: { missingKeys } });
    expect([result.conclusion, of('qualeval')]).toEqual(['failure', 0]);
    expect(said(result)).toEqual([
      'prompts/support.yaml: attributes were not worked out: OpenAI has no key; set OPENAI_API_KEY',
    ]);
    expect(result.insights).toHaveLength(1);
    const pinned = await friendlier({ ...both({ [FILE]: PINNED }), edges: { missingKeys } });
    expect([
      pinned.result.conclusion,
      pinned.result.problems.map(formatProblem),
      pinned.asked,
    ]).toEqual(['error', ['OpenAI has no key; set OPENAI_API_KEY'], []]);
  });

  test('of a grader whose key GitHub withholds is left out, and the rest is judged', async () => {
    const { result, of } = await friendlier({
      ...both({ [FILE]: PINNED }),
      input: { trust: 'untrusted', withheld: 'fork' },
      edges: {
        missingKeys: (targets) =>
          targets.some((target) => target.model === 'judge')
            ? [problem(null, 'OpenAI has no key')]
            : [],
      },
    });
    expect([result.conclusion, of('prompt'), of('qualeval')]).toEqual(['failure', 360, 0]);
    expect(result.reasons.at(-1)).toContain(
      'No model key is available to pull requests from forks.',
    );
    expect(said(result)).toEqual([
      'prompts/support.yaml: attributes were not worked out: OpenAI has no key',
    ]);
  });

  test('of a grader that is not known is an error only where it is asked in any case', async () => {
    const unknown = (lines: string) =>
      both({
        'evaldiff.yaml': `n_tries: 3\ngrader: mystery\nmodels: { desk: { provider: openai, model: desk } }\n${lines}`,
      });
    const possible = await friendlier(unknown(''));
    expect(possible.result.conclusion).toBe('failure');
    expect(said(possible.result)).toEqual([
      expect.stringContaining(
        'attributes were not worked out: no provider is known for the model "mystery"',
      ),
    ]);
    const certain = await friendlier(unknown('qualeval: on\n'));
    expect(certain.result.problems.map(formatProblem)).toEqual([
      expect.stringMatching(/^evaldiff\.yaml:2: no provider is known for the model "mystery"/),
    ]);
    expect(certain.asked).toEqual([]);
  });

  test('is within the caps: a plan whose certain part is above them is refused, with those calls in its sum', async () => {
    const { result, asked } = await friendlier({
      ...settings('qualeval: on'),
      input: { maxCalls: 400 },
    });
    expect(asked).toEqual([]);
    expect(result.problems[0]?.message).toMatch(
      /^This run would make 4\d\d model calls \(360 answers for 60 references of 1 prompt on both sides \+ 0 grader calls \+ up to \d+ calls about attributes\); the limit is 400 \(max-calls\)\. Nothing was sent\.$/,
    );
  });

  test('is priced beforehand, and refused above a cap on cost', async () => {
    const priced = both({
      [FILE]: PINNED,
      'evaldiff.yaml': (EXACT['evaldiff.yaml'] ?? '').replaceAll(
        /model: (\w+) }/g,
        'model: $1, price: { input: 100, output: 1000 } }',
      ),
    });
    const { result, asked } = await friendlier({ ...priced, input: { maxCost: 1 } });
    expect(asked).toEqual([]);
    expect(result.problems.map(formatProblem)).toEqual([
      expect.stringMatching(
        /^This run would cost about \$\d+\.\d\d for its first answers and grades; the limit is \$1 /,
      ),
    ]);
    const forecasts: Forecast[] = [];
    await friendlier({
      ...priced,
      edges: {
        planned: (_, { forecast }) => {
          forecasts.push(forecast);
        },
      },
    });
    // A rating of seven attributes: 280 tokens of reply, and somewhat more of question.
    expect(forecasts[0]?.models.find(({ purpose }) => purpose === 'qualeval')).toMatchObject({
      model: 'judge',
      calls: 61,
      output_tokens: 61 * 280,
      cost_usd: expect.any(Number),
    });
  });

  test('ends at a cap that is reached on the way; the verdict stands', async () => {
    const { result, asked } = await friendlier({ input: { maxCalls: 366 } });
    expect(asked.length).toBeLessThanOrEqual(366);
    expect([result.conclusion, result.attributes]).toEqual(['failure', []]);
    expect(result.title).toMatch(/^Regressed: support/);
    expect(said(result).join('\n')).toContain(
      'not asked: the limit of 366 model calls (max-calls) is reached',
    );
  });

  test('is nothing when a cap ends it half way: a part of the ratings is not a suite', async () => {
    const { of } = await friendlier();
    const { result, asked } = await friendlier({ input: { maxCalls: 360 + of('qualeval') - 20 } });
    expect(asked.filter(({ schema }) => schema?.name === 'affinity')).toHaveLength(40);
    expect([result.conclusion, result.attributes]).toEqual(['failure', []]);
    expect(said(result)).toEqual([
      expect.stringMatching(
        /^prompts\/support\.yaml: attributes were not worked out: 20 of 60 references could not be rated \(not asked: /,
      ),
    ]);
  });

  test('is nothing any more once the run was ended', async () => {
    let answers = 0;
    const { result, of } = await friendlier({
      edges: {
        answered: () => {
          answers += 1;
        },
        halted: () =>
          answers < 360
            ? null
            : { title: 'Time is up', why: 'the run took longer than 5 minutes (timeout)' },
      },
    });
    expect([of('qualeval'), of('insight')]).toEqual([0, 0]);
    expect(said(result)).toEqual([
      'prompts/support.yaml: attributes were not worked out: no further call is made, because the run took longer than 5 minutes (timeout)',
    ]);
    expect(result.insights).toHaveLength(1);
  });

  test('is nothing where no price lets a cap on cost be kept', async () => {
    const priced = both({
      'evaldiff.yaml': (EXACT['evaldiff.yaml'] ?? '').replace(
        'model: desk }',
        'model: desk, price: { input: 1, output: 1 } }',
      ),
    });
    const { result, of } = await friendlier({ ...priced, input: { maxCost: 5 } });
    expect([result.conclusion, of('qualeval')]).toEqual(['failure', 0]);
    expect(said(result)).toEqual([
      expect.stringContaining(
        'no price is known for the grader "judge", so the cap max-cost could not be kept',
      ),
    ]);
  });

  test('is nothing where fewer than eight references count', async () => {
    const [base, head] = [desk('Be exact.', {}, 7), desk('Be friendly.', {}, 7)];
    const { of, plan } = await runDesk({
      base: { ...base, [FILE]: 'domains: [{ name: billing }]\n' },
      head: { ...head, [FILE]: 'domains: [{ name: billing }]\n' },
      rate: (tone) => (tone === 'Be friendly.' ? 0 : 1),
    });
    expect([of('qualeval'), plan?.certain['qualeval_calls']]).toEqual([0, 0]);
  });
});

describe('two prompts of one file and one model', () => {
  const PROMPTFOO = (tone: string): Record<string, string> => {
    const [settings = '', tests = ''] = [
      EXACT['evaldiff.yaml'],
      EXACT['prompts/tests/support.yaml'],
    ];
    const mails = [...tests.matchAll(/input: \{ mail: (".*?") \}, expected: (".*?") \}/g)];
    const prompt = (system: string): string =>
      JSON.stringify(
        JSON.stringify([
          { role: 'system', content: system },
          { role: 'user', content: '{{mail}}' },
        ]),
      );
    return {
      'evaldiff.yaml': settings.replace(
        'grader: judge',
        'grader: judge\nprompts: promptfooconfig.yaml',
      ),
      'promptfooconfig.yaml':
        `prompts:\n  - { label: first, raw: ${prompt(tone)} }\n  - { label: second, raw: ${prompt(`${tone} Be short.`)} }\nproviders: [openai:desk]\ntests:\n` +
        mails
          .map(
            ([, mail = '', expected = '']) =>
              `  - { vars: { mail: ${mail} }, assert: [{ type: equals, value: ${expected} }] }\n`,
          )
          .join(''),
    };
  };
  const OPTIONS = { base: PROMPTFOO('Be exact.'), head: PROMPTFOO('Be friendly.') };

  test('have attributes of their own, and the calls about them are planned and made once', async () => {
    const { result, plan, of } = await friendlier(OPTIONS);
    expect(
      result.suites.map(({ name, path, variant, verdict }) => [name, path, variant.model, verdict]),
    ).toEqual([
      ['first', 'promptfooconfig.yaml', 'desk', 'regressed'],
      ['second', 'promptfooconfig.yaml', 'desk', 'unchanged'],
    ]);
    expect(
      result.attributes
        .filter(({ verdict }) => verdict === 'regressed')
        .map(({ suite, id }) => [suite, id]),
    ).toEqual([['first', 'domain-billing']]);
    expect(result.insights.map(({ suite }) => suite)).toEqual(['first']);
    expect(plan?.possible['qualeval_possible']).toBe(
      explainCalls(60, { pinned: null, most: 15, alignment: false }) + 1,
    );
    expect(of('qualeval') + of('insight')).toBeLessThanOrEqual(
      plan?.possible['qualeval_possible'] ?? 0,
    );
  });

  test('are red each for itself', async () => {
    const gating = (files: Record<string, string>): Record<string, string> => ({
      ...files,
      'evaldiff.yaml': `${files['evaldiff.yaml'] ?? ''}gate: { attributes: fail }\nqualeval: on\n`,
    });
    const { result } = await friendlier({ base: gating(OPTIONS.base), head: gating(OPTIONS.head) });
    expect(result.attributes.filter(({ suite }) => suite === 'second')).toHaveLength(7);
    expect(
      result.reasons
        .filter((reason) => reason.includes('gate.attributes'))
        .map((reason) => reason.slice(0, 20)),
    ).toEqual(['first: the domain "b']);
  });
});

describe('a pull request that touches a part of the references', () => {
  test('has the same references per attribute as any other: the untouched ones are assigned, and not compared', async () => {
    // Ten mails carry a note, which only head's new prompt sends.
    const notes = (EXACT['prompts/tests/support.yaml'] ?? '').replace(
      /id: case-(\d+), input: \{/g,
      (all, index: string) => `${all} note: ${/^1\d$/.test(index) ? '" (urgent)"' : '""'},`,
    );
    const version = (tone: string, content: string): Record<string, string> => ({
      ...desk(tone),
      [FILE]: PINNED,
      'prompts/tests/support.yaml': notes,
      'prompts/support.yaml': (desk(tone)['prompts/support.yaml'] ?? '')
        .replace('[{ name: mail }]', '[{ name: mail }, { name: note }]')
        .replace('"{mail}"', `"${content}"`),
    });
    const whole = await runDesk({
      base: version('Be exact.', '{mail}'),
      head: version('Be friendly.', '{mail}'),
      rate: () => 1,
    });
    const part = await runDesk({
      base: version('Be exact.', '{mail}'),
      head: version('Be exact.', '{mail}{note}'),
      rate: () => 1,
    });
    expect([whole.plan?.references, part.plan?.references]).toEqual([60, 10]);
    expect(part.result.attributes.map(({ id, references }) => [id, references.length])).toEqual(
      whole.result.attributes.map(({ id, references }) => [id, references.length]),
    );
    expect(part.result.attributes.every(({ n }) => n <= 10)).toBe(true);
    expect(part.of('qualeval')).toBe(whole.of('qualeval'));
  });
});

describe('a pull request that adds and removes references', () => {
  test('has both among the references of its attributes, and compares what both prompts answered', async () => {
    const [shorter, longer] = [desk('Be exact.', {}, 50), desk('Be friendly.', {}, 60)];
    const added = await runDesk({ base: shorter, head: longer });
    const removed = await runDesk({
      base: { ...desk('Be exact.', {}, 60) },
      head: desk('Be friendly.', {}, 50),
    });
    const unchanged = await friendlier();
    // New references are put to both prompts; removed ones to none.
    for (const [{ result }, compared] of [
      [added, 60],
      [removed, 50],
    ] as const) {
      expect(result.attributes.map(({ id, references }) => [id, references])).toEqual(
        unchanged.result.attributes.map(({ id, references }) => [id, references]),
      );
      expect(regressed(result)).toEqual(['domain-billing']);
      const billing = result.attributes.find(({ id }) => id === 'domain-billing')!;
      expect(billing.n).toBe(
        billing.references.filter((id) => Number(id.slice(5)) < compared).length,
      );
    }
    expect([added.of('qualeval'), removed.of('qualeval')]).toEqual([
      unchanged.of('qualeval'),
      unchanged.of('qualeval'),
    ]);
  });
});

describe('attributes that people chose', () => {
  test('are used in place of a discovery, for every pull request that runs something', async () => {
    const { result, plan, of, asked } = await friendlier({
      ...both({ [FILE]: PINNED }),
      rate: () => 0.95,
    });
    expect(result.attributes.map(({ name }) => name)).toEqual([
      ...TOPICS,
      'calculate amounts',
      'quote a rule',
      'apologise',
    ]);
    expect(new Set(asked.flatMap(({ schema }) => schema?.name ?? []))).toEqual(
      new Set(['affinity']),
    );
    expect([plan?.certain['qualeval_calls'], of('qualeval')]).toEqual([61, 60]);
  });

  test('are not planned again where their ratings are stored: a later pull request fits into a cap that the first needed', async () => {
    const { store, remove } = temporaryStore();
    cleanUp = remove;
    const files = both({ [FILE]: PINNED });
    expect((await friendlier({ ...files, store })).plan?.certain['qualeval_calls']).toBe(61);
    const later = {
      base: files.base,
      head: { ...desk('Be brief.'), [FILE]: PINNED },
      rate: () => 0.95,
      input: { maxCalls: 370 },
    };
    const { plan, result, of } = await runDesk({ ...later, store });
    expect([
      plan?.certain['qualeval_calls'],
      of('qualeval'),
      result.problems,
      result.attributes.length,
    ]).toEqual([1, 0, [], 7]);
    expect((await runDesk(later)).result.problems[0]?.message).toContain(
      '360 answers for 60 references of 1 prompt on both sides + 0 grader calls + up to 61 calls about attributes',
    );
  });

  test("are base's in a pull request that changes them, which alone runs nothing", async () => {
    const changed = PINNED.replace('{ name: billing }', '{ name: invoices }');
    const { result } = await runDesk({
      base: { ...EXACT, [FILE]: PINNED },
      head: { ...FRIENDLY, [FILE]: changed },
    });
    expect(result.attributes.map(({ name }) => name)).toContain('billing');
    expect(result.notices).toContainEqual({
      kind: 'settings',
      place: { file: FILE, line: 0 },
      message: `this pull request changes ${FILE}; base's attributes are in force until it is merged`,
    });
    const alone = await runDesk({
      base: { ...EXACT, [FILE]: PINNED },
      head: { ...EXACT, [FILE]: changed },
    });
    expect([
      alone.result.conclusion,
      alone.asked,
      alone.result.notices.map(({ kind }) => kind),
    ]).toEqual(['success', [], ['settings']]);
  });

  test("are head's where base has none", async () => {
    const { result } = await runDesk({ base: EXACT, head: { ...FRIENDLY, [FILE]: PINNED } });
    expect(result.attributes.map(({ name }) => name)).toContain('billing');
    expect(result.notices).toContainEqual(
      expect.objectContaining({
        message: `this pull request adds ${FILE}; that alone runs nothing, and it holds for what else is run`,
      }),
    );
  });

  test("come from base for an outside contributor's pull request, whose own file is not even read", async () => {
    const { result } = await runDesk({
      base: { ...EXACT, [FILE]: PINNED },
      head: { ...FRIENDLY, [FILE]: 'domains: [{ name: ' },
      input: { trust: 'untrusted' },
    });
    expect(result.attributes.map(({ name }) => name)).toContain('billing');
    expect(result.notices).toContainEqual(
      expect.objectContaining({
        kind: 'trust',
        message: `this pull request comes from an outside contributor and changes ${FILE}. Base's attributes were used.`,
      }),
    );
    const added = await runDesk({
      base: EXACT,
      head: { ...FRIENDLY, [FILE]: PINNED },
      input: { trust: 'untrusted' },
      rate: () => 1,
    });
    expect([added.result.attributes, added.of('qualeval')]).toEqual([[], 0]);
    expect(added.result.notices).toContainEqual(
      expect.objectContaining({
        kind: 'trust',
        message: expect.stringContaining('It was not used.'),
      }),
    );
  });

  test.each<[string, string, string]>([
    [
      'a name twice',
      'domains:\n  - { name: Billing }\n  - { name: billing }\n',
      `${FILE}:3: "billing" is the same name as "Billing" in line 2; upper case, blanks and hyphens do not count`,
    ],
    [
      'a slack outside 0 to 1',
      'slack: 2\ndomains: [{ name: billing }]\n',
      `${FILE}:1: slack must be a number from 0 to 1`,
    ],
    [
      'more than the references can bear',
      `domains:\n${Array.from({ length: 16 }, (_, index) => `  - { name: kind ${String(index)} }\n`).join('')}`,
      `${FILE}:17: 16 domains are more than 60 references can bear: at most min(15, ⌊2 × 60 / 4⌋) = 15, four references each on average. Remove some, or add references`,
    ],
    ['what is not YAML', 'domains: [\n', `${FILE}:2: `],
  ])(
    'with %s are a mistake of the run, at its line, and nothing is asked',
    async (_, text, told) => {
      const { result, asked } = await runDesk({ base: EXACT, head: { ...FRIENDLY, [FILE]: text } });
      expect([result.conclusion, asked]).toEqual(['error', []]);
      expect(result.problems.map(formatProblem)).toEqual([expect.stringContaining(told)]);
    },
  );

  test("that base cannot read are replaced by head's", async () => {
    const { result } = await runDesk({
      base: { ...EXACT, [FILE]: 'slack: 2\n' },
      head: { ...FRIENDLY, [FILE]: PINNED },
    });
    expect(result.attributes.map(({ name }) => name)).toContain('billing');
    expect(said(result)[0]).toBe(
      "base's attributes cannot be read, so head's are used: slack must be a number from 0 to 1",
    );
  });

  test('of a prompt that is not there are told, and stay with a prompt that is renamed', async () => {
    const sections = (path: string): string =>
      `prompts:\n  ${path}:\n    domains: [{ name: billing }, { name: returns }]\n`;
    const unknown = await friendlier(
      both({ [FILE]: `${sections('prompts/suport.yaml')}${PINNED}` }),
    );
    expect(unknown.result.notices).toContainEqual({
      kind: 'unused',
      place: { file: FILE, line: 2 },
      message:
        'prompts/suport.yaml is not a prompt of this project with tests, so these attributes are not used',
    });
    const { 'prompts/support.yaml': prompt = '', ...rest } = FRIENDLY;
    const renamed = await runDesk({
      base: { ...EXACT, [FILE]: sections('prompts/support.yaml') },
      head: { ...rest, 'prompts/mails.yaml': prompt, [FILE]: sections('prompts/mails.yaml') },
    });
    expect(renamed.result.attributes.map(({ path, name }) => [path, name])).toEqual([
      ['prompts/mails.yaml', 'billing'],
      ['prompts/mails.yaml', 'returns'],
    ]);
  });

  test('that the settings name and nobody wrote are told', async () => {
    const { result } = await friendlier({
      ...settings('qualeval: { attributes: kinds.yaml }'),
      rate: () => 1,
    });
    expect(said(result)).toEqual([
      expect.stringMatching(
        /^qualeval\.attributes: kinds\.yaml does not exist at \w+; attributes are discovered where they are needed$/,
      ),
    ]);
    const outside = await friendlier(settings('qualeval: { attributes: ../kinds.yaml }'));
    expect(outside.result.problems.map(formatProblem)).toEqual([
      'evaldiff.yaml: qualeval.attributes: ../kinds.yaml must be a path below the working directory',
    ]);
  });
});

describe('gate.attributes: fail', () => {
  const FAIL = 'gate: { attributes: fail, gate_on: suite, min_drop: 0.9 }';
  // A suite that is not called regressed by itself.
  const flat = (files: Pick<Desk, 'base' | 'head'>): Partial<Desk> => files;

  test('makes a regressed attribute red with its reason', async () => {
    const { result } = await friendlier(flat({ ...settings(FAIL), ...withPinned(FAIL) }));
    expect(result.suites[0]?.verdict).not.toBe('regressed');
    expect(result.conclusion).toBe('failure');
    expect(result.title).toMatch(
      /^support: the domain "billing" regressed: pass rate .* over \d+ references; gate\.attributes is fail$/,
    );
    expect(
      (await friendlier(withPinned(FAIL.replace('attributes: fail', 'attributes: advise')))).result
        .conclusion,
    ).not.toBe('failure');
  });

  test('is not a success where attributes could not be worked out', async () => {
    const { result } = await friendlier({
      ...withPinned(FAIL),
      rate: () => 1,
      script: { affinity: () => failure('down') },
    });
    expect([result.conclusion, result.title]).toEqual([
      'neutral',
      'support: its attributes could not be worked out (the notices say why), and gate.attributes is fail',
    ]);
  });

  test('says so where it has no effect', async () => {
    const { result } = await friendlier({ ...settings(FAIL), rate: () => 1 });
    expect(said(result)).toEqual([
      expect.stringContaining(
        'gate.attributes is fail, and will not make this run red: attributes are worked out only where something regressed already',
      ),
    ]);
    expect(
      said((await friendlier({ ...settings(`${FAIL}\nqualeval: off`), rate: () => 1 })).result),
    ).toEqual(['gate.attributes is fail, and will not make this run red: qualeval is off']);
  });

  test('is not switched off by the pull request that it judges', async () => {
    const { base } = withPinned(FAIL);
    const { result } = await runDesk({
      base,
      head: {
        ...FRIENDLY,
        [FILE]: PINNED,
        'evaldiff.yaml': `${EXACT['evaldiff.yaml'] ?? ''}qualeval: off\n`,
      },
    });
    expect(result.title).toContain('the domain "billing" regressed');
    expect(result.notices.map(({ message }) => message)).toContain(
      "this pull request changes qualeval; base's settings are in force until it is merged",
    );
  });

  function withPinned(lines: string): Pick<Desk, 'base' | 'head'> {
    const { base, head } = settings(lines);
    return { base: { ...base, [FILE]: PINNED }, head: { ...head, [FILE]: PINNED } };
  }
});

describe('a sweep', () => {
  test('shows attributes of the one side there is, where they are pinned', async () => {
    const { result, plan, of } = await runDesk({
      base: {},
      head: { ...FRIENDLY, [FILE]: PINNED },
      input: { mode: 'sweep', base: null },
    });
    expect([plan?.certain['qualeval_calls'], of('qualeval')]).toEqual([61, 60]);
    expect(result.attributes.find(({ name }) => name === 'billing')).toMatchObject({
      base: null,
      difference: null,
      verdict: 'no change seen',
      p: null,
    });
    expect(result.attributes.find(({ name }) => name === 'billing')?.head).toBeLessThan(0.8);
  });
});
