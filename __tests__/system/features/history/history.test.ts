import type { Project } from '../../../../src/project/settings.ts';
import { ownAnswer, partsOf } from '../../../../src/types/answer.ts';
import type { KeptRecords, Request } from '../../../../src/types/model.ts';
import { metric, project, reference, settings } from '../../../unit/app/run/builders.ts';
import { reworded, NEW, OLD, runPipeline, shop } from '../../app/run/pipeline.ts';

const four = { settings: settings({ n_tries: 4 }) };

function memory(): { kept: KeptRecords; rows: Map<string, { passes: number; tries: number }> } {
  const rows = new Map<string, { passes: number; tries: number }>();
  return {
    rows,
    kept: {
      outcomes: (keys) =>
        new Map(
          keys.flatMap((key) => {
            const row = rows.get(key);
            return row === undefined ? [] : [[key, row] as const];
          }),
        ),
      addOutcomes: (added) => {
        for (const { key, passes, tries } of added) {
          const row = rows.get(key) ?? { passes: 0, tries: 0 };
          rows.set(key, { passes: row.passes + passes, tries: row.tries + tries });
        }
      },
      note: () => null,
    },
  };
}

const sums = (rows: ReadonlyMap<string, { passes: number; tries: number }>) =>
  [...rows.values()].map(({ passes, tries }) => `${passes} of ${tries}`).sort();
/** Even-numbered tries of r00 fail; everything else passes. */
const wavering = ({ try: index }: Request, question: string): string =>
  question.endsWith('r00') && index % 2 === 0 ? 'no' : 'yes';
/** The same answers from a store. */
const reused: Parameters<typeof runPipeline>[3] = {
  edges: {
    complete: async (request) => ({
      status: 'ok',
      ...ownAnswer(partsOf(wavering(request, request.messages[0]!.content))),
      latency_ms: 1,
      reused: true,
    }),
  },
};
const compare = async (
  kept: KeptRecords,
  head: Project = project([shop(NEW, 2)], four),
  edges: Parameters<typeof runPipeline>[3] = {},
) =>
  (
    await runPipeline(project([shop(OLD, 2)], four), head, wavering, {
      ...edges,
      edges: { kept: async () => [kept], ...edges.edges },
    })
  ).result;

describe('the history of tries', () => {
  test("counts each side separately, and shows flaky references' pass rate on base with an interval", async () => {
    const { kept, rows } = memory();
    const result = await compare(kept);
    expect(sums(rows)).toEqual(['2 of 4', '2 of 4', '4 of 4', '4 of 4']);
    const [flaky, steady] = result.suites[0]!.references;
    expect(flaky).toMatchObject({ status: 'flaky', history: { passes: 2, tries: 4 } });
    expect(flaky!.history!.low).toBeCloseTo(0.15, 2);
    expect(flaky!.history!.high).toBeCloseTo(0.85, 2);
    expect(steady).not.toHaveProperty('history');
  });

  test('grows only with new answers: a stored answer was already counted', async () => {
    const { kept, rows } = memory();
    await compare(kept);
    await compare(kept, undefined, reused);
    expect(sums(rows)).toEqual(['2 of 4', '2 of 4', '4 of 4', '4 of 4']);
    expect((await compare(kept)).suites[0]!.references[0]!.history).toMatchObject({
      passes: 4,
      tries: 8,
    });
  });

  test('is not changed by a read-only store', async () => {
    const { kept, rows } = memory();
    await compare(kept);
    const before = sums(rows);
    const { suites } = await compare({ outcomes: kept.outcomes, note: kept.note });
    expect(sums(rows)).toEqual(before);
    expect(suites[0]!.references[0]).toMatchObject({ history: { passes: 2, tries: 4 } });
  });

  test('restarts from the stored answers if a metric or expected value changes', async () => {
    const { kept, rows } = memory();
    await compare(kept);
    const strict = shop(NEW, 2, {
      tests: {
        metrics: [metric('has', { threshold: 1 })],
        references: [reference('r00'), reference('r01', { expected: 'no' })],
      },
    });
    await compare(kept, project([strict], four), reused);
    expect(rows.size).toBe(8);
    expect(sums(rows).filter((sum) => sum === '0 of 4')).toHaveLength(2);
  });

  test('counts an answer once if several references share it', async () => {
    const { kept, rows } = memory();
    const twins = (content: string) =>
      shop(content, 0, {
        tests: {
          references: [
            reference('a', { input: { q: 'r00' } }),
            reference('b', { input: { q: 'r00' } }),
          ],
        },
      });
    await runPipeline(project([twins(OLD)], four), project([twins(NEW)], four), wavering, {
      edges: { kept: async () => [kept] },
    });
    expect(sums(rows)).toEqual(['2 of 4', '2 of 4']);
  });

  test('is not read by a run that makes no model calls', async () => {
    let asked = 0;
    await runPipeline(project([shop(OLD, 2)], four), project([shop(OLD, 2)], four), wavering, {
      edges: {
        kept: async () => {
          asked += 1;
          return [memory().kept];
        },
      },
    });
    expect(asked).toBe(0);
  });
});

describe('a reference that passed nearly all earlier tries', () => {
  /**
   * Number of tries per side of r05, whose first try on head fails, given `passes` of 20 earlier
   * tries.
   */
  async function triesAfter(passes: number) {
    const adaptive = { settings: settings({ n_tries: 'adaptive' as const }) };
    const earlier: KeptRecords = {
      outcomes: (keys) => new Map(keys.map((key) => [key, { passes, tries: 20 }])),
      note: () => null,
    };
    const { result } = await reworded(
      40,
      ({ try: index }, question) => (question === 'New r05' && index === 0 ? 'no' : 'yes'),
      { ...adaptive, edges: { kept: async () => [earlier] } },
    );
    return ['r05', 'r06'].map(
      (id) =>
        result.suites[0]!.references.find((reference) => reference.id === id)!.head!.tries.length,
    );
  }

  test('gets more tries after its first failure on head', async () => {
    const [failed, passed] = await triesAfter(19);
    expect(failed).toBeGreaterThan(passed!);
  });

  test('gets no extra tries if its earlier results varied', async () => {
    const [failed, passed] = await triesAfter(18);
    expect(failed).toBe(passed);
  });
});
