import { readRunReport, type RunReport } from '../../src/config/llmeval-report.ts';
import { tablesOfReports } from '../../src/report/run-rows.ts';
import { runBlocks } from '../../src/report/run-tables.ts';
import { renderBlocks } from '../../src/report/terminal.ts';
import type { Part } from './page.ts';

/** The columns of the report in llmeval's documentation, from the left. */
const COLUMNS = [
  'model',
  'temperature',
  'country',
  'Expected',
  'Actual #0',
  'correctness (metric) #0',
  'correctness (pass / fail) #0',
  'Actual #1',
  'correctness (metric) #1',
  'correctness (pass / fail) #1',
];

/** The data in the report's rows: model, temperature, country, expected. */
const ROWS = ['gpt-3.5-turbo', 'gpt-4'].flatMap((model) => [
  [model, '0.9', 'Denmark', 'Copenhagen'],
  [model, '0.9', 'Germany', 'Berlin'],
]);

function reportOf(model: string, job: number, attempt: number): RunReport {
  const file = `multirun/2026-01-31/10-20-30/${String(job)}/report-${String(attempt)}.yaml`;
  const references = ROWS.filter(([name]) => name === model)
    .map(
      ([, , country = '', capital = '']) =>
        `      - { input: { country: ${country} }, expected: ${capital}, actual: ${capital}, metrics: { correctness: { metric: 1, result: pass, skipped: false } } }`,
    )
    .join('\n');
  const text = `prompts:\n  tests:\n    references:\n${references}\n  name: capitals\n  model: ${model}\n  temperature: 0.9\n  variables: [{ name: country }]\n  messages: [{ role: human, content: "what is the capital of {country}?" }]\nn_tries: 2\n`;
  const { report, problems } = readRunReport(file, new TextEncoder().encode(text));
  if (report === null) throw new TypeError(problems.map(({ message }) => message).join('; '));
  return report;
}

/** Rebuilds llmeval's sample report of two models and two tries from files in llmeval's layout. */
export async function sampleReport(): Promise<Part> {
  const reports = ['gpt-3.5-turbo', 'gpt-4'].flatMap((model, job) =>
    [0, 1].map((attempt) => reportOf(model, job, attempt)),
  );
  const tables = await tablesOfReports(reports, () =>
    Promise.reject(new TypeError('the sample has no code')),
  );
  const lines = renderBlocks(runBlocks(tables), { width: 1000, colour: false })
    .split('\n')
    .filter((line) => line.trim() !== '');
  const cells = (line = ''): string[] => line.trim().split(/ {2,}/);
  const [title = '', asked = '', head, , ...rows] = lines;
  const [status, ...columns] = cells(head);
  return {
    title: 'llmeval: the report',
    text: `The rows compare the sample report in llmeval's documentation, column by column, with evaldiff's report of files in the same layout. evaldiff adds a first column with the state of the row (“${status ?? ''}”), which the sample shows as a sign.`,
    rows: [
      { what: 'title', seed: 'capitals', ours: title.replace(/^✓ | – .*$/g, '') },
      {
        what: 'line below the title',
        seed: 'human: what is the capital of {country}?',
        ours: (JSON.parse(asked) as { role: string; content: string }[])
          .map(({ role, content }) => `${role}: ${content}`)
          .join(),
      },
      ...COLUMNS.map((seed, place) => ({
        what: `column ${String(place + 1)}`,
        seed,
        ours: columns[place] ?? '',
      })),
      { what: 'further columns', seed: '0', ours: String(columns.length - COLUMNS.length) },
      ...ROWS.map((seed, place) => ({
        what: `row ${String(place + 1)}`,
        seed: seed.join(', '),
        ours: cells(rows[place]).slice(1, 5).join(', '),
      })),
    ],
  };
}
