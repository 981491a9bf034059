import { reasonsInWords } from '../../../src/wording/reasons.ts';
import type { Script, Scripted } from '../../stand-ins/models/server.ts';
import {
  SETTINGS,
  obedient,
  promptOf,
  questionOf,
  quiz,
  quizPrompt,
  quizTests,
} from './projects.ts';
import { onlyComment, pullRequest } from './stage.ts';

/** Requests an immediate retry, so that no test waits for a backoff. */
const headers = { 'retry-after-ms': '1' };

/**
 * A model that fails for some questions, always or only at the first request of each, and otherwise
 * obeys its prompt.
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

describe('a failing server', () => {
  test('is retried after temporary failures: rate limits, overload, resets, truncated replies', async () => {
    const faults: Record<number, Scripted> = {
      1: { status: 429, headers: { 'retry-after': '1' } },
      2: { status: 500, headers },
      3: { fault: 'reset' },
      4: { fault: 'cut' },
      5: { status: 529, headers },
    };
    const answer = failing(faults, 'first');
    const { at, run } = await pullRequest(quiz(), promptOf('Be brief.'), { answer });
    const rates = { 'pass-rate-base': '1.0000', 'pass-rate-head': '1.0000' };
    const outputs = { conclusion: 'success', errors: '0', ...rates };
    expect(run).toMatchObject({ code: 0, outputs });
    // Each of the five failed once on each side.
    expect(at.models.requests).toHaveLength(24 + 10);
    expect(run.log).toContain('openai (local): rate limited; waiting 2 s');
  });

  test('causes errors in up to a tenth of the tries, and the other tries are judged', async () => {
    const body = '<html><body>Please log in</body></html>';
    const login = { body, headers: { 'content-type': 'text/html' } };
    const { at, run } = await pullRequest(quiz({ questions: 12 }), promptOf('Skip 1 2 3 4'), {
      answer: failing({ 7: login }, 'always'),
    });
    const outputs = { conclusion: 'failure', errors: '1', regressed: '4' };
    expect(run).toMatchObject({ code: 1, outputs });
    const references = run.result.suites[0]?.references ?? [];
    const head = { passes: 0, tries_judged: 0, rollup: null };
    const failed = references.find(({ status }) => status === 'error');
    expect(failed).toMatchObject({ id: 'q7', head });
    const message =
      'openai (local): the reply is not a chat completion (text/html, 39 bytes): it is a web page. Check that it is the address of an API (most end in /v1) and that no login page comes first';
    const errors = references.flatMap(({ head }) =>
      head!.tries.flatMap(({ error }) => error ?? []),
    );
    expect(errors).toEqual([message, message]);
    expect(onlyComment(at)).toContain(
      '1 test had tries that ended in an error; those are not counted: q7',
    );
    expect(run.reports['report.html']).toContain(message);
    expect(run.reports['junit.xml']).toContain(message);
  });

  test('prevents any verdict if more than a tenth of the tries are errors', async () => {
    const base = quiz({ questions: 12, settings: `${SETTINGS}n_tries: 2\n` });
    const faults = {
      1: { status: 500, headers, error: { message: 'overloaded ::error::now' } },
      2: { status: 503, headers },
    };
    const { at, run } = await pullRequest(base, promptOf('Skip 4 5 6 7 8 9'), {
      answer: failing(faults, 'always'),
    });
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error', errors: '2' } });
    const title = 'Not judged: 8 of 48 tries ended in an error, so nothing was judged';
    expect(run.lastLine).toBe(`| evaldiff: error (nothing was judged). ${title}`);
    expect(reasonsInWords(run.result).slice(1).sort()).toEqual([
      expect.stringMatching(/^openai \(local\): 500, .*overloaded .*after 5 tries$/),
      expect.stringMatching(/^openai \(local\): 503, .*after 5 tries$/),
    ]);
    expect(at.github.state.checkRuns[0]).toMatchObject({
      conclusion: 'failure',
      title: title,
    });
    expect(onlyComment(at)).toContain('### ❌ Not judged\n');
  });
});

describe('both vendors', () => {
  test('run in one comparison, each with its own request format, and are judged by the same rules', async () => {
    const files = (system: string) =>
      Object.fromEntries(
        [quizPrompt(system), quizPrompt(system, 'quiz-claude', 'claude')].map((prompt, at) => [
          `prompts/${['quiz', 'claude'][at]!}.yaml`,
          prompt.replace('temperature: 0.5', 'temperature: 0\nmax_tokens: 40'),
        ]),
      );
    const base = { ...quiz(), ...files('Be exact.'), 'prompts/tests/claude.yaml': quizTests() };
    const { at, run } = await pullRequest(base, files('Skip 1 2 3 4'));
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '8', errors: '0' });
    const [openai = [], anthropic = []] = ['openai', 'anthropic'].map((vendor) =>
      at.models.requests.filter((request) => request.vendor === vendor),
    );
    expect(openai.length).toBe(anthropic.length);
    const parameters = { temperature: 0, max_tokens: 40 };
    expect(openai[0]?.body).toMatchObject({
      model: 'quiz-1',
      ...parameters,
      messages: [{ role: 'system' }, { role: 'user' }],
    });
    expect(anthropic[0]?.body).toMatchObject({
      model: 'claude-quiz',
      ...parameters,
      messages: [{ role: 'user' }],
    });
    const system = { role: 'system', content: expect.any(String) };
    expect(anthropic[0]?.messages[0]).toEqual(system);
  });
});
