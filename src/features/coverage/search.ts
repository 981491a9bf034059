import { createRandom, type Random } from '../../kernel/statistics/random.ts';
import { at } from '../../kernel/statistics/sums.ts';
import { drawTries, isSameSet, startLog, type Draw, type TryLog } from '../../trials/trials.ts';
import { changeP, farthestFirst, isSeparate, type ComparedAnswers } from './answer-change.ts';
import { bisect } from './bisect.ts';
import {
  afterTry,
  estimatePassCounts,
  fewestTries,
  tooFewPasses,
  usualRate,
  type Bet,
  type PassCounts,
} from './pass-rate.ts';

export const LINE_KINDS = ['held', 'held_together', 'untested', 'idle', 'unsettled'] as const;

export type LineKind = (typeof LINE_KINDS)[number];

export interface CoverAnswer {
  passed: boolean;
  text: string;
}

export interface CoverInput {
  lines: number;
  /** By reference: the answers with all lines, which exist already. */
  stored: readonly (readonly CoverAnswer[])[];
  /** By reference: answers without all lines, if they exist already. */
  given: readonly (readonly CoverAnswer[])[] | null;
  /** By line and reference: how likely the reference needs the line, above 0, in any unit. */
  likely: readonly (readonly number[])[];
  /** Most tries. */
  most: number;
  seed: string;
}

/**
 * Asks references without these units (lines), in order. Null if an answer could not be judged.
 */
export type AskWithout = (wanted: readonly Draw[]) => Promise<(CoverAnswer | null)[]>;

interface CoverLine {
  kind: LineKind;
  /** The first reference that was found to hold the line. */
  reference: number | null;
  /** The other line of `held_together`. */
  with: number | null;
}

export interface Covered {
  lines: (CoverLine & {
    /** Number of answers without this line, perhaps also without others. */
    answers: number;
  })[];
  /** References that pass often enough to hold a line. */
  usable: number[];
  tries: number;
  /** Why the search ended early. Null if it did not. */
  end: 'tries' | 'errors' | null;
}

/** False-alarm rate of "a reference needs the line", shared by all references. */
const LEVEL = 0.05;

/** At these odds, a reference counts as passing without the line. */
const CLEARED_ODDS = 0.05;

const MOST_PROOF_TRIES = 12;

/** Prior probability that a reference needs none of the lines, or no second line. */
const NONE_NEEDED = { first: 0.6, second: 0.3 };

/** A pair needs this many tries without each line alone. Shares are of the usual pass rate. */
const PAIR = { tries: 6, alone: 0.75, both: 0.25 };

/** P-values of "answers do not change". Above `same`, all lines together change nothing. */
const CHANGE = { same: 0.2, half: 0.1, proven: 0.04, hopeless: 0.3, open: 0.1 };

/** Up to this many lines are asked one by one, others first in halves. */
const SINGLY = 10;

/** References per look at the answers of one line. */
const FOCUS = 4;
const LOOKS = 4;

/** With so many answers with all lines, `LOOKS` answers that moved without a line prove a change. */
const MOVED_INTACT = 3;

const MOST_ROUNDS = 4;

/** If so few tries pass without all lines that are left, none of them counts as idle. */
const DOUBT = 0.05;

const SEARCH_ENDED = new Error('no further try is made');

interface State {
  input: CoverInput;
  log: TryLog;
  end: Covered['end'];
  /** By reference. */
  made: (CoverAnswer & { without: ReadonlySet<number> })[][];
  rates: PassCounts[];
  usable: number[];
  stored: CoverAnswer[][];
  lines: CoverLine[];
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
  const state = startCover(input, askWithout);
  try {
    if (state.usable.length > 0) await settleLines(state);
  } catch (error) {
    if (error !== SEARCH_ENDED) throw error;
  }
  const made = state.made.flat();
  return {
    lines: state.lines.map((own, line) => ({
      ...own,
      answers: made.filter(({ without }) => without.has(line)).length,
    })),
    usable: state.usable,
    tries: state.log.made,
    end: state.end,
  };
}

export function countAnswers(stored: CoverInput['stored']) {
  return stored.map((own) => ({
    passes: own.filter(({ passed }) => passed).length,
    tries: own.length,
  }));
}

function startCover(input: CoverInput, askWithout: AskWithout): State {
  const { lines, stored, given, most, seed } = input;
  const rates = estimatePassCounts(countAnswers(stored));
  const all = new Set(Array(lines).keys());
  const made: State['made'] = stored.map((_, reference) =>
    (given?.[reference] ?? []).map((answer) => ({ ...answer, without: all })),
  );
  const log = startLog(most, async (draws) => {
    const answers = await askWithout(draws);
    for (const [i, { units, reference }] of draws.entries()) {
      const answer = answers[i] ?? null;
      if (answer !== null) made[reference]?.push({ ...answer, without: units });
    }
    return answers.map((answer) => answer?.passed ?? null);
  });
  return {
    ...{ input, log, made, rates, end: null },
    usable: rates.flatMap((rate, own) => (usualRate(rate) >= 0.5 ? [own] : [])),
    stored: stored.map((own) => [...own]),
    lines: Array.from(all, () => ({ kind: 'unsettled', reference: null, with: null })),
    proofs: new Map(),
    random: createRandom(seed),
  };
}

async function tryWithout(
  state: State,
  lines: readonly number[],
  reference: number,
): Promise<boolean> {
  const [passed = false] = await tryTogether(state, lines, [reference]);
  return passed;
}

/**
 * Asks these references together. An answer that cannot be judged is asked again until the search
 * ends.
 */
async function tryTogether(
  state: State,
  lines: readonly number[],
  references: readonly number[],
): Promise<boolean[]> {
  const units = new Set(lines);
  const passed = references.map((): boolean | null => null);
  for (;;) {
    const open = [...references.keys()].filter((own) => passed[own] === null);
    if (open.length === 0) return passed.map((own) => own === true);
    const draws = open.map((own) => ({ units, reference: at(references, own) }));
    const made = await drawTries(state.log, draws);
    if (typeof made === 'string') {
      state.end = made;
      throw SEARCH_ENDED;
    }
    for (const [i, own] of made.entries()) passed[at(open, i)] = own;
  }
}

function openLines({ lines }: State): number[] {
  return [...lines.keys()].filter((line) => lines[line]?.kind === 'unsettled');
}

function answersWithout({ made }: State, lines: readonly number[], reference: number) {
  const wanted = new Set(lines);
  return (made[reference] ?? []).filter(({ without }) => isSameSet(without, wanted));
}

function setKind({ lines }: State, own: readonly number[], kind: LineKind): void {
  for (const line of own) lines[line] = { kind, reference: null, with: null };
}

function hold({ lines }: State, reference: number, line: number, other: number | null): void {
  lines[line] = { kind: other === null ? 'held' : 'held_together', reference, with: other };
}

function rateOf({ rates }: State, reference: number): PassCounts {
  return rates[reference] ?? { passes: 1, fails: 1 };
}

function likelyIn({ input }: State, line: number, reference: number): number {
  return at(input.likely[line] ?? [], reference);
}

async function settleLines(state: State): Promise<void> {
  const { input, usable } = state;
  for (const own of usable) await settleReference(state, own);
  // The given answers show already that references pass without some of the lines.
  const isPart = () => input.given !== null && openLines(state).length < input.lines;
  const doubtful = isPart() ? false : await lookTogether(state, isPart);
  const left = openLines(state);
  if (left.length === 0) return;
  if (isPart()) {
    const all = [...state.lines.keys()];
    await settleChanges(state, left, farthestFirst(comparedAnswers(state, all)));
    return;
  }
  await storeIntact(state, state.usable, 2);
  if (doubtful) return;
  if (changeWithout(state, left) > CHANGE.same && (await isUnmoved(state, left)))
    return setKind(state, left, 'idle');
  const order = farthestFirst(comparedAnswers(state, left));
  if (left.length > SINGLY) await settleHalves(state, left, order);
  else await settleChanges(state, left, order);
}

/** Without several answers with all lines, it is not known how much equal prompts differ. */
async function storeIntact(
  state: State,
  references: readonly number[],
  least: number,
): Promise<void> {
  const missing = references.flatMap((own): number[] =>
    Array(Math.max(0, least - (state.stored[own]?.length ?? 0))).fill(own),
  );
  const before = new Map(missing.map((own) => [own, answersWithout(state, [], own).length]));
  await tryTogether(state, [], missing);
  for (const [own, had] of before)
    state.stored[own]?.push(...answersWithout(state, [], own).slice(had));
}

function changeWithout(state: State, lines: readonly number[]): number {
  return changeP(comparedAnswers(state, lines), state.random);
}

/**
 * Asks references again whose answers all moved, because a change of one reference is lost among
 * many that do not change. False if the new answers moved, too.
 */
async function isUnmoved(state: State, lines: readonly number[]): Promise<boolean> {
  for (;;) {
    const moved = farthestFirst(comparedAnswers(state, lines).filter(isSeparate)).slice(0, FOCUS);
    if (moved.length === 0) return true;
    await storeIntact(state, moved, MOVED_INTACT);
    const open = moved.filter((own) => answersWithout(state, lines, own).length < LOOKS);
    if (open.length === 0) return false;
    await tryTogether(state, lines, open);
  }
}

/** Finds all open lines that the reference holds. */
async function settleReference(state: State, reference: number): Promise<void> {
  for (;;) {
    const list = openLines(state).sort(
      (a, b) => likelyIn(state, b, reference) - likelyIn(state, a, reference),
    );
    const found = await findLine(state, reference, list, null);
    if (found === null) return;
    const { line, proven, before } = found;
    if (proven) hold(state, reference, line, null);
    else if (!(await settlePair(state, reference, line, before))) return;
  }
}

/** `fixed`: a line that is away, too. `before`: the lines that were taken away before the found one. */
async function findLine(
  state: State,
  reference: number,
  list: readonly number[],
  fixed: number | null,
): Promise<{ line: number; proven: boolean; before: number[] } | null> {
  if (list.length === 0) return null;
  const also = fixed === null ? [] : [fixed];
  const found = await bisect({
    weights: list.map((line) => likelyIn(state, line, reference)),
    none: fixed === null ? NONE_NEEDED.first : NONE_NEEDED.second,
    intact: Math.min(0.98, usualRate(rateOf(state, reference))),
    earlier: fixed === null ? earlierTries(state, reference, list) : [],
    tryWithout: (size) => tryWithout(state, [...also, ...list.slice(0, size)], reference),
    prove: (position) => isProven(state, [...also, at(list, position)], reference),
  });
  if (found === null) return null;
  const { position, proven } = found;
  return { line: at(list, position), proven, before: list.slice(0, position) };
}

/** Tries without a line that the reference is known to need say nothing about other lines. */
function earlierTries({ made, lines }: State, reference: number, list: readonly number[]) {
  return (made[reference] ?? [])
    .filter(({ without }) => ![...without].some((line) => lines[line]?.reference === reference))
    .map(({ without, passed }) => {
      const stays = list.findIndex((line) => !without.has(line));
      return { size: stays < 0 ? list.length : stays, passed };
    });
}

/**
 * Whether new tries without only these lines prove that the reference is broken. Stops if the odds
 * fall to `cleared`. If it is called again, it continues with the odds so far.
 */
async function isProven(
  state: State,
  lines: readonly number[],
  reference: number,
  cleared = CLEARED_ODDS,
): Promise<boolean> {
  const key = lines.toSorted((a, b) => a - b).join(' ');
  const tested = state.proofs.get(key) ?? new Map<number, Bet>();
  state.proofs.set(key, tested);
  let bet: Bet = tested.get(reference) ?? { rate: rateOf(state, reference), odds: 1 };
  tested.set(reference, bet);
  // The levels of all references add up.
  const rank = [...tested.keys()].indexOf(reference) + 1;
  const needed = (rank * (rank + 1)) / LEVEL;
  let left = MOST_PROOF_TRIES;
  for (;;) {
    // These tries are needed in any case, so they are made together.
    const sure = Math.min(left, fewestTries(bet, needed, cleared));
    if (sure === 0) return bet.odds >= needed;
    left -= sure;
    const passed = await tryTogether(state, lines, Array<number>(sure).fill(reference));
    bet = passed.reduce(afterTry, bet);
    tested.set(reference, bet);
  }
}

/** The line breaks the reference, but not alone. Finds which line before it is also needed. */
async function settlePair(
  state: State,
  reference: number,
  line: number,
  before: readonly number[],
): Promise<boolean> {
  const other = await findLine(state, reference, before, line);
  if (other?.proven !== true) return false;
  const pair = [line, other.line] as const;
  for (const each of pair) {
    const missing = Math.max(0, PAIR.tries - answersWithout(state, [each], reference).length);
    await tryTogether(state, [each], Array<number>(missing).fill(reference));
  }
  const share = (lines: readonly number[]) => {
    const made = answersWithout(state, lines, reference);
    return made.filter(({ passed }) => passed).length / made.length;
  };
  const enough = PAIR.alone * usualRate(rateOf(state, reference));
  if (pair.every((each) => share([each]) >= enough) && share(pair) <= PAIR.both) {
    hold(state, reference, line, other.line);
    hold(state, reference, other.line, line);
    return true;
  }
  const open = openLines(state).length;
  for (const each of pair)
    if (await isProven(state, [each], reference)) hold(state, reference, each, null);
  return openLines(state).length < open;
}

/**
 * Asks every reference without all lines that are left. True if too many tries fail to call a line
 * idle, although no line is proven.
 */
async function lookTogether(state: State, isPart: () => boolean): Promise<boolean> {
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    const out = openLines(state);
    if (out.length === 0 || isPart()) return false;
    for (const own of state.usable)
      if (
        openLines(state).length === out.length &&
        answersWithout(state, out, own).length < round &&
        !(await tryWithout(state, out, own))
      )
        await settleReference(state, own);
    if (openLines(state).length < out.length) round = 0;
    else {
      const looked = state.usable.map((own) => ({
        rate: rateOf(state, own),
        outcomes: answersWithout(state, out, own).map(({ passed }) => passed),
      }));
      if (tooFewPasses(looked) >= DOUBT) return false;
    }
  }
  return true;
}

function comparedAnswers(state: State, out: readonly number[]): ComparedAnswers[] {
  return state.usable.map((reference) => ({
    reference,
    intact: (state.stored[reference] ?? []).map(({ text }) => text),
    without: answersWithout(state, out, reference).map(({ text }) => text),
  }));
}

/** Which of these lines change answers? Halves first, because few of them are expected to. */
async function settleHalves(
  state: State,
  lines: readonly number[],
  order: readonly number[],
): Promise<void> {
  if (lines.length === 1) return settleChanges(state, lines, order);
  const half = lines.length >> 1;
  for (const part of [lines.slice(0, half), lines.slice(half)]) {
    const isGroup = part.length > 1;
    if (isGroup) await tryTogether(state, part, order.slice(0, FOCUS));
    if (isGroup && changeWithout(state, part) > CHANGE.half && (await isUnmoved(state, part)))
      setKind(state, part, 'idle');
    else await settleHalves(state, part, order);
  }
}

/**
 * Asks without each line alone, starting with the references whose answers moved farthest. An
 * answer that fails is put to the proof.
 */
async function settleChanges(
  state: State,
  lines: readonly number[],
  order: readonly number[],
): Promise<void> {
  for (const line of lines) {
    const holder = await settleChange(state, line, order);
    if (holder !== null) hold(state, holder, line, null);
  }
}

/** Returns the reference that holds the line. */
async function settleChange(
  state: State,
  line: number,
  order: readonly number[],
): Promise<number | null> {
  let p = 1;
  for (let look = 0; look < LOOKS && !(look > 1 && p > CHANGE.hopeless); look += 1) {
    for (let i = 0; i < FOCUS; i += 1) {
      const own = at(order, (look * FOCUS + i) % order.length);
      if (await tryWithout(state, [line], own)) continue;
      if (await isProven(state, [line], own, 0.5)) return own;
    }
    p = changeWithout(state, [line]);
    if (p <= CHANGE.proven) break;
  }
  await settleAnswers(state, line, p);
  return null;
}

/** `p`: of the answers so far without the line. */
async function settleAnswers(state: State, line: number, p: number): Promise<void> {
  const isOther = p > CHANGE.proven && !(await isUnmoved(state, [line]));
  const proof = isOther ? changeWithout(state, [line]) : p;
  if (proof <= CHANGE.proven) setKind(state, [line], 'untested');
  else if (!isOther && p > CHANGE.open) setKind(state, [line], 'idle');
}
