/**
 * Writes both tables of rules into docs/statistics.md. Run `npm run generate` after changing a rule;
 * a test compares.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RUN_RULES } from '../src/kernel/judge/run-rules.ts';
import { COMPARED_RULES, UNCOMPARED_RULES } from '../src/kernel/judge/suite-rules.ts';
import { CONCLUSIONS, type OutcomeKind } from '../src/kernel/result/outcome.ts';
import { between } from './between.ts';
import { markdownTable } from './markdown-table.ts';

const MARKS = {
  file: 'docs/statistics.md',
  begin: '<!-- rules: written by scripts/verdict-docs.ts from the tables that decide -->',
  end: '<!-- end of rules -->',
} as const;

/** docs/statistics.md with the rules from the code. */
export function withRules(page: string): string {
  return between(page, MARKS, `\n\n${renderRules()}\n\n`);
}

function renderRules(): string {
  const uncompared = UNCOMPARED_RULES.map(({ words, verdict }): string[] => [
    words,
    verdict.replaceAll('_', ' '),
  ]);
  const suites = COMPARED_RULES.map(({ words, verdict, by }): string[] => [
    words,
    verdict,
    `\`${by}\``,
  ]);
  const runs = RUN_RULES.map(({ kind, words }): string[] => [
    words,
    `\`${kind}\``,
    conclusionWords(kind),
  ]);
  return [
    'If nothing in a suite is compared, the first row that applies decides its verdict.',
    numberedTable(['when', 'verdict'], uncompared),
    'If a suite is compared, the first row that applies decides its verdict. The column `by` is `reason.by` in `result.json`.',
    numberedTable(['when', 'verdict', 'by'], suites),
    'The first row that applies decides the outcome of a run.',
    numberedTable(['when', 'outcome', 'conclusion'], runs),
  ].join('\n\n');
}

function conclusionWords(kind: OutcomeKind): string {
  if (kind === 'model-changed') return 'neutral; failure under `on_inconclusive: fail`';
  return CONCLUSIONS[kind] ?? 'failure; neutral under `fail_on: never`';
}

function numberedTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const numbered = rows.map((row, index) => [String(index + 1), ...row]);
  return markdownTable(['#', ...head], numbered);
}

if (import.meta.main) {
  const page = fileURLToPath(new URL('../docs/statistics.md', import.meta.url));
  writeFileSync(page, withRules(readFileSync(page, 'utf8')));
  execFileSync('npx', ['prettier', '--write', page]);
}
