import { coverLines, type CoverInput, type LineKind } from '../../src/features/coverage/search.ts';
import { createRandom, nextIndex } from '../../src/kernel/statistics/random.ts';
import type { Law } from './laws.ts';
import { askWorld, createWorld, type Truth } from './world.ts';

export interface Tally {
  law: Law;
  calls: number[];
  lines: number;
  said: Map<string, number>;
}

export function countOf({ said }: Tally, truth: Truth, kind: LineKind): number {
  return said.get(`${truth} ${kind}`) ?? 0;
}

const TRUTHS: readonly Truth[] = ['held', 'held_together', 'untested', 'idle'];

export function truthCount({ said }: Tally, truth: Truth): number {
  return [...said].reduce((all, [key, n]) => all + (key.startsWith(`${truth} `) ? n : 0), 0);
}

/** Lines that were called something that they are not. */
export function wrongCount(tally: Tally, kind: 'held' | 'idle' | 'untested'): number {
  const of = (truths: readonly Truth[], own: LineKind) =>
    truths.reduce((all, truth) => all + countOf(tally, truth, own), 0);
  const but = (...right: Truth[]) => TRUTHS.filter((truth) => !right.includes(truth));
  if (kind === 'held') return of(but('held'), 'held') + of(but('held_together'), 'held_together');
  return kind === 'idle' ? of(['held', 'held_together'], 'idle') : of(but('untested'), 'untested');
}

/** Covers whole prompts. */
export async function measureLaw(law: Law, runs: number, seed: string, most = Infinity) {
  const tally: Tally = { law, calls: [], lines: 0, said: new Map() };
  for (let run = 0; run < runs; run += 1) {
    const world = createWorld(law, `${seed} ${run}`);
    const { stored, likely, lines } = world;
    const input: CoverInput = {
      ...{ lines: lines.length, stored, given: null, likely, most },
      seed: `${seed} ${run}`,
    };
    const found = await coverLines(input, askWorld(world));
    for (const [line, { kind }] of found.lines.entries())
      count(tally, lines[line]?.truth ?? 'idle', kind);
    tally.calls.push(found.tries);
  }
  return tally;
}

/**
 * Covers two new lines of a pull request. `isBase`: base is head without them, so that its answers
 * exist already.
 */
export async function measureTwo(
  law: Law,
  { isBase, most }: { isBase: boolean; most: number },
  runs: number,
  seed: string,
): Promise<Tally> {
  const tally: Tally = { law, calls: [], lines: 0, said: new Map() };
  for (let run = 0; run < runs; run += 1) {
    const world = createWorld(law, `${seed} ${run}`);
    const random = createRandom(`two ${seed} ${run}`);
    const first = nextIndex(random, law.lines);
    const two = [first, (first + 1 + nextIndex(random, law.lines - 1)) % law.lines];
    const lineOf = (own: number) => two[own] ?? 0;
    const ask = askWorld(world);
    const input: CoverInput = {
      lines: 2,
      stored: world.stored,
      given: isBase
        ? world.stored.map((own, reference) => own.map(() => world.answer(new Set(two), reference)))
        : null,
      likely: two.map((line) => world.likely[line] ?? []),
      most,
      seed: `${seed} ${run}`,
    };
    const found = await coverLines(input, (wanted) =>
      ask(wanted.map((own) => ({ ...own, units: new Set([...own.units].map(lineOf)) }))),
    );
    for (const [own, { kind }] of found.lines.entries()) {
      const line = lineOf(own);
      const isWhole = world.pairs.some(({ lines }) => lines.every((each) => two.includes(each)));
      const truth = world.lines[line]?.truth ?? 'idle';
      // Nothing holds a line of a pair whose other line stays.
      count(tally, truth === 'held_together' && !isWhole ? 'idle' : truth, kind);
    }
    tally.calls.push(found.tries);
  }
  return tally;
}

function count(tally: Tally, truth: Truth, kind: LineKind): void {
  const key = `${truth} ${kind}`;
  tally.lines += 1;
  tally.said.set(key, (tally.said.get(key) ?? 0) + 1);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
