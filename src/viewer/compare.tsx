import { useMemo, useState } from 'preact/hooks';
import { exampleTries, fallOf, promptKey } from '../report/sections/order.ts';
import { differingSuites, pairing } from '../report/sections/pairing.ts';
import { counted, signed } from '../text/amounts.ts';
import type { SuiteData } from './data.ts';
import { TestList } from './list.tsx';
import { useReport, ViewerContext } from './report.ts';
import { answersWords, NO_FILTER, type TestRow } from './tests.ts';

/** A suite with all its tests. */
interface SuiteColumn {
  name: string;
  suite: SuiteData;
  rows: TestRow[];
}

/** The suites of each prompt that ran with several models or parameters. */
export function comparedColumns(tests: readonly TestRow[]): SuiteColumn[][] {
  const named = [...Map.groupBy(tests, ({ suiteName }) => suiteName)].flatMap(([name, rows]) => {
    const [first] = rows;
    const references = rows.map(({ reference }) => reference);
    return first === undefined ? [] : { name, suite: { ...first.suite, references }, rows };
  });
  const prompts = Map.groupBy(named, ({ suite }) => promptKey(suite)).values();
  return [...prompts].filter((columns) => columns.length > 1);
}

const STATUSES = {
  worse: { words: 'worse', tone: 'bad', rank: 0 },
  better: { words: 'better', tone: 'good', rank: 1 },
  equal: { words: 'equal', tone: 'neutral', rank: 2 },
} as const;

/** The tests that both ran, with the first suite in the place of base. */
function comparedRows(first: SuiteColumn, second: SuiteColumn): TestRow[] {
  const before = new Map(first.rows.map(({ reference }) => [reference.id, reference.head]));
  return second.rows
    .flatMap((row): TestRow[] => {
      const { head, id } = row.reference;
      const base = before.get(id) ?? null;
      if (base === null || head === null) return [];
      if (base.tries.length === 0 || head.tries.length === 0) return [];
      const reference = { ...row.reference, base, p: null, q: null };
      const fall = fallOf(reference);
      return [
        {
          ...row,
          ...exampleTries(reference, []),
          reference,
          status: STATUSES[fall > 0 ? 'worse' : fall < 0 ? 'better' : 'equal'],
          answers: answersWords(reference),
        },
      ];
    })
    .sort((a, b) => a.status.rank - b.status.rank);
}

/** With the same adjusted p-values as the ranking. */
function verdictWords(
  first: SuiteColumn,
  second: SuiteColumn,
  columns: readonly SuiteColumn[],
): string {
  const paired = pairing(first.suite, second.suite);
  if (paired === null) return 'They share no judged test.';
  const { difference, references, low, high } = paired;
  const others = columns.filter((column) => column !== first).map(({ suite }) => suite);
  const word = !differingSuites(first.suite, others).has(second.suite)
    ? 'is not distinguishable from'
    : difference < 0
      ? 'is worse than'
      : 'is better than';
  const interval = low === null || high === null ? '' : `, ${signed(low)} to ${signed(high)}`;
  return (
    `${second.name} ${word} ${first.name} on the same ${counted(references, 'test')} ` +
    `(${signed(difference)} points${interval}).`
  );
}

interface ColumnPair {
  columns: SuiteColumn[];
  first: SuiteColumn;
  second: SuiteColumn;
}

function chosenPair(prompts: readonly SuiteColumn[][], [before, after]: Chosen): ColumnPair | null {
  const columns = prompts.find((each) => each.some(({ name }) => name === before)) ?? prompts[0];
  const first = columns?.find(({ name }) => name === before) ?? columns?.[0];
  const others = columns?.filter((column) => column !== first) ?? [];
  const second = others.find(({ name }) => name === after) ?? others[0];
  return columns && first && second ? { columns, first, second } : null;
}

type Chosen = [before?: string, after?: string];

/** Two models or variants side by side on the same tests. */
export function Compare() {
  const { tests } = useReport();
  const prompts = useMemo(() => comparedColumns(tests), [tests]);
  const [chosen, choose] = useState<Chosen>([]);
  const pair = chosenPair(prompts, chosen);
  if (pair === null) return null;
  const { columns, first, second } = pair;
  const others = columns.filter((column) => column !== first);
  return (
    <section>
      <h2>Compare</h2>
      <p class="filter">
        <ColumnSelect
          label="First"
          value={first}
          columns={prompts.flat()}
          pick={(name) => choose([name])}
        />
        <ColumnSelect
          label="Second"
          value={second}
          columns={others}
          pick={(name) => choose([first.name, name])}
        />
      </p>
      <p>{verdictWords(first, second, columns)}</p>
      <PairList first={first} second={second} />
    </section>
  );
}

interface SelectProps {
  label: string;
  value: SuiteColumn;
  columns: readonly SuiteColumn[];
  pick(name: string): void;
}

function ColumnSelect({ label, value, columns, pick }: SelectProps) {
  return (
    <label>
      {label}{' '}
      <select value={value.name} onChange={({ currentTarget }) => pick(currentTarget.value)}>
        {columns.map(({ name }) => (
          <option value={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

const UNLINKED: string[] = [];

function PairList({ first, second }: Omit<ColumnPair, 'columns'>) {
  const report = useReport();
  const [filter, setFilter] = useState(NO_FILTER);
  const tests = useMemo(() => comparedRows(first, second), [report.tests, first.name, second.name]);
  const sides = { base: first.name, head: second.name };
  return (
    <ViewerContext.Provider value={{ ...report, tests, sides, live: null }}>
      <TestList {...{ address: UNLINKED, filter, setFilter, isPrinted: false }} />
    </ViewerContext.Provider>
  );
}
