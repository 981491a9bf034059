import type { ReferenceResult } from '../../src/kernel/result/reference-result.ts';
import { nextFloat, type Random } from '../../src/kernel/statistics/random.ts';
import { fixGate } from '../../src/trials/fix-gate.ts';
import { least, most, type Goal } from './goals.ts';
import type { ReportedRow } from './scores.ts';

/** A drafted fix: the pass rate of each fallen and each stable reference. */
interface Draft {
  /** How many references fell; absent: 5. */
  fallen?: number;
  restores: (fallen: number) => number;
  holds: (held: number) => number;
}

const FALLEN = 5;

/** The share of regressed references that the grader saw when it wrote the draft. */
const SHOWN = 0.5;

const HELD = 45;

/** The significance level that features/causes uses for one draft. */
const LEVEL = 0.05;

async function tryDraft(
  { restores, holds, rate, fallen = FALLEN }: Draft & { rate: number },
  random: Random,
): Promise<{ reported: boolean; calls: number }> {
  let calls = 0;
  const numbers = [...Array(fallen + HELD).keys()];
  const result = (head: number): object => ({
    base: { passes: 3, tries_judged: 3, tries: [] },
    head: { passes: head, tries_judged: 3, tries: [] },
  });
  const found = await fixGate(
    { prompt: 'draft', generation: () => ({ kind: 'impossible', message: '' }), isNew: true },
    {
      references: numbers.map((at) => result(at < fallen ? 0 : 3)) as unknown as ReferenceResult[],
      fell: numbers.slice(Math.ceil(SHOWN * fallen), fallen),
      stable: numbers.slice(fallen),
      varying: [],
      retestRate: rate,
      make: (wanted) => {
        calls += wanted.length;
        const passes = (at: number): number => (at < fallen ? restores(at) : holds(at - fallen));
        return Promise.resolve(
          wanted.map(({ reference }) => nextFloat(random) < passes(reference)),
        );
      },
    },
    LEVEL,
  );
  return { reported: typeof found === 'object', calls: calls / (fallen + HELD) };
}

const always = (rate: number) => (): number => rate;
const first =
  (count: number, to: number, rest: number) =>
  (at: number): number =>
    at < count ? to : rest;

const row = (
  name: string,
  draft: Draft & { rate: number },
  goals: readonly Goal[],
): ReportedRow => ({
  name,
  goals,
  run: (random) => tryDraft(draft, random),
});

const bad = (name: string, draft: Draft & { rate: number }, share = 0.05): ReportedRow =>
  row(name, draft, [most('reported', share)]);

/** How often good and bad drafts are accepted. */
export const FIXES: readonly ReportedRow[] = [1, 0.95].flatMap((rate) => {
  const held = `held × ${String(rate)}: `;
  const keeps = { rate, restores: always(rate), holds: always(rate) };
  return [
    row(`${held}a good draft`, keeps, [least('reported', 0.8), most('calls', 110 / 50)]),
    row(`${held}a good draft, 20 fell`, { ...keeps, fallen: 20 }, [least('reported', 0.8)]),
    bad(`${held}restores only half of each, 20 fell`, {
      ...{ ...keeps, fallen: 20 },
      restores: (at) => (at % 2 === 0 ? rate : 0),
    }),
    bad(`${held}restores to a half, 20 fell`, { ...keeps, fallen: 20, restores: always(0.5) }),
    bad(`${held}breaks 20 of 45`, { ...keeps, holds: first(20, 0, rate) }),
    bad(`${held}breaks 2 of 45`, { ...keeps, holds: first(2, 0, rate) }),
    bad(`${held}breaks 1 of 45`, { ...keeps, holds: first(1, 0, rate) }),
    bad(`${held}halves 2 of 45`, { ...keeps, holds: first(2, 0.5, rate) }, 0.1),
    bad(`${held}all held fall by 10 points`, { ...keeps, holds: always(rate - 0.1) }),
    bad(`${held}restores only what it was written for`, {
      ...keeps,
      restores: first(Math.ceil(SHOWN * FALLEN), rate, 0),
    }),
    bad(`${held}restores nothing`, { ...keeps, restores: always(0) }),
  ];
});
