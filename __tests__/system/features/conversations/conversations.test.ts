import { conversationSuite } from '../../../../src/features/conversations/answerer.ts';
import type { Conversation } from '../../../../src/features/conversations/conversation-rules.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import type { Reference } from '../../../../src/kernel/suite/suite.ts';
import { forecast } from '../../../../src/money/forecast.ts';
import type { Prepared } from '../../../../src/money/prepared.ts';
import type { Project } from '../../../../src/project/settings.ts';
import { partsOf } from '../../../../src/types/answer.ts';
import type { Metric } from '../../../../src/types/metric.ts';
import type { Request } from '../../../../src/types/model.ts';
import { readResult } from '../../../stand-ins/features.ts';
import { renderGithub } from '../../../stand-ins/github-markdown.ts';
import { renderComment } from '../../../stand-ins/reports.ts';
import {
  metric,
  modelSettings,
  project,
  reference,
  settings,
  suite,
} from '../../../unit/app/run/builders.ts';
import {
  answersShown,
  conversation,
  random,
  scripted,
  verdict,
} from '../../../unit/features/conversations/dialogues.ts';
import { judged, NEW, OLD, preparedFor } from '../../app/run/pipeline.ts';

const openai = new Map(
  ['judge', 'second'].map((model) => [model, modelSettings({ model, price: null })]),
);
const place = { file: 'prompts/tests/p.yaml', line: 9 };
const labelled = (content: string, accepted = true): Conversation['examples'][number] => ({
  messages: [
    { role: 'user', content: 'How?' },
    { role: 'assistant', content },
  ],
  accepted,
  place,
});

interface Shape {
  content?: string;
  of?: Conversation | null;
  metrics?: Metric[];
  references?: Reference[];
  tries?: number;
  ids?: number;
}

function shop({
  content = OLD,
  of = conversation(),
  metrics = [],
  references,
  tries = 1,
  ids = 6,
}: Shape) {
  const own =
    references ??
    Array.from({ length: ids }, (_, index) => reference(`r${index}`, { expected: undefined }));
  const one = suite({
    prompt: { messages: [{ role: 'user', content, place: { file: 'prompts/p.yaml', line: 6 } }] },
    tests: { own: of && conversationSuite(of), metrics, references: own },
  });
  return project([one], { settings: settings({ n_tries: tries, models: openai }) });
}

async function ready(base: Project | null, head: Project) {
  const prepared = await preparedFor(base, head);
  expect(prepared.problems).toEqual([]);
  return prepared;
}

const judgeIt = (prepared: Prepared, edges: Parameters<typeof judged>[1]) =>
  judged(prepared, { random, ...edges });

/**
 * Runs the pipeline on two projects. The assistant echoes its first message; `words` is the
 * evaluator's reply.
 */
async function evaluate(
  base: Project | null,
  head: Project,
  words: (request: Request, text: string, turn: number) => string,
  say = (request: Request) =>
    `${request.messages[0]?.content ?? ''} #${Math.ceil(request.messages.length / 2)}`,
) {
  const model = scripted((request) =>
    request.purpose === 'evaluator'
      ? words(
          request,
          request.messages.map(({ content }) => content).join('\n'),
          answersShown(request),
        )
      : say(request),
  );
  const prepared = await ready(base, head);
  const result = await judgeIt(prepared, { complete: model.complete });
  return { result, plan: prepared.plan, ...model };
}

const strict = conversation({ instructions: 'Be strict.' });
const isStrict = (text: string) => text.includes('Be strict.');
const allGood = () => verdict('yyy');
/** An evaluator that is satisfied from this turn on. Before that, it asks another question. */
const from =
  (wanted: number, before = 'nnn') =>
  (_: Request, __: string, turn: number) =>
    turn < wanted ? verdict(before, 'More?') : verdict('yyy');

const firstTry = (result: Result, side: 'base' | 'head', index = 0) =>
  result.suites[0]?.references[index]?.[side]?.tries[0];
const outcomes = (result: Result, side: 'base' | 'head') =>
  result.suites[0]?.references.map((reference) => reference[side]?.tries[0]?.conversation?.outcome);

describe('a suite of conversations', () => {
  test('needs no metric: a try is a dialogue, and it passes when the dialogue is complete', async () => {
    const { result, by } = await evaluate(shop({}), shop({ content: NEW }), (_, text, turn) =>
      text.includes('New r0') || turn < 2 ? verdict('yyn', 'More?') : verdict('yyy'),
    );
    expect(outcomes(result, 'base')).toEqual(Array(6).fill('complete'));
    expect(outcomes(result, 'head')).toEqual(['max_steps', ...Array<string>(5).fill('complete')]);
    expect(firstTry(result, 'head')).toMatchObject({
      outcome: 'fail',
      parts: partsOf('New r0 #3'),
      scores: [
        {
          metric: 'conversation',
          status: 'fail',
          value: 3,
          reason: 'max_steps: no steps left; not met: completeness',
        },
      ],
      usage: { input_tokens: 9, output_tokens: 3 },
      latency_ms: 30,
    });
    expect(result.suites[0]).toMatchObject({
      pass_rate: { base: 1, head: 5 / 6 },
      metrics: [{ name: 'conversation', base: 1, head: 5 / 6, judged_base: 6 }],
    });
    expect(result.suites[0]?.references[0]?.head?.tally).toMatchObject({
      num_fails: 1,
      num_metrics: 1,
    });
    expect(by('prompt')).toHaveLength(6 * 2 + 3 + 5 * 2);
    expect(result.usage.by_purpose).toMatchObject({
      prompt: { calls: 25 },
      evaluator: { calls: 25 },
    });
  });

  test('summarizes completion, turns and criteria on both sides', async () => {
    const { result } = await evaluate(shop({}), shop({ content: NEW }), (_, text, turn) => {
      const wanted = text.includes('New r0') ? 9 : text.includes('New r1') ? 3 : 1;
      return turn < wanted ? verdict('ynn', 'More?') : verdict('yyy');
    });
    const summary = result.suites[0]?.conversation;
    expect(summary).toMatchObject({
      max_steps: 3,
      evaluators: ['judge'],
      outcomes: { base: { complete: 6, max_steps: 0 }, head: { complete: 5, max_steps: 1 } },
      completed: { base: 1, head: 5 / 6, n: 6 },
      turns: { base: 1, head: 7 / 5, n: 5, difference: expect.closeTo(0.4) },
    });
    expect(
      summary?.turns_to.map((to) => [to.criterion, to.turns.n, to.turns.head, to.reached.head]),
    ).toEqual([
      ['understanding', 6, 1, 1],
      ['correctness', 5, 7 / 5, 5 / 6],
      ['completeness', 5, 7 / 5, 5 / 6],
    ]);
    expect(summary?.turns.low).toBeLessThan(0.4);
  });

  test('is named when it regresses, and errors of its evaluators do not count as failed answers', async () => {
    const { result } = await evaluate(
      shop({ tries: 5, ids: 20 }),
      shop({ content: NEW, tries: 5, ids: 20 }),
      (_, text) => {
        if (text.includes('New r9')) return 'unreadable';
        return text.includes('New r3') ? verdict('ynn') : verdict('yyy');
      },
    );
    const of = (id: string) => result.suites[0]?.references.find((each) => each.id === id);
    expect([result.conclusion, ...['r3', 'r9', 'r1'].map((id) => of(id)?.status)]).toEqual([
      'failure',
      'regressed',
      'error',
      'unchanged',
    ]);
    expect(of('r9')?.head).toMatchObject({ tries_judged: 0, tries: Array(5).fill({}) });
    expect(of('r9')?.head?.tries[0]).toMatchObject({
      outcome: 'error',
      error:
        'the evaluator judge gave no readable verdict on understanding, correctness, completeness: "unreadable"',
      scores: [],
      conversation: { outcome: 'evaluator_error', turns: [{ answer: 'New r9 #1' }] },
    });
    expect(result.suites[0]?.conversation).toMatchObject({
      completed: { n: 19 },
      outcomes: { head: { evaluator_error: 5, no_follow_up: 5 } },
    });
    expect(result.notices.map(({ kind }) => kind)).toContain('error');
  });

  test('of 200 dialogues with one try each can regress although no individual dialogue does', async () => {
    const number = (text: string) => Number(/r(\d+)/.exec(text)?.[1]);
    const { result } = await evaluate(
      shop({ ids: 200 }),
      shop({ content: NEW, ids: 200 }),
      (_, text) => {
        const fails = text.includes('New r') ? number(text) < 36 : number(text) >= 197;
        return fails ? verdict('ynn', 'More?') : verdict('yyy');
      },
    );
    expect(result.suites[0]).toMatchObject({ verdict: 'regressed', reason: { by: 'fall' } });
    const statuses = result.suites[0]?.references.map(({ status }) => status) ?? [];
    expect(statuses.filter((status) => status === 'fell')).toHaveLength(36);
    expect(statuses).not.toContain('regressed');
    const { text } = renderGithub(renderComment(result, { marker: '<!-- evaldiff -->' }));
    for (const shown of [
      '98.5 % → 82.0 %',
      'What it did: r0 (prompts/tests/p.yaml:5), 1 of 1 → 0 of 1 passed; 35 more similar',
      '35 more tests failed once',
      '1 turn: complete',
      'Old r0 #1',
      '3 turns: no steps left',
      ...['New r0 #1', 'New r0 #3'],
    ])
      expect(text).toContain(shown);
    expect(text.split('Tests by status')[0]).not.toMatch(/within noise|flaky/);
  });

  test('can also have metrics, which see the whole thread and its last answer', async () => {
    const seen = metric('turns', {
      source: { kind: 'built-in', uses: 'count_turns', with: { max: 3 } },
    });
    const { result } = await evaluate(null, shop({ metrics: [seen] }), (_, text, turn) =>
      turn < (text.includes('r0') ? 3 : 2) ? verdict('nnn', 'More?') : verdict('yyy'),
    );
    expect(firstTry(result, 'head')).toMatchObject({
      outcome: 'fail',
      scores: [
        { metric: 'conversation', status: 'pass', value: 3 },
        { metric: 'turns', status: 'fail', value: 6 },
      ],
    });
    expect(result.suites[0]?.metrics.map(({ name, head }) => [name, head])).toEqual([
      ['conversation', 1],
      ['turns', 0],
    ]);
  });

  test('shares a dialogue between equal references and sides and counts it as reused', async () => {
    const twins = [reference('a', { input: { q: 'x' } }), reference('b', { input: { q: 'x' } })];
    const { result, by } = await evaluate(null, shop({ references: twins }), from(2));
    expect([by('prompt').length, by('evaluator').length]).toEqual([2, 2]);
    expect(result.usage.by_purpose).toMatchObject({
      prompt: { calls: 2, reused: 2 },
      evaluator: { calls: 2, reused: 2 },
    });
    const tries = result.suites[0]?.references.map(({ head }) => head?.tries[0]);
    expect(tries?.map((one) => one?.conversation?.turns.length)).toEqual([2, 2]);
  });

  test('runs nothing when nothing changed', async () => {
    expect((await evaluate(shop({}), shop({}), allGood)).requests).toEqual([]);
  });

  test('has a result that can be saved and read again', async () => {
    const of = conversation({ examples: [labelled('a')], instructions: 'Strict.' });
    const { result } = await evaluate(shop({}), shop({ content: NEW, of }), () => verdict('ynn'));
    const saved: unknown = JSON.parse(JSON.stringify(result));
    expect(readResult('result.json', saved)).toEqual({ result, problems: [] });
    expect(result.evaluators).toHaveLength(2);
  });
});

describe('a change of the evaluators', () => {
  test('is a scoring change: dialogues are not repeated, but are judged again turn by turn', async () => {
    const { result, by } = await evaluate(shop({}), shop({ of: strict }), (_, text, turn) =>
      isStrict(text) && turn < 2 ? verdict('yyn', 'More?') : verdict('yyy'),
    );
    const asked = by('evaluator').map(({ messages }) => isStrict(messages[0]?.content ?? ''));
    expect(asked.filter((strictly) => strictly)).toHaveLength(6 * 2);
    expect(asked.filter((strictly) => !strictly)).toHaveLength(6);
    expect(result.suites[0]).toMatchObject({
      verdict: 'unchanged',
      because: [{ key: 'conversation.instructions', file: 'prompts/tests/p.yaml' }],
    });
    expect(result.scoring[0]).toMatchObject({
      rates: { base_base: 1, base_head: 1, head_base: 1, head_head: 1 },
      prompt_effect: 0,
      scoring_effect: 0,
    });
  });

  test('together with a change of the prompt is split into both effects', async () => {
    const { result } = await evaluate(shop({}), shop({ content: NEW, of: strict }), (_, text) =>
      verdict(text.includes('New') || !isStrict(text) ? 'yyy' : 'ynn'),
    );
    expect(result.scoring[0]).toMatchObject({
      rates: { base_base: 1, base_head: 0, head_head: 1 },
      prompt_effect: 1,
      scoring_effect: -1,
      total: 0,
    });
  });

  test.each([
    ['conversation.max_steps', conversation({ max_steps: 2 })],
    [
      'conversation.criteria',
      conversation({
        criteria: conversation().criteria.map(({ name }) => ({ name, combine: 'any' })),
      }),
    ],
    ['conversation.evaluators', conversation({ models: ['judge', 'second'] })],
  ])('in %s is named as the reason for the run', async (key, of) => {
    const { result } = await evaluate(shop({}), shop({ of }), allGood);
    expect(result.suites[0]?.because).toEqual([{ key, file: 'prompts/tests/p.yaml' }]);
  });

  test('of max_steps alone is a scoring change, and no dialogue is repeated', async () => {
    const { result, by } = await evaluate(
      shop({ of: conversation({ max_steps: 1 }) }),
      shop({ of: conversation({ max_steps: 2 }) }),
      from(2),
    );
    expect(by('prompt')).toHaveLength(12);
    expect(result.scoring[0]).toMatchObject({
      rates: { base_base: 0, head_head: 1 },
      prompt_effect: 0,
      scoring_effect: 1,
    });
  });

  test('from single answers to conversations gives the first answer the same score as before', async () => {
    const exact = metric('first', {
      source: { kind: 'built-in', uses: 'ends_with', with: { value: '#1' } },
    });
    const single = shop({ of: null, metrics: [exact] });
    const { result, by } = await evaluate(single, shop({}), from(2));
    expect(by('prompt')).toHaveLength(12);
    expect(result.scoring[0]).toMatchObject({ rates: { base_base: 1, head_head: 1 } });
    const back = await evaluate(shop({}), single, () => verdict('ynn'));
    expect(back.by('prompt')).toHaveLength(6);
    expect(back.result.scoring[0]).toMatchObject({ rates: { base_base: 0, head_head: 1 } });
  });

  test('calls unchanged evaluators only once when another part of the scoring changed', async () => {
    const named = (name: string) =>
      metric(name, { source: { kind: 'built-in', uses: 'length', with: { min: 1 } } });
    const suites = ['a', 'b'].map((name) => shop({ metrics: [named(name)] }));
    const { by } = await evaluate(suites[0]!, suites[1]!, allGood);
    expect([by('prompt').length, by('evaluator').length]).toEqual([6, 6]);
  });

  test("tests both versions of the evaluators on head's labelled answers", async () => {
    const examples = [
      labelled('answer-one'),
      labelled('answer-two'),
      labelled('answer-bad', false),
      labelled('answer-odd', false),
    ];
    const { result, by, plan } = await evaluate(
      shop({ of: conversation({ examples }) }),
      shop({ of: conversation({ examples, instructions: 'Be strict.' }) }),
      (_, text) => {
        if (text.includes('answer-odd') && isStrict(text)) return 'unreadable';
        return verdict(isStrict(text) && /answer-(?:bad|odd)/.test(text) ? 'ynn' : 'yyy');
      },
    );
    expect(
      result.evaluators?.map(({ side, examples: count, grades }) => [
        side,
        count,
        grades[0]?.accepted.all.share,
        grades[0]?.rejected.all.share,
        grades[0]?.balanced_accuracy?.value,
        grades[0]?.unread,
      ]),
    ).toEqual([
      ['base', 4, 1, 1, 0.5, 0],
      ['head', 4, 1, 0, 1, 1],
    ]);
    expect(plan.certain['evaluator_calls']).toBe(6 * 2 + 8);
    expect(
      by('evaluator').filter(({ messages }) =>
        /answer-(?:one|two|bad|odd)/.test(messages[1]?.content ?? ''),
      ),
    ).toHaveLength(9);
    expect(result.notices.map(({ message }) => message)).toContain(
      'p: the evaluator judge gave no readable verdict on 1 of 4 labelled examples on head; those are not counted',
    );
  });

  describe('of the labelled answers alone', () => {
    const [before, after] = [true, false].map((accepted) => {
      const examples = [labelled('one', accepted), labelled('two'), labelled('three')];
      return shop({ of: conversation({ models: ['judge', 'second'], examples }) });
    }) as [Project, Project];

    test('includes the evaluator calls in the plan although no conversation runs', async () => {
      const prepared = await ready(before, after);
      const { models, cost_usd } = forecast(prepared, { price: () => 0.5, stored: () => false });
      expect(models.map(({ model, purpose, calls }) => [model, purpose, calls])).toEqual([
        ['judge', 'evaluator', 3],
        ['second', 'evaluator', 3],
      ]);
      expect(cost_usd).toBe(3);
    });

    test('reports "Budget reached" and names each evaluator call that the budget does not allow', async () => {
      const told: string[] = [];
      const result = await judgeIt(await ready(before, after), {
        complete: async () => ({ status: 'error', kind: 'budget', message: 'not made' }),
        answered: (purpose) => {
          told.push(purpose);
        },
        halted: () => ({ code: 'budget', why: 'max-calls' }),
      });
      expect(told).toEqual(Array(6).fill('evaluator'));
      expect(result).toMatchObject({
        conclusion: 'error',
        title: expect.stringContaining('Budget reached'),
      });
    });
  });

  test('without labelled answers causes a notice that explains how to add some', async () => {
    const said = async (base: Conversation | null, head: Conversation) => {
      const { result } = await evaluate(base && shop({ of: base }), shop({ of: head }), allGood);
      return result.notices
        .filter(({ kind }) => kind === 'scoring')
        .map(({ message, place }) => `${String(place?.line)}: ${message}`);
    };
    const examples = [labelled('one')];
    const line = String(conversation().place.line);
    expect(await said(conversation(), strict)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${line}: p: its group of evaluators changed and has no labelled answers, .*examples: \\[\\{ question: `,
        ),
      ),
    ]);
    expect(await said(null, conversation())).toEqual([
      expect.stringContaining('is new and has no labelled answers'),
    ]);
    expect(await said(conversation({ examples }), conversation())).toEqual([
      expect.stringContaining('lost its labelled answers'),
    ]);
    expect(await said(conversation(), conversation({ max_steps: 2 }))).toEqual([]);
    expect(await said(conversation(), { ...strict, examples })).toEqual([]);
  });

  test('of max_steps alone does not test the evaluators again', async () => {
    const [few, more] = [3, 2].map((max_steps) =>
      shop({ of: conversation({ examples: [labelled('one')], max_steps }) }),
    ) as [Project, Project];
    expect((await evaluate(few, more, allGood)).result.evaluators).toBeUndefined();
  });
});

describe('recorded dialogues', () => {
  const recorded = (...contents: string[]) =>
    reference('rec', {
      input: {},
      thread: contents.map((content, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content,
      })),
    });

  test('are judged turn by turn without any model answer, regardless of the prompt', async () => {
    const { result, by } = await evaluate(
      null,
      shop({ references: [recorded('A?', 'a', 'B?', 'b', 'C?', 'c')] }),
      (_, __, turn) => verdict(turn < 2 ? 'ynn' : 'yyy', 'never asked'),
    );
    expect([by('prompt').length, by('evaluator').length]).toEqual([0, 2]);
    expect(firstTry(result, 'head')).toMatchObject({
      outcome: 'pass',
      parts: partsOf('b'),
      usage: null,
      conversation: {
        outcome: 'complete',
        turns: [
          { question: 'A?', answer: 'a' },
          { question: 'B?', asked_by: null, answer: 'b' },
        ],
      },
    });
  });

  test('are compared only for changes of the scoring, not of the prompt', async () => {
    const unchanged = await evaluate(
      shop({ references: [recorded('A?', 'a')] }),
      shop({ content: NEW, references: [recorded('A?', 'a')] }),
      allGood,
    );
    expect(unchanged.requests).toEqual([]);
    const { result, by } = await evaluate(
      shop({ references: [recorded('A?', 'a')] }),
      shop({ of: strict, references: [recorded('A?', 'a')] }),
      (_, text) => verdict(isStrict(text) ? 'ynn' : 'yyy'),
    );
    expect([by('prompt').length, by('evaluator').length]).toEqual([0, 2]);
    expect(result.scoring[0]).toMatchObject({
      rates: { base_base: 1, head_head: 0 },
      prompt_effect: 0,
    });
  });

  const has = (value: string) =>
    metric('has', { source: { kind: 'built-in', uses: 'contains', with: { value } } });

  test('are judged by metrics alone in a suite without conversation', async () => {
    const { result, requests } = await evaluate(
      null,
      shop({ of: null, metrics: [has('b')], references: [recorded('A?', 'a', 'B?', 'b')] }),
      () => '',
    );
    expect(requests).toEqual([]);
    expect(firstTry(result, 'head')).toMatchObject({ outcome: 'pass', parts: partsOf('b') });
  });

  test("that end with a user's question are continued by one answer or by a whole dialogue", async () => {
    const references = [recorded('A?', 'a', 'B?')];
    const metrics = [has('#2')];
    const once = await evaluate(null, shop({ of: null, metrics, references }), () => '');
    const asked = once.by('prompt').map(({ messages }) => messages.map(({ content }) => content));
    expect(asked).toEqual([['A?', 'a', 'B?']]);
    expect(firstTry(once.result, 'head')).toMatchObject({
      outcome: 'pass',
      parts: partsOf('A? #2'),
    });
    const { by } = await evaluate(null, shop({ references }), from(3));
    expect(by('prompt').map(({ messages }) => messages.length)).toEqual([3, 5]);
  });
});
