/** Comparisons of incomplete answers, as servers send them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openProject } from '../stand-ins/project.ts';

const POLITE =
  'metrics:\n  - name: polite\n    code: \'metric = len(actual); result = "sorry" not in actual.lower()\'\n';

const QUESTIONS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

interface Given {
  base?: object;
  head: object;
  metrics?: string;
  prompt?: string;
  nTries?: string;
}

/** Compares a prompt with itself plus `!`, with the same reply for all calls of a side. */
async function compare({ base, head, metrics = POLITE, prompt = '', nTries = '' }: Given) {
  const whole = { choices: [{ finish_reason: 'stop', message: { content: 'Oslo is fine' } }] };
  const promptFile = (mark: string) =>
    `defaults: [tests/p]\nname: p\nmodel: quiz\nvariables: [{ name: q }]\nmessages: [{ role: human, content: 'Say {q}${mark}' }]\n${prompt}`;
  const files = {
    'evaldiff.yaml': 'models:\n  quiz: { provider: openai, endpoint: local, model: quiz-1 }\n',
    'prompts/p.yaml': promptFile(''),
    'prompts/tests/p.yaml': `${nTries}${metrics}references:\n${QUESTIONS.map((q) => `  - input: { q: ${q} }\n    expected: Oslo\n`).join('')}`,
  };
  const { repository, reported } = await openProject(files, {
    answer: ({ messages }) => ({
      body: JSON.stringify(messages.at(-1)?.content.endsWith('!') ? head : (base ?? whole)),
    }),
    width: 200,
  });
  repository.git('switch', '--quiet', '--create', 'topic');
  repository.commit('Head', { 'prompts/p.yaml': promptFile('!') });
  const { code, out, err, result } = await reported('diff', '--base', 'main', '--no-store');
  const comment = readFileSync(join(repository.directory, 'report/comment.md'), 'utf8');
  return { code, out: `${out}${err}`, result, comment };
}

const ends = (finish_reason: string, content: string | null, more: object = {}): object => ({
  choices: [{ finish_reason, message: { content, ...more } }],
});

describe('a head commit whose answers', () => {
  test.each<[string, Given, string, string]>([
    [
      'the server lost',
      { head: ends('stop', null, { reasoning_content: 'Oslo. So final' }) },
      'failure',
      'the text is in reasoning_content; the server',
    ],
    ['are empty', { head: ends('end_turn', '') }, 'failure', 'the answer is empty'],
    ['were aborted', { head: ends('abort', 'Os') }, 'failure', 'aborted its answer (abort)'],
    [
      'were cut before they said anything',
      { head: ends('MAX_TOKENS', '') },
      'failure',
      'reached its token limit before it contained text',
    ],
    [
      'stand beside an error',
      { head: { ...ends('stop', 'Oslo'), error: { code: 502, message: 'upstream dropped' } } },
      'failure',
      'upstream dropped',
    ],
    [
      'were cut',
      { head: ends('length', 'Oslo is') },
      'neutral',
      'answers cut at a limit of tokens: base 0 of 24, head 24 of 24',
    ],
    [
      'were cut with one try',
      { head: ends('max_tokens', 'Oslo is'), nTries: 'n_tries: 1\n' },
      'neutral',
      'answers cut at a limit of tokens: base 0 of 8, head 8 of 8',
    ],
    [
      'ended for an unknown reason',
      { head: ends('novel', 'Oslo is') },
      'neutral',
      'a reason that evaldiff does not know (novel): base 0 of 24, head 24 of 24',
    ],
    [
      'are refusals in a separate field',
      { head: ends('stop', null, { refusal: 'I cannot' }) },
      'neutral',
      'answers filtered or refused: base 0 of 24, head 24 of 24',
    ],
    [
      'are thinking that was cut',
      {
        head: ends('length', '<think>Oslo'),
        metrics: 'metrics: [{ name: has, uses: contains, with: { value: Oslo } }]\n',
      },
      'failure',
      'thinking used it up',
    ],
  ])('%s is never green without an explanation', async (_, given, conclusion, words) => {
    const { result, out, comment } = await compare(given);
    expect(result.conclusion).toBe(conclusion);
    expect(out).toContain(words);
    expect(comment).toContain(words);
  });

  test('call a tool in the old format (function_call) is judged by that call', async () => {
    const call = { function_call: { name: 'book', arguments: '{}' } };
    const { result } = await compare({
      head: ends('function_call', null, call),
      metrics:
        'metrics: [{ name: quiet, uses: count_tool_calls_by_name, with: { tool: book, max: 0 } }]\n',
      prompt: 'functions: [{ name: book, parameters: { type: object, properties: {} } }]\n',
    });
    expect(result.outcome.kind).toBe('regressed');
    expect(result.suites[0]?.reason?.by).toBe('fall');
  });
});

describe("base's answers", () => {
  const has = 'metrics: [{ name: has, uses: contains, with: { value: Oslo } }]\n';
  const whole = ends('stop', 'Oslo is fine');

  test('that were all filtered do not make head an improvement', async () => {
    const { result, out } = await compare({
      base: ends('content_filter', ''),
      head: whole,
      metrics: has,
    });
    expect(result.conclusion).toBe('neutral');
    expect(out).toContain(
      'filtered or refused without an explanation: base 24 of 24, head 0 of 24',
    );
  });

  test('that were cut off let head count as an improvement, with a notice', async () => {
    const { result } = await compare({ base: ends('length', 'Os'), head: whole, metrics: has });
    expect(result.outcome.kind).toBe('fixed');
    expect(result.notices).toContainEqual({
      kind: 'ended',
      place: null,
      message: 'p: answers cut at a limit of tokens: base 24 of 24, head 0 of 24',
    });
  });
});

describe('answers on both sides', () => {
  test.each([
    ['length', ''],
    ['MAX_TOKENS', ''],
    ['stop', ''],
    ['end_turn', '<think>Oslo'],
  ])('that are empty and end with %s are not judged', async (finish, content) => {
    const silent = ends(finish, content);
    const { code, result } = await compare({ base: silent, head: silent });
    expect([code, result.conclusion]).toEqual([2, 'error']);
  });

  test('that a filter withheld completely are not compared', async () => {
    const withheld = ends('content_filter', null);
    const { result } = await compare({ base: withheld, head: withheld });
    expect(result.conclusion).toBe('neutral');
  });

  test('that are cut off equally are judged, with a notice', async () => {
    const cut = ends('length', 'Oslo is');
    const { result, out } = await compare({ base: cut, head: cut });
    expect(result.conclusion).toBe('success');
    expect(out).toContain('how answers ended');
    expect(result.notices).toContainEqual(
      expect.objectContaining({
        message: 'p: answers cut at a limit of tokens: base 24 of 24, head 24 of 24',
      }),
    );
  });
});

describe('the names of the models that answered', () => {
  const by = (model: string, content: string): object => ({ ...ends('stop', content), model });

  test('are reported next to the verdict if they differ, and no line of the prompt is blamed', async () => {
    const { result, out, comment } = await compare({
      base: by('vendor/large', 'Oslo'),
      head: by('vendor/free-fallback-7b', 'sorry'),
    });
    expect(result.outcome.kind).toBe('regressed');
    const words = 'base by vendor/large, head by vendor/free-fallback-7b';
    expect(out).toContain(words);
    expect(comment).toContain(words);
    expect(`${out}${comment}`).not.toContain('the only change');
    expect(result.causes?.[0]?.causes).toEqual([]);
  });

  test.each([
    ['quiz-1-2026-01-01', 'quiz-1-2026-01-01'],
    [undefined, 'quiz-1-2026-01-01'],
  ])("are not reported if base's is %j and head's is %j", async (base, head) => {
    const { result } = await compare({ base: by(base as string, 'Oslo'), head: by(head, 'sorry') });
    expect(result.notices.filter(({ kind }) => kind === 'served')).toEqual([]);
    expect(result.causes?.[0]?.causes).toHaveLength(1);
  });
});
