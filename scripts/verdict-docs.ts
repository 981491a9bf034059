/**
 * Writes both tables of rules into docs/statistics.md, and docs/codes.md. Run `npm run generate`
 * after changing a rule or a reason; a test compares.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RUN_RULES } from '../src/kernel/judge/run-rules.ts';
import { COMPARED_RULES, UNCOMPARED_RULES } from '../src/kernel/judge/suite-rules.ts';
import { CONCLUSIONS, type OutcomeKind } from '../src/kernel/result/outcome.ts';
import { explanations } from '../src/wording/explanations.ts';
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

/** docs/codes.md: a heading and a paragraph for each code that `evaldiff explain` knows. */
export function renderCodes(): string {
  const sections = [...explanations()].sort().map(([code, paragraph]) => {
    const words = paragraph.replace(/\nMore: docs\/(.*)$/, ' [More]($1)');
    return `## \`${code}\`\n\n${words}`;
  });
  return `${[CODES, ...sections].join('\n\n')}\n`;
}

const CODES = `# What each code means

Generated from the rules and reasons in \`src/kernel\` by \`scripts/verdict-docs.ts\`. In a terminal, \`npx evaldiff explain CODE\` prints the same paragraph.

The codes are in \`result.json\`: \`outcome.kind\` of the run, \`reason.by\` of a suite, and \`code\` of each entry in \`reasons\`. The comment shows the suite's code under "How sure is this?".`;

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
  const codes = fileURLToPath(new URL('../docs/codes.md', import.meta.url));
  writeFileSync(codes, renderCodes());
  execFileSync('npx', ['prettier', '--write', page, codes]);
}
