import { table } from '../measure/markdown.ts';
import { inWords, missesOf, type Figure, type Miss, type Outcome } from './goals.ts';

export interface Measured extends Outcome {
  /** Also in the short table of docs/statistics.md. */
  shown: boolean;
  figures: Record<Exclude<Figure, 'reported'>, number>;
  /** Calls for single references, beyond the tries that all references of a suite have. */
  single: number;
}

/** The result of a row that counts how often something is reported. */
export interface Reported extends Outcome {
  figures: { reported: number; calls: number };
}

export interface Page {
  promises: readonly Measured[];
  scores: readonly Reported[];
  /** Rows in which base's answers are stored. */
  drift: readonly Reported[];
  /** Series of pull requests, each compared with one older commit. */
  erosion: readonly Reported[];
  fixes: readonly Reported[];
  speed: readonly Reported[];
  /** Metrics, the pool of suites, large runs, questions and single references. */
  ledger: readonly Measured[];
  unchanged: readonly Measured[];
  fallen: readonly Measured[];
}

const START = '<!-- verdicts -->';
const END = '<!-- /verdicts -->';

function percent(share: number): string {
  if (share > 0 && share < 0.0005) return '< 0.1';
  return (100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0);
}

const goalsOf = ({ goals }: Outcome): string => goals.map(inWords).join(', ') || '–';

const TITLES = ['pull request', 'goal', 'red %', 'green %', 'grey %', 'calls per reference'];

/** Makes figures bold that miss their row's goal. */
function marker(row: Outcome): (figure: Figure, cell: string) => string {
  const missed = missesOf([row]).map(({ goal }) => goal.figure);
  return (figure, cell) => (missed.includes(figure) ? `**${cell}**` : cell);
}

function markedCells(row: Measured): string[] {
  const marked = marker(row);
  const { red, green, grey, calls } = row.figures;
  return [
    row.name,
    goalsOf(row),
    marked('red', percent(red)),
    marked('green', percent(green)),
    marked('grey', percent(grey)),
    marked('calls', calls.toFixed(1)),
  ];
}

function shortTable(rows: readonly Measured[]): string {
  return table(TITLES, rows.map(markedCells), 2);
}

function tableOf(rows: readonly Measured[]): string {
  const cells = rows.map((row) => [...markedCells(row), String(row.runs)]);
  return table([...TITLES, 'runs'], cells, 2);
}

function ledgerTable(rows: readonly Measured[]): string {
  const cells = rows.map((row) => {
    const marked = marker(row);
    const { named, fixed } = row.figures;
    const shares = [marked('named', percent(named)), marked('fixed', percent(fixed))];
    return [...markedCells(row), ...shares, String(row.runs)];
  });
  return table([...TITLES, 'named %', 'fixed %', 'runs'], cells, 2);
}

function fallenTable(rows: readonly Measured[]): string {
  const cells = rows.map((row) => {
    const { red, green, grey, wrong, calls } = row.figures;
    const shares = [red, green, grey, wrong].map(percent);
    return [row.name, goalsOf(row), ...shares, calls.toFixed(1), String(row.runs)];
  });
  const titles = ['red %', 'green %', 'grey %', 'bound wrong %', 'calls', 'runs'];
  return table(['pull request', 'goal', ...titles], cells, 2);
}

function reportedTable(
  rows: readonly Reported[],
  { what, reported }: { what: string; reported: string },
): string {
  const cells = rows.map((row) => {
    const marked = marker(row);
    const { reported: share, calls } = row.figures;
    const figures = [marked('reported', percent(share)), marked('calls', calls.toFixed(2))];
    return [row.name, goalsOf(row), ...figures, String(row.runs)];
  });
  return table([what, 'goal', `${reported} %`, 'calls per reference', 'runs'], cells, 2);
}

/** Sections of rows that count one thing, with their introductions. */
function reportedSections({ scores, drift, erosion, fixes, speed }: Page): string[] {
  const section = (
    title: string,
    words: readonly string[],
    rows: readonly Reported[],
    columns: { what: string; reported: string },
  ): string[] =>
    rows.length === 0 ? [] : [`## ${title}`, '', ...words, '', reportedTable(rows, columns), ''];
  return [
    ...section(
      'Values',
      [
        'Every value of these metrics passes. The column shows how often evaldiff reports that the values moved. For a score of 1 to 5, which varies by 0.6 between',
        'tries, evaldiff reports only a drop. For the other distributions, neither direction is better. Rows with "named" count reports of',
        'a single reference whose value exploded. In rows with "values decide", no value fails, or values below a threshold fail; the column shows how often the run is red.',
      ],
      scores,
      { what: 'values', reported: 'reported' },
    ),
    ...section(
      "Base's answers are stored",
      [
        'Base\'s answers come from an earlier run, and the model may have changed since. The column shows how often the verdict is red. In rows with "told", it shows how',
        'often evaldiff reports that the model drifted. Calls are only those that confirm a fall.',
      ],
      drift,
      { what: 'pull request', reported: 'red or told' },
    ),
    ...section(
      'Slow erosion',
      [
        'Each row is a series of pull requests. evaldiff also compares each of them with one older commit (`gate.anchor`). The column shows how often it reports that one',
        'of them is worse than that commit. Calls are those that confirm this in the whole series.',
      ],
      erosion,
      { what: 'pull requests', reported: 'reported' },
    ),
    ...section(
      'Drafted fixes',
      [
        'Five references got worse (20 if the row says so), and 45 did not: they passed in all tries ("held × 1") or in 95 % ("held × 0.95"). The draft was written for',
        'half of the references that got worse. The column shows how often evaldiff accepts the draft.',
      ],
      fixes,
      { what: 'draft', reported: 'accepted' },
    ),
    ...section('Speed', ['The time was measured in the run that wrote this page.'], speed, {
      what: 'step',
      reported: 'true',
    }),
  ];
}

function missTable(misses: readonly Miss[]): string {
  const cells = misses.map(({ name, goal, measured, errors }) => [
    name,
    inWords(goal),
    goal.figure === 'calls' ? measured.toFixed(3) : `${(100 * measured).toFixed(2)} %`,
    errors === null ? '–' : errors.toFixed(1),
  ]);
  return table(['row', 'goal', 'measured', 'standard errors beyond'], cells, 2);
}

function notReached(page: Page): string[] {
  const { promises, ledger, unchanged, fallen } = page;
  const reported = [page.scores, page.drift, page.erosion, page.fixes, page.speed].flat();
  const misses = missesOf([...promises, ...ledger, ...reported, ...unchanged, ...fallen]);
  if (misses.length === 0) return ['Every row reaches its goal.'];
  const dear = new Set(
    misses.filter(({ goal }) => goal.figure === 'calls').map(({ name }) => name),
  );
  const single = Math.max(
    0,
    ...[...promises, ...ledger, ...unchanged]
      .filter(({ name }) => dear.has(name))
      .map((row) => row.single),
  );
  return [
    'The table lists each row that misses a goal. A miss by less than two standard errors may be chance.',
    '',
    missTable(misses),
    '',
    `- **Calls.** Nearly all calls are tries of whole suites. Tries of single suspicious references are at most ${single.toFixed(1)} a reference in these rows. A suite makes more`,
    '  tries until it rules out a drop that it can detect, of 5 to 10 points. Unsteady references need more tries for that. After five tries a side, the standard',
    '  error of 20 × 0.8 is √(2 × 0.16 / 100) = 5.7 points, so 10 points are ruled out only if head is not behind. Suites of 3 to 12 references make a third',
    '  try, and more tries if head is behind. Trials with other seeds show the price of stopping earlier:',
    '  - Green as soon as head is no lower after two tries: 20 × 0.8 takes 7.0 calls and is green in 22 % of the runs after a fall of 10 points. 8 × 0.95 takes',
    '    5.6 calls and is green in 34 %.',
    '  - Grey after three tries if the p-value of a fall is between 0.09 and 0.25: 20 × 0.8 saves 0.8 calls and 35 × 0.8 saves 0.7. After a fall of 10 points,',
    '    they are red in 36 % and 55 % of the runs, instead of 42 % and 65 %.',
    '  - The same after four tries: it saves 0.2 calls, and they are red in 39 % and 61 %.',
    '- **20 × 0.95 green in 90 % at 6.6 calls.** With five tries a side, "unchanged" and "all 10 points worse" are 2.7 standard errors apart in a suite of 20',
    '  references (0.1 against 0.031 and 0.042). For a bound that is wrong in only 5 % of the runs and green in 90 %, the difference must be',
    '  1.64 × 0.042 + 1.28 × 0.031 = 0.109. That takes 5.9 tries a side, even if evaldiff looks at the tries only once. In trials, bounds of 3.5, 3.5, 3.5 and 5 % were',
    '  green in 90 % at 6.7 calls, but wrong in 7 %. We preferred the bound that is wrong in 5 %.',
    '- **Red, and wrong bounds.** Both should be 5 % at most. The tests of a fall use mid-p-values, which may exceed their level by a little. The standard errors in',
    '  the table show which rows exceed it by more than chance.',
  ];
}

/** benchmarks/verdicts.md, with the short table of docs/statistics.md between two marks. */
export function pageOf(page: Page): string {
  const { promises, ledger, unchanged, fallen } = page;
  const worst = Math.max(0, ...unchanged.map(({ figures }) => figures.red));
  const bound = Math.max(
    0,
    ...[...promises, ...unchanged, ...fallen].map(({ figures }) => figures.wrong),
  );
  return [
    '# How often the verdict is right',
    '',
    "`npx node benchmarks/verdicts.ts` writes this page. It simulates pull requests and runs evaldiff's own rounds of tries and verdicts on them. A suite of",
    '"20 × 0.95" has 20 references, and each of them passes in 95 % of its tries. Beta distributions and "bimodal" (64 % always right, 16 % never, 20 % half) mix',
    'steady and unsteady references. Tries are independent. Calls count both sides. The standard error of a share near 5 % is half a point with 2,000 runs,',
    '0.7 points with 1,000 and 1.5 points with 200. A bold figure misses its goal. The constants of the verdict were tuned with other random seeds.',
    '',
    '## The promises',
    '',
    START,
    '',
    shortTable([...promises, ...ledger].filter(({ shown }) => shown)),
    '',
    END,
    '',
    '## All promises',
    '',
    tableOf(promises),
    '',
    '## Metrics, suites, questions, single references, dialogues',
    '',
    '"Named" is the share of runs that name the metric that got worse. "Fixed" is the share of runs that report every reference that head fixed or, if head',
    'fixed none, that report any reference as fixed.',
    '',
    ledgerTable(ledger),
    '',
    ...reportedSections(page),
    '## Nothing changed',
    '',
    'If tries end in an error, evaldiff also tests whether head answers as often as base. That test has its own fifth of alpha, so red may reach 6 % in those rows.',
    '',
    tableOf(unchanged),
    '',
    '## Everything 10 points worse',
    '',
    'Every reference got 10 points worse. A small suite cannot detect a drop of 10 points, and the sentence of its green verdict says so. "Bound wrong" is the share of',
    'runs that ruled out a drop as large as the true one.',
    '',
    fallenTable(fallen),
    '',
    '## Goals that are not reached, and why',
    '',
    ...notReached(page),
    '',
    `The highest false-alarm rate is ${percent(worst)} %. In no row do more than ${percent(bound)} % of the suites rule out a drop as large as the true one.`,
    '',
  ].join('\n');
}

/** Inserts the page's short table into a text. */
export function withShortTable(text: string, page: string): string {
  const cut = (word: string): [number, number] => {
    const [from, to] = [word.indexOf(START), word.indexOf(END)];
    if (from < 0 || to < from) throw new Error(`no place between ${START} and ${END}`);
    return [from, to];
  };
  const [[from, to], [start, end]] = [cut(text), cut(page)];
  return text.slice(0, from) + page.slice(start, end) + text.slice(to);
}
