import { prepare } from '../../../../src/app/run/prepare.ts';
import { planIdentity } from '../../../../src/features/shards/manifest.ts';
import {
  mergePart,
  shardPart,
  shardCaps,
  countReferences,
  partOfPlan,
  plannedReferences,
} from '../../../../src/features/shards/part.ts';
import { fingerprintOf } from '../../../../src/kernel/select/affected-suite.ts';
import type { Caps } from '../../../../src/money/cost-cap.ts';
import { portionOfCost } from '../../../../src/money/forecast.ts';
import { minimumCalls } from '../../../../src/money/plan.ts';
import type { Prepared } from '../../../../src/money/prepared.ts';
import type { Project } from '../../../../src/project/settings.ts';
import { applyTrust } from '../../../../src/trust/arrange.ts';
import { sources } from '../../../../src/trust/trust.ts';
import { totalUsage } from '../../../../src/types/usage-totals.ts';
import fc, { draws } from '../../../fuzz.ts';
import { OWN_SETTINGS, PLANNING } from '../../../stand-ins/features.ts';
import * as build from '../../app/run/builders.ts';
import { hash, treeOf } from '../../config/tree.ts';

function planned(project: Project) {
  return prepare(
    {
      mode: 'sweep',
      base: null,
      head: treeOf({}),
      maxCalls: null,
      failOn: null,
      code: 'sandbox',
      today: '2026-01-01',
    },
    applyTrust(null, project, sources('trusted'), OWN_SETTINGS),
    { ...PLANNING, hash },
  );
}

/** A plan of suites. Equal numbers are equal questions, also across suites. */
function plan(
  suites: { questions: number[]; tries?: number[] }[],
  settings: Parameters<typeof build.settings>[0] = {},
) {
  return planned(
    build.project(
      suites.map(({ questions, tries = [] }, index) =>
        build.suite({
          prompt: { file: `prompts/p${index}.yaml`, name: `p${index}` },
          tests: {
            references: questions.map((number, at) =>
              build.reference(`r${at}`, {
                input: { q: `question ${number}` },
                n_tries: tries[at] ?? null,
              }),
            ),
          },
        }),
      ),
      { settings: build.settings(settings) },
    ),
  );
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
const questionsOf = (prepared: Prepared) =>
  prepared.suites.flatMap(({ run }) =>
    run.runs.map(({ affected: { head } }) => fingerprintOf(head!)),
  );
const parts = (prepared: Prepared, count: number) =>
  Array.from({ length: count }, (_, index) =>
    partOfPlan(prepared, { index: index + 1, count }, hash),
  );

const anyPlan = fc.array(
  fc.record({
    questions: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 30 }),
    tries: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 30 }),
  }),
  { minLength: 1, maxLength: 3 },
);

const capsOf = (maxCalls: number | null, maxCost: number | null): Caps => {
  const cap = (limit: number | null, from: string) =>
    limit === null ? null : { limit, from, isDefault: false };
  return { maxCalls: cap(maxCalls, 'max-calls'), maxCost: cap(maxCost, 'max-cost') };
};

describe('parts of a plan for several shards', () => {
  test('together contain every reference exactly once; identical requests are in the same part', async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, fc.integer({ min: 1, max: 12 }), async (suites, count) => {
        const whole = await plan(suites);
        const cut = parts(whole, count);
        expect(cut.flatMap(plannedReferences).sort()).toEqual(plannedReferences(whole).sort());
        expect(cut.flatMap((part) => [...new Set(questionsOf(part))]).sort()).toEqual(
          [...new Set(questionsOf(whole))].sort(),
        );
        expect(cut.reduce((sum, part) => sum + minimumCalls(part.plan), 0)).toBe(
          minimumCalls(whole.plan),
        );
        expect(cut.reduce((sum, part) => sum + countReferences(part), 0)).toBe(
          countReferences(whole),
        );
      }),
      { numRuns: draws(25) },
    );
  });

  test('differ by at most one request, or by at most five calls if the requests have different numbers of tries', async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, fc.integer({ min: 1, max: 12 }), async (suites, count) => {
        const sizes = (whole: Prepared) =>
          parts(whole, count).map((part) => new Set(questionsOf(part)).size);
        const even = sizes(await plan(suites.map(({ questions }) => ({ questions }))));
        expect(Math.max(...even) - Math.min(...even)).toBeLessThanOrEqual(1);
        const mixed = await plan(suites);
        const calls = parts(mixed, count).map((part) => part.plan.prompt_calls);
        expect(Math.max(...calls) - Math.min(...calls)).toBeLessThanOrEqual(5);
      }),
      { numRuns: draws(25) },
    );
  });

  test('do not depend on names or on the order of suites and references', async () => {
    const one = await plan([{ questions: [1, 2, 3] }, { questions: [4, 5, 6, 7] }]);
    const other = await plan([{ questions: [7, 6, 5, 4] }, { questions: [3, 1, 2] }]);
    for (const count of [2, 3, 5])
      expect(parts(one, count).map((part) => questionsOf(part).sort())).toEqual(
        parts(other, count).map((part) => questionsOf(part).sort()),
      );
  });

  test('contain the whole plan for one shard, and may be empty for many shards', async () => {
    const whole = await plan([{ questions: [1, 2] }]);
    expect(plannedReferences(partOfPlan(whole, { index: 1, count: 1 }, hash))).toEqual(
      plannedReferences(whole),
    );
    expect(parts(whole, 4).map(countReferences).sort()).toEqual([0, 0, 1, 1]);
  });
});

describe('identity of a plan', () => {
  const one = { questions: [1, 2], tries: [3] };

  test('is the same for the plan and each of its parts, whatever the gate settings', async () => {
    const whole = await plan([one]);
    for (const part of parts(whole, 3))
      expect(planIdentity(part, hash)).toBe(planIdentity(whole, hash));
    expect(planIdentity(await plan([one], { gate: build.gate({ fail_on: 'never' }) }), hash)).toBe(
      planIdentity(whole, hash),
    );
  });

  test.each([
    ['a different question', () => plan([{ questions: [1, 3], tries: [3] }])],
    ["a reference's number of tries", () => plan([{ questions: [1, 2], tries: [4] }])],
    ['the number of tries', () => plan([one], { n_tries: 5 })],
    ['the sweep', () => plan([one], { sweep: { temperature: [0, 1] } })],
    ['an added suite', () => plan([one, one])],
  ])('changes with %s', async (_what, other) => {
    const identity = planIdentity(await plan([one]), hash);
    expect(planIdentity(await other(), hash)).not.toBe(identity);
  });
});

describe('budget of a sharded run', () => {
  test('is divided by the cost of each part, and the costs of all parts add up to the cost of the plan', async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, fc.integer({ min: 1, max: 8 }), async (suites, count) => {
        const whole: Prepared = {
          ...(await plan(suites)),
          price: (_, { input_tokens, output_tokens }) => input_tokens * 3 + output_tokens,
        };
        const portions = parts(whole, count).map((part) => portionOfCost(whole, part)!);
        const [first] = portions;
        expect(new Set(portions.map((portion) => portion.whole)).size).toBe(1);
        expect(first!.whole).toBeGreaterThan(0);
        expect(sumOf(portions.map(({ part }) => part)) / first!.whole).toBeCloseTo(1, 2);
      }),
      { numRuns: draws(20) },
    );
    const unknown: Prepared = { ...(await plan([{ questions: [1] }])), price: () => null };
    expect(portionOfCost(unknown, unknown)).toBeNull();
  });

  test('is not exceeded by all shards together, and gives each shard enough for its part of the plan', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 3000 }),
        (planned_, slack) => {
          const whole = sumOf(planned_);
          const shares = planned_.map((part) =>
            shardCaps(capsOf(whole + slack, 10), {
              calls: { part, whole },
              cost: { part: part * part, whole: sumOf(planned_.map((size) => size * size)) },
            }),
          );
          expect(
            shares.reduce((sum, { maxCalls }) => sum + maxCalls!.limit, 0),
          ).toBeLessThanOrEqual(whole + slack);
          shares.forEach(({ maxCalls }, index) => {
            expect(maxCalls!.limit).toBeGreaterThanOrEqual(planned_[index]!);
          });
          expect(shares.reduce((sum, { maxCost }) => sum + maxCost!.limit, 0)).toBeLessThanOrEqual(
            10 + 1e-9,
          );
        },
      ),
    );
  });

  test('leaves the merging job the whole cap, of which the shards have used a part', () => {
    const caps = capsOf(9, null);
    const portions = () => ({ calls: { part: 1, whole: 3 }, cost: null });
    const from = "this shard's part of 9; max-calls";
    expect([
      shardPart({ index: 1, count: 3 }, hash).caps(caps, portions),
      mergePart({ calls: 2, cost: 0 }).caps(caps, portions),
    ]).toEqual([
      { maxCalls: { limit: 3, from, isDefault: false }, maxCost: null },
      { ...caps, spent: { calls: 2, cost: 0 } },
    ]);
  });

  test('is divided by cost if prices are known, otherwise by number of requests', () => {
    const caps = capsOf(12, 10);
    const limits = ({ maxCalls, maxCost }: Caps) => [maxCalls?.limit, maxCost?.limit];
    const calls = { part: 1, whole: 4 };
    expect(
      [{ part: 9, whole: 10 }, { part: 0, whole: 0 }, null].map((cost) =>
        limits(shardCaps(caps, { calls, cost })),
      ),
    ).toEqual([
      [3, 9],
      [3, 2.5],
      [3, 2.5],
    ]);
    expect(limits(shardCaps(caps, { calls: { part: 0, whole: 0 }, cost: null }))).toEqual([0, 0]);
  });

  test("has an unknown total if one part's cost is unknown", () => {
    const usage = { calls: 2, reused: 1, input_tokens: 0, output_tokens: 0, cost_usd: 0.5 };
    const sums = { calls: 4, reused: 2, replayed: 0, input_tokens: 0, output_tokens: 0 };
    expect(totalUsage([usage, usage])).toEqual({ ...sums, cost_usd: 1 });
    const unknown = { ...usage, cost_usd: null };
    expect(totalUsage([usage, unknown])).toEqual({ ...sums, cost_usd: null });
  });
});
