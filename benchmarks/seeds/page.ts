import { table } from '../measure/markdown.ts';

/** A seed's figure and ours; equal texts mean that it was reproduced. */
export interface Row {
  what: string;
  seed: string;
  ours: string;
}

export interface Part {
  title: string;
  text: string;
  rows: Row[];
}

/** The number of rows, and the rows that differ from the seed's. */
export function missed(parts: readonly Part[]): { of: number; rows: Row[] } {
  const rows = parts.flatMap((part) => part.rows);
  return { of: rows.length, rows: rows.filter(({ seed, ours }) => seed !== ours) };
}

export function pageOf(parts: readonly Part[]): string {
  const { of, rows } = missed(parts);
  return `${[
    '# Published figures of the seeds, recomputed',
    `evaldiff combines ideas of four tools, its seeds: llmeval, FlexEval, code_chat_eval and QualEval. \`node benchmarks/seeds.ts\` writes this page: it feeds what the seeds published to the code
that runs in pull requests. A test checks that the page is up to date. **${String(of - rows.length)} of ${String(of)} figures equal the seed's published figure or, for QualEval's linear programs, the optimum that another solver found.**`,
    ...parts.flatMap((part) => [
      `## ${part.title}`,
      part.text,
      table(
        ['', 'seed', 'evaldiff', ''],
        part.rows.map(({ what, seed, ours }) => [what, seed, ours, seed === ours ? '✓' : '✗']),
      ),
    ]),
  ].join('\n\n')}\n`;
}
