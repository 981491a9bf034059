import { reasonsInWords } from '../../../src/wording/reasons.ts';
import type { Script, Scripted } from '../../stand-ins/models/server.ts';
import { SETTINGS, obedient, promptOf, questionOf, quiz } from './projects.ts';
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
  test('is retried after a temporary failure, which the log shows and no error counts', async () => {
    const limited = { status: 429, headers: { 'retry-after': '1' } };
    const { at, run } = await pullRequest(quiz(), promptOf('Be brief.'), {
      answer: failing({ 1: limited }, 'first'),
    });
    expect(run).toMatchObject({ code: 0, outputs: { conclusion: 'success', errors: '0' } });
    // It failed once on each side.
    expect(at.models.requests).toHaveLength(24 + 2);
    expect(run.log).toContain('openai (local): rate limited; waiting 2 s');
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
