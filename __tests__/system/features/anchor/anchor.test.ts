import type { AnchorResult } from '../../../../src/features/anchor/result.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { createRandom, nextFloat } from '../../../../src/kernel/statistics/random.ts';
import { answerBody } from '../../../stand-ins/models/replies.ts';
import { openProject } from '../../../stand-ins/project.ts';
import { capitals, promptBeginning } from '../../app/commands/capitals.ts';

const REFERENCES = 40;

/** Rate of wrong answers per first word of the prompt. */
type Wrong = Readonly<Record<string, number>>;

/** Compares base (prompt `Two`) with head (`Three`) after a release with prompt `One`. */
async function eroded(anchor: string, wrong: Wrong) {
  const asked = new Map<string, number>();
  let rates = wrong;
  const { repository, evaldiff, reported } = await openProject(
    { ...capitals(REFERENCES, `{ anchor: ${anchor} }`), ...promptBeginning('One:') },
    {
      width: 200,
      answer: (seen) => {
        const question = seen.messages.at(-1)?.content ?? '';
        const [word = ''] = question.split(':');
        const made = (asked.get(question) ?? 0) + 1;
        asked.set(question, made);
        const draw = nextFloat(createRandom(`${question} ${made}`));
        const isWrong = draw < (rates[word] ?? 0);
        return { body: JSON.stringify(answerBody(seen, { text: isWrong ? 'Rome' : 'Oslo' })) };
      },
    },
  );
  repository.git('tag', 'v1.4.0');
  repository.commit('step', promptBeginning('Two:'));
  repository.write(promptBeginning('Three:'));
  return {
    callsOf: (word: string) =>
      [...asked].reduce(
        (sum, [question, calls]) => sum + (question.startsWith(word) ? calls : 0),
        0,
      ),
    write: (words: string) => {
      repository.write(promptBeginning(words));
    },
    change(next: Wrong) {
      rates = next;
    },
    plan: async () => (await evaldiff('plan', '--base', 'HEAD')).out,
    async diff(...args: string[]) {
      const store = ['--store', '../answers.sqlite'];
      const run = await reported('diff', '--base', 'HEAD', ...store, ...args);
      const result: Result & { anchor?: AnchorResult } = run.result;
      return { ...run, result, anchored: result.anchor?.suites[0] };
    },
  };
}

const EROSION = { One: 0, Two: 0.13, Three: 0.18 };

describe('a comparison with the last release', () => {
  test('reports a drop that built up over several changes, without failing the run', async () => {
    const { diff } = await eroded('{ since: last-release }', EROSION);
    const { code, out, result, anchored } = await diff();
    expect([code, result.suites[0]?.verdict === 'regressed']).toEqual([0, false]);
    expect(result.anchor).toMatchObject({ since: 'last-release', name: 'v1.4.0' });
    expect(anchored).toMatchObject({
      status: 'fell',
      references: REFERENCES,
      then: { passes: 4 * REFERENCES, tries: 4 * REFERENCES },
    });
    expect(out).toMatch(
      /capitals lost \d+\.\d points since v1\.4\.0 \(100\.0 % → \d+\.\d %\); this pull request alone shows no such drop\./,
    );
  });

  test('fails the run if the settings require it', async () => {
    const { diff } = await eroded('{ since: last-release, fail: true }', EROSION);
    const { code, result } = await diff();
    expect([code, result.conclusion, result.outcome.kind]).toEqual([1, 'failure', 'failed']);
    expect(result.reasons[0]).toEqual({
      code: 'feature',
      text: expect.stringMatching(/^capitals lost .* since v1\.4\.0/),
    });
  });

  test('reports nothing if only the model got worse since the release', async () => {
    const { diff, change, write } = await eroded('{ since: last-release }', {
      One: 0,
      Two: 0,
      Three: 0,
    });
    expect((await diff()).anchored).toMatchObject({ status: 'level' });
    change({ One: 0.3, Two: 0.3, Three: 0.3, Four: 0.3 });
    write('Four:');
    const { out, anchored } = await diff();
    expect(anchored?.status).toBe('not-confirmed');
    expect(out).not.toContain('since v1.4.0');
  });

  test("calls the model for the release's prompt once, and later runs reuse the stored answers", async () => {
    const { diff, callsOf } = await eroded('{ since: last-release }', { One: 0, Two: 0, Three: 0 });
    await diff();
    expect(callsOf('One')).toBe(4 * REFERENCES);
    await diff();
    expect(callsOf('One')).toBe(4 * REFERENCES);
  });
});

test("the plan includes the calls for the release's prompt", async () => {
  const { plan } = await eroded('{ since: last-release }', EROSION);
  expect(await plan()).toMatch(new RegExp(`${12 * REFERENCES} more calls after the verdict`));
});

test('a release that does not exist causes a notice', async () => {
  const { diff } = await eroded('{ since: v9.9.9 }', EROSION);
  const { result, anchored } = await diff();
  expect(anchored).toBeUndefined();
  expect(result.notices.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^gate\.anchor: "v9\.9\.9" is not a branch, tag or commit/),
  );
});
