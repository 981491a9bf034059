import { table } from '../measure/markdown.ts';
import type { Goal } from './rows.ts';

/** The result of one row. */
export interface Measured {
  name: string;
  goal: Goal | null;
  runs: number;
  /** Runs in which something fell, so that the experiment ran. */
  examined: number;
  right: number;
  wrong: number;
  /** Of all experiments. */
  calls: number;
}

/** In every row, at most this percentage of runs may name something else. */
const MOST_WRONG = 5;

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : ((100 * part) / whole).toFixed(1);
}

function goalWords(goal: Goal | null): string {
  if (goal === null) return '';
  const { right, calls } = goal;
  return [
    ...(right === undefined ? [] : [`≥ ${String(right)} %`]),
    ...(calls === undefined ? [] : [`≤ ${String(calls)} calls`]),
  ].join(', ');
}

/** Which goals a row misses, in words; empty: none. */
function missed({ goal, examined, right, wrong, calls }: Measured): string[] {
  const { right: least = 0, calls: most = Infinity } = goal ?? {};
  return [
    ...(100 * right < least * examined
      ? [`${share(right, examined)} % of ${String(least)} %`]
      : []),
    ...(calls > most * examined ? [`${(calls / examined).toFixed(0)} calls`] : []),
    ...(100 * wrong > MOST_WRONG * examined
      ? [`${share(wrong, examined)} % name anything else`]
      : []),
  ];
}

/** `All 14 goals are reached.`, or the rows that miss theirs, and by how much. */
function reachedWords(rows: readonly Measured[]): string {
  const goals = rows.filter(({ goal }) => goal !== null);
  const open = goals.flatMap((row) => {
    const own = missed(row);
    return own.length === 0 ? [] : [`${row.name} (${own.join(', ')})`];
  });
  return open.length === 0
    ? `All ${String(goals.length)} goals are reached.`
    : `${String(goals.length - open.length)} of ${String(goals.length)} goals are reached. Not: ${open.join('; ')}.`;
}

function tableOf(rows: readonly Measured[]): string[] {
  const titles = ['all named, and nothing else, %', 'anything else named, %', 'calls', 'runs'];
  const cells = rows.map(({ name, goal, examined, right, wrong, calls }) => [
    name,
    goalWords(goal),
    share(right, examined),
    share(wrong, examined),
    examined === 0 ? '–' : (calls / examined).toFixed(0),
    String(examined),
  ]);
  return [table(['planted', 'goal', ...titles], cells, 2), '', reachedWords(rows)];
}

function harmlessTable(rows: readonly Measured[]): string {
  const titles = ['pull requests', 'examined', 'a line named', 'of all, %', 'calls'];
  const cells = rows.map(({ name, runs, examined, wrong, calls }) => [
    name,
    `named in ≤ ${String(MOST_WRONG)} %`,
    String(runs),
    String(examined),
    String(wrong),
    share(wrong, runs),
    examined === 0 ? '–' : (calls / examined).toFixed(0),
  ]);
  return table(['edit', 'goal', ...titles], cells, 2);
}

/** benchmarks/causes.md. */
export function pageOf({
  planted,
  roomy,
  narrow,
  agents,
  harmless,
  always,
}: Record<
  'planted' | 'roomy' | 'narrow' | 'agents' | 'harmless' | 'always',
  readonly Measured[]
>): string {
  return [
    '# How often the line that did it is named',
    '',
    "Simulated pull requests through evaldiff's own comparison and its own experiment, by `npx node benchmarks/causes.ts`. Each changes",
    'eight lines (where no other number is given) of a prompt with 20 references, of which the planted lines break six, eight or ten. A run',
    'is right when it names every planted line and nothing else: a right line with a harmless one beside it counts as wrong, and in no row more',
    `than ${String(MOST_WRONG)} % of the runs may be. Runs in which nothing fell are not examined and not counted. The constants of the experiment were chosen with`,
    'other seeds than these.',
    '',
    '## As it comes',
    '',
    'Half of the calls that the comparison took, at least 120 and at most 200. Most experiments end long before.',
    '',
    ...tableOf(planted),
    '',
    '## With `explain: { max_calls: 200 }`',
    '',
    ...tableOf(roomy),
    '',
    '## With `explain: { max_calls: 60 }`',
    '',
    'Half of what is allowed at least by default: this is why the default is not lower.',
    '',
    ...tableOf(narrow),
    '',
    '## Tasks of an agent',
    '',
    'At most 60 runs of the agent, which is the default. Runs pass in 90 % of the time where nothing is broken, and in 10 % where a line broke',
    'them, if nothing else is written.',
    '',
    ...tableOf(agents),
    '',
    '## Edits that do nothing',
    '',
    'A line can be named only where something seemed to fall, which is rare by itself.',
    '',
    harmlessTable(harmless),
    '',
    'The same where the experiment runs on whatever passed less often, as if that had been a regression:',
    '',
    harmlessTable(always),
    '',
  ].join('\n');
}
