import { describe, expect, test } from '@jest/globals';
import type { Script, Scripted } from '../../stand-ins/models/server.ts';
import { obedient, questionOf, quiz, quizPrompt, quizTests, SETTINGS } from './projects.ts';
import { modelServer, onlyComment, pullRequest } from './stage.ts';

const CHANGE = { 'prompts/quiz.yaml': quizPrompt('Be brief.') };
/** Asks to be asked again at once, so that no test waits for a back-off. */
const SOON = { 'retry-after-ms': '1' };

/**
 * Misbehaves for some questions, always or only the first time that each is asked; obedient
 * otherwise.
 */
function failing(faults: Record<number, Scripted>, when: 'always' | 'first'): Script {
  const seen = new Set<string>();
  return (request) => {
    const fault = faults[questionOf(request.messages)];
    const key = JSON.stringify(request.messages);
    const isFirst = !seen.has(key);
    seen.add(key);
    return fault !== undefined && (when === 'always' || isFirst) ? fault : obedient(request);
  };
}

describe('a server in trouble', () => {
  test('is asked again after what passes: rate limits, overload, resets, cut replies', async () => {
    const { at, run } = await pullRequest(quiz(), CHANGE, {
      answer: failing(
        {
          1: { status: 429, headers: { 'retry-after': '1' } },
          2: { status: 500, headers: SOON },
          3: { fault: 'reset' },
          4: { fault: 'cut' },
          5: { status: 529, headers: SOON },
        },
        'first',
      ),
    });
    expect(run.code).toBe(0);
    expect(run.outputs).toMatchObject({
      conclusion: 'success',
      errors: '0',
      'pass-rate-base': '1.0000',
      'pass-rate-head': '1.0000',
    });
    // Each of the five was refused once on either side.
    expect(at.models.requests).toHaveLength(24 + 10);
    expect(run.log).toContain('openai (local): rate limited; waiting 2 s');
  });

  test('has its errors counted and shown, and the rest judged, up to a tenth of all tries', async () => {
    const { at, run } = await pullRequest(
      quiz({ questions: 12 }),
      { 'prompts/quiz.yaml': quizPrompt('Skip 1 2 3 4') },
      {
        answer: failing(
          {
            7: {
              body: '<html><body>Please log in</body></html>',
              headers: { 'content-type': 'text/html' },
            },
          },
          'always',
        ),
      },
    );
    expect(run.code).toBe(1);
    expect(run.outputs).toMatchObject({ conclusion: 'failure', errors: '1', regressed: '4' });
    expect(run.result.suites[0]?.references.find(({ status }) => status === 'error')).toMatchObject(
      { id: 'q7', head: { passes: 0, tries_judged: 0, rollup: null } },
    );
    const message =
      'openai (local): the reply is not a chat completion (text/html, 39 bytes): it is a web page; look whether the address leads to the API (most end in /v1), and what before it asks to log in';
    expect(
      run.result.suites[0]?.references.flatMap(({ head }) =>
        head!.tries.flatMap(({ error }) => error ?? []),
      ),
    ).toEqual([message, message]);
    expect(onlyComment(at)).toContain(
      '1 reference had tries that ended in an error; those are not counted: q7',
    );
    expect(run.reports['report.html']).toContain(message);
    expect(run.reports['junit.xml']).toContain(message);
  });

  test('leaves nothing judged where more than a tenth of the tries ends in an error, whatever the rest says', async () => {
    const { at, run } = await pullRequest(
      quiz({ questions: 12, settings: `${SETTINGS}n_tries: 2\n` }),
      {
        'prompts/quiz.yaml': quizPrompt('Skip 4 5 6 7 8 9'),
      },
      {
        answer: failing(
          {
            1: { status: 500, headers: SOON, error: { message: 'overloaded ::error::now' } },
            2: { status: 503, headers: SOON },
          },
          'always',
        ),
      },
    );
    expect(run.code).toBe(1);
    expect(run.outputs).toMatchObject({ conclusion: 'error', errors: '2' });
    expect(run.lastLine).toBe(
      '| evaldiff: error (nothing was judged). Not judged: 8 of 48 tries ended in an error, so nothing was judged',
    );
    expect(run.result.reasons.slice(1).sort()).toEqual([
      expect.stringMatching(/^openai \(local\): 500, .*overloaded .*after 5 tries$/),
      expect.stringMatching(/^openai \(local\): 503, .*after 5 tries$/),
    ]);
    expect(at.github.state.checkRuns[0]).toMatchObject({
      conclusion: 'failure',
      title: run.outputs['title'],
    });
    expect(onlyComment(at)).toContain('### ❌ Not judged\n');
  });

  test('may send what is not an answer at all: each kind is told, none is a pass or a fail', async () => {
    const trap = await modelServer({});
    const tests = quizTests(8);
    const { run } = await pullRequest(
      { 'README.md': 'About' },
      { ...quiz(), 'prompts/tests/quiz.yaml': `n_tries: 1\n${tests}` },
      {
        answer: failing(
          {
            1: { body: '' },
            2: { body: '{"choices": 5}' },
            3: { body: '[' },
            4: { body: '{"error": {"message": "no"}}' },
            5: { fault: 'bomb' },
            6: { status: 307, headers: { location: `${trap.openaiUrl}/chat/completions` } },
            7: { status: 400, error: { message: 'no such parameter' } },
            8: { body: JSON.stringify({ choices: '['.repeat(10) }) },
          },
          'always',
        ),
      },
    );
    expect(run.outputs).toMatchObject({ conclusion: 'error', errors: '8', 'pass-rate-head': '' });
    expect(trap.requests).toEqual([]);
    const told = run.result.suites[0]!.references.map(({ head }) => head!.tries[0]!.error);
    expect(told).toEqual([
      expect.stringMatching(/not a chat completion \(application\/json, 0 bytes\)/),
      expect.stringMatching(/not a chat completion/),
      expect.stringMatching(/not a chat completion/),
      expect.stringMatching(/500, the server failed: no, after 5 tries/),
      expect.stringMatching(/larger than 8 MiB/),
      expect.stringMatching(/redirects to another address; refused/),
      expect.stringMatching(/400, .*no such parameter/),
      expect.stringMatching(/not a chat completion/),
    ]);
  });
});

describe('both vendors', () => {
  test('are asked in one run, each in its own words, and judged alike', async () => {
    const files = (system: string) => ({
      'prompts/quiz.yaml': quizPrompt(system).replace(
        'temperature: 0.5',
        'temperature: 0\nmax_tokens: 40',
      ),
      'prompts/claude.yaml': quizPrompt(system, 'quiz-claude', 'claude').replace(
        'temperature: 0.5',
        'temperature: 0\nmax_tokens: 40',
      ),
    });
    const { at, run } = await pullRequest(
      { ...quiz(), ...files('Be exact.'), 'prompts/tests/claude.yaml': quizTests(6) },
      files('Skip 1 2 3 4'),
    );
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '8', errors: '0' });
    const of = (vendor: string) =>
      at.models.requests.filter((request) => request.vendor === vendor);
    expect(of('openai').length).toBe(of('anthropic').length);
    expect(of('openai')[0]?.body).toMatchObject({
      model: 'quiz-1',
      temperature: 0,
      max_tokens: 40,
      messages: [{ role: 'system' }, { role: 'user' }],
    });
    expect(of('anthropic')[0]?.body).toMatchObject({
      model: 'claude-quiz',
      temperature: 0,
      max_tokens: 40,
      messages: [{ role: 'user' }],
    });
    expect(of('anthropic')[0]?.messages[0]).toEqual({
      role: 'system',
      content: expect.any(String),
    });
  });
});
