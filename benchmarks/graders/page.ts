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
  examples: 'labels are examples, half good and half bad',
  sample: "labels are a random sample of the run's answers",
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
    `\`node benchmarks/graders.ts\` writes this page. It shows how often a nominal ${percent(CONFIDENCE)} interval contains the truth in ${String(runs)} simulated runs per row, and how wide the interval is on average.`,
    'Reports use the correction by Rogan and Gladen. It covers the truth often enough with both kinds of labels, within half a point. Prediction-powered inference (PPI++) does so only if the labels are a random sample of the same answers; then its interval for a pass rate is narrower. The examples of a rubric are not a random sample: about half of them are bad, whatever the share of bad answers. With such labels, the intervals of PPI++ miss the truth. For a difference, the correction is as narrow as PPI++ from 200 answers on, although PPI++ uses twice as many labels: those of both sides.',
    table(
      [`lowest coverage; number of rows with at least ${percent(LEAST_COVERED)}`, ...METHODS],
      summary,
    ),
    ...SOURCES.flatMap((source) =>
      QUANTITIES.flatMap((of) => [
        `## ${capitalized(SOURCE_WORDS[source])}: ${OF_WORDS[of]}`,
        table(columns, rowsOf(source, of)),
      ]),
    ),
  ].join('\n\n')}\n`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
