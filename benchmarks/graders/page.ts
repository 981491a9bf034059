import { createRandom } from '../../src/kernel/statistics/random.ts';
import { table } from '../measure/markdown.ts';
import {
  CONFIDENCE,
  measureGrader,
  type LabelSource,
  type Law,
  type Method,
  type Seen,
  type Share,
} from './simulate.ts';

const GRADERS = [
  { good: 0.9, bad: 0.85 },
  { good: 0.95, bad: 0.7 },
  { good: 0.98, bad: 0.95 },
] as const;

const SIZES = [
  { answers: 50, labels: 20 },
  { answers: 200, labels: 40 },
  { answers: 1000, labels: 100 },
] as const;

const RATES = [
  { base: 0.85, head: 0.75 },
  { base: 0.95, head: 0.95 },
] as const;

export const LAWS: readonly Law[] = GRADERS.flatMap((grader) =>
  SIZES.flatMap((size) => RATES.map((rates): Law => ({ ...grader, ...size, ...rates }))),
);

export const SOURCES: readonly LabelSource[] = ['examples', 'sample'];

export const METHODS: readonly Method[] = ['Rogan-Gladen', 'PPI++'];

const QUANTITIES = ['rate', 'change'] as const;

const SOURCE_WORDS: Readonly<Record<LabelSource, string>> = {
  examples: 'examples, half good and half bad',
  sample: "a random sample of the run's own answers",
};

const OF_WORDS: Readonly<Record<keyof Seen, string>> = {
  rate: "head's pass rate",
  change: 'the difference between base and head',
};

/** Coverage below this is too low for a nominal 95 % interval. */
const LEAST_COVERED = 0.94;

interface Measured {
  source: LabelSource;
  law: Law;
  method: Method;
  shares: Record<keyof Seen, Share>;
}

export function pageOf(runs: number): string {
  const all = SOURCES.flatMap((source) =>
    LAWS.flatMap((law) =>
      METHODS.map((method): Measured => {
        const random = createRandom(`graders ${source} ${method} ${JSON.stringify(law)}`);
        return {
          source,
          law,
          method,
          shares: measureGrader(law, source, method, { runs, random }),
        };
      }),
    ),
  );
  const found = (own: Partial<Measured>): Measured[] =>
    all.filter((each) =>
      Object.entries(own).every(([key, value]) => each[key as keyof Measured] === value),
    );
  const summary = SOURCES.flatMap((source) =>
    QUANTITIES.map((of) => [
      `${SOURCE_WORDS[source]}: ${OF_WORDS[of]}`,
      ...METHODS.map((method) => {
        const covered = found({ source, method }).map(({ shares }) => shares[of].covered);
        const enough = covered.filter((share) => share >= LEAST_COVERED).length;
        return `${percent(Math.min(...covered))}; ${String(enough)} of ${String(covered.length)}`;
      }),
    ]),
  );
  const rowsOf = (source: LabelSource, of: keyof Seen): string[][] =>
    LAWS.map((law) => [
      `${percent(law.good)} of good, ${percent(law.bad)} of bad`,
      `${percent(law.base)} → ${percent(law.head)}`,
      `${String(law.answers)}, ${String(law.labels)}`,
      ...found({ source, law }).map(
        ({ shares }) =>
          `${percent(shares[of].covered)}, ${(100 * shares[of].width).toFixed(0)} points wide`,
      ),
    ]);
  const columns = ['grader recognises', 'true rates', 'answers, labels', ...METHODS];
  return `${[
    '# Pass rates corrected for a grader',
    `How often a nominal ${percent(CONFIDENCE)} interval contains the truth, in ${String(runs)} simulated runs a row, and how wide it is on average. This page is written by \`node benchmarks/graders.ts\`.`,
    'Reports use the correction by Rogan and Gladen. It holds for both kinds of labels, within half a point. Prediction-powered inference (PPI++) holds only for a random sample of the same answers, where it is narrower for a pass rate. Examples of a rubric are chosen: about half of them are bad, whatever the share among the answers, and there its intervals miss the truth. For a difference, the correction is as narrow from 200 answers on, although PPI++ has twice as many labels: those of both sides.',
    table([`least coverage; rows with at least ${percent(LEAST_COVERED)}`, ...METHODS], summary),
    ...SOURCES.flatMap((source) =>
      QUANTITIES.flatMap((of) => [
        `## ${SOURCE_WORDS[source]}: ${OF_WORDS[of]}`,
        table(columns, rowsOf(source, of)),
      ]),
    ),
  ].join('\n\n')}\n`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
