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
    '# What the seeds published, computed again',
    `llmeval, FlexEval, code_chat_eval and QualEval are the tools whose ideas evaldiff brings together. This page is written by \`node benchmarks/seeds.ts\`, which feeds what they published to the code that
runs in a pull request; a test writes it again and compares. **${String(of - rows.length)} of ${String(of)} figures equal the seed's published figure, or the one that another solver found for the instances in its form.**`,
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
