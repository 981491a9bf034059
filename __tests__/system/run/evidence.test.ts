/** What counts as evidence, and what its absence says. */
import { describe, expect, test } from '@jest/globals';
import type { Completion } from '../../../src/types/model.ts';
import { answer, metric, project, settings } from '../../unit/run/builders.ts';
import { NEW, OLD, type Given, runPipeline, shop } from './pipeline.ts';

const two = { settings: settings({ n_tries: 2 }) };

const never = (): never => {
  throw new Error('not asked here');
};

/** Models that answer "yes", but for what `instead` has for a question. */
const answering = (instead: (question: string) => Completion | null): Given => ({
  edges: {
    complete: async ({ messages }) => instead(messages.at(-1)?.content ?? '') ?? answer('yes'),
  },
});

const failing = (kind: 'filtered' | 'too-long' | 'program-answer' | 'server'): Completion => ({
  status: 'error',
  kind,
  message: `openai: ${kind}`,
});

describe('an answer that was refused, filtered or cut', () => {
  test.each(['filtered', 'too-long', 'program-answer'] as const)(
    'is a fail with its reason, and so a regression where head alone is %s',
    async (kind) => {
      const { result } = await runPipeline(
        project([shop(OLD, 20)], two),
        project([shop(NEW, 20)], two),
        never,
        answering((question) => (/^New r0/.test(question) ? failing(kind) : null)),
      );
      expect(result.conclusion).toBe('failure');
      const [first] = result.suites[0]!.references;
      expect(first?.head?.tries[0]).toMatchObject({
        outcome: 'fail',
        actual: null,
        error: `openai: ${kind}`,
        scores: [{ metric: 'has', status: 'fail', value: null, reason: `openai: ${kind}` }],
      });
      expect(first?.head?.tally).toMatchObject({ num_fails: 2, num_errors: 0 });
    },
  );

  test('fails though a metric would pass on no text at all', async () => {
    const lacking = {
      tests: {
        metrics: [
          metric('lacks', {
            source: { kind: 'built-in', uses: 'contains', with: { value: 'sorry', negate: true } },
          }),
        ],
      },
    };
    const { result } = await runPipeline(
      project([shop(OLD, 12, lacking)], two),
      project([shop(NEW, 12, lacking)], two),
      never,
      answering((question) =>
        question.startsWith('New')
          ? ({ ...answer(' '), finish_reason: 'length' } as Completion)
          : null,
      ),
    );
    expect(result.conclusion).toBe('failure');
    expect(result.suites[0]?.references[0]?.head?.tries[0]?.scores[0]?.reason).toMatch(
      /^the answer reached its limit of tokens before it said anything/,
    );
  });

  test('that says something is judged by what it says', async () => {
    const { result } = await runPipeline(
      project([shop(OLD, 20)], two),
      project([shop(NEW, 20)], two),
      never,
      answering(() => ({ ...answer('yes, and'), finish_reason: 'length' }) as Completion),
    );
    expect(result.suites[0]?.pass_rate).toMatchObject({ base: 1, head: 1 });
  });
});
