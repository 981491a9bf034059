/**
 * Writes both tables of rules into docs/verdicts.md. Run it after a change to a rule:
 * `npm run generate`. A test compares.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RUN_RULES } from '../src/kernel/judge/run-rules.ts';
import { SUITE_RULES, type SuiteRuleId } from '../src/kernel/judge/suite-rules.ts';
import { CONCLUSIONS, type OutcomeKind } from '../src/kernel/result/outcome.ts';
import { between } from './between.ts';

/** When each rule of a suite holds. A rule without words does not compile. */
const SUITE_WORDS: Readonly<Record<SuiteRuleId, string>> = {
  removed: 'head no longer has the suite',
  new: 'base does not have the suite, and something of it runs',
  'no-data': 'no reference could be run on either side',
  'same-question': 'no reference that counts asks anything else than on base, and base has answers',
  'not-compared': 'nothing could be compared, or nothing counts',
  model: 'it fell against stored answers of base, and base falls today, too',
  unconfirmed: 'it fell, and new answers could not confirm it (no calls or time left, say)',
  fall: 'the pass rate of all references, or of one metric, fell by at least `min_drop`, beyond chance',
  references: 'single references broke, beyond chance',
  unanswered: 'head does not answer what base answers, beyond chance',
  'no-evidence': 'too many references lack evidence, and none could be compared',
  named: 'references got worse by themselves, which does not suffice for red',
  metric: 'a single metric fell beyond chance, not at the level of the verdict',
  suspicious: 'references look worse, and the tries did not clear them',
  'little-evidence': 'it would be green, and too many references lack evidence',
  endings: "it would be green, and one side's answers were cut, withheld or refused",
  scoring: "head falls under base's scoring, and the scoring changed too",
  rise: 'the pass rate of all references rose, beyond chance',
  bound: 'a drop above the tolerance is ruled out',
  level: 'the pass rate is not lower, and the suite is too small to say more',
  run: 'all suites together rule out a drop of 5 points (or less, if one sets it), none looks worse',
  unsettled: 'none of these: it looks worse, and the tries did not settle it',
};

const MARKS = {
  file: 'docs/verdicts.md',
  begin: '<!-- rules: written by scripts/verdict-docs.ts from the tables that decide -->',
  end: '<!-- end of rules -->',
} as const;

/** docs/verdicts.md with the rules as the code has them. */
export function withRules(page: string): string {
  return between(page, MARKS, `\n\n${renderRules()}\n\n`);
}

function renderRules(): string {
  const suites = SUITE_RULES.map(({ id, verdict, by }): string[] => [
    SUITE_WORDS[id],
    verdict.replaceAll('_', ' '),
    by === null ? '–' : `\`${by}\``,
  ]);
  const runs = RUN_RULES.map(({ kind, words }): string[] => [
    words,
    `\`${kind}\``,
    conclusionWords(kind),
  ]);
  return [
    'The verdict of a suite. The first row that holds decides; `by` is `reason.by` in `result.json`.',
    table(['when', 'verdict', 'by'], suites),
    'The outcome of a run. The first row that holds decides.',
    table(['when', 'outcome', 'conclusion'], runs),
  ].join('\n\n');
}

function conclusionWords(kind: OutcomeKind): string {
  if (kind === 'model-changed') return 'neutral; failure under `on_inconclusive: fail`';
  return CONCLUSIONS[kind] ?? 'failure; neutral under `fail_on: never`';
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const numbered = rows.map((row, index) => [String(index + 1), ...row]);
  return [['#', ...head], ['--:', ...head.map(() => '---')], ...numbered]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

if (import.meta.main) {
  const page = fileURLToPath(new URL('../docs/verdicts.md', import.meta.url));
  writeFileSync(page, withRules(readFileSync(page, 'utf8')));
  execFileSync('npx', ['prettier', '--write', page]);
}
