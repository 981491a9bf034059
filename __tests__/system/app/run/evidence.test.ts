/** Which tries count as evidence, and the effect of missing evidence. */
import { lineText } from '../../../../src/report/sections/document.ts';
import type { Completion } from '../../../../src/types/model.ts';
import { suiteSummary } from '../../../../src/wording/suites.ts';
import { headline } from '../../../stand-ins/reports.ts';
import { answer, metric, project, settings } from '../../../unit/app/run/builders.ts';
import { reworded, NEW, OLD, type Given, type Ran, runPipeline, shop } from './pipeline.ts';

const two = { settings: settings({ n_tries: 2 }) };

const never = () => {
  throw new Error('not asked here');
};

/** Models that answer "yes" unless `instead` returns something else for a question. */
const answering = (instead: (question: string) => Completion | null): Given => ({
  edges: {
    complete: async ({ messages }) => instead(messages.at(-1)?.content ?? '') ?? answer('yes'),
  },
});

const failing = (kind: 'filtered' | 'too-long' | 'program-answer' | 'server' | 'reply') => ({
  status: 'error' as const,
  kind,
  message: `openai: ${kind}`,
});

describe('an answer that was refused, filtered or cut off', () => {
  test.each(['filtered', 'too-long', 'program-answer'] as const)(
    'fails for that reason and is a regression if only head is affected: %s',
    async (kind) => {
      const { result } = await reworded(20, never, {
        ...two,
        ...answering((question) => (/^New r0/.test(question) ? failing(kind) : null)),
      });
      expect(result.conclusion).toBe('failure');
      const [first] = result.suites[0]!.references;
      expect(first?.head?.tries[0]).toMatchObject({
        outcome: 'fail',
        parts: null,
        error: `openai: ${kind}`,
        scores: [{ metric: 'has', status: 'fail', value: null, reason: `openai: ${kind}` }],
      });
      expect(first?.head?.tally).toMatchObject({ num_fails: 2, num_errors: 0 });
    },
  );

  test("without any text because of a length limit makes the run red if base's answer is complete", async () => {
    const lacking = {
      tests: {
        metrics: [
          metric('lacks', {
            source: { kind: 'built-in', uses: 'contains', with: { value: 'sorry', negate: true } },
          }),
        ],
      },
    };
    const { result } = await reworded(12, never, {
      ...two,
      ...answering((question) =>
        question.startsWith('New') ? { ...failing('reply'), ended: 'length' } : null,
      ),
      changes: lacking,
    });
    expect(result.conclusion).toBe('failure');
    expect(result.suites[0]?.reason?.by).toBe('unanswered');
    expect(result.suites[0]?.references[0]?.head?.tries[0]).toMatchObject({
      outcome: 'error',
      parts: null,
      ended: 'length',
    });
  });

  test('with some text is judged by that text', async () => {
    const { result } = await reworded(20, never, {
      ...two,
      ...answering(() => ({ ...answer('yes, and'), ended: 'length' }) as Completion),
    });
    expect(result.suites[0]?.pass_rate).toMatchObject({ base: 1, head: 1 });
  });
});

describe('a lack of answers', () => {
  const compared = (
    count: number,
    instead: (question: string) => Completion | null,
    tags: string[] = [],
  ) => {
    const references = (text: string) => {
      const one = shop(text, count);
      return {
        ...one,
        tests: {
          ...one.tests,
          references: one.tests.references.map((each) =>
            each.id === 'r00' ? { ...each, tags } : each,
          ),
        },
      };
    };
    return runPipeline(
      project([references(OLD)], two),
      project([references(NEW)], two),
      never,
      answering(instead),
    );
  };
  const words = ({ result }: Ran) => {
    const { rows, note } = headline(result);
    return [...rows, note].map(lineText).join(' | ');
  };

  test('on head alone makes the run red if it is statistically significant', async () => {
    const ran = await compared(50, (question) =>
      /^New r0[0-8]/.test(question) ? failing('server') : null,
    );
    const { result } = ran;
    expect(result.conclusion).toBe('failure');
    expect(result.title).toBe(
      '41 of 50 tests compared. Regressed: p: head does not answer 9 of 50 tests that base answers (r00, r01, r02 and 6 more)',
    );
    expect(words(ran)).toMatch(
      /^p: head does not answer 9 of 50 tests that base answers \(.*\) \| 41 of 50 tests compared\./,
    );
    expect(result.suites[0]).toMatchObject({
      verdict: 'regressed',
      reason: { by: 'unanswered', references: expect.arrayContaining(['r00', 'r08']) },
      evidence: { references: 41, of: 50, critical: [] },
    });
    expect(result.suites[0]?.reason?.p).toBeLessThan(0.01);
    expect(result.suites[0]?.references.slice(0, 10).map(({ status }) => status)).toEqual([
      ...Array<string>(9).fill('regressed'),
      'unchanged',
    ]);
  });

  test('on both sides equally is not a regression, but prevents a green verdict', async () => {
    const ran = await compared(50, (question) =>
      /r0[0-3]$/.test(question) ? failing('server') : null,
    );
    expect(ran.result).toMatchObject({
      conclusion: 'neutral',
      outcome: { kind: 'inconclusive' },
      title:
        '46 of 50 tests compared. Inconclusive: p: no answer to compare in 4 of 50 tests (r00, r01, r02, r03)',
    });
    expect(ran.result.suites[0]?.reason).toMatchObject({
      by: 'uncompared',
      references: ['r00', 'r01', 'r02', 'r03'],
    });
    expect(suiteSummary(ran.result.suites[0]!)).toMatch(/^46 of 50 tests compared; /);
  });

  test('in at most 2 % of the references is reported first and allows a green verdict', async () => {
    const ran = await compared(50, (question) =>
      /r07$/.test(question) ? failing('server') : null,
    );
    expect(ran.result.conclusion).toBe('success');
    expect(ran.result.title).toBe('49 of 50 tests compared. No regression: p 100 → 100 %');
    expect(words(ran)).toContain('49 of 50 tests compared.');
    const all = await compared(50, () => null);
    expect(all.result.title).toBe('No regression: p 100 → 100 %');
    expect(words(all)).not.toContain('compared;');
  });

  test('of a critical reference on head alone makes the run red', async () => {
    const { result } = await compared(
      60,
      (question) => (question === 'New r00' ? failing('server') : null),
      ['critical'],
    );
    expect(result.conclusion).toBe('failure');
    expect(result.suites[0]?.reason).toMatchObject({
      by: 'unanswered',
      p: null,
      references: ['r00'],
    });
  });

  test('of a critical reference on both sides prevents a green verdict', async () => {
    const { result } = await compared(
      60,
      (question) => (/r00$/.test(question) ? failing('server') : null),
      ['critical'],
    );
    expect(result.conclusion).toBe('neutral');
    expect(result.suites[0]?.evidence).toMatchObject({ missing: ['r00'], critical: ['r00'] });
  });

  test('of a whole suite makes the run red if base has answers, and otherwise prevents a green verdict', async () => {
    const many = (text: string) =>
      Array.from({ length: 20 }, (_, at) => {
        const one = shop(`${text} s${at}.`, 4);
        return {
          ...one,
          prompt: { ...one.prompt, name: `s${at}`, file: `prompts/s${at}.yaml` },
        };
      });
    const run = (instead: (question: string) => Completion | null) =>
      runPipeline(project(many(OLD), two), project(many(NEW), two), never, answering(instead));
    const lost = await run((question) =>
      /^New .* s7\./.test(question) ? failing('server') : null,
    );
    expect(lost.result).toMatchObject({ conclusion: 'failure', outcome: { kind: 'regressed' } });
    expect(lost.result.title).toBe(
      '76 of 80 tests compared. Regressed: s7: head does not answer 4 of 4 tests that base answers (r00, r01, r02, r03)',
    );
    const silent = await run((question) => (/ s7\./.test(question) ? failing('server') : null));
    expect(silent.result.conclusion).toBe('neutral');
  });

  test('in a sweep (full run) is reported, and too much of it prevents a verdict', async () => {
    const { result } = await runPipeline(null, project([shop(NEW, 20)], two), never, {
      ...answering((question) => (/r07$/.test(question) ? failing('server') : null)),
      input: { mode: 'sweep' },
    });
    expect(result).toMatchObject({ conclusion: 'neutral', outcome: { kind: 'no-verdict' } });
    expect(result.title).toBe(
      '19 of 20 tests judged. p: 19 of 20 tests could be judged; without evidence: r07',
    );
  });
});
