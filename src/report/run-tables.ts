import type { RunTry } from '../config/llmeval-report.ts';
import type { Json } from '../types/plain.ts';
import { code, paragraph, strong, type Block, type Line } from './sections/document.ts';

export interface RunRow {
  parameters: Record<string, Json>;
  input: Record<string, Json>;
  expected: Json | undefined;
  tries: RunTry[];
  outcome: 'pass' | 'fail' | null;
  skipped: boolean;
}

export interface RunTable {
  run: string;
  name: string;
  /** The prompt before variables are filled in. Null if unknown. */
  messages: Json;
  rollup: string | null;
  rows: RunRow[];
}

const CELL = 50;

const MESSAGES = 500;

export function runBlocks(tables: readonly RunTable[]): Block[] {
  return tables.flatMap((table) => [
    paragraph([strong(`${passes(table) ? '✓' : '✗'} ${table.name}`), ` – ${table.run}`], 'verdict'),
    ...(table.messages === null ? [] : [paragraph(code(JSON.stringify(table.messages), MESSAGES))]),
    runTable(table),
  ]);
}

export function passes({ rows }: RunTable): boolean {
  return rows.every(({ skipped, outcome }) => skipped || outcome === 'pass');
}

interface RunColumn {
  title: string;
  cell(row: RunRow): Line;
}

function runTable({ rows, rollup }: RunTable): Block {
  const tries = rows.reduce((most, row) => Math.max(most, row.tries.length), 0);
  const columns: RunColumn[] = [
    {
      title: rollup ?? 'Status',
      cell: ({ outcome, skipped }) => [`${outcome ?? 'not judged'}${skipped ? ' (skipping)' : ''}`],
    },
    ...valueColumns(rows, ({ parameters }) => parameters),
    ...valueColumns(rows, ({ input }) => input),
    { title: 'Expected', cell: ({ expected }) => valueCell(expected) },
    ...Array.from({ length: tries }, (_, index) => tryColumns(rows, index)).flat(),
  ];
  return {
    kind: 'table',
    head: columns.map(({ title }) => [title]),
    rows: rows.map((row) => columns.map(({ cell }) => cell(row))),
  };
}

function tryColumns(rows: readonly RunRow[], index: number): RunColumn[] {
  const names = [
    ...new Set(rows.flatMap(({ tries }) => tries[index]?.scores.map(({ metric }) => metric) ?? [])),
  ];
  return [
    { title: `Actual #${index}`, cell: ({ tries }) => answerCell(tries[index]) },
    ...names.flatMap((name): RunColumn[] => {
      const scoreOf = ({ tries }: RunRow) =>
        tries[index]?.scores.find(({ metric }) => metric === name);
      return [
        {
          title: `${name} (metric) #${index}`,
          cell: (row) => valueCell(scoreOf(row)?.value),
        },
        {
          title: `${name} (pass / fail) #${index}`,
          cell: (row) => [scoreWord(scoreOf(row))],
        },
      ];
    }),
    ...(rows.some(({ tries }) => (tries[index]?.duration ?? null) !== null)
      ? [
          {
            title: `Duration #${index}`,
            cell: ({ tries }: RunRow) => [secondsOf(tries[index]?.duration)],
          },
        ]
      : []),
  ];
}

function secondsOf(milliseconds: number | null = null): string {
  return milliseconds === null ? '–' : `${(milliseconds / 1000).toFixed(2)} s`;
}

function scoreWord(score: RunTry['scores'][number] | undefined): string {
  if (score === undefined) return '–';
  return `${score.status}${score.skip ? ' (skipping)' : ''}`;
}

function valueColumns(
  rows: readonly RunRow[],
  of: (row: RunRow) => Record<string, Json>,
): RunColumn[] {
  const titles = new Set(rows.flatMap((row) => Object.keys(of(row))));
  return [...titles].map((title) => ({ title, cell: (row) => valueCell(of(row)[title]) }));
}

function answerCell(made: RunTry | undefined): Line {
  if (made === undefined) return ['–'];
  return made.error === null ? valueCell(made.actual) : ['error: ', code(made.error, CELL)];
}

function valueCell(value: Json | undefined): Line {
  if (value === undefined) return ['–'];
  return [code(typeof value === 'string' ? value : JSON.stringify(value), CELL)];
}
