import { createRandom, type Random } from '../../kernel/statistics/random.ts';
import { drawTries, isSameSet, startLog, type TryLog } from '../../trials/trials.ts';
import { changeP, farthestFirst, type Answers } from './answer-change.ts';
import { bisect } from './bisect.ts';
import {
  afterTry,
  usualRate,
  estimatePassCounts,
  tooFewPasses,
  type Bet,
  type PassCounts,
} from './pass-rate.ts';

/**
 * - `held`: a test fails without the line.
 * - `held_together`: a test fails only without this line and another one.
 * - `untested`: answers change without it, and no test fails.
 * - `idle`: neither answers nor tests change.
 * - `unsettled`: the calls were not enough to say.
 */
export const LINE_KINDS = ['held', 'held_together', 'untested', 'idle', 'unsettled'] as const;

export type LineKind = (typeof LINE_KINDS)[number];

export interface JudgedAnswer {
  passed: boolean;
  text: string;
}

export interface CoverInput {
  lines: number;
  /** By reference: the answers with all lines, which exist already. */
  stored: readonly (readonly JudgedAnswer[])[];
  /** By reference: answers without all lines, if they exist already. */
  given: readonly (readonly JudgedAnswer[])[] | null;
  /** How likely a reference needs a line, above 0, in any unit. */
  likely(line: number, reference: number): number;
  /** Most tries. */
  most: number;
  seed: string;
}

/** Asks references without these lines, in order. Null if an answer could not be judged. */
export type AskWithout = (
  wanted: readonly { lines: ReadonlySet<number>; reference: number }[],
) => Promise<(JudgedAnswer | null)[]>;

interface CoveredLine {
  kind: LineKind;
  /** The references that hold the line. */
  references: number[];
  /** The other line of `held_together`. */
  with: number | null;
  /** Number of answers without this line, perhaps also without others. */
  answers: number;
}

export interface Covered {
  lines: CoveredLine[];
  /** References that pass too seldom to hold a line. */
  unsteady: number[];
  tries: number;
  /** Why the search ended early. Null if it did not. */
  end: 'tries' | 'errors' | 'unsteady' | null;
}

/** False-alarm rate of "this reference needs the line", shared by the references of the line. */
const ALPHA = 0.05;

/** At these odds, a reference counts as passing without the line. */
const CLEARED_ODDS = 0.05;

const MOST_PROOF_TRIES = 12;

/** Prior probability that a reference needs none of the lines, and none of the other lines. */
const NONE = { alone: 0.6, second: 0.3 };

/** A pair needs this many tries without each line alone. Shares are of the usual pass rate. */
const PAIR = { tries: 6, alone: 0.75, both: 0.25 };

/** P-values of "answers do not change". Above `same`, all lines together change nothing. */
const CHANGE = { same: 0.2, half: 0.1, proven: 0.04, hopeless: 0.3, open: 0.1 };

/** Up to this many lines are asked one by one, others first in halves. */
const SINGLY = 10;

/** References per look at the answers of one line, and looks. */
const FOCUS = 4;
const LOOKS = 4;

const MOST_ROUNDS = 4;

/** If so few tries pass without all lines that are left, none of them counts as idle. */
const DOUBT = 0.05;

class Ended extends Error {
  readonly why: 'tries' | 'errors';

  constructor(why: 'tries' | 'errors') {
    super(why);
    this.why = why;
  }
}

interface Made extends JudgedAnswer {
  without: ReadonlySet<number>;
}

interface State {
  input: CoverInput;
  log: TryLog;
  /** By reference. */
  made: Made[][];
  rates: PassCounts[];
  usable: number[];
  stored: JudgedAnswer[][];
  kinds: LineKind[];
  holders: Set<number>[];
  partners: (number | null)[];
  /** By the lines that are away: the references that were put to the proof, in order. */
  proofs: Map<string, Map<number, Bet>>;
  random: Random;
}

/**
 * Finds the lines that references hold. All lines are taken away at once, and only if a reference
 * then fails, lines are searched one by one. Only new tries prove a line. Every line that is called
 * idle was taken away together with all others that are left.
 */
export async function coverLines(input: CoverInput, askWithout: AskWithout): Promise<Covered> {
  const state = start(input, askWithout);
  const { kinds, holders, partners, made, usable, log } = state;
  let end: Covered['end'] = usable.length === 0 && input.lines > 0 ? 'unsteady' : null;
  try {
    if (end === null) await settle(state);
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    end = error.why;
  }
  const all = made.flat();
  return {
    lines: kinds.map((kind, line) => ({
      kind,
      references: [...(holders[line] ?? [])].sort((a, b) => a - b),
      with: partners[line] ?? null,
      answers: all.filter(({ without }) => without.has(line)).length,
    })),
    unsteady: [...made.keys()].filter((reference) => !usable.includes(reference)),
    tries: log.made,
    end,
  };
}

function start(input: CoverInput, askWithout: AskWithout): State {
  const { lines, stored, given, most, seed } = input;
  const rates = estimatePassCounts(
    stored.map((own) => ({
      passes: own.filter(({ passed }) => passed).length,
      tries: own.length,
    })),
  );
  const all = new Set(Array.from({ length: lines }, (_, line) => line));
  const made = stored.map((_, reference) =>
    (given?.[reference] ?? []).map((answer): Made => ({ ...answer, without: all })),
  );
  return {
    input,
    made,
    rates,
    usable: [...stored.keys()].filter(
      (reference) =>
        (stored[reference] ?? []).length > 0 && usualRate(rateOf({ rates }, reference)) >= 0.5,
    ),
    stored: stored.map((own) => [...own]),
    kinds: Array.from(all, () => 'unsettled'),
    holders: Array.from(all, () => new Set()),
    partners: Array.from(all, () => null),
    proofs: new Map(),
    random: createRandom(seed),
    log: startLog(most, async (draws) => {
      const wanted = draws.map(({ units, reference }) => ({ lines: units, reference }));
      const answers = await askWithout(wanted);
      return answers.map((answer, i) => {
        const { units = all, reference = 0 } = draws[i] ?? {};
        if (answer !== null) made[reference]?.push({ ...answer, without: units });
        return answer?.passed ?? null;
      });
    }),
  };
}

function rateOf({ rates }: Pick<State, 'rates'>, reference: number): PassCounts {
  return rates[reference] ?? { passes: 1, fails: 1 };
}

/** An answer that cannot be judged is asked again until the search ends. */
async function ask({ log }: State, lines: readonly number[], reference: number): Promise<boolean> {
  for (;;) {
    const made = await drawTries(log, [{ units: new Set(lines), reference }]);
    if (typeof made === 'string') throw new Ended(made);
    const [passed = null] = made;
    if (passed !== null) return passed;
  }
}

function openLines({ kinds }: State): number[] {
  return [...kinds.keys()].filter((line) => kinds[line] === 'unsettled');
}

function triesWithout({ made }: State, lines: readonly number[], reference: number): Made[] {
  const wanted = new Set(lines);
  return (made[reference] ?? []).filter(({ without }) => isSameSet(without, wanted));
}

function shareOf(made: readonly JudgedAnswer[]): number {
  return made.filter(({ passed }) => passed).length / made.length;
}

async function settle(state: State): Promise<void> {
  const { input, usable, kinds } = state;
  const most = (reference: number) =>
    Math.max(...openLines(state).map((line) => input.likely(line, reference)));
  const order = usable
    .map((reference) => ({ reference, most: most(reference) }))
    .sort((a, b) => b.most - a.most);
  for (const { reference } of order) await settleReference(state, reference);
  const isPart = () => input.given !== null && openLines(state).length < input.lines;
  const doubtful = isPart() ? false : await lookTogether(state, isPart);
  const left = openLines(state);
  if (left.length === 0) return;
  if (isPart()) {
    // The given answers show already that references pass without these lines.
    const refs = farthestFirst(answersOf(state, [...kinds.keys()]));
    for (const line of left) await settleChange(state, line, refs);
    return;
  }
  for (const reference of usable) await storeTwo(state, reference);
  const answers = answersOf(state, left);
  const p = changeP(answers, state.random);
  if (doubtful) return;
  const refs = farthestFirst(answers);
  if (p > CHANGE.same) setKind(state, left, 'idle');
  else if (left.length > SINGLY) await halve(state, left, refs);
  else for (const line of left) await settleChange(state, line, refs);
}

/** Without two answers with all lines, it is not known how much equal prompts differ. */
async function storeTwo(state: State, reference: number): Promise<void> {
  const own = state.stored[reference] ?? [];
  while (own.length < 2) {
    await ask(state, [], reference);
    own.push(...(state.made[reference] ?? []).slice(-1));
  }
}

function setKind({ kinds }: State, lines: readonly number[], kind: LineKind): void {
  for (const line of lines) kinds[line] = kind;
}

function hold(
  { kinds, holders, partners }: State,
  lines: readonly number[],
  reference: number,
): void {
  for (const line of lines) {
    kinds[line] = lines.length > 1 ? 'held_together' : 'held';
    partners[line] = lines.find((other) => other !== line) ?? null;
    holders[line]?.add(reference);
  }
}

/** Finds all open lines that the reference holds. */
async function settleReference(state: State, reference: number): Promise<void> {
  const { input } = state;
  for (;;) {
    const list = openLines(state).sort(
      (a, b) => input.likely(b, reference) - input.likely(a, reference),
    );
    if (list.length === 0) return;
    const found = await search(state, reference, { list, fixed: [], none: NONE.alone });
    if (found === null) return;
    const { line, proven, before } = found;
    if (proven) hold(state, [line], reference);
    else if (!(await settlePair(state, reference, line, before))) return;
  }
}

interface Found {
  line: number;
  proven: boolean;
  /** The lines that were taken away before it. */
  before: number[];
}

async function search(
  state: State,
  reference: number,
  { list, fixed, none }: { list: readonly number[]; fixed: readonly number[]; none: number },
): Promise<Found | null> {
  const lineAt = (position: number) => list[position] ?? 0;
  const found = await bisect({
    weights: list.map((line) => state.input.likely(line, reference)),
    none,
    intact: Math.min(0.98, usualRate(rateOf(state, reference))),
    earlier: fixed.length > 0 ? [] : earlierTries(state, reference, list),
    tryWithout: (size) => ask(state, [...fixed, ...list.slice(0, size)], reference),
    prove: async (position) =>
      (await prove(state, [...fixed, lineAt(position)], reference)) === true,
  });
  if (found === null) return null;
  const { position, proven } = found;
  return { line: lineAt(position), proven, before: list.slice(0, position) };
}

/** Tries without a line that the reference is known to need say nothing about other lines. */
function earlierTries(
  { made, holders }: State,
  reference: number,
  list: readonly number[],
): { size: number; passed: boolean }[] {
  const known = [...holders.keys()].filter((line) => holders[line]?.has(reference));
  return (made[reference] ?? [])
    .filter(({ without }) => !known.some((line) => without.has(line)))
    .map(({ without, passed }) => {
      const stays = list.findIndex((line) => !without.has(line));
      return { size: stays < 0 ? list.length : stays, passed };
    });
}

/**
 * New tries without only these lines. True: the reference is broken. False: it passes. Null: not
 * clear. If it is called again, it continues with the odds so far.
 */
async function prove(
  state: State,
  lines: readonly number[],
  reference: number,
  cleared = CLEARED_ODDS,
): Promise<boolean | null> {
  const key = [...lines].sort((a, b) => a - b).join(' ');
  const tested = state.proofs.get(key) ?? new Map<number, Bet>();
  state.proofs.set(key, tested);
  let bet = tested.get(reference) ?? { rate: rateOf(state, reference), odds: 1 };
  tested.set(reference, bet);
  // The levels of all references add up to alpha.
  const rank = [...tested.keys()].indexOf(reference) + 1;
  const needed = (rank * (rank + 1)) / ALPHA;
  for (let made = 0; made < MOST_PROOF_TRIES; made += 1) {
    if (bet.odds >= needed) return true;
    if (bet.odds <= cleared) return false;
    bet = afterTry(bet, await ask(state, lines, reference));
    tested.set(reference, bet);
  }
  return bet.odds >= needed ? true : null;
}

/** The line breaks the reference, but not alone. Finds which line before it is also needed. */
async function settlePair(
  state: State,
  reference: number,
  line: number,
  before: readonly number[],
): Promise<boolean> {
  if (before.length === 0) return false;
  const of = { list: before, fixed: [line], none: NONE.second };
  const other = await search(state, reference, of);
  if (other?.proven !== true) return false;
  const pair = [line, other.line];
  for (const each of pair)
    while (triesWithout(state, [each], reference).length < PAIR.tries)
      await ask(state, [each], reference);
  const share = (lines: number[]) => shareOf(triesWithout(state, lines, reference));
  const enough = PAIR.alone * usualRate(rateOf(state, reference));
  if (pair.every((each) => share([each]) >= enough) && share(pair) <= PAIR.both) {
    hold(state, pair, reference);
    return true;
  }
  let isHeld = false;
  for (const each of pair)
    if ((await prove(state, [each], reference)) === true) {
      hold(state, [each], reference);
      isHeld = true;
    }
  return isHeld;
}

/**
 * Asks every reference without all lines that are left. True if too many tries fail to call a line
 * idle, although no line is proven.
 */
async function lookTogether(state: State, isPart: () => boolean): Promise<boolean> {
  const { usable } = state;
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    const out = openLines(state);
    if (out.length === 0 || isPart()) return false;
    if (await lookOnce(state, out, round)) {
      round = 0;
      continue;
    }
    const looked = usable.map((reference) => ({
      rate: rateOf(state, reference),
      outcomes: triesWithout(state, out, reference).map(({ passed }) => passed),
    }));
    if (tooFewPasses(looked) >= DOUBT) return false;
  }
  return true;
}

/** True if a reference was found to hold a line. */
async function lookOnce(state: State, out: readonly number[], tries: number): Promise<boolean> {
  for (const reference of state.usable) {
    if (triesWithout(state, out, reference).length >= tries) continue;
    if (!(await ask(state, out, reference))) await settleReference(state, reference);
    if (openLines(state).length < out.length) return true;
  }
  return false;
}

function answersOf(state: State, out: readonly number[]): Answers[] {
  return state.usable.map((reference) => ({
    reference,
    intact: (state.stored[reference] ?? []).map(({ text }) => text),
    without: triesWithout(state, out, reference).map(({ text }) => text),
  }));
}

/** Which of these lines change answers? Halves first, because few of them are expected to. */
async function halve(
  state: State,
  lines: readonly number[],
  references: readonly number[],
): Promise<void> {
  const [only, ...others] = lines;
  if (only === undefined) return;
  if (others.length === 0) {
    await settleChange(state, only, references);
    return;
  }
  const half = lines.length >> 1;
  for (const part of [lines.slice(0, half), lines.slice(half)]) {
    if (part.length > 1) {
      for (const reference of references.slice(0, FOCUS)) await ask(state, part, reference);
      if (changeP(answersOf(state, part), state.random) > CHANGE.half) {
        setKind(state, part, 'idle');
        continue;
      }
    }
    await halve(state, part, references);
  }
}

/**
 * Asks without one line, starting with the references whose answers moved farthest. An answer that
 * fails is put to the proof.
 */
async function settleChange(
  state: State,
  line: number,
  references: readonly number[],
): Promise<void> {
  let p = 1;
  for (let look = 0; look < LOOKS; look += 1) {
    for (let i = 0; i < FOCUS; i += 1) {
      const reference = references[(look * FOCUS + i) % references.length];
      if (reference === undefined) return;
      if (await ask(state, [line], reference)) continue;
      if ((await prove(state, [line], reference, 0.5)) !== true) continue;
      hold(state, [line], reference);
      return;
    }
    p = changeP(answersOf(state, [line]), state.random);
    if (p <= CHANGE.proven) {
      setKind(state, [line], 'untested');
      return;
    }
    if (look > 0 && p > CHANGE.hopeless) break;
  }
  if (p > CHANGE.open) setKind(state, [line], 'idle');
}
