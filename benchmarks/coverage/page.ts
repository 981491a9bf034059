import { table } from '../measure/markdown.ts';
import { countOf, quantile, truthCount, wrongCount, type Tally } from './measure.ts';

export interface TwoLines {
  isBase: boolean;
  most: number;
  tally: Tally;
}

/** Percentage of lines that may be called held or without effect although they are not. */
export const MOST_WRONG = 5;

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : ((100 * part) / whole).toFixed(1);
}

function callsOf({ calls }: Tally): string {
  return `${quantile(calls, 0.5)} (${quantile(calls, 0.9)})`;
}

const TITLES = ['calls', 'wrong held', 'wrong idle', 'wrong untested', 'not settled'];

const FOUND = ['held found', 'pairs found', 'untested found', 'idle found'];

function wrongCells(tally: Tally): string[] {
  const open = (['held', 'held_together', 'untested', 'idle'] as const).reduce(
    (all, truth) => all + countOf(tally, truth, 'unsettled'),
    0,
  );
  return [
    ...(['held', 'idle', 'untested'] as const).map((kind) =>
      share(wrongCount(tally, kind), tally.lines),
    ),
    share(open, tally.lines),
  ];
}

function foundCells(tally: Tally): string[] {
  return (['held', 'held_together', 'untested', 'idle'] as const).map((truth) =>
    share(countOf(tally, truth, truth), truthCount(tally, truth)),
  );
}

function wholeTable(tallies: readonly Tally[]): string {
  const rows = tallies.map((tally) => [
    tally.law.name,
    tally.law.about,
    callsOf(tally),
    ...wrongCells(tally),
    ...foundCells(tally),
  ]);
  return table(['law', 'planted', ...TITLES, ...FOUND], rows, 2);
}

function goalWords(tallies: readonly Tally[]): string {
  const missed = tallies.filter((tally) =>
    (['held', 'idle'] as const).some(
      (kind) => 100 * wrongCount(tally, kind) > MOST_WRONG * tally.lines,
    ),
  );
  const [known, others] = [true, false].map((own) => [
    ...new Set(missed.filter(({ law }) => law.isHard === own).map(({ law }) => law.name)),
  ]);
  return [
    `At most ${MOST_WRONG} % of the lines are called held, and at most ${MOST_WRONG} % without ` +
      `effect, although they are not`,
    (known ?? []).length === 0 ? '' : `, except under *${(known ?? []).join(', ')}*`,
    (others ?? []).length === 0 ? '.' : `. Missed under: ${(others ?? []).join(', ')}.`,
  ].join('');
}

function twoTable(rows: readonly TwoLines[]): string {
  const cells = rows.map(({ isBase, most, tally }) => [
    tally.law.name,
    isBase ? 'head without them' : 'something else',
    most === Infinity ? 'none' : String(most),
    callsOf(tally),
    ...wrongCells(tally),
    share(countOf(tally, 'held', 'held'), truthCount(tally, 'held')),
    share(countOf(tally, 'untested', 'untested'), truthCount(tally, 'untested')),
  ]);
  return table(['law', 'base is', 'cap', ...TITLES, 'held found', 'untested found'], cells, 3);
}

export function pageOf({
  whole,
  capped,
  two,
  cap,
}: {
  whole: readonly Tally[];
  capped: readonly Tally[];
  two: readonly TwoLines[];
  cap: number;
}): string {
  return [
    '# How often lines are called held, untested or without effect by mistake',
    '',
    "`npx node benchmarks/coverage.ts` writes this page. It simulates prompts with planted lines and a noisy model, and runs evaldiff's own search on them. Unless a row says otherwise, a prompt has 20 lines and 30 references with three answers each: 45 % of the lines are held, two lines are held together, 25 % change answers that no test looks at, and the rest has no effect. Calls are the median and, in brackets, the ninth of ten. Other columns are percentages: *wrong* of all lines, *found* of the lines of that kind. The constants were tuned with other random seeds.",
    '',
    '## Whole prompts',
    '',
    wholeTable(whole),
    '',
    goalWords(whole),
    '',
    `## With at most ${cap} calls`,
    '',
    wholeTable(capped),
    '',
    '## Two new lines of a pull request',
    '',
    'If base is head without the two lines, its answers show at once what the lines do together.',
    '',
    twoTable(two),
    '',
    goalWords(two.map(({ tally }) => tally)),
    '',
  ].join('\n');
}
