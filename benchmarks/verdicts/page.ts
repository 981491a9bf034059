/** What came of one row. */
export interface Measured {
  name: string;
  goal: string;
  /** Also in the short table of docs/verdicts.md. */
  shown: boolean;
  runs: number;
  red: number;
  green: number;
  grey: number;
  calls: number;
  /** Share of runs that ruled out a drop as large as the true one. */
  wrong: number;
}

/** How often a score that moved is said to have got worse. */
export interface Reported {
  name: string;
  goal: string;
  share: number;
  runs: number;
}

const START = '<!-- verdicts -->';
const END = '<!-- /verdicts -->';

function percent(share: number): string {
  if (share > 0 && share < 0.0005) return '< 0.1';
  return (100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0);
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function tableOf(rows: readonly Measured[]): string[] {
  return [
    line(['pull request', 'goal', 'red %', 'green %', 'grey %', 'calls per reference', 'runs']),
    line(['---', '---', '---:', '---:', '---:', '---:', '---:']),
    ...rows.map(({ name, goal, red, green, grey, calls, runs }) =>
      line([name, goal, ...[red, green, grey].map(percent), calls.toFixed(1), String(runs)]),
    ),
  ];
}

/** Why some goals are not reached: what stands here was measured when the constants were chosen. */
const NOT_REACHED = [
  '## Goals that are not reached, and why',
  '',
  '- **20 × 0.95 green in 90 % at 6.4 calls.** Five tries a side of 20 references tell "unchanged" from "all 10 points worse" by 2.7 standard errors',
  '  (0.1 against 0.031 and 0.042). To rule the fall out wrongly in 5 % and be green in 90 % takes 1.64 × 0.042 + 1.28 × 0.031 = 0.109: 5.9 tries a side, even',
  '  for who looks only once. Bounds of 3.5, 3.5, 3.5 and 5 % were green in 90 % at 6.7 calls, and wrong in 7 %. The honest bound was preferred.',
  '- **6.6 calls in every unchanged noisy suite of 3 to 20 references.** Suites up to about 12 take 6.4 to 6.9. A suite of 20 × 0.8 can just rule out 10 points with',
  '  five tries, so it makes them. Were it green as soon as head is no lower after two tries, it would take 7.0 calls in place of 8.9, and a fall',
  '  of 10 points would be green in 22 % in place of 7 %; 8 × 0.95 likewise: 5.6 calls in place of 6.7, and 34 % in place of 24 %.',
];

function fallenTable(rows: readonly Measured[]): string[] {
  return [
    line(['pull request', 'red %', 'green %', 'grey %', 'bound wrong %', 'calls', 'runs']),
    line(['---', '---:', '---:', '---:', '---:', '---:', '---:']),
    ...rows.map(({ name, red, green, grey, wrong, calls, runs }) =>
      line([name, ...[red, green, grey, wrong].map(percent), calls.toFixed(1), String(runs)]),
    ),
  ];
}

function scoreTable(rows: readonly Reported[]): string[] {
  return [
    line(['score', 'goal', 'reported %', 'runs']),
    line(['---', '---', '---:', '---:']),
    ...rows.map(({ name, goal, share, runs }) => line([name, goal, percent(share), String(runs)])),
  ];
}

/** benchmarks/verdicts.md, with the short table of docs/verdicts.md between two marks. */
export function pageOf(
  promises: readonly Measured[],
  unchanged: readonly Measured[],
  fallen: readonly Measured[],
  scores: readonly Reported[],
): string {
  const worst = unchanged.reduce((most, { red }) => Math.max(most, red), 0);
  const bound = [...promises, ...unchanged, ...fallen].reduce(
    (most, { wrong }) => Math.max(most, wrong),
    0,
  );
  return [
    '# How often the verdict is right',
    '',
    "Simulated pull requests through evaldiff's own rounds of tries and its own verdicts, by `npx node benchmarks/verdicts.ts`. A",
    'suite of "20 × 0.95" has 20 references of which each passes in 95 % of its tries; Beta laws and "bimodal" (64 % always right, 16 % never,',
    '20 % half) mix steady and unsteady ones. Tries are independent. Calls are those of both sides. The standard error of a share near 5 % is half a',
    'point with 2,000 runs, 0.7 points with 1,000 and 1.5 points with 200. The constants of the verdict were chosen with other seeds than these.',
    '',
    '## The promises',
    '',
    START,
    '',
    ...tableOf(promises.filter(({ shown }) => shown)),
    '',
    END,
    '',
    '## All of them',
    '',
    ...tableOf(promises),
    '',
    '## Scores',
    '',
    'A metric whose every value passes, spread about its reference by 0.6 from try to try: how often it is said to have got worse.',
    '',
    ...scoreTable(scores),
    '',
    '## Nothing changed',
    '',
    ...tableOf(unchanged),
    '',
    '## Everything 10 points worse',
    '',
    'What a suite of each size and law makes of a fall everywhere. A small suite sees no 10 points: green says so in its sentence. "Bound wrong" is the share',
    'of runs that ruled out a drop as large as this one.',
    '',
    ...fallenTable(fallen),
    '',
    ...NOT_REACHED,
    '',
    `The most frequent false alarm is ${percent(worst)} %. A drop as large as the true one is said to be ruled out in at most ${percent(bound)} % of the suites of any row.`,
    '',
  ].join('\n');
}

/** docs/verdicts.md with the page's short table in its place. */
export function withShortTable(docs: string, page: string): string {
  const cut = (text: string): [number, number] => {
    const [from, to] = [text.indexOf(START), text.indexOf(END)];
    if (from < 0 || to < from) throw new Error(`no place between ${START} and ${END}`);
    return [from, to];
  };
  const [[from, to], [start, end]] = [cut(docs), cut(page)];
  return docs.slice(0, from) + page.slice(start, end) + docs.slice(to);
}
