import type { AskWithout, CoverInput, CoverAnswer } from '../../src/features/coverage/search.ts';
import {
  createRandom,
  nextFloat,
  nextIndex,
  shuffle,
  type Random,
} from '../../src/kernel/statistics/random.ts';
import type { Law } from './laws.ts';

/** Words of an answer, and how many words can replace one that varies. */
const [LENGTH, OTHER_WORDS] = [24, 6];

export type Truth = 'held' | 'held_together' | 'untested' | 'idle';

interface Line {
  truth: Truth;
  rate: number;
  holds: ReadonlySet<number>;
  /** By reference: the words that the line changes. */
  changes: ReadonlyMap<number, readonly number[]>;
  hiddenBy: number | null;
}

interface Pair {
  lines: readonly [number, number];
  holds: ReadonlySet<number>;
  rate: number;
}

/** A simulated prompt, and a noisy model that can be asked without any of its lines. */
export interface World {
  law: Law;
  lines: readonly Line[];
  pairs: readonly Pair[];
  rates: readonly number[];
  likely: CoverInput['likely'];
  stored: CoverAnswer[][];
  answer(without: ReadonlySet<number>, reference: number): CoverAnswer;
}

export function createWorld(law: Law, seed: string): World {
  const random = createRandom(`${law.name} ${seed}`);
  const { lines: n, references: m } = law;
  const between = ([low, high]: readonly [number, number]) =>
    low + (high - low) * nextFloat(random);
  const some = (count: number) =>
    new Set(shuffle([...Array(m).keys()], random).slice(0, Math.max(1, Math.round(count))));
  const upTo = () => 1 + nextIndex(random, Math.min(law.most, m));
  const order = shuffle([...Array(n).keys()], random);
  const share = (of: number) => Math.round(of * n);
  const changesIn = (references: ReadonlySet<number>) =>
    new Map([...references].map((own) => [own, someWords(Math.round(between(law.words)), random)]));
  const lines: Line[] = Array.from({ length: n }, () => idleLine());
  const pairs = Array.from({ length: law.pairs }, (): Pair => {
    const both = [order.pop() ?? 0, order.pop() ?? 0] as const;
    for (const line of both) lines[line] = { ...idleLine(), truth: 'held_together' };
    return { lines: both, holds: some(upTo()), rate: between(law.broken) };
  });
  for (const line of order.splice(0, share(law.held))) {
    const rate = between(law.broken);
    const holds = some(nextFloat(random) < law.wide ? m / 3 : upTo());
    const other = (line + 1 + nextIndex(random, n - 1)) % n;
    const hiddenBy = nextFloat(random) < law.masked ? other : null;
    lines[line] = { truth: 'held', rate, holds, changes: changesIn(holds), hiddenBy };
  }
  for (const line of order.splice(0, share(law.untested)))
    lines[line] = {
      ...idleLine(),
      truth: 'untested',
      changes: changesIn(some(between(law.scope) * m)),
    };
  const rates = Array.from({ length: m }, () =>
    Math.min(1, law.rate + law.spread * (nextFloat(random) + nextFloat(random) - 1)),
  );
  const needs = (line: number, reference: number) =>
    lines[line]?.holds.has(reference) === true ||
    pairs.some((pair) => pair.lines.includes(line) && pair.holds.has(reference));
  const hints = lines.map((_, line) =>
    Array.from({ length: m }, (__, reference) => {
      const noise = nextFloat(random) + nextFloat(random) + nextFloat(random) - 1.5;
      return Math.exp(law.hint * ((needs(line, reference) ? 1.5 : 0) + 1.4 * noise));
    }),
  );
  const world = { law, lines, pairs, rates };
  const answer: World['answer'] = (without, reference) =>
    drawAnswer(world, without, reference, random);
  return {
    ...world,
    likely: hints,
    answer,
    stored: rates.map((_, reference) =>
      Array.from({ length: law.stored }, () => answer(new Set(), reference)),
    ),
  };
}

function idleLine(): Line {
  return { truth: 'idle', rate: 1, holds: new Set(), changes: new Map(), hiddenBy: null };
}

function someWords(count: number, random: Random): number[] {
  return Array.from({ length: count }, () => nextIndex(random, LENGTH));
}

type Planted = Pick<World, 'law' | 'lines' | 'pairs' | 'rates'>;

/** How often the reference passes without these lines. */
export function passRate(
  { law, lines, pairs, rates }: Planted,
  without: ReadonlySet<number>,
  reference: number,
): number {
  const start = (rates[reference] ?? 0) - (law.order * without.size) / law.lines;
  const broken = [
    ...[...without].flatMap((own) => {
      const line = lines[own];
      if (line?.holds.has(reference) !== true) return [];
      return line.hiddenBy !== null && without.has(line.hiddenBy) ? [] : [line.rate];
    }),
    ...pairs
      .filter((pair) => pair.holds.has(reference) && pair.lines.every((own) => without.has(own)))
      .map(({ rate }) => rate),
  ];
  return Math.max(0, Math.min(start, ...broken));
}

function drawAnswer(
  world: Planted,
  without: ReadonlySet<number>,
  reference: number,
  random: Random,
): CoverAnswer {
  const passed = nextFloat(random) < passRate(world, without, reference);
  const words = Array.from({ length: LENGTH }, () => 'usual');
  for (const line of without)
    for (const at of world.lines[line]?.changes.get(reference) ?? []) words[at] = `line${line}`;
  if (!passed) for (const at of someWords(2, random)) words[at] = 'failed';
  for (const at of words.keys())
    if (nextFloat(random) < world.law.varies) words[at] = `other${nextIndex(random, OTHER_WORDS)}`;
  // Every place has its own words, so that texts are compared place by place.
  return { passed, text: words.map((word, at) => `${word}x${at}`).join(' ') };
}

/** Asks the world as evaldiff asks a model. */
export function askWorld(world: World): AskWithout {
  return async (wanted) =>
    Promise.resolve(wanted.map(({ units, reference }) => world.answer(units, reference)));
}
