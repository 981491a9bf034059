import { least, most } from './goals.ts';
import { one, row, suites, type Row } from './rows.ts';
import { fiveAndFive, moved, nothing, turned, type Suite } from './scenarios.ts';

type Rates = readonly [base: number, head: number];

const constant = (references: number, [base, head]: Rates): Suite => ({
  base: Array<number>(references).fill(base),
  head: Array<number>(references).fill(head),
});

/** One suite whose metrics have these rates in every reference. The first is called `score`. */
const metrics =
  (references: number, [first, ...further]: readonly [Rates, ...Rates[]]) =>
  (): Suite[] => [
    {
      ...constant(references, first),
      metrics: Object.fromEntries(
        further.map((rates, i) => [`m${String(i + 2)}`, constant(references, rates)]),
      ),
    },
  ];

const times = (count: number, rates: Rates): Rates[] => Array.from({ length: count }, () => rates);

/** This many questions are asked by several references each, next to other references. */
const duplicates =
  (questions: number, each: number, rate: number, own: { alone?: number; breaks?: true } = {}) =>
  (): Suite[] => {
    const asked = Array.from({ length: questions * each }, (_, i) => Math.floor(i / each));
    const all = [...asked, ...Array.from({ length: own.alone ?? 0 }, (_, i) => questions + i)];
    const breaks = (question: number): boolean => own.breaks === true && question === 0;
    return [
      {
        base: all.map((question) => (breaks(question) ? 1 : rate)),
        head: all.map((question) => (breaks(question) ? 0 : rate)),
        questions: all,
      },
    ];
  };

const critical = (references: number, rate: number, count: number, breaks: boolean) => () => {
  const suite = constant(references, [rate, rate]);
  const [base, head] = breaks ? [1, 0] : [rate, rate];
  return [
    {
      base: [base, ...suite.base.slice(1)],
      head: [head, ...suite.head.slice(1)],
      critical: Array.from({ length: count }, (_, i) => i),
    },
  ];
};

const CALM = most('red', 0.05);

const TEN: [Rates, ...Rates[]] = [[0.99, 0.99], ...times(9, [0.99, 0.99])];

const METRICS: Row[] = [
  row(
    '40 references, one metric 0.8 → 0.97, one 1 → 0.85',
    [least('red', 0.97), least('named', 0.97), most('calls', 5.5)],
    metrics(40, [
      [0.8, 0.97],
      [1, 0.85],
    ]),
    { falls: 'm2', shown: true },
  ),
  row(
    '40 references, one of ten metrics 0.99 → 0.8',
    [least('red', 0.97)],
    metrics(40, [[0.99, 0.8], ...times(9, [0.99, 0.99])]),
    { falls: 'score', shown: true },
  ),
  row(
    '40 references, one of ten metrics 0.99 → 0.8, one 0.8 → 0.97',
    [least('red', 0.97)],
    metrics(40, [[0.99, 0.8], [0.8, 0.97], ...times(8, [0.99, 0.99])]),
    { falls: 'score' },
  ),
  row(
    '40 references, two metrics, nothing changed',
    [CALM],
    metrics(40, [
      [0.9, 0.9],
      [0.95, 0.95],
    ]),
  ),
  row('40 references, ten metrics, nothing changed', [CALM], metrics(40, TEN)),
  row('20 references, ten metrics, nothing changed', [CALM], metrics(20, TEN)),
];

const dear = (part: number): Partial<Row> => ({ part });

const POOL: Row[] = [
  row(
    '40 suites of 10 × 0.95, all 5 points worse',
    [least('red', 0.95), most('calls', 4.5)],
    suites(40, 10, { all: moved(-0.05) }),
    { part: 0.25, shown: true },
  ),
  row(
    '40 suites of 10 × 0.95, all 3 points worse',
    [least('red', 0.7), most('calls', 6)],
    suites(40, 10, { all: moved(-0.03) }),
    dear(0.25),
  ),
  row(
    '40 suites of 10 × 0.95, all 10 points worse',
    [least('red', 0.99), most('calls', 3)],
    suites(40, 10, { all: moved(-0.1) }),
    dear(0.25),
  ),
  row(
    '10 suites of 20 × 0.95, all 5 points worse',
    [least('red', 0.9), most('calls', 6)],
    suites(10, 20, { all: moved(-0.05) }),
    dear(0.25),
  ),
  row(
    '3 suites of 30 × 0.95, all 10 points worse',
    [least('red', 0.97), most('calls', 6)],
    suites(3, 30, { all: moved(-0.1) }),
  ),
  row(
    '40 suites of 10 × 0.95, nothing changed',
    [CALM, least('green', 0.92), most('calls', 3.5)],
    suites(40, 10, {}),
    dear(0.25),
  ),
  row(
    '10 suites of 35 × 0.95, nothing at all changed',
    [CALM, least('green', 0.92), most('calls', 4)],
    suites(10, 35, {}),
    dear(0.25),
  ),
  row(
    '10 suites of 35 × 0.8, nothing changed',
    [CALM, least('green', 0.88), most('calls', 6)],
    suites(10, 35, { law: 'all 0.8' }),
    dear(0.25),
  ),
  row(
    '3 suites of 20 × 0.95, nothing at all changed',
    [CALM, least('green', 0.82), most('calls', 6.6)],
    suites(3, 20, {}),
  ),
  row(
    'one of 40 suites of 10 × 0.95, 40 points worse',
    [least('red', 0.88)],
    suites(40, 10, { first: moved(-0.4) }),
    { part: 0.25, shown: true },
  ),
  row(
    'one reference breaks in one of 40 suites of 10 × 0.95',
    [least('red', 0.99)],
    suites(40, 10, { first: turned(1, 1, 0) }),
    dear(0.25),
  ),
];

const LARGE: Row[] = [
  row(
    '1000 × 0.9, nothing changed',
    [CALM, most('calls', 2.6)],
    () => [constant(1000, [0.9, 0.9])],
    {
      part: 0.25,
      shown: true,
    },
  ),
  row(
    '5000 × 0.95, nothing changed',
    [CALM, most('calls', 2.6)],
    one(5000, 'all 0.95'),
    dear(0.025),
  ),
  row(
    '300 × 0.95, nothing at all changed',
    [CALM, most('calls', 3.3)],
    one(300, 'all 0.95'),
    dear(0.25),
  ),
  row('100 × 1.0, nothing changed', [least('green', 1), most('calls', 2)], one(100, 'all 1.0')),
  row(
    'one of 1000 × 0.95 breaks, 1 → 0',
    [least('red', 0.99)],
    one(1000, 'all 0.95', turned(1, 1, 0)),
    dear(0.25),
  ),
  row(
    'one of 1000 × 0.95 breaks, 0.9 → 0',
    [least('red', 0.8)],
    one(1000, 'all 0.95', turned(1, 0.9, 0)),
    dear(0.25),
  ),
  row(
    'one of 300 × 0.95 breaks, 0.95 → 0',
    [least('red', 0.9)],
    one(300, 'all 0.95', turned(1, 0.95, 0)),
    dear(0.25),
  ),
  row(
    '1000 × 0.95, all 5 points worse',
    [least('red', 0.95)],
    one(1000, 'all 0.95', moved(-0.05)),
    dear(0.25),
  ),
  row(
    '300 × 0.95, all 5 points worse',
    [least('red', 0.95)],
    one(300, 'all 0.95', moved(-0.05)),
    dear(0.25),
  ),
  row(
    '1000 × 0.95, all 2 points worse, tolerance 2',
    [least('red', 0.8)],
    one(1000, 'all 0.95', moved(-0.02), { tolerance: 0.02 }),
    dear(0.25),
  ),
  row(
    '1000 × 0.95, nothing changed, tolerance 2',
    [CALM],
    one(1000, 'all 0.95', nothing, { tolerance: 0.02 }),
    dear(0.25),
  ),
];

const QUESTIONS: Row[] = [
  row(
    '10 questions that 5 references ask each × 0.95, nothing changed',
    [CALM, least('green', 0.65)],
    duplicates(10, 5, 0.95),
    { shown: true },
  ),
  row(
    '10 questions that 5 references ask each × 0.8, nothing changed',
    [CALM, least('green', 0.65)],
    duplicates(10, 5, 0.8),
  ),
  row(
    '40 references and 10 that ask one question × 0.9, nothing changed',
    [CALM],
    duplicates(1, 10, 0.9, { alone: 40 }),
  ),
  row(
    'one of 10 questions that 5 references ask each breaks',
    [least('red', 0.99)],
    duplicates(10, 5, 0.95, { breaks: true }),
  ),
];

const SINGLE: Row[] = [
  row(
    'one critical of 30 × 1.0 breaks, n_tries 1',
    [least('red', 0.99), most('calls', 2.5)],
    critical(30, 1, 1, true),
    { tries: 1, shown: true },
  ),
  row(
    'one of three critical of 30 × 0.95 breaks, n_tries 1',
    [least('red', 0.99), most('calls', 2.5)],
    critical(30, 0.95, 3, true),
    { tries: 1 },
  ),
  row(
    'three critical of 30 × 0.9, n_tries 1, nothing changed',
    [CALM],
    critical(30, 0.9, 3, false),
    {
      tries: 1,
    },
  ),
  row(
    'three of 26 × 0.95 healed, 0 → 1',
    [least('fixed', 0.95)],
    one(26, 'all 0.95', turned(3, 0, 1)),
    {
      heals: 3,
    },
  ),
  row(
    'one of 26 × 0.95 healed, 0 → 1',
    [least('fixed', 0.95)],
    one(26, 'all 0.95', turned(1, 0, 1)),
    {
      heals: 1,
    },
  ),
  row(
    'two of 3 × 0.95 healed, 0 → 1',
    [least('fixed', 0.95)],
    one(3, 'all 0.95', turned(2, 0, 1)),
    {
      heals: 2,
    },
  ),
  row('26 × 0.95, none healed', [most('fixed', 0.05)], one(26, 'all 0.95')),
  row('26 × Beta(½, ½), none healed', [most('fixed', 0.05)], one(26, 'Beta(½, ½)')),
];

const ACCEPTED = { gate: { churn: 'accept' } } as const;

const CHURN: Row[] = [
  row(
    // A drop of two points in the rate, which gates, is sometimes detected.
    'one of 50 × 0.95 breaks, 1 → 0, `churn: accept`',
    [],
    one(50, 'all 0.95', turned(1, 1, 0)),
    ACCEPTED,
  ),
  row(
    'five of 50 × 0.95 break and five heal, `churn: accept`',
    [CALM],
    one(50, 'all 0.95', fiveAndFive),
    ACCEPTED,
  ),
  row(
    '50 × 0.95, all 10 points worse, `churn: accept`',
    [least('red', 0.95)],
    one(50, 'all 0.95', moved(-0.1)),
    ACCEPTED,
  ),
  row(
    'one critical of 30 × 1.0 breaks, `churn: accept`',
    [least('red', 0.99)],
    critical(30, 1, 1, true),
    ACCEPTED,
  ),
];

/** As in imported test suites: each reference has its own assertions. */
const OWN_METRICS: Row[] = [
  row(
    'one of 50 × 0.95 breaks, 1 → 0, each has its own metric',
    [least('red', 0.99), most('calls', 6)],
    one(50, 'all 0.95', turned(1, 1, 0), { ownMetrics: true }),
  ),
  row(
    '50 × 0.95, all 10 points worse, each has its own metric',
    [least('red', 0.95)],
    one(50, 'all 0.95', moved(-0.1), { ownMetrics: true }),
  ),
  row(
    '50 × 0.95, nothing changed, each has its own metric',
    [CALM],
    one(50, 'all 0.95', nothing, { ownMetrics: true }),
  ),
];

/** Rows for metrics, the pool of suites, large runs, questions and single references. */
/** Dialogues of four turns. The metric compares the share of turns that pass. */
const dialogues = (count: number, [base, head]: Rates, goals: Row['goals']): Row =>
  row(
    `${String(count)} dialogues of 4 turns × ${String(base)}, ` +
      (base === head ? 'nothing changed' : `head × ${String(head)}`),
    goals,
    () => [{ ...constant(count, [base, head]), turns: 4 }],
    { part: 0.1 },
  );

const DIALOGUES: Row[] = [
  ...[6, 12, 24].map((count) => dialogues(count, [0.9, 0.9], [CALM])),
  dialogues(24, [0.6, 0.6], [CALM]),
  ...[6, 12, 24].map((count) =>
    dialogues(count, [0.9, 0.8], count < 24 ? [] : [least('red', 0.9)]),
  ),
  dialogues(12, [0.9, 0.7], [least('red', 0.95)]),
];

export const LEDGER: readonly Row[] = [
  ...METRICS,
  ...OWN_METRICS,
  ...POOL,
  ...LARGE,
  ...QUESTIONS,
  ...SINGLE,
  ...CHURN,
  ...DIALOGUES,
];
