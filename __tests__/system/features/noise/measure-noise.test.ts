import type { Edges } from '../../../../src/app/run/record.ts';
import { measureNoise, type NoiseInput } from '../../../../src/features/noise/measure.ts';
import type { Completion, Request } from '../../../../src/types/model.ts';
import { answer } from '../../../unit/app/run/builders.ts';
import { coin, edgesOf, files, inputOf } from './edges.ts';

/** Measures `runs` comparisons of a tree. Returns the requests and the stored answers. */
async function measured(
  tree: Record<string, string>,
  runs: number,
  reply: (request: Request) => Completion,
  { edges: changes, ...more }: Partial<NoiseInput> & { edges?: Partial<Edges> } = {},
) {
  const { edges, seen } = edgesOf(reply, changes);
  return { noise: await measureNoise(inputOf(tree, runs, more), edges), ...seen };
}
const right = coin(() => 1);

describe('a noise measurement', () => {
  test('makes new tries on both sides for each comparison and never reuses one', async () => {
    const { noise, requests, planned } = await measured(
      files(9),
      4,
      coin(() => 0.5),
    );
    const asked = requests.map((request) => `${request.messages[0]?.content ?? ''} ${request.try}`);
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.length).toBeGreaterThanOrEqual(4 * 8 * 2 * 2);
    expect(asked.some((question) => question.startsWith('question 0 '))).toBe(false);
    expect(planned).toBe(4 * 8 * 2 * 2);
    expect(noise).toMatchObject({
      runs: 4,
      unjudged: 0,
      measured_at: '2026-03-04',
      usage: { calls: asked.length },
    });
  });

  test('makes new tries if repeated on another day, but reuses its tries after an interruption', async () => {
    const tries = async (today: string): Promise<number[]> => {
      const { requests } = await measured(
        files(3),
        2,
        coin(() => 1),
        { today },
      );
      return requests.map((request) => request.try).sort((a, b) => a - b);
    };
    const first = await tries('2026-03-04');
    expect(await tries('2026-03-04')).toEqual(first);
    expect((await tries('2026-03-05')).filter((index) => first.includes(index))).toEqual([]);
  });

  test('of randomly failing answers finds few false alarms', async () => {
    const wavering = coin((question) => (/ [1-4]$/.test(question) ? 0.5 : 1));
    const { noise, kept } = await measured(files(13), 20, wavering);
    expect(noise.red).toBeLessThanOrEqual(4);
    expect(noise.low).toBeLessThanOrEqual(0.05);
    expect(noise.high).toBeGreaterThan(noise.red / 20);
    expect(kept).toEqual([expect.objectContaining({ red: noise.red, runs: 20 })]);
  });

  test("ignores the gate's minimum pass rate, because base itself can be below it", async () => {
    const { noise } = await measured(
      files(6),
      3,
      coin(() => 0),
    );
    const gate = { fail_on: 'regression', min_pass_rate: null };
    expect(noise).toMatchObject({ red: 0, runs: 3, gate });
  });

  test('reports too many false alarms if answers are always worse on the second side', async () => {
    // The second side of every comparison is always asked last, and it fails. So each comparison is
    // a false alarm.
    const { noise } = await measured(files(9), 10, (request) =>
      answer(Math.floor(request.try / 100) % 2 === 1 ? 'no' : 'yes'),
    );
    expect(noise).toMatchObject({ red: 10, runs: 10 });
    expect(noise.low).toBeGreaterThan(0.05);
  });
});

describe('a noise measurement with a problem', () => {
  test('is refused before any call if it exceeds the cap on calls', async () => {
    const { noise, requests, kept } = await measured(files(9), 20, right, { maxCalls: 600 });
    expect([requests, kept]).toEqual([[], []]);
    expect(noise).toMatchObject({ runs: 0, low: 0, high: 1 });
    expect(noise.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('This run would make 640 model calls'),
    ]);
  });

  test('is refused for recordings, which always repeat the same answers', async () => {
    const settings = 'models: { gpt-4o: { provider: replay, file: r.jsonl } }\n';
    const { noise } = await measured({ ...files(3, '', settings), 'r.jsonl': '' }, 5, right);
    expect(noise.problems.map(({ message }) => message)).toEqual([
      'There is nothing to measure: no reference that counts for the verdict calls a model. Recordings give the same answer on every try.',
    ]);
  });

  test('is refused if a key is missing or a file cannot be read', async () => {
    const missingKeys = () => [{ place: null, message: 'no key' }];
    const missing = await measured(files(3), 5, right, { edges: { missingKeys } });
    expect(missing.noise.problems).toEqual(missingKeys());
    const broken = await measured({ ...files(3), 'prompts/quiz.yaml': 'name: [' }, 5, right);
    expect(broken.noise.problems[0]?.place?.file).toBe('prompts/quiz.yaml');
  });

  test('counts its completed comparisons if interrupted, but does not overwrite a longer saved measurement', async () => {
    let asked = 0;
    const halted: Edges['halted'] = () =>
      asked > 150 ? { code: 'interrupted', why: 'SIGINT came' } : null;
    const counting = (request: Request) => {
      asked += 1;
      return coin(() => 1)(request);
    };
    const { noise, kept } = await measured(files(9), 20, counting, { edges: { halted } });
    expect(noise).toMatchObject({
      runs: 3,
      notices: [
        expect.objectContaining({
          kind: 'capped',
          message: 'Interrupted: SIGINT came; 3 of 20 comparisons were made',
        }),
      ],
    });
    expect(kept).toEqual([]);
  });

  test('separately counts comparisons in which no answer was judged', async () => {
    const down = (): Completion => ({ status: 'error', kind: 'server', message: 'down' });
    const { noise } = await measured(files(3), 2, down);
    expect(noise).toMatchObject({ runs: 0, unjudged: 2, red: 0 });
  });
});
