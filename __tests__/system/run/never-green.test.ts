/** Ways in which a regression could stand under green, each of which is now said. */
import { describe, expect, test } from '@jest/globals';
import { renderTerminal } from '../../../src/report/terminal.ts';
import type { Tests } from '../../../src/suite/suite.ts';
import { answer, metric, project, reference, settings } from '../../unit/run/builders.ts';
import { NEW, OLD, runPipeline, shop } from './pipeline.ts';

const named = (count: number, tags: string[] = []): Tests['references'] =>
  Array.from({ length: count }, (_, i) =>
    reference(`r${String(i).padStart(2, '0')}`, i === 0 ? { tags } : {}),
  );

/** Head fails r00 in every try; all else passes. */
async function broken(tests: Partial<Tests>, tries: number) {
  const all = { settings: settings({ n_tries: tries }) };
  const { result } = await runPipeline(
    project([shop(OLD, 0, { tests })], all),
    project([shop(NEW, 0, { tests })], all),
    (_, question) => (/^New r00/.test(question) ? 'no' : 'yes'),
  );
  return { result, suite: result.suites[0]! };
}

describe('a critical reference that fails on head alone', () => {
  test.each([1, 2])('is not green after %s fixed tries, and is named', async (tries) => {
    const { result, suite } = await broken({ references: named(150, ['critical']) }, tries);
    expect(suite.reason).toMatchObject({ by: 'suspicious', references: ['r00'] });
    expect(result.conclusion).toBe('neutral');
    expect(renderTerminal(result, { width: 200, colour: false })).toContain(
      'Looks worse by itself: r00',
    );
  });

  test('without the tag is one flip among many', async () => {
    const { result } = await broken({ references: named(150) }, 1);
    expect(result.conclusion).toBe('success');
  });
});

test('a reference whose roll-up falls and whose tries name it is not green with unit: references', async () => {
  const { result, suite } = await broken(
    {
      references: named(100),
      rollup: { kind: 'named', policy: 'majority' },
      gate: { unit: 'references' },
    },
    5,
  );
  expect(suite.reason).toMatchObject({ by: 'named', references: ['r00'] });
  expect(suite.references[0]?.status).toBe('regressed');
  expect(result.conclusion).toBe('neutral');
});

test('a scoring change over answers that nobody gives is not green', async () => {
  const head = { tests: { metrics: [metric('has'), metric('also')] } };
  const { result } = await runPipeline(
    project([shop(OLD, 12)], { settings: settings({ n_tries: 2 }) }),
    project([shop(OLD, 12, head)], { settings: settings({ n_tries: 2 }) }),
    (_, question) => (/r03/.test(question) ? new Error('gone') : 'yes'),
  );
  expect(result.conclusion).toBe('neutral');
  expect(result.suites[0]?.evidence).toMatchObject({ references: 11, of: 12, missing: ['r03'] });
});

test('head that falls silent names what has no answer, not what lacks one of its tries', async () => {
  const { result } = await runPipeline(
    project([shop(OLD, 50)], { settings: settings({ n_tries: 2 }) }),
    project([shop(NEW, 50)], { settings: settings({ n_tries: 2 }) }),
    () => 'yes',
    {
      edges: {
        complete: async ({ messages, try: index }) => {
          const question = messages.at(-1)?.content ?? '';
          const gone = /^New r0/.test(question) || (/^New r49/.test(question) && index === 0);
          return gone ? { status: 'error', kind: 'server', message: 'gone' } : answer('yes');
        },
      },
    },
  );
  const [suite] = result.suites;
  expect(suite).toMatchObject({ verdict: 'regressed', reason: { by: 'unanswered' } });
  expect(suite?.reason?.references).toHaveLength(10);
  expect(suite?.references[49]?.status).not.toBe('regressed');
});
