import { table } from '../measure/markdown.ts';
import type { Goal } from './rows.ts';

export interface Measured {
  name: string;
  goal: Goal | null;
  runs: number;
  /** Runs in which something got worse, so that the experiment ran. */
  examined: number;
  right: number;
  wrong: number;
  /** Sum over all experiments. */
  calls: number;
}

/** Percentage of runs in a row that may name something else. */
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

function missed({ goal, examined, right, wrong, calls }: Measured): string[] {
  const { right: least = 0, calls: most = Infinity } = goal ?? {};
  return [
    ...(100 * right < least * examined
      ? [`${share(right, examined)} %, goal ${String(least)} %`]
      : []),
    ...(calls > most * examined ? [`${(calls / examined).toFixed(0)} calls`] : []),
    ...(100 * wrong > MOST_WRONG * examined ? [`wrong in ${share(wrong, examined)} %`] : []),
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
    : `${String(goals.length - open.length)} of ${String(goals.length)} goals are reached. Missed: ${open.join('; ')}.`;
}

function tableOf(rows: readonly Measured[]): string[] {
  const titles = ['right, %', 'wrong, %', 'calls', 'runs'];
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
    '# How often the guilty line is named',
    '',
    "`npx node benchmarks/causes.ts` writes this page. It simulates pull requests and runs evaldiff's own comparison and experiment on them. Unless a row says otherwise, a",
    'pull request changes eight lines of a prompt with 20 references, and the planted lines break six, eight or ten of the references. A run is right if it names every planted',
    `line and nothing else. A run that also names a harmless line is wrong; in each row, at most ${String(MOST_WRONG)} % of the runs may be wrong. Runs in which nothing got worse are not`,
    'examined and not counted. The constants of the experiment were tuned with other random seeds.',
    '',
    '## With the default budget',
    '',
    'The experiment may make half as many calls as the comparison, but at least 120 and at most 200. Most experiments end long before that.',
    '',
    ...tableOf(planted),
    '',
    '## With `explain: { max_calls: 200 }`',
    '',
    ...tableOf(roomy),
    '',
    '## With `explain: { max_calls: 60 }`',
    '',
    'This is half of the smallest default budget. The missed goals are why the default is not lower.',
    '',
    ...tableOf(narrow),
    '',
    '## Tasks of an agent',
    '',
    'The experiment may make at most 60 runs of the agent, which is the default. Unless a row says otherwise, a run passes with a chance of 90 % if nothing is broken, and of',
    '10 % if a line broke its task.',
    '',
    ...tableOf(agents),
    '',
    '## Edits that do nothing',
    '',
    'The experiment runs only if something seems to have got worse, which is rare for an edit that does nothing.',
    '',
    harmlessTable(harmless),
    '',
    'In the next table, the experiment runs whenever a reference passed less often, as if that were a regression:',
    '',
    harmlessTable(always),
    '',
  ].join('\n');
}
