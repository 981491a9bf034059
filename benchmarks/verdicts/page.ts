import { table } from '../measure/markdown.ts';
import { inWords, missesOf, type Figure, type Miss, type Outcome } from './goals.ts';

/** The result of one row of pull requests. */
export interface Measured extends Outcome {
  /** Also in the short table of docs/verdicts.md. */
  shown: boolean;
  figures: Record<Exclude<Figure, 'reported'>, number>;
  /** Calls for single references, beyond the tries that all references of a suite have. */
  single: number;
}

/** How often something is reported. */
export interface Reported extends Outcome {
  figures: { reported: number; calls: number };
}

export interface Page {
  promises: readonly Measured[];
  scores: readonly Reported[];
  /** With stored answers of base. */
  drift: readonly Reported[];
  /** Many pull requests, each compared with one older commit. */
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
        'A metric whose every value passes: how often its values are reported as moved. A score of 1 to 5 varies by 0.6 from try to try and may',
        'only get worse; for the other laws neither way is better. "Named": a single reference is reported because its value exploded.',
      ],
      scores,
      { what: 'values', reported: 'reported' },
    ),
    ...section(
      "Base's answers are stored",
      [
        'Base was asked in an earlier run, and the model may have changed since. How often head is called worse, or "told": how often the drift of the',
        'model is reported. The calls are those made to confirm a fall.',
      ],
      drift,
      { what: 'pull request', reported: 'red or told' },
    ),
    ...section(
      'Slow erosion',
      [
        'A row of pull requests, each also compared with one older commit (`gate.anchor`). How often one of them is reported to have lost against that',
        'commit. The calls confirm it; they are averaged over all pull requests.',
      ],
      erosion,
      { what: 'pull requests', reported: 'reported' },
    ),
    ...section(
      'Drafted fixes',
      [
        'Five references fell, or 20 where the row says so, and 45 held. The draft was written for half of them. How often it is accepted.',
      ],
      fixes,
      { what: 'draft', reported: 'accepted' },
    ),
    ...section('Speed', ['Measured in this run.'], speed, { what: 'step', reported: 'so' }),
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

/** All goals that the page's rows miss, and why. */
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
    'Each row against its goal. A share that misses it by less than two standard errors may do so by chance.',
    '',
    missTable(misses),
    '',
    `- **Calls.** Nearly all are tries of whole suites; those of single references under suspicion are at most ${single.toFixed(1)} a reference in these rows. A suite`,
    '  goes on until a drop is ruled out: of what it can see, 5 to 10 points. Unsteady references take more tries for that. After five a side the standard error',
    '  of 20 × 0.8 is √(2 × 0.16 / 100) = 5.7 points: 10 points are ruled out only where head is not behind. Suites of 3 to 12 references make a third try,',
    '  and more where head is behind. Stopping earlier has a price, as trials with other seeds show. Green as soon as head is no lower after two tries: 7.0 calls at 20 × 0.8,',
    '  and green in 22 % after a fall of 10 points; at 8 × 0.95 5.6 calls, and 34 %. Grey after three tries where the p of a fall lies between 0.09 and 0.25:',
    '  0.8 calls fewer at 20 × 0.8 and 0.7 at 35 × 0.8, and red after a fall of 10 points in 36 instead of 42 % and 55 instead of 65 %; after four tries 0.2',
    '  fewer, and 39 and 61 %.',
    '- **20 × 0.95 green in 90 % at 6.6 calls.** Five tries a side of 20 references separate "unchanged" from "all 10 points worse" by 2.7 standard errors',
    '  (0.1 against 0.031 and 0.042). To rule the fall out wrongly in 5 % and be green in 90 % takes 1.64 × 0.042 + 1.28 × 0.031 = 0.109: 5.9 tries a side, even',
    '  with a single look. In trials bounds of 3.5, 3.5, 3.5 and 5 % were green in 90 % at 6.7 calls, and wrong in 7 %. The honest bound was preferred.',
    '- **Red, and wrong bounds.** Both are meant to be 5 % at most, and the tests of a fall take mid-p-values, which may exceed their level by a little. The',
    '  standard errors in the table say which rows are more than chance.',
  ];
}

/** benchmarks/verdicts.md, with the short table of docs/verdicts.md between two marks. */
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
    "Simulated pull requests through evaldiff's own rounds of tries and its own verdicts, by `npx node benchmarks/verdicts.ts`. A",
    'suite of "20 × 0.95" has 20 references of which each passes in 95 % of its tries; Beta laws and "bimodal" (64 % always right, 16 % never,',
    '20 % half) mix steady and unsteady ones. Tries are independent. Calls count both sides. The standard error of a share near 5 % is half a',
    'point with 2,000 runs, 0.7 points with 1,000 and 1.5 points with 200. The constants of the verdict were chosen with other seeds than these.',
    '',
    '## The promises',
    '',
    START,
    '',
    shortTable([...promises, ...ledger].filter(({ shown }) => shown)),
    '',
    END,
    '',
    '## All of them',
    '',
    tableOf(promises),
    '',
    '## Metrics, suites, questions, single references, dialogues',
    '',
    '"Named": the metric that fell is named. "Fixed": every reference that head healed is called fixed, or, where none healed, any is.',
    '',
    ledgerTable(ledger),
    '',
    ...reportedSections(page),
    '## Nothing changed',
    '',
    'Where tries end in an error, whether head answers as often as base is tested too, with a fifth of alpha beside the rest: red may reach 6 % there.',
    '',
    tableOf(unchanged),
    '',
    '## Everything 10 points worse',
    '',
    'The verdict of suites of each size and law after a fall everywhere. A small suite cannot detect 10 points; its green sentence says so. "Bound wrong" is the share',
    'of runs that ruled out a drop as large as this one.',
    '',
    fallenTable(fallen),
    '',
    '## Goals that are not reached, and why',
    '',
    ...notReached(page),
    '',
    `The most frequent false alarm is ${percent(worst)} %. A drop as large as the true one is reported as ruled out in at most ${percent(bound)} % of the suites of any row.`,
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
