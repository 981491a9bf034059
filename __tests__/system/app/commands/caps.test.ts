import type { Result } from '../../../../src/kernel/result/result.ts';
import type { Said } from '../../../stand-ins/command-line.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { openProject } from '../../../stand-ins/project.ts';

interface Ran {
  code: number;
  result: Result;
  calls: number;
  spent: number;
}

interface Project {
  evaldiff(...argv: string[]): Promise<Said & { words: string }>;
  result(...argv: string[]): Promise<Ran>;
  run(...argv: string[]): Promise<Ran>;
  change(files: Record<string, string>): void;
  calls(): number;
}

interface ProjectOptions {
  references?: number;
  /** Output tokens of an answer, or a whole script. */
  answer?: number | Script;
  prompt?: string;
  model?: string;
  settings?: string;
  grader?: string;
  metrics?: string;
  files?: Record<string, string>;
}

const thinking = (output: number): ReturnType<Script> => {
  return { text: 'An answer.', usage: { input: 20, output } };
};

/** A project with a model that costs $100 per million tokens, and a judge at the same price. */
async function project({
  references = 8,
  answer = 20_000,
  prompt = '',
  model = '',
  settings = '',
  grader = 'judge',
  metrics = '[{ uses: contains, with: { value: answer } }]',
  files = {},
}: ProjectOptions = {}): Promise<Project> {
  const price = 'price: { input: 100, output: 100 }';
  const ids = Array.from({ length: references }, (_, index) => index + 1);
  const opened = await openProject(
    {
      'evaldiff.yaml': `models:\n  app: { provider: openai, endpoint: local, model: app, ${price}${model} }\n  judge: { provider: openai, endpoint: local, model: judge, ${price} }\ngrader: ${grader}\n${settings}`,
      'prompts/t.yaml': [
        'name: t',
        'model: app',
        'variables: [q]',
        `messages: [{ role: system, content: You help. }, { role: human, content: '{q}' }]`,
        prompt,
        `metrics: ${metrics}`,
        `references: [${ids.map((id) => `{ id: r${id}, input: { q: Q${id} } }`).join(', ')}]`,
        '',
      ].join('\n'),
      ...files,
    },
    { answer: typeof answer === 'number' ? () => thinking(answer) : answer },
  );
  const { repository, server } = opened;
  const evaldiff: Project['evaldiff'] = async (...argv) => {
    const said = await opened.evaldiff(...argv);
    return { ...said, words: `${said.out}${said.err}`.replace(/\s+/g, ' ') };
  };
  const calls = () => server.requests.length;
  const result: Project['result'] = async (...argv) => {
    const before = calls();
    const { out, err, code } = await evaldiff(...argv, '--no-store', '--json');
    if (!out.startsWith('{')) throw new Error(`no result: ${out}${err}`);
    const parsed = JSON.parse(out) as Result;
    return { code, result: parsed, calls: calls() - before, spent: parsed.usage.cost_usd ?? 0 };
  };
  return {
    evaldiff,
    calls,
    change: (changed) => repository.commit('change', changed),
    result,
    run: (...argv) => result('run', ...argv),
  };
}

const ONE_TRY = 'n_tries=1';

const ONE_CHANGED =
  "name: t\nmodel: app\nvariables: [q]\nmessages: [{ role: human, content: 'New: {q}' }]\nmetrics: [{ uses: contains, with: { value: answer } }]\nreferences: [{ id: r1, input: { q: Q1 } }]\n";

const POLITE = {
  'rubrics/polite.yaml':
    'polite:\n  prompt: "Is it polite? {completion}"\n  choice_scores: { "Yes": 1, "No": 0 }\n',
};
const BY_RUBRIC = '[{ name: polite, rubric: polite, threshold: 1 }]';

describe('a cost cap that one answer passes', () => {
  test.each([
    ['--max-cost', {}, ['--max-cost', '0.3'], '--max-cost'],
    [
      'the settings',
      { settings: 'budget: { max_cost_usd: 0.3 }\n' },
      [],
      'budget.max_cost_usd in evaldiff.yaml:5',
    ],
    ['an override', {}, ['budget.max_cost_usd=0.3'], 'the override budget.max_cost_usd'],
    ['one call at a time', { model: ', concurrency: 1' }, ['--max-cost', '0.3'], '--max-cost'],
  ] as const)('stops the run after it: %s', async (_, options, argv, from) => {
    const { evaldiff, run, calls } = await project(options);
    const { code, result, spent } = await run(ONE_TRY, ...argv);
    expect([code, result.conclusion, calls()]).toEqual([2, 'error', 1]);
    expect(spent).toBeCloseTo(2.002, 9);
    expect(result.title).toMatch(
      /^Budget reached: the cost cap of \$0\.3 \(.*\) was passed by \$1\.7020; \$2\.0020 is spent; 1 of 8 tries were made$/,
    );
    expect(result.title).toContain(`(${from})`);
    const { words } = await evaldiff('run', '--no-store', ONE_TRY, ...argv);
    expect(words).not.toMatch(/allowed|is kept|✓/);
  });

  test('fails the run even if that answer was its last call', async () => {
    const { run } = await project({ references: 1 });
    const { code, result } = await run(ONE_TRY, '--max-cost', '0.3');
    expect([code, result.outcome.kind]).toEqual([2, 'ended-early']);
    expect(result.reasons[0]).toMatchObject({ code: 'ended', effect: 'passed' });
    expect(result.suites[0]?.references[0]?.head?.passes).toBe(1);
  });

  test('fails a comparison, too', async () => {
    const { result: compare, change } = await project({ references: 1, answer: growing(1) });
    change({ 'prompts/t.yaml': ONE_CHANGED });
    const argv = ['diff', '--base', 'HEAD~1', '--max-cost', '0.3', ONE_TRY];
    const { code, result, calls } = await compare(...argv);
    expect([code, calls]).toEqual([2, 2]);
    expect(result.title).toMatch(
      /^Budget reached: the cost cap of \$0\.3 \(--max-cost\) was passed/,
    );
  });

  test('keeps what it has paid for, so that the next run continues', async () => {
    const { evaldiff, calls } = await project();
    for (const made of [1, 2]) {
      expect((await evaldiff('run', ONE_TRY, '--max-cost', '0.3')).code).toBe(2);
      expect(calls()).toBe(made);
    }
  });
});

describe('a cost cap that the search for causes passes', () => {
  const promptOf = (...lines: string[]) =>
    [
      'name: t',
      'model: app',
      'variables: [q]',
      'messages:',
      '  - role: system',
      '    content: |',
      ...lines.map((line) => `      ${line}`),
      `  - { role: human, content: '{q}' }`,
      'metrics: [{ uses: contains, with: { value: answer } }]',
      `references: [${Array.from({ length: 8 }, (_, id) => `{ id: r${id}, input: { q: Q${id} } }`).join(', ')}]`,
      '',
    ].join('\n');
  const BASE = ['Be short.', 'Be good.', 'Be calm.'];
  const HEAD = ['Be brief.', 'Be bad.', 'Be quiet.'];
  /** Answers to prompts of neither side are long. */
  const answer: Script = ({ messages }) => {
    const system = messages[0]?.content ?? '';
    const isSide = [BASE, HEAD].some((lines) => lines.every((line) => system.includes(line)));
    return {
      text: system.includes('bad') ? 'Nothing.' : 'An answer.',
      usage: { input: 20, output: isSide ? 100 : 50_000 },
    };
  };

  test.each([
    ['never', 2, 'ended-early'],
    ['regression', 1, 'regressed'],
  ])('fails a run that is decided already: fail_on %s', async (failOn, exit, kind) => {
    const { result: compare, change } = await project({
      answer,
      settings: `gate: { fail_on: ${failOn} }\nexplain: { fix: false }\n`,
      files: { 'prompts/t.yaml': promptOf(...BASE) },
    });
    change({ 'prompts/t.yaml': promptOf(...HEAD) });
    const argv = ['diff', '--base', 'HEAD~1', '--max-cost', '3', 'n_tries=2'];
    const { code, result, spent } = await compare(...argv);
    expect(spent).toBeGreaterThan(3);
    expect(result.reasons).toContainEqual(
      expect.objectContaining({
        code: 'ended',
        why: expect.stringContaining('the cost cap of $3 (--max-cost) was passed by'),
      }),
    );
    expect([code, result.outcome.kind]).toEqual([exit, kind]);
  });
});

describe('a cost cap with max_tokens', () => {
  test.each([
    ['max_tokens: 20000', '20,000 output tokens', '$2.00'],
    ['max_completion_tokens: 5000', '5,000 output tokens', '$0.50'],
  ])('below one call is refused before anything is sent: %s', async (prompt, tokens, figure) => {
    const { evaldiff, calls } = await project({ prompt });
    const { code, words } = await evaldiff('run', '--no-store', ONE_TRY, '--max-cost', '0.3');
    expect([code, calls()]).toEqual([2, 0]);
    expect(words).toContain(
      `One call of app (local) can cost ${figure}, because its request allows ${tokens}; the limit is $0.3 (--max-cost). Nothing was sent.`,
    );
  });

  test('is never passed, to the cent', async () => {
    const { run } = await project({ prompt: 'max_tokens: 20000' });
    const { code, result, calls, spent } = await run(ONE_TRY, '--max-cost', '5');
    expect([code, calls]).toEqual([2, 2]);
    expect(spent).toBeLessThanOrEqual(5);
    expect(result.title).toMatch(
      /^Budget reached: another call could cost \$2\.0\d+ and exceed the cost cap of \$5 \(--max-cost\); \$4\.0040 is spent; 2 of 8 tries were made$/,
    );
  });

  test('is used up by answers that are shorter than the limit', async () => {
    const { run } = await project({ prompt: 'max_tokens: 20000', answer: 2000 });
    const { code, calls } = await run(ONE_TRY, '--max-cost', '5');
    expect([code, calls]).toEqual([0, 8]);
  });

  test('holds for a grader that is asked twice, beside answers', async () => {
    const { run } = await project({
      prompt: 'max_tokens: 3000',
      grader: '{ model: judge, max_tokens: 2000 }',
      metrics: BY_RUBRIC,
      files: POLITE,
      answer: ({ body }) => ({
        text: body['model'] === 'judge' ? 'Hard to say.' : 'An answer.',
        usage: { input: 20, output: Number(body['max_tokens']) },
      }),
    });
    for (const limit of ['1', '1.5', '3']) {
      const { code, result, spent } = await run(ONE_TRY, '--max-cost', limit);
      expect(code).toBe(2);
      expect(spent).toBeLessThanOrEqual(Number(limit));
      expect(result.title).not.toContain('passed');
    }
  });
});

describe('a cost cap without max_tokens', () => {
  test.each([
    ['60 references', { references: 60 }, '2', 1],
    ['3,000 tokens for each answer', { answer: 3000 }, '1.2', 1],
  ] as const)('is passed by at most one call: %s', async (_, options, limit, most) => {
    const { run } = await project(options);
    const { code, calls, spent } = await run(ONE_TRY, '--max-cost', limit);
    expect(code).toBe(2);
    expect(calls).toBeLessThanOrEqual(most);
    expect(spent).toBeLessThanOrEqual(Number(limit) + 2.002);
  });

  test('is passed by the open calls if later answers are much longer, and nothing is sent then', async () => {
    const { run } = await project({ references: 60, answer: growing(2) });
    const { code, result, calls } = await run(ONE_TRY, '--max-cost', '3');
    expect(code).toBe(2);
    expect(calls).toBeLessThan(20);
    expect(result.title).toContain('was passed by');
  });

  test('does not stop a run that stays far below it', async () => {
    const { run } = await project({ references: 60, answer: 100 });
    expect(await run(ONE_TRY, '--max-cost', '3')).toMatchObject({ code: 0, calls: 60 });
  });

  test.each([
    ['dialogues', 'conversation: { max_steps: 3, evaluators: [judge] }', 'evaluator'],
    ['rubrics', '', 'grader'],
  ])('counts the judges of %s, too', async (kind, prompt, purpose) => {
    const { run } = await project({
      prompt,
      ...(kind === 'rubrics' ? { metrics: BY_RUBRIC, files: POLITE } : {}),
      answer: ({ body }) => ({
        text: body['model'] === 'judge' ? '{"reasons":"a","choice":"Yes"}' : 'An answer.',
        usage: { input: 20, output: body['model'] === 'judge' ? 50_000 : 10 },
      }),
    });
    const { code, result, spent } = await run(ONE_TRY, '--max-cost', '2');
    expect(code).toBe(2);
    expect(result.usage.by_purpose).toHaveProperty(purpose);
    expect(result.usage.by_purpose).toMatchObject({ [purpose]: { calls: 1 } });
    expect(spent).toBeLessThanOrEqual(2 + 5.01);
    expect(result.title).toContain('was passed by');
  });
});

/** The first answers are short. */
function growing(short: number): Script {
  return ({ index }) => thinking(index < short ? 100 : 20_000);
}

describe('a cap of 0', () => {
  test.each([
    [['--max-cost', '0'], 'A cap of $0 allows only stored answers, recordings and models whose'],
    [['--max-calls', '0'], 'A limit of 0 allows only stored answers and recordings.'],
    [['budget.max_cost_usd=0'], 'the limit is $0 (the override budget.max_cost_usd)'],
  ])('refuses the run before anything is sent, and says what it means (%j)', async (argv, said) => {
    const { evaldiff, calls } = await project();
    const { code, words } = await evaldiff('run', '--no-store', ONE_TRY, ...argv);
    expect([code, calls()]).toEqual([2, 0]);
    expect(words).toContain(said);
  });

  test('allows stored answers', async () => {
    const { evaldiff, calls } = await project({ answer: 10 });
    expect((await evaldiff('run', ONE_TRY)).code).toBe(0);
    for (const argv of [
      ['--max-cost', '0'],
      ['--max-calls', '0'],
    ])
      expect((await evaldiff('run', ONE_TRY, ...argv)).code).toBe(0);
    expect(calls()).toBe(8);
  });
});

describe('the default caps', () => {
  test('stop a run, and the message says how to change them', async () => {
    const { evaldiff } = await project({ references: 60 });
    const { code, words } = await evaldiff('run', '--no-store', ONE_TRY);
    expect(code).toBe(2);
    expect(words).toContain(
      'the cost cap of $20 (the default; to change it, set --max-cost, or budget.max_cost_usd in the settings file)',
    );
  });

  test('are shown by plan and by the help of each command with caps', async () => {
    const { evaldiff } = await project();
    const { words } = await evaldiff('plan', '--base', 'HEAD');
    expect(words).toContain('limits: model calls: 5,000 (the default');
    expect(words).toContain('; cost: $20 (the default');
    for (const command of ['run', 'diff', 'plan', 'noise', 'grade']) {
      const help = (await evaldiff(command, '--help')).words;
      expect(help).toContain('budget.max_calls, or 5,000');
      expect(help).toContain('budget.max_cost_usd, or 20');
    }
  });
});
