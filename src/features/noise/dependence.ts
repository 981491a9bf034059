import type { TryResult } from '../../kernel/result/reference-result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { mean } from '../../kernel/statistics/sums.ts';
import { isJudged } from '../../kernel/statistics/table.ts';
import { answerText } from '../../report/answers/text.ts';
import { pairedMean } from '../../report/sections/intervals.ts';
import type { Notice } from '../../types/plain.ts';

export interface Dependence {
  /**
   * How often two tries of one side agree, minus how often a try of base agrees with a try of head.
   */
  repeats: number;
  /** Positive if references tend to change together from the first try to the second. */
  together: number;
  /** Mean change of the pass rate from the first try to the second. */
  drift: number;
  /** Share of identical answers among the first two tries, for long answers. */
  sameAnswer: number | null;
  tries: ReadonlyMap<string, { base: OutcomePair; head: OutcomePair }>;
}

/** A side's first two tries: 1 if the try passed, else 0. */
type OutcomePair = readonly [number, number];

function pairAgreement(a: number, b: number): number {
  return Number(a === b);
}

function alikeAcross(left: OutcomePair, right: OutcomePair): number {
  return mean(left.flatMap((a) => right.map((b) => pairAgreement(a, b))));
}

/** In characters. Shorter answers, such as labels, often repeat. */
const LONG_ANSWER = 40;

/** Null if no reference has two judged tries on each side. */
export function dependenceOf({ references }: SuiteResult): Dependence | null {
  const rows = references.flatMap(({ id, base, head }) => {
    const [onBase, onHead] = [pairOf(base?.tries), pairOf(head?.tries)];
    return onBase === null || onHead === null
      ? []
      : [{ id, onBase, onHead, answers: [base, head] }];
  });
  if (rows.length === 0) return null;
  const repeats = rows.map(
    ({ onBase, onHead }) =>
      (pairAgreement(...onBase) + pairAgreement(...onHead)) / 2 - alikeAcross(onBase, onHead),
  );
  const same = rows.flatMap(({ answers }) =>
    answers.flatMap((side) => {
      const [first = '', second = ''] = (side?.tries ?? [])
        .slice(0, 2)
        .map((made) => answerText(made) ?? '');
      return first.length < LONG_ANSWER ? [] : [Number(first === second)];
    }),
  );
  return {
    repeats: mean(repeats),
    together:
      crossProducts(rows.map(({ onBase }) => onBase)) +
      crossProducts(rows.map(({ onHead }) => onHead)),
    drift: mean(
      rows.flatMap(({ onBase, onHead }) => [onBase[1] - onBase[0], onHead[1] - onHead[0]]),
    ),
    sameAnswer: same.length === 0 ? null : mean(same),
    tries: new Map(rows.map(({ id, onBase, onHead }) => [id, { base: onBase, head: onHead }])),
  };
}

function pairOf(tries: readonly TryResult[] | undefined): OutcomePair | null {
  const [first, second] = (tries ?? []).slice(0, 2).map(({ outcome }) => outcome);
  if (!isJudged(first) || !isJudged(second)) return null;
  return [Number(first === 'pass'), Number(second === 'pass')];
}

/**
 * Σ d_i·d_j over pairs of references, where d is the change between two tries. The mean is 0 for
 * independent references.
 */
function crossProducts(pairs: readonly OutcomePair[]): number {
  const changes = pairs.map(([first, second]) => first - second);
  const sum = changes.reduce((total, change) => total + change, 0);
  return sum ** 2 - changes.reduce((total, change) => total + change ** 2, 0);
}

/** How much more alike base and head are within a comparison than across comparisons. */
function similarityWithin(seen: readonly Dependence[]): number[] {
  return seen.flatMap((first, i) => {
    const second = i % 2 === 0 ? seen[i + 1] : undefined;
    if (second === undefined) return [];
    const shares = [...first.tries].flatMap(([id, earlier]) => {
      const later = second.tries.get(id);
      if (later === undefined) return [];
      const within = alikeAcross(earlier.base, earlier.head) + alikeAcross(later.base, later.head);
      const across = alikeAcross(earlier.base, later.head) + alikeAcross(later.base, earlier.head);
      return [(within - across) / 2];
    });
    return shares.length === 0 ? [] : [mean(shares)];
  });
}

const REPEATED = 0.9;

interface Measured {
  path: string;
  name: string;
  variant: { parameters: Readonly<Record<string, unknown>> };
}

/** One notice for each kind of dependence whose 98 % interval excludes 0. */
export function dependenceNotices(suite: Measured, seen: readonly Dependence[]): Notice[] {
  const shares = seen.flatMap(({ sameAnswer }) => sameAnswer ?? []);
  const isSame = shares.length > 0 && mean(shares) >= REPEATED;
  const repeats = sign(seen.map((dependence) => dependence.repeats));
  const drift = sign(seen.map((dependence) => dependence.drift));
  const found = [
    repeats > 0 &&
      'tries of the same side agree more often than tries of different sides, so they are not ' +
        'independent and the gate is red more often than gate.alpha; ' +
        (isSame
          ? `their answers are identical: ${answerSource(suite)}`
          : 'their answers differ, so state persists between tries: a session or a cache of ' +
            'the model or of a grader'),
    repeats < 0 &&
      'tries of the same side agree less often than tries of different sides, so they are not ' +
        'independent: something alternates, such as two servers or models behind one name',
    repeats <= 0 &&
      isSame &&
      'nearly all long answers are identical in every try: ' +
        `${answerSource(suite)}. More tries add no information, so a comparison of two prompts compares ` +
        'single answers',
    sign(similarityWithin(seen)) > 0 &&
      'tries within a comparison agree more often than tries across comparisons, so ' +
        'something changes between comparisons: a cache expires, or the vendor changes the ' +
        'model',
    drift !== 0 &&
      `second tries pass ${drift < 0 ? 'less' : 'more'} often than first ones, so the order ` +
        `of tries matters, ` +
        'for example because of a rate limit or a program with state. Base and head alternate, so the ' +
        'gate stays valid',
    sign(seen.map((dependence) => dependence.together)) > 0 &&
      'references pass and fail together in the same try, so they are not independent; give references ' +
        'of the same template the same cluster',
  ];
  return found.flatMap((message) =>
    message === false
      ? []
      : [
          {
            kind: 'repeats',
            place: { file: suite.path, line: 0 },
            message: `${suite.name}: ${message}`,
          },
        ],
  );
}

function sign(values: readonly number[]): -1 | 0 | 1 {
  const { low = null, high = null } = pairedMean(values, 0.98) ?? {};
  if (low !== null && low > 0) return 1;
  return high !== null && high < 0 ? -1 : 0;
}

function answerSource({ variant: { parameters } }: Measured): string {
  if ('seed' in parameters) return "`seed` is set in the model's parameters";
  if (parameters['temperature'] === 0) return '`temperature` is 0';
  return 'a cache in front of the model, or a deterministic vendor';
}
