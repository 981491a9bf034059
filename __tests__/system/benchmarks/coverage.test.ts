import { LAWS } from '../../../benchmarks/coverage/laws.ts';
import {
  measureLaw,
  quantile,
  truthCount,
  wrongCount,
} from '../../../benchmarks/coverage/measure.ts';
import { MOST_WRONG } from '../../../benchmarks/coverage/page.ts';
import { createWorld, passRate } from '../../../benchmarks/coverage/world.ts';

const lawOf = (name: string) => {
  const law = LAWS.find((own) => own.name === name);
  if (law === undefined) throw new TypeError(name);
  return law;
};

describe('the coverage simulation', () => {
  test('plants lines as its law says', () => {
    const world = createWorld(lawOf('three pairs'), 'one');
    const [pair] = world.pairs;
    const [first = 0, second = 0] = pair?.lines ?? [];
    const [reference = 0] = pair?.holds ?? [];
    expect(passRate(world, new Set([first]), reference)).toBe(0.9);
    expect(passRate(world, new Set([first, second]), reference)).toBeLessThan(0.25);
    expect(world.lines.filter(({ truth }) => truth === 'held_together')).toHaveLength(6);
    expect(world.lines.filter(({ truth }) => truth === 'held')).toHaveLength(6);
  });

  test.each([
    ['sure', 195],
    ['plain', 330],
    ['noise 0.8', 450],
    ['narrow', 360],
    ['three pairs', 380],
  ])('is rarely wrong for %s, within the calls', async (name, calls) => {
    const tally = await measureLaw(lawOf(name), 16, 'test');
    expect(100 * wrongCount(tally, 'held')).toBeLessThanOrEqual(MOST_WRONG * tally.lines);
    expect(100 * wrongCount(tally, 'idle')).toBeLessThanOrEqual(MOST_WRONG * tally.lines);
    expect(quantile(tally.calls, 0.5)).toBeLessThanOrEqual(calls);
    const found = tally.said.get('held held') ?? 0;
    expect(found / truthCount(tally, 'held')).toBeGreaterThan(0.85);
  });

  test('calls lines unsettled rather than wrong if there are few calls', async () => {
    const tally = await measureLaw(lawOf('plain'), 8, 'test', 120);
    expect(Math.max(...tally.calls)).toBe(120);
    expect(wrongCount(tally, 'idle')).toBe(0);
    const open = [...tally.said].filter(([key]) => key.endsWith(' unsettled'));
    expect(open.reduce((all, [, n]) => all + n, 0)).toBeGreaterThan(tally.lines / 4);
  });
});
